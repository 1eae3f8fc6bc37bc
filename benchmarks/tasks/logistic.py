"""Logistic regression on a million rows, compared with scikit-learn and oneDAL; the score is minus the loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn
from scipy.special import logsumexp
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import vaglio
from benchmarks.intelex import intelex
from benchmarks.runner import OURS, Row, measure


def run() -> list[Row]:
    X, y = make_classification(1_000_000, 30, n_informative=15, n_classes=3, random_state=0)
    rows = []
    for threads in (1, 2):
        contenders: dict[str, Callable[[], Any]] = {
            OURS: partial(vaglio.LogisticRegression, n_jobs=threads, preprocess=None),
            f"scikit-learn {sklearn.__version__}": LogisticRegression,
        }
        peer = intelex("linear_model", "LogisticRegression", threads)
        if peer is not None:
            contenders[peer.name] = peer.make
        for who, make in contenders.items():
            with threadpool_limits(threads):
                seconds, model = measure(partial(make().fit, X, y), 3)
            task = f"logistic regression 1000000 x 30, 3 classes, {threads} threads"
            rows.append(Row(task, who, threads, seconds, -objective(model, X, y)))
    return rows


def objective(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mean loss plus penalty at the end, which shows whether a solver stopped early."""
    values = X @ model.coef_.T + model.intercept_
    loss = (logsumexp(values, axis=1) - values[np.arange(len(y)), y]).sum()
    return float((loss + 0.5 * (model.coef_**2).sum()) / len(y))
