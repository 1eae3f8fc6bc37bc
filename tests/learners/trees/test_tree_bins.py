"""Trees on bins: where every value has a bin of its own, they are the trees of the exact grower."""

import numpy as np
import pandas as pd
import pytest

from vaglio import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)
from vaglio.learners.trees.passes import bins
from vaglio.learners.trees.passes.bins import WeightSummary

OPTIONS = [
    {},
    {"max_depth": 4},
    {"min_samples_leaf": 7},
    {"max_leaf_nodes": 9},
    {"chi2_alpha": 0.05},
    {"criterion": "error", "max_depth": 5},
    {"criterion": "gain_ratio"},
    {"max_features": 3, "random_state": 3},
    {"min_impurity_decrease": 0.003},
    {"missing": "branch"},
    {"missing": "fractional", "min_samples_leaf": 12},
]


def made(n=400, missing=0.0, classes=3, values=20, seed=0):
    """Numbers, a boolean, few and many categories; a target that depends on some of them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({f"x{j}": rng.integers(0, values, n).astype(float) for j in range(3)})
    table["b"] = rng.integers(0, 2, n).astype(bool)
    table["c"] = np.array(list("abcdefgh"))[rng.integers(0, 8, n)]
    table["m"] = np.array([f"v{i}" for i in rng.integers(0, 30, n)])
    number = (table.x0 + 2 * table.x1 * table.c.isin(["a", "d"]) + rng.normal(0, 8, n)).to_numpy()
    label = pd.qcut(number, classes, labels=False)
    for name in ("x0", "x1", "c", "m"):
        table.loc[rng.random(n) < missing, name] = None
    return table, label, number


def same_tree(a, b, exact):
    (ours, of_ours), (theirs, of_theirs) = a.tree_.state(), b.tree_.state()
    assert of_ours["strict"] == of_theirs["strict"]
    for name, array in ours.items():
        if exact:
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)
        else:
            np.testing.assert_allclose(array, theirs[name], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, ID3Classifier, C45Classifier, CARTClassifier])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_few_values_give_the_exact_tree(learner, options, missing):
    X, y, _ = made(missing=missing)
    spread = missing > 0 and "fractional" in (learner().missing, options.get("missing"))
    same_tree(learner(max_bins=255, **options).fit(X, y), learner(**options).fit(X, y), exact=not spread)


@pytest.mark.parametrize("options", [{"max_depth": 4}, {"min_samples_leaf": 9}], ids=str)
def test_few_values_give_the_exact_tree_of_numbers_and_weights(options):
    X, y, number = made(missing=0.1)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    same_tree(
        DecisionTreeRegressor(max_bins=99, **options).fit(X, number),
        DecisionTreeRegressor(**options).fit(X, number),
        exact=False,
    )
    same_tree(
        DecisionTreeClassifier(max_bins=99, **options).fit(X, y, sample_weight=weight),
        DecisionTreeClassifier(**options).fit(X, y, sample_weight=weight),
        exact=False,
    )


@pytest.mark.parametrize("options", [{}, {"features_per_tree": 0.5}, {"criterion": "entropy"}, {"bootstrap": False}])
def test_few_values_give_the_exact_forest(options):
    X, y, number = made(missing=0.1)
    a = RandomForestClassifier(5, max_bins=255, random_state=1, **options).fit(X, y)
    b = RandomForestClassifier(5, random_state=1, **options).fit(X, y)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    if "criterion" not in options:
        a = RandomForestRegressor(5, max_bins=255, max_depth=4, random_state=1, **options).fit(X, number)
        b = RandomForestRegressor(5, max_depth=4, random_state=1, **options).fit(X, number)
        np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-9)


def test_the_best_test_of_one_level_is_found_by_brute_force():
    """One split on bins against all cuts at the parting numbers."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    y[X[:, 1] > 0.4] = 1
    tree = DecisionTreeClassifier(max_depth=1, max_bins=16).fit(X, y).tree_

    def gini(part):
        share = part.mean() if len(part) else 0.0
        return len(part) * 2 * share * (1 - share)

    best = (np.inf, 0, 0.0)
    for j in range(3):
        lowest, greatest = _core.bin_edges(np.ascontiguousarray(X[:, j]), 16)
        for cut in (greatest[:-1] + lowest[1:]) / 2:
            impurity = gini(y[X[:, j] <= cut]) + gini(y[X[:, j] > cut])
            best = min(best, (impurity, j, cut))
    assert (tree.feature[0], tree.threshold[0]) == best[1:]


