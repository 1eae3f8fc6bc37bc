"""Codes for the values of any column, for counting: small whole numbers from 0, and −1 for a missing value."""

from __future__ import annotations

import numpy as np

from vaglio.table import Column

__all__ = ["contingency", "distinct_codes", "value_codes"]


def distinct_codes(values: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each value, and the distinct values in ascending order.

    >>> codes, distinct = distinct_codes(np.array(["b", "a", "b"]), np.array([False, False, True]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, -1], ['a', 'b'])
    """
    codes = np.full(len(values), -1, dtype=np.int64)
    distinct, codes[~missing] = np.unique(values[~missing], return_inverse=True)
    return codes, distinct


def value_codes(column: Column, max_bins: int = 10) -> np.ndarray:
    """Return the code of each value; a column of more than ``max_bins`` different numbers is cut at quantiles."""
    if column.kind == "nominal":
        return column.data.astype(np.int64)
    missing = column.missing
    codes, distinct = distinct_codes(column.data, missing)
    if column.kind == "text" or len(distinct) <= max_bins:
        return codes
    values = column.data[~missing]
    edges = np.unique(np.quantile(values, np.linspace(0, 1, max_bins + 1)[1:-1]))
    codes[~missing] = np.searchsorted(edges, values, side="left")
    return codes


def contingency(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return how often each pair of codes occurs, without empty rows and columns; missing values are not counted."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    if not len(a):
        return np.zeros((0, 0), dtype=np.int64)
    width = int(b.max()) + 1
    # One number per pair of codes: counting numbers is much faster than counting pairs.
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width)
    filled: np.ndarray = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled
