"""Describing the columns of training rows: kind, categories in a fixed order, and the value that means absence."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.encode._feature import Feature, code_of_absence, spelling
from vaglio.encode._text import learn_vocabulary
from vaglio.errors import InputError
from vaglio.table import Column

# The first rows usually have every category; all rows are searched only if they have not.
_HEAD = 10_000


def describe(column: Column) -> Feature:
    """Return what a learner knows of a column, from the rows it is trained on."""
    if column.kind == "text":
        return Feature(column.name, "text", learn_vocabulary(column.data))
    if column.kind == "numeric":
        return Feature(column.name, is_date=column.is_date)
    if column.level == "ordinal":
        return Feature(column.name, "ordinal", _distinct(_plain(column.categories)))
    occurs = np.ones(len(column.categories), bool)
    if not column.declared:
        # Only categories of the training rows are known: a table may have categories of rows outside this fold.
        occurs = _counts(column.data[:_HEAD], len(column.categories)) > 0
        if not occurs.all():
            occurs = _counts(column.data, len(column.categories)) > 0
    seen = [value for value, present in zip(_plain(column.categories), occurs) if present]
    categories = _distinct(seen if column.declared else sorted(seen, key=natural_order))
    feature = Feature(column.name, "nominal", categories)
    counts = np.zeros(len(categories))
    if column.asymmetric:
        np.add.at(counts, [*map(feature.code, seen)], _counts(column.data, len(column.categories))[occurs])
    default = code_of_absence(categories, column.asymmetric, counts)
    return replace(feature, default=default, asymmetric=column.asymmetric)


def with_categories(feature: Feature, column: Column) -> Feature:
    """Return a feature that also knows the categories that occur in a column."""
    if feature.kind not in ("nominal", "ordinal"):
        return feature
    values = column.values[~column.missing]
    new = {spelling(value): value for value in _plain(values.tolist()) if feature.code(value) < 0}
    if new and feature.kind == "ordinal":
        raise InputError(
            f"Column {feature.name!r} has the value {next(iter(new.values()))!r}, which has no place in the order of "
            "the earlier rows: declare all ordered categories there."
        )
    return replace(feature, categories=(*feature.categories, *sorted(new.values(), key=natural_order)))


def _counts(codes: np.ndarray, size: int) -> np.ndarray:
    """Return how many rows have each category."""
    return np.bincount(codes + 1, minlength=size + 1)[1:]


def _plain(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(value.item() if hasattr(value, "item") else value for value in values)


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return one value per category: of values that mean the same, as True and TRUE, the last."""
    return tuple({spelling(value): value for value in values}.values())


def natural_order(value: Any) -> tuple[int, float, str]:
    """Return a key that sorts numbers by size, before all words."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and abs(value) > sys.float_info.max:  # a whole number beyond all floats
        return (0, math.copysign(math.inf, value > 0 or -1), str(value))
    return (0, float(value), "") if is_number else (1, 0.0, str(value))
