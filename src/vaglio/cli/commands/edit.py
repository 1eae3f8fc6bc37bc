"""``vaglio edit model.vaglio age monotone --direction rising --reason "…" --out safer.vaglio``"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import ModelFile, UsageError, output_option
from vaglio.cli._output import Answer, next_line, shell, with_model

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
    typer.Argument(metavar="TERM", help="A column, or a pair as 'age & income'; without it, all are listed."),
]
What = Annotated[
    Action | None,
    typer.Argument(
        metavar="ACTION",
        help="flatten: all values get their mean score; monotone: the scores rise or fall; remove: the term is taken "
        "away; set: values get another score.",
    ),
]
Where = Annotated[
    str | None,
    _change("--where", metavar="VALUES", help="What is flattened or set: a category, missing, or numbers as 20..40."),
]
Value = Annotated[float | None, _change("--value", metavar="SCORE", help="The new score of set.")]
Way = Annotated[Direction | None, _change("--direction", help="Of monotone; by default the one that changes less.")]
Label = Annotated[str | None, _change("--label", metavar="CLASS", help="The class whose score is changed; or all.")]
Reason = Annotated[str, _change("--reason", metavar="TEXT", help="Why, for those who read the model later.")]
Out = Annotated[
    Path | None,
    output_option("--out", "-o", metavar="FILE", help="Where the edited model goes; MODEL stays as it is."),
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
    out: Out = None,
) -> Answer:
    """Change one term of an additive model, where an expert knows better than the table; without a term, list them.

    The edited model is another file. It keeps every change with its reason and the scores before and after, which
    inspect and the report show.
    """
    from vaglio.fitted import load
    from vaglio.runtime.files import check_writable

    if (term is None) != (action is None):
        raise UsageError(
            "give-term-what-done",
            "Give the term and what is done to it: vaglio edit MODEL TERM flatten|monotone|remove|set.",
        )
    if (term is None) != (out is None):
        raise UsageError("Say where the edited model goes: --out FILE." if out is None else "--out: nothing is edited.")
    if out is not None:
        check_writable(out)
    fitted = load(model)
    if term is None or action is None or out is None:
        return _terms(model, fitted)
    edited = fitted.edit(
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
    notes = [f"The edited model is in {out}; {model} is as it was.", next_line(*following)]
    return Answer({"out": str(out), "edit": edited.edits[-1]}, [edited.edits_in_words()[-1]], notes)


def _terms(path: Path, fitted: Fitted) -> Answer:
    """What can be edited, the term that moves the score most first, and what was edited already."""
    from rich.table import Table as Grid

    from vaglio.learners.additive.model.additive import Additive
    from vaglio.learners.additive.model.forms import sum_in_words

    found = fitted.terms()
    assert isinstance(fitted.model, Additive)
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("term", overflow="fold")
    grid.add_column("moves it on average by", justify="right")
    for entry in found:
        grid.add_row(entry["term"], f"{entry['importance']:.4f}")
    shown: list[Any] = [f"What each term adds to {sum_in_words(fitted.model, fitted.classes)}", "", grid]
    if fitted.edits:
        shown += ["", "Changed by hand", *(f"  {line}" for line in fitted.edits_in_words())]
    name = found[0]["term"] if found else "TERM"
    following = shell("vaglio", "edit", path, name, "flatten", "--out", path.with_stem(f"{path.stem}-edited").name)
    return Answer({"terms": found, "edits": fitted.edits}, shown, [next_line(following)])


def _where(fitted: Fitted, term: str, text: str | None) -> Any:
    """``20..40`` as a range, if the term is a column of numbers or dates; anything else as it is."""
    column = next((feature for feature in fitted.codebook.features if feature.name == term), None)
    if text is None or text == "missing" or column is None or column.categories:
        return text
    low, dots, high = text.partition("..")
    if not dots:
        raise UsageError(
            "where-has-numbers-give",
            "--where {text}: {term!r} has numbers; give a range as 20..40, 20.. or ..40, or missing.",
            text=text,
            term=term,
        )
    return tuple(None if not end else _number(column, end) for end in (low, high))


def _number(column: Feature, text: str) -> float:
    """A number, or the days since 1970 of a date."""
    from datetime import datetime

    try:
        if column.is_date:
            return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds() / 86_400
        return float(text)
    except (ValueError, TypeError):  # a time of day with a zone cannot be compared with one without
        what = "a date as 2026-01-31" if column.is_date else "a number"
        raise UsageError("where", "--where: {text!r} is not {what}.", text=text, what=what) from None


def _label(fitted: Fitted, word: str | None) -> Any:
    """The class that is written like this."""
    from vaglio.evaluation.labels import find_label

    if word is None:
        return None
    if fitted.classes is None:
        raise UsageError(
            "label-models-predict-classes", "--label is for models that predict classes; this model predicts numbers."
        )
    return find_label(word, fitted.classes.tolist())
