"""Nearest neighbours as estimators; a nominal column of many values counts as much as it is believed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import neighbors as peers
from sklearn.base import clone
from sklearn.datasets import make_regression

import vaglio
from vaglio import KNeighborsClassifier, KNeighborsRegressor
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.neighbors import estimators
from vaglio.learners.neighbors.model import Neighbors


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_unscaled_it_agrees_with_scikit_learn(iris, weights, p):
    X, y = iris
    X = X + 1e-4 * np.random.default_rng(0).standard_normal(X.shape)  # no ties, which scikit-learn leaves open
    ours = KNeighborsClassifier(7, weights=weights, p=p, preprocess=None).fit(X[::2], y[::2])
    theirs = peers.KNeighborsClassifier(7, weights=weights, p=p).fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["l1", "l2", "cityblock", "braycurtis", "canberra", "correlation", "sqeuclidean"])
def test_metrics_by_scikit_learns_names(iris, metric, tmp_path):
    X, y = iris
    X = X + 1e-4 * np.random.default_rng(0).standard_normal(X.shape)
    ours = KNeighborsClassifier(7, metric=metric, algorithm="ball_tree", weights=None, preprocess=None).fit(X, y)
    theirs = peers.KNeighborsClassifier(7, metric=metric).fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(X)[0], theirs.kneighbors(X)[0], atol=1e-7)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    ours.save(tmp_path / "model")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict(X), ours.predict(X))
    for mode in ("connectivity", "distance"):
        expected = theirs.kneighbors_graph(X[:9], 3, mode).toarray()
        np.testing.assert_allclose(ours.kneighbors_graph(X[:9], 3, mode).toarray(), expected, atol=1e-7)


def test_a_distance_on_the_globe():
    X = np.radians([[45.4, 9.2], [41.9, 12.5], [48.9, 2.4], [51.5, 0.1]])
    ours = KNeighborsClassifier(1, metric="haversine", preprocess=None).fit(X, ["it", "it", "fr", "uk"])
    theirs = peers.KNeighborsClassifier(1, metric="haversine").fit(X, ["it", "it", "fr", "uk"])
    np.testing.assert_allclose(ours.kneighbors()[0], theirs.kneighbors()[0])
    with pytest.raises(NotSupportedError, match="without missing values"):
        KNeighborsClassifier(1, metric="canberra").fit([[1.0, np.nan], [2.0, 1.0]], [0, 1])


def test_the_regressor_agrees_with_scikit_learn():
    X, y = make_regression(200, 5, random_state=0)
    ours = KNeighborsRegressor(4, weights="distance", preprocess=None).fit(X[:150], y[:150])
    theirs = peers.KNeighborsRegressor(4, weights="distance").fit(X[:150], y[:150])
    np.testing.assert_allclose(ours.predict(X[150:]), theirs.predict(X[150:]))


def test_numbers_categories_and_missing_values_in_one_distance():
    X = pd.DataFrame({"size": [0.0, 6.0, 6.0, 12.0, np.nan], "colour": ["red", "red", "blue", "blue", None]})
    model = KNeighborsClassifier(5).fit(X, ["a", "b", "c", "d", "e"])
    distances, rows = model.kneighbors(pd.DataFrame({"size": [3.0], "colour": ["red"]}))
    # The standard deviation is √18: differences are divided by √2·√18 = 6. Mismatch and missing are 1.
    np.testing.assert_array_equal(rows, [[0, 1, 2, 4, 3]])
    np.testing.assert_allclose(distances, [[0.5, 0.5, np.hypot(0.5, 1), np.hypot(1, 1), np.hypot(1.5, 1)]])


def test_numbers_are_scaled_so_that_two_rows_differ_by_one_on_average(iris):
    """The neighbours are those of standardised numbers, which is what scikit-learn's users do."""
    X, y = iris
    values = np.asarray(X, dtype=float)
    model = KNeighborsClassifier(3).fit(values, y)
    scaled = values / model.fitted_.model.scale
    pairs = scaled[:, None] - scaled[None]
    np.testing.assert_allclose((pairs**2).mean(axis=(0, 1)), 1.0)
    standardised = (values - values.mean(axis=0)) / values.std(axis=0)
    theirs = peers.KNeighborsClassifier(3).fit(standardised, y)
    np.testing.assert_allclose(model.kneighbors(values)[0] * np.sqrt(2), theirs.kneighbors(standardised)[0], atol=1e-9)


