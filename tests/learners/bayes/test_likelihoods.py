"""Likelihoods of numbers: named distributions against SciPy's, and the choice of one against models of each fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris, load_wine

import vaglio
from vaglio import NaiveBayesClassifier, _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.bayes.estimators import likelihood_choice

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
    with pytest.raises(InputError, match="in row 8, but the likelihood"):
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


FOLDS = 5
NAMES = ("mdl", "gaussian", "kde")  # in the order of the kernel's answer; "auto" is "mdl" where it cuts


def brute_force(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fold: np.ndarray, **params: float) -> np.ndarray:
    """Errors and log-loss of every likelihood, from a model of its own for every fold."""
    found = np.zeros((3, 2))
    weight = np.ones(len(y)) if w is None else w
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        for at, name in enumerate(NAMES):
            model = NaiveBayesClassifier(name, **params).fit(X[train], y[train], None if w is None else w[train])
            p = model.predict_proba(X[test])
            right = np.maximum(p[np.arange(len(p)), y[test]], 1e-12)
            found[at] += weight[test] @ (p.argmax(axis=1) != y[test]), -weight[test] @ np.log(right)
    return found


def kernel_losses(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fold: np.ndarray, threads: int) -> np.ndarray:
    k = y.max() + 1
    kept = np.array([np.bincount(y[fold != f], None if w is None else w[fold != f], k) for f in range(FOLDS)])
    prior = np.log(kept / kept.sum(axis=1, keepdims=True))
    none_cut = np.zeros(FOLDS, dtype=np.uint8)
    return _core.kept_out_losses(X, y, w, fold, prior, prior[fold], none_cut, 1.0, 5.0, True, threads)


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_losses_are_those_of_models_trained_on_the_other_folds(load: object, weighted: bool, gaps: float) -> None:
    X, y = load(return_X_y=True)  # type: ignore[operator]
    rng = np.random.default_rng(0)
    X = np.where(rng.random(X.shape) < gaps, np.nan, X)
    w = rng.integers(1, 4, len(y)) * 0.5 if weighted else None
    fold = folds_of(X, y)
    expected = brute_force(X, y, w, fold, alpha=1.0, var_smoothing=5.0)
    found = kernel_losses(X, y, w, fold, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert (kernel_losses(np.asfortranarray(X), y, w, fold, 3) == found).all()


def test_columns_without_any_cut_are_normal() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    fold = (np.arange(60) % FOLDS).astype(np.int32)
    found = kernel_losses(X, y, None, fold, 1)
    assert (found[0] == found[1]).all()


def folds_of(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    keys = likelihood_choice.content_keys(EncodedMatrix.from_arrays(X))
    return likelihood_choice.content_folds(keys, y, FOLDS)


def test_folds_depend_on_what_rows_hold_and_on_no_order_name_or_unit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
    X[rng.random(X.shape) < 0.1] = np.nan
    fold, order = folds_of(X, y), rng.permutation(60)
    for c in range(3):
        counts = np.bincount(fold[y == c], minlength=FOLDS)
        assert np.ptp(counts) <= 1
    np.testing.assert_array_equal(folds_of(X[order], y[order]), fold[order])
    np.testing.assert_array_equal(folds_of(np.ascontiguousarray(X[:, ::-1]), y), fold)
    np.testing.assert_array_equal(folds_of(X * 2.0**-900, y), fold)
    np.testing.assert_array_equal(folds_of(np.column_stack([np.full(60, 7.0), X]), y), fold)
    np.testing.assert_array_equal(folds_of(X, (y + 1) % 3), fold)
    np.testing.assert_array_equal(folds_of(np.repeat(X, 2, axis=0), np.repeat(y, 2)), np.repeat(fold, 2))


@pytest.mark.parametrize("arguments", ["fold", "others", "cut"])
def test_the_kernel_refuses_arrays_that_do_not_fit(arguments: str) -> None:
    X, y, fold = np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.zeros(4, dtype=np.int32)
    prior, others, cut = np.zeros((2, 2)), np.zeros((4, 2)), np.zeros(2, dtype=np.uint8)
    if arguments == "fold":
        fold = fold + np.int32(2)
    elif arguments == "others":
        others = others[:3]
    else:
        cut = cut[:1]
    with pytest.raises(ValueError, match="fold" if arguments != "others" else "sum per row"):
        _core.kept_out_losses(X, y, None, fold, prior, others, cut, 1.0, 5.0, True, 1)


def test_other_columns_take_part_in_the_choice() -> None:
    # The nominal column gives the class away: whatever the number says, its density makes no more errors, and the
    # choice falls on the smaller log-loss. Without that column intervals make fewer errors.
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({"x": np.where(y == 1, rng.choice([-3.0, 3.0], 400), 0.0) + rng.normal(size=400) * 0.4})
    assert NaiveBayesClassifier().fit(X, y).likelihoods_["x"] in ("mdl", "kde")
    told = NaiveBayesClassifier(alpha=0).fit(X.assign(z=np.array(["no", "yes"])[y]), y)
    assert told.likelihoods_["z"] == "frequency"
    assert (told.predict(X.assign(z=np.array(["no", "yes"])[y])) == y).all()


def test_columns_of_few_values_are_found_without_counting_the_others():
    rng = np.random.default_rng(0)
    n = 300
    columns = [
        rng.normal(size=n),  # many from the first row on
        np.where(np.arange(n) < 200, 1.0, np.arange(n)),  # many, but not among the first rows
        rng.integers(0, 10, n).astype(float),  # just few enough
        rng.integers(0, 11, n).astype(float),  # one too many
        np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n)),  # many, mostly missing
        np.full(n, np.nan),
        np.where(rng.random(n) < 0.5, 0.0, -0.0),
    ]
    matrix = EncodedMatrix.from_arrays(np.column_stack(columns))
    y = rng.integers(0, 2, n)
    asked = dict.fromkeys(range(len(columns)), "auto")
    present = [column[~np.isnan(column)] for column in columns]
    expected = [0 < len(np.unique(column)) <= 10 for column in present]
    few, many = likelihood_choice.split_auto(asked, matrix, y, None, 2, 1)
    assert [j in few for j in asked] == expected
    assert sorted(few + many) == list(asked)
