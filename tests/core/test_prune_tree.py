"""Pruning kernels against hand cases and scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.tables import PLAY

from vaglio import _core

from .tree_rows import C45, Rows, equal_trees, grow, mixed_rows


def n_leaves(tree):
    return int(((tree.first_child < 0) & (tree.weight > 0)).sum())


def test_error_based_pruning_keeps_all_weight():
    rows, y = mixed_rows(np.random.default_rng(3))
    tree = grow(rows, y, 3, **C45)
    pruned = grow(rows, y, 3, **C45, pruning="error_based")
    assert n_leaves(pruned) < n_leaves(tree)
    for t in (tree, pruned):
        assert t.weight[t.first_child < 0].sum() == pytest.approx(len(y))
        inner = np.flatnonzero(t.first_child >= 0)
        for i in inner:
            children = t.value[t.first_child[i] :][: t.n_children[i]]
            reached = t.weight[t.first_child[i] :][: t.n_children[i]] > 0
            np.testing.assert_allclose(children[reached].sum(axis=0), t.value[i], atol=1e-9)


def test_error_based_pruning_without_raising_is_a_subset_of_the_tree():
    rows, y = mixed_rows(np.random.default_rng(5))
    tree = grow(rows, y, 3, **C45)
    pruned = grow(rows, y, 3, **C45, pruning="error_based", subtree_raising=False)
    seen = {(f, t, *v) for f, t, v in zip(tree.feature, tree.threshold, tree.value)}
    inner = pruned.first_child >= 0
    assert {(f, t, *v) for f, t, v in zip(pruned.feature[inner], pruned.threshold[inner], pruned.value[inner])} <= seen


def test_pessimistic_pruning_keeps_a_tie():
    outlook, label = (pd.factorize(PLAY[name])[0] for name in ("outlook", "class"))
    rows = Rows(codes=outlook[:, None], n_categories=[3])
    config = {"criterion": "gain", "nominal_split": "multiway", "missing": "fractional"}
    assert n_leaves(grow(rows, label, 2, **config)) == 3
    # Outlook: 4 errors in 3 leaves against 5 in one: 5.5 on either side with epsilon 1/2.
    assert n_leaves(grow(rows, label, 2, **config, pruning="pessimistic", epsilon=0.5)) == 3
    assert n_leaves(grow(rows, label, 2, **config, pruning="pessimistic", epsilon=0.51)) == 1


def test_reduced_error_pruning_cuts_what_does_not_hold_elsewhere():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = (X[:, 0] > 0.5).astype(np.int64)
    noisy = np.where(rng.random(300) < 0.2, 1 - y, y)
    tree = grow(Rows(X), noisy, 2, criterion="gini")
    assert n_leaves(tree) > 10
    fresh = rng.random((500, 3))
    true = (fresh[:, 0] > 0.5).astype(np.int64)
    errors = _core.validation_errors(tree, Rows(fresh).table(), true, 2, None, float(len(true)))
    half = len(true) // 2
    parts = [
        _core.validation_errors(tree, Rows(fresh[at]).table(), true[at], 2, None, float(len(true)))
        for at in (slice(half), slice(half, None))
    ]
    assert np.array_equal(parts[0] + parts[1], errors)
    pruned = _core.prune_reduced_error(tree, errors)
    # No single cut of the pruned tree lowers the error on the validation rows.
    leaf = Rows(fresh).apply(pruned)
    before = (pruned.value[leaf].argmax(1) != (fresh[:, 0] > 0.5)).sum()
    assert before <= 15
    assert n_leaves(pruned) < n_leaves(tree) / 2


@pytest.mark.parametrize("regression", [False, True])
def test_cost_complexity_path_is_that_of_scikit_learn(regression):
    rng = np.random.default_rng(1)
    X = rng.random((200, 4)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] > 1) * 1.0 + (rng.random(200) < 0.1)
    if regression:
        y = y + rng.normal(size=200)
        peer = DecisionTreeRegressor(min_samples_leaf=2, random_state=0)
        tree = grow(Rows(X), y, 0, criterion="squared_error", min_rows_leaf=2.0, require_positive_gain=False)
    else:
        peer = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
        tree = grow(Rows(X), y, 3, criterion="gini", min_rows_leaf=2.0, require_positive_gain=False)
    path = peer.cost_complexity_pruning_path(X, y)
    alphas, risks, leaves = _core.cost_complexity_path(tree)
    assert alphas[-1] == pytest.approx(path.ccp_alphas[-1])
    assert risks[-1] == pytest.approx(path.impurities[-1])
    assert leaves[0] == n_leaves(tree)
    assert leaves[-1] == 1
    assert (np.diff(leaves) < 0).all()
    assert (np.diff(alphas) >= -1e-12).all()
    for alpha in (alphas[len(alphas) // 2] + 1e-9, alphas[-3] + 1e-9):
        pruned = _core.prune_cost_complexity(tree, alpha)
        assert n_leaves(pruned) == peer.set_params(ccp_alpha=alpha).fit(X, y).get_n_leaves()
        assert n_leaves(pruned) == leaves[alphas <= alpha][-1]


@pytest.mark.parametrize(("risk", "missing"), [("impurity", "fractional"), ("error", "learned")])
def test_every_tree_of_the_path_is_what_its_alpha_prunes_to(risk, missing):
    rows, y = mixed_rows(np.random.default_rng(4), n=800)
    tree = grow(rows, y, 3, criterion="gini", nominal_split="multiway", missing=missing)
    alphas, _, leaves = _core.cost_complexity_path(tree, risk)
    every = np.arange(len(tree.feature), dtype=np.int32)
    standing = _core.standing_nodes(tree, every, alphas, risk)
    for at, (alpha, expected) in enumerate(zip(alphas, leaves)):
        pruned = _core.prune_cost_complexity(tree, alpha, risk)
        assert n_leaves(pruned) == expected or at == 0  # at no price, what removes no risk is cut
        stand = standing[at]
        # Those that stand for themselves are the nodes of the pruned tree, and others stand where they are a leaf.
        assert len(pruned.feature) == (stand == every).sum()
        assert np.array_equal(np.sort(pruned.weight), np.sort(tree.weight[stand == every]))
        assert (stand[stand] == stand).all()
        if missing == "learned":  # else the heaviest leaf of a row need not be below its heaviest one here
            assert np.array_equal(pruned.value[rows.apply(pruned)], tree.value[stand[rows.apply(tree)]])


def chain(impurity):
    """A tree of which every inner node has a leaf on the left and the next inner node on the right."""
    depth = len(impurity)
    inner = np.arange(0, 2 * depth, 2)
    n = 2 * depth + 1
    first = np.full(n, -1, np.int32)
    first[inner] = inner + 1
    weight = np.ones(n)
    weight[inner] = np.arange(depth, 0, -1) + 1.0
    every_impurity = np.zeros(n)
    every_impurity[inner] = impurity
    leaf = first < 0
    return _core.TreeArrays(
        kind=(~leaf).astype(np.uint8),
        feature=np.where(leaf, -1, 0).astype(np.int32),
        threshold=np.zeros(n),
        first_child=first,
        n_children=np.where(leaf, 0, 2).astype(np.int32),
        missing_branch=np.full(n, -1, np.int32),
        table_start=np.full(n, -1, np.int64),
        tables=np.empty(0, np.uint32),
        value=np.stack([weight, np.zeros(n)], axis=1),
        weight=weight,
        impurity=every_impurity,
        gain=np.zeros(n),
        strict=False,
        linear_start=np.empty(0, np.int64),
        linear_feature=np.empty(0, np.int32),
        linear_coef=np.empty(0),
    )


def test_cost_complexity_of_a_chain():
    depth = 100_000
    impurity = np.random.default_rng(0).uniform(0.2, 0.5, depth)
    tree = chain(impurity)
    alphas, risks, leaves = _core.cost_complexity_path(tree)
    # The leaves are pure: the first cut is at the least of R(node) over the leaves saved, counted from the bottom.
    risk = impurity * np.arange(depth + 1, 1, -1) / (depth + 1)
    assert alphas[1] == pytest.approx((risk / np.arange(depth, 0, -1)).min())
    assert (leaves[0], leaves[-1]) == (depth + 1, 1)
    assert risks[-1] == pytest.approx(impurity[0])
    assert (np.diff(alphas) > 0).all()


def test_error_based_pruning_is_the_same_for_any_number_of_threads():
    rows, y = mixed_rows(np.random.default_rng(6), n=3000)
    one = grow(rows, y, 3, **C45, pruning="error_based")
    for n_threads in (2, 5):
        equal_trees(one, grow(rows, y, 3, n_threads=n_threads, **C45, pruning="error_based"))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.6, 1.0])
def test_pessimistic_pruning_of_a_chain_follows_the_formula(epsilon):
    # Labels that take turns: every split cuts off one row at an end, and the tree is a chain of five thousand tests.
    n = 5001
    rows, y = Rows(np.arange(float(n))[:, None]), np.arange(n) % 2
    tree = grow(rows, y, 2, criterion="gini")
    depth = np.zeros(len(tree.first_child), dtype=int)
    for node in np.flatnonzero(tree.first_child >= 0):
        depth[tree.first_child[node] :][: tree.n_children[node]] = depth[node] + 1
    assert depth.max() == n - 1

    # Prune where (errors of the leaves + k·epsilon) / N > (errors of the node + epsilon) / N, from the leaves up.
    cost = tree.value.sum(axis=1) - tree.value.max(axis=1) + epsilon
    leaves = np.ones(len(cost), dtype=int)
    for node in np.flatnonzero(tree.first_child >= 0)[::-1]:
        below = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        if cost[below].sum() <= cost[node] + 1e-9:
            cost[node], leaves[node] = cost[below].sum(), leaves[below].sum()
    assert leaves[0] == {0.0: n, 0.5: n, 0.6: 1, 1.0: 1}[epsilon]
    assert n_leaves(grow(rows, y, 2, criterion="gini", pruning="pessimistic", epsilon=epsilon)) == leaves[0]
