"""Answers: problems as JSON objects of one form (RFC 9457), and pages that load nothing from elsewhere.

A problem has a code and values for programs, and one sentence in the language of the request for people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, NoReturn

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip
from vaglio.serve.http.languages import SAY_SCRIPT, language_names, page_words, request_locale, text_environment

__all__ = [
    "PAGE_HEADERS",
    "PROBLEM",
    "ProblemError",
    "page_routes",
    "problem_detail",
    "problem_response",
    "refuse",
]

PROBLEM = "application/problem+json"
# As the standard calls them today; versions of Python differ.
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}
# Characters of a sentence, and of one of its values: the name of a column may be a megabyte.
_LONGEST = 1000
_SAY = "/say.js"
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
    message : str
        What is wrong, and what to do; a Message unless the text comes from outside the package.
    headers : mapping, optional
        Further headers of the answer.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def refuse(status: int, message: str, **headers: str) -> NoReturn:
    """Raise the problem; an underscore in the name of a header stands for a hyphen."""
    raise ProblemError(status, message, {name.replace("_", "-"): value for name, value in headers.items()})


def problem_detail(message: str, locale: Locale = ENGLISH) -> str:
    """Return the sentence of a problem, on one line of bounded length."""
    return clip(locale.text(message), _LONGEST)


def problem_response(
    status: int,
    message: str,
    locale: Locale = ENGLISH,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> Response:
    """Return the answer that tells a problem.

    Parameters
    ----------
    status : int
    message : str
        A Message, or a text from outside the package, which has no code.
    locale : Locale
        The language of the sentence.
    headers : mapping, optional
    more : mapping, optional
        Members by which other conventions tell the problem.
    """
    known = message.as_data() if isinstance(message, Message) else {"code": "", "values": {}}
    body = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": problem_detail(message, locale),
        "code": known["code"],
        "values": _bounded(known["values"]),
        **(more or {}),
    }
    # ASCII only: a name from the request may hold half of a surrogate pair, which has no bytes in UTF-8.
    return Response(json.dumps(body), status, headers, media_type=PROBLEM)


def _bounded(value: Any) -> Any:
    """Plain data whose texts are no longer than a sentence."""
    if isinstance(value, dict):
        return {name: _bounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_bounded(each) for each in value]
    return clip(value, _LONGEST) if isinstance(value, str) and len(value) > _LONGEST else value


def page_routes(package: str, folder: str, named: Mapping[str, str]) -> list[Route]:
    """Return one route per file of a folder, and that of the script they share: no part of an address is ever a path.

    HTML files are templates, written in the language of the request.

    Parameters
    ----------
    package : str
    folder : str
        Where the files are in the package.
    named : mapping
        Address -> file.
    """
    found = [_file_route(_SAY, SAY_SCRIPT, "say.js")]
    for path, name in named.items():
        if name.endswith(".html"):
            found.append(_page_route(path, package, folder, name))
        else:
            found.append(_file_route(path, (files(package) / folder / name).read_bytes(), name))
    return found


def _file_route(path: str, content: bytes, name: str) -> Route:
    async def file(request: Request) -> Response:
        return Response(content, headers=PAGE_HEADERS, media_type=_MEDIA[name.rpartition(".")[2]])

    return Route(path, file)


def _page_route(path: str, package: str, folder: str, name: str) -> Route:
    async def page(request: Request) -> Response:
        content = _written(package, folder, name, request_locale(request).lang)
        return Response(content, headers=PAGE_HEADERS, media_type="text/html")

    return Route(path, page)


@cache
def _written(package: str, folder: str, name: str, lang: str) -> str:
    # Imported late: programs that ask for predictions never see a page.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(loader=PackageLoader(package, folder), autoescape=True, undefined=StrictUndefined)
    locale = Locale(lang)
    page: str = (
        text_environment(templates)
        .get_template(name)
        .render(
            locale=locale,
            say=locale.say,
            lang=lang,
            languages=language_names(),
            words=page_words(package, folder, lang),
        )
    )
    return page
