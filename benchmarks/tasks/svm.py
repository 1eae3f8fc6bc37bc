"""Support vector machines with a Gaussian kernel, compared with LIBSVM (scikit-learn) and oneDAL.

LIBSVM has one thread; the others are measured with one and with two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.svm import SVC as LibSVM

import vaglio
from benchmarks.intelex import intelex
from benchmarks.runner import OURS, Row, measure


def run() -> list[Row]:
    rows = []
    for n, d, classes, repeats in ((20_000, 30, 3, 5), (50_000, 100, 2, 1)):
        X, y = standardised(n + 10_000, d, classes)
        for threads in (1, 2):
            rows += compare(f"SVC rbf {n} x {d}, {classes} classes", X, y, n, threads, repeats)
    return rows


def compare(task: str, X: np.ndarray, y: np.ndarray, n: int, threads: int, repeats: int) -> list[Row]:
    """Fit on the first n rows and predict the rest, with the libraries that can use this many threads."""
    contenders: dict[str, Callable[[], Any]] = {OURS: lambda: vaglio.SVC(n_jobs=threads, preprocess=None)}
    if threads == 1:
        contenders[f"scikit-learn {sklearn.__version__}"] = LibSVM
    peer = intelex("svm", "SVC", threads)
    if peer is not None:
        contenders[peer.name] = peer.make
    rows = []
    for who, make in contenders.items():
        seconds, model = measure(partial(make().fit, X[:n], y[:n]), repeats)
        rows.append(Row(f"{task}: fit", who, threads, seconds))
        seconds, predicted = measure(partial(model.predict, X[n:]), repeats)
        rows.append(Row(f"{task}: predict 10000", who, threads, seconds, float((predicted == y[n:]).mean())))
    return [Row(f"{row.task}, {threads} threads", row.who, threads, row.seconds, row.score) for row in rows]


def standardised(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, d, n_informative=d // 2, n_classes=classes, random_state=0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0)), y
