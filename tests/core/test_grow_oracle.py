"""The grower against exhaustive search and against scikit-learn's trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .tree_oracle import Oracle
from .tree_rows import Rows, arrays_of, equal_trees, grow


@st.composite
def tables(draw):
    """Small tables with numeric and nominal features, missing values and, at times, weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 24))
    numeric = rng.integers(0, draw(st.integers(1, 8)), (n, draw(st.integers(0, 2)))).astype(float)
    codes = rng.integers(0, 4, (n, draw(st.integers(0 if numeric.shape[1] else 1, 2))))
    share = draw(st.sampled_from([0.0, 0.2]))
    numeric[rng.random(numeric.shape) < share] = np.nan
    codes[rng.random(codes.shape) < share] = -1
    weight = draw(st.sampled_from([None, "real", "whole"]))
    if weight is not None:
        weight = rng.integers(1, 4, n).astype(float) if weight == "whole" else rng.random(n) + 0.1
    return Rows(numeric, codes, [4] * codes.shape[1]), rng.integers(0, draw(st.integers(1, 3)), n), weight


def branches(rows, tree, node, at):
    """Branch of each row at a node, -1 where it is spread."""
    feature, start = tree.feature[node], tree.table_start[node]
    p = rows.numeric.shape[1]
    if feature < p:
        x = rows.numeric[at, feature]
        return np.where(np.isnan(x), tree.missing_branch[node], ~(x <= tree.threshold[node]))
    codes = rows.codes[at, feature - p]
    if tree.kind[node] == 3:
        branch = tree.tables[start + np.maximum(codes, 0)].astype(int)
    else:
        branch = (tree.tables[start] >> np.maximum(codes, 0)).astype(int) & 1
    return np.where(codes < 0, tree.missing_branch[node], branch)


def average_gain(oracle, positive):
    """C4.5's average: features with a value per three rows do not count, unless all are such; none left, no test."""
    many = {oracle.p + j for j, v in enumerate(oracle.rows.n_categories) if v >= 0.3 * len(oracle.y)}
    everything = oracle.p == 0 and len(many) == len(oracle.rows.n_categories)
    counted = [g for f, (g, _) in positive.items() if everything or f not in many]
    return np.mean(counted) if counted else np.inf


def check_node(oracle, tree, node, at, w):
    """The node's test must be the oracle's choice; then the same for its children."""
    best = oracle.best(at, w)
    positive = {f: gw for f, gw in best.items() if gw[0] > 1e-9}
    if tree.first_child[node] < 0:
        if oracle.criterion == "gain_ratio" and average_gain(oracle, positive) == np.inf:
            return
        pure = len(np.unique(oracle.y[at])) == 1
        # Too few rows for two leaves stop the search as well.
        rows = oracle.counts(at, w).sum()
        assert pure or not positive or rows < max(2 * (oracle.min_leaf > 0), 2 * oracle.min_leaf)
        return
    branch = branches(oracle.rows, tree, node, at)
    gain, worth = oracle.gain(at, w, branch)
    assert tree.gain[node] == pytest.approx(gain, abs=1e-6)
    if oracle.criterion == "gain_ratio":
        average = average_gain(oracle, positive)
        # A feature close to the average may be on either side of it.
        allowed = [w_ for g, w_ in positive.values() if g >= average - 1e-3 - 1e-9]
        assert gain >= average - 1e-3 - 1e-9
    else:
        allowed = [w_ for _, w_ in positive.values()]
    assert worth >= max(allowed) - 1e-6
    if oracle.criterion != "gain_ratio":
        assert tree.feature[node] <= min(f for f, gw in positive.items() if gw[1] >= max(allowed) - 1e-12)
    children = tree.first_child[node] + np.arange(tree.n_children[node])
    known = branch >= 0
    total = w[known].sum()
    for b, child in enumerate(children):
        share = np.where(known, branch == b, w[known & (branch == b)].sum() / total)
        kept = share > 0
        if kept.any():
            check_node(oracle, tree, child, at[kept], (w * share)[kept])


