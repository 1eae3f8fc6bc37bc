"""Understand: a model drawn, clicked and switched; one row at a time, with fields that can be moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vaglio.errors import InputError, NotSupportedError, VaglioError
from vaglio.explanation import Explanation
from vaglio.explanation.fixed_columns import fixed_columns
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure, moment, short_number
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip
from vaglio.serve.counters import Counters
from vaglio.serve.http.responses import problem_response
from vaglio.serve.openapi import row_schema
from vaglio.serve.served import Served
from vaglio.studio.forms import Form
from vaglio.studio.pages.inside import evaluated_positions, model_parts, node_view, rules_view
from vaglio.studio.pages.page import Page, Panels
from vaglio.studio.pages.runs import Learned, choose_model
from vaglio.studio.project.workbench import OpenTable
from vaglio.studio.result_cache import ResultCache
from vaglio.table import Table

__all__ = ["UnderstandPage", "fields_of", "open_model", "row_from_table", "row_from_words", "why"]

# Columns in the form and reasons beside it.
_MOST_FIELDS, _MOST_REASONS = 60, 8
_LONGEST = 10_000
# A model of which nothing can be shown.
_EMPTY: dict[str, Any] = {"lead": [], "parts": []}
T = TypeVar("T")

# Rows that are proposed, models that are held ready.
_PROPOSED, _MOST_OPEN = 12, 4


def open_model(path: Path) -> Served:
    """Return a model that answers single rows, as the server of models does."""
    return Served.load(path.stem, path, None, Counters(None), _LONGEST)


def row_from_table(served: Served, table: Table, at: int) -> dict[str, Any]:
    """Return a row of the table in the form that the model takes."""
    row = {}
    for name in served.names:
        column = table.column(name)
        value = (column.data if column.is_date else column.values)[at]
        value = value.item() if hasattr(value, "item") else value
        # A form has a date as it is written.
        row[name] = None if value is None or value != value else moment(value) if column.is_date else value
    return row


def row_from_words(served: Served, words: dict[str, str], rest: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a row from the fields of a form; what is empty is missing.

    Parameters
    ----------
    served : Served
    words : dict
    rest : dict, optional
        The row of the table that has the values of columns without a field.
    """
    row: dict[str, Any] = {}
    known = {feature.name: feature for feature in served.fitted.codebook.columns}
    for number, name in enumerate(served.names):
        word, feature = words.get(name, ""), known[name]
        if number >= _MOST_FIELDS and rest is not None:
            row[name] = rest[name]
        elif word == "":
            row[name] = None
        elif feature.kind == "numeric" and not feature.is_date:
            try:
                value = float(word.replace(",", "."))
            except ValueError:
                raise InputError(
                    "value-not-number",
                    "Column {column!r}: {value!r} is not a number.",
                    column=name,
                    value=clip(word, 40),
                ) from None
            if value != value or value in (float("inf"), float("-inf")):
                raise InputError("value-not-finite", "Column {column!r}: the number must be finite.", column=name)
            row[name] = value
        else:
            row[name] = next((value for value in feature.categories if str(value) == word), word)
    return row


