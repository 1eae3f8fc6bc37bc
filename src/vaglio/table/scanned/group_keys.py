"""Which rows of a table on disk are of one group: a number for the value of each row, the same in every file."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.runtime.seeds import row_hash
from vaglio.table._column import Column
from vaglio.table._table import Table
from vaglio.table.scanned.row_shares import RowShare, places_of

__all__ = ["Keyed", "group_folds", "group_keys", "group_split", "refuse_few_groups"]

# Numbers of 53 bits are exact as floating-point numbers, too.
_BITS = 53


def group_keys(column: Column, index: np.ndarray) -> np.ndarray:
    """Return a number for the value of each row; a row without value is a group of its own.

    Parameters
    ----------
    column : Column
        Its values tell which rows belong together.
    index : int64 (n,)
        The numbers of the rows in the whole table.
    """
    alone = row_hash(index, 1)
    if column.kind == "numeric":
        values = column.data.astype(np.float64) + 0.0  # -0.0 is 0.0
        keys = row_hash(values.view(np.int64), 0)
    else:
        codes, words = _codes(column)
        keys = np.append(np.array([_hashed(word) for word in words], dtype=np.uint64), np.uint64(0))[codes]
    found: np.ndarray = (np.where(column.missing, alone, keys) >> np.uint64(64 - _BITS)).astype(np.int64)
    return found


def _codes(column: Column) -> tuple[np.ndarray, list[Any]]:
    """Return which of the words each row has, -1 for none, and the words: those that occur."""
    if column.kind == "nominal":
        used, codes = np.unique(column.data, return_inverse=True)
        return codes, [None if code < 0 else column.categories[code] for code in used.tolist()]
    words = np.where(column.missing, "", column.data).astype(str)
    used, codes = np.unique(words, return_inverse=True)
    return codes, used.tolist()


def _hashed(word: Any) -> int:
    return int.from_bytes(blake2b(str(word).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Keyed:
    """Puts the number of the group of each row in place of the values of a column.

    Attributes
    ----------
    group, into : str
        The column of the groups, and the one that is replaced.
    """

    group: str
    into: str

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        return table.with_column(Column.numeric(self.into, group_keys(table.column(self.group), index)))


def group_folds(keys: np.ndarray, n_splits: int, seed: int) -> list[RowShare]:
    """Return shares of about as many rows that divide no group.

    Parameters
    ----------
    keys : int64 (n,)
        The group of each row that is divided.
    n_splits : int
    seed : int
    """
    places, until = _ordered(keys, n_splits, seed)
    cuts = [0]
    for fold in range(1, n_splits):
        wanted = int(np.searchsorted(until, until[-1] * fold / n_splits, side="left")) + 1
        # Every fold has a group, however large the first ones are.
        cuts.append(min(max(wanted, cuts[-1] + 1), len(places) - n_splits + fold))
    ends = [0.0, *places[cuts[1:]].tolist(), 1.0]
    return [RowShare(low, high, seed) for low, high in pairwise(ends)]


def group_split(keys: np.ndarray, share: float, seed: int) -> RowShare:
    """Return about this share of the rows, without dividing a group.

    Parameters
    ----------
    keys : int64 (n,)
        The group of each row that is divided.
    share : float
    seed : int
    """
    places, until = _ordered(keys, 2, seed)
    before = np.append(0, until[:-1])
    cut = int(np.argmin(np.abs(before - share * until[-1])))
    return RowShare(0.0, float(places[min(max(cut, 1), len(places) - 1)]), seed)


def _ordered(keys: np.ndarray, parts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the groups are between 0 and 1, in order, and how many rows there are up to each."""
    groups, rows = np.unique(keys, return_counts=True)
    refuse_few_groups(len(groups), parts)
    places = places_of(groups, seed)
    order = np.argsort(places, kind="stable")
    return places[order], np.cumsum(rows[order])


def refuse_few_groups(n: int, parts: int) -> None:
    """Raise an error if so many groups cannot be divided into so many parts."""
    if n < parts:
        raise InputError(
            "too-few-groups", "{n:,} {n:group|groups} cannot be divided into {parts:,} parts.", n=n, parts=parts
        )
