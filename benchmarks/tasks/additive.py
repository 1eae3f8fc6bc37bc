"""Additive models with their defaults on adult and on 100,000 x 30; compared with interpret on two threads.

interpret works in processes of its own, so that only the time on the clock counts both sides alike. A fit of it that
takes longer than SECONDS (900) is given up, and its row says so: then it took at least as long.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import joblib
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
    ours = vaglio.ExplainableBoostingClassifier(random_state=1, n_jobs=THREADS)
    fit, predict = f"fit additive model, {name}", f"predict {len(test[1])} rows, additive model, {name}"
    seconds, fitted = measure(partial(ours.fit, *train), 3)
    score = accuracy_score(test[1], fitted.predict(_plain(test[0])))
    rows = [Row(fit, OURS, THREADS, seconds, score)]
    rows.append(Row(predict, OURS, THREADS, measure(partial(fitted.predict_proba, _plain(test[0])), 3)[0], score))
    if find_spec("interpret") is None:
        return rows
    limit = float(os.environ.get("SECONDS") or 900)
    fitted, seconds = _fit_within(limit, train)
    if fitted is None:
        return [*rows, Row(fit, f"interpret, given up after {limit:.0f} s", THREADS, limit)]
    score = accuracy_score(test[1], fitted.predict(_plain(test[0])))
    rows.append(Row(fit, "interpret", THREADS, seconds, score))
    rows.append(
        Row(predict, "interpret", THREADS, measure(partial(fitted.predict_proba, _plain(test[0])), 3)[0], score)
    )
    return rows


_FIT = """
import joblib, sys, time
from interpret.glassbox import ExplainableBoostingClassifier
X, y = joblib.load(sys.argv[1])
start = time.perf_counter()
model = ExplainableBoostingClassifier(random_state=1, n_jobs=int(sys.argv[3])).fit(X, y)
seconds = time.perf_counter() - start
joblib.dump((model, seconds), sys.argv[2])
"""


def _fit_within(limit: float, train: tuple[Any, Any]) -> tuple[Any, float]:
    """Fit interpret's model in a process of its own; return None for a model that was not ready in time."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "rows", Path(folder) / "model"
        joblib.dump(train, given)
        command = [sys.executable, "-c", _FIT, str(given), str(found), str(THREADS)]
        with subprocess.Popen(command, start_new_session=True) as process:
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                # Its workers belong to the same group.
                os.killpg(process.pid, signal.SIGKILL)
                return None, limit
        if process.returncode:
            raise RuntimeError("interpret failed: its message is above")
        model, seconds = joblib.load(found)
        return model, seconds


def _plain(X: Any) -> Any:
    return X.copy() if isinstance(X, pd.DataFrame) else X
