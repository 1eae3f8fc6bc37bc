from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from vaglio.errors import InputError
from vaglio.evaluation.comparison.significance import (
    Contrast,
    corrected_interval,
    friedman_nemenyi,
    holm,
    mcnemar,
    nadeau_bengio,
)


def test_the_correction_by_hand():
    a, b = np.array([0.9, 0.8, 0.85, 0.9]), np.array([0.8, 0.75, 0.8, 0.82])
    d = a - b
    expected = d.mean() / np.sqrt((1 / 4 + 10 / 90) * d.var(ddof=1))
    t, p = nadeau_bengio(a, b, n_train=90, n_test=10)
    assert t == pytest.approx(expected)
    assert 0 < p < 0.05
    assert nadeau_bengio(a, a, n_train=90, n_test=10) == (0.0, 1.0)
    assert nadeau_bengio([1, 1], [0, 0], n_train=9, n_test=1)[1] == 0
    # One row in each of five folds of 69: the plain test is certain, the rows are too few to tell.
    a, b = np.full(5, 67 / 69) + 1e-9 * np.arange(5), np.full(5, 66 / 69)
    assert nadeau_bengio(a, b, n_train=275, n_test=69)[1] < 1e-6
    assert nadeau_bengio(a, b, n_train=275, n_test=69, shares=True)[1] > 0.1
    with pytest.raises(InputError, match="two folds"):
        nadeau_bengio([1], [0], n_train=9, n_test=1)


def test_it_rarely_calls_chance_a_difference():
    rng = np.random.default_rng(0)
    alarms = sum(
        nadeau_bengio(*rng.binomial(30, 0.8, size=(2, 10)) / 30, n_train=270, n_test=30)[1] < 0.05 for _ in range(200)
    )
    assert alarms <= 10


def test_folds_that_agree_are_no_certainty():
    """A learner that predicts one class is equally good in all stratified folds, and not on all tables."""
    difference = np.tile([1.0, 1.0, -1.0, 0.0, 0.0, 0.0], 10)
    alike = Contrast.of_rows(difference, np.full(10, 1 / 6), n_train=54, n_test=6)
    assert nadeau_bengio(np.full(10, 1 / 6) + 1e-9 * np.arange(10), np.zeros(10), n_train=54, n_test=6)[1] < 1e-6
    assert alike.p > 0.05
    # Folds that vary more than their rows do come from models that differ.
    apart = np.array([1, -1] * 5) * 0.6 + 1 / 6
    assert Contrast.of_rows(difference, apart, n_train=54, n_test=6).error > 1.5 * alike.error
    assert Contrast.of_rows(0 * difference, np.zeros(10), n_train=54, n_test=6).p == 1
    assert Contrast.of_rows(0 * difference + 1, np.ones(10), n_train=54, n_test=6).p == 0


def test_a_row_that_is_tested_again_is_no_further_row():
    rng = np.random.default_rng(0)
    difference, folds = rng.integers(-1, 2, 60).astype(float), np.repeat(np.arange(10), 6)
    of_folds = np.array([difference[folds == k].mean() for k in range(10)])
    once = Contrast.of_rows(difference, of_folds, n_train=54, n_test=6)
    again = Contrast.of_rows(
        np.tile(difference, 5), np.tile(of_folds, 5), n_train=54, n_test=6, rows=np.tile(np.arange(60), 5)
    )
    assert again.mean == pytest.approx(once.mean)
    assert again.freedom == once.freedom
    assert again.error == pytest.approx(once.error, rel=0.05)


def test_mcnemar_counts_only_where_they_differ():
    y = np.zeros(30)
    a, b = y.copy(), y.copy()
    b[:10] = 1
    assert mcnemar(y, a, b)[:2] == (10, 0)
    assert mcnemar(y, a, b)[2] == pytest.approx(2 / 2**10)
    assert mcnemar(y, a, a) == (0, 0, 1.0)


def test_holm_never_lowers_and_keeps_the_order():
    p = np.array([0.01, 0.5, 0.02, 0.9])
    raised = holm(p)
    assert (raised >= p).all()
    np.testing.assert_allclose(raised, [0.04, 1, 0.06, 1])
    assert holm([]).size == 0


def test_friedman_and_nemenyi():
    rng = np.random.default_rng(1)
    table = rng.random((12, 4)) + np.array([0.6, 0.3, 0, 0])
    result = friedman_nemenyi(dict(zip("abcd", table.T, strict=True)))
    expected = friedmanchisquare(*table.T)
    assert (result.statistic, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    # Demšar's table: q(0.05, 4) = 2.569.
    assert result.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 12)), abs=1e-3)
    assert result.differ("a", "d")
    assert not result.differ("c", "d")
    assert friedman_nemenyi({"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 1, 1]}).p_value == 1
    assert friedman_nemenyi({"a": [1, 1, 1, 1, 1, 1], "b": [0, 0, 0, 0, 0, 0]}).p_value < 0.05
    with pytest.raises(InputError, match="at least two"):
        friedman_nemenyi({"a": [1, 2]})


def test_intervals_of_folds():
    interval = corrected_interval(np.array([0.8, 0.9, 0.85]), n_train=80, n_test=40)
    assert interval.low < 0.85 < interval.high
    assert np.isnan(corrected_interval(np.array([0.8]), n_train=1, n_test=1).low)
