"""``vaglio explain MODEL TABLE [--row 3] [--wrong] [--unsure]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vaglio.cli._options import (
    Decide,
    ForSpreadsheet,
    ModelFile,
    TableFile,
    Target,
    UsageError,
    decided,
    out_option,
    output_option,
    table_option,
)
from vaglio.cli._output import Answer, Outputs, as_csv, as_json, as_page, next_line, read_in_parts, shell, with_model
from vaglio.cli._reading import FileOptions

if TYPE_CHECKING:
    from vaglio.evaluation.explained_rows import ExplainedRow
    from vaglio.fitted import Fitted
    from vaglio.table import Table

Row = Annotated[
    list[str] | None,
    table_option(
        "--row",
        "-r",
        metavar="N",
        help="A row by its number, the first is 1; or a range as 3-8; may be repeated.",
    ),
]
Wrong = Annotated[bool, table_option("--wrong", help="Only rows with a wrong prediction.")]
Unsure = Annotated[bool, table_option("--unsure", help="The least probable predictions first.")]
Limit = Annotated[int, output_option(min=1, metavar="N", help="The largest number of rows shown.")]
Out = Annotated[list[Path] | None, out_option(".json, .csv (one line per row), .html or .txt")]


def run(
    model: ModelFile,
    table: TableFile,
    *,
    row: Row = None,
    wrong: Wrong = False,
    unsure: Unsure = False,
    target: Target = None,
    file: FileOptions,
    decide: Decide = None,
    limit: Limit = 5,
    for_spreadsheet: ForSpreadsheet = False,
    out: Out = None,
) -> Answer:
    """Say why rows of a table get their class: the reasons for it, the reasons against it, and what would change it.

    Without --row, the first rows are explained; with --wrong those that the model gets wrong (the table must have the
    class), with --unsure those with the least probable predictions. A model with costs says what each class is expected
    to cost; --decide argmax leaves the costs aside.
    """
    from vaglio.evaluation.explained_rows import choose_rows, explain_table, true_classes
    from vaglio.fitted import load

    outputs = Outputs(out, (".json", ".csv", ".html", ".txt"))
    numbers = None if row is None else _numbers(row)
    fitted = decided(load(model), None, decide)
    data = file.read_for_model(table, fitted)
    true = true_classes(fitted, data, _target(fitted, data, target, wrong))
    chosen = choose_rows(fitted, data, true, numbers=numbers, wrong=wrong, unsure=unsure)
    # Rows that are named are all shown; --limit is for those the model chooses.
    explained = explain_table(fitted, data, chosen[: limit if numbers is None else max(limit, len(numbers))], true)
    text = "\n\n".join(item.to_text() for item in explained)
    notes = outputs.write(
        {
            ".json": as_json(lambda: [item.to_dict() for item in explained]),
            ".csv": as_csv(lambda: [item.to_row() for item in explained], for_spreadsheet),
            ".html": as_page(f"Explanations by {model.name}", lambda: "".join(item.to_html() for item in explained)),
            ".txt": lambda: text,
        }
    )
    if len(explained) < len(chosen):
        more = min(len(chosen), 4 * limit)
        notes.append(f"{len(explained)} of {len(chosen):,} rows are shown; --limit {more} shows more.")
    return Answer(
        lambda: {"explanations": [item.to_dict() for item in explained], **outputs.to_data()},
        [text or "There is no such row: every prediction is right."],
        [*notes, _what_next(model, table, wrong, explained)],
    )


def _numbers(texts: list[str]) -> list[int]:
    """``3`` and ``3-8`` to row numbers."""
    numbers: list[int] = []
    for text in texts:
        first, dash, last = text.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1:
            raise UsageError(
                "row-takes-number-range", "--row takes a number from 1 on, or a range as 3-8, not {text!r}.", text=text
            )
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _target(fitted: Fitted, data: Table, given: str | None, needed: bool) -> str | None:
    """The column with the class: needed for --wrong, shown beside the prediction otherwise."""
    if given is not None:
        is_position = given not in data and given.lstrip("-").isdigit()
        return data.resolve(int(given) if is_position else given)
    if fitted.target is not None and fitted.target in data:
        return fitted.target
    if needed:
        raise UsageError(
            "wrong-compares-true-class",
            "--wrong compares with the true class of each row: name its column by --target.",
        )
    return None


def _what_next(model: Path, table: str, wrong: bool, explained: list[ExplainedRow]) -> str:
    if not wrong and any(item.true is not None for item in explained):
        return next_line(with_model("explain", model, table, "--wrong"))
    if not read_in_parts(table):
        return next_line(shell("vaglio", "inspect", model))
    return next_line(with_model("predict", model, table, "--out", "predictions.csv"))
