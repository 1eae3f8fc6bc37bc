"""Changes of the values that keep their meaning, per measurement level.

A change is checked on the values before and after it, not by analysing the function: any function is then allowed that
happens to do what the level permits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean
from vaglio.table import Column

__all__ = ["PERMITTED_TRANSFORMATIONS", "check_transformation", "transform"]

PERMITTED_TRANSFORMATIONS = {
    "nominal": "any renaming that keeps different values different",
    "ordinal": "any that keeps the order",
    "interval": "a·x + b with a > 0",
    "ratio": "a·x with a > 0",
}


def check_transformation(level: str, before: Any, after: Any) -> None:
    """Raise an error unless the level permits the change from ``before`` to ``after``.

    Parameters
    ----------
    level : {"nominal", "ordinal", "interval", "ratio"}
    before, after : array-like
        The values before and after the change, one by one.

    Examples
    --------
    >>> check_transformation("interval", [0, 10, 20], [32, 50, 68])
    >>> check_transformation("ratio", [0, 10, 20], [32, 50, 68])
    Traceback (most recent call last):
    ...
    vaglio.errors.InputError: On the ratio level only a·x with a > 0 is permitted; this is not.
    """
    if level not in PERMITTED_TRANSFORMATIONS:
        raise InputError(f"There is no level {level!r}; {did_you_mean(level, PERMITTED_TRANSFORMATIONS)}")
    old, new = np.asarray(before), np.asarray(after)
    if old.shape != new.shape or old.ndim != 1:
        raise InputError(
            f"The values have the shape {old.shape} before and {new.shape} after: give two flat lists of equal length."
        )
    if not _CHECKS[level](old, new):
        raise InputError(f"On the {level} level only {PERMITTED_TRANSFORMATIONS[level]} is permitted; this is not.")


def _one_to_one(old: np.ndarray, new: np.ndarray) -> bool:
    pairs = set(zip(old.tolist(), new.tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _increasing(old: np.ndarray, new: np.ndarray) -> bool:
    order = np.argsort(old, kind="stable")
    old, new = old[order], new[order]
    rises, risen = old[1:] > old[:-1], new[1:] > new[:-1]
    return bool((rises == risen).all() and (new[1:] >= new[:-1]).all())


def _affine(old: np.ndarray, new: np.ndarray) -> bool:
    low, high = int(np.argmin(old)), int(np.argmax(old))
    if old[low] == old[high]:
        return bool(np.ptp(new.astype(float)) == 0)
    slope = (new[high] - new[low]) / (old[high] - old[low])
    expected = new[low] + slope * (old - old[low])
    return bool(slope > 0 and np.allclose(new, expected, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(new).max()))))


def _scaling(old: np.ndarray, new: np.ndarray) -> bool:
    at = int(np.argmax(np.abs(old)))
    if old[at] == 0:
        return bool((new == 0).all())
    factor = new[at] / old[at]
    return bool(factor > 0 and np.allclose(new, factor * old, rtol=1e-9, atol=1e-12 * abs(float(new[at]))))


_CHECKS = {"nominal": _one_to_one, "ordinal": _increasing, "interval": _affine, "ratio": _scaling}


def transform(column: Column, function: Callable[[Any], Any]) -> Column:
    """Apply a function to the values of a column, if its level permits what the function does.

    Missing values stay missing.

    Parameters
    ----------
    column : Column
    function : callable
        For a numeric column from an array to an array, for a nominal one from a category to a category.

    Examples
    --------
    >>> metres = transform(Column.numeric("cm", [100.0, 250.0]), lambda cm: cm / 100)
    >>> metres.data.tolist()
    [1.0, 2.5]
    """
    if column.kind == "text":
        raise InputError(f"{column.name!r} is text, which has no measurement level to keep.")
    if column.kind == "nominal":
        renamed = [function(value) for value in column.categories]
        ranks = np.arange(len(renamed))
        # Ordinal categories are ordered by their position, which renaming does not change.
        check_transformation("nominal", ranks, np.array([str(value) for value in renamed]))
        return column.replace(categories=tuple(renamed))
    present = ~column.missing
    changed = np.asarray(function(column.data[present]), dtype=np.float64)
    check_transformation(column.level, column.data[present], changed)
    data = np.full(len(column), np.nan)
    data[present] = changed
    return column.replace(data=data)
