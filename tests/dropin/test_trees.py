"""Trees and their ensembles below ``vaglio.sklearn`` beside scikit-learn's: same numbers, same objects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import ensemble as their_ensembles
from sklearn import tree as their_trees
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.svm import SVC

import vaglio
from vaglio.sklearn import ensemble, tree

GROWTH = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 4},
    {"min_samples_split": 0.2},
    {"max_leaf_nodes": 5},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.01},
    {"ccp_alpha": 0.013},
]


def _rows(seed, n=60):
    """One column: with two, scikit-learn draws which of equally good ones is tested."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 1))
    return X, (X[:, 0] + random.normal(size=n) > 0) + (random.random(n) < 0.2), X[:, 0] + random.normal(size=n)


def _pair(name, **params):
    homes = (their_trees, tree) if hasattr(their_trees, name) else (their_ensembles, ensemble)
    theirs, ours = (getattr(home, name)(random_state=0, **params) for home in homes)
    return theirs, ours


def _answers(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.slow
@pytest.mark.parametrize("params", GROWTH, ids=str)
@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_a_tree_has_scikit_learns_numbers(name, params):
    random = np.random.default_rng(0)
    for seed in range(4):
        X, classes, numbers = _rows(seed)
        y = classes if name.endswith("Classifier") else numbers
        weight = random.random(len(y)) * (random.random(len(y)) > 0.1)
        holes = np.where(random.random(X.shape) < 0.15, np.nan, X)
        for rows, sample_weight in [(X, None), (X, weight), (sparse.csr_matrix(X), None), (holes, None)]:
            theirs, ours = _pair(name, **params)
            theirs.fit(rows, y, sample_weight=sample_weight)
            ours.fit(rows, y, sample_weight=sample_weight)
            assert ours.learner_ is not None
            assert _loss(ours) == pytest.approx(_loss(theirs))
            if rows is not holes:  # a missing value may improve a split equally on either side
                np.testing.assert_allclose(_answers(ours, rows), _answers(theirs, rows), rtol=0, atol=1e-9)


def _loss(model):
    leaf = model.tree_.children_left < 0
    return model.tree_.impurity[leaf] @ model.tree_.weighted_n_node_samples[leaf]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeRegressor"])
def test_a_monotone_tree_is_scikit_learns_with_free_columns_beside(name):
    for seed in range(10):
        random = np.random.default_rng(seed)
        X, rows = random.normal(size=(2, 200, 3))
        score = X[:, 0] + np.sin(2 * X[:, 2]) + random.normal(size=len(X))
        y = score > 0 if name.endswith("Classifier") else score
        weight = random.uniform(0.5, 2, len(X))  # no two columns of some rows are equally good
        directions = [[1, -1, 0], [0, 1, -1], [1, 0, 0]][seed % 3]
        # By scikit-learn a missing value may stand alone also where its column has an order.
        X[(random.random(X.shape) < 0.1) & (np.array(directions) == 0)] = np.nan
        for params in ({"max_depth": 4, "min_samples_leaf": 5}, {"min_samples_leaf": 10}, {"max_leaf_nodes": 9}):
            theirs, ours = (
                model.set_params(**params, monotonic_cst=directions).fit(X, y, sample_weight=weight)
                for model in _pair(name)
            )
            assert ours.learner_ is not None
            if not name.startswith("Extra"):  # which draws other thresholds
                np.testing.assert_allclose(_answers(ours, rows), _answers(theirs, rows), rtol=0, atol=1e-9)
                np.testing.assert_allclose(_answers(ours.learner_, rows), _answers(theirs, rows), rtol=0, atol=1e-9)
            for column, direction in enumerate(directions):
                more = rows + np.eye(3)[column]
                assert (direction * (_answers(ours, more) - _answers(ours, rows))[..., -1:]).min() >= -1e-12


def test_the_largest_number_of_leaves_may_be_any_number():
    X, y, _ = _rows(0)
    assert tree.DecisionTreeClassifier(max_leaf_nodes=2**63).fit(X, y).score(X, y) == 1
    assert vaglio.DecisionTreeClassifier(max_leaf_nodes=2**63).fit(X, y).score(X, y) == 1


def test_the_tree_object_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    theirs, ours = _pair("DecisionTreeRegressor", max_depth=3)
    theirs.fit(X, y)
    ours.fit(X, y)
    for name in ("children_left", "children_right", "feature", "threshold", "value", "impurity", "n_node_samples"):
        np.testing.assert_allclose(getattr(ours.tree_, name), getattr(theirs.tree_, name), atol=1e-6, err_msg=name)
    np.testing.assert_allclose(ours.tree_.weighted_n_node_samples, theirs.tree_.weighted_n_node_samples)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    assert type(ours.tree_) is type(theirs.tree_)
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert tree.export_text(ours) == tree.export_text(theirs)
    assert tree.export_graphviz(ours) == tree.export_graphviz(theirs)
    path, other = (model.cost_complexity_pruning_path(X, y) for model in (ours, theirs))
    np.testing.assert_allclose(path.ccp_alphas, other.ccp_alphas)


def test_a_tree_of_nominal_tests_is_refused_by_name():
    from vaglio.sklearn._growing import tree_object

    X, y = vaglio.datasets.load("play").xy("play")
    model = vaglio.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(vaglio.errors.NotSupportedError, match="nominal"):
        tree_object(model.tree_, np.zeros((1, 4), np.float32), np.ones(4, bool), np.zeros(1), None, [2], means=False)


# All columns are looked at, so that only the drawn rows vary, and they are drawn as scikit-learn draws them.
ENSEMBLES = {
    "RandomForestClassifier": {"n_estimators": 5, "max_features": None, "class_weight": "balanced_subsample"},
    "RandomForestRegressor": {"n_estimators": 5, "oob_score": False},
    "BaggingClassifier": {"n_estimators": 5},
    "BaggingRegressor": {"n_estimators": 5, "max_samples": 0.7},
    "AdaBoostClassifier": {"n_estimators": 8},
}


@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_has_scikit_learns_numbers(name):
    X, classes, numbers = _rows(7, n=80)
    y = classes if name.endswith("Classifier") else numbers
    theirs, ours = _pair(name, **ENSEMBLES[name])
    theirs.fit(X, y)
    ours.fit(X, y)
    np.testing.assert_allclose(_answers(ours, X), _answers(theirs, X), rtol=0, atol=1e-9)
    assert all(isinstance(member, tree.TreePreset) for member in ours)
    assert len(ours) == len(theirs)
    assert ours[0].learner_ is not None
    assert ours.get_params() == theirs.get_params()
    if hasattr(theirs, "estimators_samples_"):
        np.testing.assert_array_equal(ours.estimators_samples_[1], theirs.estimators_samples_[1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("family", ["RandomForest", "ExtraTrees"])
def test_a_forest_that_draws_columns_is_as_good_as_scikit_learns(family, kind):
    X, y = load_iris(return_X_y=True) if kind == "Classifier" else load_diabetes(return_X_y=True)
    name = family + kind
    scores = {True: [], False: []}
    for seed in range(20):
        for ours, model in zip((False, True), _pair(name, n_estimators=6, max_features=2, max_depth=6)):
            model.set_params(random_state=seed).fit(X[seed % 2 :: 2], y[seed % 2 :: 2])
            scores[ours].append(model.score(X[1 - seed % 2 :: 2], y[1 - seed % 2 :: 2]))
    difference = np.subtract(scores[True], scores[False])
    assert abs(difference.mean()) <= 2 * difference.std(ddof=1) / np.sqrt(len(difference)) + 1e-12


def test_more_trees_join_those_there_are():
    X, y = load_iris(return_X_y=True)
    grown = ensemble.RandomForestClassifier(3, warm_start=True, oob_score=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=9).fit(X, y)
    at_once = ensemble.RandomForestClassifier(9, random_state=0).fit(X, y)
    np.testing.assert_array_equal(grown.apply(X), at_once.apply(X))
    assert 0.9 < grown.oob_score_ <= 1


def test_members_of_other_kinds_are_trained_as_they_are():
    X, y = load_iris(return_X_y=True)
    bag = ensemble.BaggingClassifier(SVC(), n_estimators=3, random_state=0).fit(X, y)
    assert bag.decision_function(X).shape == (150, 3)
    with pytest.raises(vaglio.errors.NotSupportedError, match=r"Not all members .* are vaglio's trees"):
        bag.explain(X[:1])


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "RandomForestClassifier", "BaggingClassifier"])
def test_a_model_is_explained_and_saved(name, tmp_path):
    data = load_iris(as_frame=True)
    # scikit-learn's trees read single precision, a saved model what it is given.
    X, y = data.data.astype(np.float32), data.target_names[data.target]
    params = {} if name.startswith("Decision") else {"n_estimators": 5}
    model = _pair(name, **params)[1].fit(X, y)
    assert "petal" in str(model.explain(X.iloc[:1])[0])
    model.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.slow
def test_shap_explains_trees_forests_and_boosted_trees():
    import shap

    X, y = load_diabetes(return_X_y=True)
    several = np.column_stack([y, -y, X[:, 0]])
    models = {
        tree.DecisionTreeRegressor(max_depth=3): y,
        ensemble.RandomForestRegressor(3, max_depth=3): y,
        ensemble.ExtraTreesRegressor(3, max_depth=3): y,
        ensemble.HistGradientBoostingRegressor(max_iter=5): y,
        tree.DecisionTreeClassifier(max_depth=3): y > 150,
        ensemble.RandomForestClassifier(3, max_depth=3): y // 100,
        tree.DecisionTreeRegressor(max_depth=4): several,
        ensemble.RandomForestRegressor(2, max_depth=3): several,
    }
    for model, target in models.items():
        explainer = shap.TreeExplainer(model.fit(X, target))
        total = explainer.shap_values(X[:20]).sum(axis=1) + explainer.expected_value
        np.testing.assert_allclose(total, _answers(model, X[:20]), atol=1e-9)


@pytest.mark.parametrize("known", [(5.0, 5.0), (-3.0, -3.0), (0.0, 5e-8)])
@pytest.mark.parametrize("learner", [tree.ExtraTreeClassifier, tree.ExtraTreeRegressor])
def test_random_thresholds_set_missing_values_of_a_constant_column_apart(learner, known):
    X = np.array([[np.nan], [known[0]], [np.nan], [known[1]]])
    y = np.array([0, 1, 0, 1])
    model = learner(random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.tree_.threshold[0] == np.float32(known[1])


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), several=st.booleans(), scale=st.sampled_from([1.0, 0.1, 7.0]))
def test_a_row_of_weight_two_is_two_rows_to_the_last_bit(seed, several, scale):
    """Whole targets have many equal gains: which of them wins must not depend on how the rows are counted."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 6, (40, 4)).astype(float)
    y = random.integers(-2, 3, (40, 2) if several else 40).astype(float)
    times = random.integers(1, 4, 40)
    repeated = np.repeat(np.arange(40), times)
    grower = tree.DecisionTreeRegressor(max_features=2, random_state=seed % 100)
    weighted = clone(grower).fit(X, y, sample_weight=scale * times)
    plain = grower.fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(weighted.tree_.feature, plain.tree_.feature)
    np.testing.assert_array_equal(weighted.tree_.threshold, plain.tree_.threshold)
    np.testing.assert_allclose(weighted.tree_.value, plain.tree_.value, rtol=1e-12, atol=1e-12)
