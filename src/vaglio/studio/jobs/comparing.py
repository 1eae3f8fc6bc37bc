"""Measure the learners of a run on the five requirements, and test which differences are larger than chance."""

from __future__ import annotations

from typing import Any

from vaglio.evaluation import compare
from vaglio.studio.jobs.request import Request
from vaglio.studio.jobs.run_progress import Progress, Task

__all__ = ["work"]


def work(request: Request) -> None:
    """Compare, and write what came out as plain data."""
    learners = request.learners()
    progress = Progress(request.folder, [Task("compare", len(learners))])
    table = request.load().table
    progress.begin(0)

    def report(done: int, total: int, what: str) -> None:
        progress.step(0, done, total, what)

    folds = int(request.data.get("folds") or 10)
    found: dict[str, Any] = compare(
        table, table.target, learners=learners, folds=folds, seed=request.seed, n_jobs=1, progress=report
    ).to_dict()
    progress.end(0)
    request.write_result(found)
