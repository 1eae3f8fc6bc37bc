"""Decision trees: agreement with scikit-learn, every option, every pruning, and input that is not nice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as peers
from sklearn.datasets import make_classification

import vaglio
from vaglio.errors import InputError


def numbers(seed: int, n: int = 200, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, 6, n_informative=4, n_classes=classes, n_clusters_per_class=1, random_state=seed)
    return X.astype(np.float32).astype(np.float64), y


@given(seed=st.integers(0, 10_000), criterion=st.sampled_from(["gini", "entropy"]), depth=st.sampled_from([2, 5, None]))
@settings(max_examples=25, deadline=None)
def test_same_tree_as_scikit_learn(seed: int, criterion: str, depth: int | None) -> None:
    """On float32-exact numbers: the same training fit and the same total gain; ties may go to other columns."""
    X, y = numbers(seed)
    ours = vaglio.DecisionTreeClassifier(criterion=criterion, max_depth=depth).fit(X, y)
    peer = peers.DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0).fit(X, y)
    root = peer.tree_
    assert ours.tree_.impurity[0] == pytest.approx(root.impurity[0])
    if depth == 2:
        left, right = root.children_left[0], root.children_right[0]
        n = root.weighted_n_node_samples
        decrease = root.impurity[0] - (n[left] * root.impurity[left] + n[right] * root.impurity[right]) / n[0]
        assert ours.tree_.gain[0] == pytest.approx(decrease)
    if depth is None:
        assert ours.score(X, y) == peer.score(X, y) == 1.0


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_where_the_best_split_is_unique_the_tree_is_the_very_same(criterion: str) -> None:
    X, y = numbers(11, n=1000)
    settings = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 20}
    ours = vaglio.DecisionTreeClassifier(**settings).fit(X, y)
    peer = peers.DecisionTreeClassifier(random_state=0, **settings).fit(X, y)
    thresholds = np.sort(ours.tree_.threshold[~ours.tree_.is_leaf])
    np.testing.assert_allclose(thresholds, np.sort(peer.tree_.threshold[peer.tree_.feature >= 0]), rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X))


@pytest.mark.parametrize("seed", range(5))
def test_cost_complexity_path_is_scikit_learns(seed: int) -> None:
    X, y = numbers(seed)
    ours = vaglio.DecisionTreeClassifier(max_leaf_nodes=12).cost_complexity_pruning_path(X, y)
    peer = peers.DecisionTreeClassifier(max_leaf_nodes=12, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, np.unique(peer.ccp_alphas.round(15)), atol=1e-12)
    assert ours.n_leaves[0] == 12
    assert ours.n_leaves[-1] == 1
    assert (np.diff(ours.n_leaves) < 0).all()
    for alpha, leaves in zip(ours.ccp_alphas, ours.n_leaves):
        pruned = vaglio.DecisionTreeClassifier(max_leaf_nodes=12, ccp_alpha=alpha * (1 + 1e-9)).fit(X, y)
        assert pruned.get_n_leaves() == leaves


def test_entropies_are_exact_so_that_a_link_of_the_price_is_cut() -> None:
    # 200 rows; two of them can be told apart by the second column alone: a gain of 2/200 · 1 bit = 0.01.
    kind = np.repeat(["a", "b", "c"], [99, 99, 2])
    X, y = pd.DataFrame({"kind": kind, "z": np.arange(200) % 2}), np.repeat([0, 1, 0, 1], [99, 99, 1, 1])
    for price, leaves in ((0.01, 3), (0.01 - 1e-9, 4)):
        tree = vaglio.DecisionTreeClassifier(criterion="entropy", nominal_split="multiway", ccp_alpha=price).fit(X, y)
        assert tree.get_n_leaves() == leaves
    for seed in range(5):
        X, y = numbers(seed, n=300 + 7 * seed)
        tree = vaglio.DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
        share = tree.value / tree.value.sum(axis=1, keepdims=True)
        entropy = -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1)
        np.testing.assert_allclose(tree.impurity, entropy, rtol=0, atol=1e-14)


def test_alpha_by_cross_validation() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(300) < 0.15)
    full = vaglio.CARTClassifier().fit(X, y)
    best = vaglio.CARTClassifier(ccp_alpha="cv", random_state=0).fit(X, y)
    small = vaglio.CARTClassifier(ccp_alpha="cv", one_standard_error=True, random_state=0).fit(X, y)
    assert small.get_n_leaves() <= best.get_n_leaves() < full.get_n_leaves()
    assert best.ccp_path_.errors[best.ccp_path_.chosen] == best.ccp_path_.errors.min()
    assert best.ccp_alpha_ == best.ccp_path_.ccp_alphas[best.ccp_path_.chosen]
    again = vaglio.CARTClassifier(ccp_alpha="cv", random_state=0).fit(X, y)
    assert again.ccp_alpha_ == best.ccp_alpha_


@pytest.mark.parametrize("pruning", ["pessimistic", "error_based", "reduced_error"])
def test_every_pruning_shrinks_a_noisy_tree_and_keeps_the_signal(pruning: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 6))
    clean = X[:, 0] > 0.3
    y = clean ^ (rng.random(600) < 0.1)
    full = vaglio.DecisionTreeClassifier().fit(X, y)
    # A fully grown tree spends two leaves on a wrong row: at half an error a leaf, pessimism only breaks even.
    pruned = vaglio.DecisionTreeClassifier(pruning=pruning, epsilon=1.0, random_state=0).fit(X, y)
    assert pruned.get_n_leaves() < full.get_n_leaves()
    fresh = rng.normal(size=(1000, 6))
    truth = fresh[:, 0] > 0.3
    assert pruned.score(fresh, truth) > full.score(fresh, truth)


def test_confidence_factor_and_epsilon_have_their_direction() -> None:
    X, y = numbers(3)
    sizes = [
        vaglio.C45Classifier(confidence_factor=cf, subtree_raising=raising).fit(X, y).get_n_leaves()
        for cf in (0.5, 0.25, 0.01)
        for raising in (False,)
    ]
    assert sizes == sorted(sizes, reverse=True)
    sizes = [vaglio.CARTClassifier(pruning="pessimistic", epsilon=e).fit(X, y).get_n_leaves() for e in (0.0, 0.5, 3.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


OPTIONS: list[dict[str, Any]] = [
    {"max_depth": 2},
    {"min_samples_split": 40},
    {"min_samples_leaf": 20},
    {"min_samples_leaf": 0.1},
    {"min_weight_fraction_leaf": 0.1},
    {"max_leaf_nodes": 4},
    {"min_impurity_decrease": 0.02},
    {"min_gain": 0.05},
    {"chi2_alpha": 1e-6},
    {"ccp_alpha": 0.02},
]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: next(iter(o)))
def test_every_bound_on_growth_bounds_it(option: dict[str, Any]) -> None:
    X, y = numbers(4)
    bounded, full = (vaglio.DecisionTreeClassifier(**o).fit(X, y) for o in (option, {}))
    assert 1 < bounded.get_n_leaves() < full.get_n_leaves()
    tree = bounded.tree_
    if "max_depth" in option:
        assert bounded.get_depth() == 2
    if "min_samples_leaf" in option:
        assert tree.weight[tree.is_leaf].min() >= 20
    if "min_samples_split" in option:
        assert tree.weight[~tree.is_leaf].min() >= 40
    if "max_leaf_nodes" in option:
        assert bounded.get_n_leaves() == 4
    if "min_gain" in option:
        assert tree.gain[~tree.is_leaf].min() >= 0.05


def test_random_options_depend_on_the_seed_alone() -> None:
    X, y = numbers(5)
    for option in ({"splitter": "random"}, {"max_features": "sqrt"}, {"max_features": 2}, {"max_features": 0.5}):
        first, second = (vaglio.DecisionTreeClassifier(random_state=7, **option).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(first.tree_.threshold, second.tree_.threshold)
        other = vaglio.DecisionTreeClassifier(random_state=8, **option).fit(X, y)
        assert not np.array_equal(first.tree_.threshold, other.tree_.threshold)


def test_bins_coarsen_the_thresholds() -> None:
    X, y = numbers(6, n=500)
    coarse, exact = (vaglio.DecisionTreeClassifier(max_bins=bins).fit(X, y) for bins in (3, None))
    for column in range(X.shape[1]):
        # Midpoints of any two of three bins that meet in a node.
        assert len(np.unique(coarse.tree_.threshold[coarse.tree_.feature == column])) <= 3
    assert exact.score(X, y) == 1.0 > coarse.score(X, y)


def test_monotonic_constraint_holds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + rng.normal(scale=1.5, size=400) > 0).astype(int)
    tree = vaglio.DecisionTreeClassifier(monotonic_cst={"x0": 1}, min_samples_leaf=5).fit(X, y)
    grid = np.column_stack([np.linspace(-3, 3, 200), np.zeros(200)])
    assert (np.diff(tree.predict_proba(grid)[:, 1]) >= 0).all()
    with pytest.raises(InputError, match="two classes"):
        vaglio.DecisionTreeClassifier(monotonic_cst=[1, 0]).fit(X, np.arange(400) % 3)
    with pytest.raises(InputError, match="does not have"):
        vaglio.DecisionTreeClassifier(monotonic_cst={"nope": 1}).fit(X, y)


def test_smoothing_of_the_leaves() -> None:
    X, y = np.arange(4.0).reshape(-1, 1), ["a", "a", "b", "b"]
    plain = vaglio.DecisionTreeClassifier().fit(X, y).predict_proba([[0.0]])[0]
    laplace = vaglio.DecisionTreeClassifier(leaf_smoothing="laplace").fit(X, y).predict_proba([[0.0]])[0]
    estimate = vaglio.DecisionTreeClassifier(leaf_smoothing=4.0).fit(X, y).predict_proba([[0.0]])[0]
    np.testing.assert_allclose(plain, [1, 0])
    np.testing.assert_allclose(laplace, [3 / 4, 1 / 4])
    np.testing.assert_allclose(estimate, [(2 + 4 * 0.5) / 6, (4 * 0.5) / 6])


def holed() -> tuple[pd.DataFrame, np.ndarray]:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan, 5.0, 6.0]})
    return frame, np.array(["a", "a", "a", "b", "b", "b", "b", "b"])


def test_fractional_missing_goes_down_all_branches() -> None:
    X, y = holed()
    tree = vaglio.DecisionTreeClassifier(missing="fractional", max_depth=1).fit(X, y)
    # Known: 3 a to the left, 3 b to the right; each of the two missing rows counts half on either side.
    np.testing.assert_allclose(tree.tree_.weight, [8, 4, 4])
    np.testing.assert_allclose(tree.predict_proba(pd.DataFrame({"x": [np.nan]}))[0], [3 / 8, 5 / 8])
    assert tree.decision_path(pd.DataFrame({"x": [np.nan, 1.0]})).sum(axis=1).tolist() == [3, 2]
    assert tree.apply(pd.DataFrame({"x": [np.nan]}))[0] == 1  # equal weights: the lowest


def test_missing_by_learned_direction_and_by_own_branch() -> None:
    X, y = holed()
    missing = pd.DataFrame({"x": [np.nan]})
    learned = vaglio.DecisionTreeClassifier(missing="learned", max_depth=1).fit(X, y)
    assert learned.score(X, y) == 1.0
    assert learned.predict(missing)[0] == "b"
    branch = vaglio.DecisionTreeClassifier(missing="branch", max_depth=1).fit(X, y)
    assert branch.get_n_leaves() == 3
    assert branch.predict(missing)[0] == "b"
    assert "missing" in branch.to_text()


def test_unseen_category_is_missing_or_an_error() -> None:
    X, y = pd.DataFrame({"c": list("aabb")}), [0, 0, 1, 1]
    strange = pd.DataFrame({"c": ["z"]})
    assert vaglio.C45Classifier(min_samples_leaf=1).fit(X, y).predict_proba(strange)[0] == pytest.approx([0.5, 0.5])
    with pytest.raises(InputError, match="no training row has"):
        vaglio.C45Classifier(unseen="error").fit(X, y).predict(strange)


def test_subset_of_two_classes_is_the_best_of_all_subsets() -> None:
    rng = np.random.default_rng(2)
    codes, y = rng.integers(0, 6, 200), rng.integers(0, 2, 200)
    tree = vaglio.CARTClassifier(max_depth=1).fit(pd.DataFrame({"c": codes.astype(str)}), y).tree_

    def gini_after(mask: np.ndarray) -> float:
        parts = [y[mask], y[~mask]]
        return sum(len(p) * 2 * p.mean() * (1 - p.mean()) for p in parts if len(p)) / len(y)

    best = min(gini_after(np.isin(codes, [c for c in range(6) if bits >> c & 1])) for bits in range(1, 63))
    assert tree.impurity[0] - tree.gain[0] == pytest.approx(best)


def test_ten_thousand_categories() -> None:
    rng = np.random.default_rng(0)
    category = rng.integers(0, 10_000, 40_000)
    y = (category % 2 == 0) ^ (rng.random(40_000) < 0.05)
    X = pd.DataFrame({"c": pd.Categorical(category), "noise": rng.normal(size=40_000)})
    tree = vaglio.CARTClassifier(max_depth=2).fit(X, y)
    assert tree.score(X, y) > 0.9
    many = vaglio.C45Classifier().fit(X, y)
    assert many.score(X, y) > 0.9


def test_rows_that_contradict_each_other() -> None:
    X, y = np.ones((4, 2)), ["a", "a", "b", "a"]
    for learner in (vaglio.ID3Classifier(), vaglio.C45Classifier(), vaglio.CARTClassifier()):
        model = learner.fit(X, y)
        assert model.get_n_leaves() == 1
        np.testing.assert_allclose(model.predict_proba(X)[0], [0.75, 0.25])


def test_a_price_is_chosen_even_where_squares_overflow():
    y = np.where(np.arange(6) % 2, 1.7e308, 1.0)
    for smallest in (False, True):
        model = vaglio.DecisionTreeRegressor(ccp_alpha="cv", one_standard_error=smallest, random_state=0)
        assert model.fit(np.zeros((6, 1)), y).get_n_leaves() == 1


def test_a_degenerate_tree_is_deep_without_recursion() -> None:
    """Classes alternate along one column: a row or two split off at every level."""
    n = 1500
    X = np.arange(n, dtype=float).reshape(-1, 1)
    y = np.arange(n) % 2
    tree = vaglio.DecisionTreeClassifier().fit(X, y)
    assert tree.score(X, y) == 1.0
    assert len(tree.rules()) == n
    assert tree.to_text().count("\n") == 2 * n - 2


@pytest.mark.slow
def test_an_interrupt_stops_a_long_fit_and_leaves_nothing_behind() -> None:
    """Alternating classes along one column of many rows would take minutes: the signal ends it."""
    import signal

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    X = np.arange(200_000, dtype=float).reshape(-1, 1)
    model = vaglio.DecisionTreeClassifier(n_jobs=2)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, np.arange(200_000) % 2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not hasattr(model, "fitted_")


@pytest.mark.slow
def test_regression_tree_is_scikit_learns() -> None:
    X, _ = numbers(8, n=300)
    y = np.round(X[:, 0] * 3 + np.abs(X[:, 1]), 3)
    ours = vaglio.DecisionTreeRegressor(max_depth=4).fit(X, y)
    peer = peers.DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X))
    assert ours.get_n_leaves() == peer.get_n_leaves()
    assert vaglio.DecisionTreeRegressor(ccp_alpha="cv", random_state=0).fit(X, y).get_n_leaves() > 1
    assert vaglio.DecisionTreeRegressor(pruning="reduced_error", random_state=0).fit(X, y).score(X, y) > 0.5
    assert "mean" in ours.to_text()


def test_feature_importances_are_scikit_learns() -> None:
    X, y = numbers(9)
    ours = vaglio.DecisionTreeClassifier(max_leaf_nodes=8).fit(X, y).feature_importances_
    peer = peers.DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(ours, peer, atol=1e-9)


def test_drawings() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    small, large = vaglio.C45Classifier().fit(X, y), vaglio.ID3Classifier().fit(X, y)
    for model in (small, large):
        svg = model.to_svg()
        assert svg.startswith("<svg")
        assert svg.count("Gentoo") >= 1
        assert "flipper_length_mm" in svg
    assert "leaves below" in large.to_svg(max_depth=1)
    assert large.to_svg(max_depth=1).count("<text") < large.to_svg().count("<text")
    assert small.to_svg() in small._repr_html_()
    assert "sk-" in vaglio.C45Classifier()._repr_html_()
    import xml.etree.ElementTree as ElementTree

    ElementTree.fromstring(small.to_svg())


def test_names_are_escaped_in_drawings() -> None:
    X = pd.DataFrame({"<b>&": [0.0, 1.0] * 4})
    assert "&lt;b&gt;&amp;" in vaglio.CARTClassifier().fit(X, ["<x>", "y"] * 4).to_svg()


def test_ordinal_column_is_split_by_its_order() -> None:
    sizes = ["small", "medium", "large"]
    column = pd.Categorical(sizes * 4, categories=sizes, ordered=True)
    y = ["no", "no", "yes"] * 4
    model = vaglio.CARTClassifier().fit(pd.DataFrame({"size": column}), y)
    assert model.to_text().count("≤ medium") == 1
    assert model.score(pd.DataFrame({"size": column}), y) == 1.0


def test_the_model_beyond_the_estimator_keeps_its_kernel_out_of_pickles() -> None:
    import pickle

    X, y = numbers(1)
    model = vaglio.C45Classifier().fit(X, y)
    model.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("params", "word"),
    [({"max_depth": 0}, "max_depth"), ({"criterion": "nope"}, "criterion"), ({"confidence_factor": 0.9}, "confidence")],
)
def test_wrong_parameters_are_named(params: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        vaglio.DecisionTreeClassifier(**params).fit([[0.0], [1.0]], [0, 1])


def test_c45_leaves_columns_of_very_many_values_out_of_the_average_gain() -> None:
    """Quinlan's rule: from 0.3 values per row on, and a node that only such columns could split is a leaf."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = pd.DataFrame({"code": [f"v{code}" for code in rng.integers(0, 40, 100)], "sign": np.where(y, "+", "-")})
    X.loc[rng.random(100) < 0.2, "sign"] = "?"  # a value of its own, where the class stays open
    tree = vaglio.C45Classifier(pruning=None, high_cardinality=None).fit(X, y)
    assert tree.tree_.feature.max() == tree.tree_.feature[0] == 1  # the root alone is a test, of "sign"
    assert tree.get_n_leaves() == 3
    assert vaglio.C45Classifier(pruning=None, high_cardinality=None, average_gain=False).fit(X, y).get_n_leaves() > 3
    codes_only = vaglio.C45Classifier(pruning=None, high_cardinality=None).fit(X[["code"]], y)
    assert codes_only.get_n_leaves() > 3  # all columns are such: they are compared as usual


@pytest.mark.parametrize("tree", [vaglio.DecisionTreeClassifier, vaglio.DecisionTreeRegressor])
def test_a_random_threshold_of_one_value_sets_missing_ones_apart(tree):
    X = np.array([[np.nan, 1.0], [5.0, 1.0], [np.nan, 1.0], [5.0, 1.0]])
    y = [0, 1, 0, 1]
    model = tree(splitter="random", random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.tree_.threshold[0] == 5.0


def test_a_random_threshold_of_one_value_alone_splits_nothing():
    model = vaglio.DecisionTreeClassifier(splitter="random").fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert model.get_n_leaves() == 1
