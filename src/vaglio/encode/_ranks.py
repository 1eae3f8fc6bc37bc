"""Exact ranks of numeric columns: what trees and rules need to know of a number is only its order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio import _core

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


def rank_columns(block: np.ndarray, threads: int = 1) -> Ranks:
    """Rank each column of a float block; NaN is missing."""
    return Ranks(*_core.rank_columns(block, n_threads=threads))
