"""One column: what is learned of its training rows, and the numbers and codes of later rows by that."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from operator import is_
from typing import Any, Literal

import numpy as np

from vaglio import _core
from vaglio.encode._feature import Feature, code_of_absence, spelling
from vaglio.encode._text import learn_vocabulary
from vaglio.errors import DataWarning, InputError, warn
from vaglio.messages.message import text
from vaglio.messages.options import setting
from vaglio.messages.sentences import listed
from vaglio.table import CellFormat, Column, as_date

# The first rows usually have every category; all rows are searched only if they have not.
_HEAD = 10_000
Unseen = Literal["missing", "error"]
# Columns most of whose values are unknown, each with an example.
Lost = list[tuple[str, str]]


def describe(column: Column) -> Feature:
    """Return what a learner knows of a column, from the rows it is trained on."""
    cell_format = cell_format_of(column)
    if column.kind == "text":
        return Feature(column.name, "text", learn_vocabulary(column.data), cell_format=cell_format)
    if column.kind == "numeric":
        return Feature(column.name, is_date=column.is_date, cell_format=cell_format)
    if column.level == "ordinal":
        return Feature(column.name, "ordinal", _distinct(_plain(column.categories)), cell_format=cell_format)
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
    return replace(feature, default=default, asymmetric=column.asymmetric, cell_format=cell_format)


def cell_format_of(column: Column) -> CellFormat | None:
    """Return how the cells of a column are written; None if nothing had to be decided."""
    if column.cell_format is None and column.unread is None:
        return None
    # The kind and the categories are those of the feature.
    found = replace(CellFormat.of(column), kind="numeric", keep=None)
    found = replace(found, form="" if found.form == "number" else found.form)
    return found if found.to_state() else None


def with_categories(feature: Feature, column: Column) -> Feature:
    """Return a feature that also knows the categories that occur in a column."""
    if feature.kind not in ("nominal", "ordinal"):
        return feature
    values = column.values[~column.missing]
    new = {spelling(value): value for value in _plain(values.tolist()) if feature.code(value) < 0}
    if new and feature.kind == "ordinal":
        raise InputError(
            "value-after-order",
            "Column {column!r} has the value {value!r}, which is not in the order of the earlier rows. Declare all "
            "ordered categories there.",
            column=feature.name,
            value=next(iter(new.values())),
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


def numbers_of(column: Column, feature: Feature, lost: Lost, whole: bool, empty: bool) -> np.ndarray:
    """Return the numbers of a column.

    ``empty``: no training row had a value, so that nobody knows its kind. Not ``whole``: a person wrote the rules that
    name the column, and they do not say whether its numbers are dates.
    """
    if feature.kind == "ordinal":
        codes = codes_of(column, feature, "missing", lost)
        return np.where(codes < 0, np.nan, codes)
    if column.kind == "numeric" and (column.is_date <= feature.is_date or not whole):
        values = column.data
    else:
        values = _read(column, feature, lost if empty else None)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise InputError(
            "infinite-value-in-x",
            "Column {column!r} has an infinite value in row {row:,}. X may hold missing values (NaN) but not inf. "
            "Replace it, or leave the cell empty.",
            column=column.name,
            row=row,
        )
    return values


def _read(column: Column, feature: Feature, lost: Lost | None) -> np.ndarray:
    """Return the numbers of a column of words or booleans; other words become missing if there is a list for them."""
    cell_format = feature.reading
    read, unread = cell_format.read(column)
    if unread is None:
        return read.data
    if lost is not None:
        lost.append((column.name, text("it had no values in training")))
        return read.data
    before, cell = unread.first
    if cell_format.refuses(unread.n, unread.present):
        raise InputError(
            "word-in-numeric-column",
            "Column {column!r} has {cell!r} in row {row:,}, but held {kind} in training.{why} Correct the value, or "
            "leave the cell empty.",
            column=column.name,
            cell=cell,
            row=before + 1,
            kind=cell_format.held,
            why=cell_format.why(cell),
        )
    warn(
        DataWarning(
            "cells-unlike-training",
            "Column {column!r} has {cell!r} in row {row:,}, but held {kind} in training. {n:,} {n:cell counts|cells "
            "count} as missing.",
            column=column.name,
            cell=cell,
            row=before + 1,
            kind=cell_format.held,
            n=unread.n,
        )
    )
    return read.data


def codes_of(column: Column, feature: Feature, unseen: Unseen, lost: Lost) -> np.ndarray:
    """Return the codes of a column; -1 is missing or unseen."""
    values, positions, codes = looked_up(column, feature)
    if np.array_equal(codes[:-1], np.arange(len(codes) - 1)):
        return positions.astype(np.int32, copy=False)  # the same codes already, and none unseen
    # The code -1 of a missing value finds the last entry.
    encoded = codes.take(positions, mode="wrap")
    strange = np.empty(0, np.int64)
    if codes[:-1].min() < 0:
        unknown = [code < 0 and not feature.is_missing(value) for value, code in zip(values, codes.tolist())]
        strange = np.flatnonzero(np.array([*unknown, False]).take(positions, mode="wrap"))
    if strange.size:
        value = listed(column.take(strange[:1]).values.tolist(), quoted=True)
        known = listed(map(str, feature.categories), quoted=True)
        if unseen == "error":
            raise InputError(
                "unseen-category",
                "Column {column!r} has {value} in row {row:,}, a category that no training row has (known: {known}). "
                "Correct it, or set {option}.",
                column=column.name,
                value=value,
                row=int(strange[0]) + 1,
                known=known,
                option=setting("unseen", "missing"),
            )
        if 2 * strange.size > np.count_nonzero(positions >= 0):
            lost.append((column.name, text("{value}, where training had {known}", value=value, known=known)))
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
    why = lost[0][1]
    if len(lost) > 1:
        why = text("in {column!r}: {reason}", column=lost[0][0], reason=why)
    warn(
        DataWarning(
            "most-values-unknown",
            "Most values of {n:column|columns} {columns} are unknown to the model and count as missing ({reason}). "
            "Spell the values as in training, or train again.",
            n=len(lost),
            columns=listed([name for name, _ in lost], quoted=True),
            reason=why,
        )
    )
