"""Print the panel: ``python -m benchmarks.panel [FOLDER] [--leave-out | --calibrate | --select N | --noise 1,3]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.panel.noise import noise_sides, with_noise
from benchmarks.panel.pairs import ALSO, PAIRS, Pair
from benchmarks.panel.printing import print_calibrated, print_left_out, print_pairs, print_winners
from benchmarks.panel.records import Records
from benchmarks.panel.scores import cross_validate, mean_and_error
from benchmarks.panel.tables import MOST_ROWS, PanelTable, panel_tables

# Tables for the columns of noise: small enough for many runs, of all three sources.
NOISE_TABLES = 8


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\r", file=sys.stderr, flush=True)


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
    parser.add_argument("folder", type=Path, nargs="?", help="folder with real .arff and .csv tables")
    parser.add_argument("--learner", default="", help="ids, separated by commas; all without it")
    parser.add_argument("--tables", default="", help="names of tables, separated by commas; all without it")
    parser.add_argument("--seeds", default="1", help="seeds of the folds, separated by commas")
    parser.add_argument("--folds", type=int, default=10, help="number of folds")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="largest number of rows; larger tables are sampled")
    parser.add_argument("--records", type=Path, help="file that keeps the scores: those in it are not computed again")
    parser.add_argument("--each", action="store_true", help="print every table too")
    parser.add_argument("--leave-out", action="store_true", help="judge the candidates of every default instead")
    parser.add_argument("--calibrate", action="store_true", help="print what calibration by folds gives instead")
    parser.add_argument("--select", type=int, metavar="N", help="judge the winner of select with N settings instead")
    parser.add_argument("--noise", default="", help="numbers of noise columns: prints the points lost instead")
    arguments = parser.parse_args()
    wanted, named = ([name for name in text.split(",") if name] for text in (arguments.learner, arguments.tables))
    pairs = [pair for pair in PAIRS if not wanted or pair.learner in wanted]
    tables = [table for table in panel_tables(arguments.folder, arguments.rows) if not named or table.name in named]
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    records = Records(arguments.records, seeds, arguments.folds)
    console = Console(width=200)
    if arguments.noise:
        print_noise(console, pairs, tables, seeds, [int(k) for k in arguments.noise.split(",")])
    elif arguments.leave_out:
        print_left_out(console, pairs, tables, records)
    elif arguments.calibrate:
        print_calibrated(console, pairs, tables, records)
    elif arguments.select is not None:
        print_winners(console, tables, records, arguments.select, arguments.each)
    else:
        print_pairs(console, pairs, tables, records, arguments.each)


if __name__ == "__main__":
    main()
