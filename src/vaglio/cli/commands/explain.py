"""``vaglio explain MODEL TABLE [--row 3] [--wrong] [--least-confident]``"""

from __future__ import annotations

from itertools import chain
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
from vaglio.cli._output import (
    Answer,
    Outputs,
    as_csv,
    as_json,
    as_page,
    locale,
    next_line,
    read_in_parts,
    shell,
    with_model,
)
from vaglio.cli._reading import FileOptions
from vaglio.cli._rows import Memory, WorkOptions
from vaglio.messages.message import text

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
        help="A row number, starting at 1, or a range such as 3-8; may be repeated.",
    ),
]
Wrong = Annotated[
    bool, table_option("--wrong", help="Only misclassified rows; of a model of numbers, the largest errors first.")
]
Change = Annotated[
    str | None,
    table_option(
        "--change",
        metavar="CHANGE",
        help="For a model of numbers: what the prediction is to change by, such as -10% or +5000; by default 10%, "
        "either way.",
    ),
]
Fixed = Annotated[
    list[str] | None,
    table_option(
        "--fixed",
        metavar="COLUMN",
        help="A column that nobody can change: no advice changes it; may be repeated. Ages, births, sexes, "
        "nationalities, past dates and identifiers are known by their names.",
    ),
]
Changeable = Annotated[
    list[str] | None,
    table_option(
        "--changeable",
        metavar="COLUMN",
        help="A column that advice may change although its name says age, sex or the like; may be repeated.",
    ),
]
LeastConfident = Annotated[bool, table_option("--least-confident", help="The least confident predictions first.")]
Limit = Annotated[int, output_option(min=1, metavar="N", help="Maximum number of rows shown.")]
Out = Annotated[list[Path] | None, out_option(".json, .csv (one line per row), .html or .txt")]


def run(
    model: ModelFile,
    table: TableFile,
    *,
    row: Row = None,
    wrong: Wrong = False,
    least_confident: LeastConfident = False,
    change: Change = None,
    fixed: Fixed = None,
    changeable: Changeable = None,
    target: Target = None,
    file: FileOptions,
    memory: Memory = None,
    decide: Decide = None,
    limit: Limit = 5,
    for_spreadsheet: ForSpreadsheet = False,
    out: Out = None,
) -> Answer:
    """Explain predictions: the reasons for a class, the reasons against it, and what would change it.

    Explains the first rows; the rows given by --row; with --wrong the rows that are misclassified (the table must have
    the class); with --least-confident those with the lowest probability. A model with costs shows the expected cost of
    each class; --decide argmax ignores the costs. Of a number, the explanation tells what each column adds, and what
    would make it lower or higher (--change). A table larger than memory is read in chunks.
    """
    from vaglio.evaluation.explained_rows import explain_tables
    from vaglio.fitted import load

    outputs = Outputs(out, (".json", ".csv", ".html", ".txt"))
    numbers = None if row is None else _numbers(row)
    fitted = decided(load(model), None, decide)
    work = WorkOptions(memory)
    with work.working():
        tables = work.tables_for_model(table, file, fitted)
        first = next(tables)
        known = _target(fitted, first, target, wrong)
        # Rows that are named are all shown; --limit is for those the model chooses.
        most = limit if numbers is None else max(limit, len(numbers))
        explained, chosen = explain_tables(
            fitted,
            chain([first], tables),
            known,
            numbers=numbers,
            wrong=wrong,
            least_confident=least_confident,
            most=most,
            change=change,
            fixed=fixed or (),
            changeable=changeable or (),
        )
    written = "\n\n".join(item.to_text(lang=locale()) for item in explained)
    notes = outputs.write(
        {
            ".json": as_json(lambda: [item.to_dict() for item in explained]),
            ".csv": as_csv(lambda: [item.to_row() for item in explained], for_spreadsheet),
            ".html": as_page(
                text("Explanations by {name}", name=model.name),
                lambda: "".join(item.to_html(lang=locale()) for item in explained),
            ),
            ".txt": lambda: written,
        }
    )
    if len(explained) < chosen:
        more = min(chosen, 4 * limit)
        notes.append(
            text(
                "{n:,} of {total:,} rows are shown. Use --limit {more} for more.",
                n=len(explained),
                total=chosen,
                more=more,
            )
        )
    return Answer(
        lambda: {"explanations": [item.to_dict() for item in explained], **outputs.to_data()},
        [written or text("No such row: every prediction is correct.")],
        [*notes, _what_next(model, table, wrong, explained)],
    )


def _numbers(texts: list[str]) -> list[int]:
    """``3`` and ``3-8`` to row numbers."""
    numbers: list[int] = []
    for given in texts:
        first, dash, last = given.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1:
            raise UsageError(
                "invalid-row-number",
                "--row takes a row number from 1, or a range such as 3-8; got {given!r}.",
                given=given,
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
            "wrong-without-target",
            "--wrong needs the true class of each row. Name its column with --target.",
        )
    return None


def _what_next(model: Path, table: str, wrong: bool, explained: list[ExplainedRow]) -> str:
    if not wrong and any(item.true is not None for item in explained):
        return next_line(with_model("explain", model, table, "--wrong"))
    if not read_in_parts(table):
        return next_line(shell("vaglio", "inspect", model))
    return next_line(with_model("predict", model, table, "--out", "predictions.csv"))
