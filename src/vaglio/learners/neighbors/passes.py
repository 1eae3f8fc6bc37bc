"""Nearest neighbours out of core: rows are written to files, searched part by part, and the best k are merged."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from vaglio.encode import EncodedMatrix, Feature, guarded_from, reliability, reliability_for_numbers
from vaglio.engines.passes import Chunk, SequentialPass, TableSummary
from vaglio.engines.spill import Spill
from vaglio.engines.work_settings import present_settings
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.inputs import note_reliability
from vaglio.learners.neighbors.model import Neighbors
from vaglio.messages.message import Option, text
from vaglio.model.base import State
from vaglio.runtime.memory import resident_memory, usable_memory

# Rows whose numbers are added up before the sums are: the rows of a part on disk are a multiple of it, so that sums
# have the same bits wherever parts end.
BLOCK = 4096
# What a model file takes while it is written and checked, in copies of the rows.
_COPIES = 4
_NAMES = ("numeric", "codes", "target", "weight")
# Of the bytes of a pass, the share that the rows of one file take: they are held as numbers, scaled, and as an index.
_PART_SHARE = 8
# What is held of each row while a nominal column of many values is weighed against a number (codes, sums, squares), or
# while K is chosen (its target and its folds).
_BYTES_PER_ROW = 64


def typical_differences(parts: Callable[[], Iterable[np.ndarray]], columns: int) -> np.ndarray:
    """Return the root mean square difference of two rows in each column: √2 times the standard deviation.

    1 where a column has no known values or they are all equal. The parts are read three times; columns are divided by
    their largest number first, so that no square overflows.
    """
    size, count = np.full(columns, np.finfo(float).tiny), np.zeros(columns, dtype=np.int64)
    for block, missing in _blocks(parts()):
        size = np.maximum(size, np.abs(_filled(block, missing)).max(axis=0))
        count += len(block) - (0 if missing is None else missing.sum(axis=0))
    count = np.maximum(count, 1)
    total = np.zeros(columns)
    for block, missing in _blocks(parts()):
        total += (_filled(block, missing) / size).sum(axis=0)
    squares, mean = np.zeros(columns), total / count
    for block, missing in _blocks(parts()):
        squares += (_filled(block / size - mean, missing) ** 2).sum(axis=0)
    relative = np.sqrt(2 * squares / count)
    # Numbers that differ by less than their rounding do not differ.
    scale = np.where(relative > 4 * np.finfo(float).eps, relative * size, 1.0)
    return np.where(np.isfinite(scale), scale, np.finfo(float).max)


def _filled(block: np.ndarray, missing: np.ndarray | None) -> np.ndarray:
    return block if missing is None else np.where(missing, 0.0, block)


def _blocks(parts: Iterable[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Yield some rows, and which of their values are missing; None if none is."""
    for part in parts:
        for start in range(0, len(part), BLOCK):
            # One layout: sums over columns add in another order in another layout.
            block = np.asfortranarray(part[start : start + BLOCK])
            missing = np.isnan(block)
            yield block, missing if missing.any() else None


def refuse_out_of_core(task: str) -> NoReturn:
    """Raise the error for a task that needs the rows in memory."""
    raise NotSupportedError(
        "rows-on-disk",
        "The rows of this model are on disk because they did not fit in memory. It predicts and "
        "finds neighbours. To {task}, train with a higher memory limit or on a sample ({sample}).",
        task=task,
        sample=Option("data.sample(N)", flag="--sample N"),
    )


@dataclass(frozen=True)
class RowPart:
    """Rows that follow each other, as :class:`Neighbors` holds them; ``start`` is the number of the first."""

    start: int
    numeric: np.ndarray
    codes: np.ndarray
    target: np.ndarray
    weight: np.ndarray

    def only(self, wanted: np.ndarray) -> RowPart:
        """Return some of the rows, by a mark for each row of the table; their own numbers are lost."""
        here = wanted[self.start : self.start + len(self.target)]
        weight = self.weight[here] if self.weight.size else self.weight
        return RowPart(self.start, self.numeric[here], self.codes[here], self.target[here], weight)


