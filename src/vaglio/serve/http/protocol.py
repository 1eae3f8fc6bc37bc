"""How HTTP is read from a connection: uvicorn's protocol with limits on the size and the time of the head."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from vaglio.serve.http.problems import PROBLEM

__all__ = ["BoundedProtocol"]

# Bytes of the request line and all headers, and the seconds in which they must arrive.
MOST_HEAD, HEAD_SECONDS = 1 << 16, 20.0


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
