"""The trees of a forest: added later, pruned, constrained, balanced, and each as an estimator of its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.metrics import f1_score, mean_absolute_error

import vaglio
from vaglio import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor
from vaglio.errors import DataWarning, InputError, NotSupportedError
from vaglio.learners.forest.estimators.growth import ForestShard, TrainingRows, grow_one_by_one, joined_arrays
from vaglio.learners.forest.model.forest import Forest


def table(kind: Any, rows: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.standard_normal((rows, 4)).round(1), columns=list("abcd"))
    X["colour"] = random.choice([f"c{i}" for i in range(40)], rows)
    X["size"] = random.choice(["s", "m", "l"], rows)
    X.loc[::7, "b"] = np.nan
    X.loc[::11, "size"] = None
    raw = X["a"] + (X["size"] == "m") + random.standard_normal(rows) * 0.3
    return X, raw.to_numpy() if kind is RandomForestRegressor else np.digitize(raw, [-0.3, 0.8])


def state(model: Any) -> dict[str, bytes]:
    arrays, _ = model.fitted_.model.state()
    return {name: array.tobytes() for name, array in arrays.items()}


KINDS = [RandomForestClassifier, RandomForestRegressor]
EXACT: list[dict[str, Any]] = [
    {},
    {"bootstrap": False, "max_features": 2},
    {"max_samples": 0.4, "min_samples_leaf": 3},
    {"features_per_tree": 3},
    {"max_leaf_nodes": 12},
]
OPTIONS = [
    *EXACT,
    {"max_bins": 16},
    {"max_bins": 16, "features_per_tree": 3},
    {"max_bins": 16, "ccp_alpha": 0.01},
    {"shrinkage": 3.0},
    {"ccp_alpha": 0.01},
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", EXACT, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_grown_by_itself_is_the_tree_of_the_whole_forest(kind: Any, options: Any, weighted: bool) -> None:
    X, y = table(kind)
    weight = np.random.default_rng(2).random(len(y)) * 2 if weighted else None
    model = kind(6, random_state=3, **options).fit(X, y, sample_weight=weight)
    matrix = model._encode(X)
    target = np.searchsorted(model.classes_, y) if kind is RandomForestClassifier else y
    own = None if weight is None else weight * (len(y) / weight.sum())
    rows = TrainingRows(matrix, target, own, getattr(model, "classes_", None))
    trees = grow_one_by_one(model, rows, model._growth.draws, 3)
    arrays = joined_arrays([ForestShard.of_tree(tree, matrix.features) for tree in trees], matrix.features)
    found = Forest.from_kernel(arrays, kind is RandomForestRegressor).state()[0]
    expected = model.fitted_.model.state()[0]
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_warm_start_gives_the_bytes_of_one_fit(kind: Any, options: Any) -> None:
    X, y = table(kind)
    whole = kind(12, random_state=5, **options).fit(X, y)
    grown = kind(4, random_state=5, warm_start=True, **options).fit(X, y)
    for n_estimators in (5, 12):
        grown.set_params(n_estimators=n_estimators, n_jobs=2).fit(X, y)
        assert len(grown) == n_estimators
    assert state(grown) == state(whole)
    np.testing.assert_array_equal(grown.feature_importances_, whole.feature_importances_)


def test_a_warm_start_goes_on_from_an_unseeded_fit_and_estimates_out_of_bag() -> None:
    X, y = table(RandomForestClassifier)
    model = RandomForestClassifier(5, warm_start=True).fit(X, y)
    first = pickle.loads(pickle.dumps(model))
    model.set_params(n_estimators=40, oob_score=True).fit(X, y)
    for one, two in zip(first, model, strict=False):
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
    sums, asked = np.zeros((len(y), 3)), np.zeros(len(y))
    for tree, rows in zip(model, model.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        sums[unseen] += tree.predict_proba(X.iloc[unseen])
        asked[unseen] += 1
    np.testing.assert_allclose(model.oob_decision_function_, sums / asked[:, None])


def test_what_a_warm_start_refuses_and_says() -> None:
    X, y = table(RandomForestClassifier)
    model = RandomForestClassifier(4, warm_start=True, random_state=0).fit(X, y)
    before = state(model)
    with pytest.warns(DataWarning, match="already has 4 trees"):
        model.fit(X, y)
    assert state(model) == before
    with pytest.raises(InputError, match="ask for more"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(InputError, match="columns and classes"):
        model.set_params(n_estimators=8).fit(X[["a", "b"]], y)
    with pytest.raises(InputError, match="columns and classes"):
        model.fit(X, y + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_members_predict_as_the_forest_does(kind: Any, tmp_path: Any) -> None:
    X, y = table(kind)
    model = kind(9, random_state=0, max_features="third").fit(X, y)
    if kind is RandomForestClassifier:
        model = clone(model).fit(X, np.array(["low", "middle", "high"])[y])
        mean = np.mean([tree.predict_proba(X) for tree in model], axis=0)
        np.testing.assert_allclose(mean, model.predict_proba(X))
        assert set(model[0].predict(X)) <= {"low", "middle", "high"}
        assert model.n_classes_ == model[0].n_classes_ == 3
    else:
        np.testing.assert_allclose(np.mean([tree.predict(X) for tree in model], axis=0), model.predict(X))
    np.testing.assert_array_equal(np.column_stack([tree.apply(X) for tree in model]), model.apply(X))
    mean = np.mean([tree.feature_importances_ for tree in model], axis=0)
    np.testing.assert_allclose(mean / mean.sum(), model.feature_importances_)
    assert model.estimators_[2] is model[2]
    assert model[-1] is model.estimators_[8]
    assert model[:3] == list(model)[:3]
    assert len({tree.random_state for tree in model}) == 9
    model[1].save(tmp_path / "tree.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "tree.vaglio").predict(X), model[1].predict(X))
    assert "_members" not in model.__getstate__()
    with pytest.raises(IndexError):
        model[9]


@pytest.fixture
def first_of_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let forests take the first of equally good columns, as a tree that stands alone does."""
    for kind in KINDS:
        monkeypatch.setattr(kind, "_draws_ties", False)


