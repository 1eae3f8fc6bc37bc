"""Rows of float32 are predicted as the same numbers in float64, bit for bit; the forest reads them without a copy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vaglio

MODELS = {
    "forest": vaglio.RandomForestClassifier(5, random_state=0),
    "shallow forest": vaglio.RandomForestClassifier(5, max_depth=3, random_state=0),
    "forest of numbers": vaglio.RandomForestRegressor(5, random_state=0),
    "bagging": vaglio.BaggingClassifier(n_estimators=3, max_features=0.7, random_state=0),
    "bagged numbers": vaglio.BaggingRegressor(n_estimators=3, random_state=0),
    "adaboost": vaglio.AdaBoostClassifier(n_estimators=5, random_state=0),
    "boosting": vaglio.HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "tree": vaglio.DecisionTreeClassifier(random_state=0),
}


def _training(rows=300):
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, 5))
    X[random.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0).astype(int) + (np.nan_to_num(X[:, 2]) > 1)
    return X, y


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return MODELS[request.param].fit(*_training())


def _answers(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def _fitted_answers(model, X):
    return model.fitted_.predict_proba(X) if hasattr(model, "predict_proba") else model.fitted_.predict(X)


def _same(model, X):
    assert X.dtype == np.float32
    wide = X.astype(np.float64)
    assert _answers(model, X).tobytes() == _answers(model, wide).tobytes()
    assert _fitted_answers(model, X).tobytes() == _fitted_answers(model, wide).tobytes()


def _near_thresholds(model, rows, seed):
    """Return numbers around those that the trees ask for: float32 rounds them to either side."""
    random = np.random.default_rng(seed)
    asked = np.append(random.choice(_training()[0].ravel(), rows * 5), np.nan)
    X = random.choice(asked, (rows, 5)).astype(np.float32)
    return np.nextafter(X, random.choice(np.array([-9, 9], dtype=np.float32), X.shape))


@pytest.mark.slow
@given(rows=st.sampled_from([1, 2, 15, 16, 17, 63, 64, 65, 200, 4097]), seed=st.integers(0, 2**20))
@settings(max_examples=12, deadline=None)
def test_float32_is_predicted_as_float64(fitted, rows, seed):
    _same(fitted, _near_thresholds(fitted, rows, seed))


def test_any_layout_is_predicted_alike(fitted):
    X = _near_thresholds(fitted, 200, 1)
    expected = _answers(fitted, X).tobytes()
    apart = np.zeros((400, 10), dtype=np.float32)
    apart[::2, ::2] = X
    for same in (np.asfortranarray(X), apart[::2, ::2], X[::-1][::-1]):
        assert _answers(fitted, same).tobytes() == expected
        _same(fitted, same)


@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(fitted, number):
    X = np.zeros((70, 5), dtype=np.float32)
    X[3, 2] = number
    with pytest.raises(ValueError, match="infinit"):
        fitted.predict(X)
    with pytest.raises(ValueError, match="infinit"):
        _fitted_answers(fitted, X)


def test_a_wrong_number_of_columns_is_refused(fitted):
    with pytest.raises(ValueError, match=r"features|columns"):
        fitted.predict(np.zeros((3, 4), dtype=np.float32))


def test_categories_beside_float32_are_predicted_alike():
    X, y = vaglio.datasets.load("penguins").xy("species")
    frame = X.to_frame()
    model = vaglio.RandomForestClassifier(10, random_state=0).fit(frame, y)
    single = frame.copy()
    for name in frame.columns:
        if frame[name].dtype == np.float64:
            single[name] = frame[name].astype(np.float32)
    wide = single.copy()
    for name in frame.columns:
        if single[name].dtype == np.float32:
            wide[name] = single[name].astype(np.float64)
    assert (single.dtypes == np.float32).any()
    assert model.predict_proba(single).tobytes() == model.predict_proba(wide).tobytes()


def test_the_forest_reads_float32_without_a_copy():
    X, y = _training()
    model = vaglio.RandomForestClassifier(5, random_state=0).fit(X, y)
    single = np.ascontiguousarray(X, dtype=np.float32)
    matrix = model._encode(single)
    model.fitted_.model.predict_proba(matrix)
    assert matrix.given_rows is single
    assert "numeric" not in vars(matrix)
