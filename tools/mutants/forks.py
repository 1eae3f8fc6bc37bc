"""Work that is done in forked processes, each under a limit of memory and time."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from tools.fuzz.workers import limited

Job = TypeVar("Job")

# The limit is of the processor's time, which does not depend on what else the machine does. Work that waits for
# something that never comes takes none of it and ends after so many times as long.
PATIENCE = 20


def in_forks(
    jobs: Iterable[Job], work: Callable[[Job], Any], seconds: Callable[[Job], float], workers: int
) -> Iterator[tuple[Job, Any]]:
    """Yield every job with what ``work`` returned for it in a fork, or with the name of what ended the fork."""
    running: dict[int, tuple[Job, Any]] = {}
    # Objects that are there already are left out of later collections, which would copy their memory in every fork.
    gc.collect()
    gc.freeze()
    waiting = iter(jobs)
    while True:
        while len(running) < workers and (job := next(waiting, None)) is not None:
            # A file and not a pipe: a pipe that nobody empties stops its writer.
            answer = tempfile.TemporaryFile()  # noqa: SIM115 - read and closed when the fork has ended
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                _child(job, work, seconds(job), answer.fileno())
            running[pid] = job, answer
        if not running:
            return
        pid, status = os.wait()
        if pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # what the work has started and not ended
            job, answer = running.pop(pid)
            yield job, _result(status, answer)
            answer.close()


def _child(job: Job, work: Callable[[Job], Any], seconds: float, answer: int) -> None:
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        with limited():
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)
            os.write(answer, json.dumps(work(job)).encode())
            code = 0
    except BaseException:  # noqa: BLE001 - a forked child must not go on with the work of its parent
        os.write(answer, json.dumps(traceback.format_exc()).encode())
    finally:
        os._exit(code)


def _result(status: int, answer: Any) -> Any:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "time" if number in (signal.SIGPROF, signal.SIGALRM) else signal.Signals(number).name
    answer.seek(0)
    return json.loads(answer.read())
