"""Trials on rows outside memory: one after the other, or beside each other on a cluster; and what was finished is kept.

Processes of this machine would each hold the memory that one training may use, so there are none. A training on a
cluster is a conversation with its scheduler: a few at a time, each on a thread of its own, keep all workers busy.
"""

from __future__ import annotations

import contextvars
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.work_settings import present_settings, streaming
from vaglio.runtime.progress import reporting

# What a checkpoint is of: each result in it is found by its learner, its parameters and its rows.
_WHAT = "trials on folds"
# Trainings at a time on a cluster.
_AT_ONCE = 4


@contextmanager
def keeping_trials() -> Iterator[None]:
    """Open the checkpoint, if there is one, for all trials inside: they go on from what it has."""
    settings = present_settings()
    if settings.checkpoint is None:
        yield
        return
    Checkpoint(settings.checkpoint, _WHAT, settings.resume)
    with streaming(checkpoint=settings.checkpoint, resume=True, progress=settings.progress):
        yield


def outside_results(tasks: Iterator[Any]) -> Iterator[dict[str, Any]]:
    """Yield the results of tasks in order.

    Parameters
    ----------
    tasks : iterator of (function, arguments, keywords)
        As ``joblib.delayed`` makes them; read as the work goes on.
    """
    settings = present_settings()
    kept = None if settings.checkpoint is None else Checkpoint(settings.checkpoint, _WHAT, resume=True)
    if settings.client is None:
        with reporting(settings.progress) as report:
            for number, task in enumerate(tasks):
                report(number, number + 1, f"trial {number + 1}")
                yield _remembered(kept, task)
        return
    at_once = min(_AT_ONCE, max(1, sum(settings.client.nthreads().values())))
    running: deque[Future[dict[str, Any]]] = deque()
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="vaglio-trial")
    try:
        for task in tasks:
            running.append(pool.submit(contextvars.copy_context().run, _remembered, kept, task))
            if len(running) >= at_once:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _name(task: Any) -> str:
    """Say what a task does: the learner with its parameters, and the rows."""
    estimator, _, (train, test), scorer = task[1]
    params = sorted((key, str(value)) for key, value in estimator.get_params().items())
    return f"{type(estimator).__name__} {params} {train.key} {test.key} {scorer}"


def _remembered(kept: Checkpoint | None, task: Any) -> dict[str, Any]:
    """Return the result that the checkpoint has, or else compute and keep it."""
    name = _name(task) if kept is not None else ""
    number = zlib.crc32(name.encode())
    found = None if kept is None else kept.answer(number, name)
    if found is not None:
        result: dict[str, Any] = found[0]
        return result
    run, arguments, keywords = task
    result = run(*arguments, **keywords)
    if kept is not None and "error" not in result:
        kept.add(number, name, result)
    return result
