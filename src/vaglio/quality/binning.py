"""Values of any column as small whole numbers, for counting."""

from __future__ import annotations

import numpy as np

from vaglio.table import Column

__all__ = ["contingency", "value_codes"]


def value_codes(column: Column, max_bins: int = 10) -> np.ndarray:
    """Codes of the values, −1 for missing; numbers with many values are cut at quantiles."""
    if column.kind == "nominal":
        return column.data.astype(np.int64)
    present = ~column.missing
    codes = np.full(len(column), -1, dtype=np.int64)
    values = column.data[present]
    if column.kind == "text":
        lookup: dict[str, int] = {}
        codes[present] = [lookup.setdefault(value, len(lookup)) for value in values.tolist()]
        return codes
    distinct, inverse = np.unique(values, return_inverse=True)
    if len(distinct) <= max_bins:
        codes[present] = inverse
        return codes
    edges = np.unique(np.quantile(values, np.linspace(0, 1, max_bins + 1)[1:-1]))
    codes[present] = np.searchsorted(edges, values, side="left")
    return codes


def contingency(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How often each pair of codes occurs, rows and columns without any left out; missing ones are not counted."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    if not len(a):
        return np.zeros((0, 0), dtype=np.int64)
    width = int(b.max()) + 1
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width)
    table = table[table.sum(axis=1) > 0]
    return table[:, table.sum(axis=0) > 0]