def test_bins_take_equal_shares_and_every_row_goes_where_its_bin_goes():
    X = np.random.default_rng(0).normal(size=(5000, 2))
    matrix_of = DecisionTreeClassifier(max_depth=1).fit(X, X[:, 0] > 0).fitted_.codebook.encode(X)
    for strict in (False, True):
        binning = bins.binning_of(matrix_of, 64, strict)
        for codes in binning.columns(matrix_of):
            counts = np.bincount(codes)
            assert len(counts) == 64
            assert counts.min() >= 70
            assert counts.max() <= 90


def test_a_large_table_is_binned_by_sampled_rows_and_all_its_few_values(monkeypatch):
    monkeypatch.setattr(bins, "SAMPLE_ROWS", 200)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=1000), np.append(rng.integers(0, 3, 999), 77.0)])
    matrix = DecisionTreeClassifier(max_depth=1).fit(X, X[:, 0] > 0).fitted_.codebook.encode(X)
    binning = bins.binning_of(matrix, 16, False)
    np.testing.assert_array_equal(binning.edges[1][0], [0, 1, 2, 77])
    assert binning.edges[0][0].min() > X[:, 0].min()  # the least value is not among the sampled rows
    assert [column.max() for column in binning.columns(matrix)] == [15, 3]


def test_columns_of_many_values_take_two_bytes():
    n = 3000
    X = pd.DataFrame({"c": [f"v{i % 700}" for i in range(n)], "x": np.arange(n, dtype=float)})
    y = np.arange(n) // 1500
    tree = DecisionTreeClassifier(max_bins=1000).fit(X, y)
    assert tree.score(X, y) == 1.0
    assert DecisionTreeClassifier(max_bins=1000, n_jobs=2).fit(X, y).tree_.n_nodes > 1


def test_random_thresholds_part_bins():
    X, y, _ = made(values=300)
    tree = DecisionTreeClassifier(max_bins=8, splitter="random", random_state=0, min_samples_leaf=20).fit(X, y)
    leaves = tree.apply(X)
    np.testing.assert_array_equal(np.bincount(leaves, minlength=tree.tree_.n_nodes)[leaves], tree.tree_.weight[leaves])


@pytest.mark.parametrize("missing", ["learned", "fractional", "branch"])
def test_any_number_of_threads_gives_the_same_tree(missing):
    X, y, _ = made(n=3000, missing=0.1, values=200)
    trees = [DecisionTreeClassifier(max_bins=64, missing=missing, n_jobs=j).fit(X, y).tree_.state()[0] for j in (1, 3)]
    for name in trees[0]:
        np.testing.assert_array_equal(trees[0][name], trees[1][name])


def test_the_order_of_rows_does_not_show():
    X, y, number = made(n=1000, missing=0.2, values=200)
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    order = np.random.default_rng(1).permutation(len(y))
    for learner, target in ((DecisionTreeClassifier, y), (DecisionTreeRegressor, number)):
        options = {"max_bins": 32, "missing": "fractional", "min_samples_leaf": 4}
        a = learner(**options).fit(X, target, sample_weight=weight).tree_.state()[0]
        b = learner(**options).fit(X.iloc[order], target[order], sample_weight=weight[order]).tree_.state()[0]
        for name in a:
            np.testing.assert_allclose(a[name], b[name], rtol=1e-12, err_msg=name)


def test_amounts_of_weights():
    y = np.zeros(4, dtype=np.int64)
    whole = WeightSummary.of(y, np.array([0.3, 0.6, 0.9, 0.3]), 2)
    assert whole.whole
    assert whole.total == 7.0
    np.testing.assert_array_equal(whole.weights(np.array([0.3, 0.6])), [1.0, 2.0])
    real = WeightSummary.of(y, np.array([0.3, 0.61, 0.9, 1e-30]), 2)
    rounded = real.weights(np.array([0.3, 0.61, 0.9, 1e-30]))
    assert not real.whole
    assert rounded.min() > 0
    np.testing.assert_array_equal(rounded / real.grid, np.rint(rounded / real.grid))
