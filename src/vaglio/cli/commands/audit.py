"""``vaglio audit TABLE [--target NAME] [--reference TABLE] [--clean FILE]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._options import (
    ForSpreadsheet,
    Jobs,
    Seed,
    TableFile,
    UsageError,
    out_option,
    output_option,
    pair,
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
    note_copy,
    verbose,
    with_table,
)
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import WorkOptions
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.quality import Audit, Policy
    from vaglio.table import Table

Reference = Annotated[
    str | None,
    table_option(metavar="TABLE", help="A reference table: drift from it is reported."),
]
Allow = Annotated[
    list[str] | None,
    table_option(
        metavar="NAME=LOW..HIGH",
        help="The values allowed in a column: age=0..120 or size=S,M,L; may be repeated.",
    ),
]
Clean = Annotated[
    Path | None,
    output_option(
        metavar="FILE", help="Write a cleaned copy of the table (.csv, .parquet, .jsonl) and list the changes."
    ),
]
Choices = Annotated[
    list[str] | None,
    output_option(
        "--set",
        metavar="NAME=CHOICE",
        help="How --clean treats a kind of finding, e.g. duplicates=drop, outliers=clip; may be repeated.",
    ),
]
Out = Annotated[list[Path] | None, out_option(".json, .csv (the findings) or .html")]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    reference: Reference = None,
    allow: Allow = None,
    clean: Clean = None,
    choices: Choices = None,
    for_spreadsheet: ForSpreadsheet = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    work: WorkOptions,
    out: Out = None,
) -> Answer:
    """Check a table for missing values, errors, duplicates and leakage.

    The table is not changed. With the target (--target), the audit also reports columns that leak it; of classes
    imbalance, contradictions and mislabelled rows, of numbers their distribution and outliers. With -v, it says what to
    do about each finding. A table larger than memory is read in chunks and its columns are checked one by one on disk.
    """
    from vaglio.quality import audit

    outputs = Outputs(out, (".json", ".csv", ".html"))
    policy = _policy(choices, clean)
    with work.working():
        data = work.table(table, reading, any_target=True)
        like = None if reference is None else work.table_like(reference, reading, data.target, table)
        found = audit(
            data, data.target, rules=_allowed(allow), reference=like, seed=seed, n_jobs=jobs, task=reading.task.value
        )
    notes = outputs.write(
        {
            ".json": as_json(found.to_dict),
            ".csv": as_csv(found.to_rows, for_spreadsheet),
            ".html": as_page(text("Audit of {name}", name=Path(table).name), lambda: found.to_html(lang=locale())),
        }
    )
    shown = [found.to_text(advice=verbose(), lang=locale())]
    if clean is not None:
        notes += _cleaned(found, policy, clean, for_spreadsheet)
    return Answer(
        lambda: {**found.to_dict(), **outputs.to_data()}, shown, [*notes, _what_next(table, data, found, clean)]
    )


def _allowed(texts: list[str] | None) -> dict[str, Any]:
    """``age=0..120`` to a range, ``size=S,M,L`` to a set."""
    rules: dict[str, Any] = {}
    for given in texts or []:
        name, values = pair(given, "--allow")
        low, dots, high = values.partition("..")
        try:
            rules[name] = (float(low or "-inf"), float(high or "inf")) if dots else set(values.split(","))
        except ValueError:
            raise UsageError(
                "invalid-range",
                "--allow {text}: a range needs numbers around '..', as in age=0..120.",
                text=given,
            ) from None
    return rules


def _policy(choices: list[str] | None, clean: Path | None) -> Policy | None:
    """How to clean; a wrong choice is wrong use of the command, found before the table is read."""
    from vaglio.errors import InputError
    from vaglio.quality import Policy
    from vaglio.runtime.files import check_writable

    if clean is None:
        if choices:
            raise UsageError("set-without-clean", "--set configures --clean: add --clean FILE.")
        return None
    check_writable(clean)
    pairs = dict(pair(text, "--set") for text in choices or [])
    try:
        return Policy(**pairs)
    except TypeError:
        known = ", ".join(Policy.__dataclass_fields__)
        raise UsageError(
            "unknown-cleaning",
            "--set {next}: unknown. The choices of --clean are {known}.",
            next=next(iter(pairs)),
            known=known,
        ) from None
    except InputError as error:
        raise UsageError(error.message) from None


def _cleaned(found: Audit, policy: Policy | None, path: Path, for_spreadsheet: bool) -> list[str]:
    from vaglio.messages.sentences import listed
    from vaglio.table import write

    table, log = found.clean(policy)
    ignored = [name for name in table.columns if table.column(name).role == "ignored"]
    write(table.select([name for name in table.columns if name not in ignored]), path, for_spreadsheet=for_spreadsheet)
    told = [text("Cleaned: {line}", line=line) for line in log] or [text("Nothing had to be cleaned.")]
    told += [text("Ignored and not in the copy: {columns}.", columns=listed(ignored, quoted=True))] if ignored else []
    return [*told, text("The cleaned table is in {path}.", path=path)]


def _what_next(table: str, data: Table, found: Audit, clean: Path | None) -> str:
    from vaglio.evaluation.training import learnable

    where = str(clean) if clean is not None else table
    if clean is not None:
        note_copy(table, where)
    if found.target is None:
        return next_line(f"{with_table('audit', where, None)} --target COLUMN")
    explore = with_table("explore", where, data.target)
    train = with_table("train", where, data.target)
    return next_line(explore, train) if learnable(data) else next_line(explore)
