"""The numbers and the codes of one column, by what was learned of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import is_
from typing import Any, Literal

import numpy as np

from vaglio import _core
from vaglio.encode._feature import Feature
from vaglio.errors import DataWarning, InputError
from vaglio.messages.sentences import listed
from vaglio.table import Column, as_date, as_nominal

Unseen = Literal["missing", "error"]
# Columns most of whose values are unknown, each with an example.
Lost = list[tuple[str, str]]


def own_codes(column: Column, feature: Feature) -> np.ndarray:
    """Return the codes of the nominal column that a feature was learned from, in the smallest type that holds them.

    Parameters
    ----------
    column : Column
    feature : Feature
        Nominal or ordinal.
    """
    values, known = column.categories, feature.categories
    # Not whether they are equal: True equals 1.
    if len(values) == len(known) and all(map(is_, values, known)):
        return column.data.astype(code_type(len(known)))
    _, positions, codes = looked_up(column, feature)
    return _core.recode(positions, codes[:-1], True)


def code_type(categories: int) -> np.dtype:
    """Return the smallest type that holds the codes of so many categories, and -1."""
    return np.min_scalar_type(-max(categories, 1))


def numbers_of(column: Column, feature: Feature, lost: Lost, empty: bool) -> np.ndarray:
    """Return the numbers of a column; ``empty``: no training row had a value, so that nobody knows its kind."""
    if feature.kind == "ordinal":
        codes = codes_of(column, feature, "missing", lost)
        return np.where(codes < 0, np.nan, codes)
    if column.kind == "numeric":
        values = column.data
    else:
        values = as_date(column).data if feature.is_date else _parsed(column, lost if empty else None)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise InputError(
            f"Column {column.name!r} has an infinite value in row {row}: X may hold missing values (NaN) but no inf; "
            "replace it or leave it empty."
        )
    return values


def _parsed(column: Column, lost: Lost | None) -> np.ndarray:
    """Return the numbers of a column that holds words or booleans; words become missing if there is a list for them."""
    words = as_nominal(column)
    numbers = np.full(len(words.categories) + 1, np.nan)  # the code -1 of a missing value finds the last entry
    for code, value in enumerate(words.categories):
        number = _number(value)
        if number is not None:
            numbers[code] = number
        elif lost is not None:
            lost.append((column.name, "it had no values in training"))
            return np.full(len(column), np.nan)
        elif code in words.data:
            raise InputError(
                f"Column {column.name!r} held numbers in training but now holds {value!r}: correct the value or "
                "leave it empty."
            )
    parsed: np.ndarray = numbers[words.data]
    return parsed


def _number(value: Any) -> float | None:
    """Return the number that a value is or spells, NaN for a blank; None for another word. True is 1."""
    if isinstance(value, str):
        value = {"": "nan", "true": "1", "false": "0"}.get(value.strip().lower(), value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def codes_of(column: Column, feature: Feature, unseen: Unseen, lost: Lost) -> np.ndarray:
    """Return the codes of a column; -1 is missing or unseen."""
    _, positions, codes = looked_up(column, feature)
    if np.array_equal(codes[:-1], np.arange(len(codes) - 1)):
        return positions.astype(np.int32, copy=False)  # the same codes already, and none unseen
    # The code -1 of a missing value finds the last entry.
    encoded = codes.take(positions, mode="wrap")
    strange = np.flatnonzero((positions >= 0) & (encoded < 0)) if codes[:-1].min() < 0 else np.empty(0, np.int64)
    if strange.size:
        value = listed(column.take(strange[:1]).values.tolist(), quoted=True)
        known = listed(map(str, feature.categories), quoted=True)
        if unseen == "error":
            raise InputError(
                f"Column {column.name!r} has the value {value} in row {int(strange[0])}, which no training row has "
                f"(known: {known}): correct it, or use unseen='missing'."
            )
        if 2 * strange.size > np.count_nonzero(positions >= 0):
            lost.append((column.name, f"{value}, where training had {known}"))
    return encoded


def looked_up(column: Column, feature: Feature) -> tuple[Sequence[Any], np.ndarray, np.ndarray]:
    """Return the distinct values, the position of each row's value among them, and the code of each; -1 is missing."""
    if column.kind == "nominal":
        values: Sequence[Any] = column.categories
        positions = column.data
    else:
        present = ~column.missing
        distinct, inverse = np.unique(column.data[present], return_inverse=True)
        values, positions = distinct.tolist(), np.full(len(column.data), -1, dtype=np.int64)
        positions[present] = inverse
    if column.is_date:
        days = _codes_of_days(feature)
        return values, positions, np.array([*(days.get(value, -1) for value in values), -1], dtype=np.int32)
    return values, positions, np.array([*map(feature.code, values), -1], dtype=np.int32)


def _codes_of_days(feature: Feature) -> dict[float, int]:
    """Return the code of each day, if the categories are dates: words in training may be dates later."""
    words = Column.nominal(feature.name, np.arange(len(feature.categories)), feature.categories)
    try:
        return {day: code for code, day in enumerate(as_date(words).data.tolist())}
    except InputError:
        return {}


def warn_of(lost: Lost) -> None:
    """Warn of columns most of whose values are unknown."""
    columns = f"column{'' if len(lost) == 1 else 's'} {listed([name for name, _ in lost], quoted=True)}"
    why = lost[0][1] if len(lost) == 1 else f"in {lost[0][0]!r}: {lost[0][1]}"
    warnings.warn(
        f"Most values of {columns} are unknown to the model and count as missing ({why}): spell the values as in "
        "training, or train again.",
        DataWarning,
        stacklevel=2,
    )
