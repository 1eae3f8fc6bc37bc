"""Rows that are not in memory, whoever holds them; and what is computed from them when it is looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.table._frames import as_frame
from vaglio.table._table import Table
from vaglio.table._write import TableWriter
from vaglio.table.lazy.lazy_table import CHUNK_ROWS, LazyTable
from vaglio.typing import TableLike


def is_dask(thing: Any) -> bool:
    """Return whether something is a collection of Dask; Dask need not be installed for the answer no."""
    return hasattr(thing, "__dask_graph__")


def is_outside_memory(X: TableLike) -> bool:
    """Return whether rows are not in memory: a lazy table, or a frame of Dask."""
    return isinstance(X, LazyTable) or is_dask(X)


@dataclass(frozen=True)
class LazyResult:
    """One value, or one row of values, for each row of a lazy table, computed when it is looked at.

    Attributes
    ----------
    table : LazyTable
    compute : callable
        From a Table to an array with as many rows.
    names : tuple of str
        Names of the columns when the result is written.
    """

    table: LazyTable
    compute: Callable[[Table], np.ndarray]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.table)

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[np.ndarray]:
        """Compute the result one chunk after the other.

        Parameters
        ----------
        rows : int, default=65536
            Rows per chunk at most.

        Yields
        ------
        ndarray
        """
        for table in self.table.chunks(rows):
            if len(table):
                yield self.compute(table)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        whole = list(self.chunks())
        empty = np.empty((0,) if len(self.names) == 1 else (0, len(self.names)))
        return np.asarray(np.concatenate(whole) if whole else empty, dtype=dtype)

    def write(self, path: str | os.PathLike[str], rows: int = CHUNK_ROWS) -> None:
        """Write the result to a file, chunk by chunk: CSV, Parquet or JSON lines, by the end of its name.

        Parameters
        ----------
        path : str or path-like
        rows : int, default=65536
        """
        with TableWriter(path) as writer:
            for values in self.chunks(rows):
                columns = values[:, None] if values.ndim == 1 else values
                writer.write(as_frame({name: columns[:, at] for at, name in enumerate(self.names)}))
