"""Understand: a model drawn, clicked and switched; one row at a time, with fields that can be moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vaglio.errors import InputError, VaglioError
from vaglio.fitted import Fitted
from vaglio.messages.sentences import clip
from vaglio.serve.http.problems import problem_response
from vaglio.serve.served import Served
from vaglio.studio.catalogue import Words
from vaglio.studio.page_forms import Form
from vaglio.studio.project.workbench import OpenTable
from vaglio.studio.remembered import Remembered
from vaglio.studio.rooms.inside import evaluated_positions, model_parts, node_view, rules_view
from vaglio.studio.rooms.room import Room
from vaglio.studio.rooms.row_answers import fields_of, open_model, row_from_table, row_from_words, why
from vaglio.studio.rooms.runs import Learned, choose_model

__all__ = ["Page"]

T = TypeVar("T")

# Rows that are proposed, models that are held ready.
_PROPOSED, _MOST_OPEN = 12, 4


class Page(Room):
    """The room Understand."""

    def __init__(self, studio: Any, name: str) -> None:
        super().__init__(studio, name)
        # Apart from what is remembered for all rooms, because a model may be large.
        self._open = Remembered(_MOST_OPEN)

    def more_routes(self) -> list[Route]:
        """Answers for the script: the class while a slider moves, and why when it rests."""
        return [
            Route("/understand/answer", self._answer, methods=["POST"]),
            Route("/understand/why", self._why, methods=["POST"]),
        ]

    def view(self, query: dict[str, str], say: Words) -> dict[str, Any]:
        """Return the model, and the chosen row."""
        opened = self.bench.need_table()
        model, models = choose_model(self.jobs, opened, query.get("model", ""))
        served = self._served(model)
        off = {int(one) for one in query.get("off", "").split(",") if one.isdecimal() and len(one) < 6}
        wrong = self._once("wrong rows", model, say, make=lambda: _wrong_rows(model, opened))
        row, number = self._row(query, served, opened, wrong)
        return {
            "model": model,
            "models": models,
            **self._shown(model, served.fitted, opened, say, query.get("node", ""), off),
            "off": off,
            "switch": lambda one: _switched(model, off, one),
            "labels": opened.label_names,
            "number": number,
            "judged": self._once("judged", model, say, number, make=lambda: _judged(model, opened, number)),
            "wrong": wrong[:_PROPOSED],
            "n_wrong": len(wrong),
            "fields": fields_of(served, row),
            "why": self._reasons(model, served, row, say),
            "n_rows": len(opened.table),
        }

    def _served(self, model: Learned) -> Served:
        return self._open.get(model.key, lambda: open_model(model.run.folder / f"{model.id}.vaglio"))

    def _once(self, what: str, model: Learned, say: Words, *given: Any, make: Callable[[], T]) -> T:
        """What depends on the model, the language and the given choices alone is computed once."""
        return self.remembered.get((what, model.key, say.lang, *given), make)

    def _shown(
        self, model: Learned, fitted: Fitted, opened: OpenTable, say: Words, node: str, off: set[int]
    ) -> dict[str, Any]:
        """What the model has learned, the rows of the chosen node, the rules that are on and off."""
        places = tuple(sorted(off))
        return {
            "inside": self._once("inside", model, say, make=lambda: model_parts(model, fitted, opened, say)),
            "node": self._once("node", model, say, node[:10], make=lambda: node_view(fitted, opened, node)),
            "rules": self._once("rules", model, say, places, make=lambda: rules_view(model, fitted, opened, off)),
        }

    def _reasons(self, model: Learned, served: Served, row: dict[str, Any], say: Words) -> dict[str, Any]:
        return self._once("why", model, say, repr(sorted(row.items())), make=lambda: why(served, row, say))

    def _row(
        self, query: dict[str, str], served: Served, opened: OpenTable, wrong: list[dict[str, Any]]
    ) -> tuple[dict[str, Any], int | None]:
        """The row of the form: typed, or from the table; by default one that was predicted wrong."""
        typed = {key[2:]: value for key, value in query.items() if key.startswith("v.")}
        if typed:
            return served.check(row_from_words(served, typed)), None
        number = wrong[0]["number"] if wrong else 1
        asked = query.get("row", "")
        if asked:
            if not asked.isdecimal() or not 1 <= int(asked[:12]) <= len(opened.table):
                raise InputError(f"There is no row {clip(asked, 20)!r}: the table has rows 1 to {len(opened.table):,}.")
            number = int(asked)
        return row_from_table(served, opened.table, number - 1), number

    # -- while a slider moves ------------------------------------------------------------------------------------------
    async def _answer(self, request: Request) -> Response:
        form = await self.studio.form(request)
        try:
            answer = await self.studio.compute(self._of_form, form)
        except VaglioError as error:
            return problem_response(422, self.studio.words(request).sentence(error))
        return JSONResponse(answer)

    async def _why(self, request: Request) -> Response:
        form, say = await self.studio.form(request), self.studio.words(request)
        try:
            found = await self.studio.compute(lambda: self._reasons(*self._asked(form), say))
        except VaglioError as error:
            return problem_response(422, say.sentence(error))
        return self.studio.page(request, "why.html", why=found)

    def _of_form(self, form: Form) -> dict[str, Any]:
        _, served, row = self._asked(form)
        return served.of_one(row)

    def _asked(self, form: Form) -> tuple[Learned, Served, dict[str, Any]]:
        model, _ = choose_model(self.jobs, self.bench.need_table(), form.get("model"))
        served = self._served(model)
        return model, served, served.check(row_from_words(served, form.below("v")))


def _switched(model: Learned, off: set[int], one: int) -> str:
    """The address at which one rule is switched over."""
    rest = sorted(off ^ {one})
    return f"/understand?{urlencode({'model': model.name, 'off': ','.join(map(str, rest))})}#rules"


def _wrong_rows(model: Learned, opened: OpenTable) -> list[dict[str, Any]]:
    """Rows that were predicted wrong when the model had not seen them, the most confident errors first."""
    evaluation = model.evaluation()
    known = np.flatnonzero(~opened.table.column(opened.need_target()).missing)
    at = known[evaluated_positions(model, opened)]
    wrong = np.flatnonzero(evaluation.true != evaluation.predicted)
    if evaluation.scores is not None:
        wrong = wrong[np.argsort(-evaluation.scores[wrong, evaluation.predicted[wrong]], kind="stable")]
    return [
        {
            "number": int(at[i]) + 1,
            "true": clip(evaluation.labels[evaluation.true[i]], 30),
            "predicted": clip(evaluation.labels[evaluation.predicted[i]], 30),
        }
        for i in wrong[:500]
    ]


def _judged(model: Learned, opened: OpenTable, number: int | None) -> dict[str, Any] | None:
    """What the evaluation said about a row of the table; None if it was not among its rows."""
    if number is None:
        return None
    evaluation = model.evaluation()
    known = np.flatnonzero(~opened.table.column(opened.need_target()).missing)
    at = np.flatnonzero(known[evaluated_positions(model, opened)] == number - 1)
    if not len(at):
        return None
    true, predicted = (evaluation.labels[codes[at[0]]] for codes in (evaluation.true, evaluation.predicted))
    return {"true": clip(true, 40), "predicted": clip(predicted, 40), "correct": bool(true == predicted)}
