"""Of columns that split a node equally well a single tree takes the first; members of ensembles draw by the seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import vaglio
import vaglio.sklearn as dropin
from vaglio import AdaBoostClassifier, BaggingClassifier, BaggingRegressor, DecisionTreeClassifier

COPIES = 4


def rows(numbers: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Columns that are copies of one: every split is equally good by all of them."""
    random = np.random.default_rng(0)
    x = random.normal(size=60)
    score = x + random.normal(size=60)
    return np.column_stack([x] * COPIES), score if numbers else np.where(score > 0, "yes", "no")


SINGLE: list[Any] = [
    vaglio.ID3Classifier(),
    vaglio.C45Classifier(),
    vaglio.CARTClassifier(),
    vaglio.DecisionTreeClassifier(random_state=3),
    vaglio.DecisionTreeClassifier(max_bins=16, random_state=3),
    vaglio.DecisionTreeRegressor(random_state=3),
    vaglio.DecisionTreeRegressor(criterion="absolute_error", random_state=3),
]
MANY: list[Any] = [
    vaglio.RandomForestClassifier(100, max_features=None),
    vaglio.RandomForestClassifier(100, max_features=2, max_bins=16),
    vaglio.RandomForestRegressor(100, max_features=None),
    BaggingClassifier(n_estimators=100),
    BaggingClassifier(DecisionTreeClassifier(max_bins=16), n_estimators=100),
    BaggingClassifier(vaglio.C45Classifier(), n_estimators=100, max_samples=0.5, bootstrap=False),
    BaggingRegressor(n_estimators=100),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=100),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, max_bins=16), n_estimators=100),
    dropin.ensemble.RandomForestClassifier(100, max_features=None),
    dropin.ensemble.RandomForestRegressor(100, max_features=None),
    dropin.ensemble.BaggingClassifier(n_estimators=100),
    dropin.ensemble.AdaBoostClassifier(dropin.tree.DecisionTreeClassifier(max_depth=2), n_estimators=100),
]


def fitted(estimator: Any, **params: Any) -> Any:
    model = clone(estimator).set_params(**params)
    return model.fit(*rows(numbers=hasattr(model, "predict") and not hasattr(model, "predict_proba")))


def roots(model: Any) -> list[int]:
    return [int(tree.tree_.feature[0]) for tree in model.estimators_ if tree.tree_.node_count > 1]


@pytest.mark.parametrize("estimator", SINGLE, ids=str)
def test_a_single_tree_takes_the_first(estimator: Any) -> None:
    tree = fitted(estimator).tree_
    assert set(tree.feature[~tree.is_leaf]) == {0}


@pytest.mark.slow
def test_members_draw_each_of_them_as_often_and_again_by_the_same_seed() -> None:
    for estimator in MANY:
        model = fitted(estimator, random_state=0)
        drawn = roots(model)
        # Four standard deviations of a fair draw.
        assert np.bincount(drawn, minlength=COPIES) == pytest.approx(len(drawn) / COPIES, abs=18), estimator
        assert drawn == roots(fitted(estimator, random_state=0))
        assert drawn != roots(fitted(estimator, random_state=1))
        if "n_jobs" in model.get_params():
            assert drawn == roots(fitted(estimator, random_state=0, n_jobs=3))


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_a_tree_by_scikit_learns_name_draws_as_its_own(name: str) -> None:
    drawn = []
    for seed in range(100):
        model = fitted(getattr(dropin.tree, name)(max_depth=2), random_state=seed)
        drawn.append(int(model.tree_.feature[0]))
    assert np.bincount(drawn, minlength=COPIES) == pytest.approx(25, abs=18)


def test_what_is_drawn_changes_no_split_of_the_rows() -> None:
    models = [fitted(dropin.tree.DecisionTreeClassifier(random_state=seed)) for seed in range(5)]
    for model in models[1:]:
        for name in ("children_left", "threshold", "value", "impurity"):
            np.testing.assert_array_equal(getattr(model.tree_, name), getattr(models[0].tree_, name))
