"""Many trainings on the same rows: in several processes, or one after the other with a checkpoint of what is finished.

Rows out of core are learned from in this process: others would each hold the memory that one training may use. A
training on a cluster is a conversation with its scheduler: a few at a time, each on a thread of its own, keep all
workers busy.
"""

from __future__ import annotations

import contextvars
import time
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, effective_n_jobs

from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.work_settings import present_settings, streaming
from vaglio.errors import ProcessError
from vaglio.runtime.progress import reporting

__all__ = ["LONG_WORK", "in_processes", "in_turn", "keeping_results"]

# Seconds of work after which further processes are started, which takes about as long.
LONG_WORK = 3.0
# What a checkpoint is of: each result in it is found by its learner, its parameters and its rows.
_WHAT = "trials on folds"
# Trainings at a time on a cluster.
_AT_ONCE = 4
_kept: contextvars.ContextVar[Checkpoint | None] = contextvars.ContextVar("kept", default=None)


def in_processes(tasks: Iterator[Any], n_jobs: int | None, *, long: bool = False) -> Iterator[Any]:
    """Yield results in order: first from this process, then from others if the work takes long enough to start them.

    Parameters
    ----------
    tasks : iterator of (function, arguments, keywords)
        As ``joblib.delayed`` makes them; read as the work goes on.
    n_jobs : int, optional
        Processes.
    long : bool
        Whether the work is known to take long: then all results come from processes, if there are several.
    """
    several = effective_n_jobs(n_jobs) > 1
    start = time.perf_counter() - (LONG_WORK if long else 0)
    while True:
        if several and time.perf_counter() - start >= LONG_WORK:
            yield from _from_others(tasks, n_jobs)
            return
        task = next(tasks, None)
        if task is None:
            return
        run, arguments, keywords = task
        yield run(*arguments, **keywords)


def _from_others(tasks: Iterator[Any], n_jobs: int | None) -> Iterator[Any]:
    try:
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    except BrokenExecutor as error:
        if error.__cause__ is not None:  # what the process said when it could not read the task
            raise ProcessError(
                "learner-could-handed-another",
                "A learner could not be handed to another process: define its class in a module that "
                "can be imported, or use one process (n_jobs=1).",
            ) from error
        raise ProcessError(
            "process-trained-learner-ended",
            "A process that trained a learner was ended from outside, most often because memory ran "
            "out: use fewer processes (n_jobs=1), fewer rows or fewer learners.",
        ) from error


@contextmanager
def keeping_results() -> Iterator[None]:
    """Open the checkpoint, if there is one, for all tasks inside: they go on from what it has.

    The checkpoint is that of the tasks: a single training among them has none of its own.
    """
    settings = present_settings()
    if settings.checkpoint is None:
        yield
        return
    token = _kept.set(Checkpoint(settings.checkpoint, _WHAT, settings.resume))
    try:
        with streaming(checkpoint=None, progress=settings.progress):
            yield
    finally:
        _kept.reset(token)


def in_turn(tasks: Iterator[Any]) -> Iterator[Any]:
    """Yield results in order, from this process; on a cluster a few tasks run beside each other.

    Parameters
    ----------
    tasks : iterator of (function, arguments, keywords)
        As ``joblib.delayed`` makes them; read as the work goes on.
    """
    settings = present_settings()
    if settings.client is None:
        with reporting(settings.progress) as report:
            for number, task in enumerate(tasks):
                report(number, number + 1, f"trial {number + 1}")
                yield _remembered(task)
        return
    at_once = min(_AT_ONCE, max(1, sum(settings.client.nthreads().values())))
    running: deque[Future[Any]] = deque()
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="vaglio-trial")
    try:
        for task in tasks:
            running.append(pool.submit(contextvars.copy_context().run, _remembered, task))
            if len(running) >= at_once:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _remembered(task: Any) -> Any:
    """Return the result that the checkpoint has, or else compute and keep it."""
    run, arguments, keywords = task
    kept = _kept.get()
    if kept is None:
        return run(*arguments, **keywords)
    name = " ".join([run.__name__, *map(_word, arguments), str(keywords)])
    number = zlib.crc32(name.encode())
    found = kept.answer(number, name)
    if found is not None:
        return found[0]
    result = run(*arguments, **keywords)
    if not (isinstance(result, dict) and "error" in result):
        kept.add(number, name, result)
    return result


def _word(argument: Any) -> str:
    """Say what a task is given: rows by their key, a learner by its parameters."""
    if hasattr(argument, "key"):
        return str(argument.key)
    if hasattr(argument, "get_params"):
        return f"{type(argument).__name__} {sorted((k, str(v)) for k, v in argument.get_params().items())}"
    return str(argument)
