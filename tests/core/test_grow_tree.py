"""The tree grower against small truths and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import _core

from .tree_rows import C45, Rows, equal_trees, grow, mixed_rows


def test_ranks_name_the_distinct_values():
    X = np.array([[2.0, -0.0], [np.nan, 0.0], [-1.5, np.inf], [2.0, -np.inf]])
    ranks, values = _core.rank_columns(X)
    assert ranks.flags.f_contiguous
    np.testing.assert_array_equal(values[0], [-1.5, 2.0])
    np.testing.assert_array_equal(values[1], [-np.inf, 0.0, np.inf])
    np.testing.assert_array_equal(ranks, [[1, 1], [0xFFFFFFFF, 1], [0, 2], [1, 0]])


@pytest.mark.parametrize("shape", [(0, 3), (5, 0), (3000, 7)])
@pytest.mark.parametrize("order", "CF")
def test_ranks_agree_with_numpy(shape, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=shape).round(2), order=order)
    ranks, values = _core.rank_columns(X, n_threads=2)
    for j in range(shape[1]):
        distinct, inverse = np.unique(X[:, j], return_inverse=True)
        np.testing.assert_array_equal(values[j], distinct)
        np.testing.assert_array_equal(ranks[:, j], inverse)


@pytest.mark.parametrize("missing", ["fractional", "learnt", "own_branch"])
@pytest.mark.parametrize("nominal_split", ["multiway", "subset"])
@pytest.mark.parametrize("criterion", ["gain", "gain_ratio", "gini", "error"])
def test_the_tree_is_the_same_for_any_number_of_threads(criterion, nominal_split, missing):
    rows, y = mixed_rows(np.random.default_rng(1), n=3000)
    config = {"criterion": criterion, "nominal_split": nominal_split, "missing": missing}
    one = grow(rows, y, 3, min_rows_leaf=5.0, **config)
    for n_threads in (2, 7):
        equal_trees(one, grow(rows, y, 3, n_threads=n_threads, min_rows_leaf=5.0, **config))


def test_siblings_are_contiguous_and_follow_their_parent():
    rows, y = mixed_rows(np.random.default_rng(2))
    tree = grow(rows, y, 3, **C45)
    inner = np.flatnonzero(tree["first_child"] >= 0)
    children = np.concatenate([tree["first_child"][i] + np.arange(tree["n_children"][i]) for i in inner])
    np.testing.assert_array_equal(np.sort(children), np.arange(1, len(tree["kind"])))
    assert (tree["first_child"][inner] > inner).all()


def test_a_table_without_a_useful_split_is_one_leaf():
    for rows, y in [
        (Rows([[1.0]]), [0]),
        (Rows([[1.0], [1.0]]), [0, 1]),
        (Rows([[np.nan], [np.nan]]), [0, 1]),
        (Rows([[1.0], [2.0]]), [1, 1]),
        (Rows(codes=[[-1], [0]], n_categories=[3]), [0, 1]),
    ]:
        tree = grow(rows, y, 2, **C45)
        assert len(tree["kind"]) == 1
        assert tree["first_child"][0] == -1
        assert tree["value"].sum() == len(y)


def test_prediction_sums_the_shares_of_the_leaves():
    rows, y = mixed_rows(np.random.default_rng(4))
    tree = grow(rows, y, 3, **C45)
    predictor = rows.predictor(tree)
    fractions = tree["value"] / tree["value"].sum(axis=1, keepdims=True)
    proba = predictor.predict(rows.numeric, rows.codes, fractions)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    complete = ~np.isnan(rows.numeric).any(axis=1) & (rows.codes >= 0).all(axis=1)
    leaf = predictor.apply(rows.numeric, rows.codes)
    np.testing.assert_array_equal(proba[complete], fractions[leaf[complete]])
    indptr, indices = predictor.decision_path(rows.numeric, rows.codes)
    for row in np.flatnonzero(complete)[:20]:
        path = indices[indptr[row] : indptr[row + 1]]
        assert path[0] == 0
        assert path[-1] == leaf[row]
