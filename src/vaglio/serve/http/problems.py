"""Every refusal and failure as one JSON object of one form (RFC 9457), with one sentence for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import NoReturn

from starlette.responses import Response

from vaglio.messages.sentences import clip

__all__ = ["PROBLEM", "ProblemError", "problem_response", "refuse"]

PROBLEM = "application/problem+json"
# As the standard calls them today; versions of Python differ.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}
# Characters of a sentence: the name of a column may be a megabyte.
_LONGEST = 1000


class ProblemError(Exception):
    """A request that gets no result.

    Parameters
    ----------
    status : int
        The HTTP status.
    detail : str
        One sentence: what is wrong, and what to do.
    headers : mapping, optional
        Further headers of the answer.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, clip(detail, _LONGEST), dict(headers or {})


def refuse(status: int, detail: str, **headers: str) -> NoReturn:
    """Raise the problem; an underscore in the name of a header stands for a hyphen."""
    raise ProblemError(status, detail, {name.replace("_", "-"): value for name, value in headers.items()})


def problem_response(
    status: int, detail: str, headers: Mapping[str, str] | None = None, more: Mapping[str, str] | None = None
) -> Response:
    """Return the answer that tells a problem; ``more`` are members by which other conventions tell it."""
    body = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **(more or {}),
    }
    # ASCII only: a name from the request may hold half of a surrogate pair, which has no bytes in UTF-8.
    return Response(json.dumps(body), status, headers, media_type=PROBLEM)
