"""Bayes explained: log-odds that add up, and the product in the notes' own form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import NaiveBayesClassifier
from vaglio.learners.bayes.explain import in_figures

DAY = pd.DataFrame({"outlook": ["sunny"], "temperature": ["cool"], "humidity": ["high"], "windy": ["true"]})


def test_the_product_as_the_notes_write_it(play: tuple) -> None:
    explanation = NaiveBayesClassifier(alpha=0).fit(*play).explain(DAY)[0]
    assert explanation.decision == "no"
    assert explanation.notes == (
        "no: 3/5 · 1/5 · 4/5 · 3/5 · 5/14 = 0.0206",
        "yes: 2/9 · 3/9 · 3/9 · 3/9 · 9/14 = 0.0053",
    )
    smoothed = NaiveBayesClassifier(alpha=1).fit(*play).explain(DAY)[0]
    assert "yes: 3/12 · 4/12 · 4/11 · 4/11 · 9/14 = 0.0071" in smoothed.notes


@pytest.mark.parametrize("likelihood", ["auto", "gaussian", "kde", "mdl", "discrete"])
def test_log_odds_add_up_to_the_decision(likelihood: str) -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    model = NaiveBayesClassifier(likelihood).fit(X, y)
    rows = X[np.arange(0, len(X), 40)]
    order = np.sort(model.predict_log_proba(rows), axis=1)
    for explanation, top, second in zip(model.explain(rows), order[:, -1], order[:, -2]):
        total = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        assert total == pytest.approx(top - second, rel=1e-9, abs=1e-9)


def test_missing_values_are_named(play: tuple) -> None:
    explanation = NaiveBayesClassifier().fit(*play).explain(DAY.assign(windy=None))[0]
    assert explanation.notes[0] == "missing values of windy: not used"
    assert "windy" not in {reason.feature for reason in (*explanation.reasons, *explanation.against)}


def test_one_class_has_no_runner_up(play: tuple) -> None:
    explanation = NaiveBayesClassifier().fit(play[0], ["yes"] * 14).explain(DAY)[0]
    assert (explanation.decision, explanation.runner_up, explanation.reasons) == ("yes", None, ())


def test_small_numbers_are_written_by_their_logarithm() -> None:
    assert in_figures(-5000.0) == "3.37e-2172"
    assert in_figures(np.log(0.0206)) == "0.0206"
    assert in_figures(-np.inf) == "0"


def test_very_many_attributes_are_summed_up_and_still_add_up() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 80))
    y = (X[:, 0] > 0).astype(int)
    model = NaiveBayesClassifier("gaussian").fit(X, y)
    (explanation,) = model.explain(X[:1], counterfactual=False)
    said = (*explanation.reasons, *explanation.against)
    assert len(said) == 31
    assert any("more columns together" in reason.text for reason in said)
    gap = np.diff(np.sort(model.predict_log_proba(X[:1])[0]))[0]
    assert sum(reason.weight for reason in said) == pytest.approx(gap)
