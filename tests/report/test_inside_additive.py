"""What the report says inside an additive model is what the model holds, and what a person changed is listed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.report.conftest import run_study

import vaglio
from vaglio.learners.additive.chapter import additive_parts
from vaglio.report import summarize_study
from vaglio.report.limits import Limits
from vaglio.table import Table


def two_or_three_classes(classes: int) -> Table:
    random = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame({"age": random.uniform(20, 80, n), "shop": random.choice(["north", "south", "west"], n)})
    frame["size"] = pd.Categorical(random.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True)
    frame["both"] = random.normal(size=n)
    score = frame["age"] / 20 + (frame["shop"] == "west") + random.normal(0, 0.4, n)
    frame["class"] = np.array(["low", "middle", "top"])[np.digitize(score, np.quantile(score, [0.4, 0.7])) % classes]
    frame.loc[::9, "age"] = np.nan
    return Table.from_any(frame)


@pytest.fixture(scope="module", params=[2, 3])
def study(request) -> vaglio.Study:
    options = {"selection_options": {"test_size": 0.3}}
    return run_study(two_or_three_classes(request.param), "class", ["additive"], strategy="quick", **options)


def parts_of(chapter: dict) -> dict[str, dict]:
    return {part["title"]: part for part in chapter["parts"]}


@pytest.mark.slow
def test_every_term_is_drawn_the_most_important_first(study):
    summary = summarize_study(study)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    parts, model = parts_of(summary["inside"]), study.fitted.model
    names = [entry["term"] for entry in study.fitted.terms()]
    bars = parts["Importance of the terms"]["rows"]
    assert [bar["label"] for bar in bars] == names[: len(bars)]
    assert [bar["value"] for bar in bars] == pytest.approx([e["importance"] for e in study.fitted.terms()][: len(bars)])
    drawn = parts["What each term adds"]["terms"]
    assert [term["name"] for term in drawn] == names
    assert "Changed by hand" not in parts
    for term in drawn:
        own = model.table([model.name_of(t) for t in range(model.n_terms)].index(term["name"]))
        found = np.array(term["scores"])
        assert own.min() - 1e-9 <= found.min() <= found.max() <= own.max() + 1e-9
    age = next(term for term in drawn if term["name"] == "age")
    assert age["form"] == "steps"
    assert len(age["edges"]) == len(age["scores"]) + 1
    assert age["caption"][0].startswith("missing: ")


@pytest.mark.slow
def test_the_sentences_name_the_scale_and_the_classes(study):
    chapter = summarize_study(study)["inside"]
    said = " ".join(chapter["lead"])
    two = len(study.fitted.classes) == 2
    assert ("adds to the log-odds of middle." in said) == two
    assert ("adds to the log-odds of each class." in said) == (not two)
    assert parts_of(chapter)["What each term adds"]["labels"] == ([] if two else ["low", "middle", "top"])


@pytest.mark.slow
def test_what_was_changed_by_hand_is_listed(study):
    edited = study.fitted.edit("age", "monotone", direction=-1, reason="known").edit("shop", "remove")
    _, found = additive_parts(edited, study, Limits())
    table = found[-1]
    assert table["title"] == "Changed by hand"
    assert [row[:2] for row in table["rows"]] == [["age", "monotone"], ["shop", "remove"]]
    assert table["rows"][0][-1] == "known"
    before, after = (np.array(edited.edits[0][side]) for side in ("before", "after"))
    shown = [float(word.replace("−", "-")) for word in table["rows"][0][3].split(" to ")]
    assert shown == pytest.approx([before.min(), before.max()], abs=0.01)
    assert np.ptp(after) <= np.ptp(before)
    assert table["rows"][1][4] == "removed"
