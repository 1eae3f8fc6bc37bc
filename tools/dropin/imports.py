"""``python -m tools.dropin.imports``: how long importing ``vaglio.sklearn.tree`` takes, beside ``sklearn.tree``."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

MODULES = ("sklearn.tree", "vaglio.sklearn.tree")
RUNS = 11
_CODE = """
import importlib, sys, time
start = time.perf_counter()
importlib.import_module(sys.argv[1])
print(time.perf_counter() - start)
"""


def main() -> None:
    """Import both in turn, each time in a new process, and print the medians."""
    seconds: dict[str, list[float]] = {name: [] for name in MODULES}
    for _ in range(RUNS):
        for name in MODULES:
            done = subprocess.run([sys.executable, "-c", _CODE, name], capture_output=True, text=True, check=True)
            seconds[name].append(float(done.stdout))
    for name in MODULES:
        print(f"{name}: {median(seconds[name]):.3f} s, median of {RUNS}")
    theirs, ours = (median(seconds[name]) for name in MODULES)
    print(f"ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
