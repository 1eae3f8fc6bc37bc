"""Rows chosen by the hash of their global index: the same rows on any partitioning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.runtime.seeds import row_hash
from vaglio.scale.passes import Chunk, Pass

__all__ = ["Rows", "all_rows", "row_hash", "rows_pass", "sample_pass"]


@dataclass(frozen=True)
class Rows:
    """Some rows of the table, in the order of their global index."""

    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray | None
    index: np.ndarray

    def take(self, rows: np.ndarray) -> Rows:
        """Return the rows at these positions."""
        weight = None if self.weight is None else self.weight[rows]
        taken = self.matrix.take(rows)
        # One layout, whoever took the rows: sums over columns add in another order in another layout.
        taken.numeric = np.asfortranarray(taken.numeric)
        return Rows(taken, self.y[rows], weight, self.index[rows])

    def merge(self, other: Rows) -> Rows:
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
        return Rows(matrix, y, weight, np.concatenate([self.index, other.index])[order])


def sample_pass(n: int, seed: int, name: str = "sample of rows") -> Pass:
    """Return the pass that gathers the ``n`` rows with the smallest hashes; all rows, if there are no more.

    Its answer is :class:`Rows`.
    """
    return Pass(name, partial(_smallest, n, seed), partial(_merge_smallest, n, seed))


def rows_pass(wanted: np.ndarray, name: str = "rows to describe") -> Pass:
    """Return the pass that gathers the rows of these global indices, given in order and once each."""
    return Pass(name, partial(_wanted, wanted))


def all_rows(chunk: Chunk) -> Rows:
    """Return a chunk as rows."""
    return Rows(chunk.matrix, chunk.y, chunk.weight, chunk.index)


def _smallest(n: int, seed: int, chunk: Chunk) -> Rows:
    return _cut(all_rows(chunk), n, seed)


def _merge_smallest(n: int, seed: int, a: Rows, b: Rows) -> Rows:
    return _cut(a.merge(b), n, seed)


def _cut(rows: Rows, n: int, seed: int) -> Rows:
    if len(rows.index) <= n:
        return rows
    # The hash is one to one, so that no two rows tie.
    found = np.argpartition(row_hash(rows.index, seed), n)[:n]
    return rows.take(np.sort(found))


def _wanted(wanted: np.ndarray, chunk: Chunk) -> Rows:
    inside = wanted[np.searchsorted(wanted, chunk.start) : np.searchsorted(wanted, chunk.start + chunk.n_rows)]
    return all_rows(chunk).take(inside - chunk.start)