@dataclass(frozen=True)
class _Found:
    """The nearest of the rows seen so far, nearest first, one line per query; equal ones in the order of the rows."""

    rows: np.ndarray
    ranks: np.ndarray  # distances in the metric's own order: their roots may be equal where they are not
    target: np.ndarray
    weight: np.ndarray

    @classmethod
    def among(cls, part: RowPart, how: Neighbors, queries: Any, k: int, threads: int) -> _Found:
        held = replace(how, numeric=part.numeric, codes=part.codes, target=part.target, weight=part.weight)
        rows, ranks = held.search_for(queries, k, threads, ranked=True)
        weight = part.weight[rows] if part.weight.size else np.empty((len(rows), 0))
        return cls(rows + part.start, ranks, part.target[rows], weight)

    def merge(self, later: _Found, k: int) -> _Found:
        """Return the k nearest of both; ``later`` has rows of higher numbers, which a stable sort keeps behind."""
        order = np.argsort(np.hstack([self.ranks, later.ranks]), axis=1, kind="stable")[:, :k]

        def chosen(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            both = np.hstack([a, b])
            return np.take_along_axis(both, order, axis=1) if both.size else both

        pairs = [(getattr(self, name), getattr(later, name)) for name in ("rows", "ranks", "target", "weight")]
        return _Found(*(chosen(a, b) for a, b in pairs))

    @classmethod
    def in_parts(cls, parts: Iterable[RowPart], how: Neighbors, matrix: EncodedMatrix, k: int) -> _Found:
        queries = how.as_queries(matrix)
        best: _Found | None = None
        for part in parts:
            here = cls.among(part, how, queries, k, matrix.threads)
            best = here if best is None else best.merge(here, k)
        assert best is not None
        return best


def together(how: Neighbors, parts: Iterable[RowPart]) -> Neighbors:
    """Return a model that holds these rows."""
    held = list(parts)
    return replace(
        how,
        numeric=np.concatenate([part.numeric for part in held]),
        codes=np.concatenate([part.codes for part in held]),
        target=np.concatenate([part.target for part in held]),
        weight=np.concatenate([part.weight for part in held]),
    )


@dataclass(frozen=True, eq=False)
class OutOfCoreNeighbors:
    """Training rows out of core, and how their distance and their vote are measured.

    Attributes
    ----------
    rows : RowFiles
    how : Neighbors
        A model without rows: metric, votes, k.
    """

    kind: ClassVar[str] = "neighbors"

    rows: RowFiles
    how: Neighbors

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    @property
    def n_classes(self) -> int:
        return self.how.n_classes

    @property
    def k(self) -> int:
        return self.how.k

    def size(self) -> dict[str, int]:
        return {**self.how.size(), "rows": self.n_rows}

    def nearest(self, matrix: EncodedMatrix | None, k: int, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and distances of the k nearest, nearest first, ties to the lowest row."""
        if matrix is None:
            refuse_out_of_core(text("find the neighbours of all of them at once"))
        found = _Found.in_parts(self.rows.parts(), self.how, matrix, k)
        return found.rows, self.how.distances_of(found.ranks, matrix.threads)

    def _voting(
        self, parts: Iterable[RowPart], matrix: EncodedMatrix, k: int
    ) -> tuple[Neighbors, np.ndarray, np.ndarray]:
        """Return a model that holds the neighbours of all queries, their places in it, and their distances."""
        found = _Found.in_parts(parts, self.how, matrix, k)
        held = replace(self.how, target=found.target.ravel(), weight=found.weight.ravel())
        places = np.arange(found.rows.size).reshape(found.rows.shape)
        return held, places, self.how.distances_of(found.ranks, matrix.threads)

    def read_targets(self) -> np.ndarray:
        """Return the target of every row."""
        return np.concatenate([part.target for part in self.rows.parts()])

    def hold_out(
        self, train: np.ndarray, test: np.ndarray, k: int, threads: int
    ) -> tuple[Neighbors, np.ndarray, np.ndarray, np.ndarray]:
        """Return what :meth:`Neighbors.hold_out` does, bit by bit; of the training rows one part is held at a time."""
        kept, asked_for = np.zeros(self.n_rows, dtype=bool), np.zeros(self.n_rows, dtype=bool)
        kept[train], asked_for[test] = True, True
        asked = together(self.how, (part.only(asked_for) for part in self.rows.parts()))
        queries = asked.stored()
        queries.threads = threads
        held, places, distances = self._voting((part.only(kept) for part in self.rows.parts()), queries, k)
        return asked, held.target[places], distances, held.relative_weights(places)

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        held, places, distances = self._voting(self.rows.parts(), matrix, self.k)
        return held.proba_of(places, distances, matrix.threads)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the weighted mean of the neighbours, for a model of numbers."""
        held, places, distances = self._voting(self.rows.parts(), matrix, self.k)
        return held.mean_of(places, distances)

    # -- what needs the rows in memory --------------------------------------------------------------------------------
    def in_memory(self, what: str) -> Neighbors:
        """Return the model that holds its rows, if the machine has room for ``what``."""
        self.rows.refuse_together(what)
        return together(self.how, self.rows.parts())

    def state(self) -> State:
        return self.in_memory(text("save it (a model file contains the rows and is read into memory)")).state()

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Neighbors:
        return Neighbors.from_state(arrays, meta, features, n_classes)

    def _absent(self) -> Any:
        refuse_out_of_core(text("explain its decisions, export it or add rows"))

    # What other packages ask a model of neighbours for.
    numeric = codes = target = weight = scaled = scale = reliability = absent = property(_absent)
    metric = power = vote = search = voters = vote_weights = of_rows = stored = adding = property(_absent)


class RowFiles:
    """Rows in files of about the same size, in the spill folder; they are removed with the model.

    A copy that is sent to another process reads the same files, if it can see them; they belong to the process that
    wrote them.

    Parameters
    ----------
    folder : Path or None
        Where a folder for the files is made; None is that of temporary files.
    part_bytes : int
        What the rows of one file may take in memory.
    """

    def __init__(self, folder: Path | None, part_bytes: int) -> None:
        self._spill = Spill(0, folder)
        self._part_bytes = part_bytes
        self._lengths: list[int] = []
        self._waiting: list[tuple[np.ndarray, ...]] = []
        self._remover = weakref.finalize(self, _remove, self._spill, os.getpid())

    @property
    def n_rows(self) -> int:
        """Number of rows that are written."""
        return sum(self._lengths)

    def add(self, chunk: Chunk) -> None:
        """Write rows that follow those that were given before."""
        matrix = chunk.matrix
        weight = np.empty((chunk.n_rows, 0)) if chunk.given is None else chunk.given[:, None]
        self._waiting.append((matrix.numeric_rows, matrix.code_rows, chunk.y, weight))
        width = matrix.numeric.shape[1] * 8 + matrix.codes.shape[1] * 4 + 16
        rows = max(1, self._part_bytes // width // BLOCK) * BLOCK
        if sum(len(each[2]) for each in self._waiting) >= rows:
            joined = self._joined()
            full = len(joined[2]) // rows * rows
            for start in range(0, full, rows):
                self._write(tuple(array[start : start + rows] for array in joined))
            if full < len(joined[2]):
                self._waiting.append(tuple(array[full:].copy() for array in joined))

    def finish(self) -> None:
        """Write what is left."""
        if self._waiting:
            self._write(self._joined())

    def _joined(self) -> tuple[np.ndarray, ...]:
        joined = tuple(np.concatenate(arrays) for arrays in zip(*self._waiting))
        self._waiting.clear()
        return joined

    def _write(self, arrays: tuple[np.ndarray, ...]) -> None:
        self._spill.put(f"part-{len(self._lengths)}", dict(zip(_NAMES, arrays)))
        self._lengths.append(len(arrays[2]))

    def parts(self) -> Iterator[RowPart]:
        """Read all rows, part by part."""
        start = 0
        for at, length in enumerate(self._lengths):
            try:
                arrays = self._spill.get(f"part-{at}")
            except FileNotFoundError as error:
                raise InputError(
                    "rows-of-model-not-found",
                    "The rows of this model were in {folder}, which does not exist. They are removed with "
                    "the trained model, and other machines cannot see them.",
                    folder=Path(error.filename).parent,
                ) from None
            numeric, codes, target, weight = (arrays[name] for name in _NAMES)
            yield RowPart(start, numeric, codes, target, weight.ravel())
            start += length

    def refuse_together(self, what: str) -> None:
        """Raise an error if the memory of the machine does not hold all rows together, as ``what`` needs them."""
        first = next(self.parts())
        of_one = sum(array.nbytes for array in (first.numeric, first.codes, first.target, first.weight))
        needed = _COPIES * of_one * self.n_rows // max(1, len(first.target))
        free = usable_memory() - resident_memory()
        if needed > free:
            refuse_out_of_core(
                text(
                    "{task}, which takes about {needed:,} MB while {free:,} MB are free",
                    task=what,
                    needed=needed >> 20,
                    free=free >> 20,
                )
            )

    def close(self) -> None:
        """Remove the files."""
        self._remover()

    def __deepcopy__(self, memo: Any) -> RowFiles:
        return self  # the rows do not change any more

    def __reduce__(self) -> Any:
        return _elsewhere, (self._spill.folder, self._lengths)


def _elsewhere(folder: Path, lengths: list[int]) -> RowFiles:
    """Return rows that another process wrote and will remove."""
    found = RowFiles.__new__(RowFiles)
    found._spill, found._lengths = Spill.at(folder), lengths
    return found


def _remove(spill: Spill, owner: int) -> None:
    if os.getpid() == owner:  # not when a forked copy of the process ends
        spill.close()


def write_rows(facts: TableSummary) -> Generator[SequentialPass, Any, RowFiles]:
    """Ask for all rows, one chunk after the other, and write them to files."""
    files = RowFiles(present_settings().spill, facts.memory // _PART_SHARE)
    try:
        yield SequentialPass("rows to disk", files, _add_chunk, here=True)
        files.finish()
    except BaseException:
        files.close()
        raise
    return files


def refuse_folds(facts: TableSummary) -> None:
    """Refuse to choose K by folds if the folds of all rows do not fit in memory."""
    needed, allowed = facts.n_rows * _BYTES_PER_ROW, 2 * facts.memory
    if needed > allowed:
        raise NotSupportedError(
            "cross-validation-memory",
            "n_neighbors='cv' keeps the folds of all rows in memory, about {needed} MB, more than "
            "the memory limit of {allowed} MB. Give a number of neighbours (for example one selected "
            "on a sample, {sample}), or raise the limit.",
            needed=needed >> 20,
            allowed=allowed >> 20,
            sample=Option("data.sample(N)", flag="--sample N"),
        )


def _add_chunk(files: RowFiles, chunk: Chunk) -> RowFiles:
    files.add(chunk)
    return files


def reliability_of(estimator: Any, files: RowFiles, facts: TableSummary) -> np.ndarray:
    """Return how far each nominal column is believed, as from rows in memory, and note it."""
    features = facts.codebook.features
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    most = guarded_from(estimator.high_cardinality, facts.n_rows)
    found = np.ones(len(nominal))
    for q, j in enumerate(nominal):
        if len(features[j].categories) > most:
            of_column = _reliability_for_classes if facts.n_classes else _reliability_for_numbers
            found[q] = of_column(files, q, features[j], facts)
    if len(features) == len(nominal) and not found.any():
        found = np.ones_like(found)
    note_reliability(estimator, features, dict(zip(nominal, found.tolist())))
    return found


def _reliability_for_classes(files: RowFiles, q: int, feature: Feature, facts: TableSummary) -> float:
    values, k = len(feature.categories), facts.n_classes
    table, squares = np.zeros(values * k), np.zeros(values)
    for part in files.parts():
        known = part.codes[:, q] >= 0
        codes = part.codes[known, q].astype(np.int64)
        weight = part.weight[known] if part.weight.size else np.ones(len(codes))
        table = _added_up(table, codes * k + part.target[known], weight)
        squares = _added_up(squares, codes, weight**2)
    return reliability(table.reshape(values, k), squares)


def _added_up(sums: np.ndarray, cells: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Go on with sums: ``bincount`` adds one term after the other, so that they are those of all rows at once."""
    return np.bincount(np.concatenate([np.arange(len(sums)), cells]), np.concatenate([sums, terms]))


def _reliability_for_numbers(files: RowFiles, q: int, feature: Feature, facts: TableSummary) -> float:
    needed, allowed = facts.n_rows * _BYTES_PER_ROW, 2 * facts.memory
    if needed > allowed:
        raise NotSupportedError(
            "category-reliability-memory",
            "Column {column!r} has {n_categories:,} categories, and their reliability is computed "
            "from all rows at once, about {needed} MB, more than the memory limit of {allowed} MB. "
            "Raise the limit, leave the column out, or set high_cardinality=None.",
            column=feature.name,
            n_categories=len(feature.categories),
            needed=needed >> 20,
            allowed=allowed >> 20,
        )
    codes, target, weight = [], [], []
    for part in files.parts():
        known = part.codes[:, q] >= 0
        codes.append(part.codes[known, q].astype(np.int64))
        target.append(part.target[known])
        weight.append(part.weight[known] if part.weight.size else np.ones(len(codes[-1])))
    rows = np.concatenate(codes)
    return reliability_for_numbers(rows, np.concatenate(target), np.concatenate(weight)) if len(rows) else 1.0
