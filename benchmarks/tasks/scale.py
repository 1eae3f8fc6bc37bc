"""Learning from a Parquet file of 20 mixed columns within 2 GB; the score is the peak of memory in GB.

SCALE_ROWS=4000000,40000000 says how many rows, SCALE_LEARNERS=naive-bayes,logistic which learners. Every learner runs
in a process of its own, which reads the file, learns in passes and says how long each pass took. From that follows
what a billion rows on 32 workers would take: reading and passes divided by the workers, and the merges of 1000
partitions, eight by one task. Trees whose rows fit in memory as bins grow there and not in passes: they predict
nothing. Files and figures are kept in build/scale, so that a long run can be resumed; remove the folder to measure
again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.large import TARGET, large_file
from benchmarks.runner import OURS, Row, measure

FOLDER = Path("build/scale")
THREADS = 2
MEMORY = "2GB"
LEARNERS: dict[str, dict[str, int]] = {
    "naive-bayes": {},
    "logistic": {},
    "c45": {"max_depth": 12},
    "random-forest": {"n_estimators": 20, "max_depth": 12},
    "gradient-boosting": {"max_iter": 10},
}
# Less of the time in passes, and they say little about it.
MOSTLY = 0.8
# The cluster of the prediction.
ROWS, WORKERS, PARTITIONS, FAN_IN = 1_000_000_000, 32, 1000, 8

# Measured in a new process: its peak of memory is that of the training alone. The system's count of a process that was
# begun by another (getrusage) starts from what the other held, so the peak is read where it starts anew.
_MEASURE = """
import json, sys, time
from pathlib import Path
import vaglio
from vaglio.learners.registry import find
path, target, learner, params, threads, memory = sys.argv[1:]
model = find(learner).make().set_params(**json.loads(params))
if "n_jobs" in model.get_params():
    model.set_params(n_jobs=int(threads))
seconds, last = {}, [time.perf_counter()]
def note(done, total, what):
    now = time.perf_counter()
    seconds[what] = seconds.get(what, 0.0) + now - last[0]
    last[0] = now
X, y = vaglio.scan(path).xy(target)
start = time.perf_counter()
try:
    with vaglio.streaming(memory, progress=note):
        model.fit(X, y)
except vaglio.errors.NotSupportedError as error:
    print(json.dumps({"not": str(error)}))
    sys.exit()
said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak = int(said["VmHWM"].split()[0]) / 2**20
print(json.dumps({"seconds": time.perf_counter() - start, "peak": peak, "passes": seconds}))
"""


def run() -> list[Row]:
    rows: list[Row] = []
    for size in map(int, os.environ.get("SCALE_ROWS", "4000000").split(",")):
        path = large_file(FOLDER, size)
        reading, _ = measure(partial(_read, path), 3)
        for learner in os.environ.get("SCALE_LEARNERS", ",".join(LEARNERS)).split(","):
            found = _measured(path, learner, LEARNERS[learner])
            if "not" in found:
                continue
            task = f"{learner} {size} x 20, {MEMORY}"
            rows.append(Row(task, OURS, THREADS, found["seconds"], found["peak"]))
            rows.append(Row(task, "pyarrow, reading alone", THREADS, reading))
            if sum(found["passes"].values()) >= MOSTLY * found["seconds"]:
                far = f"{learner}, a billion rows on {WORKERS} workers, predicted from {size}"
                rows.append(Row(far, OURS, WORKERS, predicted(size, found["passes"])))
    return rows


def predicted(size: int, passes: dict[str, float]) -> float:
    """Return the seconds that a billion rows would take: each worker is as fast as this machine with all its threads.

    Merging is a matter of milliseconds for tables of counts: a hundredth of a second per merge is allowed for.
    """
    depth, left = 0, PARTITIONS
    while left > 1:
        depth, left = depth + 1, -(-left // FAN_IN)
    merging = len(passes) * depth * (FAN_IN - 1) * 0.01
    return sum(passes.values()) * ROWS / size / WORKERS + merging


def _read(path: Path) -> None:
    for _ in pq.ParquetFile(path).iter_batches(1 << 18):
        pass


def _measured(path: Path, learner: str, params: dict[str, int]) -> dict[str, Any]:
    kept = FOLDER / f"{learner}-{path.stem}.json"
    if not kept.exists():
        said = [str(path), TARGET, learner, json.dumps(params), str(THREADS), MEMORY]
        done = subprocess.run([sys.executable, "-c", _MEASURE, *said], check=True, capture_output=True, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        if "not" in found:
            return dict(found)
        kept.write_text(json.dumps(found))
    return dict(json.loads(kept.read_text()))
