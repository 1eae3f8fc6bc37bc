"""Naive Bayes with Poisson, exponential and log-normal columns, against SciPy's distributions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import vaglio
from vaglio import NaiveBayesClassifier
from vaglio.errors import InputError, NotSupportedError

KINDS = ("poisson", "exponential", "lognormal")


def table(n: int = 200, missing: float = 0.1) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Three classes, one column per distribution, weights, and some missing values."""
    rng = np.random.default_rng(3)
    y = rng.choice(["p", "q", "r"], n)
    size = pd.Series(y).map({"p": 1.0, "q": 2.0, "r": 4.0}).to_numpy()
    X = pd.DataFrame(
        {"poisson": rng.poisson(size), "exponential": rng.exponential(size), "lognormal": rng.lognormal(size, 0.5)}
    )
    return X.mask(rng.random(X.shape) < missing), y, rng.uniform(0.5, 2, n)


def log_pdf(
    kind: str, x: np.ndarray, known: np.ndarray, weight: np.ndarray, alpha: float, overall: float
) -> np.ndarray:
    """The log density by SciPy, with parameters of largest likelihood (and α rows of the overall mean)."""
    if kind == "lognormal":
        mean = np.average(np.log(known), weights=weight)
        deviation = np.sqrt(np.average((np.log(known) - mean) ** 2, weights=weight))
        return stats.lognorm(s=deviation, scale=np.exp(mean)).logpdf(x)
    mean = ((weight * known).sum() + alpha * overall) / (weight.sum() + alpha)
    return stats.poisson(mean).logpmf(x) if kind == "poisson" else stats.expon(scale=mean).logpdf(x)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_probabilities_follow_from_scipys_densities(alpha: float) -> None:
    X, y, weight = table()
    model = NaiveBayesClassifier({name: name for name in KINDS}, alpha=alpha, var_smoothing=0)
    model.fit(X, y, sample_weight=weight)
    assert model.likelihoods_ == {name: name for name in KINDS}
    joint = np.empty((len(X), 3))
    for c, label in enumerate(model.classes_):
        joint[:, c] = np.log(weight[y == label].sum() / weight.sum())
        for name in KINDS:
            here = (y == label) & X[name].notna().to_numpy()
            present = X[name].notna().to_numpy()
            overall = np.average(X[name][present], weights=weight[present])
            evidence = log_pdf(name, X[name].to_numpy(), X[name][here].to_numpy(), weight[here], alpha, overall)
            joint[:, c] += np.where(np.isnan(X[name]), 0.0, evidence)
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_one_name_serves_all_columns_and_survives_the_file(kind: str, tmp_path) -> None:
    X, y, _ = table()
    X = X[[kind]].assign(word=np.where(np.arange(len(X)) % 2, "a", "b"))
    model = NaiveBayesClassifier(kind).fit(X, y)
    assert model.likelihoods_ == {kind: kind, "word": "frequency"}
    model.save(tmp_path / "model")
    again = vaglio.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    pd.testing.assert_frame_equal(again.sample(5, random_state=0), model.sample(5, random_state=0), check_dtype=False)
    explanation = model.explain(X.dropna().head(1))[0]
    assert any(reason.feature == kind for reason in (*explanation.reasons, *explanation.against))


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_distribution(kind: str) -> None:
    X, y, _ = table(3000, missing=0.0)
    model = NaiveBayesClassifier(kind, alpha=0, var_smoothing=0).fit(X[[kind]], y)
    drawn = model.sample(4000, label="q", random_state=0)[kind]
    assert drawn.mean() == pytest.approx(X[kind][y == "q"].mean(), rel=0.05)
    assert drawn.std() == pytest.approx(X[kind][y == "q"].std(), rel=0.12)
    assert drawn.max() <= X[kind].max()
    if kind == "poisson":
        assert drawn.dtype.kind == "i"


@pytest.mark.parametrize(("kind", "value"), [("poisson", 1.5), ("exponential", -1.0), ("lognormal", 0.0)])
def test_a_number_the_distribution_cannot_produce(kind: str, value: float) -> None:
    X, y, _ = table(missing=0.0)
    model = NaiveBayesClassifier(kind).fit(X[[kind]], y)
    prior = model.class_prior_
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({kind: [value, np.nan]})), [prior, prior])
    wrong = X[[kind]].astype(float)
    wrong.loc[7, kind] = value
    with pytest.raises(InputError, match="in row 7, but the likelihood"):
        NaiveBayesClassifier(kind).fit(wrong, y)


def test_a_class_of_zeros_and_a_class_without_values() -> None:
    X = pd.DataFrame({"n": [0, 0, 0, 3, 4, 5, np.nan, np.nan]})
    y = ["none", "none", "none", "some", "some", "some", "unknown", "unknown"]
    for alpha in (0, 1):
        model = NaiveBayesClassifier("poisson", alpha=alpha).fit(X, y)
        assert np.isfinite(model.predict_log_proba(X)).all()
        assert model.predict(X.head(6)).tolist() == y[:6]


def test_not_in_parts() -> None:
    X, y, _ = table(missing=0.0)
    with pytest.raises(NotSupportedError, match="'poisson' needs all rows"):
        NaiveBayesClassifier("poisson").partial_fit(X, y, classes=["p", "q", "r"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "it"])
def test_the_trace_has_the_numbers_of_the_learner(kind: str, language: str) -> None:
    X, y, _ = table(30, missing=0.0)
    row = X[[kind]].head(1)
    trace = vaglio.trace(NaiveBayesClassifier(kind), X[[kind]], y, row=row, lang=language)
    model = NaiveBayesClassifier(kind).fit(X[[kind]], y)
    posterior = trace.facts["posterior"]
    np.testing.assert_allclose(list(posterior.values()), model.predict_proba(row)[0], rtol=1e-9)
