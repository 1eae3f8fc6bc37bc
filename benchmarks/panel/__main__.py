"""Print the panel: ``python -m benchmarks.panel [FOLDER] [--leave-out | --calibrate | --select N | --noise 1,3]``."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks.panel.noise import noise_sides, tables_for_noise
from benchmarks.panel.pairs import PAIRS
from benchmarks.panel.printing import print_calibrated, print_left_out, print_noise, print_pairs, print_winners
from benchmarks.panel.records import Records
from benchmarks.panel.tables import MOST_ROWS, panel_tables
from vaglio.learners.registry import LEARNERS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder with real .arff and .csv tables")
    parser.add_argument("--learner", default="", help="ids, separated by commas; all without it")
    parser.add_argument("--tables", default="", help="names of tables, separated by commas; all without it")
    parser.add_argument("--seeds", default="1", help="seeds of the folds, separated by commas")
    parser.add_argument("--folds", type=int, default=3, help="number of folds")
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="largest number of rows; larger tables are sampled")
    parser.add_argument("--records", type=Path, help="file that keeps the scores: those in it are not computed again")
    parser.add_argument("--each", action="store_true", help="print every table too")
    parser.add_argument("--leave-out", action="store_true", help="judge the candidates of every default instead")
    parser.add_argument("--candidate", default="", help="only candidates whose names have this text")
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
        sides = noise_sides(wanted or list(LEARNERS), pairs)
        chosen = tables_for_noise(tables, bool(named))
        print_noise(console, sides, chosen, records, [int(k) for k in arguments.noise.split(",")])
    elif arguments.leave_out:
        print_left_out(console, pairs, tables, records, arguments.candidate)
    elif arguments.calibrate:
        print_calibrated(console, pairs, tables, records)
    elif arguments.select is not None:
        print_winners(console, tables, records, arguments.select, arguments.each)
    else:
        print_pairs(console, pairs, tables, records, arguments.each)


if __name__ == "__main__":
    main()
