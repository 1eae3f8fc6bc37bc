"""Rule learners: RIPPER on adult beside Weka's JRip and wittgenstein, and its time as the rows grow.

Times of fits include everything from the Table or array to the fitted estimator; Weka's is the build time it prints.
wittgenstein gets the largest part of adult it finishes within a minute, and ours the same rows. The made table of the
growth runs has the same true rules and one label in ten wrong at every size, so that the number of rules stays what it
is: the time divided by N·log2(N) should not rise.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

import vaglio
from benchmarks import data, weka
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
    return [*_adult(), *_growth(), *_wide()]


def _adult() -> list[Row]:
    tables = data.adult()
    if tables is None:
        return []
    (X, y), (X_test, y_test) = (table.xy("income") for table in tables)
    rows = []
    for threads in (1, 2):
        seconds, ours = measure(lambda threads=threads: vaglio.RIPPERClassifier(n_jobs=threads).fit(X, y), 9)
        task = f"RIPPER on adult, {threads} thread{'s' if threads > 1 else ''}"
        rows.append(Row(task, OURS, threads, seconds, accuracy_score(y_test, ours.predict(X_test))))
    with tempfile.TemporaryDirectory() as folder:
        if weka.available():
            train, test = Path(folder) / "train.arff", Path(folder) / "test.arff"
            weka.write_arff(tables[0], "income", train, beside=tables[1])
            weka.write_arff(tables[1], "income", test, beside=tables[0])
            runs = sorted((weka.run("JRip", train, test) for _ in range(3)), key=lambda r: r.seconds)
            rows += [Row(row.task, "Weka JRip", 1, runs[1].seconds, runs[1].accuracy) for row in list(rows)]
        rows += _beside_wittgenstein(tables, Path(folder))
    return rows


def _beside_wittgenstein(tables: tuple[Any, Any], folder: Path) -> list[Row]:
    train, test = (table.to_frame() for table in tables)
    test.to_csv(folder / "test.csv", index=False)
    X_test, y_test = tables[1].xy("income")
    for size in PARTS:
        train[:size].to_csv(folder / "train.csv", index=False)
        command = [sys.executable, "-c", _WITTGENSTEIN, str(folder / "train.csv"), str(folder / "test.csv")]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=2 * MINUTE)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode != 0:
            return []  # not installed
        seconds, score = map(float, done.stdout.split())
        if seconds > MINUTE:
            continue
        X, y = tables[0][np.arange(size)].xy("income")
        task = f"RIPPER on {size} rows of adult, 1 thread"
        own, model = measure(lambda X=X, y=y: vaglio.RIPPERClassifier(n_jobs=1).fit(X, y))
        return [
            Row(task, OURS, 1, own, accuracy_score(y_test, model.predict(X_test))),
            Row(task, "wittgenstein", 1, seconds, score),
        ]
    return []


def made(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Twenty columns, half of them continuous; three classes by four rules; one label in ten is drawn at random."""
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
        seconds, _ = measure(lambda X=X, y=y: vaglio.RIPPERClassifier(n_jobs=2).fit(X, y), 3)
        rows.append(
            Row(f"RIPPER, {size} rows (score: ns / (N log2 N))", OURS, 2, seconds, seconds * 1e9 / size / np.log2(size))
        )
    return rows


def _wide() -> list[Row]:
    """Three hundred classes and a thousand columns: each learner finishes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 1000))
    y = np.arange(3000) % 300
    X[np.arange(3000), y] += 4
    X[np.arange(3000), 300 + y] += 3
    rows = []
    for learner in (vaglio.RIPPERClassifier, vaglio.FOILClassifier, vaglio.CN2Classifier, vaglio.AQClassifier):
        start = time.perf_counter()
        model = learner(n_jobs=2).fit(X, y)
        rows.append(
            Row(
                f"{learner.__name__}, 3000 x 1000, 300 classes", OURS, 2, time.perf_counter() - start, model.score(X, y)
            )
        )
    return rows
