"""Multivariate Gaussians and their mixtures: QDA and LDA where they coincide, singular and missing data, sampling."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.mixture import GaussianMixture

import vaglio
from vaglio import GaussianMAPClassifier, GaussianMixtureClassifier, NaiveBayesClassifier
from vaglio.encode import Ranges
from vaglio.errors import DataWarning
from vaglio.learners.bayes.estimators import covariance as _covariance
from vaglio.learners.bayes.estimators.covariance import ledoit_wolf_share


def blobs(n: int = 300, p: int = 4, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    mix = rng.normal(size=(k, p, p))
    return np.einsum("nij,nj->ni", mix[y], rng.normal(size=(n, p))) + 2 * y[:, None], y


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_full_is_quadratic_discriminant_analysis(offset: float) -> None:
    X, y = blobs()
    ours = GaussianMAPClassifier().fit(X + offset, y)
    theirs = QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(
        ours.predict_log_proba(X + offset), theirs.predict_log_proba(X), rtol=1e-9 * max(1, offset), atol=1e-7
    )
    if not offset:
        np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_tied_is_linear_discriminant_analysis() -> None:
    X, y = blobs()
    ours = GaussianMAPClassifier("tied").fit(X, y)
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-9)


def test_diagonal_is_gaussian_naive_bayes() -> None:
    X, y = blobs()
    ours = GaussianMAPClassifier("diagonal").fit(X, y)
    naive = NaiveBayesClassifier("gaussian", var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), naive.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_shrinkage_is_ledoit_and_wolfs() -> None:
    X, _ = blobs(60, 6)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert ledoit_wolf_share(X - X.mean(axis=0), np.ones(60)) == pytest.approx(ledoit_wolf_shrinkage(z), rel=1e-9)
    X, y = blobs(40, 10)
    model = GaussianMAPClassifier("shrunk", shrinkage=1.0).fit(X, y)
    np.testing.assert_allclose(model.covariances_, GaussianMAPClassifier("diagonal").fit(X, y).covariances_)


def test_a_singular_covariance_is_mended_and_said() -> None:
    X, y = blobs(100, 3)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(100)])
    with pytest.warns(DataWarning, match="singular"):
        model = GaussianMAPClassifier().fit(X, y)
    assert model.score(X, y) > 0.6
    with pytest.warns(DataWarning, match="class 2 is singular"):
        few = GaussianMAPClassifier().fit(X[:, :3], np.where(np.arange(100) == 0, 2, y % 2))
    assert np.isfinite(few.predict_proba(X[:, :3])).all()


def test_a_missing_number_is_integrated_out() -> None:
    X, y = blobs()
    model = GaussianMAPClassifier().fit(X, y)
    part = GaussianMAPClassifier().fit(X[:, [0, 2]], y)
    holed = X[:20].copy()
    holed[:, [1, 3]] = np.nan
    np.testing.assert_allclose(model.predict_proba(holed), part.predict_proba(holed[:, [0, 2]]), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 4), np.nan))[0], model.class_prior_)
    holes = X.copy()
    holes[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    assert GaussianMAPClassifier().fit(holes, y).score(X, y) > model.score(X, y) - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [GaussianMAPClassifier(), GaussianMixtureClassifier(2)], ids=["map", "mixture"])
def test_mixed_tables_sample_save_and_explain(estimator, tmp_path) -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = estimator.fit(X, y)
    assert model.score(X, y) > 0.97
    label = model.classes_[0]
    drawn = model.sample(500, label=label, random_state=0)
    assert list(drawn.columns) == list(X.columns)
    assert (model.predict(drawn) == label).mean() > 0.9
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
    rows = X[::50]
    order = np.sort(model.predict_log_proba(rows), axis=1)
    for explanation, top, second in zip(model.explain(rows), order[:, -1], order[:, -2]):
        total = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        assert total == pytest.approx(top - second, rel=1e-7, abs=1e-7)


def two_humps(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return rng.normal(np.where(y == 0, rng.choice([-4.0, 4.0], n), 0.0)[:, None], 1.0, (n, 2)), y


def test_components_are_chosen_by_bic() -> None:
    X, y = two_humps()
    model = GaussianMixtureClassifier().fit(X, y)
    assert model.n_components_.tolist() == [2, 1]
    assert [int(np.argmin(bic)) + 1 for bic in model.bic_] == [2, 1]
    assert model.score(X, y) > GaussianMAPClassifier().fit(X, y).score(X, y)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_density_is_that_of_scikit_learns_mixture(covariance_type: str) -> None:
    X, _ = two_humps()
    model = GaussianMixtureClassifier(3, covariance_type=covariance_type).fit(X, np.zeros(len(X)))
    fitted = model.fitted_.model
    peer = GaussianMixture(len(fitted.weight))
    peer.weights_, peer.means_, peer.covariances_ = fitted.weight, fitted.mean, fitted.covariance
    peer.precisions_cholesky_ = np.linalg.inv(np.linalg.cholesky(fitted.covariance)).transpose(0, 2, 1)
    ours = fitted.joint_log_likelihood(model._encode(X))[:, 0]
    np.testing.assert_allclose(ours, peer.score_samples(X), rtol=1e-9)


@pytest.mark.slow
def test_fractional_weights_are_taken_in_sixteenths() -> None:
    X, y = two_humps(200)
    weight = np.random.default_rng(2).random(200) + 0.5
    assert GaussianMixtureClassifier().fit(X, y, weight).score(X, y) > 0.9


def test_a_frame_without_numbers(tmp_path) -> None:
    X = pd.DataFrame({"a": ["x", "y"] * 5, "b": ["u", "u", "v", "v", "u"] * 2})
    y = ["p", "q"] * 5
    for model in (GaussianMAPClassifier(), GaussianMixtureClassifier()):
        naive = NaiveBayesClassifier().fit(X, y)
        np.testing.assert_allclose(model.fit(X, y).predict_proba(X), naive.predict_proba(X))
        model.save(tmp_path / "model")
        np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("far", [0.0, 1e7])
def test_variance_over_all_classes_is_that_of_their_sums(far):
    rng = np.random.default_rng(0)
    x, y, weight = rng.normal(size=(200, 3)) + far, np.arange(200) % 3, rng.random(200)
    x[y == 1] += 5
    for w in (np.ones(200), weight):
        parts = [_covariance.scatter(x[y == c], w[y == c], None) for c in range(3)]
        expected = np.cov(x.T, aweights=w, ddof=0).diagonal()
        np.testing.assert_allclose(_covariance._variance_of_parts(parts), expected, rtol=1e-7)


def test_a_class_of_a_table_without_missing_values_is_learned_as_with_them():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(90, 4)), np.arange(90) % 3
    ranges = [Ranges(x.min(axis=0), x.max(axis=0), missing, True) for missing in (False, True)]
    fits = [_covariance.fit_class_gaussians(x, y, None, np.arange(3), "full", "auto", known) for known in ranges]
    assert fits[0].covariance.tobytes() == fits[1].covariance.tobytes()
    assert fits[0].mean.tobytes() == fits[1].mean.tobytes()
