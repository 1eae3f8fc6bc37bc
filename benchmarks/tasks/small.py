"""Small tables compared with scikit-learn on one thread: fit, predict all rows, predict one row.

Iris (150 x 4), and 1 000 and 10 000 rows of 10 columns. Seconds are of the processor, the two sides in turn: on a
machine with other work they are what can be compared.
"""

from __future__ import annotations

import importlib
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sklearn
import sklearn.discriminant_analysis
import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm
import sklearn.tree
from sklearn.datasets import load_iris

import vaglio
from benchmarks import data
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
    "Gaussians": (vaglio.GaussianMAPClassifier, sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis),
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
# Classes of vaglio.sklearn beside those whose names they have.
NAMES: dict[str, tuple[str, ...]] = {
    "tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "naive_bayes": ("BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB"),
    "neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "svm": ("SVC",),
    "linear_model": ("LogisticRegression", "Perceptron"),
    "ensemble": (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "BaggingClassifier",
        "BaggingRegressor",
        "AdaBoostClassifier",
        "HistGradientBoostingClassifier",
    ),
}
SECONDS = 0.3  # of repeated calls of both sides, at least so many of each
LEAST_CALLS = {"iris": 7, "1000 x 10": 5, "10000 x 10": 1}


def run() -> list[Row]:
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neither perceptron converges
        for table, (X, y) in _tables().items():
            for name, pair in (PAIRS | (_of_the_same_names() if table == "iris" else {})).items():
                rows += _compared(name if table == "iris" else f"{name}, {table}", pair, X, y, LEAST_CALLS[table])
    return rows


def _tables() -> dict[str, tuple[Any, Any]]:
    X, y = data.continuous(10_000, columns=16)
    few = X[:, :10].copy()
    return {"iris": load_iris(return_X_y=True), "1000 x 10": (few[:1000], y[:1000]), "10000 x 10": (few, y)}


def _compared(name: str, pair: Sequence[Callable[[], Any]], X: Any, y: Any, least: int) -> list[Row]:
    makers = [_seeded(make) for make in pair]
    models = [make().fit(X, y) for make in makers]
    scores = [float((model.predict(X) == y).mean()) for model in models]
    tasks = {
        "fit": [partial(_fit, make, X, y) for make in makers],
        "predict": [partial(model.predict, X) for model in models],
        "one row": [partial(model.predict, X[:1]) for model in models],
    }
    rows = []
    for task, calls in tasks.items():
        for who, seconds, score in zip((OURS, f"scikit-learn {sklearn.__version__}"), _medians(calls, least), scores):
            rows.append(Row(f"{name}, {task}", who, 1, seconds, score))
    return rows


def _of_the_same_names() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    found: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for module, names in NAMES.items():
        ours, theirs = (importlib.import_module(f"{package}.{module}") for package in ("vaglio.sklearn", "sklearn"))
        found |= {f"vaglio.sklearn's {name}": (getattr(ours, name), getattr(theirs, name)) for name in names}
    return found


def _seeded(make: Callable[..., Any]) -> Callable[[], Any]:
    known = make().get_params()
    given = {"random_state": 0, "n_jobs": 1}
    return partial(make, **{name: value for name, value in given.items() if name in known and known[name] != value})


def _fit(make: Callable[[], Any], X: Any, y: Any) -> Any:
    return make().fit(X, y)


def _medians(calls: Sequence[Callable[[], Any]], least: int) -> list[float]:
    seconds: list[list[float]] = [[] for _ in calls]
    while len(seconds[0]) < least or sum(map(sum, seconds)) < SECONDS:
        for call, taken in zip(calls, seconds):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in seconds]
