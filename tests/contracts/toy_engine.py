"""A toy engine, rows in a list of tables: the one file that an engine is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vaglio.engines.engine import Engine
from vaglio.engines.passes import Gather, Keep, Kept, SequentialPass, WholeArrays
from vaglio.engines.raw import Recoding, Wanted, raw_chunks
from vaglio.engines.sources import CHUNK, Source, register
from vaglio.engines.survey import Survey
from vaglio.table import Table
from vaglio.table.scanned import Change, RowShare, group_keys


@dataclass(frozen=True)
class Pages:
    """A table in pages; ``first`` is the number of the first row of each."""

    pages: tuple[Table, ...]
    name: str = ""

    @property
    def columns(self) -> list[str]:
        return list(self.pages[0].columns)

    def select(self, names: list[str]) -> Pages:
        return Pages(tuple(page.select(names) for page in self.pages))

    def column(self, name: str) -> Pages:
        return Pages(tuple(page.select([name]) for page in self.pages), name)


@dataclass(frozen=True, eq=False)
class PagesSource(Source):
    place: ClassVar[str] = "in pages"
    by: Any = None

    @property
    def group(self) -> str | None:
        return None if self.by is None else self.by.name

    def grouped(self, column: str) -> PagesSource:
        return replace(self, X=self.X.select([n for n in self.columns if n != column]), by=self.X.column(column))

    @classmethod
    def of_table(cls, table: Pages, target: str) -> PagesSource:
        return cls(table.select([name for name in table.columns if name != target]), table.column(target))

    def __len__(self) -> int:
        return sum(map(len, self.X.pages))

    @property
    def key(self) -> str:
        return f"{len(self)} {self.columns}"

    def example(self) -> Table:
        return self.X.pages[0][:8]

    def engine(self, regression: bool, threads: int, report: Any) -> Engine:
        whole, target, weights = self.together()
        return PagesEngine(whole.X.pages, Wanted(tuple(self.columns), target, weights, regression))

    def tables(self, function: Callable[[Table], Any], rows: int = CHUNK) -> Iterator[Any]:
        return (function(page) for page in self.X.pages if len(page))

    def together(self) -> tuple[PagesSource, str, str | None]:
        further = [each for each in (self.y, self.weight, self.by) if each is not None]
        parts = zip(self.X.pages, *(each.pages for each in further))
        pages = (x.with_columns([own.column(own.columns[0]) for own in more]) for x, *more in parts)
        return PagesSource(Pages(tuple(pages))), self.y.name, None if self.weight is None else self.weight.name

    def select(self, names: list[str]) -> PagesSource:
        return replace(self, X=self.X.select(names))

    def _changed(self, of_page: Callable[[Table, np.ndarray], Table]) -> PagesSource:
        whole, target, weights = self.together()
        numbers = np.cumsum([0, *map(len, whole.X.pages)])
        pages = (of_page(page, np.arange(n, n + len(page))) for page, n in zip(whole.X.pages, numbers))
        changed = Pages(tuple(page for page in pages if len(page)))
        weight = None if weights is None else changed.column(weights)
        by = None if self.group is None else changed.column(self.group)
        return PagesSource(changed.select(self.columns), changed.column(target), weight, by)

    def taking(self, share: RowShare) -> PagesSource:
        def taken(page: Table, numbers: np.ndarray) -> Table:
            keys = numbers if self.group is None else group_keys(page.column(self.group), numbers)
            return page.take(np.flatnonzero(share.takes(keys)))

        return self._changed(taken)

    def changing(self, change: Change) -> PagesSource:
        return self._changed(change)

    def leading(self, share: float) -> PagesSource:
        n = max(1, round(share * len(self.X.pages)))
        return PagesSource(Pages(self.X.pages[:n]), Pages(self.y.pages[:n], self.y.name))

    def apply(self, function: Callable[[Table], np.ndarray], names: tuple[str, ...], empty: np.ndarray) -> np.ndarray:
        return np.concatenate([function(page) for page in self.X.pages])


class PagesEngine(Engine):
    def __init__(self, pages: tuple[Table, ...], wanted: Wanted) -> None:
        self.raw = list(raw_chunks(pages, wanted, "a page"))
        self.starts = np.cumsum([0, *(raw.n_rows for raw in self.raw)]).tolist()
        self.kept: dict[str, list[dict[str, np.ndarray]]] = {}

    def survey(self) -> Survey | None:
        whole = None
        for raw in self.raw:
            whole = Survey.of(raw) if whole is None else whole.merge(Survey.of(raw))
        return whole

    def encode(self, plan: Recoding) -> None:
        self.plan = plan

    def answer(self, request: Any) -> Any:
        views = [self.view(at, request) for at in range(len(self.raw))]
        if isinstance(request, SequentialPass):
            state = request.state
            for view in views:
                state = request.step(state, view)
            return state
        if isinstance(request, Keep):
            self.kept[request.name] = [request.make(view) for view in views]
            return None
        if isinstance(request, Gather):
            whole = WholeArrays(self.starts[-1])
            for start, view in zip(self.starts, views):
                whole.put(start, request.make(view))
            return whole.arrays
        answer, *others = (request.summarize(view) for view in views)
        for other in others:
            answer = request.merge(answer, other)
        return answer

    def view(self, at: int, request: Any) -> Any:
        raw, start = self.raw[at], self.starts[at]
        if request.of:
            parts = [self.kept[name][at] for name in request.of]
            return Kept({name: array for part in parts for name, array in part.items()}, start, raw.n_rows)
        choose = getattr(request, "choose", None)
        if choose is None:
            return raw.chunk(self.plan, start)
        places = choose(start, raw.n_rows)
        return replace(raw.take(places).chunk(self.plan, start), places=places)

    def close(self) -> None:
        self.kept = {}


register(lambda X: isinstance(X, Pages), lambda: PagesSource)
