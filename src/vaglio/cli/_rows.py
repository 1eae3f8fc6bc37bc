"""The rows that a command works on: in memory, or out of core where an option or the size of the table asks for it.

Only this module decides where the rows of a command are; the commands know :class:`OpenRows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._command_lines import Recipe
from vaglio.cli._options import UsageError, has_files
from vaglio.cli._output import WHOLE_FILES, remark
from vaglio.cli._reading import FileOptions, ReadingOptions, memory_beyond
from vaglio.messages.message import Option, text
from vaglio.messages.sentences import listed

if TYPE_CHECKING:
    from vaglio.evaluation.alarms import Alarm
    from vaglio.evaluation.rows import Rows
    from vaglio.fitted import Fitted
    from vaglio.model.families import Task
    from vaglio.table import CellFormat, ScannedTable, Table

work_option = partial(typer.Option, rich_help_panel="Data larger than memory")

Memory = Annotated[
    str | None,
    work_option(metavar="SIZE", help="Read the table in chunks and use at most this much memory, e.g. 2GB."),
]


@dataclass(frozen=True)
class WorkOptions:
    """Where rows out of core are worked on."""

    memory: Memory = None
    workers: Annotated[
        int | None,
        work_option(min=1, metavar="N", help="Start a Dask cluster of N processes for this command."),
    ] = None
    scheduler: Annotated[
        str | None, work_option(metavar="ADDRESS", help="Use a running Dask cluster, e.g. tcp://host:8786.")
    ] = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.scheduler is not None:
            raise UsageError(
                "workers-and-scheduler",
                "Use either --workers, which starts a cluster, or --scheduler, which names a running one.",
            )
        if self.memory is not None:
            from vaglio.engines.work_settings import parse_size
            from vaglio.errors import InputError

            try:
                parse_size(self.memory)
            except InputError as error:
                raise UsageError("invalid-memory", "--memory: {error}", error=error) from None

    @property
    def asked(self) -> bool:
        """Whether an option asks for rows to be read in parts."""
        return any(getattr(self, each.name) not in (None, False) for each in fields(self))

    def said(self, source: str, file: FileOptions, quiet: bool = False) -> bool:
        """Whether it was said that rows stay on disk: by an option, or by several files; never a sample of them."""
        if file.sample is not None:
            if self.asked:
                raise UsageError(
                    "sample-and-memory",
                    (
                        "--sample reads rows into memory and cannot be combined with the options for data "
                        "larger than memory."
                    ),
                )
            return False
        if self.asked:
            return True
        if not has_files(source):
            return False
        if not quiet:
            remark(
                text(
                    "{source} names several files, which are read in chunks (--memory limits the memory used).",
                    source=source,
                )
            )
        return True

    def _out_of_core(self, source: str, file: FileOptions, quiet: bool = False) -> bool:
        """Whether rows stay on disk: it was said, or the table does not fit in memory."""
        if self.said(source, file, quiet):
            return True
        needed = 0 if file.sample is not None else memory_beyond(source)
        if needed and not quiet:
            remark(
                text(
                    (
                        "{source} needs about {needed} GB of memory and is read in chunks (--memory limits "
                        "the memory used)."
                    ),
                    source=source,
                    needed=needed >> 30,
                )
            )
        return needed > 0

    def rows(
        self, source: str, reading: ReadingOptions, folds: int | None = None, learners: Sequence[str] = ()
    ) -> OpenRows:
        """Open the rows of a table to learn from; in memory they are checked to be enough for so many folds.

        What is predicted is told by the options, or by the target; where it leaves that open, by the learners.
        """
        opened = self._opened(source, reading, folds, learners)
        for said in opened.without_target():
            remark(text("Note: {told}", told=said))
        if opened.rows.told is not None:
            remark(text("Note: {told}", told=opened.rows.told))
        return opened

    def _opened(self, source: str, reading: ReadingOptions, folds: int | None, learners: Sequence[str]) -> OpenRows:
        from vaglio.evaluation.selection.candidates import task_asked

        asked, able = task_asked(reading.task.value, list(learners) or None)
        if self._out_of_core(source, reading.file):
            return _scanned_rows(source, reading, self, asked, able)
        from vaglio.evaluation.rows import Rows
        from vaglio.evaluation.training import learning_rows

        data = reading.read(source)
        rows = Rows.of(data, task=asked, able=able)
        learning_rows(data, folds, rows.task)
        assert data.target is not None
        return OpenRows(rows, data, data.target, source, reading)

    def rows_for_model(self, source: str, reading: ReadingOptions, fitted: Fitted, target: str) -> Rows:
        """Open rows that a model is evaluated on: their columns are typed as the model knows them."""
        from vaglio.evaluation.labels import labels_like
        from vaglio.evaluation.rows import Rows
        from vaglio.table import matching_columns

        task = fitted.task
        if self._out_of_core(source, reading.file):
            data = table_for_model(source, reading.file, fitted)
            wanted = {*fitted.codebook.names, target}
            found = matching_columns(wanted, data.columns)
            # What is absent is told when rows are predicted, with what the table has instead.
            data = data.select(list(found.values())) if len(found) == len(wanted) else data
            return Rows.of(data, found.get(target, target), task=task)
        X, y = reading.file.read_for_model(source, fitted, target).xy(task=task)
        return Rows.of(X, y if fitted.classes is None else labels_like(y, fitted.classes.tolist()), task=task)

    def tables_for_model(self, source: str, file: FileOptions, fitted: Fitted) -> Iterator[Table]:
        """Open rows that a model looks at one after the other: all at once, or chunk by chunk."""
        if self._out_of_core(source, file):
            return table_for_model(source, file, fitted).chunks()
        return iter([file.read_for_model(source, fitted)])

    def table(self, source: str, reading: ReadingOptions, any_target: bool = False) -> Table:
        """Open a table that is looked at column by column; out of core its columns are files."""
        if self._out_of_core(source, reading.file):
            return _table_on_disk(source, reading)
        return reading.read(source, target_needed=False, any_target=any_target)

    def table_like(self, source: str, reading: ReadingOptions, target: str | None, table: str) -> Table:
        """Open a further table where the rows of ``table`` are."""
        if self._out_of_core(table, reading.file, quiet=True):
            return _table_on_disk(source, replace(reading, target=None))
        return reading.read_rows(source, target)

    def to_options(self) -> dict[str, Any]:
        """The options that say the same, for the command that is kept in the model: not where a cluster runs."""
        return {"memory": self.memory}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Apply the options to the work inside; a cluster is started and stopped."""
        from vaglio.engines.work_settings import streaming

        with (
            _client(self.workers, self.scheduler) as client,
            streaming(self.memory, progress=None, client=client, **self._kept()),
        ):
            yield

    def _kept(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class LongWorkOptions(WorkOptions):
    """The same for work that is long: what was finished is kept."""

    checkpoint: Annotated[
        Path | None,
        work_option(metavar="FOLDER", help="Save finished passes and trials here, so that the work can be resumed."),
    ] = None
    resume: Annotated[bool, work_option("--resume", help="Resume from the checkpoint.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resume and self.checkpoint is None:
            raise UsageError(
                "resume-without-checkpoint",
                "{resume} needs the folder of the checkpoint. Set {checkpoint}.",
                resume=Option("resume"),
                checkpoint=Option("checkpoint"),
            )

    def _kept(self) -> dict[str, Any]:
        return {"checkpoint": self.checkpoint, "resume": self.resume}


@contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    if workers is None and scheduler is None:
        yield None
        return
    from vaglio.runtime.cluster import cluster_module, local_client, remote_client

    cluster_module("--workers and --scheduler")
    with local_client(workers or 1) if scheduler is None else remote_client(scheduler) as client:
        yield client


@dataclass(frozen=True)
class OpenRows:
    """The rows of a table, and how it is opened again.

    Attributes
    ----------
    rows : Rows
    table : Table or ScannedTable
        The table that the rows are of.
    target : str
    source : str
    reading : ReadingOptions
    work : WorkOptions or None
        None for rows in memory.
    left_out : tuple of str
        Columns of a scanned table that are not learned from; ``vaglio.read`` finds them by itself.
    """

    rows: Rows
    table: Table | ScannedTable
    target: str
    source: str
    reading: ReadingOptions
    work: WorkOptions | None = None
    left_out: tuple[str, ...] = ()

    def test(self, source: str | None) -> Any:
        """Open test rows, if any: the input columns are those of these rows, whatever the values are."""
        if source is None:
            return None
        from vaglio.table import Table

        if isinstance(self.table, Table):
            return self.reading.read_test(source, self.table)
        return _scanned(source, self.reading.file, self.reading._levels(), self.table.cell_formats)

    def recipe(self, command: str, options: Mapping[str, Any]) -> Recipe:
        """Return the recipe of a model that a command makes of the rows."""
        if self.work is None:
            return Recipe(command, self.source, self.target, self.reading, options, task=self.task)
        said = {**options, **self.work.to_options()}
        return Recipe(command, self.source, self.target, self.reading, said, self.left_out, self.task)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        return self.rows.task

    def without_target(self) -> Sequence[str]:
        """Say how many rows have no target, and so are not learned from; of rows on disk nobody has counted them."""
        from vaglio.table import Table

        if not isinstance(self.table, Table):
            return ()
        return self.table.labelled(self.target).remarks[len(self.table.remarks) :]


def _scanned_rows(
    source: str, reading: ReadingOptions, work: WorkOptions, asked: str = "auto", able: Task | None = None
) -> OpenRows:
    """Open the rows of a table that stays on disk.

    Which columns are identifiers is judged by the first rows, as in a table that is read whole.
    """
    from vaglio.evaluation.rows import Rows
    from vaglio.table import read

    if reading.target is None:
        raise UsageError("no-target-named", "Which column is to be predicted? Add --target COLUMN.")
    reading.note(source)
    levels = reading._levels()
    data = _scanned(source, reading.file, levels)
    head, missing = data.head(), reading.file.missing_words()
    first = read(head, reading.target, levels=levels, roles=reading._roles(), missing=missing)
    left_out = [name for name in first.columns if first.column(name).role not in ("input", "target", "group")]
    if left_out:
        remark(
            text(
                (
                    "Left out of training, judging by the first {n_head:,} {n_head:row|rows}: {left_out}. "
                    "Use --keep COLUMN to keep one."
                ),
                n_head=len(head),
                left_out=listed(left_out, quoted=True),
            )
        )
    assert first.target is not None
    dropped = tuple(name for name in left_out if name in data.kinds)
    left = data.drop(dropped) if reading.group is None else data.drop(dropped).grouped(reading.group)
    rows = Rows.of(left, first.target, task=asked, able=able)
    return OpenRows(rows, left, first.target, source, reading, work, dropped)


def _table_on_disk(source: str, reading: ReadingOptions) -> Table:
    """Return a table whose columns are files, typed by its first rows as one that is read whole."""
    from vaglio.engines.mapped_table import table_of
    from vaglio.table import read

    reading.note(source)
    levels, roles = reading._levels(), reading._roles()
    data = _scanned(source, reading.file, levels)
    first = read(data.head(), reading.target, levels=levels, roles=roles, missing=reading.file.missing_words())
    left_out = [name for name in data.columns if roles.get(name) == "ignored"]
    table: Table = table_of(data.drop(left_out) if left_out else data, like=first)
    return table


def table_for_model(source: str, file: FileOptions, fitted: Fitted, as_written: bool = False) -> ScannedTable:
    """Scan rows that a model looks at: the columns of text have the kinds that the model knows."""
    from vaglio.table import matching_columns, note_matches

    known = fitted.cell_formats
    like = {**known, fitted.target: fitted.target_format} if fitted.target and not as_written else known
    data = _scanned(source, file, like=like, as_written=as_written)
    note_matches(matching_columns(known, data.columns))
    return data


def _scanned(
    source: str,
    file: FileOptions,
    levels: dict[str, Any] | None = None,
    like: Mapping[str, CellFormat] | None = None,
    as_written: bool = False,
) -> ScannedTable:
    """Scan a file, a folder or a pattern, as the options say.

    Columns have the levels that are named, or are read like those of another table.
    """
    from vaglio.table import CellFormat, by_column, scan

    how = file.format()
    for name in (*WHOLE_FILES, "kind", "numeric_share", "limits"):
        if name in how:
            raise UsageError(
                "reading-option-in-chunks",
                (
                    "--read {name} cannot be used when the file is read in chunks. Convert the table to CSV "
                    "or Parquet first."
                ),
                name=name,
            )
    if file.missing:
        how["missing"] = file.missing_words()
    data = scan(source, levels=levels, **how)
    if like is None or data.parts[0].format != "text":
        return data
    # Columns that are only written again may hold anything.
    found = {name: CellFormat("nominal") for name in data.columns} if as_written else dict(data.reading.columns)
    found |= {name: each for name, each in by_column(like, data.columns).items() if name not in (levels or {})}
    settled = tuple({"footer": False, **dict(data.parts[0].options)}.items())
    parts = tuple(replace(part, options=settled, as_written=as_written) for part in data.parts)
    return replace(data, parts=parts, reading=replace(data.reading, columns=tuple(found.items())))


def leak_alarms(data: OpenRows) -> list[Alarm]:
    """Columns that give the target away, as ``vaglio audit`` finds them; of rows on disk the first are looked at."""
    from vaglio.evaluation.alarms import leak_alarm
    from vaglio.quality.auditing import leaks
    from vaglio.table import Table

    table = data.table if isinstance(data.table, Table) else data.table.head()
    return [leak_alarm(finding.columns[0], finding.message) for finding in leaks(table, data.target, data.task)]
