"""What one request may ask for at most; its body, read within these limits, and the JSON in it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from vaglio.messages.message import Message
from vaglio.messages.sentences import clip
from vaglio.serve.http.responses import refuse

__all__ = ["Bounds", "check_nesting", "dump_json", "media_type", "parse_json", "read_body"]

_TOO_NESTED = Message("json-too-nested", "The JSON is nested too deeply. A row is one flat object.")
_dump = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class Bounds:
    """Limits of a service; every request beyond one of them is refused.

    Attributes
    ----------
    body : int
        Bytes of a request.
    rows : int
        Rows of a request.
    text : int
        Characters of one value.
    nesting : int
        Levels of lists and objects in JSON.
    seconds : float
        Time for one request: to send it, and to compute its answer.
    waiting : int
        Requests that may be at work or waiting at the same time.
    """

    body: int = 16 << 20
    rows: int = 10_000
    text: int = 10_000
    nesting: int = 16
    seconds: float = 30.0
    waiting: int = 256


def media_type(request: Request) -> str:
    """Return what the request says its body is, without parameters, in lower case."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(request: Request, bounds: Bounds) -> bytes:
    """Return the body; one that is too long or arrives too slowly is refused.

    Parameters
    ----------
    request : Request
    bounds : Bounds
    """
    headers = request.headers
    if headers.get("content-encoding", "identity").lower() != "identity":
        refuse(
            415,
            Message("compressed-body", "Compressed bodies are not supported. Send the body without Content-Encoding."),
        )
    length_said = headers.get("content-length", "0")
    if not length_said.isdecimal() or int(length_said) > bounds.body:
        _too_long(bounds)
    task = asyncio.current_task()
    assert task is not None
    # One handle of the loop instead of asyncio.timeout, which takes as long as the prediction of a row.
    late: list[bool] = []

    def give_up() -> None:
        late.append(True)
        task.cancel()

    timer = asyncio.get_running_loop().call_later(bounds.seconds, give_up)
    try:
        return await _whole_body(request, bounds)
    except asyncio.CancelledError:
        if not late or task.uncancel():
            raise
        refuse(
            408,
            Message(
                "body-timeout",
                "The body did not arrive within {seconds:g} seconds. Send it again.",
                seconds=bounds.seconds,
            ),
            Connection="close",
        )
    finally:
        timer.cancel()


async def _whole_body(request: Request, bounds: Bounds) -> bytes:
    parts: list[bytes] = []
    length, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        length += len(part)
        if length > bounds.body:
            _too_long(bounds)
        parts.append(part)
        more = message.get("more_body", False)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_long(bounds: Bounds) -> NoReturn:
    # The rest of the body is not read: the connection cannot be used again.
    message = Message(
        "body-too-long", "The body is longer than {limit:,} bytes. Send fewer rows at a time.", limit=bounds.body
    )
    refuse(413, message, Connection="close")


def _not_json(constant: str) -> NoReturn:
    refuse(
        400,
        Message(
            "constant-not-json", "{constant} is not valid JSON. Write null for a missing value.", constant=constant
        ),
    )


_decoder = json.JSONDecoder(parse_constant=_not_json)


def parse_json(body: bytes) -> Any:
    """Return what a JSON text says; a text that is not JSON, or that nobody can deal with, is refused.

    Parameters
    ----------
    body : bytes
    """
    try:
        return _decoder.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        refuse(400, Message("body-not-utf8", "The body is not UTF-8. Encode the JSON as UTF-8."))
    except RecursionError:
        refuse(400, _TOO_NESTED)
    except ValueError as error:
        if not body.strip():
            refuse(
                400,
                Message("empty-body", "The body is empty. Send a row as a JSON object, or rows as a list of objects."),
            )
        refuse(400, Message("body-not-json", "The body is not valid JSON ({reason}).", reason=clip(error, 200)))


def check_nesting(data: object, levels: int) -> None:
    """Refuse lists and objects inside each other on more levels than these.

    Parameters
    ----------
    data : object
        What a JSON text says.
    levels : int
    """
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    if not inside:
        return
    if levels == 0:
        refuse(400, _TOO_NESTED)
    for part in inside:
        if isinstance(part, (dict, list)):
            check_nesting(part, levels - 1)


def dump_json(data: object) -> bytes:
    """Return plain data as JSON."""
    return _dump(data).encode()
