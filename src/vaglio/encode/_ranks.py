"""Exact ranks of numeric columns: what trees and rules need to know of a number is only its order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MISSING_RANK = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Ranks:
    """Rank of every value within its column, and the distinct values the ranks stand for.

    Attributes
    ----------
    ranks : ndarray of uint32, shape (n, p), Fortran order
        ``values[j][ranks[i, j]]`` is the value of row i in column j; ``MISSING_RANK`` marks a missing one.
    values : list of ndarray of float64
        The distinct values of each column, ascending.
    """

    ranks: np.ndarray
    values: list[np.ndarray]


def rank_columns(block: np.ndarray) -> Ranks:
    """Rank each column of a float block; NaN is missing."""
    ranks = np.empty(block.shape, dtype=np.uint32, order="F")
    values = []
    for j in range(block.shape[1]):
        distinct, inverse = np.unique(block[:, j], return_inverse=True, equal_nan=True)
        if distinct.size and np.isnan(distinct[-1]):
            inverse = np.where(inverse == distinct.size - 1, MISSING_RANK, inverse)
            distinct = distinct[:-1]
        ranks[:, j] = inverse
        values.append(distinct)
    return Ranks(ranks, values)
