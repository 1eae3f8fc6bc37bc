"""Finds the tasks, runs them, prints one table per task, and writes ``results.csv`` and ``machine.csv``.

A task is a module of ``benchmarks/tasks`` with a docstring that says what is measured, and ``run() -> list[Row]``.
Every row is compared with the row whose ``who`` is "vaglio". All rows of a task come from one run on one machine,
because only ratios from one run are meaningful.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import pkgutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from benchmarks import tasks
from benchmarks.machine import describe_machine

OURS = "vaglio"
RESULTS = Path(__file__).with_name("results.csv")


@dataclass(frozen=True)
class Row:
    """One line of a comparison.

    Parameters
    ----------
    task : str
        What was done, e.g. ``"fit 150000 x 30"``. Rows of the same task are compared with each other.
    who : str
        ``"vaglio"``, or the other library with its version.
    threads : int
        The number of threads that were allowed.
    seconds : float
        Median time, from :func:`measure`.
    score : float or None
        Accuracy, or what the task says: it shows that speed does not cost accuracy.
    """

    task: str
    who: str
    threads: int
    seconds: float
    score: float | None = None


def measure(fn: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the median seconds of ``repeats`` calls, and the result of the last call."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = fn()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def ratios(rows: list[Row]) -> list[float | None]:
    """Return each row's time divided by ours on the same task; None for a task that we did not run."""
    ours = {row.task: row.seconds for row in rows if row.who == OURS}
    return [row.seconds / ours[row.task] if ours.get(row.task) else None for row in rows]


def with_threads(threads: int) -> str:
    """Return the number of threads as it is named in a task."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def task_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(tasks.__path__))


def _grid(title: str, rows: list[Row]) -> Grid:
    grid = Grid(title=title, title_justify="left")
    for heading in ("task", "who"):
        grid.add_column(heading)
    for heading in ("threads", "seconds", "score", "× ours"):
        grid.add_column(heading, justify="right")
    for row, ratio in zip(rows, ratios(rows)):
        grid.add_row(
            row.task,
            f"[bold]{row.who}[/bold]" if row.who == OURS else row.who,
            str(row.threads),
            f"{row.seconds:.4g}",
            "" if row.score is None else f"{row.score:.4f}",
            "" if ratio is None else f"{ratio:.2f}",
        )
    return grid


def _merge(path: Path, name: str, rows: list[Row]) -> None:
    """Put the rows of one benchmark into the file, in place of those of its last run."""
    header = ["benchmark", "task", "who", "threads", "seconds", "score", "ratio"]
    kept = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = [line for line in csv.reader(file) if line and line[0] not in (name, "benchmark")]
    new = [
        [
            name,
            row.task,
            row.who,
            str(row.threads),
            f"{row.seconds:.6g}",
            "" if row.score is None else f"{row.score:.6g}",
            "" if ratio is None else f"{ratio:.4g}",
        ]
        for row, ratio in zip(rows, ratios(rows))
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *sorted(kept + new, key=lambda line: line[0])])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compare vaglio with other libraries.")
    parser.add_argument("task", nargs="*", help="tasks to run (default: all)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="CSV file the figures are written to")
    arguments = parser.parse_args()
    known = task_names()
    unknown = [name for name in arguments.task if name not in known]
    if unknown:
        parser.error(f"no task {', '.join(unknown)}; there are: {', '.join(known) or 'none yet'}")
    console = Console()
    for name in arguments.task or known:
        module = importlib.import_module(f"benchmarks.tasks.{name}")
        rows = module.run()
        _merge(arguments.results, name, rows)
        console.print(_grid((module.__doc__ or name).strip().splitlines()[0], rows))
    with arguments.results.with_name("machine.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(describe_machine())
    console.print(f"figures written to {arguments.results}")
