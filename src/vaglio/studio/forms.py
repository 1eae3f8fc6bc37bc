"""What a browser sends: forms, whose errors are shown beside the field, and files, written to disk as they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from starlette.requests import Request

from vaglio.errors import InputError
from vaglio.messages.message import Message
from vaglio.serve.http.requests import Bounds, read_body
from vaglio.serve.http.responses import refuse
from vaglio.studio.project.folder import UNFINISHED, Project

__all__ = ["ChoiceError", "Form", "read_form", "receive_file"]

_MOST_FIELDS = 5000
# Seconds without a byte after which an upload is given up.
_PATIENCE = 30.0


class ChoiceError(InputError):
    """A choice that cannot be made.

    Parameters
    ----------
    field : str
        The field that the sentence stands beside.
    code : str or Message
        The code of the message, or a whole message.
    template : str, optional
        The English template.
    **values
        What the fields of the template stand for.
    """

    def __init__(self, field: str, code: str, template: str | None = None, /, **values: Any) -> None:
        super().__init__(code, template, **values)
        self.field = field


class Form:
    """The fields of a form; a field may occur several times.

    Parameters
    ----------
    pairs : list of (str, str)
    lang : str, default="en"
        The language of the page that it is on.
    """

    def __init__(self, pairs: list[tuple[str, str]] | None = None, lang: str = "en") -> None:
        self.pairs = pairs or []
        self.lang = lang

    def get(self, name: str, otherwise: str = "") -> str:
        """Return the last value of a field."""
        return next((value for key, value in reversed(self.pairs) if key == name), otherwise)

    def need(self, name: str, choices: Mapping[str, object] | tuple[str, ...] = ()) -> str:
        """Return the value of a field that must be there, one of the choices if there are any."""
        value = self.get(name)
        if not value or (choices and value not in choices):
            refuse(422, Message("form-field-missing", "The form is missing {field!r}. Reload the page.", field=name))
        return value

    def all(self, name: str) -> list[str]:
        """Return every value of a field."""
        return [value for key, value in self.pairs if key == name]

    def below(self, prefix: str) -> dict[str, str]:
        """Return the filled fields whose name begins so, without that beginning."""
        start = f"{prefix}."
        return {
            key[len(start) :]: value.strip() for key, value in self.pairs if key.startswith(start) and value.strip()
        }

    def number(self, name: str) -> int:
        """Return a field that is an integer."""
        value = self.get(name)
        if not value.isdecimal() or len(value) > 12:
            refuse(422, Message("form-field-missing", "The form is missing {field!r}. Reload the page.", field=name))
        return int(value)


async def read_form(request: Request, bounds: Bounds, lang: str) -> Form:
    """Read a form that was sent as a browser sends it without files.

    Parameters
    ----------
    request : Request
    bounds : Bounds
    lang : str
        The language of the page.
    """
    body = await read_body(request, bounds)
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except (UnicodeDecodeError, ValueError):
        refuse(400, Message("form-not-readable", "The form cannot be read. Reload the page."))
    return Form(pairs, lang)


async def receive_file(request: Request, project: Project, most: int) -> Path:
    """Write the body of a request to a new file of the project; of one that is too long or breaks off nothing is left.

    Parameters
    ----------
    request : Request
        Its address has the name of the file.
    project : Project
    most : int
        Bytes.
    """
    given = request.query_params.get("name", "")
    if not given or len(given) > 500:
        refuse(422, Message("upload-without-name", "The upload has no file name. Reload the page."))
    place = project.place_for(given)
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > most:
        _too_long(most)
    aside = place.with_name(place.name + UNFINISHED)
    try:
        with aside.open("xb") as file:
            written = 0
            stream = request.stream().__aiter__()
            while True:
                part = await asyncio.wait_for(anext(stream, None), _PATIENCE)
                if part is None:
                    break
                written += len(part)
                if written > most:
                    _too_long(most)
                file.write(part)
        aside.replace(place)
    except FileExistsError:
        refuse(
            409,
            Message("upload-in-progress", "A file with this name is being uploaded. Wait for it, or rename the file."),
        )
    except TimeoutError:
        aside.unlink(missing_ok=True)
        refuse(
            408,
            Message(
                "upload-timeout", "The upload stalled for {seconds:g} seconds. Send the file again.", seconds=_PATIENCE
            ),
            Connection="close",
        )
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return place


def _too_long(most: int) -> NoReturn:
    refuse(
        413,
        Message(
            "upload-too-large",
            "The file is larger than {limit:,.0f} MB. Start the studio with a larger --max-upload.",
            limit=most / (1 << 20),
        ),
        Connection="close",
    )
