"""The tree grower against small truths and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio import _core

from .tree_rows import C45, Rows, equal_trees, grow, mixed_rows


def test_ranks_name_the_distinct_values():
    X = np.array([[2.0, -0.0], [np.nan, 0.0], [-1.5, np.inf], [2.0, -np.inf]])
    ranks, firsts = _core.rank_columns(X)
    assert ranks.flags.f_contiguous
    np.testing.assert_array_equal(firsts[0], [2, 0])
    np.testing.assert_array_equal(firsts[1], [3, 0, 2])
    np.testing.assert_array_equal(ranks, [[1, 1], [0xFFFFFFFF, 1], [0, 2], [1, 0]])


@pytest.mark.parametrize("shape", [(0, 3), (5, 0), (3000, 7)])
@pytest.mark.parametrize("order", "CF")
def test_ranks_agree_with_numpy(shape, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=shape).round(2), order=order)
    ranks, firsts = _core.rank_columns(X, n_threads=2)
    for j in range(shape[1]):
        _, first, inverse = np.unique(X[:, j], return_index=True, return_inverse=True)
        np.testing.assert_array_equal(firsts[j], first)
        np.testing.assert_array_equal(ranks[:, j], inverse)


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["fractional", "learned", "own_branch"])
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
    inner = np.flatnonzero(tree.first_child >= 0)
    children = np.concatenate([tree.first_child[i] + np.arange(tree.n_children[i]) for i in inner])
    np.testing.assert_array_equal(np.sort(children), np.arange(1, len(tree.kind)))
    assert (tree.first_child[inner] > inner).all()


def test_a_table_without_a_useful_split_is_one_leaf():
    for rows, y in [
        (Rows([[1.0]]), [0]),
        (Rows([[1.0], [1.0]]), [0, 1]),
        (Rows([[np.nan], [np.nan]]), [0, 1]),
        (Rows([[1.0], [2.0]]), [1, 1]),
        (Rows(codes=[[-1], [0]], n_categories=[3]), [0, 1]),
    ]:
        tree = grow(rows, y, 2, **C45)
        assert len(tree.kind) == 1
        assert tree.first_child[0] == -1
        assert tree.value.sum() == len(y)


def test_prediction_sums_the_shares_of_the_leaves():
    rows, y = mixed_rows(np.random.default_rng(4))
    tree = grow(rows, y, 3, **C45)
    predictor = rows.predictor(tree)
    fractions = tree.value / tree.value.sum(axis=1, keepdims=True)
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


def test_a_monotonic_feature_gives_monotonic_predictions():
    rng = np.random.default_rng(5)
    X = rng.random((400, 2))
    noisy = np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=400)
    grid = np.repeat(np.linspace(0, 1, 60), 5)
    probe = Rows(np.column_stack([grid, np.tile(np.linspace(0, 1, 5), 60)]))
    for y, n_classes, criterion in [(noisy, 0, "squared_error"), ((noisy > 0.2).astype(int), 2, "gini")]:
        for sign in (1, -1):
            tree = grow(Rows(X), y, n_classes, criterion=criterion, monotonic=[sign, 0], min_rows_leaf=5.0)
            value = tree.value[:, 0] if n_classes == 0 else tree.value[:, 1] / tree.value.sum(axis=1)
            predicted = value[probe.apply(tree)].reshape(60, 5)
            assert (sign * np.diff(predicted, axis=0) >= -1e-12).all()
            assert len(tree.kind) > 5


def test_random_thresholds_separate_and_repeat():
    rows, y = mixed_rows(np.random.default_rng(6), missing=0.0)
    config = {"criterion": "gini", "random_thresholds": True, "require_positive_gain": False}
    first, again = grow(rows, y, 3, seed=1, **config), grow(rows, y, 3, seed=1, n_threads=3, **config)
    equal_trees(first, again)
    assert not np.array_equal(first.threshold, grow(rows, y, 3, seed=2, **config).threshold)
    leaf = rows.apply(first)
    weight = np.bincount(leaf, minlength=len(first.kind))
    reached = first.first_child < 0
    np.testing.assert_array_equal(weight[reached], first.weight[reached])


def test_bins_are_as_good_as_exact_when_there_are_enough():
    rows, y = mixed_rows(np.random.default_rng(7))
    equal_trees(grow(rows, y, 3, criterion="gini"), grow(rows, y, 3, criterion="gini", max_bins=20))
    X = np.random.default_rng(8).normal(size=(500, 3))
    tree = grow(Rows(X), (X[:, 0] > 0).astype(int), 2, criterion="gini", max_bins=4)
    thresholds = {(f, t) for f, t in zip(tree.feature, tree.threshold) if f >= 0}
    assert all(sum(f == g for g, _ in thresholds) <= 3 for f, _ in thresholds)
    assert tree.weight[tree.first_child < 0].sum() == 500


def test_a_chosen_number_of_features_still_finds_a_usable_one():
    rng = np.random.default_rng(9)
    X = np.zeros((60, 10))
    X[:, 7] = rng.random(60)
    tree = grow(Rows(X), (X[:, 7] > 0.5).astype(int), 2, criterion="gini", max_features=2, seed=3)
    np.testing.assert_array_equal(tree.feature, [7, -1, -1])


def test_an_insignificant_split_is_not_made():
    y = np.array([0, 1] * 20)
    X = np.arange(40.0)[:, None]
    assert len(grow(Rows(X), y, 2, criterion="gain").kind) > 1
    assert len(grow(Rows(X), y, 2, criterion="gain", chi2_alpha=0.01).kind) == 1
    clear = (X[:, 0] > 20).astype(int)
    assert len(grow(Rows(X), clear, 2, criterion="gain", chi2_alpha=0.01).kind) == 3


def test_ten_thousand_categories():
    rng = np.random.default_rng(10)
    codes = rng.integers(0, 10_000, (30_000, 1))
    y = (codes[:, 0] % 3).astype(int)
    rows = Rows(codes=codes, n_categories=[10_000])
    tree = grow(rows, y, 3, criterion="gini", nominal_split="subset")
    np.testing.assert_array_equal(tree.value[rows.apply(tree)].argmax(1), y)
    multiway = grow(rows, y, 3, criterion="gain", nominal_split="multiway")
    np.testing.assert_array_equal(multiway.value[rows.apply(multiway)].argmax(1), y)


def test_a_nominal_feature_is_tested_once_on_a_path_when_asked():
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 6, (300, 2))
    y = ((codes[:, 0] > 2) ^ (rng.random(300) < 0.3)).astype(int)
    rows = Rows(codes=codes, n_categories=[6, 6])
    tree = grow(rows, y, 2, criterion="gini", nominal_split="subset", reuse_nominal=False)
    for node in np.flatnonzero(tree.first_child >= 0):
        children = tree.first_child[node] + np.arange(tree.n_children[node])
        assert tree.feature[node] not in tree.feature[children]
