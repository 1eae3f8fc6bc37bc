"""Print the panel: ``python -m benchmarks.panel [FOLDER] [--learner ids] [--seeds 1] [--noise 1,3,10]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.panel.noise import noise_sides, with_noise
from benchmarks.panel.pairs import ALSO, PAIRS, Pair
from benchmarks.panel.scores import Score, cross_validate
from benchmarks.panel.tables import PanelTable, panel_tables

# Tables for the columns of noise: small enough for many runs, of all three sources.
NOISE_TABLES = 8


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\r", file=sys.stderr, flush=True)


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def compare(pair: Pair, tables: list[PanelTable], seeds: list[int]) -> list[tuple[PanelTable, Score, Score]]:
    """Score both sides of a pair on every table; each figure is the mean over the seeds."""
    lines = []
    for table in tables:
        _progress(f"{pair.learner}: {table.name}")
        ours = [cross_validate(pair.ours, table.X, table.y, seed) for seed in seeds]
        theirs = [cross_validate(pair.theirs, table.X, table.y, seed) for seed in seeds]
        lines.append((table, _mean(ours), _mean(theirs)))
    return lines


def _mean(scores: list[Score]) -> Score:
    return Score(*np.mean([[s.accuracy, s.log_loss, s.calibration_error, s.seconds] for s in scores], axis=0))


def print_pairs(console: Console, pairs: list[Pair], tables: list[PanelTable], seeds: list[int], each: bool) -> None:
    """One line per pair: the mean difference in accuracy with its standard error, and the other figures beside it."""
    grid = Grid(title=f"defaults on {len(tables)} tables, ten folds", title_justify="left")
    for heading in ("learner", "peer", "accuracy", "peer's", "difference", "s.e.", "worst", "log loss", "peer's",
                    "calibration error", "peer's", "CPU s", "peer's"):  # fmt: skip
        grid.add_column(heading, justify="left" if heading in ("learner", "peer", "worst") else "right")
    for pair in pairs:
        lines = compare(pair, tables, seeds)
        differences = [ours.accuracy - theirs.accuracy for _, ours, theirs in lines]
        mean, error = mean_and_error(differences)
        ours, theirs = _mean([o for _, o, _ in lines]), _mean([t for _, _, t in lines])
        lowest = int(np.argmin(differences))
        grid.add_row(
            pair.learner, pair.peer, f"{ours.accuracy:.2f}", f"{theirs.accuracy:.2f}", f"{mean:+.2f}", f"{error:.2f}",
            f"{lines[lowest][0].name} {differences[lowest]:+.1f}", f"{ours.log_loss:.3f}", f"{theirs.log_loss:.3f}",
            f"{ours.calibration_error:.3f}", f"{theirs.calibration_error:.3f}",
            f"{ours.seconds * len(lines):.0f}", f"{theirs.seconds * len(lines):.0f}",
        )  # fmt: skip
        if each:
            for table, own, their in lines:
                console.print(f"{pair.learner:14} {table.source:10} {table.name:24} {own.accuracy:6.2f} "
                              f"{their.accuracy:6.2f} {own.accuracy - their.accuracy:+6.2f}")  # fmt: skip
    console.print(grid)


def print_noise(
    console: Console, pairs: list[Pair], tables: list[PanelTable], seeds: list[int], added: list[int]
) -> None:
    """One line per learner: points lost by columns of noise, with the standard error over tables and seeds."""
    chosen = sorted(tables, key=lambda table: (len(table.y) > 700, table.name))[: NOISE_TABLES * 2 : 2]
    sides = noise_sides(pairs) | ALSO
    grid = Grid(title="points lost by noise columns of n/4 values: " + ", ".join(t.name for t in chosen))
    for heading in ("learner", "without", *(f"{k} columns" for k in added)):
        grid.add_column(heading, justify="left" if heading == "learner" else "right")
    for name, make in sides.items():
        _progress(name)
        base = {(t.name, s): cross_validate(make, t.X, t.y, s, 5).accuracy for t in chosen for s in seeds}
        row = [f"{np.mean(list(base.values())):.2f}"]
        for k in added:
            lost = [
                base[t.name, s] - cross_validate(make, with_noise(t.X, k, s), t.y, s, 5).accuracy
                for t in chosen
                for s in seeds
            ]
            mean, error = mean_and_error(lost)
            row.append(f"{mean:+.2f} ± {error:.2f}")
        grid.add_row(name, *row)
    console.print(grid)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder with real .arff tables")
    parser.add_argument("--learner", default="", help="ids, separated by commas; all without it")
    parser.add_argument("--seeds", default="1", help="seeds of the folds, separated by commas")
    parser.add_argument("--noise", default="", help="numbers of noise columns: prints the points lost instead")
    parser.add_argument("--each", action="store_true", help="print every table too")
    arguments = parser.parse_args()
    wanted = [name for name in arguments.learner.split(",") if name]
    pairs = [pair for pair in PAIRS if not wanted or pair.learner in wanted]
    tables = list(panel_tables(arguments.folder))
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    console = Console(width=200)
    if arguments.noise:
        print_noise(console, pairs, tables, seeds, [int(k) for k in arguments.noise.split(",")])
    else:
        print_pairs(console, pairs, tables, seeds, arguments.each)


if __name__ == "__main__":
    main()
