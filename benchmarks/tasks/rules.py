"""Rule learners: RIPPER on adult compared with Weka's JRip and wittgenstein, and its time for 10^4 to 10^6 rows.

The time of a fit includes everything from the Table or array to the fitted estimator. Weka's is its own build time.
wittgenstein gets the largest part of adult that it finishes within a minute, and vaglio the same rows. The generated
table has the same true rules and one wrong label in ten at every size, so that the number of rules stays the same: the
time divided by N·log2(N) should not rise.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET, compare_with_weka
from benchmarks.runner import OURS, Row, measure

SIZES = (10_000, 100_000, 1_000_000)
PARTS = (32_000, 16_000, 8_000, 4_000, 2_000)
MINUTE = 60.0

_WITTGENSTEIN = """
import sys, time
import pandas as pd, wittgenstein
train, test = (pd.read_csv(path) for path in sys.argv[1:3])
target = train.columns[-1]
model = wittgenstein.RIPPER(random_state=0)
start = time.perf_counter()
model.fit(train, class_feat=target, pos_class=">50K")
seconds = time.perf_counter() - start
print(seconds, model.score(test.drop(columns=target), test[target] == ">50K"))
"""


def run() -> list[Row]:
    return [
        *compare_with_weka("RIPPER", vaglio.RIPPERClassifier, "JRip"),
        *_beside_wittgenstein(),
        *_growth(),
        *_wide(),
    ]


def _beside_wittgenstein() -> list[Row]:
    """Compare with wittgenstein on the largest part of adult that it finishes within a minute."""
    tables = data.adult()
    if tables is None:
        return []
    for size in PARTS:
        part = tables[0][np.arange(size)]
        found = _wittgenstein(part, tables[1])
        if found is None:
            return []
        seconds, score = found
        if seconds > MINUTE:
            continue
        (X, y), (X_test, y_test) = part.xy(TARGET), tables[1].xy(TARGET)
        task = f"RIPPER on {size} rows of adult, 1 thread"
        own, model = measure(partial(vaglio.RIPPERClassifier(n_jobs=1).fit, X, y))
        return [
            Row(task, OURS, 1, own, accuracy_score(y_test, model.predict(X_test))),
            Row(task, "wittgenstein", 1, seconds, score),
        ]
    return []


def _wittgenstein(train: Any, test: Any) -> tuple[float, float] | None:
    """Return seconds and score (seconds are infinite after two minutes), or None if it is not installed."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / "train.csv", Path(name) / "test.csv"]
        for table, file in zip((train, test), files):
            table.to_frame().to_csv(file, index=False)
        command = [sys.executable, "-c", _WITTGENSTEIN, *map(str, files)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=2 * MINUTE)
        except subprocess.TimeoutExpired:
            return float("inf"), 0.0
    if done.returncode != 0:
        return None
    seconds, score = map(float, done.stdout.split())
    return seconds, score


def made(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return twenty columns, half of them continuous, and three classes by rules; one label in ten is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 20))
    X[:, 10:] = np.round(X[:, 10:] * 4)
    rare = (X[:, 0] > 0.5) & (X[:, 1] > 0)
    middle = (X[:, 2] < -0.8) | ((X[:, 10] > 3) & (X[:, 3] > 0.2))
    y = np.where(rare, 2, np.where(middle, 1, 0))
    return X, np.where(rng.random(rows) < 0.1, rng.integers(0, 3, rows), y)


def _growth() -> list[Row]:
    rows = []
    for size in SIZES:
        X, y = made(size)
        seconds, _ = measure(partial(vaglio.RIPPERClassifier(n_jobs=2).fit, X, y), 3)
        scaled = seconds * 1e9 / size / np.log2(size)
        rows.append(Row(f"RIPPER, {size} rows (score: ns / (N log2 N))", OURS, 2, seconds, scaled))
    return rows


def _wide() -> list[Row]:
    """Fit each rule learner to three hundred classes and a thousand columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 1000))
    y = np.arange(3000) % 300
    X[np.arange(3000), y] += 4
    X[np.arange(3000), 300 + y] += 3
    rows = []
    for learner in (vaglio.RIPPERClassifier, vaglio.FOILClassifier, vaglio.CN2Classifier, vaglio.AQClassifier):
        start = time.perf_counter()
        model = learner(n_jobs=2).fit(X, y)
        seconds = time.perf_counter() - start
        rows.append(Row(f"{learner.__name__}, 3000 x 1000, 300 classes", OURS, 2, seconds, model.score(X, y)))
    return rows
