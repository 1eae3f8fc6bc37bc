"""Trees and forests of ``vaglio.sklearn`` for a y of several columns: scikit-learn's numbers from vaglio's grower."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import ensemble as their_ensembles
from sklearn import tree as their_trees
from sklearn.datasets import load_linnerud, make_multilabel_classification

import vaglio.sklearn as dropin
from vaglio import _core
from vaglio.encode import Codebook
from vaglio.errors import NotSupportedError
from vaglio.learners.trees.model.grower import training_table
from vaglio.sklearn import ensemble, tree

pytestmark = pytest.mark.filterwarnings(
    "ignore:Value .*friedman_mse:FutureWarning", "ignore:Some inputs do not have OOB"
)

GROWTH: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 4},
    {"max_leaf_nodes": 6},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.02},
    {"ccp_alpha": 0.013},
]
CLASSES = ["gini", "entropy"]
NUMBERS = ["squared_error", "friedman_mse", "absolute_error", "poisson"]


def _rows(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One column: with two, scikit-learn draws which of equally good ones is tested."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 1))
    noise = random.normal(size=(n, 3))
    classes = (X + noise > 0).astype(int) + (random.random((n, 3)) < [0, 0.3, 0.1])
    return X, np.array(["no", "yes", "or"])[classes], np.abs(X * [1, -1, 2] + noise + 3)


def _pair(name: str, **params: Any) -> tuple[Any, Any]:
    homes: Any = (their_trees, tree) if hasattr(their_trees, name) else (their_ensembles, ensemble)
    theirs, ours = (getattr(home, name)(random_state=0, **params) for home in homes)
    return theirs, ours


def _loss(model: Any) -> float:
    leaf = model.tree_.children_left < 0
    return float(model.tree_.impurity[leaf] @ model.tree_.weighted_n_node_samples[leaf])


def _same(ours: Any, theirs: Any, X: Any, same_rows: bool = True) -> None:
    assert ours.n_outputs_ == theirs.n_outputs_ == 3
    if same_rows and not hasattr(ours, "classes_"):
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)
    if hasattr(ours, "classes_"):
        assert ours.predict(X).dtype == theirs.predict(X).dtype
        assert [labels.tolist() for labels in ours.classes_] == [labels.tolist() for labels in theirs.classes_]
        assert list(ours.n_classes_) == list(theirs.n_classes_)
        for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X)):
            assert mine.shape == other.shape
            if same_rows:
                np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("params", GROWTH, ids=str)
@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_a_tree_has_scikit_learns_numbers(criterion: str, params: dict[str, Any]) -> None:
    name = "DecisionTreeClassifier" if criterion in CLASSES else "DecisionTreeRegressor"
    for seed in range(2, 5):  # of seeds 0 and 1, thresholds of equal gain
        random = np.random.default_rng(seed)
        X, classes, numbers = _rows(seed)
        y = classes if criterion in CLASSES else numbers
        weight = random.random(len(y)) * (random.random(len(y)) > 0.1)
        holes = np.where(random.random(X.shape) < 0.15, np.nan, X)
        for rows, sample_weight in [(X, None), (X, weight), (sparse.csr_matrix(X), None), (holes, None)]:
            if rows is holes and criterion == "absolute_error":
                continue  # scikit-learn refuses missing values here
            theirs, ours = _pair(name, criterion=criterion, **params)
            theirs.fit(rows, y, sample_weight=sample_weight)
            ours.fit(rows, y, sample_weight=sample_weight)
            assert ours.learner_ is not None
            assert _loss(ours) == pytest.approx(_loss(theirs))
            # A missing value may improve a split equally on either side; by the absolute error, so may thresholds.
            _same(ours, theirs, rows, same_rows=rows is not holes and criterion != "absolute_error")


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_the_tree_object_is_scikit_learns(criterion: str) -> None:
    X, classes, numbers = _rows(5, n=200)
    X = np.hstack([X, np.random.default_rng(1).normal(size=(200, 2))])
    name = "DecisionTreeClassifier" if criterion in CLASSES else "DecisionTreeRegressor"
    y = classes if criterion in CLASSES else numbers
    theirs, ours = (m.fit(X, y) for m in _pair(name, criterion=criterion, max_depth=2))
    for attribute in ("children_left", "feature", "threshold", "impurity", "value", "n_node_samples"):
        mine, other = getattr(ours.tree_, attribute), getattr(theirs.tree_, attribute)
        np.testing.assert_allclose(mine, other, atol=1e-6, err_msg=attribute)
    assert ours.tree_.value.shape == (ours.tree_.node_count, 3, 3 if criterion in CLASSES else 1)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert tree.export_graphviz(ours) == tree.export_graphviz(theirs)


@pytest.mark.parametrize("class_weight", ["balanced", [{0: 1, 1: 5}, {0: 2, 1: 1}, {0: 1, 1: 1}]], ids=["all", "each"])
def test_weights_of_the_classes_of_each_output(class_weight: Any) -> None:
    X, classes, _ = _rows(3)
    y = (classes == "yes").astype(int)
    theirs, ours = (m.fit(X, y) for m in _pair("DecisionTreeClassifier", class_weight=class_weight, max_depth=4))
    _same(ours, theirs, X)


FORESTS: dict[str, dict[str, Any]] = {
    "RandomForestClassifier": {"max_features": None, "oob_score": True, "class_weight": "balanced_subsample"},
    "RandomForestRegressor": {"oob_score": True},
    "BaggingRegressor": {"max_samples": 0.7},
}


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_has_scikit_learns_numbers(name: str) -> None:
    X, classes, numbers = _rows(7, n=80)
    y = (classes == "yes").astype(int) if name.endswith("Classifier") else numbers
    theirs, ours = (m.fit(X, y) for m in _pair(name, n_estimators=7, **FORESTS[name]))
    assert ours[0].learner_ is not None
    np.testing.assert_allclose(ours[0].predict(X), theirs[0].predict(X), rtol=0, atol=1e-9)
    if name.startswith("RandomForest"):
        _same(ours, theirs, X)
        assert ours.oob_score_ == pytest.approx(theirs.oob_score_)
        oob = "oob_decision_function_" if name.endswith("Classifier") else "oob_prediction_"
        np.testing.assert_allclose(getattr(ours, oob), getattr(theirs, oob))


@pytest.mark.slow
def test_what_is_drawn_at_random_is_as_good_as_scikit_learns() -> None:
    X, y = make_multilabel_classification(240, n_features=8, n_classes=3, random_state=1)
    for name in ("ExtraTreesClassifier", "RandomForestClassifier"):
        scores: dict[bool, list[float]] = {True: [], False: []}
        for seed in range(20):
            for ours, model in zip((False, True), _pair(name, n_estimators=6, max_depth=6)):
                model.set_params(random_state=seed).fit(X[seed % 2 :: 2], y[seed % 2 :: 2])
                scores[ours].append(float((model.predict(X[1 - seed % 2 :: 2]) == y[1 - seed % 2 :: 2]).mean()))
        difference = np.subtract(scores[True], scores[False])
        assert abs(difference.mean()) <= 2 * difference.std(ddof=1) / np.sqrt(len(difference)) + 1e-12


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_outputs_that_are_equal_grow_the_tree_of_one(criterion: str) -> None:
    X, classes, numbers = _rows(9, n=150)
    y = (classes if criterion in CLASSES else numbers)[:, 0]
    name = "DecisionTreeClassifier" if criterion in CLASSES else "DecisionTreeRegressor"
    one, two = (
        _pair(name, criterion=criterion, max_depth=2)[1].fit(X, given) for given in (y, np.column_stack([y, y]))
    )
    np.testing.assert_allclose(two.tree_.impurity, one.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(two.tree_.value[:, 1], one.tree_.value[:, 0])
    np.testing.assert_array_equal(two.tree_.threshold, one.tree_.threshold)


def test_random_thresholds_and_numbers_of_any_size() -> None:
    X, y = load_linnerud(return_X_y=True)
    for model in (tree.ExtraTreeRegressor(random_state=0), ensemble.ExtraTreesRegressor(5, random_state=0)):
        np.testing.assert_allclose(model.fit(X, y).predict(X), y)
        np.testing.assert_allclose(model.fit(X, y * 1e9 + 1e12).predict(X), y * 1e9 + 1e12)


def test_no_fit_is_left_to_scikit_learn() -> None:
    X, classes, _ = _rows(1)
    before = {(entry.name, entry.case): entry.count for entry in dropin.fallbacks()}
    tree.DecisionTreeClassifier().fit(X, classes)
    ensemble.RandomForestClassifier(2).fit(X, classes)
    assert {(entry.name, entry.case): entry.count for entry in dropin.fallbacks()} == before


def test_any_number_of_threads_grows_the_same_tree() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(4000, 30)), random.integers(0, 3, (4000, 2))
    table = training_table(Codebook.learn(X).encode(X))
    one, two = (
        _core.grow_outputs_tree(table, y, [3, 3], config=_core.TreeConfig(max_depth=5), n_threads=n) for n in (1, 3)
    )
    for name in ("kind", "feature", "threshold", "first_child", "value", "weight", "impurity", "gain"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)


def test_what_needs_one_target_says_so(tmp_path: Any) -> None:
    X, classes, numbers = _rows(1)
    for model in (tree.DecisionTreeClassifier(), ensemble.RandomForestClassifier(2)):
        model.fit(X, classes)
        with pytest.raises(NotSupportedError, match=r"one target. Fit one estimator per column"):
            model.explain(X[:1])
        with pytest.raises(NotSupportedError, match=r"one target. Fit one estimator per column"):
            model.save(tmp_path / "model.vaglio")
    with pytest.raises(ValueError, match="not supported with multiple outputs"):
        tree.DecisionTreeRegressor(monotonic_cst=[1]).fit(X, numbers)


def test_the_kernel_refuses_what_it_cannot_do() -> None:
    X, _, numbers = _rows(1)
    table, codes = training_table(Codebook.learn(X).encode(X)), np.zeros((60, 2), dtype=np.int64)
    for y, n_classes, config, message in [
        (numbers, [], {"criterion": "gini"}, "by the Gini index or the entropy of classes"),
        (codes, [1, 1], {"criterion": "gain_ratio"}, "by the Gini index or the entropy of classes"),
        (codes, [1], {"criterion": "gini"}, "one number of classes per column"),
        (codes + 1, [1, 1], {"criterion": "gini"}, "outside the classes"),
        (codes[1:], [1, 1], {"criterion": "gini"}, "differ in their rows"),
        (numbers, [], {"criterion": "poisson", "monotonic": [1]}, "for trees of one output"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.grow_outputs_tree(table, y, n_classes, config=_core.TreeConfig(**config))
