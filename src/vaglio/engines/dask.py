"""Rows with Dask: the source of a frame, and the engine of a cluster.

There is one task per partition and pass, and summaries are merged by a tree of tasks.

Partitions stay with the workers in their own codes, and every pass translates them: that takes less than a second copy
in memory. Dask knows how each was made, so that those of a worker that is lost are made again by the others; nothing
here talks to the network.
"""

from __future__ import annotations

import copy
import importlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np

from vaglio.encode import Feature, code_type
from vaglio.engines.disk import ScannedPart
from vaglio.engines.engine import Engine
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, Request, SequentialPass, WholeArrays
from vaglio.engines.raw import ColumnSummary, RawChunk, Recoding, Wanted, raw_chunks
from vaglio.engines.sources import CHUNK, Source
from vaglio.engines.survey import Survey
from vaglio.engines.work_settings import present_settings
from vaglio.errors import ColumnError, InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.cluster import Waiting, active_client, lost_named, usual_client
from vaglio.runtime.progress import Report
from vaglio.runtime.threads import one_blas_thread
from vaglio.table import Table, as_frame
from vaglio.table.scanned import Change, RowShare, group_keys

# Names of the target and of the weights beside the columns of X.
_TARGET, _WEIGHT, _GROUP = "vaglio target", "vaglio weight", "vaglio group"
# Summaries merged by one task.
FAN_IN = 8
# Partitions under way per thread of the cluster, where their results are fetched one by one.
_AHEAD = 2
# Rows of a part that are read at a time by a worker: those of a row group as a rule, since what is read in pieces is
# copied once more.
_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class DaskSource(Source):
    """Columns of a Dask frame.

    Attributes
    ----------
    whole : _Whole or None
        The frame that these rows are some of: rows have the numbers they have there, also in parts of parts.
    together_by : Dask series or None
        Rows with the same value are taken together.
    """

    place: ClassVar[str] = text("on a cluster")
    whole: _Whole | None = None
    together_by: Any = None

    @classmethod
    def of_table(cls, table: Any, target: str) -> Self:
        """Return the columns of a frame beside the target, and the target."""
        if target not in table.columns:
            raise ColumnError(
                "unknown-column",
                "There is no column {column!r}: {hint}",
                column=target,
                hint=did_you_mean(target, map(str, table.columns), quoted=True),
            )
        return cls(table.drop(columns=target), table[target])

    def __len__(self) -> int:
        return len(self.X)

    @property
    def group(self) -> str | None:
        """Name of the column whose values tell which rows belong together."""
        return None if self.together_by is None else _GROUP

    @property
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""
        starts = [start for _, start in self._numbered.parts]
        by = "" if self.together_by is None else f" {self.together_by.name}"
        return f"{starts} {self.columns} {self.target} {self._numbered.shares} {self._numbered.changes}{by}"

    def example(self) -> Any:
        """Return no row of X, which shows the columns and their types."""
        return self.X._meta

    def engine(self, regression: bool, threads: int, report: Report) -> Engine:
        """Return the engine of the cluster of the settings, or of the one that is active."""
        settings = present_settings()
        whole, target, weights = self.together()
        client = usual_client() if settings.client is None else settings.client
        # The graph is optimised as a whole; each partition is then a future of its own.
        partitions = client.compute(whole.X.to_delayed(optimize_graph=True))
        wanted = Wanted(tuple(self.columns), target, weights, regression)
        return DaskEngine(Waiting(client, settings.worker_timeout, report), partitions, wanted)

    def tables(self, function: Callable[[Table], Any], rows: int = CHUNK) -> Iterator[Any]:
        """Yield what a function returns for the partitions; without a cluster they are computed here."""
        client = active_client() if present_settings().client is None else present_settings().client
        frames = self.X.to_delayed(optimize_graph=True)
        if client is None:
            return (found for frame in frames for found in _of_frame(function, frame.compute()))
        return each_result(client, function, _of_frame, [(frame,) for frame in client.compute(frames)])

    def together(self) -> tuple[Self, str, str | None]:
        """Return X with the target and the weights as further columns."""
        X, y, weight = self.X, self.y, self.weight
        if not hasattr(X, "to_delayed") or not hasattr(X, "columns"):
            raise InputError("not-a-dask-frame", "X is a {type} of Dask. Give a Dask DataFrame.", type=type(X).__name__)
        for what, column in (("y", y), ("sample_weight", weight)):
            if column is None and what == "sample_weight":
                continue
            if not (hasattr(column, "__dask_graph__") and hasattr(column, "to_delayed")):
                raise InputError(
                    "not-a-dask-series",
                    "X is a Dask frame, so {parameter} must be a Dask series with the same partitions.",
                    parameter=what,
                )
            if column.npartitions != X.npartitions:
                raise InputError(
                    "partitions-differ",
                    "X has {n:,} {n:partition|partitions}, but {parameter} has {other:,}. Take both from one frame.",
                    n=X.npartitions,
                    parameter=what,
                    other=column.npartitions,
                )
        further = [each for each in (y, weight) if each is not None]
        meta = _together(X._meta, *(each._meta for each in further))
        joined = X.map_partitions(_together, *further, meta=meta)
        return type(self)(joined), _TARGET, None if weight is None else _WEIGHT

    def select(self, names: list[str]) -> Self:
        """Return the rows with these input columns only."""
        return replace(self, X=self.X[names])

    def taking(self, share: RowShare) -> Self:
        """Return some of the rows, by the hash of their number in the whole frame, or by that of their group."""
        return self._of(replace(self._numbered, shares=(*self._numbered.shares, share)))

    def grouped(self, column: Any) -> Self:
        """Return the rows without a column (or its name) whose values tell which of them are taken together."""
        series = self.X[column] if isinstance(column, str) and column in self.X.columns else column
        if isinstance(series, str) or getattr(series, "npartitions", None) != self.X.npartitions:
            raise InputError(
                "group-of-other-frame",
                "The rows are in a Dask frame, so the groups must be one of its columns, or its name.",
            )
        kept = [name for name in self.X.columns if name != series.name]
        return replace(self, X=self.X[kept], together_by=series)

    def changing(self, change: Change) -> Self:
        """Return the rows with something changed whenever they are computed."""
        return self._of(replace(self._numbered, changes=(*self._numbered.changes, change)))

    def leading(self, share: float) -> Self:
        """Return the first partitions, about this share of them."""
        n = max(1, round(share * self.X.npartitions))
        weight = None if self.weight is None else self.weight.partitions[:n]
        by = None if self.together_by is None else self.together_by.partitions[:n]
        return type(self)(self.X.partitions[:n], self.y.partitions[:n], weight, together_by=by)

    def _of(self, whole: _Whole) -> Self:
        taken = whole.compute()
        weight = None if self.weight is None else taken[_WEIGHT]
        by = None if self.together_by is None else taken[_GROUP]
        X, y = taken[list(self.X.columns)], taken[self.target]
        return replace(self, X=X, y=y, weight=weight, whole=whole, together_by=by)

    @cached_property
    def _numbered(self) -> _Whole:
        if self.whole is not None:
            return self.whole
        also = {_WEIGHT: self.weight, _GROUP: self.together_by}
        further = {self.target: self.y} | {name: each for name, each in also.items() if each is not None}
        frame = self.X.assign(**further)
        return _Whole(frame, _numbered_partitions(frame))

    def apply(self, function: Callable[[Table], np.ndarray], names: tuple[str, ...], empty: np.ndarray) -> Any:
        """Return what a function gives for each row, as a Dask series or, of several columns, a frame."""
        work = partial(_frame_of, function, names, empty)
        return self.X.map_partitions(work, meta=work(self.X._meta))


