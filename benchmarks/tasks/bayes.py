"""Naive Bayes: Gaussian likelihoods compared with scikit-learn's GaussianNB, mixed tables with Weka's NaiveBayes.

The time of a fit includes everything from the array or Table to the fitted estimator. Weka's is its own build time.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

import vaglio
from benchmarks import data, weka
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure, with_threads


def run() -> list[Row]:
    return [*_gaussian(), *_parts(), *_adult()]


def _gaussian() -> list[Row]:
    """Fit and predict 2 000 000 x 30, three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2_000_000)
    X = rng.normal(size=(2_000_000, 30)) + 0.3 * y[:, None]
    peer = f"scikit-learn {sklearn.__version__}"
    fit_seconds, theirs = measure(lambda: GaussianNB().fit(X, y), 3)
    predict_seconds, predicted = measure(lambda: theirs.predict(X), 3)
    score = accuracy_score(y, predicted)
    rows = []
    for threads in (1, 2):
        named = with_threads(threads)
        estimator = vaglio.NaiveBayesClassifier("gaussian", n_jobs=threads)
        seconds, ours = measure(partial(estimator.fit, X, y))
        classify, found = measure(partial(ours.predict, X), 3)
        rows.append(Row(f"fit 2000000 x 30, {named}", OURS, threads, seconds, accuracy_score(y, found)))
        rows.append(Row(f"fit 2000000 x 30, {named}", peer, 1, fit_seconds, score))
        rows.append(Row(f"classify 2000000 x 30, {named}", OURS, threads, classify, accuracy_score(y, found)))
        rows.append(Row(f"classify 2000000 x 30, {named}", peer, 1, predict_seconds, score))
    return rows


def _parts() -> list[Row]:
    """Call partial_fit on twenty parts of 50 000 x 30; the score is the largest difference from one fit."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 1_000_000)
    X = rng.normal(size=(1_000_000, 30)) + 0.3 * y[:, None]
    parts = np.array_split(np.arange(len(y)), 20)

    def ours() -> vaglio.NaiveBayesClassifier:
        model = vaglio.NaiveBayesClassifier("gaussian")
        for rows in parts:
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        return model

    def theirs() -> GaussianNB:
        model = GaussianNB()
        for rows in parts:
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        return model

    seconds, model = measure(ours, 3)
    whole = vaglio.NaiveBayesClassifier("gaussian").fit(X, y)
    difference = np.abs(model.predict_log_proba(X[:10_000]) - whole.predict_log_proba(X[:10_000])).max()
    task = "partial_fit, 20 parts of 50000 x 30"
    return [
        Row(task, OURS, 1, seconds, float(difference)),
        Row(task, f"scikit-learn {sklearn.__version__}", 1, measure(theirs, 3)[0]),
    ]


def _adult() -> list[Row]:
    """Fit the table adult, repeated twenty times: 651 220 rows with nominal columns and missing values."""
    tables = data.adult()
    if tables is None:
        return []
    train, test = tables
    repeated = train[np.tile(np.arange(len(train)), 20)]
    (X, y), (X_test, y_test) = repeated.xy(TARGET), test.xy(TARGET)
    rows = []
    for likelihood, task in (("gaussian", "adult x 20, Gaussian"), ("auto", "adult x 20, default likelihoods")):
        seconds, ours = measure(partial(vaglio.NaiveBayesClassifier().set_params(likelihood=likelihood).fit, X, y))
        rows.append(Row(task, OURS, 1, seconds, accuracy_score(y_test, ours.predict(X_test))))
    return rows + weka.rows_beside(rows, "NaiveBayes", repeated, test, TARGET)
