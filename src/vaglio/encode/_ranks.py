"""Exact ranks of numeric columns: trees and rules use only the order of the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vaglio import _core

# The largest uint32: missing values sort behind all others.
MISSING_RANK = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Ranks:
    """The rank of every value within its column, and a row that has the value of each rank.

    Attributes
    ----------
    numeric : ndarray of float64, shape (n, p)
        The ranked block itself.
    ranks : ndarray of uint32, shape (n, p), Fortran order
        ``values[j][ranks[i, j]]`` is the value of row i in column j; ``MISSING_RANK`` marks a missing one.
    firsts : list of ndarray of uint32
        Per column the first row of each rank. Trees look up the few values they need in these rows, which takes half
        the memory of storing the values.
    """

    numeric: np.ndarray
    ranks: np.ndarray
    firsts: list[np.ndarray]

    @cached_property
    def values(self) -> list[np.ndarray]:
        """The distinct values of each column, ascending."""
        return [self.numeric[rows, j] + 0.0 for j, rows in enumerate(self.firsts)]


def rank_columns(block: np.ndarray, threads: int = 1) -> Ranks:
    """Rank each column of a float block; NaN is missing."""
    return Ranks(block, *_core.rank_columns(block, n_threads=threads))
