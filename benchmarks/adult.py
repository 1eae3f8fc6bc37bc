"""Comparison of one learner with Weka's counterpart on the table adult, which several tasks share."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.metrics import accuracy_score

from benchmarks import data, weka
from benchmarks.runner import OURS, Row, measure, with_threads

TARGET = "income"


def compare_with_weka(name: str, learner: Any, weka_learner: str) -> list[Row]:
    """Fit a learner on adult with one and with two threads, and Weka's learner; no rows without the table.

    Parameters
    ----------
    name : str
        The learner's name in the tasks.
    learner : class
        An estimator of vaglio with the parameter ``n_jobs``.
    weka_learner : str
        A key of ``weka.CLASSES``.
    """
    tables = data.adult()
    if tables is None:
        return []
    (X, y), (X_test, y_test) = (table.xy(TARGET) for table in tables)
    rows = []
    for threads in (1, 2):
        seconds, ours = measure(partial(learner(n_jobs=threads).fit, X, y), 9)
        score = accuracy_score(y_test, ours.predict(X_test))
        rows.append(Row(f"{name} on adult, {with_threads(threads)}", OURS, threads, seconds, score))
    return rows + weka.rows_beside(rows, weka_learner, *tables, TARGET)
