"""Linear regression against scikit-learn, against folds learned one by one, and against what its intervals promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Ridge
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.model_selection import KFold

import vaglio
from vaglio.errors import InputError, ModelFileError
from vaglio.fitted.file import from_bytes, to_bytes


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    """Rows whose squared and absolute penalties are on the scale that vaglio's parameters have."""
    X, y = load_diabetes(return_X_y=True)
    return X * 10, (y - y.mean()) / y.std()


def plain(alpha: Any = "auto", **params: Any) -> vaglio.LinearRegression:
    return vaglio.LinearRegression(alpha, preprocess=None, **params)


def test_equals_scikit_learn_with_and_without_weights():
    X, y = diabetes()
    whole = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    for weight in (None, whole):
        # The unit of the target is its deviation over the rows that count.
        spread = float(np.sqrt(np.cov(y, fweights=None if weight is None else whole.astype(int), ddof=0)))
        total = len(y) if weight is None else whole.sum()
        theirs = TheirLinearRegression().fit(X, y, weight)
        np.testing.assert_allclose(plain(0.0).fit(X, y, weight).coef_, theirs.coef_, rtol=1e-9)
        for alpha in (1e-3, 0.1, 10.0):
            found = plain(alpha).fit(X, y, weight)
            np.testing.assert_allclose(found.coef_, Ridge(alpha * total).fit(X, y, weight).coef_, rtol=1e-9)
            for share in (0.5, 1.0):
                # Two numbers say the same in another unit: what is absolute is divided by it, what is squared is not.
                absolute, squared = alpha / 10 * share / spread, alpha / 10 * (1 - share)
                strength = absolute + squared
                found = plain(strength, l1_ratio=absolute / strength).fit(X, y, weight)
                net = ElasticNet(alpha / 10, l1_ratio=share, tol=1e-10, max_iter=100_000).fit(X, y, weight)
                np.testing.assert_allclose(found.predict(X), net.predict(X), atol=1e-7)
                np.testing.assert_allclose(found.coef_, net.coef_, atol=1e-6)