@dataclass(frozen=True)
class _Whole:
    """A Dask frame with X, y and the weights, and what is taken and changed of it.

    Attributes
    ----------
    frame : Dask frame
    parts : list of (delayed frame, number of its first row)
    shares, changes : tuple
        As those of a :class:`~vaglio.table.scanned.Part`.
    """

    frame: Any
    parts: list[tuple[Any, int]]
    shares: tuple[RowShare, ...] = ()
    changes: tuple[Change, ...] = ()

    def compute(self) -> Any:
        """Return the rows that are taken, changed, as a Dask frame."""
        dask: Any = importlib.import_module("dask")
        dataframe: Any = importlib.import_module("dask.dataframe")
        taken = [dask.delayed(_taken)(part, start, self.shares, self.changes) for part, start in self.parts]
        return dataframe.from_delayed(taken, meta=self.frame._meta, verify_meta=False)


def _numbered_partitions(frame: Any) -> list[tuple[Any, int]]:
    """Return the partitions as delayed frames, each with the number of its first row: a task counts each."""
    partitions = frame.to_delayed(optimize_graph=True)
    dask: Any = importlib.import_module("dask")
    counted = [dask.delayed(len)(each) for each in partitions]
    client = active_client()
    if client is None:
        lengths = dask.compute(*counted)
    else:
        lengths = Waiting(client, present_settings().worker_timeout).fetch(client.compute(counted), "rows")
    return list(zip(partitions, [0, *np.cumsum(lengths).tolist()]))


