"""The application around the routes: who may ask, how many at a time, and every failure as a clear answer.

Threads compute what takes longer than a moment.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute, Router

from vaglio.errors import ModelFileError, VaglioError
from vaglio.messages.message import Message
from vaglio.serve.http.access import Access
from vaglio.serve.http.languages import accepted_locale
from vaglio.serve.http.requests import Bounds
from vaglio.serve.http.responses import ProblemError, problem_detail, problem_response, refuse

__all__ = ["NOTES", "Application", "Deadline", "Event", "Gate", "Observer", "Receive", "Scope", "Send"]

T = TypeVar("T")
Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
# Told of every request that was answered: its scope, the status, the seconds it took.
Observer = Callable[[Scope, int, float], None]

# Entry of the scope in which a route notes what the observer should know.
NOTES = "vaglio.notes"

logger = logging.getLogger("vaglio.serve.http")

# Requests about the server itself that are answered at once, beside those that the gate counts.
_VITAL = 32

# No status of HTTP: the client went away before it had its answer.
_GONE = 499

# Answers are data of one moment, and never a page of somebody else.
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    # Without a referrer a browser would send the forms of a page with "Origin: null".
    (b"referrer-policy", b"same-origin"),
]


_HTTP_PROBLEMS = {
    404: Message("unknown-address", "There is nothing at this address. GET /openapi.json lists all addresses."),
    405: Message(
        "method-not-allowed", "This address does not accept this method. GET /openapi.json lists all addresses."
    ),
}


def _single(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers by name; a request with two Host headers is refused, as HTTP asks for.

    A proxy may look at the first and this server at the last.
    """
    if sum(name == b"host" for name, _ in headers) > 1:
        refuse(400, Message("two-hosts", "The request has more than one Host header."))
    return dict(headers)


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
        refuse(
            503,
            Message(
                "request-too-slow",
                "The request took longer than {seconds:g} seconds. Send fewer rows.",
                seconds=self.seconds,
            ),
            Retry_After="1",
        )


class Gate:
    """Counts requests, turns away those too many, and hands work to threads.

    Small and large work have threads of their own, so that one row never waits for a batch. Whoever watches over the
    server has a place and a thread of their own: they are answered while it is busy, too. A client that sends its
    bodies slowly takes no more than a part of all places.

    Parameters
    ----------
    bounds : Bounds
    threads : int
        For each of the two.
    """

    def __init__(self, bounds: Bounds, threads: int) -> None:
        self.bounds = bounds
        self.inside = self.vital = 0
        self._small = ThreadPoolExecutor(threads, "small")
        self._large = ThreadPoolExecutor(threads, "large")
        self._vital = ThreadPoolExecutor(1, "vital")
        # Client -> how many of its bodies have not arrived yet.
        self._arriving: Counter[str] = Counter()

    @contextmanager
    def admitted(self, vital: bool) -> Iterator[None]:
        """Count a request while it is answered, or turn it away.

        Parameters
        ----------
        vital : bool
            Whether it is about the server itself.
        """
        count, limit = (self.vital, _VITAL) if vital else (self.inside, self.bounds.waiting)
        if count >= limit:
            refuse(
                429,
                Message(
                    "too-many-requests",
                    "The server is busy: {n:,} requests are waiting. Try again in a second.",
                    n=count,
                ),
                Retry_After="1",
            )
        self._count(vital, 1)
        try:
            yield
        finally:
            self._count(vital, -1)

    def _count(self, vital: bool, by: int) -> None:
        if vital:
            self.vital += by
        else:
            self.inside += by

    def counting(self, client: str, receive: Receive) -> Receive:
        """Return how to receive a body, so that the bodies that one client has begun to send are limited.

        Parameters
        ----------
        client : str
        receive : callable
        """
        most = max(1, self.bounds.waiting // 2)

        async def received() -> Event:
            if self._arriving[client] >= most:
                refuse(
                    429,
                    Message(
                        "too-many-bodies",
                        "{n:,} requests from this address have not sent their body yet. Finish them first.",
                        n=most,
                    ),
                    Retry_After="1",
                    Connection="close",
                )
            self._arriving[client] += 1
            try:
                return await receive()
            finally:
                self._arriving[client] -= 1
                if not self._arriving[client]:
                    del self._arriving[client]

        return received

    async def run(self, work: Callable[..., T], *arguments: Any, large: bool = False, vital: bool = False) -> T:
        """Return what a function returns, computed in a thread; too long is refused.

        Parameters
        ----------
        work : callable
            Its last argument is the Deadline.
        *arguments : object
        large : bool
            Whether it is about many rows.
        vital : bool
            Whether it is about the server itself.
        """
        deadline = Deadline(self.bounds.seconds)
        threads = self._vital if vital else self._large if large else self._small
        future = threads.submit(work, *arguments, deadline)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.bounds.seconds)
        except TimeoutError:
            self._abandon(future)
            deadline.refuse()
            raise

    def _abandon(self, future: Future[Any]) -> None:
        """Count work that goes on without anybody who waits for it, until it notices that its time is over."""
        loop = asyncio.get_running_loop()
        self._count(False, 1)
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._count, False, -1))

    def close(self) -> None:
        """End the threads when their work is done."""
        self._small.shutdown(wait=False, cancel_futures=True)
        self._large.shutdown(wait=False, cancel_futures=True)
        self._vital.shutdown(wait=False, cancel_futures=True)


