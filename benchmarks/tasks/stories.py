"""Five things that a user waits for: import, train, compare, report and explain, on adult where the folder DATA has it.

Each command is a process of its own, on all processors, from its start to its end, with compiled modules as pip leaves
them; without adult the bundled penguins stand in. The score of the explanations is milliseconds per row.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure
from vaglio.runtime.threads import resolve_threads

LEARNERS = ("c45", "naive-bayes", "logistic", "knn", "random-forest")
EXPLAINED = 100
ALONE = 10


def run() -> list[Row]:
    adult = data.real("adult-train.csv")
    table, target, name = ("penguins", "species", "penguins") if adult is None else (str(adult), TARGET, "adult")
    threads = resolve_threads(-1)
    rows = [Row("import vaglio", OURS, 1, measure(partial(_python, "-c", "import vaglio"))[0])]
    with tempfile.TemporaryDirectory() as folder:
        model, page = str(Path(folder) / "model.vaglio"), str(Path(folder) / "report.html")
        given = [table, "--target", target]
        several = [word for learner in LEARNERS for word in ("--learner", learner)]
        commands = {
            "train c45": ["train", *given, "--learner", "c45", "--out", model],
            f"compare {len(LEARNERS)} learners": ["compare", *given, *several],
            "report": ["report", *given, "--out", page],
        }
        for task, command in commands.items():
            seconds, _ = measure(partial(_python, "-m", "vaglio", *command), 3)
            rows.append(Row(f"{task}, {name}", OURS, threads, seconds))
    return [*rows, *_explained(table, target, name)]


def _python(*arguments: str) -> None:
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=known)


def _explained(table: str, target: str, name: str) -> list[Row]:
    """Explain some rows by a forest of 100 trees, together and one by one."""
    known = vaglio.datasets.load(table) if name == "penguins" else vaglio.read(table)
    X, y = known.xy(target)
    forest = vaglio.RandomForestClassifier(100, n_jobs=-1, random_state=0).fit(X, y)
    some = X.take(list(range(EXPLAINED)))
    one_by_one = [some.take([i]) for i in range(ALONE)]
    together, _ = measure(lambda: forest.explain(some), 3)
    alone, _ = measure(lambda: [forest.explain(row) for row in one_by_one], 3)
    return [
        Row(f"explain {EXPLAINED} rows by a forest, {name}", OURS, 1, together, 1000 * together / EXPLAINED),
        Row(f"explain {ALONE} rows one by one, {name}", OURS, 1, alone, 1000 * alone / ALONE),
    ]
