"""A fitted model on screen: facts, findings, changes by hand, and the model itself where it can be read at a glance."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.export.source import moment
from vaglio.fitted.formats import coefficient_rows, has_coefficients
from vaglio.messages.listing import html_table
from vaglio.messages.printable import ESCAPES
from vaglio.messages.sentences import listed
from vaglio.model.base import size_in_words
from vaglio.model.families import Lookup

if TYPE_CHECKING:
    from vaglio.fitted.fitted import Fitted

__all__ = ["PAPER", "bodies", "edit_in_words", "findings_in_words", "to_html", "to_text"]

# Further weights are folded: a notebook shows a model, the export writes it out.
_WEIGHTS = 30
# A drawing has dark ink: it stays readable in a dark notebook on paper of its own.
PAPER = '<div style="background:#fff;display:inline-block;max-width:100%;overflow-x:auto;border-radius:6px">{}</div>'

# Kind of model -> the model itself as HTML. Of other kinds the coefficients are shown, or one line of facts.
bodies: Lookup[Callable[[Fitted], str]] = Lookup(lambda family: family.show)


def to_text(fitted: Fitted) -> str:
    """The model in one line."""
    return f"Fitted {fitted.learner}: {'; '.join(_facts(fitted))}".translate(ESCAPES)


def to_html(fitted: Fitted) -> str:
    """The model as a notebook shows it."""
    facts = html.escape(" · ".join(_facts(fitted)))
    title = f"<strong>{html.escape(fitted.learner)}</strong> <span>{facts}</span>"
    draw = bodies.find(fitted.model.kind)
    body = "" if draw is None else draw(fitted)
    if draw is None and has_coefficients(fitted):
        # One row per column of the table, one column per class: weights are compared across classes.
        table: dict[str, dict[str, Any]] = {}
        for row in coefficient_rows(fitted):
            side = f"{row['class']} against {row['against']}" if "against" in row else f"for {row['class']}"
            table.setdefault(row["name"], {"column": row["name"]})[side] = row["coefficient"]
        body = html_table(list(table.values()), max_rows=_WEIGHTS)
    return f'<div style="font-family:system-ui,sans-serif;font-size:13px">{title}<br>{body}</div>'


def _facts(fitted: Fitted) -> list[str]:
    facts = [size_in_words(fitted.model)]
    if fitted.training_shape is not None:
        rows, columns = fitted.training_shape
        facts.append(f"learned from {rows:,} rows, {columns:,} columns")
    if fitted.classes is not None:
        known = [str(label) for label in fitted.classes]
        more = f", … ({len(known)})" if len(known) > 8 else ""
        facts.append(f"classes {', '.join(known[:8])}{more}")
    if fitted.left_out:
        facts.append(f"without {listed(fitted.left_out)} (no more than chance)")
    facts += findings_in_words(fitted).values()
    if fitted.edits:
        facts.append(f"edited by hand: {listed(sorted({str(edit.get('term')) for edit in fitted.edits}))}")
    if fitted.deciding_cost is not None:
        facts.append("decides for the class of least expected cost")
    return facts


# -- what was found while learning -----------------------------------------------------------------------------------
# How a parameter says that its value is to be chosen.
_BY = {"cv": "by cross-validation", "auto": "from the rows"}


def findings_in_words(fitted: Fitted) -> dict[str, str]:
    """Return what there is to say, by heading: values chosen while learning, and whether the model is proved optimal.

    A file may say anything: what is no finding is left out.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.fitted.show import findings_in_words
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> findings_in_words(vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y).fitted_)["proof"]
    'optimal: no tree within the limits has an objective below 0.0174 (CART: 0.0378)'
    """
    chosen = []
    for name, value in _numbers(fitted.provenance.get("chosen")).items():
        asked = str(fitted.params.get(name))
        chosen.append(f"{name} = {value:.4g} ({_BY.get(asked, asked)})")
    told = {"chosen": ", ".join(chosen), "proof": _proof(fitted)}
    return {heading: text for heading, text in told.items() if text}


def _proof(fitted: Fitted) -> str:
    given = fitted.provenance.get("found")
    found = _numbers(given)
    if not isinstance(given, dict) or not {"objective", "lower_bound", "greedy_objective"} <= found.keys():
        return ""
    greedy = f"CART: {found['greedy_objective']:.4f}"
    if given.get("proved") is True:
        return f"optimal: no tree within the limits has an objective below {found['objective']:.4f} ({greedy})"
    limit = f"{given.get('stopped_by')}_limit"
    return (
        f"not proved: the objective is {found['objective']:.4f}, and no tree is below {found['lower_bound']:.4f} "
        f"({greedy}); the search ended at its {limit} of {fitted.params.get(limit)}"
    )


def _numbers(given: object) -> dict[str, float]:
    """Return the entries that are finite numbers."""
    entries = given.items() if isinstance(given, dict) else ()
    return {
        str(name): float(value)
        for name, value in entries
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


# -- what was changed by hand ----------------------------------------------------------------------------------------
def edit_in_words(edit: dict[str, Any], is_date: bool) -> str:
    """Return a change as a line: the term, what was done, the scores before and after, and the reason."""
    where, reason = edit.get("where"), edit.get("reason")
    if isinstance(where, list):
        said = moment if is_date else "{:g}".format
        where = "..".join(said(end) if isinstance(end, float) and np.isfinite(end) else "" for end in where)
    way = edit.get("direction")
    parts = [f"{edit.get('term')}: {edit.get('action')}{' rising' if way == 1 else ' falling' if way == -1 else ''}"]
    parts += [f" where {where}"] if where is not None else []
    parts += [f" for {edit['label']}"] if edit.get("label") is not None else []
    before, after = (_scores(edit.get(side)) for side in ("before", "after"))
    if before and len(before) == len(after):
        moved = max(abs(new - old) for old, new in zip(before, after))
        parts += [f": {_span(before)} before, {_span(after)} after, moved by at most {_figure(moved)}"]
    return "".join([*parts, f" ({reason})" if reason else ""]).translate(ESCAPES)


def _scores(rows: Any) -> list[float]:
    """All scores; none of a term that was removed. A file may say anything."""
    rows = [row for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    return [score for row in rows for score in row if isinstance(score, float)]


def _span(scores: list[float]) -> str:
    low, high = _figure(min(scores)), _figure(max(scores))
    return low if low == high else f"{low} to {high}"


def _figure(score: float) -> str:
    return f"{round(score, 4) + 0.0:.4f}"
