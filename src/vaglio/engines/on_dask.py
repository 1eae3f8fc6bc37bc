"""The engine of a Dask cluster: one task per partition and pass, summaries merged by a tree of tasks.

Partitions stay with the workers in their own codes, and every pass translates them: that takes less than a second copy
in memory. Dask knows how each was made, so that those of a worker that is lost are made again by the others; nothing
here talks to the network.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode import Feature, code_type
from vaglio.engines.engine import Engine, ScannedPart
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, Request, Walk, WholeArrays
from vaglio.engines.raw import Look, RawChunk, Recoding, Wanted, raw_chunks
from vaglio.engines.survey import Survey
from vaglio.errors import InputError
from vaglio.runtime.cluster import Waiting, lost_named
from vaglio.runtime.threads import one_blas_thread
from vaglio.table import Table

# Summaries merged by one task.
FAN_IN = 8
# Partitions under way per thread of the cluster, where their results are fetched one by one.
_AHEAD = 2
# Rows of a part that are read at a time by a worker: those of a row group as a rule, since what is read in pieces is
# copied once more.
_ROWS = 1 << 20


class DaskEngine(Engine):
    """Partitions with the workers of a cluster.

    Parameters
    ----------
    waiting : Waiting
        For the results of a client.
    partitions : sequence
        :class:`~vaglio.engines.engine.ScannedPart`, or futures of pandas frames.
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
        """Look at all rows once."""
        choose = request.choose if isinstance(request, Pass) else None
        views = self._views(request.of, choose)
        if isinstance(request, Walk):
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

    def _walked(self, request: Walk, views: list[tuple[Any, ...]]) -> Any:
        step = self._sent(request.step)
        state = self._sent(request.state)
        steps = []
        with lost_named():
            for view in views:
                state = self._submit(_step, step, state, *view)
                steps.append(state)
        self.waiting.finish(steps, request.name)
        return self.waiting.fetch(state, request.name)

    def _fetched(self, request: Walk, views: list[tuple[Any, ...]]) -> Any:
        """Walk in this process, to which one partition after the other is sent."""
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

    def _sent(self, thing: Any) -> Any:
        """Send something once to the cluster instead of with every task."""
        with lost_named():
            return self.client.submit(_same, thing, pure=False)

    def close(self) -> None:
        """Let the workers forget what they hold."""
        self._raw, self._plan, self._kept = [], None, {}


def _same(thing: Any) -> Any:
    return thing


def _read_part(part: ScannedPart) -> RawChunk | None:
    return _joined(list(part.chunks(_ROWS)))


def _read_frame(frame: Any, wanted: Wanted, place: str) -> RawChunk | None:
    return _joined(list(raw_chunks([Table.from_any(frame)], wanted, place)))


def _joined(chunks: list[RawChunk]) -> RawChunk | None:
    """Return the chunks of a part as one, in codes of their own."""
    if len(chunks) < 2:
        return chunks[0] if chunks else None
    from vaglio.engines.facts import plan_of

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


def _look(feature: Feature, column: np.ndarray) -> Look:
    return Look.at_codes(column, len(feature.categories)) if feature.is_nominal else Look.at_numbers(column)[0]


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
            f"The partition from row {start + 1} on had {n_rows} rows, and has {found} after it was made again: a "
            "frame must give the same rows whenever it is computed; write it to files first."
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


def _step(function: Callable[[Any, Any], Any], state: Any, view: Callable[..., Any], *arguments: Any) -> Any:
    with one_blas_thread():
        return function(state, view(*arguments))


def _merge_some(merge: Callable[[Any, Any], Any], *parts: Any) -> Any:
    # Dask may give these very objects to another task, or compute this one again: the first is not written to.
    whole = copy.deepcopy(parts[0])
    for part in parts[1:]:
        whole = merge(whole, part)
    return whole
