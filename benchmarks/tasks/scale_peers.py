"""Learning from a Parquet file beside Spark MLlib, XGBoost's external memory and dask-ml, and with one worker and two.

SCALE_PARTS=spark,xgboost,dask,workers says what is run (all by default), SCALE_PEER_ROWS=10000000 how many rows. Every
library runs in a process of its own with two threads and reads the file itself; the score is the accuracy on the first
200 000 rows. Trees have the same depth and number of bins, words are indexed (Spark, XGBoost) or one-hot (dask-ml),
missing numbers are filled where a library takes none. What was measured is kept in build/scale; remove it to measure
again.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.large import TARGET, large_file
from benchmarks.runner import OURS, Row

FOLDER = Path("build/scale")
THREADS, DEPTH, BINS, TREES, JUDGED = 2, 10, 64, 20, 200_000
PARTS = ("spark", "xgboost", "dask", "workers")
# Minutes per million rows on two cores, to say beforehand how long it takes.
MINUTES = {"spark": 2.0, "xgboost": 0.6, "dask": 1.5, "workers": 0.6}
OUR_PARAMS: dict[str, dict[str, Any]] = {
    "naive-bayes": {},
    "logistic": {},
    "cart": {"max_depth": DEPTH, "max_bins": BINS, "ccp_alpha": 0.0},
    "random-forest": {"max_depth": DEPTH, "max_bins": BINS, "n_estimators": TREES, "random_state": 0},
}
SCRIPTS = Path(__file__).parent.parent / "peers"


def run() -> list[Row]:
    size = int(os.environ.get("SCALE_PEER_ROWS", "10000000"))
    wanted = [part for part in os.environ.get("SCALE_PARTS", ",".join(PARTS)).split(",") if part in PARTS]
    about = sum(MINUTES[part] for part in wanted) * size / 1e6
    print(f"{', '.join(wanted)} with {size:,} rows: about {about:.0f} minutes on two cores", flush=True)
    path = large_file(FOLDER, size)
    rows: list[Row] = []
    if {"spark", "xgboost", "dask"} & set(wanted):
        for learner, params in OUR_PARAMS.items():
            found = _kept(path, "vaglio", learner, params=params)
            rows.append(Row(f"{learner} {size} x 20", OURS, THREADS, found["seconds"], found["accuracy"]))
    for library, module, learners in (
        ("spark", "pyspark", tuple(OUR_PARAMS)),
        ("xgboost", "xgboost", ("random-forest",)),
        ("dask", "dask_ml", ("logistic", "naive-bayes")),
    ):
        if library not in wanted:
            continue
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed: pip install {module.replace('_', '-')}", flush=True)
            continue
        who = f"{module} {importlib.metadata.version(module.replace('_', '-'))}"
        for learner in learners:
            found = _kept(path, library, learner)
            rows.append(Row(f"{learner} {size} x 20", who, THREADS, found["seconds"], found["accuracy"]))
    if "workers" in wanted:
        rows += _workers(path, size)
    return rows


def _workers(path: Path, size: int) -> list[Row]:
    """One worker process and two, one thread each: the ratio is the scaling."""
    rows = []
    for learner in ("cart", "random-forest"):
        for workers, who in ((2, OURS), (1, "vaglio, one worker")):
            found = _kept(path, "workers", learner, params=OUR_PARAMS[learner], workers=workers)
            task = f"{learner} {size} x 20 on a cluster of two workers"
            rows.append(Row(task, who, workers, found["seconds"], found["accuracy"]))
    return rows


def _kept(path: Path, library: str, learner: str, **more: Any) -> dict[str, Any]:
    name = f"{library}-{learner}-{more.get('workers', '')}-{path.stem}.json"
    kept = FOLDER / name
    if not kept.exists():
        said = {"path": str(path), "target": TARGET, "learner": learner, "threads": THREADS, "depth": DEPTH}
        said |= {"bins": BINS, "trees": TREES, "judged": JUDGED, **more}
        script = SCRIPTS / f"{library}_task.py"
        done = subprocess.run([sys.executable, str(script), json.dumps(said)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{library} failed on {learner}: {done.stderr[-2000:]}")
        kept.write_text(done.stdout.splitlines()[-1])
    return dict(json.loads(kept.read_text()))
