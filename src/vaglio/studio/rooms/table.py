"""Table: open one, see its rows and columns, say what they mean, clean it as the audit advises; all can be undone."""

from __future__ import annotations

import os
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio import datasets
from vaglio.errors import VaglioError
from vaglio.messages.sentences import clip
from vaglio.report.column_facts import column_summary
from vaglio.serve.http.problems import refuse
from vaglio.studio.catalogue import Words
from vaglio.studio.page_forms import ChoiceError, Form
from vaglio.studio.project.workbench import OpenTable
from vaglio.studio.rooms.findings import CHOICES, findings_view
from vaglio.studio.rooms.room import Action, Room
from vaglio.studio.rooms.row_cells import cell_text
from vaglio.studio.uploading import receive_file

__all__ = ["Page"]

# Rows and columns of the first look, columns with a picture on one page.
_ROWS, _ACROSS, _CARDS = 12, 24, 24
# Seconds that the page waits for the audit: most tables need less, and then nothing has to be loaded again. Tables with
# more cells need longer, and their page is shown at once.
_PATIENCE, _MANY_CELLS = 0.6, 2_000_000
# What a column can be declared as; the values in order are a form of their own.
LEVELS = ("nominal", "ordinal", "interval", "ratio", "asymmetric", "text", "date")
ROLES = ("input", "target", "identifier", "ignored", "weight")
_MOST_ORDERED = 60


class Page(Room):
    """The room Table."""

    def actions(self) -> list[tuple[str, Action]]:
        """Open, declare, clean, undo."""
        return [
            ("bundled", self._bundled),
            ("path", self._path),
            ("target", self._target),
            ("column", self._column),
            ("order", self._order),
            ("missing", self._missing),
            ("clean", self._clean),
            ("undo", self._undo),
        ]

    def more_routes(self) -> list[Route]:
        """Uploads come as the body of a request, so that they can be of any size."""
        return [Route("/table/upload", self._upload, methods=["POST"])]

    # -- what the page shows -------------------------------------------------------------------------------------------
    def view(self, query: dict[str, str], say: Words) -> dict[str, Any]:
        """Return the table at a glance."""
        bundled = [datasets.describe(name) for name in datasets.names()]
        common = {"bundled": bundled, "upload_limit": self.studio.settings.upload, "table": None}
        opened = self.bench.open_table
        if opened is None:
            return common
        if np.prod(opened.table.shape) < _MANY_CELLS:
            wait([opened.findings], _PATIENCE)
        log = [say.sentence(line) for line in opened.loaded.log]
        return common | {"table": _table_view(opened, query, say), "steps": self.project.steps, "log": log}

    # -- what its forms do ---------------------------------------------------------------------------------------------
    def _bundled(self, form: Form) -> None:
        name = form.need("name", tuple(datasets.names()))
        self.bench.take({"do": "open", "name": name, "bundled": True, "target": datasets.describe(name).target})

    def _path(self, form: Form) -> None:
        given = form.get("path").strip()
        if not given:
            raise ChoiceError("path", "Name a file of this machine.")
        self._open(self.project.take_in(Path(os.path.expanduser(given))))

    def _open(self, name: str) -> None:
        try:
            self.bench.take({"do": "open", "name": name})
        except VaglioError:
            # A file that cannot be read is not kept.
            (self.project.tables / name).unlink(missing_ok=True)
            raise

    async def _upload(self, request: Request) -> Response:
        given = request.query_params.get("name", "")
        if not given or len(given) > 500:
            refuse(422, "The upload lacks the name of its file: load the page again.")
        place = self.project.place_for(given)
        await receive_file(request, place, self.studio.settings.upload)
        try:
            await self.studio.compute(self._open, place.name)
        except VaglioError as error:
            refuse(422, " ".join(str(error).split()))  # the page that tells it translates it
        return Response(status_code=204)

    def _target(self, form: Form) -> None:
        name = self._known(form.get("column"))
        opened = self.bench.need_table()
        if name == opened.target:
            return
        self.bench.take({"do": "target", "column": name})

    def _column(self, form: Form) -> str:
        """Declare level and role of a column; what is as before is no step."""
        name = self._known(form.get("column"))
        column = self.bench.need_table().raw.column(name)
        level, role = form.get("level"), form.get("role")
        if level and level != _level_of(column):
            if level not in LEVELS:
                raise ChoiceError(form.get("at"), f"A level is {', '.join(LEVELS)}, not {level!r}.")
            self.bench.take({"do": "level", "column": name, "level": level})
        if role and role != column.role:
            if role not in ROLES:
                raise ChoiceError(form.get("at"), f"A role is {', '.join(ROLES)}, not {role!r}.")
            self.bench.take({"do": "target" if role == "target" else "role", "column": name, "role": role})
        return f"{self.path}#{form.get('at')}"

    def _order(self, form: Form) -> str:
        name = self._known(form.get("column"))
        values = [value.strip() for value in form.get("values").split("<") if value.strip()]
        self.bench.take({"do": "level", "column": name, "level": values})
        return f"{self.path}#{form.get('at')}"

    def _missing(self, form: Form) -> None:
        words = list(dict.fromkeys(word.strip() for word in form.get("words").split(",") if word.strip()))
        if self.bench.need_table().state.bundled:
            raise ChoiceError("missing", "A bundled table is no file: it has no words for a missing value.")
        self.bench.take({"do": "missing", "words": words})

    def _clean(self, form: Form) -> str:
        finding = form.need("finding", CHOICES)
        choice = form.need("choice", CHOICES[finding])
        self.bench.take({"do": "clean", "finding": finding, "choice": choice})
        return f"{self.path}#findings"

    def _undo(self, form: Form) -> str:
        self.bench.undo(form.number("step"))
        return f"{self.path}#steps"

    def _known(self, name: str) -> str:
        raw = self.bench.need_table().raw
        return raw.resolve(name)


