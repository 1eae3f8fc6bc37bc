"""k nearest neighbours, k = 15, 150 000 x 30 rows, 10 000 queries: beside scikit-learn and oneDAL, equal threads."""

from __future__ import annotations

import importlib.util
from typing import Any

from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsClassifier as Peer
from threadpoolctl import threadpool_limits

import vaglio
from benchmarks import data
from benchmarks.runner import OURS, Row, measure

THREADS = 2


def run() -> list[Row]:
    rows = _compared("150000 x 30, 10000 queries", *data.continuous(160_000), 150_000, algorithm="brute")
    few, y = data.continuous(160_000, columns=16)
    return rows + _compared("150000 x 4, 10000 queries", few[:, :4].copy(), y, 150_000, algorithm="kd_tree")


def _compared(task: str, X: Any, y: Any, n: int, algorithm: str) -> list[Row]:
    """The score is the accuracy on the queries; nobody scales, so that all search in the same space."""
    known, unseen = slice(0, n), slice(n, None)

    def timed(who: str, model: Any) -> Row:
        model.fit(X[known], y[known])
        seconds, answers = measure(lambda: model.predict(X[unseen]))
        return Row(task, who, THREADS, seconds, accuracy_score(y[unseen], answers))

    rows = [timed(OURS, vaglio.KNeighborsClassifier(15, preprocess=None, n_jobs=THREADS))]
    with threadpool_limits(THREADS):
        rows.append(timed("scikit-learn", Peer(15, algorithm=algorithm, n_jobs=THREADS)))
        if importlib.util.find_spec("sklearnex"):
            from sklearnex import config_context
            from sklearnex.neighbors import KNeighborsClassifier as Intel

            with config_context():
                rows.append(timed("scikit-learn-intelex", Intel(15, algorithm=algorithm, n_jobs=THREADS)))
    return rows