class Application:
    """An ASGI application.

    Parameters
    ----------
    routes : sequence of BaseRoute
    access : Access
    gate : Gate
    observer : callable
        Told of every answer.
    start, stop : callable
        Awaited when the server starts, and when it stops.
    open_paths : collection of str
        Paths that need no token: whether the server lives, and pages without data.
    vital_paths : collection of str
        Paths about the server itself, which are answered while it is busy.
    dialect : callable, optional
        From a path, a status and a sentence to further members of a problem, as other conventions tell it.
    answer_problem : callable, optional
        From the scope, a status, a message and headers to the answer that tells a problem; by default as JSON.
    """

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        access: Access,
        gate: Gate,
        observer: Observer,
        start: Callable[[], Awaitable[None]],
        stop: Callable[[], Awaitable[None]],
        open_paths: Collection[str] = (),
        vital_paths: Collection[str] = (),
        dialect: Callable[[str, int, str], Mapping[str, str]] = lambda *_: {},
        answer_problem: Callable[[Scope, int, str, Mapping[str, str] | None], Response] | None = None,
    ) -> None:
        self.router = Router(routes, redirect_slashes=False)
        self.access, self.gate, self.observer = access, gate, observer
        self.start, self.stop = start, stop
        self.open_paths, self.vital_paths = frozenset(open_paths), frozenset(vital_paths)
        self.dialect = dialect
        self.answer_problem = answer_problem or self._as_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:  # no route speaks WebSocket
            await send({"type": "websocket.close", "code": 1000})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        scope["app"] = self
        scope[NOTES] = {}
        status = _GONE

        async def send_with_headers(message: Event) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        path, client = scope["path"], scope.get("client")
        try:
            self.access.check(_single(scope["headers"]), path in self.open_paths)
            with self.gate.admitted(path in self.vital_paths):
                await self.router(scope, self.gate.counting(client[0] if client else "", receive), send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the last place where a failure can become a clear answer
            await self.answer_problem(scope, *self._problem(error))(scope, receive, send_with_headers)
        finally:
            self.observer(scope, status, time.perf_counter() - began)

    def _as_json(self, scope: Scope, status: int, message: str, headers: Mapping[str, str] | None) -> Response:
        locale = accepted_locale(dict(scope["headers"]))
        more = self.dialect(scope["path"], status, problem_detail(message, locale))
        return problem_response(status, message, locale, headers, more)

    def _problem(self, error: Exception) -> tuple[int, str, Mapping[str, str] | None]:
        """Return the status, the message and the headers that tell an error."""
        if isinstance(error, ProblemError):
            return error.status, error.message, error.headers
        if isinstance(error, HTTPException):
            return error.status_code, _HTTP_PROBLEMS.get(error.status_code, error.detail), error.headers
        if isinstance(error, VaglioError) and not isinstance(error, ModelFileError):
            return 422, error.message, None
        if isinstance(error, MemoryError):
            return 413, Message("request-out-of-memory", "Not enough memory for this request. Send fewer rows."), None
        logger.error("unexpected %s", type(error).__name__, exc_info=error)
        return 500, Message("server-error", "The server failed on this request. Its log has the details."), None

    async def _live(self, receive: Receive, send: Send) -> None:
        """Do what is to be done at the start and at the end."""
        await receive()
        await self.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})
