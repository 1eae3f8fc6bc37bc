"""How many requests are inside at a time, and the threads that compute what takes longer than a moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from vaglio.serve.http.bounds import Bounds
from vaglio.serve.http.problems import refuse

__all__ = ["Deadline", "Gate"]

T = TypeVar("T")


class Deadline:
    """The end of the time for one request. A thread cannot be ended from outside: long work asks in between.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def check(self) -> None:
        """Refuse to go on when the time is over."""
        if time.monotonic() > self.end:
            self.refuse()

    def refuse(self) -> None:
        """Say that it took too long."""
        refuse(503, f"The answer takes longer than {self.seconds:g} seconds: send fewer rows.", Retry_After="1")


class Gate:
    """Counts requests, turns away those too many, and hands work to threads.

    Small and large work have threads of their own, so that one row never waits for a batch.

    Parameters
    ----------
    bounds : Bounds
    threads : int
        For each of the two.
    """

    def __init__(self, bounds: Bounds, threads: int) -> None:
        self.bounds = bounds
        self.inside = 0
        self._small = ThreadPoolExecutor(threads, "small")
        self._large = ThreadPoolExecutor(threads, "large")

    def enter(self) -> None:
        """Count a request, or turn it away."""
        if self.inside >= self.bounds.waiting:
            refuse(
                429,
                f"{self.inside:,} requests are waiting, which is all this server takes: try again in a second.",
                Retry_After="1",
            )
        self.inside += 1

    def leave(self) -> None:
        """Count a request that has its answer."""
        self.inside -= 1

    async def run(self, work: Callable[..., T], *arguments: Any, large: bool = False) -> T:
        """Return what a function returns, computed in a thread; too long is refused.

        Parameters
        ----------
        work : callable
            Its last argument is the Deadline.
        *arguments : object
        large : bool
            Whether it is about many rows.
        """
        deadline = Deadline(self.bounds.seconds)
        future = (self._large if large else self._small).submit(work, *arguments, deadline)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.bounds.seconds)
        except TimeoutError:
            self._abandon(future)
            deadline.refuse()
            raise

    def _abandon(self, future: Future[Any]) -> None:
        """Count work that goes on without anybody who waits for it, until it notices that its time is over."""
        loop = asyncio.get_running_loop()
        self.inside += 1
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self.leave))

    def close(self) -> None:
        """End the threads when their work is done."""
        self._small.shutdown(wait=False, cancel_futures=True)
        self._large.shutdown(wait=False, cancel_futures=True)
