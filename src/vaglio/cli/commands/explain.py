"""``vaglio explain MODEL TABLE [--row 3] [--wrong] [--unsure]``"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli import _next
from vaglio.cli import _options as options
from vaglio.cli._outputs import Outputs, as_csv, as_json, as_page
from vaglio.cli._session import Answer, UsageError

if TYPE_CHECKING:
    import numpy as np

Row = Annotated[
    list[str] | None,
    typer.Option(
        "--row",
        "-r",
        metavar="N",
        help="A row by its number, the first is 1; or a range as 3-8; may be repeated.",
        rich_help_panel=options.DATA,
    ),
]
Wrong = Annotated[
    bool,
    typer.Option("--wrong", help="Only rows that get another class than they have.", rich_help_panel=options.DATA),
]
Unsure = Annotated[
    bool,
    typer.Option("--unsure", help="The least probable decisions first.", rich_help_panel=options.DATA),
]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="At most so many rows.", rich_help_panel=options.OUTPUT)]
Out = Annotated[list[Path] | None, options.out_option(".json, .csv (a line a row), .html or .txt")]


def run(
    model: options.ModelFile,
    table: options.TableFile,
    row: Row = None,
    wrong: Wrong = False,
    unsure: Unsure = False,
    target: options.Target = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    limit: Limit = 5,
    out: Out = None,
) -> Answer:
    """Say why rows of a table get their class: what spoke for it, what against it, and what would change it.

    Without --row, the first rows are explained; with --wrong those that the model gets wrong (the table must have the
    class), with --unsure those it is least sure of.
    """
    from vaglio import load

    outputs = Outputs(out, (".json", ".csv", ".html", ".txt"))
    wanted = None if row is None else _numbers(row)
    fitted = load(model)
    data = options.Reading(missing=missing, how=read).read_as(table, fitted)
    chosen = _chosen(fitted, data, wanted, wrong, unsure, _target(fitted, data, target, wrong))
    total = len(chosen)
    chosen = chosen[: limit if wanted is None else max(limit, len(wanted))]
    explained = _explained(fitted, data, chosen, _target(fitted, data, target, wrong))
    notes = outputs.write(
        {
            ".json": as_json(lambda: [item.to_dict() for item in explained]),
            ".csv": as_csv(lambda: [item.to_row() for item in explained]),
            ".html": as_page(f"Explanations by {model.name}", lambda: "".join(item.to_html() for item in explained)),
            ".txt": lambda: "\n\n".join(item.to_text() for item in explained),
        }
    )
    shown = ["\n\n".join(item.to_text() for item in explained)] if explained else ["No such row: every one is right."]
    if len(explained) < total:
        notes.append(f"{len(explained)} of {total:,} rows are shown; --limit {min(total, 4 * limit)} shows more.")
    return Answer(
        {"explanations": [item.to_dict() for item in explained], **outputs.to_data()},
        shown,
        [*notes, _what_next(model, table, wrong, explained)],
    )


@dataclass(frozen=True)
class _Explained:
    """An explanation with the number of its row and the class it has, if that is known."""

    number: int
    true: Any
    explanation: Any

    @property
    def verdict(self) -> str:
        if self.true is None:
            return ""
        return ", right" if str(self.true) == str(self.explanation.decision) else f", wrong: it is {self.true}"

    def to_text(self) -> str:
        return f"Row {self.number}{self.verdict}\n{self.explanation.to_text()}"

    def to_html(self) -> str:
        return f"<h2>Row {self.number}{escape(self.verdict)}</h2>{self.explanation._repr_html_()}"

    def to_dict(self) -> dict[str, Any]:
        from vaglio.text.listing import plain_data

        return plain_data({"row": self.number, "true": self.true, **self.explanation.to_dict()})

    def to_row(self) -> dict[str, Any]:
        found = self.explanation
        return {
            "row": self.number,
            "true": self.true,
            "decision": found.decision,
            "probability": found.probability,
            "runner up": found.runner_up,
            "because": "; ".join(reason.text for reason in found.reasons),
            "against": "; ".join(reason.text for reason in found.against),
            "would change if": None if found.counterfactual is None else str(found.counterfactual),
        }


def _numbers(texts: list[str]) -> list[int]:
    """``3`` and ``3-8`` to row numbers."""
    numbers: list[int] = []
    for text in texts:
        first, dash, last = text.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1:
            raise UsageError(f"--row takes a number from 1 on, or a range as 3-8, not {text!r}.")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _target(fitted: Any, data: Any, given: str | None, needed: bool) -> str | None:
    """The column with the class: needed for --wrong, welcome otherwise."""
    if given is not None:
        digits = given not in data and given.lstrip("-").isdigit()
        return data.resolve(int(given) if digits else given)
    known = options.target_of(fitted)
    if known is not None and known in data:
        return known
    if needed:
        raise UsageError("--wrong compares with the class each row has: name its column by --target.")
    return None


def _chosen(
    fitted: Any, data: Any, wanted: list[int] | None, wrong: bool, unsure: bool, target: str | None
) -> np.ndarray:
    """Positions of the rows to explain, in order."""
    import numpy as np

    from vaglio.errors import InputError
    from vaglio.evaluation.predictions import model_scores

    positions = np.arange(len(data))
    if wanted is not None:
        beyond = [number for number in wanted if number > len(data)]
        if beyond:
            raise InputError(f"there is no row {beyond[0]}: the table has {len(data):,} rows.")
        positions = np.array(wanted) - 1
    if wrong and target is not None:
        true = _true(fitted, data, target)
        said = fitted.predict(data).tolist()
        positions = positions[[true[i] is not None and str(said[i]) != str(true[i]) for i in positions]]
    if unsure:
        scores = model_scores(fitted, data[positions])
        if scores is None or not scores.probability:
            raise InputError(f"the learner {fitted.learner!r} gives no probabilities to be unsure of.")
        positions = positions[np.argsort(scores.values.max(axis=1), kind="stable")]
    return positions


def _true(fitted: Any, data: Any, target: str) -> list[Any]:
    """The class each row has, written as the model writes it; None where it is missing."""
    from vaglio.encode import spelling

    written = {} if fitted.classes is None else {spelling(label): label for label in fitted.classes.tolist()}
    column = data.column(target)
    values = column.values.tolist()
    return [None if absent else written.get(spelling(value), value) for value, absent in zip(values, column.missing)]


def _explained(fitted: Any, data: Any, chosen: np.ndarray, target: str | None) -> list[_Explained]:
    if not len(chosen):
        return []
    true = [None] * len(data) if target is None else _true(fitted, data, target)
    found = fitted.explain(data[chosen])
    return [_Explained(int(i) + 1, true[i], explanation) for i, explanation in zip(chosen, found, strict=True)]


def _what_next(model: Path, table: str, wrong: bool, explained: list[_Explained]) -> str:
    if not wrong and any(item.true is not None for item in explained):
        return _next.next_line(_next.with_model("explain", model, table, "--wrong"))
    return _next.next_line(_next.with_model("predict", model, table, "--out", "predictions.csv"))
