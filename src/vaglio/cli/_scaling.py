"""Tables larger than memory, and clusters: the options, and the training in passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._capacity import memory_beyond
from vaglio.cli._options import UsageError, has_files
from vaglio.cli._output import WHOLE_FILES, remark
from vaglio.cli._reading import FileOptions, ReadingOptions
from vaglio.messages.sentences import listed

if TYPE_CHECKING:
    from vaglio.fitted import Fitted
    from vaglio.table import LazyColumn, LazyTable, Table

scale_option = partial(typer.Option, rich_help_panel="Larger than memory")

Memory = Annotated[
    str | None,
    scale_option(metavar="SIZE", help="Read the table in parts and hold at most so much memory, e.g. 2GB."),
]


@dataclass(frozen=True)
class WorkOptions:
    """Where rows that stay on disk are worked on."""

    memory: Memory = None
    workers: Annotated[
        int | None,
        scale_option(min=1, metavar="N", help="Work on a Dask cluster of N processes, started and stopped here."),
    ] = None
    scheduler: Annotated[
        str | None, scale_option(metavar="ADDRESS", help="Work on a Dask cluster that runs, e.g. tcp://host:8786.")
    ] = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.scheduler is not None:
            raise UsageError("--workers starts a cluster and --scheduler names one that runs: choose one.")
        if self.memory is not None:
            from vaglio.engines.work_settings import parse_size
            from vaglio.errors import InputError

            try:
                parse_size(self.memory)
            except InputError as error:
                raise UsageError(f"--memory: {error}") from None

    @property
    def asked(self) -> bool:
        """Whether an option asks for rows to be read in parts."""
        return any(getattr(self, each.name) not in (None, False) for each in fields(self))

    def said(self, source: str, file: FileOptions) -> bool:
        """Whether it was said that rows stay on disk: by an option, or by several files; never a sample of them."""
        if file.sample is not None:
            if self.asked:
                raise UsageError("--sample reads some rows into memory: leave out the options of larger tables.")
            return False
        if self.asked:
            return True
        if not has_files(source):
            return False
        remark(f"{source} names several files: they are read in parts (--memory says how much to hold).")
        return True

    def wanted(self, source: str, reading: ReadingOptions) -> bool:
        """Whether rows stay on disk: it was said, or the table does not fit in memory."""
        if self.said(source, reading.file):
            return True
        needed = 0 if reading.file.sample is not None else memory_beyond(source)
        if not needed:
            return False
        remark(
            f"{source} needs about {needed >> 30} GB in memory: it is read in parts (--memory says how much to hold)."
        )
        return True

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
class ScaleOptions(WorkOptions):
    """The same for work that is long: what was finished is kept."""

    checkpoint: Annotated[
        Path | None, scale_option(metavar="FOLDER", help="Keep what is finished (passes, trials), to resume the work.")
    ] = None
    resume: Annotated[bool, scale_option("--resume", help="Go on from the checkpoint.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resume and self.checkpoint is None:
            raise UsageError("--resume goes on from a checkpoint: name its folder with --checkpoint.")

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


def table_on_disk(source: str, reading: ReadingOptions) -> Table:
    """Return a table whose columns are files, typed by its first rows as one that is read whole."""
    from vaglio.engines.mapped_table import table_of
    from vaglio.table import read

    levels, roles = reading._levels(), reading._roles()
    data = lazy_table(source, reading.file, levels)
    first = read(data.head(), reading.target, levels=levels, roles=roles, missing=reading.file.missing_words())
    left_out = [name for name in data.columns if roles.get(name) == "ignored"]
    table: Table = table_of(data.drop(left_out) if left_out else data, like=first)
    return table


def lazy_rows(source: str, reading: ReadingOptions) -> tuple[LazyTable, LazyColumn]:
    """Return the columns to learn from and the class of a table that stays on disk.

    Which columns are identifiers is judged by the first rows, as in a table that is read whole.
    """
    from vaglio.table import read

    if reading.target is None:
        raise UsageError("which column is the class? Add --target.")
    levels = reading._levels()
    data = lazy_table(source, reading.file, levels)
    head, missing = data.head(), reading.file.missing_words()
    first = read(head, reading.target, levels=levels, roles=reading._roles(), missing=missing)
    left_out = [name for name in first.columns if first.column(name).role not in ("input", "target")]
    if left_out:
        remark(f"Left out, judged by the first {len(head):,} rows: {listed(left_out, quoted=True)} (--keep keeps one).")
    assert first.target is not None
    return data.drop([name for name in left_out if name in data.kinds]).xy(first.target)


def rows_for_model(source: str, file: FileOptions, fitted: Fitted) -> LazyTable:
    """Scan rows that a model looks at: the columns of text have the kinds that the model knows."""
    data = lazy_table(source, file)
    if data.parts[0].format != "text":
        return data
    kinds = fitted.kinds
    reading = replace(data.reading, columns=tuple((name, kinds.get(name, kind)) for name, kind in data.reading.columns))
    kept = ("keep_words", fitted.kept_words)
    parts = tuple(replace(part, options=(*part.options, kept)) for part in data.parts)
    return replace(data, parts=parts, reading=reading)


def lazy_table(source: str, file: FileOptions, levels: dict[str, Any] | None = None) -> LazyTable:
    """Scan a file, a folder or a pattern, as the options say; the columns named have these levels."""
    from vaglio.table import scan

    how = file.format()
    for name in (*WHOLE_FILES, "kind", "numeric_share", "limits"):
        if name in how:
            raise UsageError(
                f"--read {name} does not go with reading in parts: write the table as CSV or Parquet first."
            )
    if file.missing:
        how["missing"] = file.missing_words()
    return scan(source, levels=levels, **how)
