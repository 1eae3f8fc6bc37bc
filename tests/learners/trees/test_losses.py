"""Trees for numbers by the absolute error and by Poisson's deviance: against every split, and against scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from scipy.special import xlogy

import vaglio
from vaglio.errors import InputError
from vaglio.sklearn.tree import DecisionTreeRegressor as Preset

CRITERIA = ("absolute_error", "poisson")


def centre(y, weight, criterion):
    if criterion == "poisson":
        return np.average(y, weights=weight)
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    half = below[-1] / 2
    low, high = np.searchsorted(below, [half - 1e-9, half + 1e-9])
    return (y[order[low]] + y[order[high]]) / 2


def loss(y, weight, criterion):
    if len(y) == 0:
        return 0.0
    middle = centre(y, weight, criterion)
    if criterion == "poisson":
        return float((weight * xlogy(y, y / middle)).sum()) if middle > 0 else np.inf
    return float((weight * np.abs(y - middle)).sum())


def least_loss(X, y, weight, criterion, leaf=1):
    """Return the least loss of two sides over all thresholds of complete columns."""
    found = np.inf
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            left = column <= cut
            if min(left.sum(), (~left).sum()) < leaf:
                continue
            sides = [loss(y[side], weight[side], criterion) for side in (left, ~left)]
            if criterion == "poisson" and min(y[left].sum(), y[~left].sum()) <= 0:
                continue
            found = min(found, sum(sides))
    return found


def table(seed, columns=3):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 60))
    X = random.integers(0, 8, (n, columns)).astype(float) if seed % 2 else random.normal(size=(n, columns))
    y = random.poisson(2, n) + (random.random(n) if seed % 3 == 0 else 0.0)
    y[0] += 1
    weight = (np.ones(n), random.integers(1, 4, n).astype(float), random.random(n) + 0.1)[seed % 3]
    return X, y, weight


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(12))
def test_every_split_is_the_best_of_all(criterion, seed):
    X, y, weight = table(seed)
    tree = Preset(criterion=criterion, max_depth=4, min_samples_leaf=1 + seed % 3).fit(X, y, sample_weight=weight).tree_
    paths = tree.decision_path(X.astype(np.float32)).toarray().astype(bool)
    assert tree.node_count > 1
    for node in range(tree.node_count):
        rows = paths[:, node]
        own = (y[rows], weight[rows], criterion)
        assert tree.value[node, 0, 0] == pytest.approx(centre(*own))
        assert tree.impurity[node] == pytest.approx(loss(*own) / weight[rows].sum(), abs=1e-9)
        if tree.children_left[node] < 0:
            continue
        sides = [paths[:, child[node]] for child in (tree.children_left, tree.children_right)]
        chosen = sum(loss(y[side], weight[side], criterion) for side in sides)
        assert chosen == pytest.approx(least_loss(X[rows], *own, leaf=1 + seed % 3), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [*CRITERIA, "friedman_mse"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [False, True])
def test_one_split_is_as_good_as_scikit_learns(criterion, seed, missing):
    X, y, weight = table(seed)
    if missing:
        X[np.random.default_rng(seed).random(X.shape) < 0.2] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # "friedman_mse" is a former name
        theirs = sklearn.tree.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X, y, sample_weight=weight)
        ours = Preset(criterion=criterion, max_depth=1).fit(X, y, sample_weight=weight)

    def left(tree):
        return np.average(tree.impurity[tree.n_leaves - 1 :], weights=tree.weighted_n_node_samples[tree.n_leaves - 1 :])

    assert left(ours.tree_) == pytest.approx(left(theirs.tree_), abs=1e-9)
    assert ours.tree_.impurity[0] == pytest.approx(theirs.tree_.impurity[0], abs=1e-12)
    assert ours.tree_.value[0, 0, 0] == pytest.approx(theirs.tree_.value[0, 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("split", ["subset", "multiway"])
@pytest.mark.parametrize("missing", ["learned", "fractional", "branch"])
def test_categories_and_missing_values(criterion, split, missing):
    """Three categories of far medians are parted; what a leaf says is the centre of its rows."""
    random = np.random.default_rng(5)
    kind = random.choice(["low", "middle", "high"], 90)
    y = np.array([{"low": 1.0, "middle": 20.0, "high": 60.0}[k] for k in kind]) + random.integers(0, 3, 90)
    X = pd.DataFrame({"kind": kind, "noise": random.normal(size=90)})
    X.loc[random.random(90) < 0.1, "kind"] = None
    tree = vaglio.DecisionTreeRegressor(
        criterion=criterion,
        nominal_split=split,
        missing=missing,
        max_depth=2,
        min_samples_leaf=2,
        high_cardinality=None,
    ).fit(X, y)
    weight = np.ones(90)
    for name in ("low", "middle", "high"):
        rows = (X["kind"] == name).to_numpy()
        says = tree.predict(pd.DataFrame({"kind": [name], "noise": [0.0]}))[0]
        assert says == pytest.approx(centre(y[rows], weight[rows], criterion), abs=8.0)
    assert np.abs(tree.predict(X) - y).mean() < 0.4 * loss(y, weight, "absolute_error") / len(y)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_constraints_hold(criterion):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    y = np.exp(X[:, 0] + random.normal(size=200))
    tree = vaglio.DecisionTreeRegressor(criterion=criterion, monotonic_cst=[1, 0], min_samples_leaf=3).fit(X, y)
    for other in (-1.0, 0.0, 1.0):
        line = np.column_stack([np.linspace(-3, 3, 100), np.full(100, other)])
        assert (np.diff(tree.predict(line)) >= 0).all()
    free = vaglio.DecisionTreeRegressor(criterion=criterion, min_samples_leaf=3).fit(X, y)
    assert (np.diff(free.predict(line)) < 0).any()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", [{}, {"max_bins": 16}, {"max_leaf_nodes": 9}])
def test_forests_for_numbers(criterion, options):
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 3))
    y = np.exp(X[:, 0])
    forests = [
        vaglio.RandomForestRegressor(20, criterion=criterion, random_state=1, n_jobs=jobs, **options).fit(X, y)
        for jobs in (1, 2)
    ]
    assert forests[0].score(X, y) > 0.5
    np.testing.assert_array_equal(forests[0].predict(X), forests[1].predict(X))
    squares = vaglio.RandomForestRegressor(20, random_state=1, **options).fit(X, y)
    assert np.abs(forests[0].predict(X) - squares.predict(X)).max() > 1e-6


@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_thresholds_and_threads(criterion):
    random = np.random.default_rng(4)
    X = random.normal(size=(3000, 4))
    y = np.exp(X[:, 0])
    options = {"criterion": criterion, "splitter": "random", "random_state": 0, "max_depth": 8}
    one, two = (vaglio.DecisionTreeRegressor(n_jobs=jobs, **options).fit(X, y) for jobs in (1, 2))
    assert one.score(X, y) > 0.5
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize("learner", [vaglio.DecisionTreeRegressor, vaglio.RandomForestRegressor])
def test_counts_only(learner):
    X = np.arange(4.0).reshape(-1, 1)
    with pytest.raises(InputError, match="negative value"):
        learner(criterion="poisson").fit(X, [1, 2, -1, 0])
    with pytest.raises(InputError, match="above 0"):
        learner(criterion="poisson").fit(X, [0, 0, 0, 0])


def test_the_model_file_keeps_medians(tmp_path):
    X, y, _ = table(6)
    tree = vaglio.DecisionTreeRegressor(criterion="absolute_error", max_depth=3).fit(X, y)
    tree.save(tmp_path / "tree.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "tree.vaglio").predict(X), tree.predict(X))
    middles = (y[:, None] + y).ravel() / 2
    assert all(np.isclose(middles, value, rtol=0, atol=1e-12).any() for value in tree.predict(X))
