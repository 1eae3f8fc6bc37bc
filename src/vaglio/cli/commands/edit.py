"""``vaglio edit model.vaglio age monotone --direction rising --reason "…" --out safer.vaglio``"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import ModelFile, Threshold, UsageError, decided, output_option
from vaglio.cli._output import Answer, next_line, shell, with_model
from vaglio.messages.message import Number, join, text

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.fitted import Fitted


class Action(StrEnum):
    """What is done to a term."""

    flatten = "flatten"
    monotone = "monotone"
    remove = "remove"
    set = "set"


class Direction(StrEnum):
    """Where the scores of a monotone term go."""

    rising = "rising"
    falling = "falling"


_change = partial(typer.Option, rich_help_panel="The change")
Term = Annotated[
    str | None,
    typer.Argument(
        metavar="TERM", help="A column, or a pair such as 'age & income'; without it, all terms are listed."
    ),
]
What = Annotated[
    Action | None,
    typer.Argument(
        metavar="ACTION",
        help=(
            "flatten: set all values to their mean score; monotone: make the scores rise or fall; "
            "remove: delete the term; set: give values another score. "
            "monotone and remove include the pairs of a column."
        ),
    ),
]
Where = Annotated[
    str | None,
    _change(
        "--where",
        metavar="VALUES",
        help="The values to flatten or set: a category, missing, or a range such as 20..40.",
    ),
]
Value = Annotated[float | None, _change("--value", metavar="SCORE", help="The new score, for set.")]
Way = Annotated[
    Direction | None, _change("--direction", help="The direction, for monotone; by default the one that changes less.")
]
Label = Annotated[
    str | None, _change("--label", metavar="CLASS", help="The class whose score is changed; by default all.")
]
Reason = Annotated[str, _change("--reason", metavar="TEXT", help="The reason, recorded in the model.")]
Out = Annotated[
    Path | None,
    output_option("--out", "-o", metavar="FILE", help="The file for the edited model; MODEL is not changed."),
]


def run(
    model: ModelFile,
    term: Term = None,
    action: What = None,
    where: Where = None,
    value: Value = None,
    direction: Way = None,
    label: Label = None,
    reason: Reason = "",
    threshold: Threshold = None,
    out: Out = None,
) -> Answer:
    """Edit a term of an additive model, or the threshold of any model; with neither, list the terms.

    The edited model is a new file. It records every change with its reason and the scores before and after; inspect and
    the report show them.
    """
    from vaglio.evaluation.metrics.cost_sensitive import in_words
    from vaglio.fitted import load
    from vaglio.runtime.files import check_writable

    if (term is None) != (action is None):
        raise UsageError(
            "term-without-action",
            "Give both the term and the action: vaglio edit MODEL TERM flatten|monotone|remove|set.",
        )
    if (term is None and threshold is None) != (out is None):
        if out is None:
            raise UsageError("edit-without-out", "Add --out FILE: the file for the edited model.")
        raise UsageError("out-without-edit", "--out needs a change: give the term and the action.")
    if out is not None:
        check_writable(out)
    fitted = load(model)
    if out is None:
        return _terms(model, fitted)
    edited = decided(fitted, None, None, threshold)
    if term is not None and action is not None:
        edited = edited.edit(
            term,
            action.value,
            where=_where(fitted, term, where),
            value=value,
            direction=None if direction is None else 1 if direction is Direction.rising else -1,
            label=_label(fitted, label),
            reason=reason,
        )
    edited.save(out)
    following = (with_model("evaluate", out, "-"), shell("vaglio", "inspect", out))
    notes = [text("The edited model is in {out}; {model} is unchanged.", out=out, model=model), next_line(*following)]
    data: dict[str, Any] = {"out": str(out)} | ({"edit": edited.edits[-1]} if term is not None else {})
    said: list[str] = [edited.edits_in_words()[-1]] if term is not None else []
    if edited.threshold is not None:
        data["threshold"] = dict(zip(("class", "probability"), edited.threshold))
        said += [told] if (told := in_words(edited)) else []
    return Answer(data, said, notes)


def _terms(path: Path, fitted: Fitted) -> Answer:
    """What can be edited, the term that moves the score most first, and what was edited already."""
    from rich.table import Table as Grid

    from vaglio.learners.additive.model.additive import Additive
    from vaglio.learners.additive.model.forms import sum_in_words

    found = fitted.terms()
    assert isinstance(fitted.model, Additive)
    grid = Grid(box=None, pad_edge=False)
    grid.add_column(text("term"), overflow="fold")
    of_numbers = fitted.classes is None
    moved = text("mean change of the prediction") if of_numbers else text("mean change of the score")
    grid.add_column(moved, justify="right")
    for entry in found:
        grid.add_row(entry["term"], Number(f"{entry['importance']:.4f}"))
    shown: list[Any] = [
        text("Contribution of each term to {sum_in_words}", sum_in_words=sum_in_words(fitted.model, fitted.classes)),
        "",
        grid,
    ]
    if fitted.edits:
        shown += ["", text("Edited by hand"), *(join("", ["  ", line]) for line in fitted.edits_in_words())]
    name = found[0]["term"] if found else "TERM"
    following = shell("vaglio", "edit", path, name, "flatten", "--out", path.with_stem(f"{path.stem}-edited").name)
    return Answer({"terms": found, "edits": fitted.edits}, shown, [next_line(following)])


def _where(fitted: Fitted, term: str, given: str | None) -> Any:
    """``20..40`` as a range, if the term is a column of numbers or dates; anything else as it is."""
    column = next((feature for feature in fitted.codebook.features if feature.name == term), None)
    if given is None or given == "missing" or column is None or column.categories:
        return given
    low, dots, high = given.partition("..")
    if not dots:
        raise UsageError(
            "where-not-range",
            ("--where {given}: {term!r} is numeric. Give a range such as 20..40, 20.. or ..40, or missing."),
            given=given,
            term=term,
        )
    return tuple(None if not end else _number(column, end) for end in (low, high))


def _number(column: Feature, given: str) -> float:
    """A number, or the days since 1970 of a date."""
    from datetime import datetime

    try:
        if column.is_date:
            return (datetime.fromisoformat(given) - datetime(1970, 1, 1)).total_seconds() / 86_400
        return float(given)
    except (ValueError, TypeError):  # a time of day with a zone cannot be compared with one without
        if column.is_date:
            raise UsageError(
                "where-not-date", "--where: {given!r} is not a date. Write it as 2026-01-31.", given=given
            ) from None
        raise UsageError("where-not-number", "--where: {given!r} is not a number.", given=given) from None


def _label(fitted: Fitted, word: str | None) -> Any:
    """The class that is written like this."""
    from vaglio.evaluation.labels import find_label

    if word is None:
        return None
    if fitted.classes is None:
        raise UsageError(
            "label-needs-classes", "--label applies to models that predict classes. This model predicts numbers."
        )
    return find_label(word, fitted.classes.tolist())
