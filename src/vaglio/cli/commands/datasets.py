"""``vaglio datasets [NAME --out FILE]``"""

from __future__ import annotations

from typing import Annotated

import typer

from vaglio.cli._options import RowsFile
from vaglio.cli._output import Answer, next_line, with_table
from vaglio.messages.message import text


def _complete_name(incomplete: str) -> list[tuple[str, str]]:
    """Names of the tables for the shell."""
    from vaglio import datasets

    entries = [datasets.describe(name) for name in datasets.names() if name.startswith(incomplete)]
    return [(entry.name, entry.description) for entry in entries]


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="The table to write; without it, all are listed.", autocompletion=_complete_name
    ),
]


def run(name: Name = None, out: RowsFile = "-") -> Answer:
    """List the bundled tables, or write one as CSV, Parquet or JSON Lines."""
    from vaglio import datasets
    from vaglio.table import write

    if name is None:
        return _listing()
    table = datasets.load(name)
    write(table, out)
    if out == "-":
        return Answer()
    following = next_line(with_table("audit", out, table.target), with_table("train", out, table.target))
    return Answer(
        {"name": name, "rows": len(table), "out": out},
        [],
        [text("{n:,} {n:row is|rows are} in {out}.", n=len(table), out=out), following],
    )


def _listing() -> Answer:
    from dataclasses import asdict

    from rich.table import Table as Grid

    from vaglio import datasets

    entries = [datasets.describe(name) for name in datasets.names()]
    grid = Grid(box=None, pad_edge=False)
    for heading in (text("name"), text("target"), text("description")):
        grid.add_column(heading)
    for entry in entries:
        grid.add_row(entry.name, entry.target, entry.description)
    return Answer(
        [asdict(entry) for entry in entries], [grid], [next_line("vaglio datasets penguins --out penguins.csv")]
    )