@pytest.mark.usefixtures("first_of_equals")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_the_single_tree_of_a_forest_is_the_tree(criterion: str) -> None:
    X, y = table(RandomForestClassifier)
    forest = RandomForestClassifier(1, bootstrap=False, max_features=None, criterion=criterion, random_state=0).fit(
        X, y
    )
    tree = DecisionTreeClassifier(criterion=criterion).fit(X, y)
    member = forest[0]
    assert member.to_text() == tree.to_text()
    for name in ("impurity", "value", "weight", "threshold", "feature"):
        np.testing.assert_allclose(getattr(member.tree_, name), getattr(tree.tree_, name), atol=1e-12)
    np.testing.assert_allclose(member.tree_.importances(6), tree.feature_importances_)
    refitted = member.fit(X, y[::-1].copy())
    np.testing.assert_allclose(refitted.feature_importances_, refitted.tree_.importances(6))


def test_an_unfitted_forest_has_no_members_and_is_true() -> None:
    assert RandomForestClassifier()
    with pytest.raises(ValueError, match="not fitted"):
        len(RandomForestClassifier())


@pytest.mark.parametrize("kind", KINDS)
def test_the_paths_are_those_of_the_trees(kind: Any) -> None:
    X, y = table(kind)
    model = kind(5, random_state=0).fit(X, y)
    indicator, starts = model.decision_path(X[:40])
    for tree, begin, end in zip(model, starts[:-1], starts[1:], strict=True):
        np.testing.assert_array_equal(indicator[:, begin:end].toarray(), tree.decision_path(X[:40]).toarray())


@pytest.mark.parametrize("options", [{}, {"max_samples": 50}, {"bootstrap": False}])
def test_the_rows_of_each_tree(options: Any) -> None:
    X, y = table(RandomForestRegressor)
    weight = np.ones(len(y))
    weight[:20] = 0
    model = RandomForestRegressor(4, random_state=0, max_features=None, **options).fit(X, y, sample_weight=weight)
    for tree, rows in zip(model, model.estimators_samples_, strict=True):
        assert rows.min() >= 20
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        alone = DecisionTreeRegressor().fit(X[counts > 0], y[counts > 0], sample_weight=counts[counts > 0])
        np.testing.assert_allclose(tree.predict(X[counts > 0]), alone.predict(X[counts > 0]), atol=1e-9)


