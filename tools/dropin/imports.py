"""``python -m tools.dropin.imports``: what importing ``vaglio.sklearn.tree`` costs, beside ``sklearn.tree``.

Seconds of computing, the least of several processes: what else the machine does changes them little.
"""

from __future__ import annotations

import subprocess
import sys

MODULES = ("sklearn.tree", "vaglio.sklearn.tree")
RUNS = 15
_CODE = """
import importlib, sys, time
start = time.process_time()
importlib.import_module(sys.argv[1])
print(time.process_time() - start)
"""


def main() -> None:
    """Import both in turn, each time in a new process, and print the least times and their ratio."""
    seconds: dict[str, list[float]] = {name: [] for name in MODULES}
    for _ in range(RUNS):
        for name in MODULES:
            done = subprocess.run([sys.executable, "-c", _CODE, name], capture_output=True, text=True, check=True)
            seconds[name].append(float(done.stdout))
    for name in MODULES:
        print(f"{name}: {min(seconds[name]):.3f} s of computing, least of {RUNS}")
    theirs, ours = (min(seconds[name]) for name in MODULES)
    print(f"ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
