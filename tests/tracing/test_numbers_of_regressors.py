"""The numbers of the traces of regressors, computed again from the definitions, are those of the learner."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import ElasticNet, Lasso, Ridge
from sklearn.linear_model import LinearRegression as LeastSquares

import vaglio
from vaglio.document.spread import Group
from vaglio.errors import InputError, NotSupportedError
from vaglio.tracing import learners

ROW = {"area": 70.0, "zone": "east", "floor": 2.0}


def flats(seed: int = 0, n: int = 24, missing: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of one nominal and two numeric columns, and a price."""
    rng = np.random.default_rng(seed)
    area, zone = rng.gamma(9, 9, n).round(), rng.choice(["centre", "east", "west"], n)
    floor = rng.integers(0, 5, n).astype(float)
    price = 2 * area + np.where(zone == "centre", 60, 0) + 3 * floor + rng.normal(0, 9, n)
    frame = pd.DataFrame({"area": area, "zone": zone, "floor": floor})
    return frame.mask(rng.random(frame.shape) < missing), price.round(1)


def loss_of(criterion: str, y: np.ndarray) -> float:
    """The summed loss of the best constant, by scikit-learn's definitions."""
    if criterion == "absolute_error":
        return float(np.abs(y - np.median(y)).sum())
    if criterion == "poisson":
        return float((y * np.log(y / y.mean())).sum())
    return float(((y - y.mean()) ** 2).sum())


