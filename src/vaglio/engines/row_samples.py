"""Rows chosen by the hash of their global index: the same rows on any partitioning."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Chunk, Pass, TableSummary
from vaglio.runtime.seeds import row_hash

__all__ = [
    "EncodedRows",
    "Gathered",
    "all_rows",
    "gather_rows",
    "row_hash",
    "rows_pass",
    "sample_rows",
    "smallest_hashes",
]

# Rows that are hashed at a time: they stay in the cache.
_BLOCK = 1 << 16


@dataclass(frozen=True)
class EncodedRows:
    """Some rows of the table, in the order of their global index."""

    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray | None
    index: np.ndarray

    def take(self, rows: np.ndarray) -> EncodedRows:
        """Return the rows at these positions."""
        weight = None if self.weight is None else self.weight[rows]
        taken = self.matrix.take(rows)
        # One layout, whoever took the rows: sums over columns add in another order in another layout.
        taken.numeric = np.asfortranarray(taken.numeric)
        return EncodedRows(taken, self.y[rows], weight, self.index[rows])

    def merge(self, other: EncodedRows) -> EncodedRows:
        """Return the rows of both."""
        a, b = self.matrix, other.matrix
        order = np.argsort(np.concatenate([self.index, other.index]), kind="stable")
        text = {j: np.concatenate([a.text[j], b.text[j]])[order] for j in a.text}
        matrix = EncodedMatrix(
            a.features,
            np.asfortranarray(np.concatenate([a.numeric, b.numeric])[order]),
            np.asfortranarray(np.concatenate([a.codes, b.codes])[order]),
            text,
        )
        matrix.threads = a.threads
        weight = None
        if self.weight is not None and other.weight is not None:
            weight = np.concatenate([self.weight, other.weight])[order]
        y = np.concatenate([self.y, other.y])[order]
        return EncodedRows(matrix, y, weight, np.concatenate([self.index, other.index])[order])


def sample_rows(facts: TableSummary, n: int, seed: int) -> Generator[Pass, Any, EncodedRows]:
    """Ask for the ``n`` rows with the smallest hashes; for all, if there are no more."""
    gathered: Gathered = yield rows_pass(smallest_hashes(n, seed, facts.n_rows), "sample of rows")
    return gathered.joined(facts.threads)


def smallest_hashes(n: int, seed: int, rows: int) -> np.ndarray:
    """Return the global indices of the ``n`` rows with the smallest hashes, in order; all, if there are no more.

    Examples
    --------
    >>> from vaglio.engines.row_samples import smallest_hashes
    >>> len(smallest_hashes(10, 0, 100_000)), smallest_hashes(10, 0, 3).tolist()
    (10, [0, 1, 2])
    """
    if rows <= n:
        return np.arange(rows)
    # Hashes are even: nearly always enough of them are below this share, else it is doubled.
    share = (n + 8 * np.sqrt(n) + 8) / rows
    while True:
        bound = np.uint64(min(share, 1.0) * (2**64 - 2**11))
        blocks = (np.arange(first, min(first + _BLOCK, rows)) for first in range(0, rows, _BLOCK))
        found = np.concatenate([block[row_hash(block, seed) <= bound] for block in blocks])
        if len(found) >= n or share >= 1:
            break
        share *= 2
    # The hash is one to one, so that no two rows tie.
    return np.sort(found[np.argpartition(row_hash(found, seed), n - 1)[:n]])


def rows_pass(wanted: np.ndarray, name: str = "rows to describe") -> Pass:
    """Return the pass that gathers the rows of these global indices, given in order and once each.

    Its answer is :class:`Gathered`.
    """
    return Pass(name, _whole, choose=partial(_wanted, wanted))


def all_rows(chunk: Chunk) -> EncodedRows:
    """Return a chunk as rows."""
    return EncodedRows(chunk.matrix, chunk.y, chunk.weight, chunk.index)


def _wanted(wanted: np.ndarray, start: int, rows: int) -> np.ndarray:
    inside: np.ndarray = wanted[np.searchsorted(wanted, start) : np.searchsorted(wanted, start + rows)] - start
    return inside


@dataclass
class Gathered:
    """Rows of several parts, in any order of the parts."""

    parts: list[EncodedRows]

    def merge(self, other: Gathered) -> Gathered:
        """Return the parts of both: nothing is copied before all have arrived."""
        return Gathered(self.parts + other.parts)

    def joined(self, threads: int) -> EncodedRows:
        """Return the rows in their order; each part is let go once it is copied."""
        found = [part for part in self.parts if len(part.index)] or self.parts[:1]
        parts = sorted(found, key=lambda part: int(part.index[0]) if len(part.index) else 0, reverse=True)
        self.parts.clear()
        found.clear()
        first, n = parts[-1], sum(len(part.index) for part in parts)
        numeric, codes = (
            np.empty((n, block.shape[1]), dtype=block.dtype, order="F")
            for block in (first.matrix.numeric, first.matrix.codes)
        )
        y, weight = np.empty(n, first.y.dtype), None if first.weight is None else np.empty(n)
        index = np.empty(n, dtype=np.int64)
        features, place = first.matrix.features, 0
        del first
        while parts:
            part = parts.pop()
            rows = slice(place, place := place + len(part.index))
            numeric[rows], codes[rows], y[rows] = part.matrix.numeric, part.matrix.codes, part.y
            index[rows] = part.index
            if weight is not None:
                weight[rows] = part.weight
        matrix = EncodedMatrix(features, numeric, codes)
        matrix.threads = threads
        return EncodedRows(matrix, y, weight, index)


def bytes_of_rows(facts: TableSummary) -> int:
    """Return what all rows take in memory: a number per column, the target and the weight."""
    return 8 * facts.n_rows * (len(facts.codebook.features) + 2)


def gather_rows(facts: TableSummary) -> Generator[Pass, Any, EncodedRows]:
    """Ask for all rows; return them in their order, as a training in memory has them, with the weights as given."""
    gathered: Gathered = yield Pass("all rows", _as_given)
    return gathered.joined(facts.threads)


def _whole(chunk: Chunk) -> Gathered:
    return Gathered([all_rows(chunk)])


def _as_given(chunk: Chunk) -> Gathered:
    return Gathered([EncodedRows(chunk.matrix, chunk.y, chunk.given, chunk.index)])
