"""What all pages share: a view that is computed in a thread, forms that lead back to it, and how cells are written."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from vaglio.errors import VaglioError
from vaglio.evaluation.alarms import leak_alarm
from vaglio.messages.figures import moment, short_number
from vaglio.messages.message import Message, Number
from vaglio.messages.sentences import clip
from vaglio.studio.forms import ChoiceError, Form
from vaglio.table import Column

if TYPE_CHECKING:
    from vaglio.messages.locale import Locale
    from vaglio.studio.service import Studio

__all__ = ["Page", "Panels", "cell_texts", "value_text"]

logger = logging.getLogger("vaglio.studio")

Handler = Callable[[Request], Awaitable[Response]]
# What a form does: it returns the address to go to, or None for the page itself.
Action = Callable[[Form], str | None]
_LONGEST = 40
_PAGE_FAILED = Message(
    "page-failed",
    "This page cannot be shown for this table. The log of the studio has the details. The other pages work, and you "
    "can open another table.",
)


class Panels:
    """The parts of a page: where one fails, the others are shown, and the page says which part is missing.

    Attributes
    ----------
    problems : list of Message
        One per part that could not be shown.

    Examples
    --------
    >>> panels = Panels()
    >>> panels.show("Rows", lambda: 1, 0), panels.problems
    (1, [])
    """

    def __init__(self) -> None:
        self.problems: list[Message] = []

    def show(self, title: str, make: Callable[[], Any], otherwise: Any) -> Any:
        """Return a part, or what stands in its place.

        Parameters
        ----------
        title : str
            What the part is called on the page.
        make : callable
        otherwise : object
            What the template shows without it.
        """
        try:
            return make()
        except VaglioError as error:
            self.problems.append(Message("panel-refused", "{panel}: {reason}", panel=title, reason=error.message))
        except Exception as error:
            logger.exception("the panel %r of a page failed", str(title))
            self.problems.append(
                Message(
                    "panel-failed",
                    "{panel} cannot be shown for this table ({reason}). The log of the studio has the details. The "
                    "other parts of the page work, and you can open another table.",
                    panel=title,
                    reason=type(error).__name__,
                )
            )
        return otherwise


class Page:
    """One page of the studio.

    Parameters
    ----------
    studio : Studio
    name : str
        Its address, and the name of its template.

    Attributes
    ----------
    title, lead : Message
        Its heading, and what it is for.
    """

    title: Message
    lead: Message

    def __init__(self, studio: Studio, name: str) -> None:
        self.studio, self.name = studio, name
        self.project, self.bench, self.jobs = studio.project, studio.bench, studio.jobs
        self.results = studio.results
        self.path = f"/{name}"

    def routes(self) -> list[Route]:
        """Return the page and the addresses of its forms."""
        forms = [Route(f"{self.path}/{name}", self._act(action), methods=["POST"]) for name, action in self.actions()]
        return [Route(self.path, self.show), *forms, *self.more_routes()]

    def actions(self) -> list[tuple[str, Action]]:
        """Return what the forms of the page do, by the end of their address."""
        return []

    def more_routes(self) -> list[Route]:
        """Return further addresses: files, answers for scripts."""
        return []

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return what the template shows."""
        return {}

    # -- answers -------------------------------------------------------------------------------------------------------
    async def show(self, request: Request) -> Response:
        """Show the page."""
        return await self._page(request, {}, Form())

    def _act(self, action: Action) -> Handler:
        async def answer(request: Request) -> Response:
            form = await self.studio.form(request)
            try:
                address = await self.studio.compute(action, form)
            except VaglioError as error:
                # The field is named by the error, or by the form itself.
                field = error.field if isinstance(error, ChoiceError) else form.get("at", "form")
                return await self._page(request, {field: error.message}, form, 422)
            return RedirectResponse(address or self.path, 303)

        return answer

    async def _page(self, request: Request, errors: dict[str, str], form: Form, status: int = 200) -> Response:
        query = {**dict(form.pairs), **dict(request.query_params)}
        try:
            data = await self.studio.compute(self.view, query, self.studio.locale(request))
        except VaglioError as error:
            return self.studio.page(request, "nothing_yet.html", status, here=self.name, sentence=error.message)
        except Exception:
            logger.exception("the page %r failed", self.name)
            return self.studio.page(
                request, "nothing_yet.html", 500, here=self.name, sentence=_PAGE_FAILED, failed=True
            )
        return self.studio.page(
            request,
            f"{self.name}.html",
            status,
            here=self.name,
            errors=errors,
            form=form,
            alarms=self._alarms(),
            **data,
        )

    def _alarms(self) -> list[dict[str, Any]]:
        """What a finished audit says against every figure of the table, each with the column to leave out."""
        audit = self.bench.audited
        if audit is None:
            return []
        found = (leak_alarm(f.columns[0], f.message) for f in audit.of_kind("leakage") if f.severity == "high")
        return [{"message": alarm.message, "column": alarm.options[-1]} for alarm in found]


def cell_texts(column: Column) -> list[str | None]:
    """Return the cells of a column as text, None where one is missing.

    Parameters
    ----------
    column : Column
    """
    values = column.data if column.is_date else column.values
    return [value_text(column, value) for value in values.tolist()]


def value_text(column: Column, value: Any) -> str | None:
    """Return a value as text; None if it is missing.

    Parameters
    ----------
    column : Column
        Where it comes from.
    value : object
        A date as days since 1970, as the column stores it.
    """
    if value is None or value != value:
        return None
    if column.is_date:
        return moment(value)
    return Number(short_number(float(f"{value:.6g}"))) if isinstance(value, float) else clip(value, _LONGEST)
