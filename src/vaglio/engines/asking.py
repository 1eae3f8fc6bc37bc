"""A function that asks, as a generator of requests.

A numerical solver calls a function to evaluate the loss; a learner in passes yields a request instead. Here the solver
runs on a thread of its own, and what it asks is yielded: solvers need not be written twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from queue import SimpleQueue
from typing import Any

from vaglio.engines.passes import Request


class _Stopped(BaseException):
    """The generator was closed while the function waited for an answer."""


def asking(function: Callable[[Callable[[Request], Any]], Any]) -> Generator[Request, Any, Any]:
    """Run ``function(ask)``; each ``ask(request)`` in it yields the request and returns the answer.

    Examples
    --------
    >>> from vaglio.engines.asking import asking
    >>> talk = asking(lambda ask: ask("name?") + "!")
    >>> next(talk)
    'name?'
    >>> try:
    ...     talk.send("Ada")
    ... except StopIteration as end:
    ...     print(end.value)
    Ada!
    """
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    answers: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def ask(request: Request) -> Any:
        told.put(("asks", request))
        goes_on, answer = answers.get()
        if not goes_on:
            raise _Stopped
        return answer

    def work() -> None:
        try:
            told.put(("done", function(ask)))
        except _Stopped:
            told.put(("stopped", None))
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            told.put(("failed", error))

    thread = threading.Thread(target=work, name="vaglio-solver", daemon=True)
    thread.start()
    finished = False
    try:
        while True:
            what, value = told.get()
            finished = what != "asks"
            if what == "done":
                return value
            if what == "failed":
                raise value
            answers.put((True, (yield value)))
    finally:
        if not finished:
            answers.put((False, None))
        thread.join()
