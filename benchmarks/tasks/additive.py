"""Additive models with their defaults on adult and on 100,000 x 30; compared with interpret on two threads.

interpret works in processes of its own, so that only the time on the clock counts both sides alike.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure

THREADS = 2


def run() -> list[Row]:
    X, y = data.continuous(120_000, classes=2)
    tables = [("100000 x 30", (X[:100_000], y[:100_000]), (X[100_000:], y[100_000:]))]
    adult = data.adult()
    if adult is not None:
        (known, labels), (unseen, answers) = (table.xy(TARGET) for table in adult)
        tables.append(("adult", (known.to_frame(), labels), (unseen.to_frame(), answers)))
    return [row for name, train, test in tables for row in _rows(name, train, test)]


def _rows(name: str, train: tuple[Any, Any], test: tuple[Any, Any]) -> list[Row]:
    rows = []
    for who, model in _models().items():
        seconds, fitted = measure(partial(model.fit, *train), 3 if who == OURS else 1)
        score = accuracy_score(test[1], fitted.predict(_plain(test[0])))
        rows.append(Row(f"fit additive model, {name}", who, THREADS, seconds, score))
        seconds, _ = measure(partial(fitted.predict_proba, _plain(test[0])), 3)
        rows.append(Row(f"predict {len(test[1])} rows, additive model, {name}", who, THREADS, seconds, score))
    return rows


def _plain(X: Any) -> Any:
    return X.copy() if isinstance(X, pd.DataFrame) else X


def _models() -> dict[str, Any]:
    models: dict[str, Any] = {OURS: vaglio.ExplainableBoostingClassifier(random_state=1, n_jobs=THREADS)}
    try:
        from interpret.glassbox import ExplainableBoostingClassifier
    except ImportError:
        return models
    models["interpret"] = ExplainableBoostingClassifier(random_state=1, n_jobs=THREADS)
    return models
