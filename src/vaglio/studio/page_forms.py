"""Forms: what was filled in, and what is wrong with it, said beside the field."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from vaglio.errors import InputError
from vaglio.serve.http.bodies import read_body
from vaglio.serve.http.bounds import Bounds
from vaglio.serve.http.problems import refuse

__all__ = ["ChoiceError", "Form", "read_form"]

_MOST_FIELDS = 5000


class ChoiceError(InputError):
    """A choice that cannot be made.

    Parameters
    ----------
    field : str
        The field that the sentence stands beside.
    sentence : str
    """

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class Form:
    """The fields of a form; a field may occur several times.

    Parameters
    ----------
    pairs : list of (str, str)
    """

    def __init__(self, pairs: list[tuple[str, str]] | None = None) -> None:
        self.pairs = pairs or []

    def get(self, name: str, otherwise: str = "") -> str:
        """Return the last value of a field."""
        return next((value for key, value in reversed(self.pairs) if key == name), otherwise)

    def need(self, name: str, choices: Mapping[str, object] | tuple[str, ...] = ()) -> str:
        """Return the value of a field that must be there, one of the choices if there are any."""
        value = self.get(name)
        if not value or (choices and value not in choices):
            refuse(422, f"The form lacks {name!r}: load the page again.")
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
        """Return a field that is a whole number."""
        value = self.get(name)
        if not value.isdecimal() or len(value) > 12:
            refuse(422, f"The form lacks the number {name!r}: load the page again.")
        return int(value)


async def read_form(request: Request, bounds: Bounds) -> Form:
    """Read a form that was sent as a browser sends it without files.

    Parameters
    ----------
    request : Request
    bounds : Bounds
    """
    body = await read_body(request, bounds)
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except (UnicodeDecodeError, ValueError):
        refuse(400, "The form is not readable: load the page again.")
    return Form(pairs)
