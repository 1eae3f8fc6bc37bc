"""Options that several commands have, under one name each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli._session import UsageError
from vaglio.errors import DataWarning
from vaglio.learn.registry import LEARNERS

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="CSV, TSV, Parquet, Arrow, JSON lines, ARFF or Excel; - reads standard input."
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by train.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="The class column, by name or position (-1 is the last)."),
]
Learner = Annotated[
    str,
    typer.Option(
        "--learner",
        "-l",
        metavar="ID",
        help=f"Which learner: {', '.join(sorted(LEARNERS))}.",
        autocompletion=lambda: [(learner.id, learner.help) for learner in LEARNERS.values()],
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, e.g. max_depth=5; may be repeated."),
]
Nominal = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="A column of codes, not numbers; may be repeated.")
]
Identifier = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="A column that only names the row; may be repeated.")
]
Ignore = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out; may be repeated.")]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=LEVEL",
        help="nominal, ordinal, interval, ratio, text, date, or an order as size=small<medium<large; may be repeated.",
    ),
]
Missing = Annotated[
    list[str] | None, typer.Option(metavar="WORD", help="A further word that means a missing value; may be repeated.")
]
TestFile = Annotated[str | None, typer.Option("--test", metavar="TABLE", help="Evaluate on the rows of another table.")]
Folds = Annotated[int | None, typer.Option(min=2, help="Evaluate by cross-validation with this many folds.")]
Holdout = Annotated[
    float | None, typer.Option(help="Evaluate on this share of the rows, kept out of training, e.g. 0.3.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 means all CPUs.")]


@dataclass(frozen=True)
class Reading:
    """How a table is to be read: what the options say about its columns and missing values."""

    nominal: list[str] | None = None
    identifier: list[str] | None = None
    ignore: list[str] | None = None
    levels: list[str] | None = None
    missing: list[str] | None = None

    def read(self, source: str, target: str | None) -> Any:
        """Read the table, and pass on what was noticed on the way in."""
        from vaglio import read

        roles = {**dict.fromkeys(self.identifier or [], "identifier"), **dict.fromkeys(self.ignore or [], "ignored")}
        table = read(source, column_reference(target), levels=self._levels(), roles=roles, missing=self.tokens())
        for remark in table.remarks:
            warnings.warn(remark, DataWarning, stacklevel=2)
        return table

    def read_for(self, source: str, target: str, inputs: Sequence[str]) -> Any:
        """Read further rows of a known table: its input columns are inputs here too, whatever the values suggest."""
        table = self.read(source, target)
        return table.with_roles({name: "input" for name in inputs if name in table})

    def chunks_for(self, source: str, fitted: Any) -> Iterator[Any]:
        """Read a table chunk by chunk, typed as the columns of the model were."""
        from vaglio.table import read_chunks

        kind_of = {"numeric": "numeric", "ordinal": "nominal", "nominal": "nominal", "text": "text"}
        dates = fitted.provenance.get("dates", ())
        # Without the categories: a value the model does not know stays in the table that is written.
        like = [(f.name, "date" if f.name in dates else kind_of[f.kind]) for f in fitted.codebook.features]
        return read_chunks(source, like=like, missing=self.tokens())

    def tokens(self) -> tuple[str, ...]:
        """The words that mean a missing value."""
        from vaglio.table import MISSING

        return (*MISSING, *(self.missing or []))

    def _levels(self) -> dict[str, Any]:
        wanted: dict[str, Any] = dict.fromkeys(self.nominal or [], "nominal")
        for text in self.levels or []:
            name, level = pair(text, "--levels")
            wanted[name] = [word.strip() for word in level.split("<")] if "<" in level else level
        return wanted


def next_steps(fitted: Any, model: Path) -> str:
    """What one might do with a model."""
    rules = f"vaglio rules {model}, or " if callable(getattr(fitted.model, "rules", None)) else ""
    return f"Next: {rules}vaglio predict {model} TABLE"


def column_reference(text: str | None) -> str | int | None:
    """A name or a position, as ``--target`` takes it."""
    if text is None:
        return None
    return int(text) if text.lstrip("-").isdigit() else text


def pair(text: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} takes NAME=VALUE, not {text!r}.")
    return name.strip(), value.strip()