def test_rows_without_weight_keep_their_place_out_of_bag() -> None:
    X, y = table(RandomForestClassifier)
    weight = np.ones(len(y))
    weight[5:9] = 0
    model = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y, sample_weight=weight)
    part = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(model.oob_decision_function_[weight > 0], part.oob_decision_function_)
    assert np.isnan(model.oob_decision_function_[5:9]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_bins", [None, 32])
def test_every_tree_is_pruned_by_the_price_of_a_leaf(kind: Any, max_bins: int | None) -> None:
    X, y = table(kind)
    alpha = 0.01
    full = kind(5, random_state=0, max_bins=max_bins).fit(X, y)
    pruned = kind(5, random_state=0, max_bins=max_bins, ccp_alpha=alpha, n_jobs=2).fit(X, y)
    huge = kind(5, random_state=0, max_bins=max_bins, ccp_alpha=1e6).fit(X, y)
    assert [tree.get_n_leaves() for tree in huge] == [1] * 5
    for before, after in zip(full, pruned, strict=True):
        assert 1 < after.get_n_leaves() < before.get_n_leaves()
        np.testing.assert_array_equal(before.tree_.feature[0], after.tree_.feature[0])


@pytest.mark.slow
@pytest.mark.usefixtures("first_of_equals")
def test_pruning_in_a_forest_is_that_of_the_tree() -> None:
    X, y = table(RandomForestRegressor)
    for alpha in (0.0, 1e-3, 0.02):
        forest = RandomForestRegressor(1, bootstrap=False, max_features=None, ccp_alpha=alpha, random_state=0).fit(X, y)
        assert forest[0].to_text() == DecisionTreeRegressor(ccp_alpha=alpha).fit(X, y).to_text()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"features_per_tree": 3}, {"max_bins": 32}, {"ccp_alpha": 1e-4}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_keep_to_the_constraints(kind: Any, options: Any) -> None:
    X, raw = make_friedman1(400, n_features=5, noise=3.0, random_state=0)
    y = raw > np.median(raw) if kind is RandomForestClassifier else raw
    model = kind(10, monotonic_cst=[1, 0, 0, -1, 0], max_features=None, random_state=0, **options).fit(X, y)
    free = kind(10, max_features=None, random_state=0, **options).fit(X, y)

    def falls(model: Any, column: int) -> float:
        answers = []
        for value in np.linspace(0, 1, 25):
            changed = X.copy()
            changed[:, column] = value
            answers.append(
                model.predict_proba(changed)[:, 1] if kind is RandomForestClassifier else model.predict(changed)
            )
        return float(np.diff(answers, axis=0).min())

    assert falls(model, 0) >= -1e-9 > falls(free, 0)
    named = (
        clone(model)
        .set_params(monotonic_cst={"x0": 1, "x3": -1})
        .fit(pd.DataFrame(X, columns=[f"x{i}" for i in range(5)]), y)
    )
    assert state(named) == state(model)


def test_constraints_need_two_classes() -> None:
    X, y = table(RandomForestClassifier)
    with pytest.raises(InputError, match="two classes"):
        RandomForestClassifier(3, monotonic_cst={"a": 1}).fit(X, y)


def test_a_function_measures_out_of_bag() -> None:
    X, y = make_classification(300, weights=[0.8], random_state=0)
    model = RandomForestClassifier(60, oob_score=f1_score, random_state=0).fit(X, np.where(y == 1, "yes", "no"))
    assert model.oob_score_ == f1_score(y, model.oob_decision_function_.argmax(axis=1))
    X, y = table(RandomForestRegressor)
    numbers = RandomForestRegressor(60, oob_score=mean_absolute_error, random_state=0).fit(X, y)
    assert numbers.oob_score_ == pytest.approx(mean_absolute_error(y, numbers.oob_prediction_))
    bag = vaglio.BaggingRegressor(n_estimators=40, oob_score=mean_absolute_error, random_state=0).fit(X, y)
    assert bag.oob_score_ == pytest.approx(mean_absolute_error(y, bag.oob_prediction_))


@pytest.mark.usefixtures("first_of_equals")
@pytest.mark.parametrize("max_bins", [None, 32])
def test_balanced_in_the_sample_of_each_tree(max_bins: int | None) -> None:
    X, y = make_classification(400, 6, n_informative=4, weights=[0.9], flip_y=0.1, random_state=0)
    labels = np.where(y == 1, "rare", "common")
    weight = np.random.default_rng(0).random(400) + 0.5
    model = RandomForestClassifier(
        6, class_weight="balanced_subsample", max_features=None, max_depth=4, max_bins=max_bins, random_state=0
    ).fit(X, labels, sample_weight=weight)
    for tree, rows in zip(model, model.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=400)
        kept = counts > 0
        drawn = counts * weight
        shares = np.where(y == 1, 0.5 / drawn[y == 1].sum(), 0.5 / drawn[y == 0].sum())
        np.testing.assert_allclose(tree.tree_.value[0] / tree.tree_.weight[0], 0.5)
        if max_bins is None:
            alone = DecisionTreeClassifier(max_depth=4).fit(X[kept], labels[kept], sample_weight=(drawn * shares)[kept])
            np.testing.assert_allclose(alone.predict_proba(X), tree.predict_proba(X))
    every = RandomForestClassifier(3, bootstrap=False, class_weight="balanced_subsample", random_state=0).fit(X, y)
    assert state(every) == state(clone(every).set_params(class_weight="balanced").fit(X, y))


@pytest.mark.parametrize(
    "options",
    [
        {"ccp_alpha": 0.1},
        {"class_weight": "balanced_subsample"},
        {"monotonic_cst": {"a": 1}, "features_per_tree": 2},
    ],
    ids=str,
)
def test_trees_one_by_one_need_rows_in_memory(options: Any, tmp_path: Any) -> None:
    X, y = table(RandomForestClassifier)
    X.assign(y=np.where(y > 0, "yes", "no")).to_csv(tmp_path / "rows.csv", index=False)
    rows, target = vaglio.scan(tmp_path / "rows.csv").xy("y")
    with pytest.raises(NotSupportedError, match="one by one"):
        RandomForestClassifier(3, **options).fit(rows, target)