def rows_of_every_sort() -> dict[str, tuple[Any, np.ndarray]]:
    """Return tables that least squares find hard, or that kernels take another way."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 5))
    y = X @ [1.0, -2.0, 0.0, 3.0, 0.5] + random.normal(size=300)
    holes = np.where(random.random(X.shape) < 0.2, np.nan, X)
    return {
        "plain": (X, y),
        "one column": (X[:, :1], y),
        "one row": (X[:1], y[:1]),
        "two rows": (X[:2], y[:2]),
        "a block and a row": (random.normal(size=(1025, 3)), random.normal(size=1025)),
        "by columns": (np.asfortranarray(X), y),
        "gaps in memory": (np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2], y),
        "single precision": (X.astype(np.float32), y),
        "far from 0": (X + 1e7 * np.arange(5), y),
        "of all sizes": (X * [1e-9, 1e-3, 1.0, 1e5, 1e150], y),
        "the smallest and largest": (np.column_stack([X[:, :3], X[:, 3] * 1e-320, X[:, 4] * 1e305]), y),
        "constant columns": (np.column_stack([X, np.full(300, 0.1), np.zeros(300)]), y),
        "missing": (holes, y),
        "never known": (np.column_stack([X, np.full(300, np.nan)]), y),
        "nearly the same": (np.column_stack([X, X[:, 0] + 1e-6 * X[:, 1]]), y),
        "the same": (np.column_stack([X, X[:, 0]]), y),
        "wide": (random.normal(size=(40, 60)), random.normal(size=40)),
        "constant target": (X, np.full(300, 0.3)),
    }


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sort", rows_of_every_sort())
def test_least_squares_are_those_of_singular_values(sort: str, weighted: bool):
    X, y = rows_of_every_sort()[sort]
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    model = vaglio.LinearRegression(0.0).fit(X, y, weight)
    encoder = model.fitted_.model.encoder
    rows = encoder.transform(model.fitted_.codebook.encode(np.asarray(X, dtype=np.float64)))
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    centre, middle = np.average(rows, axis=0, weights=weight), np.average(y, weights=weight)
    coef = np.linalg.lstsq((rows - centre) * root[:, None], (y - middle) * root, rcond=1e-13)[0]
    expected = middle + (rows - centre) @ coef
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-6 * (1 + np.abs(y).max()))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
@pytest.mark.parametrize("sort", rows_of_every_sort())
def test_ridge_and_lasso_are_scikit_learns_on_the_encoded_rows(sort: str, alpha: float):
    X, y = rows_of_every_sort()[sort]
    ridge, lasso = vaglio.LinearRegression(alpha).fit(X, y), vaglio.LinearRegression(alpha, l1_ratio=1.0).fit(X, y)
    encoder = ridge.fitted_.model.encoder
    rows = encoder.transform(ridge.fitted_.codebook.encode(np.asarray(X, dtype=np.float64)))
    theirs = Ridge(alpha * len(y)).fit(rows, y)
    np.testing.assert_allclose(ridge.predict(X), theirs.predict(rows), atol=1e-6 * (1 + np.abs(y).max()))
    spread = y.std() if y.std() > 1e-14 else 1.0
    net = ElasticNet(alpha * spread, l1_ratio=1.0, tol=1e-12, max_iter=100_000).fit(rows, y)
    np.testing.assert_allclose(lasso.predict(X), net.predict(rows), atol=1e-5 * (1 + np.abs(y).max()))


@pytest.mark.parametrize("alpha", [0.0, 1e-2, "auto"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_categories_are_learned_as_their_indicators_are(alpha: Any, weighted: bool):
    """Their columns are sparse: the same model as of the columns written out, and of fewer categories."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, 600)
    words = [None if code == 39 else f"w{code:02}" for code in codes]
    table = vaglio.Table.from_any(pd.DataFrame({"number": random.normal(size=600), "word": words}))
    y = np.where(codes % 3 == 0, 2.0, 0.0) + random.normal(size=600)
    weight = random.integers(1, 4, 600).astype(float) if weighted else None
    model = vaglio.LinearRegression(alpha, high_cardinality=None).fit(table, y, weight)
    fitted = model.fitted_
    rows = fitted.model.encoder.transform(fitted.codebook.encode(table))
    assert sp.issparse(fitted.model.encoder.compact(fitted.codebook.encode(table)))
    total = 600 if weight is None else weight.sum()
    theirs = Ridge(model.alpha_ * total, tol=1e-12).fit(rows, y, weight)
    np.testing.assert_allclose(model.predict(table), theirs.predict(rows), atol=1e-6)
    np.testing.assert_allclose(fitted.model.coef[0], theirs.coef_, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_chosen_penalty_is_that_of_folds_learned_one_by_one(l1_ratio: float):
    X, y = diabetes()
    X, y = X[:80], y[:80]
    folds = list(KFold(4, shuffle=True, random_state=3).split(X))
    model = plain(l1_ratio=l1_ratio, cv=folds).fit(X, y)
    chosen = np.linspace(0, len(model.alphas_) - 1, 5).astype(int)
    spread = y.std()
    for at in chosen.tolist():
        alpha, squares = float(model.alphas_[at]), 0.0
        for train, test in folds:
            # A model of part of the rows has the unit of that part: the penalty is brought to it.
            own = y[train].std() / spread
            absolute, squared = alpha * l1_ratio / own, alpha * (1 - l1_ratio)
            strength = absolute + squared
            share = absolute / strength if strength else 0.0
            part = plain(strength, l1_ratio=share).fit(X[train], y[train])
            squares += ((part.predict(X[test]) - y[test]) ** 2).sum()
        assert model.cv_error_[at] == pytest.approx(squares / len(y), rel=1e-5)
    assert model.alpha_ == model.alphas_[np.argmin(model.cv_error_)]
    # A splitter, and a split that is not into folds, are taken too.
    again = plain(l1_ratio=l1_ratio, cv=KFold(4, shuffle=True, random_state=3)).fit(X, y)
    np.testing.assert_allclose(again.cv_error_, model.cv_error_)
    apart = plain(l1_ratio=l1_ratio, cv=[(train, test[:5]) for train, test in folds]).fit(X, y)
    assert np.isfinite(apart.cv_error_).all()


def test_the_path_starts_at_nothing_and_ends_at_the_least_penalty():
    X, y = diabetes()
    model = plain(l1_ratio=1.0).fit(X, y)
    assert (model.coef_path_[0] == 0).all()
    for at in (10, 50, 99):
        alone = plain(float(model.alphas_[at]), l1_ratio=1.0).fit(X, y)
        np.testing.assert_allclose(model.coef_path_[at], alone.coef_, atol=1e-4)
    ridge = plain().fit(X, y)
    np.testing.assert_allclose(ridge.coef_path_[-1], plain(0.0).fit(X, y).coef_, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_no_unit_changes_the_model(l1_ratio: float):
    X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    expected = vaglio.LinearRegression(l1_ratio=l1_ratio).fit(X, y)
    for factor in (1e-12, 1e12, 1e300, 1e-300):
        found = vaglio.LinearRegression(l1_ratio=l1_ratio).fit(X, y * factor)
        np.testing.assert_allclose(found.predict(X) / factor, expected.predict(X), rtol=1e-9)
        assert found.alpha_ == pytest.approx(expected.alpha_, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_sparse_rows_give_the_same_as_dense_ones(l1_ratio: float):
    random = np.random.default_rng(0)
    rows = sp.random(200, 30, 0.1, format="csr", random_state=0)
    y = rows @ random.normal(size=30) + random.normal(size=200)
    for alpha in (0.0, 0.05, "auto"):
        for fit_intercept in (True, False):
            given = {"l1_ratio": l1_ratio, "fit_intercept": fit_intercept}
            dense = plain(alpha, **given).fit(rows.toarray(), y)
            sparse = plain(alpha, **given).fit(rows, y)
            np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
            assert sparse.intercept_ == pytest.approx(dense.intercept_, abs=1e-8)
            assert fit_intercept or sparse.intercept_ == 0


@pytest.mark.slow
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_more_columns_than_rows_are_learned_by_passes(l1_ratio: float):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 1600))
    y = X[:, 0] + 0.1 * random.normal(size=60)
    # The deviation of y is its unit for the absolute penalty.
    model = plain(0.05, l1_ratio=l1_ratio).fit(X, y)
    theirs = Ridge(0.05 * 60) if l1_ratio == 0 else ElasticNet(0.05 * y.std(), l1_ratio=1.0, tol=1e-10)
    np.testing.assert_allclose(model.predict(X), theirs.fit(X, y).predict(X), atol=1e-5)
    assert model.coef_path_.shape == (0, 1600)
    assert "low" not in model.coefficients()
    chosen = plain(l1_ratio=1.0, cv=3).fit(X, y)
    assert abs(chosen.coef_[0] - 1) < 0.2
    assert np.abs(chosen.coef_[1:]).max() < 0.1


def test_columns_that_are_sums_of_others_have_coefficients_of_least_norm():
    X, y = diabetes()
    twice = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], np.ones(len(X))])
    theirs = TheirLinearRegression().fit(twice, y)
    model = plain(0.0).fit(twice, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-8)
    assert np.isfinite(model.coefficients()["std_error"]).all()