CRITERIA = ["gain", "gain_ratio", "gini", "error"]


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["fractional", "learned", "own_branch"])
@pytest.mark.parametrize("nominal_split", ["multiway", "subset"])
@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=tables(), min_leaf=st.sampled_from([1.0, 2.0]))
def test_every_split_is_the_best_one(criterion, nominal_split, missing, data, min_leaf):
    rows, y, weight = data
    tree = grow(
        rows,
        y,
        3,
        weight=weight,
        criterion=criterion,
        nominal_split=nominal_split,
        missing=missing,
        min_rows_leaf=min_leaf,
    )
    oracle = Oracle(rows, y, 3, criterion, nominal_split, missing, min_leaf, weight)
    check_node(oracle, tree, 0, np.arange(len(y)), np.ones(len(y)) if weight is None else weight)


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["fractional", "learned"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=tables(), seed=st.integers(0, 1000))
def test_every_split_of_numbers_is_the_best_one(missing, data, seed):
    rows, _, weight = data
    y = np.random.default_rng(seed).normal(size=len(rows.numeric)).round(1)
    # Cutting the categories in the order of their means is best only where no cut is too small.
    config = {"nominal_split": "subset", "missing": missing, "min_rows_leaf": 0.0, "min_rows_split": 0.0}
    tree = grow(rows, y, 0, weight=weight, criterion="squared_error", **config)
    oracle = Oracle(rows, y, 0, "squared_error", "subset", missing, 0.0, weight)
    check_node(oracle, tree, 0, np.arange(len(y)), np.ones(len(y)) if weight is None else weight)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=tables(), seed=st.integers(0, 1000), criterion=st.sampled_from(CRITERIA))
def test_whole_weights_are_repetitions(data, seed, criterion):
    rows, y, _ = data
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[0] += 1
    again = np.repeat(np.arange(len(y)), times)
    repeated = Rows(rows.numeric[again], rows.codes[again], rows.n_categories)
    config = {"criterion": criterion, "missing": "learned", "nominal_split": "multiway"}
    # A weight is no number of rows: the same only as long as no minimum asks for more than one row, and nothing asks
    # how many rows there are per value.
    weighed = config | {"average_gain_condition": False}
    plain = arrays_of(grow(repeated, y[again], 3, **weighed))
    for name, array in arrays_of(grow(rows, y, 3, weight=times.astype(float), **weighed)).items():
        # Entropies of whole counts come from a table in fixed point; its logarithms are rounded in the ninth digit.
        np.testing.assert_allclose(array, plain[name], rtol=1e-7, atol=1e-7, err_msg=name)
    config["min_rows_leaf"] = 2.0
    plain = grow(repeated, y[again], 3, **config)
    equal_trees(plain, grow(rows, y, 3, multiplicity=times.astype(np.uint32), **config))


@pytest.mark.parametrize(
    ("ours", "theirs"), [("gini", "gini"), ("gain", "entropy"), ("squared_error", "squared_error")]
)
@pytest.mark.parametrize("bounds", [{"max_depth": 3}, {"min_impurity_decrease": 0.05}, {"max_leaf_nodes": 6}])
def test_the_tree_is_scikit_learns(ours, theirs, bounds):
    # Small nodes have several best splits, of which the peer takes one at random: here no node is small.
    rng = np.random.default_rng(7)
    X = rng.random((300, 4)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] ** 2 > 0.8).astype(int) + (X[:, 2] > 0.7)
    y = np.where(rng.random(300) < 0.05, rng.integers(0, 3, 300), y)
    numbers = ours == "squared_error"
    names = {
        "min_impurity_decrease": "min_impurity_decrease",
        "max_depth": "max_depth",
        "max_leaf_nodes": "max_leaf_nodes",
    }
    config = {names[k]: v for k, v in bounds.items()}
    y = y + rng.normal(size=300) if numbers else y
    tree = grow(Rows(X), y, 0 if numbers else 3, criterion=ours, require_positive_gain=False, **config)
    peer = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(criterion=theirs, random_state=0, **bounds)
    peer.fit(X, y)
    assert (tree.first_child < 0).sum() == peer.get_n_leaves()
    leaf = Rows(X).apply(tree)
    if numbers:
        np.testing.assert_allclose(tree.value[leaf, 0], peer.predict(X))
    else:
        np.testing.assert_array_equal(tree.value[leaf].argmax(1), peer.predict(X))
    if "max_leaf_nodes" in bounds:
        return
    # Both list the nodes depth first, but we number siblings together.
    order = []
    stack = [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += [tree.first_child[node] + b for b in reversed(range(tree.n_children[node]))]
    inner = tree.first_child[order] >= 0
    np.testing.assert_array_equal(tree.weight[order], peer.tree_.n_node_samples)
    np.testing.assert_allclose(tree.impurity[order], peer.tree_.impurity, atol=1e-6)
    np.testing.assert_allclose(tree.threshold[order][inner], peer.tree_.threshold[inner])
