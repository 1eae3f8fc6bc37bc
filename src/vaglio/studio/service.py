"""The service: the rooms, the frame around them, and who may enter."""

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

from vaglio.serve.http.application import Application, Scope
from vaglio.serve.http.gate import Deadline, Gate
from vaglio.studio.catalogue import LANGUAGES, Words, preferred_language
from vaglio.studio.jobs.runner import Jobs
from vaglio.studio.page_forms import Form, read_form
from vaglio.studio.page_rendering import HEADERS, environment, static_files
from vaglio.studio.project.folder import Project
from vaglio.studio.project.workbench import Workbench
from vaglio.studio.remembered import Remembered
from vaglio.studio.session import Session
from vaglio.studio.settings import Settings

__all__ = ["ROOMS", "Studio", "make_application"]

logger = logging.getLogger("vaglio.serve.http")

# In the order of the work; each has a file in rooms/ and a template of the same name.
ROOMS = ("table", "explore", "learn", "compare", "understand", "by_hand", "take_away")
_YEAR = 365 * 24 * 3600
_THEMES = ("auto", "light", "dark")
_SENTENCES = {404: "not_here", 405: "not_here"}


class Studio:
    """One user, one project, seven rooms.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        from vaglio.studio.rooms.index import make_rooms

        self.settings, self.bounds = settings, settings.bounds
        self.project = Project(settings.project)
        self.bench = Workbench(self.project)
        self.jobs = Jobs(self.project)
        self.session = Session(settings.token, settings.origin)
        self.gate = Gate(settings.bounds, settings.threads)
        self.remembered = Remembered()
        self.rooms = make_rooms(self)

    def application(self) -> Application:
        """Return the ASGI application."""
        routes = [
            Route("/", self.enter),
            Route("/settings", self.change_settings, methods=["POST"]),
            Route("/end", self.end, methods=["POST"]),
            *(self._static(path, *content) for path, content in static_files().items()),
            *(route for room in self.rooms.values() for route in room.routes()),
        ]
        # The first address is checked by itself: it is where the token becomes a cookie.
        return Application(
            routes, self.session, self.gate, _nothing, self.start, self.stop, open_paths=("/",), tell=self.tell_problem
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
        """Exchange the token for a cookie, and go to the first room."""
        answer = RedirectResponse("/table", 303)
        if self.session.knows(dict(request.scope["headers"])):
            return answer
        secret = self.session.exchange(request.query_params.get("token", ""))
        answer.set_cookie(self.session.cookie, secret, httponly=True, samesite="strict", path="/")
        return answer

    async def change_settings(self, request: Request) -> Response:
        """Change the language or the colours."""
        form = await self.form(request)
        answer = RedirectResponse(_back(form), 303)
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

    def words(self, request: Request) -> Words:
        """Return the words of the reader's language: the chosen one, or the one that the browser prefers."""
        chosen = request.cookies.get("vaglio-lang", "")
        if chosen not in LANGUAGES:
            chosen = preferred_language(request.headers.get("accept-language", ""))
        return Words(chosen)

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
        say = self.words(request)
        theme = request.cookies.get("vaglio-theme", "auto")
        frame = {
            "say": say,
            "lang": say.lang,
            "languages": LANGUAGES,
            "theme": theme if theme in _THEMES else "auto",
            "rooms": ROOMS,
            "here": "",
            "path": request.url.path,
            "project": self.settings.project,
            "temporary": self.settings.temporary,
            "errors": {},
        }
        html = environment().get_template(template).render(**{**frame, **data})
        return Response(html, status, HEADERS, media_type="text/html")

    def tell_problem(self, scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None) -> Response:
        """Return a page that says what is wrong."""
        request = Request(scope)
        if status in _SENTENCES:
            sentence = self.words(request)(_SENTENCES[status])
        sentence = self.words(request).sentence(sentence)
        answer = self.page(request, "problem.html", status, sentence=sentence)
        answer.headers.update(headers or {})
        return answer

    # -- what rooms share ----------------------------------------------------------------------------------------------
    async def form(self, request: Request) -> Form:
        """Read a form."""
        return await read_form(request, self.bounds)

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


def _back(form: Form) -> str:
    """Return the room that a form of the frame was sent from; nothing else is an address."""
    room = form.get("from").strip("/").partition("/")[0]
    return f"/{room}" if room in ROOMS else "/table"


def make_application(settings: Settings) -> Application:
    """Return the application of a new studio."""
    return Studio(settings).application()
