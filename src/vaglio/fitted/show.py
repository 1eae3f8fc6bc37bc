"""A fitted model on screen: what it is, and the model itself where it can be read at a glance."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vaglio.fitted._coefficients import coefficient_rows, has_coefficients
from vaglio.fitted.learning_facts import findings_in_words
from vaglio.messages.listing import html_table
from vaglio.messages.printable import ESCAPES
from vaglio.messages.sentences import listed
from vaglio.model.base import size_in_words
from vaglio.model.families import Lookup

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

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
    return f'<div style="font-family:system-ui,sans-serif;font-size:13px">{title}<br>{_body(fitted)}</div>'


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


def _body(fitted: Fitted) -> str:
    draw = bodies.find(fitted.model.kind)
    if draw is not None:
        return draw(fitted)
    return html_table(_weights(fitted), max_rows=_WEIGHTS) if has_coefficients(fitted) else ""


def _weights(fitted: Fitted) -> list[dict[str, Any]]:
    """One row per column of the table, one column per class: weights are compared across classes."""
    table: dict[str, dict[str, Any]] = {}
    for row in coefficient_rows(fitted):
        side = f"{row['class']} against {row['against']}" if "against" in row else f"for {row['class']}"
        table.setdefault(row["name"], {"column": row["name"]})[side] = row["coefficient"]
    return list(table.values())