def fields_of(served: Served, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of the form: ranges for numbers, choices for categories.

    Parameters
    ----------
    served : Served
    row : dict
        The values that they have.
    """
    found = []
    for number, (name, about) in enumerate(list(row_schema(served)["properties"].items())[:_MOST_FIELDS]):
        facts, value = about["x-vaglio"], row[name]
        kind = "number" if facts["kind"] == "numeric" and "low" in facts else "text"
        choices = [str(each) for each in facts.get("categories", [])]
        kind = "choice" if choices and facts.get("n_categories", 0) == len(choices) else kind
        field = {"name": name, "id": f"field-{number}", "kind": kind, "choices": choices}
        if kind == "number":
            # A value outside the training rows still has a place on the slider.
            low, high = (float(facts[end]) for end in ("low", "high"))
            low, high = (min(low, value), max(high, value)) if value is not None else (low, high)
            # Numbers with any decimals move freely.
            step = "any" if facts["decimals"] is None else _plain(10.0 ** -min(int(facts["decimals"]), 6))
            field |= {"low": _plain(low), "high": _plain(high), "step": step, "middle": _plain(facts["usual"])}
        found.append(field | {"value": "" if value is None else _plain(value)})
    return found


def _plain(value: object) -> str:
    return short_number(value) if isinstance(value, float) else str(value)


def why(served: Served, row: dict[str, Any], changeable: Sequence[str], locale: Locale) -> dict[str, Any]:
    """Return the reasons for the class of a row, or its number, those against it, and a smallest change of it."""
    answer = served.of_one(row)
    try:
        explanation = served.fitted.explain(served.table_of([row]), changeable=changeable)[0]
    except NotSupportedError as error:
        return {"answer": answer, "none": error.message}
    return {"answer": answer, "none": "", **_reasons(explanation, locale)}


def _fixed(served: Served) -> tuple[str, ...]:
    """Return the columns that advice leaves alone unless the form says otherwise."""
    codebook = served.fitted.codebook
    return fixed_columns(codebook.features, codebook.spreads)


def _reasons(explanation: Explanation, locale: Locale) -> dict[str, Any]:
    weights = [
        abs(each.weight) for each in (*explanation.told_for, *explanation.told_against) if each.weight is not None
    ]
    largest = max(weights, default=0.0) or 1.0

    def plain(reason: Any) -> dict[str, Any]:
        share = None if reason.weight is None else min(1.0, abs(reason.weight) / largest)
        amount = explanation.weight_in_words(reason) if explanation.in_units else ""
        return {"text": clip(locale.text(reason.text), 160), "share": share, "amount": amount}

    change = explanation.counterfactual
    by_cost = [] if explanation.cost_in_words is None else [explanation.cost_in_words]
    of_numbers = isinstance(explanation.decision, float)
    # The form has boxes for the columns that advice may change.
    notes = [
        note for note in explanation.notes if not (isinstance(note, Message) and note.code == "columns-kept-fixed")
    ]
    return {
        "of_numbers": of_numbers,
        "sum": explanation.sum_in_words if of_numbers else None,
        "headline": explanation.headline if of_numbers else None,
        "reasons": [plain(each) for each in explanation.told_for[:_MOST_REASONS]],
        "against": [plain(each) for each in explanation.told_against[:_MOST_REASONS]],
        "notes": [clip(locale.text(note), 240) for note in (*by_cost, *notes[:6])],
        "change": None
        if change is None
        else {
            "decision": figure(change.decision, 6) if of_numbers else clip(change.decision, 40),
            "goal": change.goal,
            "text": clip(locale.text(change.in_words), 300),
            "values": {each.feature: _plain(each.instead) for each in change.changes if not each.is_word},
        },
    }


class UnderstandPage(Page):
    """The page Understand."""

    title = text("Understand")
    lead = text("Inspect a model and see why a row gets its class, or its number.")

    def __init__(self, studio: Any, name: str) -> None:
        super().__init__(studio, name)
        # Apart from the results of all pages, because a model may be large.
        self._open = ResultCache(_MOST_OPEN)

    def more_routes(self) -> list[Route]:
        """Answers for the script: the class while a slider moves, and why when it rests."""
        return [
            Route("/understand/answer", self._answer, methods=["POST"]),
            Route("/understand/why", self._why, methods=["POST"]),
        ]

    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the model, and the chosen row."""
        opened = self.bench.need_table()
        model, models = choose_model(self.jobs, opened, query.get("model", ""))
        served = self._served(model)
        off = {int(one) for one in query.get("off", "").split(",") if one.isdecimal() and len(one) < 6}
        panels = Panels()
        none: list[dict[str, Any]] = []
        wrong = panels.show(
            text("Largest errors") if opened.task == "regression" else text("Misclassified rows"),
            lambda: self._once("wrong rows", model, make=lambda: _wrong_rows(model, opened)),
            none,
        )
        row, number = self._row(query, served, opened, wrong)
        fixed = _fixed(served)
        changeable = tuple(name for name in fixed if f"may.{name}" in query)
        return {
            "model": model,
            "models": models,
            **self._shown(model, served.fitted, opened, query.get("node", ""), off, panels),
            "off": off,
            "switch": lambda one: _switched(model, off, one),
            "task": opened.task,
            "labels": opened.label_names,
            "number": number,
            "base": number or query.get("base", ""),
            "judged": self._once("judged", model, number, make=lambda: _judged(model, opened, number)),
            "wrong": wrong[:_PROPOSED],
            "n_wrong": len(wrong),
            "fields": fields_of(served, row),
            "n_more": max(0, len(served.names) - _MOST_FIELDS),
            "fixed": fixed,
            "changeable": changeable,
            "why": panels.show(text("Why"), lambda: self._reasons(model, served, row, changeable, locale), None),
            "n_rows": len(opened.table),
            "problems": panels.problems,
        }

    def _served(self, model: Learned) -> Served:
        return self._open.get(model.key, lambda: open_model(model.run.folder / f"{model.id}.vaglio"))

    def _once(self, what: str, model: Learned, *given: Any, make: Callable[[], T]) -> T:
        """Compute once what depends on the model and the given choices alone."""
        return self.results.get((what, model.key, *given), make)

    def _shown(
        self, model: Learned, fitted: Fitted, opened: OpenTable, node: str, off: set[int], panels: Panels
    ) -> dict[str, Any]:
        """What the model has learned, the rows of the chosen node, the rules that are on and off."""
        places = tuple(sorted(off))

        def once(title: str, what: str, otherwise: Any, make: Callable[[], Any], *given: Any) -> Any:
            return panels.show(title, lambda: self._once(what, model, *given, make=make), otherwise)

        learned = text("What the model has learned")
        return {
            "inside": once(learned, "inside", _EMPTY, lambda: model_parts(model, fitted, opened)),
            "node": once(text("Node"), "node", None, lambda: node_view(fitted, opened, node), node[:10]),
            "rules": once(text("Rules"), "rules", None, lambda: rules_view(model, fitted, opened, off), places),
        }

    def _reasons(
        self, model: Learned, served: Served, row: dict[str, Any], changeable: tuple[str, ...], locale: Locale
    ) -> dict[str, Any]:
        given = locale.lang, repr(sorted(row.items())), changeable
        return self._once("why", model, *given, make=lambda: why(served, row, changeable, locale))

    def _row(
        self, query: dict[str, str], served: Served, opened: OpenTable, wrong: list[dict[str, Any]]
    ) -> tuple[dict[str, Any], int | None]:
        """The row of the form: typed, or from the table; by default one that was predicted wrong, or farthest off."""
        typed = {key[2:]: value for key, value in query.items() if key.startswith("v.")}
        if typed:
            return served.check(row_from_words(served, typed, _base(query.get("base", ""), served, opened))), None
        number = wrong[0]["number"] if wrong else 1
        asked = query.get("row", "")
        if asked:
            if not asked.isdecimal() or not 1 <= int(asked[:12]) <= len(opened.table):
                raise InputError(
                    "row-out-of-range",
                    "There is no row {row!r}. The table has rows 1 to {n:,}.",
                    row=clip(asked, 20),
                    n=len(opened.table),
                )
            number = int(asked)
        return row_from_table(served, opened.table, number - 1), number

    # -- while a slider moves ------------------------------------------------------------------------------------------
    async def _answer(self, request: Request) -> Response:
        form = await self.studio.form(request)
        try:
            answer = await self.studio.compute(self._of_form, form)
        except VaglioError as error:
            return problem_response(422, error.message, self.studio.locale(request))
        return JSONResponse(answer)

    async def _why(self, request: Request) -> Response:
        form, locale = await self.studio.form(request), self.studio.locale(request)
        try:
            found = await self.studio.compute(self._why_of_form, form, locale)
        except VaglioError as error:
            return problem_response(422, error.message, locale)
        return self.studio.page(request, "why.html", why=found)

    def _why_of_form(self, form: Form, locale: Locale) -> dict[str, Any]:
        model, served, row = self._asked(form)
        allowed = form.below("may")
        return self._reasons(model, served, row, tuple(name for name in _fixed(served) if name in allowed), locale)

    def _of_form(self, form: Form) -> dict[str, Any]:
        _, served, row = self._asked(form)
        return served.of_one(row)

    def _asked(self, form: Form) -> tuple[Learned, Served, dict[str, Any]]:
        opened = self.bench.need_table()
        model, _ = choose_model(self.jobs, opened, form.get("model"))
        served = self._served(model)
        base = _base(form.get("base"), served, opened)
        return model, served, served.check(row_from_words(served, form.below("v"), base))


def _base(asked: str, served: Served, opened: OpenTable) -> dict[str, Any] | None:
    """The row of the table whose values a form was filled with."""
    if not asked.isdecimal() or not 1 <= int(asked[:12]) <= len(opened.table):
        return None
    return row_from_table(served, opened.table, int(asked[:12]) - 1)


def _switched(model: Learned, off: set[int], one: int) -> str:
    """The address at which one rule is switched over."""
    rest = sorted(off ^ {one})
    return f"/understand?{urlencode({'model': model.name, 'off': ','.join(map(str, rest))})}#rules"


def _wrong_rows(model: Learned, opened: OpenTable) -> list[dict[str, Any]]:
    """Rows that were predicted wrong when the model had not seen them, the most confident errors first.

    Of numbers the rows that were predicted farthest off.
    """
    evaluation = model.evaluation()
    known = np.flatnonzero(~opened.table.column(opened.need_target()).missing)
    at = known[evaluated_positions(model, opened)]
    wrong = np.flatnonzero(evaluation.true != evaluation.predicted)
    if evaluation.task == "regression":
        wrong = wrong[np.argsort(-np.abs(evaluation.residuals[wrong]), kind="stable")]
    elif evaluation.scores is not None:
        wrong = wrong[np.argsort(-evaluation.scores[wrong, evaluation.predicted[wrong]], kind="stable")]
    return [{"number": int(at[i]) + 1, **_told(evaluation, i)} for i in wrong[:500]]


def _told(evaluation: Any, at: int) -> dict[str, Any]:
    """The true and the predicted class of a row of an evaluation, or its numbers and how far apart they are."""
    true, predicted = evaluation.true[at], evaluation.predicted[at]
    if evaluation.task == "regression":
        return {"true": figure(true, 6), "predicted": figure(predicted, 6), "error": figure(predicted - true)}
    named, given = clip(evaluation.labels[true], 40), clip(evaluation.labels[predicted], 40)
    return {"true": named, "predicted": given, "correct": bool(true == predicted)}


def _judged(model: Learned, opened: OpenTable, number: int | None) -> dict[str, Any] | None:
    """What the evaluation said about a row of the table; None if it was not among its rows."""
    if number is None:
        return None
    evaluation = model.evaluation()
    known = np.flatnonzero(~opened.table.column(opened.need_target()).missing)
    at = np.flatnonzero(known[evaluated_positions(model, opened)] == number - 1)
    if not len(at):
        return None
    return _told(evaluation, int(at[0]))
