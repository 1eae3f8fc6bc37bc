"""The options that say how a table is read, and the reading itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._bundled import is_bundled, load_bundled, note_file
from vaglio.cli._options import AskedTask, Target, TaskOption, UsageError, option_help, pair, table_option
from vaglio.cli._output import WHOLE_FILES, note_reading, tell
from vaglio.errors import DataWarning, warn
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed

if TYPE_CHECKING:
    from vaglio.fitted import Fitted
    from vaglio.table import CellFormat, Table

# Arguments of vaglio.read that a file may need.
_FILE = ("delimiter", "decimal", "encoding", "header", "footer", "sheet", "format", "kind", "dayfirst", "numeric_share")
_YES_NO = ("header", "footer", "dayfirst")
# Rows of a table, and cells of a result, that are held at a time.
MOST_ROWS, _MOST_CELLS = 65_536, 1 << 24
# What a limit of vaglio.read is called here, before its name.
_LIMIT = "limit_"


def _limits() -> list[str]:
    from vaglio.table import LIMITS

    return [f"{_LIMIT}{limit}" for limit in LIMITS]


def _number(name: str, value: str) -> int:
    if name not in _limits():
        raise UsageError(
            "unknown-read-limit", "--read has no limit {name!r}: {hint}", name=name, hint=did_you_mean(name, _limits())
        )
    if not (value.isdecimal() and 0 < len(value) < 19 and int(value)):
        raise UsageError(
            "limit-not-integer",
            "--read {name} must be a positive integer; got {value!r}.",
            name=name,
            value=value,
        )
    return int(value)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = float("nan")
    if not 0 < share <= 1:
        raise UsageError(
            "read-numeric-share-out-of-range",
            "--read numeric_share must be above 0 and at most 1, such as 0.9; got {text!r}.",
            text=text,
        )
    return share


@dataclass(frozen=True)
class FileOptions:
    """How the file itself is read; what its columns mean is known from a model, or is in ``ReadingOptions``."""

    missing: Annotated[
        list[str] | None,
        table_option(metavar="WORD", help="A further text that stands for a missing value; may be repeated."),
    ] = None
    how: Annotated[
        list[str] | None,
        table_option(
            "--read",
            metavar="NAME=VALUE",
            help=option_help(
                "How to read the file, where vaglio cannot tell: {names}; or a limit on its size, such as limit_cells "
                "(docs/data.md); may be repeated.",
                names=", ".join(_FILE),
            ),
        ),
    ] = None
    sample: Annotated[
        int | None,
        table_option(
            min=1, metavar="N", help="Read a random sample of N rows, in chunks: for tables larger than memory."
        ),
    ] = None

    rename: Annotated[
        list[str] | None,
        table_option(
            metavar="OLD=NEW",
            help="A column of the table that has another name in the model, or is to have one; may be repeated.",
        ),
    ] = None

    def __post_init__(self) -> None:
        self.format()

    def format(self) -> dict[str, Any]:
        """The keywords of :func:`vaglio.read` that ``--read`` gives."""
        how: dict[str, Any] = {}
        if self.rename:
            how["rename"] = dict(pair(given, "--rename") for given in self.rename)
        for given in self.how or []:
            name, value = pair(given, "--read")
            if name.startswith(_LIMIT):
                how.setdefault("limits", {})[name.removeprefix(_LIMIT)] = _number(name, value)
                continue
            if name not in _FILE:
                raise UsageError(
                    "unknown-reading-option",
                    "--read has no option {name!r}: {hint}",
                    name=name,
                    hint=did_you_mean(name, [*_FILE, *_limits()]),
                )
            # A shell makes it hard to type a tab: \t is read as one.
            how[name] = value.encode().decode("unicode_escape") if name == "delimiter" else value
        for name in _YES_NO:
            if name in how and how[name] not in ("true", "false"):
                raise UsageError(
                    "not-boolean", "--read {name} must be true or false; got {how!r}.", name=name, how=how[name]
                )
            if name in how:
                how[name] = how[name] == "true"
        if "numeric_share" in how:
            how["numeric_share"] = _share(how["numeric_share"])
        if how.get("kind", "table") not in ("table", "transactions"):
            raise UsageError("unknown-kind", "--read kind must be table or transactions; got {how!r}.", how=how["kind"])
        if str(how.get("sheet", "")).isdigit():
            how["sheet"] = int(how["sheet"])
        return how

    def missing_words(self) -> tuple[str, ...]:
        """The words that mean a missing value."""
        from vaglio.table import MISSING

        return (*MISSING, *(self.missing or []))

    def source(self, source: str) -> tuple[Any, dict[str, Any]]:
        """Return what is read and how: the file, or the sample of it that ``--sample`` asks for."""
        how = self.format()
        if self.sample is None:
            return source, how
        from vaglio.table import scan

        for name in (*WHOLE_FILES, "kind", "limits"):
            if name in how:
                raise UsageError(
                    "reading-option-with-sample",
                    "--read {name} cannot be combined with --sample. Convert the table to CSV or Parquet first.",
                    name=name,
                )
        share = {name: how.pop(name) for name in ("numeric_share",) if name in how}
        drawn = scan(source, **how).sample(self.sample)
        tell(text("{source}: sample of {n_drawn:,} {n_drawn:row|rows}", source=source, n_drawn=len(drawn)))
        return drawn, share

    def read_chunks(self, source: str, fitted: Fitted) -> Iterator[Table]:
        """Read a table chunk by chunk, its columns typed as the model knows them."""
        from vaglio.table import read_chunks

        note_reading(source, {}, self.to_options(sample=False))
        if self.sample is not None:
            return iter([self.read_for_model(source, fitted)])
        how = self.format()
        # Baskets are few numbers, and a bundled table is small: neither is read in parts.
        if how.pop("kind", "table") == "transactions" or is_bundled(source):
            return iter([self.read_for_model(source, fitted)])
        for name in WHOLE_FILES:
            if name in how:
                raise UsageError(
                    "reading-option-in-chunks",
                    (
                        "--read {name} cannot be used when the file is read in chunks. Convert the table to "
                        "CSV or Parquet first."
                    ),
                    name=name,
                )
        # Every class is a column of the result: with very many classes, fewer rows at a time.
        rows = MOST_ROWS if fitted.classes is None else max(1, min(MOST_ROWS, _MOST_CELLS // len(fitted.classes)))
        how.setdefault("footer", False)  # as many rows are written as were given
        return read_chunks(source, rows, like=fitted.cell_formats, missing=self.missing_words(), as_written=True, **how)

    def read_for_model(self, source: str, fitted: Fitted, target: str | None = None) -> Table:
        """Read a whole table, its columns typed as the model knows them; without a target it may lack the class."""
        from vaglio.table import read

        note_reading(source, {}, self.to_options(sample=False))
        if is_bundled(source):
            self.refuse_for_bundled(source)
            return load_bundled(source, target, {}, {})
        note_file(source)
        given, how = self.source(source)
        formats = fitted.cell_formats
        if target is not None and target == fitted.target:
            formats[target] = fitted.target_format
        table = read(given, target, like=formats, missing=self.missing_words(), **how)
        for remark in table.remarks:
            warn(DataWarning(remark))
        tell(text("{source}: {n_table:,} {n_table:row|rows}", source=source, n_table=len(table)))
        return table

    def to_options(self, sample: bool = True) -> dict[str, list[str]]:
        """The options that say the same; the sample is one of this command, and not of those that follow."""
        said = {"missing": self.missing, "read": self.how, "rename": self.rename}
        if sample and self.sample is not None:
            said["sample"] = [str(self.sample)]
        return {name: values for name, values in said.items() if values}

    def refuse_for_bundled(self, name: str) -> None:
        """Refuse options that say how a file is read: a bundled table is no file."""
        if self.missing or self.how or self.rename:
            raise UsageError(
                "bundled-not-file",
                "{name} is a bundled table, not a file: --missing, --read and --rename do not apply.",
                name=name,
            )


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is read: what is predicted, what its columns mean, and the file itself."""

    target: Target = None
    task: TaskOption = AskedTask.auto
    nominal: Annotated[
        list[str] | None,
        table_option(
            metavar="COLUMN",
            help="A column to treat as nominal although its values look like numbers; may be repeated.",
        ),
    ] = None
    identifier: Annotated[
        list[str] | None,
        table_option(metavar="COLUMN", help="An identifier column, left out of training; may be repeated."),
    ] = None
    keep: Annotated[
        list[str] | None,
        table_option(
            metavar="COLUMN",
            help="A column to keep although it looks like an identifier; may be repeated.",
        ),
    ] = None
    ignore: Annotated[list[str] | None, table_option(metavar="COLUMN", help="A column to ignore; may be repeated.")] = (
        None
    )
    group: Annotated[
        str | None,
        table_option(
            metavar="COLUMN",
            help="A column such as the customer: rows with the same value stay in one fold and are no input.",
        ),
    ] = None
    levels: Annotated[
        list[str] | None,
        table_option(
            metavar="NAME=LEVEL",
            help=(
                "The measurement level of a column: nominal, asymmetric, ordinal, interval, ratio, text "
                "or date; or an order such as size=small<medium<large; may be repeated."
            ),
        ),
    ] = None
    file: FileOptions = field(default_factory=FileOptions)

    def __post_init__(self) -> None:
        self._levels()
        if self.group is not None and self.group == self.target:
            raise UsageError(
                "group-is-target",
                "{column!r} is the target, so it cannot be the group too. Give --group another column.",
                column=self.group,
            )

    def read(self, source: str, *, target_needed: bool = True, any_target: bool = False) -> Table:
        """Read the table, and pass on what was noticed while reading; `any_target` may be no class."""
        return self._read(source, self.target, target_needed, any_target)

    def read_rows(self, source: str, target: str | None = None) -> Table:
        """Read further rows, which may lack the class; ``target`` names its column if they have it."""
        return self._read(source, target, target_needed=False)

    def read_test(self, source: str, table: Table) -> Table:
        """Read test rows for a table: their cells are read as its cells were."""
        found = self._read(source, table.target, target_needed=True, like=table.cell_formats)
        inputs = [name for name in table.columns if table.column(name).role == "input" and name in found]
        return found.with_roles(dict.fromkeys(inputs, "input"))

    def _read(
        self,
        source: str,
        target: str | None,
        target_needed: bool,
        any_target: bool = False,
        like: dict[str, CellFormat] | None = None,
    ) -> Table:
        from vaglio.table import decide_task, read

        tell(text("Reading {source}", source=source))
        self.note(source)
        levels, roles = self._levels(), self._roles()
        if is_bundled(source):
            self.file.refuse_for_bundled(source)
            table = load_bundled(source, target, levels, roles)
        else:
            note_file(source)
            if self.file.sample is None:
                refuse_beyond(source)
            missing = self.file.missing_words()
            given, how = self.file.source(source)
            table = read(given, target, levels=levels, roles=roles, like=like, missing=missing, **how)
        for remark in table.remarks:
            warn(DataWarning(remark))
        if target_needed and table.target is None:
            raise UsageError(
                "target-option-missing",
                "Which column is to be predicted? Add --target COLUMN. The columns of {source} are {columns}.",
                source=source,
                columns=listed(table.columns),
            )
        if table.target is not None and not any_target:
            # Fails with a clear message if the target cannot be what is asked, or is missing in every row.
            table.xy(task=decide_task(table.column(table.target), self.task.value).task)
        tell(
            text(
                "{source}: {n_table:,} {n_table:row|rows}, {n_columns:,} {n_columns:column|columns}",
                source=source,
                n_table=len(table),
                n_columns=len(table.columns),
            )
        )
        return table

    def note(self, source: str) -> None:
        """Keep what was said about a table for the commands that follow."""
        note_reading(source, self._about_columns(), self.file.to_options(sample=False))

    def to_options(self) -> dict[str, list[str]]:
        """The options that say the same about the columns and the file, without the target."""
        return {**self._about_columns(), **self.file.to_options()}

    def _about_columns(self) -> dict[str, list[str]]:
        lists = [each.name for each in fields(self) if each.name not in ("target", "task", "group", "file")]
        own: dict[str, list[str] | None] = {name: getattr(self, name) for name in lists}
        own["group"] = None if self.group is None else [self.group]
        own["task"] = None if self.task is AskedTask.auto else [self.task.value]
        return {name: values for name, values in own.items() if values}

    def to_keywords(self) -> dict[str, Any]:
        """The keywords of :func:`vaglio.read` that say the same; empty where nothing was said."""
        missing = self.file.missing_words() if self.file.missing else None
        return {"levels": self._levels(), "roles": self._roles(), "missing": missing, **self.file.format()}

    def _roles(self) -> dict[str, str]:
        group = None if self.group is None else [self.group]
        wanted = {"input": self.keep, "identifier": self.identifier, "ignored": self.ignore, "group": group}
        return {name: role for role, names in wanted.items() for name in names or []}

    def _levels(self) -> dict[str, Any]:
        from vaglio.table import ordered_level

        wanted: dict[str, Any] = dict.fromkeys(self.nominal or [], "nominal")
        for given in self.levels or []:
            name, level = pair(given, "--levels")
            wanted[name] = ordered_level(level)
        return wanted


def memory_beyond(source: str) -> int:
    """Return the bytes that a table takes in memory, about, if there are not as many; else 0."""
    from vaglio.runtime.memory import usable_memory

    needed = _needed(source)
    return needed if needed > usable_memory() else 0


def refuse_beyond(source: str) -> None:
    """Refuse a table that does not fit in memory, for a command that needs it there."""
    from vaglio.errors import InputError

    needed = memory_beyond(source)
    if needed:
        raise InputError(
            "table-beyond-memory",
            (
                "{source} needs about {needed} GB of memory, more than is available. Read a sample with "
                "--sample 100000, or use a command that reads it in chunks: audit, explore, train, evaluate, "
                "compare, select or predict."
            ),
            source=source,
            needed=needed >> 30,
        )


def _needed(source: str) -> int:
    """Return the bytes that a table takes in memory, about; 0 for what is no file."""
    from vaglio.table.scanned import bytes_in_memory

    return 0 if source == "-" or is_bundled(source) else bytes_in_memory(source)
