"""Some of the rows of a table on disk, chosen by the hash of their number: nothing is sorted, and nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from vaglio.runtime.seeds import row_hash
from vaglio.table._table import Table

Change = Callable[[Table, np.ndarray], Table]
# Rows whose hashes are computed at a time.
_AT_ONCE = 1 << 20
# The hash is used to 53 bits, so that shares are exact numbers.
_BITS = 53


@dataclass(frozen=True)
class RowShare:
    """A share of the rows, or all others.

    Attributes
    ----------
    low, high : float
        Of the numbers from 0 to 1 that the hashes are, those from ``low`` up to, but not including, ``high``.
    seed : int
    inside : bool
        Whether the rows of the share are taken, or those outside of it.
    """

    low: float
    high: float
    seed: int
    inside: bool = True

    def takes(self, index: np.ndarray) -> np.ndarray:
        """Return which rows are taken, by their numbers in the whole table or by the numbers of their groups."""
        place = places_of(index, self.seed)
        within = (place >= self.low) & (place < self.high)
        return within if self.inside else ~within


def places_of(index: np.ndarray, seed: int) -> np.ndarray:
    """Return the number from 0 to 1 that the hash of each number is."""
    return np.ldexp((row_hash(index, seed) >> np.uint64(64 - _BITS)).astype(np.float64), -_BITS)


def count_taken(shares: tuple[RowShare, ...], start: int, rows: int) -> int:
    """Return how many rows of a part are in all of the shares."""
    total = 0
    for first in range(start, start + rows, _AT_ONCE):
        index = np.arange(first, min(first + _AT_ONCE, start + rows))
        total += int(np.count_nonzero(_taken(shares, index)))
    return total


def take_shares(
    tables: Iterable[Table],
    shares: tuple[RowShare, ...],
    start: int,
    changes: tuple[Change, ...] = (),
    keys: Callable[[Table, np.ndarray], np.ndarray] | None = None,
) -> Iterator[Table]:
    """Return what the shares leave of tables that follow each other; the first row has the number ``start``.

    Each of the changes is given a table and the numbers of its rows, and returns the table changed. With ``keys``,
    rows are taken by what it returns for a table and the numbers of its rows.
    """
    for table in tables:
        index = np.arange(start, start + len(table))
        taken = _taken(shares, index if keys is None else keys(table, index))
        start += len(table)
        if not taken.any():
            continue
        left = table if taken.all() else table.take(np.flatnonzero(taken))
        for change in changes:
            left = change(left, index[taken])
        yield left


def _taken(shares: tuple[RowShare, ...], index: np.ndarray) -> np.ndarray:
    taken = np.ones(len(index), dtype=bool)
    for share in shares:
        taken &= share.takes(index)
    return taken