def test_extreme_and_constant_numbers_have_a_scale():
    X = np.array([[1e308, 7.0, np.nan], [-1e308, 7.0, np.nan], [0.0, 7.0, np.nan]])
    scale = KNeighborsClassifier(1).fit(X, ["a", "b", "c"]).fitted_.model.scale
    assert np.isfinite(scale).all()
    assert scale[1] == scale[2] == 1.0


def test_neighbours_of_the_training_rows_exclude_themselves(iris):
    X, y = iris
    rows = KNeighborsClassifier(3).fit(X, y).kneighbors(return_distance=False)
    assert (rows != np.arange(len(X))[:, None]).all()


def test_k_is_chosen_by_cross_validation_with_its_curve(iris):
    X, y = iris
    model = KNeighborsClassifier("cv", max_neighbors=20, cv=5).fit(X, y)
    assert model.curve_.scores.shape == (20, 5)
    assert model.n_neighbors_ == model.curve_.best
    assert model.curve_.mean[model.n_neighbors_ - 1] == model.curve_.mean.max()


def test_of_many_rows_a_part_of_every_fold_chooses_k(iris, monkeypatch):
    asked, voters = [], Neighbors.voters
    monkeypatch.setattr(estimators, "MOST_QUERIES", 40)
    monkeypatch.setattr(Neighbors, "voters", lambda *of: asked.append(of[1].n_rows) or voters(*of))
    model = KNeighborsClassifier("cv", cv=5).fit(*iris)
    assert asked == [8] * 5
    assert model.curve_.mean.max() > 0.9


def test_the_curve_holds_what_fitting_each_k_gives(iris):
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    X, y = iris
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    weights = {"weights": "squared_distance", "preprocess": None}
    curve = KNeighborsClassifier("cv", cv=folds, max_neighbors=9, **weights).fit(X, y).curve_
    for k in (1, 4, 9):
        scores = cross_val_score(KNeighborsClassifier(k, **weights), X, y, cv=folds)
        np.testing.assert_allclose(curve.scores[k - 1], scores)


def test_rows_can_be_added_without_learning_again(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    whole = KNeighborsClassifier(preprocess=None).fit(X, names)
    grown = KNeighborsClassifier(preprocess=None).fit(X[:60], names[:60])
    assert len(grown.classes_) == 2
    grown.add(X[60:110], names[60:110]).partial_fit(X[110:], names[110:])
    np.testing.assert_array_equal(grown.classes_, whole.classes_)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))


