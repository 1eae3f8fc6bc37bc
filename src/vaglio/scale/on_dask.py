"""The engine of a Dask cluster: one task per partition and pass, summaries merged by a tree of tasks.

Partitions stay with the workers in encoded form. Dask knows how each was made, so that those of a worker that is lost
are made again by the others; nothing here talks to the network.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from vaglio.encode import Feature, code_type
from vaglio.runtime.cluster import Waiting, lost_named
from vaglio.runtime.threads import one_blas_thread
from vaglio.scale.engine import Engine, ScannedPart
from vaglio.scale.passes import Chunk, Gather, Keep, Kept, Request, Walk, WholeArrays
from vaglio.scale.raw import Look, RawChunk, Recoding, Wanted, raw_chunks
from vaglio.scale.survey import Survey
from vaglio.table import Table

# Summaries merged by one task.
FAN_IN = 8
# Partitions under way per thread of the cluster, where their results are fetched one by one.
_AHEAD = 2
# Rows of a part that are read at a time by a worker.
_ROWS = 1 << 18


class DaskEngine(Engine):
    """Partitions with the workers of a cluster.

    Parameters
    ----------
    waiting : Waiting
        For the results of a client.
    partitions : sequence
        :class:`~vaglio.scale.engine.ScannedPart`, or futures of pandas frames.
    wanted : Wanted
    """

    def __init__(self, waiting: Waiting, partitions: Sequence[Any], wanted: Wanted) -> None:
        self.waiting, self.client = waiting, waiting.client
        scanned = bool(partitions) and isinstance(partitions[0], ScannedPart)
        with lost_named():
            if scanned:
                self._raw = [self._submit(_read_part, part) for part in partitions]
            else:
                places = [f"partition {at}" for at in range(len(partitions))]
                self._raw = [
                    self._submit(_read_frame, frame, wanted, place) for frame, place in zip(partitions, places)
                ]
        self._chunks: list[Any] = []
        self._kept: dict[str, list[Any]] = {}

    def survey(self) -> Survey | None:
        """Read all rows where they will stay, and say what they have."""
        surveys = [self._submit(_survey, raw) for raw in self._raw]
        whole: Survey | None = self._gathered(surveys, partial(_merge_some, _merge_surveys), "reading")
        with lost_named():
            counted = [self._submit(_length, raw) for raw in self._raw]
        lengths = self.waiting.fetch(counted, "reading")
        self._raw = [raw for raw, rows in zip(self._raw, lengths) if rows]
        lengths = [rows for rows in lengths if rows]
        self._starts = np.cumsum([0, *lengths[:-1]]).tolist()
        self._n_rows = sum(lengths)
        return whole

    def encode(self, plan: Recoding) -> None:
        """Encode the partitions like this from now on."""
        told = self._sent(plan)
        with lost_named():
            self._chunks = [self._submit(_encode, raw, told, at) for raw, at in zip(self._raw, self._starts)]

    def answer(self, request: Request) -> Any:
        """Look at all rows once."""
        views = self._views(request.of)
        if isinstance(request, Walk):
            return self._fetched(request, views) if request.here else self._walked(request, views)
        if isinstance(request, Keep):
            make = self._sent(request.make)
            with lost_named():
                self._kept[request.name] = [self._submit(_apply, make, *view) for view in views]
            self.waiting.finish(self._kept[request.name], request.name)
            return None
        if isinstance(request, Gather):
            return self._brought(request, views)
        summarize, merge = self._sent(request.of_all_rows), self._sent(request.merge)
        with lost_named():
            summaries = [self._submit(_apply, summarize, *view) for view in views]
        return self._gathered(summaries, merge, request.name, wrap=True)

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
        make, whole = self._sent(request.make), WholeArrays(self._n_rows)
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

    def _views(self, of: tuple[str, ...]) -> list[tuple[Any, ...]]:
        if not of:
            return [(chunk,) for chunk in self._chunks]
        return list(zip(self._chunks, *(self._kept[name] for name in of)))

    def _gathered(self, parts: list[Any], merge: Any, name: str, wrap: bool = False) -> Any:
        """Merge by a tree of tasks, and fetch the result."""
        if not parts:
            return None
        with lost_named():
            level = parts
            while len(level) > 1:
                groups = [level[at : at + FAN_IN] for at in range(0, len(level), FAN_IN)]
                call: Callable[..., Any] = partial(_merge_some_with) if wrap else merge
                level = [
                    (self._submit(call, merge, *group) if wrap else self._submit(call, *group))
                    if len(group) > 1
                    else group[0]
                    for group in groups
                ]
        self.waiting.finish(parts, name)
        return self.waiting.fetch(level[0], name)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Not pure: two trainings on one cluster must not share, and so not release, each other's results.
        return self.client.submit(function, *arguments, pure=False)

    def _sent(self, thing: Any) -> Any:
        """Send something once to the cluster instead of with every task."""
        with lost_named():
            return self.client.submit(_same, thing, pure=False)

    def close(self) -> None:
        """Let the workers forget what they hold."""
        self._raw, self._chunks, self._kept = [], [], {}


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
    from vaglio.scale.facts import plan_of

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


def _survey(raw: RawChunk | None) -> Survey | None:
    return None if raw is None else Survey.of(raw)


def _merge_surveys(a: Survey | None, b: Survey | None) -> Survey | None:
    if a is None or b is None:
        return b if a is None else a
    return a.merge(b)


def _length(raw: RawChunk | None) -> int:
    return 0 if raw is None else raw.n_rows


def _encode(raw: RawChunk, plan: Recoding, start: int) -> Chunk:
    return raw.chunk(plan, start)


def _view(chunk: Chunk, parts: tuple[dict[str, np.ndarray], ...]) -> Chunk | Kept:
    if not parts:
        return chunk
    return Kept({name: array for part in parts for name, array in part.items()}, chunk.start, chunk.n_rows)


def _apply(function: Callable[[Any], Any], chunk: Chunk, *parts: dict[str, np.ndarray]) -> Any:
    with one_blas_thread():
        return function(_view(chunk, parts))


def _step(function: Callable[[Any, Any], Any], state: Any, chunk: Chunk, *parts: dict[str, np.ndarray]) -> Any:
    with one_blas_thread():
        return function(state, _view(chunk, parts))


def _merge_some(merge: Callable[[Any, Any], Any], *parts: Any) -> Any:
    whole = parts[0]
    for part in parts[1:]:
        whole = merge(whole, part)
    return whole


def _merge_some_with(merge: Callable[[Any, Any], Any], *parts: Any) -> Any:
    # Dask may give these very objects to another task, or compute this one again: the first is not written to.
    import copy

    return _merge_some(merge, copy.deepcopy(parts[0]), *parts[1:])