def _level_of(column: Any) -> str:
    """What the form calls the level of a column."""
    if column.is_date:
        return "date"
    if column.asymmetric:
        return "asymmetric"
    return "text" if column.kind == "text" else str(column.level)


def _table_view(opened: OpenTable, query: dict[str, str], say: Words) -> dict[str, Any]:
    table = opened.table
    n, p = table.shape
    names = list(table.columns)
    page = max(0, int(query["from"])) if query.get("from", "").isdecimal() and len(query["from"]) < 9 else 0
    shown = names[page : page + _CARDS] or names[:_CARDS]
    audited = opened.audited
    return {
        "name": opened.state.name,
        "bundled": opened.state.bundled,
        "rows": n,
        "columns": p,
        "target": opened.target,
        "labels": opened.label_names,
        "guess": opened.target or _likely_class(opened),
        "names": names,
        "remarks": [clip(say.sentence(line), 300) for line in opened.raw.remarks[:20]],
        "missing_words": ", ".join(opened.state.missing),
        "first": _first_rows(opened),
        "cards": [_card(opened, name, names.index(name), say) for name in shown],
        "page": page,
        "cards_at_a_time": _CARDS,
        "sampled": len(opened.sample) if len(opened.sample) < n else 0,
        "audited": audited is not None,
        "findings": [] if audited is None else findings_view(audited, say),
        "levels": LEVELS,
        "roles": ROLES,
    }


def _likely_class(opened: OpenTable) -> str:
    """The column that is proposed as the class: the last one with few values, else the last."""
    few = [name for name in opened.table.columns if opened.table.column(name).kind == "nominal"]
    return (few or list(opened.table.columns))[-1] if opened.table.columns else ""


def _first_rows(opened: OpenTable) -> dict[str, Any]:
    names = list(opened.table.columns)[:_ACROSS]
    head = opened.table.select(names)[slice(0, _ROWS)]
    columns = [head.column(name) for name in names]
    cells = [[cell_text(column, value) for value in column.values.tolist()] for column in columns]
    return {
        "names": [clip(name, 40) for name in names],
        "numeric": [column.kind == "numeric" and not column.is_date for column in columns],
        "rows": list(zip(*cells)),
        "more": len(opened.table.columns) - len(names),
    }


def _card(opened: OpenTable, name: str, number: int, say: Words) -> dict[str, Any]:
    column = opened.sample.column(name)
    full = opened.table.column(name)
    card = column_summary(
        column, opened.profile(name), np.arange(len(opened.sample)), opened.codes, max(len(opened.labels), 1)
    )
    audited = opened.audited
    found = [] if audited is None else [f for f in audited.about(name) if len(f.columns) < 4][:3]
    ordered = full.kind == "nominal" and len(full.categories) <= _MOST_ORDERED
    return card | {
        "column": name,
        "at": f"column-{number}",
        "level": _level_of(full),
        "role": full.role,
        "findings": [clip(say.sentence(finding.message), 160) for finding in found],
        "order": " < ".join(map(str, full.categories)) if ordered else "",
        "unread": 0 if full.unread is None else len(full) - int(full.unread.missing.sum()),
    }
