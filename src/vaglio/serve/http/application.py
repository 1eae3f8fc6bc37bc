"""The application around the routes: who may ask, how many at a time, and every failure as a clear answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute, Router

from vaglio.errors import ModelFileError, VaglioError
from vaglio.serve.http.access import Access
from vaglio.serve.http.gate import Gate
from vaglio.serve.http.problems import ProblemError, problem_response

__all__ = ["NOTES", "Application", "Message", "Observer", "Receive", "Scope", "Send"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
# Told of every request that was answered: its scope, the status, the seconds it took.
Observer = Callable[[Scope, int, float], None]

# Entry of the scope in which a route notes what the observer should know.
NOTES = "vaglio.notes"

logger = logging.getLogger("vaglio.serve.http")

# No status of HTTP: the client went away before it had its answer.
_GONE = 499

# Answers are data of one moment, and never a page of somebody else.
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
]


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
    dialect : callable, optional
        From a path, a status and a sentence to further members of a problem, as other conventions tell it.
    tell : callable, optional
        From the scope, a status, a sentence and headers to the answer that tells a problem; by default as JSON.
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
        dialect: Callable[[str, int, str], Mapping[str, str]] = lambda *_: {},
        tell: Callable[[Scope, int, str, Mapping[str, str] | None], Response] | None = None,
    ) -> None:
        self.router = Router(routes, redirect_slashes=False)
        self.access, self.gate, self.observer = access, gate, observer
        self.start, self.stop = start, stop
        self.open_paths = frozenset(open_paths)
        self.dialect = dialect
        self.tell = tell or self._as_json

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

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        inside = False
        try:
            self.access.check(dict(scope["headers"]), scope["path"] in self.open_paths)
            self.gate.enter()
            inside = True
            await self.router(scope, receive, send_with_headers)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the last place where a failure can become a clear answer
            code, detail, headers = self._told(error)
            await self.tell(scope, code, detail, headers)(scope, receive, send_with_headers)
        finally:
            if inside:
                self.gate.leave()
            self.observer(scope, status, time.perf_counter() - began)

    def _as_json(self, scope: Scope, code: int, detail: str, headers: Mapping[str, str] | None) -> Response:
        return problem_response(code, detail, headers, self.dialect(scope["path"], code, detail))

    def _told(self, error: Exception) -> tuple[int, str, Mapping[str, str] | None]:
        """Return the status, the sentence and the headers that tell an error."""
        if isinstance(error, ProblemError):
            return error.status, error.detail, error.headers
        if isinstance(error, HTTPException):
            sentence = {404: "There is nothing at this address.", 405: "This address does not take this method."}
            detail = sentence.get(error.status_code, f"{error.detail}.")
            return error.status_code, f"{detail} GET /openapi.json lists what there is.", error.headers
        if isinstance(error, VaglioError) and not isinstance(error, ModelFileError):
            return 422, " ".join(str(error).split()), None
        if isinstance(error, MemoryError):
            return 413, "There is not enough memory for this request: send fewer rows.", None
        logger.error("unexpected %s", type(error).__name__, exc_info=error)
        return 500, "The server failed on this request, and its own messages say where.", None

    async def _live(self, receive: Receive, send: Send) -> None:
        """Do what is to be done at the start and at the end."""
        await receive()
        await self.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})
