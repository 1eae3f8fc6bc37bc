"""Pages that load nothing from elsewhere: their files are read once, and a request chooses among them by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["PAGE_HEADERS", "page_routes"]

# Nothing but the files of this server, no frames around it, no forms to elsewhere.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {"content-security-policy": _POLICY, "x-frame-options": "DENY"}
_MEDIA = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


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
