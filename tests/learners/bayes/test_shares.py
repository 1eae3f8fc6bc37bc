"""Counts become shares: smoothed for prediction, as they were for drawing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio.learners.bayes.model.posterior import believed, choose, log_of, observed, smoothed, values_seen


def test_smoothing_by_hand():
    count = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(smoothed(count, 1.0), [[4 / 7, 2 / 7, 1 / 7], [1 / 3] * 3])
    np.testing.assert_allclose(smoothed(count, 0.0), [[0.75, 0.25, 0], [1 / 3] * 3])
    # Two of three values occur: they add up to one, and the third has the share of a count of zero beside them.
    np.testing.assert_allclose(smoothed(count, 0.5, values=2), [[3.5 / 5, 1.5 / 5, 0.5 / 5], [0.5] * 3])
    np.testing.assert_allclose(smoothed(count[1], 0.0, values=0), [1, 1, 1])


def test_a_class_without_values_is_like_all_together():
    count = np.array([[3.0, 1.0], [0.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(observed(count), [[0.75, 0.25], [3 / 8, 5 / 8], [0, 1]])
    np.testing.assert_allclose(observed(np.zeros((2, 4))), 0.25)
    assert [values_seen(table) for table in (count, count[1:], np.zeros((2, 4)))] == [2, 1, 1]


def test_columns_are_chosen_by_their_probability():
    rng = np.random.default_rng(0)
    rows = np.array([0, 1] * 3000)
    drawn = choose(rng, np.array([[0.2, 0.0, 0.8], [0.0, 1.0, 0.0]]), rows)
    assert set(drawn[rows == 1]) == {1}
    assert set(drawn[rows == 0]) == {0, 2}
    assert (drawn[rows == 0] == 0).mean() == pytest.approx(0.2, abs=0.03)
    # Weights need not add up to one.
    assert set(choose(rng, np.array([[0.0, 5.0]]), np.zeros(9, int))) == {1}
    assert log_of(np.array([0.0, 1.0])).tolist() == [-np.inf, 0.0]


@pytest.mark.parametrize(
    ("likelihood", "numbers"), [("gaussian", 2 * 3), ("kde", None), ("poisson", 2 * 3), ("discrete", 3 * 3)]
)
def test_the_size_of_a_model_counts_what_it_keeps(likelihood, numbers):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = pd.DataFrame({"n": rng.choice([1.0, 2.0, 5.0], 60), "w": rng.choice(list("uvxy"), 60)})
    fitted = vaglio.NaiveBayesClassifier(likelihood).fit(X, y).fitted_
    found = fitted.model.size()
    # A word has a count for each of four values and three classes.
    expected = numbers if numbers is not None else sum(len(set(X["n"][y == label])) for label in "abc")
    assert found == {"attributes": 2, "classes": 3, "numbers": expected + 12}
    assert fitted.model.likelihood_names(fitted.codebook.features) == {"n": likelihood, "w": "frequency"}


def test_a_class_without_rows_is_believed_to_be_like_all():
    count = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    for reliability in (0.25, 0.75):
        np.testing.assert_allclose(believed(count, reliability, 1.0)[1], [3 / 8, 5 / 8, 1 / 8])


def test_a_number_that_a_table_of_values_does_not_know_has_no_cell():
    X = pd.DataFrame({"n": [1.0, 2.0, 5.0] * 10})
    table = vaglio.NaiveBayesClassifier("discrete").fit(X, list("ab") * 15).fitted_.model.table
    assert [table.cell(0, value) for value in (1.0, 2.0, 5.0)] == [0, 1, 2]
    assert {table.cell(0, value) for value in (-np.inf, 0.0, 1.5, 5.5, np.inf)} == {-1}
