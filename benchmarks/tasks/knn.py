"""k nearest neighbours, k = 15, 150 000 rows, 10 000 queries, compared with scikit-learn and oneDAL on two threads.

Indexes are built by ``fit``, or by ours with the first prediction, which is not timed.
"""

from __future__ import annotations

from typing import Any

from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsClassifier as Peer
from threadpoolctl import threadpool_limits

import vaglio
from benchmarks import data
from benchmarks.intelex import intelex
from benchmarks.runner import OURS, Row, measure

THREADS = 2


def run() -> list[Row]:
    rows = _compared("150000 x 30, 10000 queries", *data.continuous(160_000), 150_000, algorithm="brute")
    X, y = data.continuous(160_000, columns=16)
    for columns in (2, 4, 8, 16):
        few, task = X[:, :columns].copy(), f"150000 x {columns}, 10000 queries"
        rows += _compared(task, few, y, 150_000, algorithm="auto")
    few = X[:, :4].copy()
    for metric in ("manhattan", "chebyshev"):
        task = f"150000 x 4, {metric}, 10000 queries"
        rows += _compared(task, few, y, 150_000, algorithm="auto", metric=metric)
    return rows


def _compared(task: str, X: Any, y: Any, n: int, algorithm: str, metric: Any = "minkowski") -> list[Row]:
    """Measure the predictions of the queries; no library scales, so that all search in the same space."""
    known, unseen = slice(0, n), slice(n, None)

    def timed(who: str, model: Any) -> Row:
        model.fit(X[known], y[known]).predict(X[unseen][:1000])
        seconds, predicted = measure(lambda: model.predict(X[unseen]))
        return Row(task, who, THREADS, seconds, accuracy_score(y[unseen], predicted))

    rows = [timed(OURS, vaglio.KNeighborsClassifier(15, metric=metric, preprocess=None, n_jobs=THREADS))]
    with threadpool_limits(THREADS):
        rows.append(timed("scikit-learn", Peer(15, algorithm=algorithm, metric=metric, n_jobs=THREADS)))
        other = intelex("neighbors", "KNeighborsClassifier", THREADS)
        if other is not None:
            rows.append(timed(other.name, other.make(15, algorithm=algorithm, metric=metric, n_jobs=THREADS)))
    return rows
