"""``python -m tools.fuzz``: try inputs until a number or a time is reached; say what was found.

A later run with the same seed goes on where the last one stopped. ``--again models:0:1234`` repeats one attempt.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# One thread per worker: forks of a process with threads, and more threads than CPUs, are no part of the question.
os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})

from tools.fuzz import binary_tables, command_lines, model_files, tables  # noqa: F401  (each registers its target)
from tools.fuzz.target import TARGETS
from tools.fuzz.workers import Run, input_of, limited


def main() -> int:
    """Run the targets one after the other; the exit code is 1 if anything was found."""
    options = _options()
    if options.again:
        return _again(options.again)
    # A target may change the working folder.
    options.state = options.state.absolute()
    options.state.mkdir(parents=True, exist_ok=True)
    found = 0
    for name in options.target or sorted(TARGETS):
        target = TARGETS[name]()
        target.prepare()
        run = Run.resumed(target, options.seed, options.state)
        start, before = time.monotonic(), run.first
        count = run.go(options.attempts, options.seconds, options.workers)
        rate = count / max(time.monotonic() - start, 1e-9) / options.workers
        told = ", ".join(f"{word} {number:,}" for word, number in run.outcomes.most_common())
        print(
            f"{name}: attempts {before:,} to {run.first:,} of seed {run.seed}, {rate:.0f} per second and worker; "
            f"since attempt 0: {told}"
        )
        for what, number in run.found.most_common():
            print(f"  {number} times: {what}")
        found += len(run.found)
    return 1 if found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), help="what is fuzzed; by default all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--attempts", type=int, help="inputs per target")
    parser.add_argument("--seconds", type=float, help="time per target")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--state", type=Path, default=Path("build/fuzz"), help="folder of findings and of the state")
    parser.add_argument("--again", metavar="TARGET:SEED:ATTEMPT", help="repeat one attempt, in this process")
    options = parser.parse_args()
    if options.attempts is None and options.seconds is None and not options.again:
        options.seconds = 60.0
    return options


def _again(which: str) -> int:
    name, seed, attempt = which.split(":")
    target = TARGETS[name]()
    target.prepare()
    with limited():
        print(target.attempt(input_of(target, int(seed), int(attempt))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