def _taken(frame: Any, start: int, shares: tuple[RowShare, ...], changes: tuple[Change, ...]) -> Any:
    index = np.arange(start, start + len(frame))
    rows = np.ones(len(frame), dtype=bool)
    grouped = bool(shares) and len(frame) and _GROUP in frame.columns
    keys = group_keys(Table.from_any(frame[[_GROUP]]).column(_GROUP), index) if grouped else index
    for share in shares:
        rows &= share.takes(keys)
    left = frame[rows]
    if not changes or not len(left):
        return left
    table = Table.from_any(left)
    for change in changes:
        table = change(table, index[rows])
    return table.to_frame().set_index(left.index)


def _together(X: Any, y: Any, weight: Any = None) -> Any:
    frame = X.copy(deep=False)
    frame.columns = [str(name) for name in frame.columns]
    frame[_TARGET] = np.asarray(y, dtype=object) if y.dtype == object else y.array
    if weight is not None:
        frame[_WEIGHT] = weight.array
    return frame


def _frame_of(function: Callable[[Table], np.ndarray], names: tuple[str, ...], empty: np.ndarray, frame: Any) -> Any:
    found = function(Table.from_any(frame)) if len(frame) else empty
    if found.ndim == 1:
        return as_frame({names[0]: found}, index=frame.index)[names[0]]
    return as_frame(found, columns=names, index=frame.index)


def _of_frame(function: Callable[[Table], Any], frame: Any) -> list[Any]:
    table = Table.from_any(frame.rename(columns=str))
    return [function(table)] if len(table) else []


