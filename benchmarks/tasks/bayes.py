"""Naive Bayes: Gaussian moments beside scikit-learn's GaussianNB, mixed tables beside Weka's NaiveBayes.

Times of fits include everything from the array or Table to the fitted estimator. Weka's is the build time it prints.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

import vaglio
from benchmarks import data, weka
from benchmarks.runner import OURS, Row, measure


def run() -> list[Row]:
    return [*_gaussian(), *_parts(), *_adult()]


def _gaussian() -> list[Row]:
    """Fit and classify 2 000 000 x 30, three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2_000_000)
    X = rng.normal(size=(2_000_000, 30)) + 0.3 * y[:, None]
    peer = f"scikit-learn {sklearn.__version__}"
    fit_seconds, theirs = measure(lambda: GaussianNB().fit(X, y), 3)
    predict_seconds, predicted = measure(lambda: theirs.predict(X), 3)
    score = accuracy_score(y, predicted)
    rows = []
    for threads in (1, 2):
        named = f"{threads} thread{'s' if threads > 1 else ''}"
        estimator = vaglio.NaiveBayesClassifier("gaussian", n_jobs=threads)
        seconds, ours = measure(lambda estimator=estimator: estimator.fit(X, y))
        classify, found = measure(lambda ours=ours: ours.predict(X), 3)
        rows.append(Row(f"fit 2000000 x 30, {named}", OURS, threads, seconds, accuracy_score(y, found)))
        rows.append(Row(f"fit 2000000 x 30, {named}", peer, 1, fit_seconds, score))
        rows.append(Row(f"classify 2000000 x 30, {named}", OURS, threads, classify, accuracy_score(y, found)))
        rows.append(Row(f"classify 2000000 x 30, {named}", peer, 1, predict_seconds, score))
    return rows


def _parts() -> list[Row]:
    """partial_fit over twenty parts of 50 000 x 30; the score is the largest difference from one fit."""
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
    """Adult repeated twenty times: 651 220 rows, nominal and missing as they are, as a Table."""
    tables = data.adult()
    if tables is None:
        return []
    train, test = tables
    repeated = train[np.tile(np.arange(len(train)), 20)]
    (X, y), (X_test, y_test) = repeated.xy("income"), test.xy("income")
    rows = []
    for likelihood, task in (("gaussian", "adult x 20, Gaussian"), ("auto", "adult x 20, default likelihoods")):
        seconds, ours = measure(lambda likelihood=likelihood: vaglio.NaiveBayesClassifier(likelihood).fit(X, y))
        rows.append(Row(task, OURS, 1, seconds, accuracy_score(y_test, ours.predict(X_test))))
    if weka.available():
        with tempfile.TemporaryDirectory() as folder:
            train_file, test_file = Path(folder) / "train.arff", Path(folder) / "test.arff"
            weka.write_arff(repeated, "income", train_file, beside=test)
            weka.write_arff(test, "income", test_file, beside=train)
            runs = sorted((weka.run("NaiveBayes", train_file, test_file) for _ in range(3)), key=lambda r: r.seconds)
        rows += [Row(row.task, "Weka NaiveBayes", 1, runs[1].seconds, runs[1].accuracy) for row in list(rows)]
    return rows
