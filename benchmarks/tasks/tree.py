"""Decision trees: fully grown exact trees beside scikit-learn's, C4.5 beside Weka's J48, classifying a million rows.

Times of fits include everything from the array or Table to the fitted estimator. Weka's is the build time it prints.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from sklearn import tree as sklearn_tree
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data, weka
from benchmarks.runner import OURS, Row, measure


def run() -> list[Row]:
    return [
        *_grown("continuous", *data.continuous(200_000)),
        *_grown("255-valued", *data.few_valued(200_000)),
        *_adult(),
    ]


def _grown(kind: str, X: Any, y: Any) -> list[Row]:
    """Fully grown on 150 000 x 30, three classes; tested on the rest; then a million rows classified."""
    train, test = slice(0, 150_000), slice(150_000, None)
    peer_seconds, peer = measure(lambda: sklearn_tree.DecisionTreeClassifier(random_state=0).fit(X[train], y[train]), 3)
    peer_score = accuracy_score(y[test], peer.predict(X[test]))
    rows = []
    for threads in (1, 2):
        task = f"{kind} 150000 x 30, {threads} thread{'s' if threads > 1 else ''}"
        seconds, ours = measure(
            lambda threads=threads: vaglio.DecisionTreeClassifier(n_jobs=threads).fit(X[train], y[train])
        )
        rows.append(Row(task, OURS, threads, seconds, accuracy_score(y[test], ours.predict(X[test]))))
        rows.append(Row(task, "scikit-learn", 1, peer_seconds, peer_score))
    if kind == "continuous":
        million = X.repeat(5, axis=0)
        for threads in (1, 2):
            task = f"classify 1000000 x 30, {threads} thread{'s' if threads > 1 else ''}"
            ours.set_params(n_jobs=threads)
            rows.append(Row(task, OURS, threads, measure(lambda: ours.predict(million))[0]))
            rows.append(Row(task, "scikit-learn", 1, measure(lambda: peer.predict(million))[0]))
    return rows


def _adult() -> list[Row]:
    """C4.5, pruned, on adult."""
    tables = data.adult()
    if tables is None:
        return []
    (X, y), (X_test, y_test) = (table.xy("income") for table in tables)
    rows = []
    for threads in (1, 2):
        seconds, ours = measure(lambda threads=threads: vaglio.C45Classifier(n_jobs=threads).fit(X, y), 9)
        task = f"C4.5 on adult, {threads} thread{'s' if threads > 1 else ''}"
        rows.append(Row(task, OURS, threads, seconds, accuracy_score(y_test, ours.predict(X_test))))
    if weka.available():
        with tempfile.TemporaryDirectory() as folder:
            train, test = Path(folder) / "train.arff", Path(folder) / "test.arff"
            weka.write_arff(tables[0], "income", train, beside=tables[1])
            weka.write_arff(tables[1], "income", test, beside=tables[0])
            runs = sorted((weka.run("J48", train, test) for _ in range(3)), key=lambda r: r.seconds)
        for row in list(rows):
            rows.append(Row(row.task, "Weka J48", 1, runs[1].seconds, runs[1].accuracy))
    return rows
