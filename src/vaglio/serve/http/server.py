"""From an application to a server: the socket, TLS, limits on the head, signals, one process or several."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from vaglio.errors import InputError
from vaglio.serve.http.responses import PROBLEM

__all__ = ["Address", "BoundedProtocol", "run_server"]

# Bytes of the request line and all headers, and the seconds in which they must arrive.
MOST_HEAD, HEAD_SECONDS = 1 << 16, 20.0
# Connections that wait to be accepted.
_BACKLOG = 2048
# Seconds for a connection without requests, and, beyond the time of a request, for the last answers of a server.
_KEEP_ALIVE, _LAST_ANSWERS = 75, 5.0
# Between two starts of a process that ends by itself.
_PAUSE = 1.0

logger = logging.getLogger("vaglio.serve.http")


class BoundedProtocol(HttpToolsProtocol):
    """One connection. A client that sends its head drop by drop, or one without end, is cut off."""

    _timer: asyncio.TimerHandle | None = None
    _head = 0
    _in_head = True

    def connection_made(self, transport: Any) -> None:
        # Head and body of an answer are two writes: without this the second waits 40 ms for the client to confirm the
        # first. asyncio sets it only for sockets that were made in a certain way.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head += len(data)
            # What follows the head in the same piece is counted with it: a piece is at most 256 kB.
            if self._head > MOST_HEAD and b"\r\n\r\n" not in data:
                self.send_400_response(f"The head of the request is longer than {MOST_HEAD:,} bytes.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._head = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is no HTTP."""
        body = {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": msg}
        content = json.dumps(body).encode()
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: {PROBLEM}\r\ncontent-length: {len(content)}\r\n"
        self.transport.write(f"{head}connection: close\r\n\r\n".encode() + content)
        self.transport.close()

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()


@dataclass(frozen=True)
class Address:
    """Where a server listens.

    Attributes
    ----------
    host : str
    port : int
        0 takes a free one.
    certificate, key, key_password : Path, Path, str or None
        For TLS: PEM files.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: Path | None = None
    key: Path | None = None
    key_password: str | None = None

    def open(self) -> socket.socket:
        """Return a socket that is bound to the address."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family, backlog=_BACKLOG)
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise InputError(
                "cannot-listen-port-choose",
                "Cannot listen on {host}, port {port} ({reason}): choose another --port or --host.",
                host=self.host,
                port=self.port,
                reason=reason,
            ) from error

    def url(self, port: int) -> str:
        """Return how a browser finds the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}"


def run_server(
    make: Callable[[], Any], address: Address, opened: socket.socket, processes: int, seconds: float
) -> None:
    """Serve until a signal comes; SIGTERM and Ctrl-C let running requests end.

    Parameters
    ----------
    make : callable
        Returns the ASGI application; for several processes it must be one that can be pickled.
    address : Address
    opened : socket
        Bound to the address.
    processes : int
    seconds : float
        Time for one request.
    """
    if processes == 1:
        _serve(make, address, opened, seconds)
    else:
        _supervise(make, address, opened, processes, seconds)


def configure_messages() -> None:
    """Let what the server says go to standard error, one line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("vaglio: %(message)s"))
    for name, level in (("vaglio.serve.http", logging.INFO), ("uvicorn.error", logging.ERROR)):
        named = logging.getLogger(name)
        named.handlers, named.propagate = [handler], False
        named.setLevel(level)


def _serve(make: Callable[[], Any], address: Address, opened: socket.socket, seconds: float) -> None:
    configure_messages()
    # A thread that computes a batch gives way to the thread that answers single rows twenty times as often as usual.
    sys.setswitchinterval(0.00025)
    tls = {
        "ssl_certfile": address.certificate,
        "ssl_keyfile": address.key,
        "ssl_keyfile_password": address.key_password,
    }
    application = make()
    # What is loaded stays: looking through it for garbage would hold up requests for tens of milliseconds.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        application,
        http=BoundedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=int(seconds + _LAST_ANSWERS),
        **{name: value for name, value in tls.items() if value is not None},  # type: ignore[arg-type]
    )
    server = uvicorn.Server(config)
    # uvicorn ends gracefully on a signal and then raises it again, which is to end nothing here.
    signal.signal(signal.SIGTERM, _nothing)
    signal.signal(signal.SIGINT, _nothing)
    try:
        asyncio.run(_with_parent(server, opened))
    finally:
        gc.unfreeze()


async def _with_parent(server: uvicorn.Server, opened: socket.socket) -> None:
    """Serve, and end when the process that started this one has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None and sys.platform != "win32":
        loop = asyncio.get_running_loop()
        loop.add_reader(parent.sentinel, setattr, server, "should_exit", True)
    await server.serve(sockets=[opened])


def _nothing(*_: Any) -> None:
    return None


def _supervise(
    make: Callable[[], Any], address: Address, opened: socket.socket, processes: int, seconds: float
) -> None:
    """Keep so many processes at work until a signal comes."""
    configure_messages()
    spawn = multiprocessing.get_context("spawn")

    def end(*_: Any) -> None:
        raise SystemExit(0)

    def start() -> Any:
        worker = spawn.Process(target=_serve, args=(make, address, opened, seconds))
        worker.start()
        return worker

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    workers = [start() for _ in range(processes)]
    try:
        while True:
            wait([worker.sentinel for worker in workers])
            time.sleep(_PAUSE)
            for at, worker in enumerate(workers):
                if not worker.is_alive():
                    logger.error("a process ended with code %s; another one takes its place", worker.exitcode)
                    workers[at] = start()
    finally:
        signal.signal(signal.SIGTERM, _nothing)
        signal.signal(signal.SIGINT, _nothing)
        for worker in workers:
            worker.terminate()
        limit = time.monotonic() + seconds + 2 * _LAST_ANSWERS
        for worker in workers:
            worker.join(max(0.1, limit - time.monotonic()))
            if worker.is_alive():
                worker.kill()
