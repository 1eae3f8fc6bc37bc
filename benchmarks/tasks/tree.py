"""Decision trees: full trees compared with scikit-learn's, C4.5 with Weka's J48, prediction of a million rows.

The time of a fit includes everything from the array or Table to the fitted estimator. Weka's is its own build time.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn import tree as sklearn_tree
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.adult import compare_with_weka
from benchmarks.runner import OURS, Row, measure, with_threads


def run() -> list[Row]:
    return [
        *_grown("continuous", *data.continuous(200_000)),
        *_grown("255-valued", *data.few_valued(200_000)),
        *compare_with_weka("C4.5", vaglio.C45Classifier, "J48"),
    ]


def _grown(kind: str, X: Any, y: Any) -> list[Row]:
    """Grow full trees on 150 000 x 30 with three classes, test on the rest, then predict a million rows."""
    train, test = slice(0, 150_000), slice(150_000, None)
    peer_seconds, peer = measure(lambda: sklearn_tree.DecisionTreeClassifier(random_state=0).fit(X[train], y[train]), 3)
    peer_score = accuracy_score(y[test], peer.predict(X[test]))
    rows = []
    for threads in (1, 2):
        task = f"{kind} 150000 x 30, {with_threads(threads)}"
        estimator = vaglio.DecisionTreeClassifier(n_jobs=threads)
        seconds, ours = measure(partial(estimator.fit, X[train], y[train]))
        rows.append(Row(task, OURS, threads, seconds, accuracy_score(y[test], ours.predict(X[test]))))
        rows.append(Row(task, "scikit-learn", 1, peer_seconds, peer_score))
    if kind == "continuous":
        million = X.repeat(5, axis=0)
        for threads in (1, 2):
            task = f"classify 1000000 x 30, {with_threads(threads)}"
            ours.set_params(n_jobs=threads)
            rows.append(Row(task, OURS, threads, measure(lambda: ours.predict(million))[0]))
            rows.append(Row(task, "scikit-learn", 1, measure(lambda: peer.predict(million))[0]))
    return rows
