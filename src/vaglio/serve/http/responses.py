"""Answers: problems as JSON objects of one form (RFC 9457), and pages that load nothing from elsewhere.

Every refusal and failure is one sentence for a person. The files of pages are read once, and a request chooses among
them by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import NoReturn

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio.messages.sentences import clip

__all__ = ["PAGE_HEADERS", "PROBLEM", "ProblemError", "page_routes", "problem_response", "refuse"]

PROBLEM = "application/problem+json"
# As the standard calls them today; versions of Python differ.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}
# Characters of a sentence: the name of a column may be a megabyte.
_LONGEST = 1000
# Nothing but the files of this server, no frames around it, no forms to elsewhere.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {"content-security-policy": _POLICY, "x-frame-options": "DENY"}
_MEDIA = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


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


def page_routes(package: str, named: Mapping[str, str]) -> list[Route]:
    """Return one route per file of a package: no part of an address is ever a path.

    Parameters
    ----------
    package : str
        Where the files are.
    named : mapping
        Address -> file.
    """
    return [_route(path, (files(package) / name).read_bytes(), name) for path, name in named.items()]


def _route(path: str, content: bytes, name: str) -> Route:
    async def page(request: Request) -> Response:
        return Response(content, headers=PAGE_HEADERS, media_type=_MEDIA[name.rpartition(".")[2]])

    return Route(path, page)
