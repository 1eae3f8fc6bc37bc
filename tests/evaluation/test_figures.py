"""Every figure of an evaluation has one interval, the same on every surface."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vaglio
from vaglio.evaluation import Evaluation, evaluate_by_folds
from vaglio.evaluation.figures import names_of

# No share, mean or area of rows.
WITHOUT = {"rows"}


def drawn(n: int, k: int, wrong: float, *, seed: int = 0, **options: object) -> Evaluation:
    """An evaluation of k classes with probabilities, of which a share is predicted wrongly."""
    rng = np.random.default_rng(seed)
    true = np.arange(n) % k
    seen = np.where(rng.random(n) < wrong, rng.integers(0, k, n), true)
    scores = np.full((n, k), 0.2 / k) + 0.8 * np.eye(k)[seen]
    scores += rng.random((n, k)) * 0.01
    scores /= scores.sum(axis=1, keepdims=True)
    return Evaluation.from_predictions(true, y_score=scores, labels=range(k), cost=1.0 - np.eye(k), **options)


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("wrong", [0.0, 0.3])
def test_every_figure_lies_in_an_interval_with_width(k: int, wrong: float) -> None:
    evaluation = drawn(60, k, wrong)
    for name in names_of("classification"):
        found = evaluation.estimate(name)
        assert found is not None
        if name not in WITHOUT:
            assert found.low <= found.value + 1e-12, name
            assert found.value - 1e-12 <= found.high, name
            assert found.high - found.low > 1e-3, name


def test_the_same_interval_stands_in_text_data_and_criteria() -> None:
    evaluation = drawn(80, 3, 0.2)
    words = evaluation.to_text()
    assert "The intervals are about this model" in words
    printed = {str(row["measure"]): row for row in evaluation.to_dict()["measures"]}
    for heading, name in {"accuracy": "accuracy", "Cohen's kappa": "kappa", "log loss": "log_loss"}.items():
        found = evaluation.estimate(name)
        assert (printed[heading]["low"], printed[heading]["high"]) == (found.low, found.high)
        assert evaluation.accept(f"{name}.high > 0").checks[0].value == found.high
        assert f"{found.low:.4f}" in words
    assert evaluation.estimate("brier") is evaluation.estimate("brier")


def test_figures_of_folds_are_about_the_learner_and_wider() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    folds = evaluate_by_folds(vaglio.NaiveBayesClassifier(), X, y, n_splits=5)
    alone = Evaluation.from_predictions(np.array(folds.labels)[folds.true], y_score=folds.scores, labels=folds.labels)
    assert (folds.about, alone.about) == ("learner", "model")
    assert "The intervals are about the learner" in folds.to_text()
    assert folds.to_dict()["about"] == "learner"
    assert np.bincount(folds.folds).min() >= 68
    for name in ("accuracy", "kappa", "macro_f1", "average_precision", "brier", "log_loss"):
        wide, narrow = folds.estimate(name), alone.estimate(name)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low), name


def test_weights_count_as_the_rows_that_they_are_worth() -> None:
    rng = np.random.default_rng(3)
    weight = np.where(rng.random(200) < 0.1, 20.0, 1.0)
    plain, weighted, scaled = (drawn(200, 2, 0.3, sample_weight=w) for w in (None, weight, 7 * weight))
    for name in ("accuracy", "recall", "f1", "kappa", "roc_auc", "average_precision", "brier", "log_loss", "cost"):
        ends = [(each.low, each.high) for each in (e.estimate(name) for e in (plain, weighted, scaled))]
        assert ends[1] == pytest.approx(ends[2]), name
        if name != "average_precision":  # the weight of single rows moves its value too much to tell
            assert ends[1][1] - ends[1][0] > 1.3 * (ends[0][1] - ends[0][0]), name


def test_what_has_no_interval_says_so() -> None:
    one = Evaluation.from_predictions(["a"], y_score=[[0.9, 0.1]], labels=["a", "b"])
    assert math.isnan(one.estimate("log_loss").low)
    assert one.to_dict()["measures"][-1]["low"] is None
    many = drawn(120, 60, 0.2)
    assert math.isnan(many.estimate("kappa").low)
    assert many.accuracy.high > many.accuracy.low
    bare = Evaluation.from_predictions(["a", "b"], ["a", "b"])
    assert bare.estimate("roc_auc") is bare.estimate("brier") is bare.estimate("cost") is None