TREES = {
    "squared": {},
    "friedman": {"criterion": "friedman_mse"},
    "absolute": {"criterion": "absolute_error", "max_depth": 3},
    "poisson": {"criterion": "poisson", "max_depth": 3},
    "few rows": {"min_samples_leaf": 3, "min_samples_split": 8},
    "many branches": {"nominal_split": "multiway"},
    "alpha": {"ccp_alpha": 40.0},
    "cv": {"ccp_alpha": "cv", "random_state": 0},
    "reduced": {"pruning": "reduced_error", "random_state": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_every_test_of_a_tree_is_the_best_of_the_tables(name, missing, seed):
    X, y = flats(seed, missing=missing)
    fitted = vaglio.DecisionTreeRegressor(**TREES[name]).fit(X, y)
    facts = vaglio.trace(fitted, X, y).facts
    assert facts["nodes"]
    for node in facts["nodes"]:
        assert node["chosen"] == node["tree"], node["node"]
        best = max(split["reduction"] for split in node["attributes"].values() if not split["remark"])
        assert node["attributes"][node["tree"]]["reduction"] == pytest.approx(best)
    assert facts["leaves"] == fitted.tree_.n_leaves
    assert facts.get("pruned_leaves", facts["leaves"]) == facts["leaves"]
    assert sum(rule["rows"] for rule in facts["rules"]) == len(y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_the_decrease_of_every_threshold_is_that_of_brute_force(criterion):
    X, y = flats(3)
    facts = vaglio.trace(vaglio.DecisionTreeRegressor(criterion=criterion, max_depth=1), X[["area"]], y).facts
    rows = facts["nodes"][0]["attributes"]["area"]["thresholds"]
    values = np.unique(X["area"])
    assert len(rows) == len(values) - 1
    for cut, row in zip((values[1:] + values[:-1]) / 2, rows):
        below, above = y[X["area"] <= cut], y[X["area"] > cut]
        after = (loss_of(criterion, below) + loss_of(criterion, above)) / len(y)
        assert row["after"] == pytest.approx(after)
    assert facts["nodes"][0]["impurity"] == pytest.approx(loss_of(criterion, y) / len(y))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_combination_leaves_less_than_any_single_column(criterion):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(80, 2)), columns=["a", "b"])
    y = np.where(X["a"] + X["b"] > 1, 7.0, 2.0) + rng.integers(0, 2, 80)
    fitted = vaglio.ObliqueTreeRegressor(criterion=criterion, max_depth=2).fit(X, y)
    work = vaglio.trace(fitted, X, y)
    node, tree = work.facts["nodes"][0], fitted.tree_
    assert node["combination"] < min(node["single"].values())
    assert node["impurity"] - node["combination"] == pytest.approx(tree.gain[0])
    assert "s1 = " in str(work)


@pytest.mark.parametrize("missing", ["fractional", "branch"])
def test_ways_of_missing_values_are_followed(missing):
    X, y = flats(4, missing=0.2)
    fitted = vaglio.DecisionTreeRegressor(missing=missing, max_depth=3, min_samples_leaf=2).fit(X, y)
    for node in vaglio.trace(fitted, X, y).facts["nodes"]:
        assert node["chosen"] == node["tree"], node["node"]


def test_the_weighted_median_halves_the_weight():
    group = Group.of(np.array([5.0, 1.0, 3.0]), np.array([1.0, 1.0, 2.0]))
    assert group.centre("absolute_error") == 3.0
    assert group.impurity("absolute_error") == pytest.approx(1.0)
    assert Group.of(np.array([1.0]), np.array([0.0])).impurity("squared_error") == 0.0


PENALTIES = {
    "least squares": ({"alpha": 0.0}, LeastSquares()),
    "ridge": ({"alpha": 0.3}, Ridge(alpha=0.3 * 24)),
    "lasso": ({"alpha": 0.1, "l1_ratio": 1.0}, Lasso(alpha=0.1, tol=1e-12)),
    "elastic net": ({"alpha": 0.1, "l1_ratio": 0.5}, ElasticNet(alpha=0.1, l1_ratio=0.5, tol=1e-12)),
    "chosen": ({}, None),
}


@pytest.mark.parametrize("name", PENALTIES)
def test_linear_weights_are_those_of_the_model_and_of_scikit_learn(name):
    settings, peer = PENALTIES[name]
    X, y = flats(5)
    X = X[["area", "floor"]]
    fitted = vaglio.LinearRegression(**settings).fit(X, y)
    facts = vaglio.trace(fitted, X, y, row=[70.0, 2.0]).facts
    assert facts["weights"] == pytest.approx(fitted.coef_, rel=1e-6, abs=1e-9)
    assert facts["intercept"] == pytest.approx(fitted.intercept_)
    assert facts["prediction"] == pytest.approx(fitted.predict(pd.DataFrame([[70.0, 2.0]], columns=X.columns))[0])
    assert facts["r2"] == pytest.approx(fitted.score(X, y))
    if peer is not None:
        Z, z = (X - X.mean()) / X.std(ddof=0), (y - y.mean()) / y.std()
        assert np.array(facts["weights"]) / y.std() == pytest.approx(peer.fit(Z, z).coef_, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_gradient_leads_to_the_solution_in_any_unit(unit):
    X, y = flats(6)
    facts = vaglio.trace("linear", X, y * unit, max_steps=300).facts
    first, last = facts["descent"][0], facts["descent"][-1]
    assert last["distance"] < 1e-6 * first["distance"]


@pytest.mark.parametrize("weights", ["uniform", "distance", "squared_distance"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_mean_of_neighbours_is_the_prediction(weights, missing):
    X, y = flats(7, missing=missing)
    fitted = vaglio.KNeighborsRegressor(4, weights=weights).fit(X, y)
    facts = vaglio.trace(fitted, X, y, row=ROW).facts
    assert facts["prediction"] == pytest.approx(fitted.predict(pd.DataFrame([ROW]))[0])
    near, d = np.array(facts["nearest"]) - 1, np.array(facts["distances"])
    counted = {"uniform": np.ones(4), "distance": 1 / d, "squared_distance": 1 / d**2}[weights]
    assert facts["prediction"] == pytest.approx(np.average(y[near], weights=counted))


def test_a_neighbour_at_distance_zero_decides_alone():
    X, y = flats(7)
    fitted = vaglio.KNeighborsRegressor(4, weights="distance").fit(X, y)
    assert vaglio.trace(fitted, X, y, row=X.iloc[[3]]).facts["prediction"] == y[3]


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_the_leaves_of_a_round_are_the_mean_of_its_residuals(loss, penalty):
    X, y = flats(8)
    fitted = vaglio.HistGradientBoostingRegressor(
        loss=loss, learning_rate=0.3, max_iter=4, max_leaf_nodes=4, min_samples_leaf=2, n_models=1, subsample=1.0,
        l2_regularization=penalty, max_features=1.0, early_stopping=False, random_state=0,
    ).fit(X, y)  # fmt: skip
    facts = vaglio.trace(fitted, X, y, row=ROW).facts
    assert facts["prediction"] == pytest.approx(fitted.predict(pd.DataFrame([ROW]))[0])
    now = np.full(len(y), y.mean())
    for number, (step, said) in enumerate(zip(facts["rounds"], fitted.staged_predict(X))):
        assert step["residuals"] == pytest.approx(y - now)
        wanted = -0.3 * np.array(step["gradient"]) / (np.array(step["hessian"]) + penalty)
        assert step["values"] == pytest.approx(wanted, rel=1e-5), number
        assert step["rmse"] == pytest.approx(np.sqrt(np.mean((y - said) ** 2)))
        now = said


def test_losses_whose_leaves_are_quantiles_are_refused_by_name():
    X, y = flats(8)
    with pytest.raises(NotSupportedError, match="'absolute_error'"):
        vaglio.trace(vaglio.HistGradientBoostingRegressor(loss="absolute_error"), X, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: vaglio.BaggingRegressor(n_estimators=5, random_state=0),
        lambda: vaglio.RandomForestRegressor(5, random_state=0),
        lambda: vaglio.VotingRegressor(["linear", "cart", "knn"]),
        lambda: vaglio.AdaBoostRegressor(n_estimators=6, random_state=0),
        lambda: vaglio.AdaBoostRegressor(n_estimators=6, loss="square", learning_rate=0.5, random_state=0),
    ],
    ids=["bagging", "forest", "voting", "adaboost", "adaboost square"],
)
def test_members_of_a_committee_add_up_to_its_prediction(make):
    X, y = flats(9)
    fitted = make().fit(X, y)
    facts = vaglio.trace(fitted, X, y, row=ROW).facts
    assert facts["prediction"] == pytest.approx(fitted.predict(pd.DataFrame([ROW]))[0])
    if isinstance(fitted, vaglio.BaggingRegressor):
        assert facts["prediction"] == pytest.approx(np.mean(facts["members"]))
        assert facts["samples"] == [(rows + 1).tolist() for rows in fitted.estimators_samples_]
    if isinstance(fitted, vaglio.AdaBoostRegressor):
        assert [step["loss"] for step in facts["rounds"]] == pytest.approx(fitted.estimator_errors_)
        weights = -fitted.learning_rate * np.log([step["beta"] for step in facts["rounds"]])
        assert weights == pytest.approx(fitted.estimator_weights_)


@pytest.mark.parametrize("learner", learners("regression"))
def test_every_regressor_that_has_a_trace_speaks_both_languages(learner):
    X, y = flats(10, n=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        english, italian = (vaglio.trace(learner, X, y, row=ROW, lang=lang, max_steps=3) for lang in ("en", "it"))
    assert english.facts.keys() == italian.facts.keys()
    assert english.facts["prediction"] == italian.facts["prediction"]
    assert str(english) != str(italian)
    assert "class" not in str(english).replace("classification", "")
    assert "Prediction: " in str(english)
    assert "Previsione: " in str(italian)
    assert english.to_latex().count(r"\begin{tabular}") == english.to_latex().count(r"\end{tabular}") > 0
    assert english.to_html().startswith("<!doctype html>")


def test_an_id_predicts_numbers_where_the_target_has_them():
    X, y = flats(11)
    assert "variance" in str(vaglio.trace("cart", X, y))
    classes = np.where(y > np.median(y), "dear", "cheap")
    assert "Gini" in str(vaglio.trace("cart", X, classes))
    assert "variance" in str(vaglio.trace("cart", X, np.round(y), task="regression"))


def test_learners_without_a_trace_of_numbers_name_those_that_have_one():
    X, y = flats(11)
    with pytest.raises(NotSupportedError, match="svm"):
        vaglio.trace("svm", X, y)
    with pytest.raises(InputError, match="c45"):
        vaglio.trace("c45", X, y)


def lines(seed: int, n: int = 120, missing: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table whose numbers follow two lines, one for each half of a column and a zone."""
    frame, _ = flats(seed, n)
    rng = np.random.default_rng(seed + 100)
    slope = np.where(frame["floor"] > 1, 3.0, -2.0)
    y = slope * frame["area"] + np.where(frame["zone"] == "east", 40.0, 0.0) + rng.normal(0, 3, n)
    return frame.mask(rng.random(frame.shape) < missing), np.asarray(y)


MODEL_TREES = [{}, {"smoothing": 0.0}, {"prune": False, "max_depth": 3}, {"min_samples_leaf": 30}]


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("parameters", MODEL_TREES)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_model_tree_by_hand_is_that_of_the_learner(seed, parameters, missing):
    """Pruning, smoothing along the path and the row, each computed from the models of the nodes."""
    X, y = lines(seed, missing=missing)
    model = vaglio.ModelTreeRegressor(**parameters).fit(X, y)
    for row in X.head(4).to_dict("records"):
        facts = vaglio.trace(model, X, y, row=row).facts
        assert facts["prediction"] == pytest.approx(model.predict(pd.DataFrame([row]))[0], rel=1e-9)
    assert facts["leaves"] == model.get_n_leaves() == len(facts["smoothing"])
    assert all(sum(leaf["shares"]) == pytest.approx(1) for leaf in facts["smoothing"])
    assert ("pruning" in facts) == model.prune
    for node in facts["models"]:
        assert node["adjusted"] == min(node["tried"])


def test_the_pruned_nodes_of_a_model_tree_have_the_smaller_error():
    X, y = lines(3)
    facts = vaglio.trace("model-tree", X, y).facts
    assert facts["leaves"] > 1
    assert {node["pruned"] for node in facts["pruning"]} == {True, False}
    for node in facts["pruning"]:
        assert node["pruned"] == (node["model"] <= node["subtree"] * (1 + 1e-9))


def test_the_models_of_a_model_tree_are_least_squares_of_the_rows_of_the_node():
    X, y = lines(4)
    root = vaglio.trace(vaglio.ModelTreeRegressor(max_depth=2), X, y).facts["models"][0]
    kept = pd.get_dummies(X, columns=["zone"], prefix_sep="=", dtype=float)[root["terms"]]
    residuals = y - LeastSquares().fit(kept, y).predict(kept)
    error = np.mean(np.abs(residuals))
    v = len(root["terms"]) + 1
    assert root["error"] == pytest.approx(error, rel=1e-5)
    assert root["adjusted"] == pytest.approx(error * (len(y) + v) / (len(y) - v), rel=1e-5)
