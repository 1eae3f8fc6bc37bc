"""What the table of a node shows: the measure of the learner, every threshold, and gains as they are defined."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.document.document import Grid
from vaglio.errors import InputError
from vaglio.tracing import threshold_gains


def _entropy(labels: list[str]) -> float:
    return -sum(n / len(labels) * math.log2(n / len(labels)) for n in Counter(labels).values())


def test_gain_and_ratio_of_an_identifier_are_as_defined_and_the_guard_has_its_own_line() -> None:
    X, y = vaglio.datasets.load("play").xy("play")
    columns = {**{name: X[name] for name in X.columns}, "day": [f"d{i}" for i in range(len(y))]}
    work = vaglio.trace(vaglio.C45Classifier(min_samples_leaf=1), vaglio.Table.from_any(columns), y)
    found = work.facts["nodes"][0]["attributes"]["day"]
    assert found["gain"] == pytest.approx(_entropy([str(label) for label in y]))
    assert found["split_information"] == pytest.approx(math.log2(14))
    assert found["gain_ratio"] == pytest.approx(0.2470, abs=5e-5)
    assert found["counted_ratio"] == 0
    assert work.facts["nodes"][0]["chosen"] == "outlook"
    assert any(line.startswith("Guard: day has many values") for line in work.to_text().splitlines())


@pytest.mark.parametrize(
    ("learner", "shown"),
    [
        ("id3", {"entropy after", "gain"}),
        ("c45", {"entropy after", "gain", "split info", "gain ratio"}),
        ("cart", {"Gini after"}),
    ],
)
def test_a_trace_shows_the_measure_of_its_learner_and_all_of_them_on_demand(learner: str, shown: set[str]) -> None:
    X, y = vaglio.datasets.load("play").xy("play")

    def columns(**options: bool) -> set[str]:
        sections = vaglio.trace(learner, X, y, **options).sections
        tables = [block for section in sections for block in section.blocks if isinstance(block, Grid)]
        return set(next(table.columns for table in tables if table.caption == "All attributes"))

    every = {"entropy after", "gain", "split info", "gain ratio", "Gini after", "binary Gini", "error after"}
    assert columns() & every == shown
    assert columns(all_measures=True) >= every


def test_every_threshold_of_a_numeric_attribute_has_its_gain() -> None:
    x = [4.0, 1.0, 3.0, 3.0, 2.0, float("nan"), 7.0]
    y = ["a", "a", "b", "a", "b", "b", "b"]
    gains = threshold_gains(x, y)
    known = [(value, label) for value, label in zip(x, y, strict=True) if value == value]
    for line in gains.to_dict("records"):
        below = [label for value, label in known if value <= line["threshold"]]
        above = [label for value, label in known if value > line["threshold"]]
        left = (len(below) * _entropy(below) + len(above) * _entropy(above)) / len(known)
        assert (line["below"], line["above"]) == (len(below), len(above))
        assert line["gain"] == pytest.approx(_entropy([label for _, label in known]) - left)
    tree = vaglio.DecisionTreeClassifier(criterion="entropy", max_depth=1)
    work = vaglio.trace(tree, pd.DataFrame({"x": x[:5]}), y[:5])
    listed = work.facts["nodes"][0]["attributes"]["x"]["thresholds"]
    alone = threshold_gains(x[:5], y[:5])
    assert [each["gain"] for each in listed] == pytest.approx(alone["gain"].tolist())
    assert "Every threshold of x" in work.to_text()
    best = float(alone["threshold"][int(np.argmax(alone["gain"]))])
    assert tree.fit(pd.DataFrame({"x": x[:5]}), y[:5]).tree_.threshold[0] == pytest.approx(best)


@pytest.mark.parametrize(("x", "y"), [(["a", "b"], [0, 1]), ([1.0, 1.0], [0, 1]), ([1.0, 2.0], [0])])
def test_thresholds_need_two_different_numbers_and_their_classes(x: list[object], y: list[int]) -> None:
    with pytest.raises(InputError):
        threshold_gains(x, y)
