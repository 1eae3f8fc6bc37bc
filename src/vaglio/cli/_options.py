"""Options that several commands have, under one name each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _session
from vaglio.cli._session import UsageError
from vaglio.errors import DataWarning
from vaglio.learn.registry import LEARNERS
from vaglio.text.sentences import listed

# One learner of each family, where a command is to try several and is not told which.
FAMILIES = ("c45", "ripper", "naive-bayes", "logistic", "svm", "knn", "random-forest")

# Arguments of vaglio.read that a file may need; the first four can be streamed too.
READING = ("delimiter", "decimal", "encoding", "header", "sheet", "format")

DATA, LEARNING, JUDGING, OUTPUT = "The table", "Learning", "Judging", "Output"


def complete_learner(incomplete: str) -> list[tuple[str, str]]:
    """Ids of learners for the shell, with a line of help each."""
    return [(learner.id, learner.help) for learner in LEARNERS.values() if learner.id.startswith(incomplete)]


def complete_strategy(incomplete: str) -> list[tuple[str, str]]:
    """Names of strategies for the shell, with how far each can be trusted."""
    return [(name, trust) for name, trust in STRATEGIES.items() if name.startswith(incomplete)]


# The names and how reliable each is, as vaglio.evaluation has them; spelt here because importing that is slow.
STRATEGIES = {
    "zero": "not reliable",
    "quick": "better",
    "standard": "may be too high",
    "validation": "good",
    "cross-validation": "best",
}

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, Arrow, JSON lines, ARFF or Excel; - reads standard input.",
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by train, tune or select.")]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The class column, by name or position (-1 is the last).",
        rich_help_panel=DATA,
    ),
]
Learner = Annotated[
    str,
    typer.Option(
        "--learner",
        "-l",
        metavar="ID",
        help=f"Which learner: {', '.join(sorted(LEARNERS))}.",
        autocompletion=complete_learner,
        rich_help_panel=LEARNING,
    ),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="ID",
        help=f"A learner to try; may be repeated, and 'all' is all of them: {', '.join(sorted(LEARNERS))}. "
        f"By default one of each family: {', '.join(FAMILIES)}.",
        autocompletion=complete_learner,
        rich_help_panel=LEARNING,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the learner, e.g. max_depth=5; may be repeated.",
        rich_help_panel=LEARNING,
    ),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column of codes, not numbers; may be repeated.",
        rich_help_panel=DATA,
    ),
]
Identifier = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column that only names the row; may be repeated.",
        rich_help_panel=DATA,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column to learn from although it looks like an identifier; may be repeated.",
        rich_help_panel=DATA,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column to leave out; may be repeated.", rich_help_panel=DATA),
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=LEVEL",
        help="nominal, ordinal, interval, ratio, text, date, or an order as size=small<medium<large; may be repeated.",
        rich_help_panel=DATA,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WORD",
        help="A further word that means a missing value; may be repeated.",
        rich_help_panel=DATA,
    ),
]
ReadHow = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="NAME=VALUE",
        help=f"How the file is read, if it is not found out: {', '.join(READING)}; may be repeated.",
        rich_help_panel=DATA,
    ),
]
TestFile = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="TABLE",
        help="Evaluate on the rows of another table.",
        rich_help_panel=JUDGING,
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        min=2, metavar="N", help="Evaluate by cross-validation with this many folds.", rich_help_panel=JUDGING
    ),
]
Holdout = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Evaluate on this share of the rows, kept out of training, e.g. 0.3.",
        rich_help_panel=JUDGING,
    ),
]
Strategy = Annotated[
    str,
    typer.Option(
        "--strategy",
        "-s",
        metavar="NAME",
        help="How the choice is made and judged, and how far the figure can be trusted: "
        + ", ".join(f"{name} ({trust})" for name, trust in STRATEGIES.items())
        + ".",
        autocompletion=complete_strategy,
        rich_help_panel=JUDGING,
    ),
]
Cost = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What errors cost: a CSV with the classes along its first line (called) and first column (true).",
        rich_help_panel=JUDGING,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="The class that curves and rates of two classes speak of.",
        rich_help_panel=JUDGING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Of everything that is drawn at random.", rich_help_panel=LEARNING),
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", help="Threads; -1 means all CPUs.", rich_help_panel=LEARNING),
]


def out_option(suffixes: str) -> Any:
    """``--out``, for a command that writes files with these suffixes."""
    return typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help=f"Write the result to a file as well: {suffixes}; may be repeated.",
        rich_help_panel=OUTPUT,
    )


@dataclass(frozen=True)
class Reading:
    """How a table is to be read: what the options say about its columns and missing values."""

    nominal: list[str] | None = None
    identifier: list[str] | None = None
    ignore: list[str] | None = None
    levels: list[str] | None = None
    missing: list[str] | None = None
    how: list[str] | None = None
    keep: list[str] | None = None

    def __post_init__(self) -> None:
        self._levels()
        self._format()

    def read(self, source: str, target: str | None, *, target_needed: bool = True) -> Any:
        """Read the table, and pass on what was noticed on the way in."""
        from vaglio import read

        _session.tell(f"reading {source}")
        said = {"levels": self._levels(), "roles": self._roles(), "missing": self.tokens(), **self._format()}
        table = read(source, target, **said)
        for remark in table.remarks:
            warnings.warn(remark, DataWarning, stacklevel=2)
        if target_needed and table.target is None:
            raise UsageError(f"which column is the class? Add --target; {source} has {listed(table.columns)}.")
        if table.target is not None:
            table.xy()  # says so when the class is a measurement, or missing in every row
        _session.tell(f"{source}: {len(table):,} rows, {len(table.columns)} columns")
        return table

    def to_options(self) -> dict[str, list[str]]:
        """The options that say the same."""
        return {name.replace("how", "read"): values for name, values in asdict(self).items() if values}

    def to_keywords(self) -> dict[str, Any]:
        """The keywords of :func:`vaglio.read` that say the same; empty where nothing was said."""
        missing = self.tokens() if self.missing else None
        return {"levels": self._levels(), "roles": self._roles(), "missing": missing, **self._format()}

    def _roles(self) -> dict[str, str]:
        wanted = {"input": self.keep, "identifier": self.identifier, "ignored": self.ignore}
        return {name: role for role, names in wanted.items() for name in names or []}

    def read_for(self, source: str, target: str, inputs: Sequence[str]) -> Any:
        """Read further rows of a known table: its input columns are inputs here too, whatever the values suggest."""
        table = self.read(source, target)
        return table.with_roles({name: "input" for name in inputs if name in table})

    def chunks_for(self, source: str, fitted: Any) -> Iterator[Any]:
        """Read a table chunk by chunk, typed as the columns of the model were."""
        from vaglio.table import read_chunks

        how = self._format()
        for name in ("sheet", "format"):
            if name in how:
                raise UsageError(f"--read {name} does not go with reading in parts: write the table as CSV first.")
        return read_chunks(source, like=list(kinds_of(fitted).items()), missing=self.tokens(), **how)

    def read_as(self, source: str, fitted: Any, target: str | None = None) -> Any:
        """Read a whole table, typed as the columns of the model were; ``target`` may be absent if it is None."""
        from vaglio import read

        table = read(source, target, like=kinds_of(fitted), missing=self.tokens(), **self._format())
        _session.tell(f"{source}: {len(table):,} rows")
        return table

    def _format(self) -> dict[str, Any]:
        how: dict[str, Any] = {}
        for text in self.how or []:
            name, value = pair(text, "--read")
            if name not in READING:
                raise UsageError(f"--read knows {', '.join(READING)}, not {name!r}.")
            how[name] = value.encode().decode("unicode_escape") if name == "delimiter" else value
        if "header" in how and how["header"] not in ("true", "false"):
            raise UsageError(f"--read header is true or false, not {how['header']!r}.")
        if "header" in how:
            how["header"] = how["header"] == "true"
        if str(how.get("sheet", "")).isdigit():
            how["sheet"] = int(how["sheet"])
        return how

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


def kinds_of(fitted: Any) -> dict[str, str]:
    """How each column of a model is read."""
    # Files of the first version name their dates beside the codebook.
    return {**fitted.codebook.kinds, **dict.fromkeys(fitted.provenance.get("dates", ()), "date")}


def target_of(fitted: Any) -> str | None:
    """The column a model gives the class of, if its file says so."""
    target = fitted.provenance.get("target")
    return target if isinstance(target, str) else None


def pair(text: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} takes NAME=VALUE, not {text!r}.")
    return name.strip(), value.strip()
