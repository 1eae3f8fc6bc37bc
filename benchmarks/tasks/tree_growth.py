"""Decision trees: time and memory for 10^4 to 2·10^6 rows (30 columns, three classes).

The score is the peak memory of the fit in multiples of the table's own float64 size; the time divided by N·log2(N)
should not rise. Each size runs in its own process, so that the peaks are independent.
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.runner import OURS, Row

SIZES = (10_000, 50_000, 200_000, 1_000_000, 2_000_000)

_CHILD = """
import json, resource, sys, threading, time
import vaglio
from benchmarks import data
rows = int(sys.argv[1])
X, y = data.continuous(rows)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

before, peak, done = resident(), 0, False
def watch():
    global peak
    while not done:
        peak = max(peak, resident())
        time.sleep(0.002)
watcher = threading.Thread(target=watch)
watcher.start()
start = time.perf_counter()
tree = vaglio.DecisionTreeClassifier(n_jobs=2).fit(X, y)
seconds = time.perf_counter() - start
done = True
watcher.join()
print(json.dumps([seconds, (peak - before + X.nbytes) / X.nbytes]))
"""


def run() -> list[Row]:
    rows = []
    for size in SIZES:
        done = subprocess.run([sys.executable, "-c", _CHILD, str(size)], capture_output=True, text=True, check=True)
        seconds, peak = json.loads(done.stdout)
        rows.append(Row(f"{size} rows, 2 threads (score: peak memory / table)", OURS, 2, seconds, peak))
    return rows
