"""A model in a form that other people, databases and programs can use."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted._coefficients import coefficient_rows, has_coefficients

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

__all__ = ["FORMATS", "export", "export_formats"]

# Format -> what it is, in words that finish the sentence "the model as …".
FORMATS = {
    "text": "IF … THEN … rules for reading",
    "exact": "rules with every digit, which RuleSet.parse reads back",
    "json": "rules or coefficients as JSON",
    "sql": "a SELECT that classifies the rows of a database table",
    "python": "a Python function that needs nothing but itself",
    "csv": "one line a rule, or one a coefficient",
    "tree": "the tree drawn in text",
    "svg": "the tree or the network as a drawing",
}


def export_formats(fitted: Fitted) -> dict[str, Callable[[], str]]:
    """The formats this model has, each with the function that writes it.

    Parameters
    ----------
    fitted : Fitted
    """
    kind = fitted.model.kind
    found: dict[str, Callable[[], str]] = {}
    if callable(getattr(fitted.model, "rules", None)):
        found |= {
            "text": lambda: str(fitted.rules()),
            "exact": lambda: fitted.rules().to_text(),
            "json": lambda: fitted.rules().to_json(indent=2),
            "sql": lambda: fitted.rules().to_sql(),
            "python": lambda: fitted.rules().to_python(),
            "csv": lambda: fitted.rules().to_frame().to_csv(index=False, lineterminator="\n"),
        }
    elif has_coefficients(fitted):
        found |= {
            "json": lambda: json.dumps(coefficient_rows(fitted), indent=2, ensure_ascii=False, default=str),
            "csv": lambda: _csv(coefficient_rows(fitted)),
        }
    if kind == "tree":
        found |= {"tree": lambda: _tree_text(fitted), "svg": lambda: _tree_svg(fitted)}
    elif kind == "bayes-net":
        found["svg"] = lambda: _network_svg(fitted)
    return found


def export(fitted: Fitted, format: str) -> str:
    """Write the model in one of :data:`FORMATS`, or say which of them it has."""
    if format not in FORMATS:
        raise InputError(f"There is no format {format!r}; there are {', '.join(FORMATS)}.")
    found = export_formats(fitted)
    if format not in found:
        instead = f"it can be written as {', '.join(found)}" if found else _nothing(fitted)
        raise NotSupportedError(f"A model of {fitted.learner!r} cannot be written as {format}: {instead}.")
    return found[format]()


def _nothing(fitted: Fitted) -> str:
    return f"what a {fitted.model.kind} model knows is no list of rules or weights; keep the model file itself"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _outline(fitted: Fitted) -> Any:
    from vaglio.model.trees.tree_outline import outline

    return outline(fitted.model, fitted.codebook.features, fitted.classes)  # type: ignore[arg-type]


def _tree_text(fitted: Fitted) -> str:
    from vaglio.plot.tree_drawing import draw_tree_text

    return draw_tree_text(_outline(fitted))


def _tree_svg(fitted: Fitted) -> str:
    from vaglio.plot.tree_drawing import draw_tree_svg

    classes = [] if fitted.classes is None else [str(label) for label in fitted.classes]
    leaves = fitted.model.size().get("leaves", 0)
    return draw_tree_svg(_outline(fitted), classes, title=f"Decision tree with {leaves} leaves")


def _network_svg(fitted: Fitted) -> str:
    from vaglio.plot.network import draw_network

    names = fitted.codebook.names
    parents = fitted.model.parents  # type: ignore[attr-defined]
    edges = [(names[above], names[child]) for child, group in enumerate(parents) for above in group]
    return draw_network(str(fitted.provenance.get("target", "class")), names, edges)
