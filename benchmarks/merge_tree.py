"""The time that merging takes, and how it grows: ``python -m benchmarks.merge_tree [ROWS]``.

The summaries that learners really ask for are caught while they learn from a generated table of two parts, and the
merge of two is timed: that is M of the cost model. Then the tree of tasks is simulated, eight summaries to a task: with
so many partitions and workers, when is the last merge done, if all summaries are there at the start, and if they arrive
as the workers finish one partition after the other?
"""

from __future__ import annotations

import copy
import heapq
import importlib
import pickle
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.large import TARGET, write_large
from vaglio import scan, streaming
from vaglio.engines.dask import FAN_IN
from vaglio.engines.disk import DiskEngine
from vaglio.engines.passes import Pass
from vaglio.learners.registry import find

LEARNERS: dict[str, dict[str, Any]] = {
    "naive-bayes": {},
    "logistic": {},
    "c45": {"max_depth": 12},
    "random-forest": {"n_estimators": 20, "max_depth": 12},
}


@dataclass(frozen=True)
class Merge:
    """The dearest merge of two summaries that a learner needed.

    Attributes
    ----------
    name : str
        The pass.
    seconds : float
    bytes : int
        Size of one summary, as it is sent.
    passes : int
        Passes of the whole training.
    """

    name: str
    seconds: float
    bytes: int
    passes: int


class _Noticing(DiskEngine):
    """Learns as ever, and times the merge of two summaries of every pass."""

    merges: list[Merge]

    def answer(self, request: Any) -> Any:
        if isinstance(request, Pass) and len(self._held) > 1:
            _, one = self._summary(self._held[0], request)
            _, other = self._summary(self._held[1], request)
            size = len(pickle.dumps(one))
            seconds = []
            for _ in range(3):
                mine = copy.deepcopy(one)
                start = time.perf_counter()
                request.merge(mine, other)
                seconds.append(time.perf_counter() - start)
            self.merges.append(Merge(request.name, min(seconds), size, 0))
        return super().answer(request)


def measure_merges(path: Path, learner: str, params: dict[str, Any]) -> Merge:
    """Learn from a file of several parts and return the dearest merge."""
    engines: Any = importlib.import_module("vaglio.engines.engines")
    _Noticing.merges = []
    model = find(learner).make().set_params(**params)
    usual = engines.DiskEngine
    engines.DiskEngine = _Noticing
    try:
        with streaming("2GB", chunk_rows=1 << 16):
            model.fit(*scan(path).xy(TARGET))
    finally:
        engines.DiskEngine = usual
    worst = max(_Noticing.merges, key=lambda merge: merge.seconds)
    return Merge(worst.name, worst.seconds, worst.bytes, len(_Noticing.merges))


def simulate(partitions: int, workers: int, merge: float, summarize: float = 0.0) -> float:
    """Return when the last merge of one pass is done, in seconds.

    Every worker summarizes one partition after the other; a task merges eight results as soon as they are there and a
    worker is free. Sending is not counted.

    >>> simulate(8, 8, 1.0)
    7.0
    >>> simulate(64, 8, 1.0)
    14.0
    """
    free = [0.0] * workers
    heapq.heapify(free)
    level = []
    for _ in range(partitions):
        done = heapq.heappop(free) + summarize
        level.append(done)
        heapq.heappush(free, done)
    while len(level) > 1:
        groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
        level = []
        for group in sorted(groups, key=max):
            start = max(heapq.heappop(free), max(group))
            done = start + merge * (len(group) - 1)
            level.append(done)
            heapq.heappush(free, done)
    return level[0]


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        write_large(path, rows)
        print(
            f"{'learner':<15} {'passes':>6} {'dearest merge':<28} {'KB':>8} {'M in ms':>8} {'1000 parts':>11} "
            f"{'beside':>9}"
        )
        for learner, params in LEARNERS.items():
            found = measure_merges(path, learner, params)
            alone = simulate(1000, 32, found.seconds)
            beside = simulate(1000, 32, found.seconds, 0.05) - simulate(1000, 32, 0.0, 0.05)
            print(
                f"{learner:<15} {found.passes:>6} {found.name[:28]:<28} {found.bytes / 1024:>8.1f} "
                f"{found.seconds * 1e3:>8.3f} {alone:>9.3f} s {beside:>7.3f} s"
            )
    print("1000 parts: the merges of one pass of 1000 partitions on 32 workers, all summaries there at the start;")
    print("beside: what they add when the workers need 50 ms per partition to summarize.")


if __name__ == "__main__":
    main()
