"""Iris, 150 x 4, compared with scikit-learn on one thread: fit, predict all rows, predict one row."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import sklearn
import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm
import sklearn.tree
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks.runner import OURS, Row

# Both sides with their defaults, but that naive Bayes has the same likelihood and ensembles the same trees. Perceptrons
# end by different rules: scikit-learn's when the loss of a pass no longer falls, ours when a pass has no errors, which
# on iris never happens. With a fixed number of passes both do the same work.
PAIRS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "tree": (vaglio.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier),
    "naive Bayes, normal": (
        partial(vaglio.NaiveBayesClassifier, likelihood="gaussian"),
        sklearn.naive_bayes.GaussianNB,
    ),
    "naive Bayes": (vaglio.NaiveBayesClassifier, sklearn.naive_bayes.GaussianNB),
    "neighbours": (vaglio.KNeighborsClassifier, sklearn.neighbors.KNeighborsClassifier),
    "SVC": (vaglio.SVC, sklearn.svm.SVC),
    "logistic": (vaglio.LogisticRegression, sklearn.linear_model.LogisticRegression),
    "perceptron": (vaglio.Perceptron, sklearn.linear_model.Perceptron),
    "perceptron, 1000 passes": (
        vaglio.Perceptron,
        partial(sklearn.linear_model.Perceptron, tol=None, max_iter=1000, shuffle=False),
    ),
    "bagging": (vaglio.BaggingClassifier, sklearn.ensemble.BaggingClassifier),
    "AdaBoost": (vaglio.AdaBoostClassifier, sklearn.ensemble.AdaBoostClassifier),
    "forest": (vaglio.RandomForestClassifier, sklearn.ensemble.RandomForestClassifier),
}
SECONDS = 0.4  # of repeated calls, at least 7


def run() -> list[Row]:
    X, y = load_iris(return_X_y=True)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neither perceptron converges
        for name, pair in PAIRS.items():
            for who, make in zip((OURS, f"scikit-learn {sklearn.__version__}"), pair):
                model = _seeded(make()).fit(X, y)
                score = accuracy_score(y, model.predict(X))
                fit = partial(_fit, make, X, y)
                tasks = {"fit": fit, "predict": partial(model.predict, X), "one row": partial(model.predict, X[:1])}
                rows += [Row(f"{name}, {task}", who, 1, _median(call), score) for task, call in tasks.items()]
    return rows


def _seeded(model: Any) -> Any:
    known = model.get_params()
    given = {"random_state": 0, "n_jobs": 1}
    return model.set_params(**{name: value for name, value in given.items() if name in known})


def _fit(make: Callable[[], Any], X: Any, y: Any) -> Any:
    return _seeded(make()).fit(X, y)


def _median(call: Callable[[], Any]) -> float:
    seconds: list[float] = []
    while len(seconds) < 7 or sum(seconds) < SECONDS:
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