def each_result(
    client: Any, function: Callable[[Table], Any], work: Callable[..., list[Any]], parts: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yield, in order, what ``work(function, *part)`` lists for each part.

    A task per part runs where the rows are, and only what it returns is sent; a few are under way at a time, so that
    results do not pile up.
    """
    ahead = _AHEAD * max(1, sum(client.nthreads().values()))
    running: deque[Any] = deque()
    waiting = Waiting(client, present_settings().worker_timeout)
    with lost_named():  # the function may hold a model: it is sent once instead of with every part
        sent = client.submit(_same, function, pure=False)
    try:
        for part in parts:
            running.append(client.submit(work, sent, *part, pure=False))
            if len(running) >= ahead:
                yield from waiting.fetch(running.popleft(), "parts")
        while running:
            yield from waiting.fetch(running.popleft(), "parts")
    finally:
        for future in running:
            future.cancel()


class DaskEngine(Engine):
    """Partitions with the workers of a cluster.

    Parameters
    ----------
    waiting : Waiting
        For the results of a client.
    partitions : sequence
        :class:`~vaglio.engines.disk.ScannedPart`, or futures of pandas frames.
    wanted : Wanted
    """

    def __init__(self, waiting: Waiting, partitions: Sequence[Any], wanted: Wanted) -> None:
        self.waiting, self.client = waiting, waiting.client
        scanned = bool(partitions) and isinstance(partitions[0], ScannedPart)
        with lost_named():
            if scanned:
                self._raw = self._each(_read_part, partitions)
            else:
                places = [f"partition {at}" for at in range(len(partitions))]
                self._raw = self._each(_read_frame, partitions, [wanted] * len(places), places)
        self._plan: Any = None
        self._kept: dict[str, list[Any]] = {}

    def survey(self) -> Survey | None:
        """Read all rows where they will stay, and say what they have."""
        if not self._raw:
            return None
        with lost_named():
            surveys = self._each(_survey, self._raw, list(range(len(self._raw))))
        whole: Survey | None
        whole, lengths = self._gathered(surveys, _merge_surveys, "reading")
        self._raw = [raw for at, raw in enumerate(self._raw) if lengths[at]]
        self._lengths = [lengths[at] for at in sorted(lengths) if lengths[at]]
        self._starts = np.cumsum([0, *self._lengths[:-1]]).tolist()
        return whole

    def encode(self, plan: Recoding) -> None:
        """Encode the partitions like this from now on."""
        self._plan = self._sent(plan)

    def answer(self, request: Request) -> Any:
        """ColumnSummary at all rows once."""
        choose = request.choose if isinstance(request, Pass) else None
        views = self._views(request.of, choose)
        if isinstance(request, SequentialPass):
            return self._fetched(request, views) if request.here else self._walked(request, views)
        if isinstance(request, Keep):
            make = self._sent(request.make)
            with lost_named():
                self._kept[request.name] = self._of_each(_apply, views, make)
            self.waiting.finish(self._kept[request.name], request.name)
            return None
        if isinstance(request, Gather):
            return self._brought(request, views)
        summarize = self._sent(request.summarize)
        with lost_named():
            summaries = self._of_each(_apply, views, summarize)
        return self._gathered(summaries, request.merge, request.name)

    def _walked(self, request: SequentialPass, views: list[tuple[Any, ...]]) -> Any:
        step = self._sent(request.step)
        state = self._sent(request.state)
        steps = []
        with lost_named():
            for view in views:
                state = self._submit(_step, step, state, *view)
                steps.append(state)
        self.waiting.finish(steps, request.name)
        return self.waiting.fetch(state, request.name)

    def _fetched(self, request: SequentialPass, views: list[tuple[Any, ...]]) -> Any:
        """SequentialPass in this process, to which one partition after the other is sent."""
        state = request.state
        for at, view in enumerate(views):
            with lost_named():
                sent = self._submit(_apply, _same, *view)
            state = request.step(state, self.waiting.fetch(sent, request.name))
            if self.waiting.report is not None:
                self.waiting.report(at + 1, len(views), request.name)
        return state

    def _brought(self, request: Gather, views: list[tuple[Any, ...]]) -> dict[str, np.ndarray]:
        """Fetch what is made of one partition after the other, while a few more are worked on."""
        make, whole = self._sent(request.make), WholeArrays(sum(self._lengths))
        left, running = deque(views), deque[Any]()
        ahead = _AHEAD * max(1, sum(self.client.nthreads().values()))
        while left or running:
            with lost_named():
                while left and len(running) < ahead:
                    running.append(self._submit(_apply, make, *left.popleft()))
            at = len(views) - len(left) - len(running)
            whole.put(self._starts[at], self.waiting.fetch(running.popleft(), request.name))
            if self.waiting.report is not None:
                self.waiting.report(at + 1, len(views), request.name)
        return whole.arrays

    def _views(self, of: tuple[str, ...], choose: Any = None) -> list[tuple[Any, ...]]:
        """Return for each partition a function that gives what a request sees, and its arguments."""
        if of:
            parts = zip(*(self._kept[name] for name in of))
            return [(_kept_of, start, n, *own) for start, n, own in zip(self._starts, self._lengths, parts)]
        chosen = None if choose is None else self._sent(choose)
        places = zip(self._raw, self._starts, self._lengths)
        return [(_rows_of, raw, self._plan, start, n, chosen) for raw, start, n in places]

    def _gathered(self, parts: list[Any], merge: Callable[[Any, Any], Any], name: str) -> Any:
        """Merge by a tree of tasks, and fetch the result."""
        with lost_named():
            level = parts
            while len(level) > 1:
                groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
                level = [self._submit(_merge_some, merge, *group) if len(group) > 1 else group[0] for group in groups]
        self.waiting.finish(parts, name)
        return self.waiting.fetch(level[0], name)

    def _each(self, function: Callable[..., Any], *arguments: Sequence[Any]) -> list[Any]:
        """Submit a task for each of some sequences of arguments, in one message."""
        # Not pure, as below.
        return list(self.client.map(function, *arguments, pure=False))

    def _of_each(self, function: Callable[..., Any], views: list[tuple[Any, ...]], *first: Any) -> list[Any]:
        return self._each(function, *([each] * len(views) for each in first), *map(list, zip(*views)))

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Not pure: two trainings on one cluster must not share, and so not release, each other's results.
        return self.client.submit(function, *arguments, pure=False)

    def _sent(self, thing: object) -> Any:
        """Send something once to the cluster instead of with every task."""
        with lost_named():
            return self.client.submit(_same, thing, pure=False)

    def close(self) -> None:
        """Let the workers forget what they hold."""
        self._raw, self._plan, self._kept = [], None, {}


def _same(thing: object) -> Any:
    return thing


def _read_part(part: ScannedPart) -> RawChunk | None:
    return _joined(list(part.chunks(_ROWS)))


def _read_frame(frame: Any, wanted: Wanted, place: str) -> RawChunk | None:
    return _joined(list(raw_chunks([Table.from_any(frame)], wanted, place)))


def _joined(chunks: list[RawChunk]) -> RawChunk | None:
    """Return the chunks of a part as one, in codes of their own."""
    if len(chunks) < 2:
        return chunks[0] if chunks else None
    from vaglio.engines.survey import plan_of

    survey = Survey.of(chunks[0])
    for chunk in chunks[1:]:
        survey = survey.merge(Survey.of(chunk))
    plan = plan_of(survey)
    features = plan.codebook.features
    columns = tuple(np.concatenate([chunk.column(feature) for chunk in chunks]) for feature in features)
    classes = np.empty(0) if plan.classes is None else plan.classes
    codes = [np.searchsorted(classes, chunk.labels)[chunk.y] if len(classes) else chunk.y for chunk in chunks]
    weight = None
    if chunks[0].weight is not None:
        weight = np.concatenate([chunk.weight for chunk in chunks if chunk.weight is not None])
    declared = tuple(each.declared is not None for each in survey.columns)
    y = np.concatenate(codes)
    y = y.astype(code_type(len(classes))) if len(classes) else y
    looks = tuple(map(_look, features, columns))
    return RawChunk(features, columns, looks, declared, classes, y, weight, chunks[0].place)


def _look(feature: Feature, column: np.ndarray) -> ColumnSummary:
    return (
        ColumnSummary.at_codes(column, len(feature.categories))
        if feature.is_nominal
        else ColumnSummary.at_numbers(column)[0]
    )


# What is known of some partitions, and the rows of each.
_Seen = tuple[Survey | None, dict[int, int]]


def _survey(raw: RawChunk | None, at: int) -> _Seen:
    return (None, {at: 0}) if raw is None else (Survey.of(raw), {at: raw.n_rows})


def _merge_surveys(a: _Seen, b: _Seen) -> _Seen:
    lengths = a[1] | b[1]
    if a[0] is None or b[0] is None:
        return b[0] if a[0] is None else a[0], lengths
    return a[0].merge(b[0]), lengths


def _rows_of(
    raw: RawChunk | None, plan: Recoding, start: int, n_rows: int, choose: Callable[[int, int], np.ndarray] | None
) -> Chunk:
    found = 0 if raw is None else raw.n_rows
    if raw is None or found != n_rows:
        raise InputError(
            "partition-changed",
            "The partition starting at row {row:,} had {before:,} rows and has {after:,} after it was computed again. "
            "A frame must give the same rows every time. Write it to files first.",
            row=start + 1,
            before=n_rows,
            after=found,
        )
    if choose is None:
        return raw.chunk(plan, start)
    places = choose(start, n_rows)
    return replace(raw.take(places).chunk(plan, start), places=places)


def _kept_of(start: int, n_rows: int, *parts: dict[str, np.ndarray]) -> Kept:
    return Kept({name: array for part in parts for name, array in part.items()}, start, n_rows)


def _apply(function: Callable[[Any], Any], view: Callable[..., Any], *arguments: Any) -> Any:
    with one_blas_thread():
        return function(view(*arguments))


def _step(function: Callable[[Any, Any], Any], state: object, view: Callable[..., Any], *arguments: Any) -> Any:
    with one_blas_thread():
        return function(state, view(*arguments))


def _merge_some(merge: Callable[[Any, Any], Any], *parts: Any) -> Any:
    # Dask may give these very objects to another task, or compute this one again: the first is not written to.
    whole = copy.deepcopy(parts[0])
    for part in parts[1:]:
        whole = merge(whole, part)
    return whole
