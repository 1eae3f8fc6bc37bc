"""Table: open one, see its rows and columns, say what they mean, clean it as the audit advises; all can be undone."""

from __future__ import annotations

import os
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from vaglio import datasets
from vaglio.errors import VaglioError
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip, did_you_mean, listed
from vaglio.quality import Audit, Finding
from vaglio.quality.checks.context import SEVERITIES
from vaglio.report.data import column_summary
from vaglio.serve.http.responses import refuse
from vaglio.studio.forms import ChoiceError, Form, receive_file
from vaglio.studio.pages.page import Action, Page, Panels, cell_texts
from vaglio.studio.project.workbench import OpenTable

__all__ = ["CHOICES", "TablePage", "findings_view"]

# Kind of finding -> field of the cleaning policy.
_FIELDS = {
    "impossible": "impossible",
    "placeholder": "placeholders",
    "spelling": "spelling",
    "outliers": "outliers",
    "rare-categories": "rare",
    "identifier": "identifiers",
    "constant": "constant",
    "missing-class": "missing_class",
    "mostly-missing": "mostly_missing",
    "duplicates": "duplicates",
    "inconsistent": "inconsistent",
}
# Field of the policy -> what can be done, and how its button is labelled.
CHOICES: dict[str, dict[str, Message]] = {
    "impossible": {"missing": text("Set impossible values to missing")},
    "placeholders": {"missing": text("Set placeholders to missing")},
    "spelling": {"merge": text("Merge the spellings")},
    "outliers": {"missing": text("Set outliers to missing"), "clip": text("Clip outliers to the fences")},
    "rare": {"merge": text("Merge rare categories")},
    "identifiers": {"mark": text("Ignore identifiers")},
    "constant": {"drop": text("Drop constant columns")},
    "missing_class": {"drop": text("Drop rows without a target")},
    "mostly_missing": {"drop": text("Drop columns that are mostly missing")},
    "duplicates": {"drop": text("Drop duplicate rows")},
    "inconsistent": {"drop": text("Drop inconsistent rows"), "majority": text("Keep the most frequent class")},
}
_SEVERITY_LABELS = {"high": text("serious"), "medium": text("to check"), "low": text("for information")}
# Findings of one kind that are written out.
_MOST = 6
# Rows and columns of the first look, columns with a picture on one page.
_ROWS, _ACROSS, _CARDS = 12, 24, 24
# Seconds that the page waits for the audit: most tables need less, and then nothing has to be loaded again. Tables with
# more cells need longer, and their page is shown at once.
_PATIENCE, _MANY_CELLS = 0.6, 2_000_000
# What a column can be declared as; the values in order are a form of their own.
LEVELS = {
    "nominal": text("nominal: categories"),
    "ordinal": text("ordinal: ordered categories"),
    "interval": text("interval: differences"),
    "ratio": text("ratio: numbers"),
    "asymmetric": text("asymmetric: presence"),
    "text": text("free text"),
    "date": text("date"),
}
ROLES = {
    "input": text("input"),
    "target": text("target"),
    "identifier": text("identifier"),
    "ignored": text("ignored"),
    "weight": text("weight"),
    "group": text("group: stays in one fold"),
}
_MOST_ORDERED = 60


def findings_view(audit: Audit, locale: Locale) -> list[dict[str, Any]]:
    """Return the findings, worst first, those of a kind together: a button does the same to all of them.

    Parameters
    ----------
    audit : Audit
    locale : Locale
    """
    groups: dict[str, list[Finding]] = {}
    for finding in audit:
        groups.setdefault(finding.kind, []).append(finding)
    found = [_group(kind, members, locale) for kind, members in groups.items()]
    return sorted(found, key=lambda group: SEVERITIES.index(group["severity"]))


def _group(kind: str, members: list[Finding], locale: Locale) -> dict[str, Any]:
    worst = min(members, key=lambda finding: SEVERITIES.index(finding.severity))
    field = _FIELDS.get(kind, "")
    return {
        "kind": kind,
        "severity": worst.severity,
        "field": field,
        "choices": CHOICES.get(field, {}),
        "messages": [clip(locale.text(finding.message), 240) for finding in members[:_MOST]],
        "more": max(0, len(members) - _MOST),
        "advice": clip(locale.text(worst.advice), 280),
        "columns": list(dict.fromkeys(name for finding in members for name in finding.columns))[:12],
    }


