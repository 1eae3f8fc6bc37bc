"""The short tasks again, beside the figures in ``results.csv``: what became slower against its peers is marked.

Ratios are compared, not seconds: another machine has another clock, but the libraries run on it side by side.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.runner import OURS, RESULTS, ratios

SHORT = ("small", "help")
# A ratio that falls by more than this is marked.
TOLERATED = 0.15

Key = tuple[str, str, str]  # benchmark, task, library without its version


def last_ratios(path: Path) -> dict[Key, float]:
    """Return the ratios of the last run that was written down."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["ratio"] and line["who"] != OURS]
    return {(line["benchmark"], line["task"], _library(line["who"])): float(line["ratio"]) for line in lines}


def present_ratios(names: tuple[str, ...]) -> dict[Key, float]:
    """Run these benchmarks."""
    found = {}
    for name in names:
        rows = importlib.import_module(f"benchmarks.tasks.{name}").run()
        for row, ratio in zip(rows, ratios(rows)):
            if ratio is not None and row.who != OURS:
                found[name, row.task, _library(row.who)] = ratio
    return found


def fallen(before: dict[Key, float], now: dict[Key, float]) -> list[Key]:
    """Return what fell by more than is tolerated."""
    return [key for key, ratio in now.items() if key in before and ratio < (1 - TOLERATED) * before[key]]


def _library(who: str) -> str:
    return who.rsplit(" ", 1)[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS, help="CSV file with the figures to compare with")
    before, now = last_ratios(parser.parse_args().results), present_ratios(SHORT)
    slower = fallen(before, now)
    grid = Grid(title="times ours: now, and when results.csv was written", title_justify="left")
    for heading in ("task", "compared with"):
        grid.add_column(heading)
    for heading in ("now", "then", ""):
        grid.add_column(heading, justify="right")
    for key, ratio in now.items():
        then = f"{before[key]:.2f}" if key in before else ""
        grid.add_row(f"{key[0]}: {key[1]}", key[2], f"{ratio:.2f}", then, "slower" if key in slower else "")
    Console().print(grid)
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
