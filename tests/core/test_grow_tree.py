"""The tree grower against small truths and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import _core

C45 = {
    "criterion": "gain_ratio",
    "nominal_split": "multiway",
    "missing": "fractional",
    "mdl_correction": True,
    "c45_numeric_minimum": True,
    "min_rows_leaf": 2.0,
}


class Rows:
    """Rows in the two blocks the kernels take, numeric features first."""

    def __init__(self, numeric=None, codes=None, n_categories=()):
        n = len(numeric) if numeric is not None else len(codes)
        self.numeric = np.ascontiguousarray(np.empty((n, 0)) if numeric is None else numeric, dtype=float)
        self.codes = np.asfortranarray(np.empty((n, 0)) if codes is None else codes, dtype=np.int32)
        p, q = self.numeric.shape[1], self.codes.shape[1]
        self.n_categories = np.array(n_categories, dtype=np.uint32)
        self.nominal = np.array([0] * p + [1] * q, dtype=np.uint8)
        self.column = np.array([*range(p), *range(q)], dtype=np.uint32)

    def table(self):
        ranks, values = _core.rank_columns(self.numeric)
        return _core.TreeTable(ranks, values, self.codes, self.n_categories, self.nominal, self.column)

    def predictor(self, tree):
        return _core.TreePredictor(tree, self.nominal, self.column, self.n_categories)


def grow(rows, y, n_classes, n_threads=1, weight=None, **config):
    return _core.grow_tree(
        rows.table(),
        np.asarray(y, np.int64 if n_classes else float),
        n_classes,
        weight=weight,
        config=config,
        n_threads=n_threads,
    )


def mixed_rows(rng, n=400, missing=0.1):
    numeric = rng.integers(0, 20, (n, 4)).astype(float)
    numeric[rng.random((n, 4)) < missing] = np.nan
    codes = rng.integers(0, 5, (n, 3))
    y = (np.nan_to_num(numeric[:, 0]) > 9) + (codes[:, 1] == 2)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    codes[rng.random((n, 3)) < missing] = -1
    return Rows(numeric, codes, [5, 5, 5]), y


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
        many = grow(rows, y, 3, n_threads=n_threads, min_rows_leaf=5.0, **config)
        for name, array in one.items():
            np.testing.assert_array_equal(array, many[name], err_msg=name)


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


def test_pruning_never_adds_leaves_and_keeps_all_weight():
    rows, y = mixed_rows(np.random.default_rng(3))
    tree = grow(rows, y, 3, **C45)
    pruned = _core.prune_error_based(tree, rows.table(), y.astype(np.int64), 3)
    leaves = [(t["first_child"] < 0) & (t["weight"] > 0) for t in (tree, pruned)]
    assert leaves[1].sum() < leaves[0].sum()
    for t, leaf in zip((tree, pruned), leaves):
        assert t["weight"][leaf].sum() == pytest.approx(len(y))


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
