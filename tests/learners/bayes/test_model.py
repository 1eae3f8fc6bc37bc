"""Bayes models: from counts to shares and posteriors, draws from what they know, and files with hostile numbers."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp

import vaglio
from vaglio.encode import EncodedMatrix
from vaglio.errors import ModelFileError
from vaglio.learners.bayes.model.bins import NO_QUANTILES, joined
from vaglio.learners.bayes.model.count_bayes import binarized
from vaglio.learners.bayes.model.posterior import BayesModel, believed, choose, log_of, observed, smoothed, values_seen
from vaglio.table import Column


@dataclass(frozen=True, eq=False)
class Given(BayesModel):
    """A model whose logarithms are the numbers of the rows."""

    prior: np.ndarray

    def joint_log_likelihood(self, matrix):
        return matrix.numeric


@pytest.mark.parametrize(
    "joint",
    [
        [[-1.0, -2.0, -3.0], [-3.0, -2.0, -1.0]],
        [[-2.0, -1.0, -1.0], [-1.0, -2.0, -3.0]],
        [[-1e5, np.nextafter(-1e5, 0), -2e5]],
        [[-0.7, np.nextafter(-0.7, 0), np.nextafter(-0.7, -1)]],
        [[-np.inf, -np.inf, -np.inf], [-1.0, -np.inf, -0.5]],
        [[np.nan, -1.0, -2.0], [np.inf, -1.0, np.inf]],
        np.empty((0, 3)),
    ],
    ids=["clear", "tie", "near", "nearer", "ruled out", "no number", "no rows"],
)
def test_codes_follow_the_probabilities(joint):
    model, rows = Given(np.array([0.2, 0.5, 0.3])), EncodedMatrix.from_arrays(joint)
    expected = model.predict_proba(rows).argmax(axis=1)
    np.testing.assert_array_equal(model.predict_codes(rows), expected)
    codes, probability = model.predict_codes_and_proba(rows)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(probability, model.predict_proba(rows))


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "threads"), [(1, 1), (2, 3), (100, 2)])
def test_only_rows_without_a_clear_class_are_decided_by_probabilities(classes, threads):
    rng = np.random.default_rng(classes)
    joint = np.round(rng.normal(size=(40_000, classes)), 1)  # many ties
    joint[rng.random(joint.shape) < 0.01] = -np.inf
    model, rows = Given(np.full(classes, 1 / classes)), EncodedMatrix.from_arrays(joint)
    rows.threads = threads
    np.testing.assert_array_equal(model.predict_codes(rows), model.predict_proba(rows).argmax(axis=1))


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


def test_without_quantiles_a_number_lies_anywhere_in_its_interval():
    points = np.array([0.0, 1.0, 5.0])
    cells = np.repeat([0, 1], 500)
    drawn = NO_QUANTILES.draw(0, np.zeros(1000, int), cells, points, np.random.default_rng(0))
    for cell in (0, 1):
        low, high = points[cell], points[cell + 1]
        own = drawn[cells == cell]
        assert own.min() >= low
        assert own.max() <= high
        assert own.mean() == pytest.approx((low + high) / 2, abs=0.2)
    assert NO_QUANTILES.clipped(0, drawn) is drawn


def test_a_class_without_rows_in_an_interval_draws_as_another_class_does():
    empty = np.empty(0)
    some = np.array([0.0, 0.5, 1.0]), np.array([1.0, 2.0, 4.0])
    other = np.array([0.0, 1.0]), np.array([6.0, 8.0])
    quantiles = joined({2: [some, (empty, empty), other]}, {}, 3)
    points = np.array([0.0, 5.0, 9.0])
    rng = np.random.default_rng(0)
    assert [part.tolist() for part in quantiles.knots(2, 0)] == [[0, 0.5, 1], [1, 2, 4]]
    low = quantiles.draw(2, np.array([0, 1, 2] * 200), np.zeros(600, int), points, rng)
    assert low.min() >= 1
    assert low.max() <= 4
    high = quantiles.draw(2, np.array([0, 1, 2] * 200), np.ones(600, int), points, rng)
    assert high.min() >= 6
    assert high.max() <= 8
    assert (low < 2).mean() == pytest.approx(0.5, abs=0.06)
    assert quantiles.clipped(2, np.array([0.0, 3.0, 99.0])).tolist() == [1, 3, 8]
    nowhere = quantiles.draw(2, np.zeros(50, int), np.zeros(50, int), np.array([9.0, 10.0, 11.0]), rng)
    assert nowhere.min() >= 9
    assert nowhere.max() <= 10


@pytest.mark.parametrize("threshold", [None, -1.0, 0.0, 1.0])
def test_values_above_a_threshold_dense_and_sparse(threshold):
    values = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 3.0]])
    expected = values if threshold is None else (values > threshold).astype(float)
    for form in (values, sp.csr_array(values)):
        found = binarized(form, threshold)
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)
    assert sp.issparse(binarized(sp.csr_array(values), 0.0))


ESTIMATORS = [
    vaglio.NaiveBayesClassifier({"bill_length_mm": "kde", "body_mass_g": "gaussian"}),
    vaglio.GaussianMixtureClassifier(2),
    vaglio.JointBayesClassifier(),
    vaglio.BayesianNetworkClassifier(),
    vaglio.MultinomialNB(),
    vaglio.BernoulliNB(),
]
# What the reader of a file takes for damage.
REFUSED = (ModelFileError, ArithmeticError, IndexError, KeyError, MemoryError, TypeError, ValueError)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_any_number_changed(estimator: Any) -> None:
    table, y = vaglio.datasets.load("penguins").xy("species")
    table, y = table[::8], y[::8]
    if not isinstance(estimator, (vaglio.JointBayesClassifier, vaglio.BayesianNetworkClassifier)):
        table = table.with_column(Column.text("note", ["some words" if i % 3 else "others" for i in range(len(table))]))
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = estimator.fit(table, y).fitted_
        rows = fitted.codebook.encode(table[:5])
        for _ in range(150):
            arrays, meta = _damaged(fitted.model, rng)
            try:
                model = type(fitted.model).from_state(arrays, meta, fitted.codebook.features, len(fitted.classes))
            except REFUSED:
                continue
            assert not np.isnan(model.predict_proba(rows)).any()
            model.draw(np.zeros(2, dtype=np.int64), np.random.default_rng(0))


def _damaged(model: Any, rng: np.random.Generator) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays, meta = model.state()
    arrays = {name: np.array(value) for name, value in arrays.items()}
    meta = json.loads(json.dumps(meta))
    name = rng.choice(sorted(arrays))
    value = arrays[name]
    way = rng.integers(5)
    if way < 3 and value.size:
        strange = [-1, 0, 10**6, 2**31 - 1] if value.dtype.kind in "iu" else [np.nan, np.inf, -1, 0, 1e308, 1e-308]
        value[tuple(rng.integers(side) for side in value.shape)] = rng.choice(strange)
    elif way == 3:
        arrays[name] = value[:-1] if len(value) else np.zeros((1, *value.shape[1:]), value.dtype)
    else:
        number = float(rng.choice([-1.0, 1e308]))
        meta = {key: number if isinstance(old, (int, float)) else old for key, old in meta.items()}
    return arrays, meta
