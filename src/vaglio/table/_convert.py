"""Convert a column to another kind: numbers to categories, words to numbers, text, dates or an ordinal scale."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import Number
from vaglio.messages.options import as_missing, in_order, reading
from vaglio.messages.options import as_nominal as as_nominal_option
from vaglio.messages.sentences import listed
from vaglio.table._column import EXACT, KIND_WORDS, Column, Level

# Column -> a level, or its values in order.
Levels = Mapping[str, "str | Sequence[Any]"]
_WHOLE = re.compile(r"-?\d+")


def as_numeric(column: Column, level: Level = "ratio", decimal: str = ".") -> Column:
    """Return a column as numbers; an error names the first value that is not a number.

    Parameters
    ----------
    column : Column
    level : {"ratio", "interval"}, default="ratio"
    decimal : {".", ","}, default="."
        The decimal mark of words such as 1.234, in which it could separate thousands as well.
    """
    if column.kind == "numeric":
        return column.replace(level=level)
    plain = column if column.kind == "nominal" else as_nominal(column)
    from vaglio.table._numerals import read_numerals

    words = [
        value if isinstance(value, str) else str(value) if type(value) is int else repr(float(value))
        for value in plain.categories
    ]
    read = read_numerals(words, np.ones(len(words)), decimal)
    wrong = np.append(~read.good & ~read.absent, False)
    if wrong.any():
        rows = np.flatnonzero(wrong[plain.data])
        code = int(plain.data[rows[0]]) if len(rows) else int(np.flatnonzero(wrong)[0])
        value = plain.categories[code]
        raise (
            InputError(
                "cell-not-number",
                "Column {column!r} has {cell!r} in row {row:,}; expected a number. Correct the value, make it missing "
                "({missing}), or declare the column nominal ({nominal}).",
                column=column.name,
                cell=value,
                row=int(rows[0]) + 1,
                missing=as_missing(str(value)),
                nominal=as_nominal_option(column.name),
            )
            if len(rows)
            else InputError(
                "category-not-number",
                "Column {column!r} has the category {value!r}; expected a number. Declare the column nominal "
                "({nominal}).",
                column=column.name,
                value=value,
                nominal=as_nominal_option(column.name),
            )
        )
    numbers = np.append(read.values, np.nan)[plain.data]
    large = len(read.values) > 0 and bool(np.nanmax(np.abs(read.values), initial=0) >= EXACT)
    whole = large and all(_WHOLE.fullmatch(word) for word, good in zip(words, read.good) if good)
    exact = _whole_categories(plain, words, read.good) if whole else None
    storage = column.storage if plain.categories and type(plain.categories[0]) is int else None
    return Column.numeric(
        column.name, numbers, level=level, role=column.role, unit=read.unit, storage=storage, exact=exact
    )


def _whole_categories(column: Column, words: Sequence[str], good: np.ndarray) -> Column:
    """Return a column whose words are whole numbers with these numbers as categories."""
    entries = sorted({int(word) for word, known in zip(words, good) if known})
    code_of = {value: code for code, value in enumerate(entries)}
    place = [code_of[int(word)] if known else -1 for word, known in zip(words, good)]
    return Column.nominal(column.name, np.array([*place, -1], dtype=np.int32)[column.data], entries)


def as_whole(column: Column) -> Column:
    """Return a column of whole numbers, none of them missing, that a frame stores as integers.

    Parameters
    ----------
    column : Column
    """
    import pyarrow as pa

    return column.replace(storage=pa.int64())


def as_nominal(column: Column, categories: Sequence[Any] | None = None) -> Column:
    """Return a column as categories.

    A value belongs to a given category if both are equal or are written in the same way: the number 1 belongs to 1,
    1.0 and "1".

    Parameters
    ----------
    column : Column
    categories : sequence, optional
        Values that are not among them become missing; by default the values found.
    """
    found = column if column.kind == "nominal" else _found_categories(column)
    if categories is None:
        return found.replace(level="nominal")
    code_of = _lookup(categories)
    recode = np.full(len(found.categories) + 1, -1, dtype=np.int32)
    for code, value in enumerate(found.categories):
        recode[code] = code_of.get(_key(value), -1)
    more = {"role": column.role, "cell_format": column.cell_format}
    return Column.nominal(column.name, recode[found.data], categories, declared=True, **more)


def as_ordinal(column: Column, order: Sequence[Any] | None = None) -> Column:
    """Return a column as an ordinal scale; an error names the first value that is not in the given order.

    Parameters
    ----------
    column : Column
    order : sequence, optional
        The values from low to high; by default numbers in their own order.
    """
    if order is None:
        ranked = as_nominal(column)
        if all(isinstance(value, str) for value in ranked.categories) and column.level != "ordinal":
            raise InputError(
                "order-unknown",
                "Column {column!r} cannot be ordinal: the order of its values is unknown. List them from lowest to "
                "highest ({order}).",
                column=column.name,
                order=in_order(column.name, ranked.categories[:4]),
            )
        return ranked.replace(level="ordinal")
    ranked = as_nominal(column, list(order))
    strange = np.flatnonzero(~column.missing & (ranked.data < 0))
    if len(strange):
        row = int(strange[0])
        value = column.values[row : row + 1].tolist()[0]
        shown = Number(f"{value:g}") if isinstance(value, float) else repr(value)
        raise InputError(
            "value-not-in-order",
            "Column {column!r} has {value} in row {row:,}, which is not in the given order ({order}). Add it to the "
            "order, or make it missing.",
            column=column.name,
            value=shown,
            row=row + 1,
            order=listed(order),
        )
    return ranked.replace(level="ordinal")


def as_text(column: Column) -> Column:
    """Return a column as free text.

    Parameters
    ----------
    column : Column
    """
    if column.kind == "text":
        return column
    words = as_nominal(column)
    lookup = np.array([*map(str, words.categories), None], dtype=object)
    return Column.text(column.name, lookup[words.data], role=column.role, cell_format=column.cell_format)


def ordered_level(level: str | Sequence[Any]) -> str | Sequence[Any]:
    """Return "low<mid<high" as a list; any other level as it is.

    Parameters
    ----------
    level : str or sequence
    """
    return [word.strip() for word in level.split("<")] if isinstance(level, str) and "<" in level else level


def as_level(column: Column, level: str | Sequence[Any]) -> Column:
    """Return a column as one entry of `levels` asks for.

    Parameters
    ----------
    column : Column
    level : str or sequence
        "nominal", "ordinal", "interval", "ratio", "numeric", "text", "date", "asymmetric", or the values in order,
        as a list or as "low<mid<high".
    """
    level = ordered_level(level)
    if isinstance(level, Sequence) and not isinstance(level, (str, bytes)):
        if not all(isinstance(value, (str, int, float, bool)) for value in level):
            raise InputError(
                "order-not-a-list",
                "Column {column!r}: an order is a list of words or numbers, not {order!r}.",
                column=column.name,
                order=level,
            )
        return as_ordinal(column, list(level))
    if level == "numeric":
        return as_numeric(column, column.level if column.kind == "numeric" else "ratio")
    if level == "interval":
        return as_numeric(column, "interval")
    if level == "ratio":
        return as_numeric(column, "ratio")
    if level == "nominal":
        return as_nominal(column)
    if level == "ordinal":
        return as_ordinal(column)
    if level == "text":
        return as_text(column)
    if level == "date":
        return as_date(column)
    if level == "asymmetric":
        return as_nominal(column).replace(asymmetric=True)
    raise InputError(
        "unknown-column-level",
        "Column {column!r}: the level must be nominal, ordinal, interval, ratio, numeric, text, date, asymmetric, or "
        "a list of values in order; not {level!r}.",
        column=column.name,
        level=level,
    )


def as_date(column: Column, dayfirst: bool | None = None) -> Column:
    """Return a column of words as dates; an error shows an example if they are not dates of one format.

    Parameters
    ----------
    column : Column
    dayfirst : bool, optional
        Whether the day stands before the month, where both orders are possible.
    """
    from vaglio.table._cell_format import CellFormat
    from vaglio.table._dates import read_dates

    if column.is_date:
        return column
    if column.missing.all():
        return Column.numeric(
            column.name, np.full(len(column), np.nan), level="interval", role=column.role, is_date=True
        )
    if column.kind == "numeric":
        raise InputError(
            "numbers-not-dates",
            "Column {column!r} holds numbers, which cannot be read as dates. Write dates as YYYY-MM-DD.",
            column=column.name,
        )
    words = as_nominal(column)
    read = read_dates([str(value) for value in words.categories], np.ones(len(words.categories)), dayfirst)
    if read is None or read.doubtful or not read.good.all():
        example = words.categories[0] if words.categories else ""
        raise InputError(
            "words-not-dates",
            "Column {column!r}: values such as {example!r} cannot all be read as dates of one format. Write them as "
            "YYYY-MM-DD, or set {dayfirst} if day and month are ambiguous.",
            column=column.name,
            example=example,
            dayfirst=reading("dayfirst"),
        )
    data = np.append(read.days, np.nan)[words.data]
    cell_format = CellFormat("date", read.form, dayfirst=read.dayfirst)
    return Column.numeric(column.name, data, level="interval", role=column.role, is_date=True, cell_format=cell_format)


def apply_overrides(columns: Sequence[Column], levels: Levels, roles: Mapping[str, str]) -> list[Column]:
    """Apply the levels and roles that the user has chosen."""
    out = []
    for column in columns:
        if column.name in levels:
            column = as_level(column, levels[column.name])
        if column.name in roles:
            column = column.replace(role=roles[column.name])
        out.append(column)
    return out


def together(columns: Sequence[Column]) -> Column:
    """Return columns of one name and kind as one; those without any value may be of another kind.

    Parameters
    ----------
    columns : sequence of Column
    """
    first = next((column for column in columns if not column.missing.all()), columns[0])
    alike = [column if column.kind == first.kind else _without_values(column, first) for column in columns]
    unread = [column.unread for column in alike]
    if any(each is not None for each in unread):
        none = [Column.nominal(first.name, np.full(len(column), -1), ()) for column in alike]
        cells = together([each or empty for each, empty in zip(unread, none)])
        first = first.replace(unread=cells)
    if first.kind != "nominal" or all(column.categories == first.categories for column in alike):
        return first.replace(data=np.concatenate([column.data for column in alike]))
    # 1 == True == 1.0 in Python, but they are different categories.
    known = {(type(value), value): value for column in alike for value in _occurring(column)}
    ordered = sorted(known, key=lambda key: (key[0] is str, key[1] if key[0] is not str else 0, str(key[1])))
    code_of = {key: code for code, key in enumerate(ordered)}
    data = []
    for column in alike:
        lookup = np.array([*(code_of.get((type(each), each), -1) for each in column.categories), -1], dtype=np.int32)
        data.append(lookup[column.data])
    return first.replace(data=np.concatenate(data), categories=tuple(known[key] for key in ordered), declared=False)


def _without_values(column: Column, like: Column) -> Column:
    """Return a column without values as one of another kind."""
    if not column.missing.all():
        raise InputError(
            "kinds-differ-by-rows",
            "Column {column!r} is {first} in some rows and {second} in others. Write all parts with the same types.",
            column=column.name,
            first=KIND_WORDS[like.kind],
            second=KIND_WORDS[column.kind],
        )
    absent: Any = {"numeric": np.nan, "nominal": -1, "text": None}[like.kind]
    return like.replace(data=np.full(len(column), absent), unread=None)


def _occurring(column: Column) -> list[Any]:
    seen = np.flatnonzero(np.bincount(column.data + 1, minlength=len(column.categories) + 1)[1:])
    return [column.categories[code] for code in seen]


def _found_categories(column: Column) -> Column:
    if column.kind == "text":
        seen: list[Any] = sorted({value for value in column.data.tolist() if value is not None})
        code_of = {value: code for code, value in enumerate(seen)}
        codes = np.array([code_of.get(value, -1) for value in column.data.tolist()], dtype=np.int32)
        return Column.nominal(column.name, codes, seen, role=column.role, cell_format=column.cell_format)
    if column.exact is not None:
        return column.exact.replace(role=column.role, storage=column.storage)
    present = ~np.isnan(column.data)
    distinct, inverse = np.unique(column.data[present], return_inverse=True)
    codes = np.full(len(column), -1, dtype=np.int32)
    codes[present] = inverse
    if column.is_date:
        seen = [str(value) for value in column.take(present).values[np.unique(inverse, return_index=True)[1]]]
    else:
        # Beyond 2^53 floats are whole, but no longer each whole number: they stay what they are.
        seen = [int(value) if value.is_integer() and abs(value) <= 2**53 else value for value in distinct.tolist()]
    more = {"role": column.role, "cell_format": column.cell_format}
    return Column.nominal(column.name, codes, seen, storage=column.storage, **more)


def _key(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _lookup(categories: Sequence[Any]) -> dict[str, int]:
    code_of: dict[str, int] = {}
    for code, value in enumerate(categories):
        code_of.setdefault(_key(value), code)
    # 0 and 1 belong to declared booleans, and False and True to declared 0 and 1.
    if set(categories) == {False, True}:
        for code, value in enumerate(categories):
            for written in (str(int(value)), str(bool(value)), str(bool(value)).lower()):
                code_of.setdefault(written, code)
    return code_of
