"""``python -m tools.honest``: run the simulations, print what they show, and write the table of the documentation."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})

from tools.honest import MODULES
from tools.honest.simulation import KINDS, Outcome, Simulation, outcomes

_PAGE = Path("docs/honest.md")
_TITLES = {
    "coverage": "Coverage of 95 % intervals",
    "type I error": "Differences that are not there",
    "false alarms": "Warnings on clean tables",
    "power": "Differences and errors that are found",
    "bias": "Bias",
    "calibration error": "Calibration error beyond that of right probabilities",
}


def simulations() -> list[Simulation]:
    """Return the simulations of all modules."""
    return [each for module in MODULES for each in import_module(f"tools.honest.{module}").SIMULATIONS]


def main() -> int:
    """Run the simulations that were asked for; the exit code is 1 if a promise does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.honest", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only simulations whose name has this text")
    parser.add_argument("--runs", type=int, help="tables of each simulation; by default as many as each asks for")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--write", action="store_true", help=f"write {_PAGE}")
    options = parser.parse_args()
    found: list[Outcome] = []
    for each in simulations():
        if options.only in f"{each.kind}: {each.name}":
            for outcome in outcomes(each, options.runs or each.long, n_jobs=options.jobs):
                found.append(outcome)
                print(line(outcome), flush=True)
    if options.write:
        _PAGE.write_text(page(found), encoding="utf-8")
    return int(not all(outcome.holds or outcome.simulation.why for outcome in found))


def line(outcome: Outcome) -> str:
    """Return an outcome as a line of text."""
    name = ": ".join(filter(None, (outcome.simulation.kind, outcome.simulation.name, outcome.figure)))
    return f"{name}: {outcome.observed:.3f} ± {outcome.error:.3f} ({outcome.runs:,}) {outcome.verdict}"


def page(found: Sequence[Outcome]) -> str:
    """Return the page of the documentation."""
    head, tail = (
        (Path(__file__).parent / name).read_text(encoding="utf-8").rstrip() for name in ("head.md", "tail.md")
    )
    parts = [head]
    for kind in KINDS.values():
        of_kind = [outcome for outcome in found if outcome.simulation.kind == kind.name]
        if of_kind:
            parts.append(f"## {_TITLES[kind.name]}\n\n{_table(of_kind)}")
    return "\n\n".join((*parts, tail)) + "\n"


def _table(found: Sequence[Outcome]) -> str:
    """One table per kind; a simulation of one figure has one row, others a row per figure."""
    rows = ["| what | figure | nominal | observed | ± | tables | verdict |", "|---|---|---|---|---|---|---|"]
    for o in found:
        each = o.simulation
        verdict = f"{o.verdict}: {each.why}" if each.why and o.beyond else o.verdict
        nominal = "–" if each.kind == "power" else f"{KINDS[each.kind].nominal:g}"
        rows.append(
            f"| {each.name} | {o.figure.replace('_', ' ') or '–'} | {nominal} | {o.observed:.3f} | {o.error:.3f} "
            f"| {o.runs:,} | {verdict} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