def test_saved_and_loaded_it_predicts_the_same(iris, tmp_path):
    X, y = iris
    model = KNeighborsClassifier(weights="squared_distance").fit(X, y)
    model.save(tmp_path / "knn.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "knn.vaglio").predict_proba(X), model.predict_proba(X))


def test_a_function_cannot_be_saved_and_nothing_is_written(iris, tmp_path):
    X, y = iris
    model = KNeighborsClassifier(metric=lambda a, b: abs(a - b).sum()).fit(X, y)
    with pytest.raises(NotSupportedError, match="<lambda>"):
        model.save(tmp_path / "knn.vaglio")
    assert list(tmp_path.iterdir()) == []


def test_cosine_needs_complete_numbers():
    X = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]})
    with pytest.raises(NotSupportedError, match="cosine"):
        KNeighborsClassifier(metric="cosine").fit(X, [0, 1])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_distances_by_definition(metric: str) -> None:
    random = np.random.default_rng(0)
    n = 300
    y = random.integers(0, 2, n)
    told = np.where(random.random(n) < 0.4, y * 15 + random.integers(0, 15, n), random.integers(0, 30, n))
    codes = np.column_stack([told, random.integers(0, 100, n), random.integers(0, 4, n)])
    X = pd.DataFrame({name: [f"v{c}" for c in column] for name, column in zip(("told", "noise", "few"), codes.T)})
    X.loc[:20, "told"] = None
    X["number"] = random.normal(size=n)
    model = vaglio.KNeighborsClassifier(5, metric=metric).fit(X, y)
    r = model.reliability_
    assert 0 < r["told"] < 0.5  # or a difference would count in full
    assert r["noise"] == 0
    share = np.array([2 * r["told"], 0.0, 1.0])
    number = X["number"].to_numpy() / (np.sqrt(2) * X["number"].std(ddof=0))
    unequal = codes[:, None, :] != codes[None, :, :]
    unequal[:21, :, 0] = unequal[:, :21, 0] = True
    each = np.dstack([np.abs(number[:, None] - number[None]), share * unequal])
    join = {
        "euclidean": lambda d: np.sqrt((d**2).sum(axis=2)),
        "manhattan": lambda d: d.sum(axis=2),
        "chebyshev": lambda d: d.max(axis=2),
    }
    expected = np.sort(join[metric](each), axis=1)[:, :5]
    assert model.kneighbors(X)[0] == pytest.approx(expected)


def test_numbers_are_predicted_without_columns_of_noise() -> None:
    random = np.random.default_rng(1)
    X = pd.DataFrame({"x": random.normal(size=300)})
    noisy = X.assign(code=[f"v{c}" for c in random.integers(0, 75, 300)])
    y = X["x"] + 0.1 * random.normal(size=300)
    model = vaglio.KNeighborsRegressor(5).fit(noisy, y)
    assert model.reliability_ == {"code": 0.0}
    assert model.predict(noisy) == pytest.approx(vaglio.KNeighborsRegressor(5).fit(X, y).predict(X))


def test_no_row_is_added_to_a_calibrated_model(iris):
    X, y = iris
    model = KNeighborsClassifier(calibrate="temperature")
    with pytest.raises(InputError, match="With partial_fit, leave it out"):
        model.partial_fit(X, y)
    before = model.fit(X[:100], y[:100]).predict_proba(X)
    for add in (model.add, model.partial_fit):
        with pytest.raises(InputError, match="With partial_fit, leave it out"):
            add(X[100:], y[100:])
    with pytest.raises(NotSupportedError, match="calibrated to the rows it holds"):
        model.fitted_.add(X[100:], y[100:])
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("estimator", [vaglio.KNeighborsClassifier(3), vaglio.KNeighborsRegressor(3)])
def test_rows_with_weights_are_added_to_estimators_and_to_loaded_models(estimator, iris, tmp_path):
    X, y = iris
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0 + np.arange(len(y)) % 2)
    known = np.r_[0:40, 50:90]  # the third class comes later
    rest = np.setdiff1d(np.arange(len(y)), known)
    first = clone(estimator).fit(X[known], y[known])
    first.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    added = loaded.add(X[rest], y[rest], weight[rest])
    first.add(X[rest], y[rest], sample_weight=weight[rest])
    assert added.model.n_rows == len(known) + np.count_nonzero(weight[rest])
    np.testing.assert_array_equal(added.predict(X), first.predict(X))
    assert loaded.model.n_rows == len(known)
    added.save(tmp_path / "more.vaglio")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "more.vaglio").predict(X), first.predict(X))
    for wrong in ((X[:3], y[:2]), (X[:3], y[:3], [1, -1, 1])):
        with pytest.raises(vaglio.errors.InputError):
            loaded.add(*wrong)
    with pytest.raises(vaglio.errors.NotSupportedError, match="holds no training rows"):
        vaglio.ID3Classifier().fit(X, y).fitted_.add(X, y)


def test_fewer_rows_than_neighbors_is_said() -> None:
    with pytest.warns(vaglio.errors.DataWarning, match="5 neighbors are asked for, but there are 2 training rows"):
        model = KNeighborsClassifier(5).fit([[1.0], [2.0]], ["a", "b"])
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
