"""Rows on disk: the source of a scanned table, and the engine that reads it in chunks within a limit of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from vaglio.engines.engine import Engine
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, Request, SequentialPass, WholeArrays
from vaglio.engines.raw import RawChunk, Recoding, Wanted, raw_chunks
from vaglio.engines.sources import CHUNK, Source
from vaglio.engines.spill import Spill, packed, unpacked
from vaglio.engines.survey import Survey
from vaglio.engines.work_settings import Settings, present_settings
from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.runtime.cluster import Waiting
from vaglio.runtime.memory import give_back_memory, resident_memory
from vaglio.runtime.progress import Report
from vaglio.table import ScannedColumn, ScannedResult, ScannedTable, Table
from vaglio.table.scanned import Change, FilePart, Reading, RowShare, give_back_reading

# Rows of a chunk at least and at most: fewer cost more per row, more profit nothing.
_LEAST_ROWS, _MOST_ROWS = 1 << 10, 1 << 18
# Copies of a chunk that reading, encoding and summarizing hold at the same time, per thread.
_COPIES = 12
# What libraries take besides: modules that are first needed here, and what pyarrow reads ahead; more of it for text.
_APART, _APART_OF_TEXT = 128 << 20, 160 << 20


@dataclass(frozen=True)
class ScannedPart:
    """A part of a scanned table, to be read anywhere."""

    part: FilePart
    reading: Reading
    wanted: Wanted

    def chunks(self, rows: int) -> Iterator[RawChunk]:
        """Read the rows."""
        yield from raw_chunks(self.part.tables(self.reading, rows), self.wanted, self.part.place)


class ScannedSource(Source):
    """Columns of a :class:`~vaglio.table.ScannedTable`; with a client in the settings, a cluster reads them."""

    place: ClassVar[str] = text("on disk")

    @classmethod
    def of_table(cls, table: ScannedTable, target: str) -> Self:
        """Return the columns of a table beside the target, and the target."""
        return cls(*table.xy(target))

    def __len__(self) -> int:
        return len(self.X)

    @property
    def known_rows(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        rows: int | None = self.X.known_rows
        return rows

    @property
    def group(self) -> str | None:
        """Name of the column whose values tell which rows belong together."""
        name: str | None = self.X.group
        return name

    @property
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""
        return f"{self.X.parts} {self.X.columns} {self.target}"

    def example(self) -> Table:
        """Return a few rows of X, which show the columns and their types."""
        first: Table = self.X.head(8)
        return first

    def engine(self, regression: bool, threads: int, report: Report) -> Engine:
        """Return an engine of this machine, or of the cluster that the settings name."""
        settings = present_settings()
        whole, target, weights = self.together()
        inputs = tuple(name for name in whole.X.columns if name not in (target, weights))
        wanted = Wanted(inputs, target, weights, regression)
        parts = [ScannedPart(part, whole.X.reading, wanted) for part in whole.X.parts]
        if settings.client is None:
            return DiskEngine(parts, settings, threads, report)
        from vaglio.engines.dask import DaskEngine

        return DaskEngine(Waiting(settings.client, settings.worker_timeout, report), parts, wanted)

    def tables(self, function: Callable[[Table], Any], rows: int = CHUNK) -> Iterator[Any]:
        """Yield what a function returns for the tables that follow each other; on a cluster, a task reads each part."""
        client = present_settings().client
        if client is None:
            return (function(table) for table in self.X.chunks(rows) if len(table))
        from vaglio.engines.dask import each_result

        return each_result(client, function, _of_part, [(part, self.X.reading, rows) for part in self.X.parts])

    def together(self) -> tuple[Self, str, str | None]:
        """Return X with y and the weights as its last columns, and the names of these."""
        for what, column in (("y", self.y), ("sample_weight", self.weight)):
            if column is None and what == "sample_weight":
                continue
            if not isinstance(column, ScannedColumn) or column.table.parts != self.X.parts:
                raise InputError(
                    "column-of-other-table",
                    "X is a scanned table, so {parameter} must be a column of the same table: X, y = "
                    "data.xy('target'), sample_weight=data['weight'].",
                    parameter=what,
                )
        last = [each for each in (self.y, self.weight) if each is not None]
        known = dict(self.X.reading.columns)
        for each in last:
            known.pop(each.name, None)
            # A wrong cell of an input may count as missing; with a wrong target, a row would be left out of a training.
            exact = replace(dict(each.table.reading.columns)[each.name], provisional=False, lenient=False)
            known[each.name] = exact
        whole = replace(self.X, reading=Reading(tuple(known.items())))
        return type(self)(whole), self.y.name, None if self.weight is None else self.weight.name

    def select(self, names: list[str]) -> Self:
        """Return the rows with these input columns only."""
        return type(self)(self.y.table.select(names), self.y, self.weight)

    def taking(self, share: RowShare) -> Self:
        """Return some of the rows, by the hash of their number in the whole table, or by that of their group."""
        return self._columns_of(self.y.table.taking(share))

    def grouped(self, column: Any) -> Self:
        """Return the rows without a column (or its name) whose values tell which of them are taken together."""
        return self._columns_of(self.y.table.grouped(column.name if isinstance(column, ScannedColumn) else column))

    def changing(self, change: Change) -> Self:
        """Return the rows with something changed whenever they are read."""
        return self._columns_of(self.y.table.changing(change))

    def leading(self, share: float) -> Self:
        """Return the first parts, which have about this share of the rows."""
        return self._columns_of(self.y.table.leading(share))

    def _columns_of(self, data: ScannedTable) -> Self:
        weight = None if self.weight is None else data[self.weight.name]
        kept = [name for name in self.X.columns if name in data.kinds]
        return type(self)(data.select(kept), data[self.target], weight)

    def apply(self, function: Callable[[Table], np.ndarray], names: tuple[str, ...], empty: np.ndarray) -> Any:
        """Return what a function gives for each row, computed when it is looked at."""
        return ScannedResult(self.X, function, names)


def _of_part(function: Callable[[Table], Any], part: FilePart, reading: Reading, rows: int) -> list[Any]:
    return [function(table) for table in part.tables(reading, rows) if len(table)]


@dataclass(frozen=True)
class _Held:
    """A chunk that was read: the name of its arrays, and what else it has."""

    name: str
    rest: dict[str, Any]
    start: int


class DiskEngine(Engine):
    """Chunks of files through a pool of threads.

    Parameters
    ----------
    parts : sequence of ScannedPart
    settings : Settings
    threads : int
        Chunks worked on at the same time.
    report : callable
        Told (rows done, rows in all, pass).
    """

    def __init__(self, parts: Sequence[ScannedPart], settings: Settings, threads: int, report: Report) -> None:
        self.parts, self.threads, self.report = list(parts), max(1, threads), report
        width = max(len(parts[0].reading.columns), 1) if parts else 1
        apart = _APART_OF_TEXT if any(part.part.format == "text" for part in parts) else _APART
        self.rows = settings.chunk_rows or _chunk_rows(settings.memory, width, self.threads, apart)
        room = max(0, settings.memory - resident_memory() - apart)
        self.spill = Spill(room // 3, settings.spill)
        self.memory, self.room = max(1 << 24, room // 4), max(1 << 24, room)
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="vaglio-chunk")
        self._row_bytes = 8 * (width + 2)
        self._kept_bytes: dict[str, int] = {}
        self._held: list[_Held] = []
        self._plan: Recoding | None = None

    def survey(self) -> Survey | None:
        """Read all rows, keep them in a compact form, and say what they have."""
        found: list[list[tuple[str, dict[str, Any]]]] = [[] for _ in self.parts]
        whole: Survey | None = None
        known = [part.part.rows for part in self.parts]
        total = sum(rows or 0 for rows in known) if all(rows is not None for rows in known) else 0
        done = 0
        for number, held, survey in self._mapped(lambda at: self._read(at, self.parts[at]), range(len(self.parts))):
            found[number] = held
            if survey is not None:
                whole = survey if whole is None else whole.merge(survey)
                done += survey.n_rows
            self.report(done, max(total, done), "reading")
        start = 0
        for name, rest in (each for held in found for each in held):
            self._held.append(_Held(name, rest, start))
            start += rest["n_rows"]
        give_back_reading()
        return whole

    def _read(self, number: int, part: ScannedPart) -> tuple[int, list[tuple[str, dict[str, Any]]], Survey | None]:
        held: list[tuple[str, dict[str, Any]]] = []
        whole: Survey | None = None
        for raw in part.chunks(self.rows):
            survey = Survey.of(raw)
            whole = survey if whole is None else whole.merge(survey)
            arrays, rest = packed(raw)
            name = f"rows-{number}-{len(held)}"
            self.spill.put(name, arrays)
            held.append((name, rest))
        return number, held, whole

    def encode(self, plan: Recoding) -> None:
        """Encode rows like this from now on."""
        self._plan = plan

    def answer(self, request: Request) -> Any:
        """ColumnSummary at all rows once."""
        total = sum(held.rest["n_rows"] for held in self._held)
        done, answer = 0, None
        if isinstance(request, Pass | Gather) and request.max_bytes:
            # The chunks under way have their third, as in every pass.
            self.spill.shrink(max(0, self.room - self.room // 3 - request.max_bytes))
            give_back_reading()
            give_back_memory()
        if isinstance(request, SequentialPass):
            answer = request.state
            for held in self._held:
                answer = request.step(answer, self._view(held, request.of))
                done += held.rest["n_rows"]
                self.report(done, total, request.name)
            return answer
        work: Callable[[_Held], tuple[int, Any]]
        if isinstance(request, Keep):
            work = lambda held: self._kept(held, request)  # noqa: E731
        elif isinstance(request, Gather):
            work = lambda held: (held.rest["n_rows"], (held.start, request.make(self._view(held, request.of))))  # noqa: E731
        else:
            work = lambda held: self._summary(held, request)  # noqa: E731
        first, whole = True, WholeArrays(total)
        for rows, summary in self._mapped(work, self._items(request)):
            if isinstance(request, Gather):
                whole.put(*summary)
            elif isinstance(request, Pass):
                answer = summary if first else request.merge(answer, summary)
            first = False
            done += rows
            self.report(done, total, request.name)
        if isinstance(request, Gather):
            give_back_memory()
            return whole.arrays
        return answer

    def _items(self, request: Request) -> Sequence[Any]:
        """Return the chunks; where little was kept of their rows, as many together as take what a chunk takes."""
        if not isinstance(request, Pass) or not request.of:
            return self._held
        most = min(
            _MOST_ROWS, self.rows * self._row_bytes // max(1, sum(self._kept_bytes[name] for name in request.of))
        )
        groups: list[list[_Held]] = []
        rows = most
        for held in self._held:
            rows += held.rest["n_rows"]
            if rows > most:
                groups.append([])
                rows = held.rest["n_rows"]
            groups[-1].append(held)
        return groups

    def _summary(self, held: _Held | list[_Held], request: Pass) -> tuple[int, Any]:
        if isinstance(held, list):
            views = [self._view(each, request.of) for each in held]
            return sum(view.n_rows for view in views), request.summarize(_joined(views))
        rows = None if request.choose is None else request.choose(held.start, held.rest["n_rows"])
        return held.rest["n_rows"], request.summarize(self._view(held, request.of, rows))

    def _kept(self, held: _Held, request: Keep) -> tuple[int, None]:
        rows, arrays = held.rest["n_rows"], request.make(self._view(held, request.of))
        self._kept_bytes[request.name] = -(-sum(array.nbytes for array in arrays.values()) // rows)
        self.spill.put(f"{request.name}-{held.name}", arrays)
        return rows, None

    def _view(self, held: _Held, of: tuple[str, ...], rows: np.ndarray | None = None) -> Chunk | Kept:
        if of:
            arrays = [self.spill.get(f"{name}-{held.name}") for name in of]
            joined = {name: array for part in arrays for name, array in part.items()}
            return Kept(joined, held.start, held.rest["n_rows"])
        assert self._plan is not None
        own = self.spill.get(held.name) if rows is None else self.spill.take(held.name, rows)
        return replace(unpacked(own, held.rest).chunk(self._plan, held.start), places=rows)

    def _mapped(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Apply a function to items by the pool, a few ahead; results come as they are finished."""
        running: set[Future[Any]] = set()
        try:
            for item in items:
                running.add(self._pool.submit(work, item))
                while len(running) > self.threads:
                    finished, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (each.result() for each in finished)
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in finished)
        finally:
            for each in running:
                each.cancel()
            wait(running)

    def close(self) -> None:
        """End the threads and remove the files."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.spill.close()


def _joined(views: list[Chunk | Kept]) -> Chunk | Kept:
    """Return what was kept of chunks that follow each other as that of one."""
    if len(views) == 1:
        return views[0]
    parts = [view.arrays for view in views if isinstance(view, Kept)]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Kept(arrays, views[0].start, sum(view.n_rows for view in views))


def _chunk_rows(memory: int, width: int, threads: int, apart: int) -> int:
    """Return how many rows fit in the memory that is left, and refuse a limit that is too small."""
    held = resident_memory()
    per_row = 8 * (width + 2) * _COPIES * threads
    rows = (memory - held - apart) // 3 // per_row
    if rows < _LEAST_ROWS:
        least = held + apart + 3 * per_row * _LEAST_ROWS
        raise InputError(
            "memory-limit-too-small",
            "A memory limit of {limit:,} MB is too small for this table. The program itself holds {held:,} MB; set a "
            "limit of at least {least:,} MB.",
            limit=memory >> 20,
            held=held >> 20,
            least=(least >> 20) + 1,
        )
    return int(min(rows, _MOST_ROWS))
