"""The service: the pages, the frame around them, and who may enter."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from vaglio.messages.locale import LANGUAGES, Locale
from vaglio.messages.message import Message, text
from vaglio.serve.http.application import Application, Deadline, Gate, Scope
from vaglio.serve.http.languages import language_names, page_words, request_locale
from vaglio.serve.http.responses import problem_detail
from vaglio.studio.forms import Form, read_form
from vaglio.studio.jobs.runner import Jobs
from vaglio.studio.page_rendering import HEADERS, environment, static_files
from vaglio.studio.pages.compare import ComparePage
from vaglio.studio.pages.explore import ExplorePage
from vaglio.studio.pages.export import ExportPage
from vaglio.studio.pages.learn import LearnPage
from vaglio.studio.pages.page import Page
from vaglio.studio.pages.table import TablePage
from vaglio.studio.pages.trace import TracePage
from vaglio.studio.pages.understand import UnderstandPage
from vaglio.studio.project.folder import Project
from vaglio.studio.project.workbench import Workbench
from vaglio.studio.result_cache import ResultCache
from vaglio.studio.session import Session
from vaglio.studio.settings import Settings

__all__ = ["PAGES", "Studio", "make_application"]

logger = logging.getLogger("vaglio.serve.http")

# Address -> page, in the order of the work.
PAGES: dict[str, type[Page]] = {
    "table": TablePage,
    "explore": ExplorePage,
    "learn": LearnPage,
    "compare": ComparePage,
    "understand": UnderstandPage,
    "trace": TracePage,
    "export": ExportPage,
}
_YEAR = 365 * 24 * 3600
_THEMES = {"auto": text("Automatic"), "light": text("Light"), "dark": text("Dark")}
_NO_PAGE = Message("unknown-page", "There is no page at this address.")


class Studio:
    """One user, one project, seven pages.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.bounds = settings, settings.bounds
        self.project = Project(settings.project)
        self.bench = Workbench(self.project)
        self.jobs = Jobs(self.project)
        self.session = Session(settings.token, settings.origin)
        self.gate = Gate(settings.bounds, settings.threads)
        self.results = ResultCache()
        self.pages = {name: page(self, name) for name, page in PAGES.items()}

    def application(self) -> Application:
        """Return the ASGI application."""
        routes = [
            Route("/", self.enter),
            Route("/settings", self.change_settings, methods=["POST"]),
            Route("/end", self.end, methods=["POST"]),
            *(self._static(path, *content) for path, content in static_files().items()),
            *(route for page in self.pages.values() for route in page.routes()),
        ]
        # The first address is checked by itself: it is where the token becomes a cookie.
        return Application(
            routes,
            self.session,
            self.gate,
            _nothing,
            self.start,
            self.stop,
            open_paths=("/",),
            answer_problem=self.answer_problem,
        )

    async def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End the runs and the threads."""
        self.jobs.close()
        self.bench.close()
        self.gate.close()

    # -- the frame -----------------------------------------------------------------------------------------------------
    async def enter(self, request: Request) -> Response:
        """Exchange the token for a cookie, and go to the first page."""
        answer = RedirectResponse("/table", 303)
        if self.session.knows(dict(request.scope["headers"])):
            return answer
        secret = self.session.exchange(request.query_params.get("token", ""))
        answer.set_cookie(self.session.cookie, secret, httponly=True, samesite="strict", path="/")
        return answer

    async def change_settings(self, request: Request) -> Response:
        """Change the language or the colours."""
        form = await self.form(request)
        # The page that a form of the frame was sent from; nothing else is an address.
        page = form.get("from").strip("/").partition("/")[0]
        answer = RedirectResponse(f"/{page}" if page in PAGES else "/table", 303)
        if form.get("lang") in LANGUAGES:
            answer.set_cookie("vaglio-lang", form.get("lang"), max_age=_YEAR, samesite="strict")
        if form.get("theme") in _THEMES:
            answer.set_cookie("vaglio-theme", form.get("theme"), max_age=_YEAR, samesite="strict")
        return answer

    async def end(self, request: Request) -> Response:
        """End the studio: the page that says so is its last answer."""
        await self.form(request)
        asyncio.get_running_loop().call_later(0.3, os.kill, os.getpid(), signal.SIGTERM)
        return self.page(request, "ended.html")

    def locale(self, request: Request) -> Locale:
        """Return the language of the reader: that of the address, the chosen one, or the browser's."""
        return request_locale(request, request.cookies.get("vaglio-lang", ""))

    def page(self, request: Request, template: str, status: int = 200, **data: Any) -> Response:
        """Return a page in the frame.

        Parameters
        ----------
        request : Request
        template : str
        status : int
        **data : object
            What the template shows.
        """
        locale = self.locale(request)
        theme = request.cookies.get("vaglio-theme", "auto")
        frame = {
            "locale": locale,
            "say": locale.say,
            "lang": locale.lang,
            "languages": language_names(),
            "words": page_words("vaglio.studio", "static", locale.lang),
            "themes": _THEMES,
            "theme": theme if theme in _THEMES else "auto",
            "pages": PAGES,
            "here": "",
            "path": request.url.path,
            "project": self.settings.project,
            "temporary": self.settings.temporary,
            "errors": {},
            "problems": [],
            "failed": False,
        }
        html = environment().get_template(template).render(**{**frame, **data})
        return Response(html, status, HEADERS, media_type="text/html")

    def answer_problem(self, scope: Scope, status: int, message: str, headers: Mapping[str, str] | None) -> Response:
        """Return a page that says what is wrong."""
        request = Request(scope)
        sentence = problem_detail(_NO_PAGE if status in (404, 405) else message, self.locale(request))
        answer = self.page(request, "problem.html", status, sentence=sentence)
        answer.headers.update(headers or {})
        return answer

    # -- what pages share ----------------------------------------------------------------------------------------------
    async def form(self, request: Request) -> Form:
        """Read a form."""
        return await read_form(request, self.bounds, self.locale(request).lang)

    async def compute(self, work: Callable[..., Any], *given: Any) -> Any:
        """Return what a function returns, computed in a thread."""

        def without_deadline(*arguments: Any) -> Any:
            deadline = arguments[-1]
            assert isinstance(deadline, Deadline)
            return work(*arguments[:-1])

        return await self.gate.run(without_deadline, *given)

    def _static(self, path: str, content: bytes, media: str) -> Route:
        async def answer(request: Request) -> Response:
            return Response(content, headers=HEADERS, media_type=media)

        return Route(path, answer)


def _nothing(*_: Any) -> None:
    return None


def make_application(settings: Settings) -> Application:
    """Return the application of a new studio."""
    return Studio(settings).application()
