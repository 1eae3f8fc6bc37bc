"""A measurement in a process of its own that may use so much processor time and no more."""

from __future__ import annotations

import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

Found = TypeVar("Found")


def within_cpu(seconds: int, measure: Callable[[], Found]) -> Found | None:
    """Return what ``measure`` returns, or None where it takes more processor time than ``seconds``.

    Processor time is what the system limits, so that a busy machine gives up on the same tables as a quiet one. The
    process is forked: what is measured need not be importable.
    """
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sending, seconds, measure))
    process.start()
    sending.close()
    with receiving:
        try:
            found: Found = receiving.recv()
        except EOFError:
            process.join()
            if process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
                return None
            raise RuntimeError("the measurement failed: its message is above") from None
    process.join()
    return found


def _send(sending: Connection, seconds: int, measure: Callable[[], Found]) -> None:
    """Measure within the limit and send what was found: the system ends a process that passes its limit."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    sending.send(measure())
