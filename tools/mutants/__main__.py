"""``python -m tools.mutants``: put small faults into the package, and see which of them no test notices.

Faults are drawn at random from the files of some folders. A later run goes on where the last one stopped, and tries
survivors again when the tests that reach them have changed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

# One thread per worker: forks of a process with threads, and more threads than CPUs, are no part of the question. The
# order of sets is fixed, so that a test takes the same way in every run.
if os.environ.get("PYTHONHASHSEED") != "0":
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "tools.mutants", *sys.argv[1:]])

import pytest
from hypothesis import HealthCheck, settings

from tools.mutants.session import NOTICED, PYTEST, Session
from vaglio.evaluation.metrics.intervals import wilson_interval

ROOT = Path(__file__).parents[2]
FOLDERS = ("model", "fitted", "evaluation/metrics")
OUTCOMES = (*NOTICED, "survived", "not reached")


def main() -> int:
    """Try the mutants and print what became of them."""
    options = _options()
    options.state.mkdir(parents=True, exist_ok=True)
    # Examples are the same for every mutant, and a busy machine is no failure.
    settings.register_profile(
        "mutants", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    settings.load_profile("mutants")
    session = Session(
        root=ROOT,
        folders=[f"src/vaglio/{folder}" for folder in options.folder or FOLDERS],
        folder=options.state.absolute(),
        share=options.share,
        seed=options.seed,
        budget=options.seconds,
        workers=options.workers,
        alike=options.alike,
        probed=[f"src/vaglio/{folder}" for folder in FOLDERS],
    )
    code = pytest.main([*PYTEST, "-m", "not browser and not nightly", *(options.tests or ["tests"])], plugins=[session])
    if not session.results:
        return int(code) or 1
    _report(session)
    return 0


def _report(session: Session) -> None:
    for result in sorted(session.results, key=lambda result: (result["path"], result["line"])):
        if result["outcome"] not in NOTICED:
            print(f"{result['path']}:{result['line']}: {result['what']} ({result['outcome']})")
    print()
    print(f"{'':48}" + "".join(f"{outcome:>13}" for outcome in OUTCOMES) + f"{'noticed':>10}   95 % interval")
    for folder in session.folders:
        own = [result for result in session.results if result["path"].startswith(folder + "/")]
        for path in sorted({result["path"] for result in own}):
            _line("  " + path.removeprefix("src/vaglio/"), [result for result in own if result["path"] == path])
        _line(folder.removeprefix("src/vaglio/"), own)


def _line(name: str, results: list[dict[str, Any]]) -> None:
    counts = Counter(result["outcome"] for result in results)
    noticed, total = sum(counts[outcome] for outcome in NOTICED), len(results)
    if total:
        rate = wilson_interval(noticed, total)
        numbers = "".join(f"{counts[outcome]:13}" for outcome in OUTCOMES)
        print(f"{name:48}{numbers}{rate.value:10.1%}   {rate.low:.1%} to {rate.high:.1%}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--folder", action="append", help=f"folder below src/vaglio; by default {', '.join(FOLDERS)}")
    parser.add_argument("--share", type=float, default=0.05, help="part of all mutants that is drawn")
    parser.add_argument("--seed", type=int, default=0, help="which are drawn")
    parser.add_argument("--seconds", type=float, default=20.0, help="time of the tests per mutant at most")
    parser.add_argument("--tests", action="append", help="folder or file of tests; by default all")
    parser.add_argument(
        "--alike", type=int, default=200, help="of tests that differ in parameters alone, so many are run"
    )
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--state", type=Path, default=ROOT / "build/mutants", help="folder where results are kept")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
