"""A fitted model on screen: facts, findings, changes by hand, and the model itself where it can be read at a glance."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.fitted.formats import coefficient_rows, has_coefficients
from vaglio.messages.figures import moment
from vaglio.messages.listing import html_table
from vaglio.messages.locale import Locale
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.printable import ESCAPES
from vaglio.messages.sentences import listed, plural
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


def to_text(fitted: Fitted, lang: str = "en") -> str:
    """Return the model in one line."""
    told = text("Fitted {learner}: {facts}", learner=fitted.learner, facts=join("; ", _facts(fitted)))
    return Locale(lang).text(told).translate(ESCAPES)


def to_html(fitted: Fitted, lang: str = "en") -> str:
    """Return the model as a notebook shows it."""
    locale = Locale(lang)
    facts = html.escape(locale.text(join(" · ", _facts(fitted))))
    title = f"<strong>{html.escape(fitted.learner)}</strong> <span>{facts}</span>"
    draw = bodies.find(fitted.model.kind)
    body = "" if draw is None else draw(fitted)
    if draw is None and has_coefficients(fitted):
        # One row per column of the table, one column per class: weights are compared across classes.
        table: dict[str, dict[str, Any]] = {}
        for row in coefficient_rows(fitted):
            table.setdefault(row["name"], {text("column"): row["name"]})[_side(row)] = row["coefficient"]
        body = html_table(list(table.values()), max_rows=_WEIGHTS, locale=locale)
    return f'<div style="font-family:system-ui,sans-serif;font-size:13px">{title}<br>{body}</div>'


def _side(row: dict[str, Any]) -> Message:
    """Return what a coefficient is for: a class, one class against another, or the predicted number."""
    if "class" not in row:
        return text("coefficient")
    if "against" in row:
        return text("{label} against {other}", label=row["class"], other=row["against"])
    return text("for {label}", label=row["class"])


def _facts(fitted: Fitted) -> list[Message]:
    facts = [size_in_words(fitted.model)]
    if fitted.training_shape is not None:
        rows, columns = fitted.training_shape
        facts.append(
            text("trained on {rows} and {columns}", rows=plural(rows, "row"), columns=plural(columns, "column"))
        )
    if fitted.classes is not None:
        facts.append(text("classes {labels}", labels=listed(map(str, fitted.classes), 8)))
    if fitted.ignored_columns:
        facts.append(text("without {columns} (not better than chance)", columns=listed(fitted.ignored_columns)))
    facts += findings_in_words(fitted).values()
    if fitted.edits:
        edited = listed(sorted({str(edit.get("term")) for edit in fitted.edits}))
        facts.append(text("edited by hand: {terms}", terms=edited))
    if fitted.threshold is not None:
        label, threshold = fitted.threshold
        facts.append(text("predicts {label} from a probability of {threshold:g}", label=label, threshold=threshold))
    elif fitted.decision_cost is not None:
        facts.append(text("decides for the class with the lowest expected cost"))
    return facts


# -- what was found while learning -----------------------------------------------------------------------------------
# How a parameter says that its value is to be chosen.
_BY = {"cv": text("by cross-validation"), "auto": text("from the rows")}


def findings_in_words(fitted: Fitted) -> dict[str, Message]:
    """Return the findings of the training by heading: values it chose, and whether the model is proved optimal.

    A file may say anything: what is not a finding is left out.

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
        chosen.append(text("{parameter} = {value:.4g} ({how})", parameter=name, value=value, how=_BY.get(asked, asked)))
    proof = _proof(fitted)
    told: dict[str, Message] = {text("chosen"): join(", ", chosen)} if chosen else {}
    return told if proof is None else {**told, text("proof"): proof}


def _proof(fitted: Fitted) -> Message | None:
    given = fitted.provenance.get("found")
    found = _numbers(given)
    if not isinstance(given, dict) or not {"objective", "lower_bound", "greedy_objective"} <= found.keys():
        return None
    if given.get("proved") is True:
        return text(
            "optimal: no tree within the limits has an objective below {objective:.4f} (CART: {greedy:.4f})",
            objective=found["objective"],
            greedy=found["greedy_objective"],
        )
    limit = f"{given.get('stopped_by')}_limit"
    return text(
        "not proved: the objective is {objective:.4f}, and no tree is below {bound:.4f} (CART: {greedy:.4f}); the "
        "search stopped at {limit} = {value}",
        objective=found["objective"],
        bound=found["lower_bound"],
        greedy=found["greedy_objective"],
        limit=limit,
        value=fitted.params.get(limit),
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
_DIRECTIONS = {1: text("rising"), -1: text("falling")}


def edit_in_words(edit: dict[str, Any], is_date: bool) -> Message:
    """Return a change as a line: the term, what was done, the scores before and after, and the reason."""
    parts = [_safe(edit.get("action"))]
    if edit.get("direction") in _DIRECTIONS:
        parts.append(_DIRECTIONS[edit["direction"]])
    where = edit.get("where")
    if isinstance(where, list):
        parts.append(text("where {where}", where=join("..", [_end(end, is_date) for end in where])))
    elif where is not None:
        parts.append(text("where {where}", where=_safe(where)))
    if edit.get("label") is not None:
        parts.append(text("for {label}", label=_safe(edit["label"])))
    pairs = [_safe(pair.get("term")) for pair in edit.get("pairs") or () if isinstance(pair, dict)]
    if pairs:
        parts.append(text("with {n:,} {n:pair|pairs}: {pairs}", n=len(pairs), pairs=join(", ", pairs)))
    told = text("{term}: {change}", term=_safe(edit.get("term")), change=join(" ", parts))
    before, after = (_scores(edit.get(side)) for side in ("before", "after"))
    if before and len(before) == len(after):
        told = text(
            "{change}: {before} before, {after} after, moved by at most {most}",
            change=told,
            before=_span(before),
            after=_span(after),
            most=_figure(max(abs(new - old) for old, new in zip(before, after))),
        )
    reason = edit.get("reason")
    return text("{change} ({reason})", change=told, reason=_safe(reason)) if reason else told


def _safe(given: Any) -> str:
    """What a file says, without characters that steer a terminal."""
    return str(given).translate(ESCAPES)


def _end(end: Any, is_date: bool) -> str:
    if not isinstance(end, float) or not np.isfinite(end):
        return ""
    return moment(end) if is_date else Number(f"{end:g}")


def _scores(rows: Any) -> list[float]:
    """All scores; none of a term that was removed. A file may say anything."""
    rows = [row for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    return [score for row in rows for score in row if isinstance(score, float)]


def _span(scores: list[float]) -> str:
    low, high = _figure(min(scores)), _figure(max(scores))
    return low if low == high else text("{low} to {high}", low=low, high=high)


def _figure(score: float) -> Number:
    return Number(f"{round(score, 4) + 0.0:.4f}")