def test_coefficients_add_up_to_the_prediction_in_the_units_of_the_table():
    table = vaglio.datasets.load("penguins").select(["flipper_length_mm", "bill_depth_mm", "sex", "body_mass_g"])
    X, y = table.xy("body_mass_g", task="regression")
    for alpha in (0.0, "auto"):
        model = vaglio.LinearRegression(alpha).fit(X, y)
        frame, told = X.to_frame(), model.coefficients().set_index("name")["coefficient"]
        total = told["(intercept)"] + sum(
            told[name] * frame[name].fillna(frame[name].mean()) for name in ("flipper_length_mm", "bill_depth_mm")
        )
        total = total + frame["sex"].map({"male": told["sex=male"], "female": told.get("sex=female", 0.0)}).fillna(0.0)
        np.testing.assert_allclose(model.predict(X), total.to_numpy(), rtol=1e-10)
        why = model.explain(X[[0]], counterfactual=False)[0]
        weights = [reason.weight for reason in (*why.reasons, *why.against)]
        assert sum(weights) == pytest.approx(why.total) == pytest.approx(why.decision)


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say():
    """Normal errors: 95 of 100 intervals of least squares hold the true coefficient, those of ridge on average."""
    random = np.random.default_rng(0)
    held: dict[str, list[np.ndarray]] = {"least squares": [], "ridge": []}
    for _ in range(400):
        truth = np.concatenate([[3.0], random.normal(size=4) * 0.3])
        X = random.normal(size=(40, 4)) * [1.0, 10.0, 0.1, 1.0]
        y = truth[0] + X / [1.0, 10.0, 0.1, 1.0] @ truth[1:] + random.normal(size=40)
        truth[1:] /= [1.0, 10.0, 0.1, 1.0]
        for name, alpha in (("least squares", 0.0), ("ridge", 1 / (40 * 0.09))):
            # The penalty of a Bayesian who knows the spread of the coefficients, in units of the error.
            told = vaglio.LinearRegression(alpha).fit(X, y).coefficients()
            held[name].append(((told["low"] <= truth) & (truth <= told["high"])).to_numpy())
    assert np.mean(held["least squares"]) == pytest.approx(0.95, abs=0.015)
    assert np.mean(held["ridge"]) == pytest.approx(0.95, abs=0.02)


def test_what_cannot_be_known_is_left_out():
    X, y = diabetes()
    assert list(plain(0.1, l1_ratio=1.0).fit(X, y).coefficients()) == ["name", "coefficient"]
    assert list(plain(0.0).fit(X[:8], y[:8]).coefficients()) == ["name", "coefficient"]
    with pytest.raises(InputError, match="confidence must be between"):
        plain(0.0).fit(X, y).coefficients(confidence=95)
    with pytest.warns(ConvergenceWarning, match="still moving after 2 passes"):
        plain(0.001, l1_ratio=1.0, max_iter=2).fit(X, y)


def test_a_file_that_promises_the_log_odds_of_a_number_is_refused():
    X, y = diabetes()
    fitted = plain(0.1).fit(X[:20], y[:20]).fitted_
    data = to_bytes(fitted)
    np.testing.assert_array_equal(from_bytes(data).predict(X), fitted.predict(X))
    arrays, meta = fitted.model.state()
    read = type(fitted.model).from_state
    with pytest.raises(ModelFileError, match="log-odds"):
        read(arrays, {**meta, "probabilistic": True}, fitted.codebook.features, 0)
    with pytest.raises(ModelFileError, match="two classes"):
        read(arrays, meta, fitted.codebook.features, 1)


def test_setting_coefficients_changes_predictions():
    X, y = diabetes()
    model = plain(0.0).fit(X, y)
    model.coef_ = np.zeros(10)
    model.intercept_ = 7.0
    assert (model.predict(X) == 7.0).all()
