"""The subjects of traces beside learners: every worked number against an independent calculation."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, roc_auc_score, roc_curve

import vaglio
from vaglio.errors import InputError
from vaglio.tracing import (
    trace_bayes,
    trace_densities,
    trace_event,
    trace_folds,
    trace_kernel,
    trace_lift,
    trace_metrics,
    trace_roc,
)

scores_and_classes = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({positive for _, positive in rows}) == 2
)


def test_bayes_theorem_with_the_numbers_of_a_partition() -> None:
    facts = trace_bayes(["1/3", "1/3", "1/3"], [0, 0.4, 0.34]).facts
    assert facts["evidence"] == str(Fraction(37, 150))
    assert [Fraction(value) for value in facts["posterior"]] == [0, Fraction(20, 37), Fraction(17, 37)]


@pytest.mark.parametrize(
    ("prior", "likelihood"),
    [([1], [1]), ([0.5, 0.5], [1]), ([0.2, 0.2], [1, 1]), ([0.5, 0.5], [0, 0]), ([1.5, -0.5], [1, 1])],
)
def test_bayes_theorem_refuses_what_is_no_partition(prior: list[float], likelihood: list[float]) -> None:
    with pytest.raises(InputError):
        trace_bayes(prior, likelihood)


def test_any_event_of_a_joint_table() -> None:
    play = vaglio.datasets.load("play")
    frame = play.to_frame()
    assert trace_event(play, "play=yes").facts["probability"] == {"yes": "9/14"}
    asked = trace_event(play, "play | Humidity=HIGH, windy=false").facts["probability"]
    rows = frame[(frame["humidity"] == "high") & (frame["windy"].astype(str).str.lower() == "false")]
    expected = rows["play"].value_counts(normalize=True)
    assert {name: float(Fraction(value)) for name, value in asked.items()} == pytest.approx(expected.to_dict())
    assert trace_event(play, "outlook=sunny, play=no | windy=true").facts["probability"] == {"sunny, no": "1/6"}


@pytest.mark.parametrize(
    "event", ["", "play=maybe", "colour=red", "play | humidity", "play | outlook=overcast, play=no", "a|b|c"]
)
def test_an_event_that_cannot_be_asked_is_one_sentence(event: str) -> None:
    with pytest.raises(InputError):
        trace_event(vaglio.datasets.load("play"), event)


def test_an_event_of_columns_that_no_row_has_both_of() -> None:
    with pytest.raises(InputError, match="No row has a value in all of"):
        trace_event(pd.DataFrame({"a": ["x", None], "b": [None, "y"]}), "a=x | b=y")


@pytest.mark.parametrize(
    ("mean", "sd", "prior"), [((0, 2), (1, 1), (0.5, 0.5)), ((0, 2), (1, 2), (0.5, 0.5)), ((-1, 3), (2, 1), (0.8, 0.2))]
)
def test_the_threshold_of_least_error(
    mean: tuple[float, float], sd: tuple[float, float], prior: tuple[float, float]
) -> None:
    facts = trace_densities(mean, sd, prior).facts

    def error(t: float) -> float:
        return float(prior[0] * norm.sf(t, mean[0], sd[0]) + prior[1] * norm.cdf(t, mean[1], sd[1]))

    least = minimize_scalar(error, bounds=mean, method="bounded", options={"xatol": 1e-10})
    assert facts["best"] == pytest.approx(least.x, abs=1e-6)
    assert facts["error"] == pytest.approx(least.fun, abs=1e-12)
    assert trace_densities(mean, sd, prior, threshold=1.5).facts["error"] == pytest.approx(error(1.5))


@settings(deadline=None, max_examples=60)
@given(scores_and_classes)
def test_roc_and_lift_are_those_of_scikit_learn(rows: list[tuple[int, bool]]) -> None:
    score, positive = np.array(rows).T
    labels = np.where(positive, "P", "N")
    facts = trace_roc(labels, score).facts
    assert facts["auc"] == pytest.approx(roc_auc_score(positive, score))
    fpr, tpr, _ = roc_curve(positive, score, drop_intermediate=False)
    np.testing.assert_allclose(facts["fpr"], fpr)
    np.testing.assert_allclose(facts["tpr"], tpr)
    lift = trace_lift(labels, score, positive="P").facts
    assert lift["positives"][-1] == positive.sum()
    assert lift["random"][-1] == pytest.approx(positive.sum())


def test_every_row_is_tested_once() -> None:
    _, y = vaglio.datasets.load("play").xy("play")
    for facts in (trace_folds(y, 4).facts, trace_folds(y, leave_one_out=True).facts):
        assert sorted(row for fold in facts["test"] for row in fold) == list(range(14))
        assert all(sorted([*train, *test]) == list(range(14)) for train, test in zip(facts["train"], facts["test"]))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=3), st.integers(1, 4), st.randoms(use_true_random=False))
def test_kernels_are_dot_products(x: list[int], degree: int, random: object) -> None:
    z = [random.randint(-3, 3) for _ in x]  # type: ignore[attr-defined]
    facts = trace_kernel(x, z, kernel="poly", degree=degree).facts
    assert facts["mapped"] == pytest.approx(facts["kernel"], abs=1e-8)
    assert facts["kernel"] == (np.dot(x, z) + 1) ** degree
    gaussian = trace_kernel(x, z, kernel="rbf", sigma=2).facts
    assert gaussian["mapped"] == pytest.approx(gaussian["kernel"])
    assert gaussian["kernel"] == pytest.approx(np.exp(-np.sum((np.array(x) - z) ** 2) / 8))


def test_how_many_coefficients_a_polynomial_has() -> None:
    facts = trace_kernel(kernel="poly", degree=5, dimensions=10).facts
    assert (facts["coefficients"], facts["of_this_degree"]) == (comb(15, 5), 2002)


def test_tanh_is_not_always_a_kernel() -> None:
    assert trace_kernel([1, 0], [2, 0], kernel="sigmoid", delta=1).facts["smallest_eigenvalue"] < 0


def test_means_and_agreement_of_two_classes() -> None:
    true, predicted = ["N"] * 25 + ["P"] * 25, ["N"] * 45 + ["P"] * 5
    work = trace_metrics(true, predicted)
    assert work.facts["kappa"] == pytest.approx(cohen_kappa_score(true, predicted))
    assert work.facts["matthews"] == pytest.approx(matthews_corrcoef(true, predicted))
    shown = work.to_text()
    assert "2·P·R/(P + R) = 2·1·0.2000/(1 + 0.2000) = 0.3333" in shown
    assert "MCC = (TP·TN − FP·FN)/√" in shown
