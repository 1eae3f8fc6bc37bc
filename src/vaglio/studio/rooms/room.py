"""What all rooms share: a page that is computed in a thread, and forms that lead back to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from vaglio.errors import VaglioError
from vaglio.studio.page_forms import ChoiceError, Form

if TYPE_CHECKING:
    from vaglio.studio.catalogue import Words
    from vaglio.studio.service import Studio

__all__ = ["Room"]

Handler = Callable[[Request], Awaitable[Response]]
# What a form does: it returns the address to go to, or None for the page of the room.
Action = Callable[[Form], str | None]


class Room:
    """One room of the studio.

    Parameters
    ----------
    studio : Studio
    name : str
    """

    def __init__(self, studio: Studio, name: str) -> None:
        self.studio, self.name = studio, name
        self.project, self.bench, self.jobs = studio.project, studio.bench, studio.jobs
        self.remembered = studio.remembered
        self.path = f"/{name}"

    def routes(self) -> list[Route]:
        """Return the page and the addresses of its forms."""
        forms = [Route(f"{self.path}/{name}", self._act(action), methods=["POST"]) for name, action in self.actions()]
        return [Route(self.path, self.show), *forms, *self.more_routes()]

    def actions(self) -> list[tuple[str, Action]]:
        """Return what the forms of the room do, by the end of their address."""
        return []

    def more_routes(self) -> list[Route]:
        """Return further addresses: files, answers for scripts."""
        return []

    def view(self, query: dict[str, str], say: Words) -> dict[str, Any]:
        """Return what the template of the room shows."""
        return {}

    # -- answers -------------------------------------------------------------------------------------------------------
    async def show(self, request: Request) -> Response:
        """Show the page of the room."""
        return await self._page(request, {}, Form())

    def _act(self, action: Action) -> Handler:
        async def answer(request: Request) -> Response:
            form = await self.studio.form(request)
            try:
                address = await self.studio.compute(action, form)
            except VaglioError as error:
                # The field is named by the error, or by the form itself.
                field = error.field if isinstance(error, ChoiceError) else form.get("at", "form")
                sentence = self.studio.words(request).sentence(error)
                return await self._page(request, {field: sentence}, form, 422)
            return RedirectResponse(address or self.path, 303)

        return answer

    async def _page(self, request: Request, errors: dict[str, str], form: Form, status: int = 200) -> Response:
        say = self.studio.words(request)
        query = {**dict(form.pairs), **dict(request.query_params)}
        try:
            data = await self.studio.compute(self.view, query, say)
        except VaglioError as error:
            sentence = say.sentence(error)
            return self.studio.page(request, "nothing_yet.html", status, here=self.name, sentence=sentence)
        return self.studio.page(request, f"{self.name}.html", status, here=self.name, errors=errors, form=form, **data)
