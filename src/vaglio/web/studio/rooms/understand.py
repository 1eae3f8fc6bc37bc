"""Understand: a model drawn, clicked and switched; one row at a time, with fields that can be moved."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vaglio.errors import InputError, VaglioError
from vaglio.text.sentences import clip
from vaglio.web.problems import problem_response
from vaglio.web.serve.served import Served
from vaglio.web.studio.catalogue import Words
from vaglio.web.studio.page_forms import Form
from vaglio.web.studio.project.workbench import OpenTable
from vaglio.web.studio.rooms.inside import evaluated_positions, model_parts, node_view, rules_view
from vaglio.web.studio.rooms.room import Room
from vaglio.web.studio.rooms.row_answers import fields_of, open_model, row_from_table, row_from_words, why
from vaglio.web.studio.rooms.runs import Learned, choose_model

__all__ = ["Page"]

# Rows that are proposed, models that are held ready.
_PROPOSED, _MOST_OPEN = 12, 4


class Page(Room):
    """The room Understand."""

    def __init__(self, studio: Any, name: str) -> None:
        super().__init__(studio, name)
        self._open: dict[str, Served] = {}

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
        wrong = _wrong_rows(model, opened)
        row, number = self._row(query, served, opened, wrong)
        return {
            "model": model,
            "models": models,
            "inside": model_parts(model, served.fitted, opened, say),
            "node": node_view(served.fitted, opened, query.get("node", "")),
            "rules": rules_view(model, served.fitted, opened, off),
            "off": off,
            "switch": lambda one: _switched(model, off, one),
            "labels": opened.label_names,
            "number": number,
            "judged": _judged(model, opened, number),
            "wrong": wrong[:_PROPOSED],
            "n_wrong": len(wrong),
            "fields": fields_of(served, row),
            "why": why(served, row),
            "n_rows": len(opened.table),
        }

    def _served(self, model: Learned) -> Served:
        if model.name not in self._open:
            if len(self._open) >= _MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[model.name] = open_model(model.run.folder / f"{model.id}.vaglio")
        return self._open[model.name]

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
            return problem_response(422, " ".join(str(error).split()))
        return JSONResponse(answer)

    async def _why(self, request: Request) -> Response:
        form = await self.studio.form(request)
        try:
            found = await self.studio.compute(lambda: why(*self._asked(form)))
        except VaglioError as error:
            return problem_response(422, " ".join(str(error).split()))
        return self.studio.page(request, "why.html", why=found)

    def _of_form(self, form: Form) -> dict[str, Any]:
        served, row = self._asked(form)
        return served.of_one(row)

    def _asked(self, form: Form) -> tuple[Served, dict[str, Any]]:
        model, _ = choose_model(self.jobs, self.bench.need_table(), form.get("model"))
        served = self._served(model)
        return served, served.check(row_from_words(served, form.below("v")))


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
