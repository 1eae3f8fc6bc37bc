"""One SHA-256 per learner, wherever its rows are: ``python -m benchmarks.same_bytes [ROWS] [LEARNER ...]``.

The table of :mod:`benchmarks.large` is written (five million rows by default; a tenth of them for learners that take
many passes or gather their rows) and learned from in memory where this gives the same file, from disk in chunks of
three sizes, from files cut otherwise, and by Dask with one worker, with five, and with two of which one is killed. A
line per learner says whether all files are the same; the program fails if some are not. Files are written to
build/same_bytes.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import vaglio
from benchmarks.large import TARGET, write_large
from vaglio.fitted._file import to_bytes
from vaglio.learners.registry import find

FOLDER = Path("build/same_bytes")
MEMORY = "2GB"
TREE = vaglio.DecisionTreeClassifier(max_depth=12, max_bins=64)
SMALL_TREE = vaglio.DecisionTreeClassifier(max_depth=3, max_bins=64)
# Parts into which the rows are read, and the most rows of each.
CHUNKS = ((29, 20_000), (11, 50_000), (3, 200_000))
# Learners with their parameters; whether a training in memory gives the very same file; and whether they see all rows.
LEARNERS: dict[str, tuple[dict[str, Any], bool, bool]] = {
    "naive-bayes": ({}, True, True),
    "bernoulli-nb": ({}, True, True),
    "joint-bayes": ({}, True, True),
    "bayes-net": ({}, True, True),
    "gaussian-map": ({}, False, True),
    "logistic": ({}, False, True),
    "c45": ({"max_depth": 12, "max_bins": 64, "subtree_raising": False}, True, True),
    "cart": ({"max_depth": 12, "max_bins": 64, "random_state": 1}, True, True),
    "id3": ({"max_depth": 8, "max_bins": 64}, True, True),
    "random-forest": ({"n_estimators": 20, "max_depth": 12, "max_bins": 64, "random_state": 1}, True, True),
    "gradient-boosting": ({"max_iter": 10, "random_state": 1}, True, True),
    "perceptron": ({"max_iter": 3}, False, False),
    "mlp": ({"hidden_layer_sizes": (8,), "max_iter": 2, "shuffle": False}, False, False),
    "bagging": ({"estimator": TREE, "n_estimators": 5, "random_state": 1}, True, True),
    "adaboost": ({"estimator": SMALL_TREE, "n_estimators": 5, "random_state": 1}, True, True),
    "voting": ({"estimators": [("tree", TREE), ("one rule", SMALL_TREE)]}, True, True),
    "additive": ({"outer_bags": 1, "max_rounds": 20, "interactions": 0, "random_state": 1}, True, False),
    "knn": ({}, True, False),
}
# Learners of numbers alone, and of all combinations of values, take some of the columns.
COLUMNS = {
    "gaussian-map": [f"fraction{i}" for i in range(6)],
    "joint-bayes": ["word0", "word1", "word2", "flag"],
}


def main() -> int:
    """Compare all files of the learners asked for."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    different = []
    for learner in sys.argv[2:] or LEARNERS:
        params, in_memory, whole = LEARNERS[learner]
        size = rows if whole else rows // 10
        start = time.perf_counter()
        found = _files(learner, params, in_memory, size)
        same = len(set(found.values())) == 1
        different += [] if same else [learner]
        ways = ", ".join(found) if same else ", ".join(f"{way} {sha[:8]}" for way, sha in found.items())
        said = next(iter(found.values())) if same else "DIFFERENT"
        print(f"{learner} {size} rows: {said} ({ways}; {time.perf_counter() - start:.0f} s)", flush=True)
    return 1 if different else 0


def _files(learner: str, params: dict[str, Any], in_memory: bool, rows: int) -> dict[str, str]:
    path, cut = _written(rows)

    def fit(source: Path, read: bool = False) -> str:
        data = vaglio.scan(source)
        if learner in COLUMNS:
            data = data.select([*COLUMNS[learner], TARGET])
        X, y = (data.read() if read else data).xy(TARGET)
        model = find(learner).make().set_params(**params).fit(X, y)
        return hashlib.sha256(to_bytes(model.fitted_)).hexdigest()

    found = {"in memory": fit(path, read=True)} if in_memory else {}
    for chunk in [min(max(1, rows // parts), most) for parts, most in CHUNKS]:
        with vaglio.streaming(MEMORY, chunk_rows=chunk):
            found[f"chunks of {chunk}"] = fit(path)
    with vaglio.streaming(MEMORY):
        found["other files"] = fit(cut)
    for workers in (1, 5):
        with _cluster(workers) as (client, _), vaglio.streaming(MEMORY, client=client):
            found["one worker" if workers == 1 else f"{workers} workers"] = fit(path)
    with _cluster(2) as (client, kill):
        killing = Killing(kill)
        with vaglio.streaming(MEMORY, client=client, progress=killing):
            found["two workers, one killed"] = fit(cut)
        if not killing.done:
            raise RuntimeError(f"{learner} was learned before a worker could be killed")
    return found


class Killing:
    """A report of progress that kills a worker in the third look at the rows: reading, what is described, a pass."""

    def __init__(self, kill: Callable[[], None]) -> None:
        self.kill, self.looks, self.done = kill, set[str](), False

    def __call__(self, done: int, total: int, what: str) -> None:
        self.looks.add(what)
        if len(self.looks) == 3 and not self.done:
            self.done = True
            self.kill()


@contextmanager
def _cluster(workers: int) -> Iterator[tuple[Any, Callable[[], None]]]:
    # Its functions have no types: a module of type Any may be called.
    dask: Any = importlib.import_module("distributed")
    with (
        dask.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        dask.Client(cluster) as client,
    ):
        pid = next(iter(client.run(os.getpid).values()))
        yield client, lambda: os.kill(pid, signal.SIGKILL)


def _written(rows: int) -> tuple[Path, Path]:
    """Return the table as one file, and as a folder of files of other lengths."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path, cut = FOLDER / f"rows-{rows}.parquet", FOLDER / f"cut-{rows}"
    if not path.exists():
        begun = path.with_suffix(".begun")
        write_large(begun, rows)
        begun.rename(path)
    if not cut.exists():
        begun = cut.with_suffix(".begun")
        begun.mkdir(exist_ok=True)
        for number, batch in enumerate(pq.ParquetFile(path).iter_batches(max(1, rows * 3 // 17))):
            pq.write_table(pa.Table.from_batches([batch]), begun / f"{number:05d}.parquet")
        begun.rename(cut)
    return path, cut


if __name__ == "__main__":
    sys.exit(main())
