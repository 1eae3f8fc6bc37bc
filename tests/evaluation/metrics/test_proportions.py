from __future__ import annotations

import numpy as np
import pytest

from vaglio.errors import InputError
from vaglio.evaluation import adjust_priors, rows_in_proportion

Y = np.array(["a"] * 80 + ["b"] * 15 + ["c"] * 5)


def test_rows_in_any_proportion():
    rows = rows_in_proportion(Y, "balanced", n_rows=90)
    assert np.unique(Y[rows], return_counts=True)[1].tolist() == [30, 30, 30]
    assert len(np.unique(rows[Y[rows] == "a"])) == 30  # a large class is drawn without repetition
    assert (np.bincount(rows)[95:] == 6).all()  # a small one evenly
    lopsided = rows_in_proportion(Y, {"b": 1, "c": 3})
    assert np.unique(Y[lopsided], return_counts=True)[1].tolist() == [25, 75]
    np.testing.assert_array_equal(rows, rows_in_proportion(Y, "balanced", n_rows=90))
    for wrong in ("even", {"d": 1}, {"a": -1}, {}):
        with pytest.raises(InputError, match="proportions"):
            rows_in_proportion(Y, wrong)


def test_other_proportions_move_the_probabilities():
    p = np.array([[0.8, 0.2], [0.5, 0.5]])
    moved = adjust_priors(p, np.array([0.5, 0.5]), np.array([0.2, 0.8]))
    np.testing.assert_allclose(moved.sum(axis=1), 1)
    np.testing.assert_allclose(moved[1], [0.2, 0.8])
    with pytest.raises(InputError, match="positive"):
        adjust_priors(p, np.array([0, 1]), np.array([1, 1]))


def test_there_and_back():
    rng = np.random.default_rng(0)
    real, altered = np.array([0.9, 0.1]), np.array([0.5, 0.5])
    p = rng.dirichlet([1, 1], 20)
    np.testing.assert_allclose(adjust_priors(adjust_priors(p, real, altered), altered, real), p)


def test_rows_are_drawn_by_the_seed_and_as_many_as_there_are():
    rows = rows_in_proportion(Y)
    assert len(rows) == len(Y)
    assert (np.diff(rows) >= 0).all()
    assert rows.tolist() == rows_in_proportion(Y, seed=0).tolist() != rows_in_proportion(Y, seed=1).tolist()
    # Rounding loses no row and adds none.
    assert len(rows_in_proportion(Y, {"a": 1, "b": 1, "c": 1}, n_rows=10)) == 10
    with pytest.raises(InputError, match="proportions"):
        rows_in_proportion(Y, {"a": 0, "b": 0})
    assert set(Y[rows_in_proportion(Y, {"a": 0, "b": 1})]) == {"b"}


def test_only_the_ratios_of_proportions_count():
    p = np.random.default_rng(1).dirichlet([1, 1, 1], 5)
    trained, real = np.array([1.0, 2, 3]), np.array([5.0, 1, 0])
    moved = adjust_priors(p, trained, real)
    expected = p * real / trained
    np.testing.assert_allclose(moved, expected / expected.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(adjust_priors(p, 7 * trained, 9 * real), moved)
    # Where only a class that does not occur was probable, all are equally so.
    np.testing.assert_allclose(adjust_priors(np.array([[0, 0, 1.0]]), trained, real), 1 / 3)
    for wrong in ((np.array([1, 1, 0]), real), (trained, np.array([1, 1, -1]))):
        with pytest.raises(InputError, match="non-negative"):
            adjust_priors(p, *wrong)
