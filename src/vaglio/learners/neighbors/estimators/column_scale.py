"""The typical difference of two rows in each column, from rows in memory or on disk: the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

# Rows whose numbers are added up before the sums are: the rows of a part on disk are a multiple of it, so that sums
# have the same bits wherever parts end.
BLOCK = 4096


def typical_differences(numeric: np.ndarray) -> np.ndarray:
    """Return the root mean square difference of two rows in each column: √2 times the standard deviation.

    1 where a column has no known values or they are all equal.
    """
    return typical_differences_of_parts(lambda: (numeric,), numeric.shape[1])


def typical_differences_of_parts(parts: Callable[[], Iterable[np.ndarray]], columns: int) -> np.ndarray:
    """Return the same for rows that are read part by part, three times.

    Columns are divided by their largest number first, so that no square overflows.
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
