"""The engine of one machine: chunks from disk, several at a time, within a limit of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.engines.engine import Engine, ScannedPart
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, Request, Walk, WholeArrays
from vaglio.engines.raw import Recoding
from vaglio.engines.spill import Spill, packed, unpacked
from vaglio.engines.survey import Survey
from vaglio.engines.work_settings import Settings
from vaglio.errors import InputError
from vaglio.runtime.memory import give_back_memory, resident_memory
from vaglio.runtime.progress import Report
from vaglio.table.lazy import give_back_reading

# Rows of a chunk at least and at most: fewer cost more per row, more profit nothing.
_LEAST_ROWS, _MOST_ROWS = 1 << 10, 1 << 18
# Copies of a chunk that reading, encoding and summarizing hold at the same time, per thread.
_COPIES = 12
# What libraries take besides: modules that are first needed here, and what pyarrow reads ahead; more of it for text.
_APART, _APART_OF_TEXT = 128 << 20, 160 << 20


@dataclass(frozen=True)
class _Held:
    """A chunk that was read: the name of its arrays, and what else it has."""

    name: str
    rest: dict[str, Any]
    start: int


class LocalEngine(Engine):
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
        """Look at all rows once."""
        total = sum(held.rest["n_rows"] for held in self._held)
        done, answer = 0, None
        if isinstance(request, Pass | Gather) and request.holds:
            # The chunks under way have their third, as in every pass.
            self.spill.shrink(max(0, self.room - self.room // 3 - request.holds))
            give_back_reading()
            give_back_memory()
        if isinstance(request, Walk):
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
            f"A memory limit of {memory >> 20} MB is too small for this table: the program itself holds {held >> 20} "
            f"MB, and {(least >> 20) + 1} MB is the least that works."
        )
    return int(min(rows, _MOST_ROWS))
