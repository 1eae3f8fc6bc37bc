"""Optimal trees of depth two and three on adult, beside ConTree and STreeD where they are installed.

The table itself has numbers, categories and missing values. The others take numbers only: they get adult with one
column of zeros and ones per category (ConTree), or only such columns, with the numbers cut at their quintiles (STreeD),
and vaglio the same. The score is the training accuracy: of two proved trees on the same columns it is equal. The name
of a row says if a search was not proved within ten minutes. The time is that of one fit.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure, with_threads

TEN_MINUTES = 600.0
_PLACES = (0.2, 0.4, 0.6, 0.8)


def run() -> list[Row]:
    tables = data.adult()
    if tables is None:
        return []
    X, y = tables[0].xy(TARGET)
    frame, codes = X.to_frame(), np.unique(np.asarray(y), return_inverse=True)[1]
    rows = []
    for depth in (2, 3):
        rows += [_own(f"optimal tree of depth {depth} on adult", X, y, depth, threads) for threads in (1, 2)]
        task = f"optimal tree of depth {depth} on adult as numbers"
        rows += [_own(task, _as_numbers(frame), codes, depth, 1)]
        rows += _contree(f"{task}, {with_threads(1)}", _as_numbers(frame), codes, depth)
        task = f"optimal tree of depth {depth} on adult as zeros and ones"
        rows += [_own(task, _as_bits(frame), codes, depth, 1)]
        rows += _streed(f"{task}, {with_threads(1)}", _as_bits(frame), codes, depth)
    return rows


def _own(task: str, X: Any, y: Any, depth: int, threads: int) -> Row:
    model = vaglio.OptimalTreeClassifier(max_depth=depth, n_jobs=threads, work_limit=None, time_limit=TEN_MINUTES)
    seconds, model = measure(partial(model.fit, X, y), 1)
    return Row(f"{task}, {with_threads(threads)}", OURS, threads, seconds, model.score(X, y))


def _as_numbers(frame: pd.DataFrame) -> np.ndarray:
    """Numbers as they are, one column per category; a missing category is one."""
    return np.asarray(pd.get_dummies(frame, dummy_na=False).astype(np.float64))


def _as_bits(frame: pd.DataFrame) -> np.ndarray:
    """One column per category and per quintile of a number."""
    parts = []
    for name in frame:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            parts += [column > place for place in np.unique(column.quantile(_PLACES))]
        else:
            parts += [column == value for value in sorted(column.dropna().unique())]
    return np.column_stack(parts).astype(np.float64)


def _contree(task: str, X: np.ndarray, y: np.ndarray, depth: int) -> list[Row]:
    if find_spec("pycontree") is None:
        return []
    from pycontree import ConTree

    model = ConTree(max_depth=depth, time_limit=TEN_MINUTES)
    seconds, _ = measure(partial(model.fit, X, y), 1)
    return [Row(task, f"ConTree {version('pycontree')}{_ended(seconds)}", 1, seconds, _accuracy(model, X, y))]


def _streed(task: str, X: np.ndarray, y: np.ndarray, depth: int) -> list[Row]:
    if find_spec("pystreed") is None:
        return []
    from pystreed import STreeDClassifier

    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=TEN_MINUTES)
    seconds, _ = measure(partial(model.fit, X.astype(np.int32), y), 1)
    found = _accuracy(model, X.astype(np.int32), y)
    return [Row(task, f"STreeD {version('pystreed')}{_ended(seconds)}", 1, seconds, found)]


def _ended(seconds: float) -> str:
    return ", not proved" if seconds >= TEN_MINUTES else ""


def _accuracy(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(np.asarray(model.predict(X)) == y))
