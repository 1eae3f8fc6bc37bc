"""What the report says inside the Bayes models is what the models hold."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.report.conftest import run_study

import vaglio
from vaglio.report import summarize_study
from vaglio.table import Table


def inside(learner: str, table: Table, target: str) -> tuple[dict, vaglio.Study]:
    options = {"selection_options": {"test_size": 0.3}}
    study = run_study(table, target, [learner], strategy="quick", **options)
    summary = summarize_study(study)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    return summary["inside"], study


def test_joint_bayes_shows_the_combinations_by_class() -> None:
    chapter, study = inside("joint-bayes", vaglio.datasets.load("play"), "play")
    model = study.fitted.model
    part = chapter["parts"][0]
    assert part["head"] == ["combination", *map(str, study.fitted.classes.tolist())]
    totals = np.array([[float(cell) for cell in row[1:]] for row in part["rows"]])
    np.testing.assert_allclose(totals.sum(axis=0), model.count.sum(axis=1))
    assert "outlook = " in part["rows"][0][0]
    assert any("combinations of values occur in the training set" in line for line in chapter["lead"])


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["multinomial-nb", "bernoulli-nb"])
def test_counts_show_the_words_that_tell_the_classes_apart(learner: str) -> None:
    rng = np.random.default_rng(0)
    good = rng.random(120) < 0.5
    frame = pd.DataFrame(
        {
            "great": rng.poisson(np.where(good, 4, 0.2)),
            "awful": rng.poisson(np.where(good, 0.2, 4)),
            "film": rng.poisson(3, 120),
            "class": np.where(good, "good", "bad"),
        }
    )
    chapter, study = inside(learner, Table.from_any(frame), "class")
    part = chapter["parts"][0]
    assert part["head"] == ["word or column", "bad", "good"]
    assert {row[0] for row in part["rows"][:2]} == {"great", "awful"}
    shares = np.exp(study.fitted.model.log_probability)
    place = [feature.name for feature in study.fitted.codebook.features].index("great")
    row = next(row for row in part["rows"] if row[0] == "great")
    assert [float(cell.rstrip("%")) for cell in row[1:]] == pytest.approx((100 * shares[:, place]).tolist(), abs=0.51)


def test_named_and_kernel_densities_are_shown() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"visits": rng.poisson(3, 60), "wait": rng.exponential(2, 60), "class": ["a", "b"] * 30})
    likelihoods = {"visits": "poisson", "wait": "kde"}
    learner = {"bayes": vaglio.NaiveBayesClassifier(likelihoods)}
    study = vaglio.Study(Table.from_any(frame), "class", learners=learner, strategy="quick").run(progress=False)
    texts = [row[0] for row in summarize_study(study)["inside"]["parts"][0]["rows"]]
    assert sorted(texts) == ["visits (Poisson mean)", "wait (kernel density)"]