class TablePage(Page):
    """The page Table."""

    title = text("Table")
    lead = text("Open a table, declare its columns and clean it.")

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
    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the table at a glance."""
        bundled = [datasets.describe(name) for name in datasets.names()]
        panels = Panels()
        common = {
            "bundled": bundled,
            "upload_limit": self.studio.settings.upload,
            "table": None,
            "log": (),
            "steps": self.project.steps,
            "levels": LEVELS,
            "roles": ROLES,
            "cleaning": CHOICES,
            "severities": _SEVERITY_LABELS,
            "problems": panels.problems,
        }
        opened = panels.show(text("Table"), lambda: self.bench.open_table, None)
        if opened is None:
            return common
        if np.prod(opened.table.shape) < _MANY_CELLS:
            wait([opened.findings], _PATIENCE)
        return common | {"table": _table_view(opened, query, locale, panels), "log": opened.loaded.log}

    # -- what its forms do ---------------------------------------------------------------------------------------------
    def _bundled(self, form: Form) -> None:
        name = form.need("name", tuple(datasets.names()))
        self.bench.take({"do": "open", "name": name, "bundled": True, "target": datasets.describe(name).target})

    def _path(self, form: Form) -> None:
        given = form.get("path").strip()
        if not given:
            raise ChoiceError("path", "file-not-named", "Enter the path of a file on this machine.")
        self._open(self.project.take_in(Path(os.path.expanduser(given))))

    def _open(self, name: str) -> None:
        try:
            self.bench.take({"do": "open", "name": name})
        except VaglioError:
            # A file that cannot be read is not kept.
            (self.project.tables / name).unlink(missing_ok=True)
            raise

    async def _upload(self, request: Request) -> Response:
        place = await receive_file(request, self.project, self.studio.settings.upload)
        try:
            await self.studio.compute(self._open, place.name)
        except VaglioError as error:
            refuse(422, error.message)
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
                raise ChoiceError(
                    form.get("at"),
                    "unknown-level",
                    "There is no level {level!r}; {hint}",
                    level=clip(level),
                    hint=did_you_mean(level, LEVELS),
                )
            self.bench.take({"do": "level", "column": name, "level": level})
        if role and role != column.role:
            if role not in ROLES:
                raise ChoiceError(
                    form.get("at"),
                    "unknown-role",
                    "Unknown role {role!r}. The roles are {roles}.",
                    role=clip(role),
                    roles=listed(ROLES),
                )
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
            raise ChoiceError(
                "missing",
                "bundled-without-markers",
                "Bundled tables are not files, so missing-value markers do not apply.",
            )
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


def _table_view(opened: OpenTable, query: dict[str, str], locale: Locale, panels: Panels) -> dict[str, Any]:
    table = opened.table
    n, p = table.shape
    names = list(table.columns)
    page = max(0, int(query["from"])) if query.get("from", "").isdecimal() and len(query["from"]) < 9 else 0
    shown = names[page : page + _CARDS] or names[:_CARDS]
    findings = panels.show(text("Findings"), lambda: _findings(opened, locale), [])
    cards = [panels.show(clip(name), partial(_card, opened, name, names.index(name), locale), None) for name in shown]
    return {
        "name": opened.state.name,
        "bundled": opened.state.bundled,
        "rows": n,
        "columns": p,
        "target": opened.target,
        "labels": opened.label_names,
        "guess": opened.target or _likely_class(opened),
        "names": names,
        "remarks": [clip(locale.text(line), 300) for line in opened.raw.remarks[:20]],
        "missing_words": ", ".join(opened.state.missing),
        "first": panels.show(text("First rows"), lambda: _first_rows(opened), None),
        "cards": [card for card in cards if card is not None],
        "page": page,
        "cards_at_a_time": _CARDS,
        "sampled": len(opened.sample) if len(opened.sample) < n else 0,
        "audited": opened.findings.done(),
        "findings": findings,
    }


def _findings(opened: OpenTable, locale: Locale) -> list[dict[str, Any]]:
    audited = opened.audited
    return [] if audited is None else findings_view(audited, locale)


def _likely_class(opened: OpenTable) -> str:
    """The column that is proposed as the class: the last one with few values, else the last."""
    few = [name for name in opened.table.columns if opened.table.column(name).kind == "nominal"]
    return (few or list(opened.table.columns))[-1] if opened.table.columns else ""


def _first_rows(opened: OpenTable) -> dict[str, Any]:
    names = list(opened.table.columns)[:_ACROSS]
    head = opened.table.select(names)[slice(0, _ROWS)]
    columns = [head.column(name) for name in names]
    return {
        "names": [clip(name, 40) for name in names],
        "numeric": [column.kind == "numeric" and not column.is_date for column in columns],
        "rows": list(zip(*map(cell_texts, columns))),
        "more": len(opened.table.columns) - len(names),
    }


def _card(opened: OpenTable, name: str, number: int, locale: Locale) -> dict[str, Any]:
    column = opened.sample.column(name)
    full = opened.table.column(name)
    card = column_summary(
        column, opened.profile(name), np.arange(len(opened.sample)), opened.codes, max(len(opened.label_names), 1)
    )
    failed = not opened.findings.done() or opened.findings.exception() is not None
    audited = None if failed else opened.audited
    found = [] if audited is None else [f for f in audited.about(name) if len(f.columns) < 4][:3]
    ordered = full.kind == "nominal" and len(full.categories) <= _MOST_ORDERED
    return card | {
        "column": name,
        "at": f"column-{number}",
        "level": _level_of(full),
        "role": full.role,
        "findings": [clip(locale.text(finding.message), 160) for finding in found],
        "order": " < ".join(map(str, full.categories)) if ordered else "",
        "unread": 0 if full.unread is None else len(full) - int(full.unread.missing.sum()),
    }
