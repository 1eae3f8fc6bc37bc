"""Rates agree with scikit-learn's on any labels: weighted, of one class, with classes that never occur."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from vaglio.evaluation import Evaluation, Rates

NAMES = ["no", "yes", "maybe", "never"]


@st.composite
def predictions(draw):
    n = draw(st.integers(1, 40))
    labels = NAMES[: draw(st.integers(1, 4))]
    pick = st.lists(st.sampled_from(labels), min_size=n, max_size=n)
    true, called = draw(pick), draw(pick)
    weight = draw(st.none() | st.lists(st.floats(0.1, 5), min_size=n, max_size=n))
    return np.array(true), np.array(called), labels, weight


@pytest.mark.slow
@given(predictions())
@settings(max_examples=60, deadline=None)
def test_agreement_with_scikit_learn(case):
    true, called, labels, weight = case
    evaluation = Evaluation.from_predictions(true, called, labels=labels, sample_weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        common = {"labels": labels, "zero_division": 0, "sample_weight": weight}
        for average in ("macro", "micro", "weighted"):
            expected = metrics.precision_recall_fscore_support(true, called, average=average, **common)[:3]
            got = [evaluation.average(name, average) for name in ("precision", "recall", "f1")]
            np.testing.assert_allclose(got, expected, atol=1e-12)
        per_class = metrics.precision_recall_fscore_support(true, called, average=None, **common)
        for column, name in zip(per_class, ("precision", "recall", "f1"), strict=False):
            np.testing.assert_allclose(evaluation.rates.of(name), column, atol=1e-12)
        kappa = metrics.cohen_kappa_score(true, called, labels=labels, sample_weight=weight)
        matthews = metrics.matthews_corrcoef(true, called, sample_weight=weight)
        accuracy = metrics.accuracy_score(true, called, sample_weight=weight)
    np.testing.assert_allclose(evaluation.accuracy.value, accuracy)
    np.testing.assert_allclose(evaluation.kappa, np.nan_to_num(kappa), atol=1e-9)
    np.testing.assert_allclose(evaluation.matthews, matthews, atol=1e-9)
    np.testing.assert_allclose(
        evaluation.confusion, metrics.confusion_matrix(true, called, labels=labels, sample_weight=weight)
    )


def test_nineteen_of_twenty_seven():
    true = np.repeat(["a", "b", "c"], 9)
    called = true.copy()
    called[:8] = "b"
    evaluation = Evaluation.from_predictions(true, called)
    assert round(evaluation.accuracy.value * 100, 2) == 70.37
    assert round(evaluation.error.value * 100, 2) == 29.63


def test_five_called_positive_and_all_right():
    evaluation = Evaluation.from_predictions([1] * 25 + [0] * 25, [1] * 5 + [0] * 45)
    assert evaluation.rate("recall").value == 0.2
    assert evaluation.rate("precision").value == 1.0
    assert evaluation.rate("fnr").value == 0.8
    assert evaluation.rate("fpr").value == 0.0
    assert evaluation.rate("tnr").value == 1.0
    assert evaluation.rate("fdr").value == 0.0


def test_kappa_reaches_minus_one_only_when_balanced():
    assert Rates(np.array([[0, 5], [5, 0]])).kappa == -1
    assert -1 < Rates(np.array([[0, 2], [8, 0]])).kappa < 0


def test_undefined_precision_warns_and_gives_the_stated_value():
    rates = Rates(np.array([[3, 0], [2, 0]]))
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 classes"):
        assert rates.of("precision").tolist() == [0.6, 0.0]
    with pytest.warns(UndefinedMetricWarning):
        assert Rates(rates.confusion, zero_division=1.0).of("precision")[1] == 1.0


def test_unknown_names_are_refused():
    rates = Rates(np.eye(2))
    with pytest.raises(ValueError, match="no rate 'sensitivity'"):
        rates.of("sensitivity")
    with pytest.raises(ValueError, match="no average"):
        rates.average("f1", "median")


def test_an_average_of_nothing_has_the_stated_value():
    rates = Rates(np.array([[0, 0], [0, 0]]), zero_division=0.5)
    assert rates.average("f1", "micro") == 0.5
    assert rates.undefined("tpr").tolist() == [True, True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rates.of("tpr", warn=False).tolist() == [0.5, 0.5]
        assert rates.average("tpr", "macro", warn=False) == 0.5
    with pytest.warns(UndefinedMetricWarning):
        rates.average("tpr", "macro")
    assert (Rates(np.eye(1)).kappa, Rates(np.eye(1)).matthews) == (0, 0)


def test_rounding_leaves_no_count_below_zero():
    rates = Rates(np.array([[0.1, 0.2], [0.3, 0.0]]) * 3)
    assert min(values.min() for values in rates.counts.values()) >= 0
    assert rates.support == pytest.approx([0.9, 0.9])
    assert rates.of("recall").tolist() == rates.of("tpr").tolist()
