"""``vaglio mark FILE … [--out marks.csv]``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vaglio.cli._options import output_option
from vaglio.cli._output import Answer
from vaglio.messages.message import text

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE…", help="Files with answers: forms of vaglio exercise, filled in.")
]
Out = Annotated[
    str | None, output_option("--out", "-o", metavar="FILE", help="Write the marks as a .csv, .parquet or .jsonl file.")
]

_MOST_MISTAKES = 10


def run(files: Files, *, lang: str = "en", out: Out = None) -> Answer:
    """Mark answers to exercises, and show the commonest mistakes.

    Numbers may be decimals with point or comma, fractions or percentages, rounded to the decimals that are asked for.
    """
    from vaglio.exercises import mark
    from vaglio.table import write

    marks = mark(files, lang=lang)
    rows, mistakes = marks.to_rows(), marks.mistakes()
    notes: list[str] = []
    if out is not None:
        write({name: [row[name] for row in rows] for name in rows[0]}, out)
        notes.append(text("The marks of {n:,} {n:file are|files are} in {out}.", n=len(rows), out=out))
    shown = [_marks(rows)] if out in (None, "-") else []
    if mistakes:
        shown += ["", text("Commonest mistakes:"), _mistakes(mistakes[:_MOST_MISTAKES])]
    return Answer({"marks": rows, "mistakes": mistakes}, shown, notes)


def _marks(rows: list[dict[str, object]]) -> object:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    for heading in (text("file"), text("exercise"), text("right"), text("wrong questions")):
        grid.add_column(heading)
    for row in rows:
        grid.add_row(
            str(row["file"]),
            f"{row['exercise']} {row['level']} {row['seed']}",
            f"{row['right']}/{row['questions']}",
            str(row["wrong"]),
        )
    return grid


def _mistakes(mistakes: list[dict[str, object]]) -> object:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    for heading in (text("times"), text("exercise"), text("question"), text("mistake")):
        grid.add_column(heading)
    for each in mistakes:
        grid.add_row(*(str(each[name]) for name in ("times", "exercise", "question", "mistake")))
    return grid
