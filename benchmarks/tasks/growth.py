"""Time of a fit against the number of rows (10 columns, three classes), for each learner and its peers.

Sizes grow by a factor of √10. A learner stops where its next fit would take longer than the limit, and the task where
its minutes are over: the environment variables ROWS (10 million), SECONDS (60, of one fit) and MINUTES (20) set the
limits. What was measured is kept in `build/growth.csv`, and the next run goes on from there; FRESH=1 starts anew.
Nearest neighbours do their work when they predict: their time includes 1000 predictions. The score is the accuracy on
2000 other rows. Weka's time is the one it prints, of building the model. Tables of counts are whole numbers from 0 on.
"""

from __future__ import annotations

import csv
import gc
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

from benchmarks import data
from benchmarks.growth_curves import THREADS, Curve, WekaRun, curves
from benchmarks.runner import OURS, Row, measure
from vaglio.errors import NotSupportedError

RECORDS = Path("build") / "growth.csv"
SIZES = tuple(round(10 ** (power / 2)) for power in range(4, 15))  # 100 to 10 million
UNSEEN = 2000
# A fit that takes less is repeated, and the median counts.
BRIEF = 0.3

Key = tuple[str, str, int]  # learner, who, rows
Found = dict[Key, tuple[float, float]]  # seconds, score


def run() -> list[Row]:
    limit = float(os.environ.get("SECONDS") or 60)
    end = time.monotonic() + 60 * float(os.environ.get("MINUTES") or 20)
    found = {} if os.environ.get("FRESH") else known(RECORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows, due in rounds(found, limit):
            X, y = data.mixture(rows + UNSEEN)
            for curve in due:
                if time.monotonic() > end:
                    return as_rows(found)
                try:
                    found[curve.learner, curve.who, rows] = _measured(curve, X, y, rows)
                except NotSupportedError:
                    continue  # a learner that refuses so many rows: its curve ends before them
                write(RECORDS, found)
            del X, y
            gc.collect()
    return as_rows(found)


def rounds(found: Found, limit: float) -> Iterator[tuple[int, list[Curve]]]:
    """Yield each size, and the curves that are to be measured there: all of them at small sizes before large ones."""
    largest = int(float(os.environ.get("ROWS") or SIZES[-1]))
    chosen = curves()
    for at, rows in enumerate(size for size in SIZES if size <= largest):
        due = [curve for curve in chosen if (curve.learner, curve.who, rows) not in found]
        due = [curve for curve in due if not at or _expected(found, curve, at) <= limit]
        if due:
            yield rows, due


def _expected(found: Found, curve: Curve, at: int) -> float:
    """Return the seconds that the next fit will take, if it grows as it did last; infinite if the last was not made."""
    last = found.get((curve.learner, curve.who, SIZES[at - 1]))
    if last is None:
        return float("inf")
    before = found.get((curve.learner, curve.who, SIZES[at - 2])) if at > 1 else None
    factor = SIZES[at] / SIZES[at - 1]
    if before is not None and last[0] > BRIEF:
        factor = max(factor, last[0] / before[0])
    return last[0] * factor


def _measured(curve: Curve, X: Any, y: Any, rows: int) -> tuple[float, float]:
    """Return the seconds of a fit, and the accuracy."""
    if curve.counts:
        X = np.floor(np.abs(4 * X))
    if isinstance(made := curve.make(), WekaRun):
        return made.measured(X, y, rows)

    def fit() -> Any:
        model = curve.make().fit(X[:rows], y[:rows])
        if curve.predicts:
            model.predict(X[rows : rows + 1000])
        return model

    seconds, model = measure(fit, 1)
    if seconds < BRIEF:
        seconds, model = measure(fit, 5)
    return seconds, float(accuracy_score(y[rows:], model.predict(X[rows:])))


def known(path: Path) -> Found:
    """Read what earlier runs measured."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {
        (line["learner"], line["who"], int(line["rows"])): (float(line["seconds"]), float(line["score"]))
        for line in lines
    }


def write(path: Path, found: Found) -> None:
    """Write all that was measured."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["learner", "who", "rows", "seconds", "score"])
        writer.writerows([*key, f"{seconds:.6g}", f"{score:.6g}"] for key, (seconds, score) in found.items())


def as_rows(found: Found) -> list[Row]:
    """Return the measured fits as lines of the benchmark: learner by learner, size by size, ours first."""
    order = list(dict.fromkeys(learner for learner, _, _ in found))
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[2], key[1] != OURS))
    return [Row(f"{learner}, {rows} rows", who, THREADS, *found[learner, who, rows]) for learner, who, rows in keys]
