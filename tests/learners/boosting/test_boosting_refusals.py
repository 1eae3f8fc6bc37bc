"""Numbers in any unit are learned alike; what boosting cannot do is one sentence; its first trees can be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from vaglio import ExplainableBoostingRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor
from vaglio.errors import InputError

N = 120


def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=N), "flag": rng.random(N) < 0.5, "word": rng.choice(list("pqr"), N)})
    return X, 2 * X["a"].to_numpy() + X["flag"].to_numpy()


@pytest.mark.slow
@pytest.mark.parametrize("stopping", ["folds", True])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_the_unit_of_the_numbers_does_not_matter(loss, stopping):
    X, y = rows()
    options = {"loss": loss, "quantile": 0.5, "early_stopping": stopping, "max_iter": 60, "random_state": 0}
    plain = HistGradientBoostingRegressor(**options).fit(X, y)
    for unit in (2.0**-20, 2.0**20):
        other = HistGradientBoostingRegressor(**options).fit(X, y * unit)
        assert other.n_iter_ == plain.n_iter_ > 1
        np.testing.assert_allclose(other.predict(X) / unit, plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize("learner", [HistGradientBoostingRegressor, ExplainableBoostingRegressor])
def test_numbers_whose_squares_are_none_are_refused(learner):
    X, y = rows()
    with pytest.raises(InputError, match="scores diverge"):
        learner(random_state=0).fit(X, y * 1e200)


@pytest.mark.parametrize("direction", [0.5, "up", None, 2])
def test_a_direction_is_a_whole_number(direction):
    X, y = rows()
    with pytest.raises(InputError, match="only -1, 0 and 1"):
        HistGradientBoostingRegressor(monotonic_cst={"a": direction}).fit(X, y)


@pytest.mark.parametrize("scoring", ["f1", "r2"])
def test_a_score_that_does_not_fit_the_classes_is_named(scoring):
    X, y = rows()
    with pytest.raises(InputError, match=f"scoring='{scoring}' cannot be computed"):
        HistGradientBoostingClassifier(scoring=scoring).fit(X, np.where(y > 0, "yes", "no"))


@pytest.mark.filterwarnings("ignore")
def test_a_score_without_a_value_is_refused():
    X, _ = rows()
    labels = np.where(np.arange(N) < 2, "rare", "often")
    with pytest.raises(InputError, match="is undefined on some"):
        HistGradientBoostingClassifier(scoring="roc_auc", random_state=0).fit(X, labels)


def test_going_on_needs_the_same_classes_and_one_model():
    X, y = rows()
    model = HistGradientBoostingClassifier(warm_start=True, max_iter=5, random_state=0).fit(X, y > 0)
    with pytest.raises(InputError, match="columns and classes"):
        model.set_params(max_iter=9).fit(X, np.where(y > 0, "yes", "no"))
    mean = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, y > 0)
    with pytest.raises(InputError, match="averaged 8"):
        mean.set_params(warm_start=True, max_iter=99).fit(X, y > 0)


def test_the_attributes_of_the_peer():
    X, y = rows()
    model = HistGradientBoostingRegressor(max_iter=5, random_state=0).fit(X, y)
    assert model.n_trees_per_iteration_ == len(model.estimators_[0]) == 8
    assert model.do_early_stopping_ is True
    assert model.is_categorical_.tolist() == [False, True, True]
    one = HistGradientBoostingRegressor(max_iter=5, early_stopping=False).fit(X[["a"]], y)
    assert one.is_categorical_ is None
    assert (one.do_early_stopping_, one.n_trees_per_iteration_) == (False, 1)


@pytest.mark.parametrize("classes", [2, 3, 0])
def test_the_first_trees_are_read_as_rules(classes):
    X, y = rows()
    options = {"max_iter": 4, "early_stopping": False, "temperature": 1.0}
    if classes:
        target = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
        model = HistGradientBoostingClassifier(**options).fit(X, target)
    else:
        model = HistGradientBoostingRegressor(max_iter=4, early_stopping=False).fit(X, y)
    lines = model.fitted_.export("text").splitlines()
    outputs = max(1, classes) if classes != 2 else 1
    assert sum(line.startswith("tree ") for line in lines) == 3 * outputs
    said = [float(line.split(" THEN ")[1].split()[0]) for line in lines if line.startswith("  IF")]
    first = [model.estimators_[i][k] for k in range(outputs) for i in range(3)]
    assert len(said) == sum(tree.n_leaves for tree in first)
    values = np.concatenate([tree.predict(model._encode(X)) for tree in first])
    np.testing.assert_allclose(np.unique(np.round(said, 6)), np.unique([float(f"{v:.4g}") for v in values]).round(6))


def test_a_tree_of_one_leaf_is_read():
    model = HistGradientBoostingClassifier(max_iter=1, early_stopping=False).fit([[0.0]] * 4, [0, 1, 0, 1])
    assert "IF ANYTHING THEN" in model.fitted_.export("text")
