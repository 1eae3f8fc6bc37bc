"""The target column as class labels or as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.table._column import Column

# Whole numbers with more distinct values are a quantity, not a class.
MOST_NUMERIC_CLASSES = 100


def labels(column: Column) -> np.ndarray:
    """Return the class of each row; no value may be missing.

    The classes may be whole numbers, with at most `MOST_NUMERIC_CLASSES` distinct values.
    """
    if column.kind == "text":
        words: np.ndarray = column.data.astype(str)
        return words
    if column.kind == "nominal":
        found: np.ndarray = _as_array(column.categories)[column.data]
        return found
    whole = column.data.astype(np.int64)
    n_distinct = column.n_distinct
    if column.is_date or np.any(whole != column.data) or n_distinct > MOST_NUMERIC_CLASSES:
        raise InputError(
            f"the target {column.name!r} is continuous ({n_distinct} distinct numbers, for instance "
            f"{column.data[0]:g}): choose another column, use a regressor, or declare it nominal "
            f'(levels={{{column.name!r}: "nominal"}}).'
        )
    return whole


def numbers(column: Column) -> np.ndarray:
    """Return the number of each row, for regression."""
    if column.kind != "numeric":
        raise InputError(f"the target {column.name!r} holds {column.kind} values: a regressor needs numbers.")
    return column.data


def _as_array(categories: tuple[Any, ...]) -> np.ndarray:
    """Return the categories with the dtype they have in common; as objects if 1 and "1" would become equal."""
    kinds = set(map(type, categories))
    if kinds == {str}:
        return np.array(categories, dtype=np.str_)
    if len(kinds) == 1 or kinds == {int, float}:
        return np.array(categories)
    out = np.empty(len(categories), dtype=object)
    out[:] = categories
    return out
