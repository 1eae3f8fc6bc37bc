"""Arrow arrays to columns, by their types alone, and columns back to Arrow arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio import _core
from vaglio.errors import InputError
from vaglio.messages.sentences import clip
from vaglio.table._cell_format import CellFormat
from vaglio.table._column import EXACT, MICROSECONDS_PER_DAY, Column, days_to_datetime
from vaglio.table._dates import CLOCK, ZONED
from vaglio.table._numerals import NUMBER
from vaglio.table._words import MISSING

# In a larger column the 32-bit offsets of strings could overflow when chunks are joined.
_LARGE = 1 << 30
# The dozen calls of Arrow for one column take as long as so many words in Python.
_SHORT = 64


def column_from_arrow(name: str, array: Any, *, declared: bool = True) -> Column:
    """Make a column of an Arrow array: numbers and times are numeric, strings, booleans and dictionaries nominal.

    Parameters
    ----------
    name : str
    array : pyarrow.Array or pyarrow.ChunkedArray
    declared : bool, default=True
        Whether the values of a dictionary array were declared, or are only those that occur.
    """
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    kind = chunked.type
    if pa.types.is_dictionary(kind):
        return _from_dictionary(name, chunked, declared)
    if is_string(kind):
        return _from_strings(name, chunked)
    if pa.types.is_boolean(kind):
        codes = _numpy(pc.fill_null(chunked.cast(pa.int32()), -1))
        return Column.nominal(name, codes, (False, True), declared=True, storage=kind)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        micros = chunked.cast(pa.timestamp("us", tz=getattr(chunked.type, "tz", None)), safe=False).cast(pa.int64())
        days = _numpy(pc.divide(micros.cast(pa.float64(), safe=False), float(MICROSECONDS_PER_DAY)))
        zoned = CellFormat("date", ZONED) if getattr(chunked.type, "tz", None) else None
        return Column.numeric(name, days, level="interval", is_date=True, storage=chunked.type, cell_format=zoned)
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        # In seconds: since midnight for a time of day, the whole length for a duration.
        of_day = pa.types.is_time(chunked.type)
        unit = chunked.type.unit
        width = pa.int32() if pa.types.is_time32(chunked.type) else pa.int64()
        scale = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
        seconds = pc.divide(chunked.cast(width).cast(pa.float64(), safe=False), scale)
        cell_format = CellFormat(form=CLOCK) if of_day else None
        return Column.numeric(name, _numpy(seconds), level="interval" if of_day else "ratio", cell_format=cell_format)
    if pa.types.is_null(kind):
        return Column.numeric(name, np.full(len(chunked), np.nan), storage=kind)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = chunked.cast(pa.float64(), safe=False)
        return Column.numeric(name, _numpy(numbers), storage=kind, exact=_exact(name, chunked))
    raise _no_cell(name, kind)


def numbers_from_arrow(name: str, array: Any, cell_format: CellFormat) -> Column | None:
    """Return words that are written as programs write numbers, at once; None if they are not.

    Parameters
    ----------
    name : str
    array : pyarrow.Array or pyarrow.ChunkedArray
    cell_format : CellFormat
        How the words are written.
    """
    if not cell_format.bare or not is_string(array.type):
        return None
    # pyarrow does not trim views.
    words = pc.utf8_trim_whitespace(array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array)
    absent = pa.array((*MISSING, *cell_format.missing), words.type)
    words = pc.if_else(pc.is_in(words, absent), pa.scalar(None, words.type), words)
    comma = cell_format.decimal == ","
    if pc.all(pc.match_substring_regex(words, NUMBER.replace(r"\.", ",") if comma else NUMBER)).as_py() is False:
        return None
    numbers = pc.replace_substring(words, ",", ".").cast(pa.float64()) if comma else words.cast(pa.float64())
    found = Column.numeric(name, _numpy(numbers), unit=cell_format.unit, cell_format=cell_format)
    return None if len(found.infinite) else found


def exact_numbers(name: str, values: np.ndarray) -> Column | None:
    """Return 64-bit integers as categories, if some are beyond what float64 holds; see :class:`Column`."""
    if values.dtype.itemsize < 8 or not values.size or (values.max() <= EXACT and values.min() >= -EXACT):
        return None
    distinct, codes = np.unique(values, return_inverse=True)
    return Column.nominal(name, codes, distinct.tolist())


def _exact(name: str, chunked: pa.ChunkedArray) -> Column | None:
    """Return the whole numbers of an Arrow array as categories, if some are beyond what float64 holds."""
    whole = pa.types.is_integer(chunked.type) or (pa.types.is_decimal(chunked.type) and chunked.type.scale == 0)
    if not whole or chunked.type.bit_width < 64:
        return None
    ends = pc.min_max(chunked).as_py()
    if ends["min"] is None or -EXACT <= ends["min"] <= ends["max"] <= EXACT:
        return None
    encoded = chunked.dictionary_encode().unify_dictionaries()
    entries = list(map(int, encoded.chunk(0).dictionary.to_pylist()))
    place = np.empty(len(entries) + 1, dtype=np.int32)
    place[sorted(range(len(entries)), key=entries.__getitem__)] = np.arange(len(entries))
    place[-1] = -1
    return Column.nominal(name, place[_indices(encoded)], sorted(entries))


def refuse_type(name: str, kind: pa.DataType) -> None:
    """Raise unless :func:`column_from_arrow` can make a column of this type; a file is asked before it is read."""
    types = pa.types
    value = kind.value_type if types.is_dictionary(kind) else kind
    plain = types.is_boolean(value) or types.is_integer(value) or types.is_floating(value) or types.is_decimal(value)
    timed = types.is_date(value) or types.is_timestamp(value) or types.is_time(value) or types.is_duration(value)
    if not (plain or timed or is_string(value) or types.is_null(value)):
        raise _no_cell(name, kind)


def _no_cell(name: str, kind: pa.DataType) -> InputError:
    return InputError(
        "cell-type-not-supported",
        "Column {column!r} holds {found}, which a table cell cannot hold. Convert it to numbers, words or dates first.",
        column=name,
        found=clip(kind),
    )


def column_to_arrow(column: Column) -> pa.Array:
    """Return a column as an Arrow array, in the type of its source if the values still fit."""
    storage = column.storage
    if column.is_date:
        array = pa.array(days_to_datetime(column.data))
        return array if storage is None else _cast_or_keep(array, storage)
    if column.kind == "numeric":
        exact = column.exact
        if exact is not None:
            array = _entries(exact.categories).take(pa.array(exact.data, mask=exact.data < 0))
        else:
            array = pa.array(column.data, from_pandas=True)
        return _cast_or_keep(array, storage) if storage is not None else array
    if column.kind == "text":
        return pa.array(column.data, pa.string(), from_pandas=True)
    indices = pa.array(column.data, mask=column.data < 0)
    plain = all(isinstance(value, str) for value in column.categories) or len(set(map(type, column.categories))) == 1
    values = _entries(column.categories if plain else [str(value) for value in column.categories])
    if column.storage is not None and not pa.types.is_dictionary(column.storage):
        return _cast_or_keep(values.take(indices), column.storage)
    if column.storage is None and not column.declared and column.level != "ordinal":
        return values.take(indices)
    return pa.DictionaryArray.from_arrays(indices, values, ordered=column.level == "ordinal")


def _entries(values: Sequence[Any]) -> pa.Array:
    """Return categories as an Arrow array; whole numbers that no type of Arrow holds as words."""
    for kind in (None, pa.uint64(), pa.decimal256(76, 0)):
        try:
            return pa.array(values, kind)
        except (OverflowError, pa.ArrowInvalid):
            continue
    return pa.array(list(map(str, values)))


def _cast_or_keep(array: pa.Array, kind: pa.DataType) -> pa.Array:
    # A column that was changed after it was read (scaled integers, for instance) keeps its values, not its type.
    if array.type == kind:
        return array
    try:
        return array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return array


def is_string(kind: pa.DataType) -> bool:
    """Return whether a type is one of those of words."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _numpy(chunked: Any) -> np.ndarray:
    # One chunk can be used without a copy; several must be joined.
    if isinstance(chunked, pa.ChunkedArray) and chunked.num_chunks == 1:
        chunked = chunked.chunk(0)
    several = isinstance(chunked, pa.ChunkedArray)
    values: np.ndarray = chunked.to_numpy() if several else chunked.to_numpy(zero_copy_only=False)
    return values


def _from_strings(name: str, chunked: pa.ChunkedArray) -> Column:
    kind = chunked.type
    if len(chunked) <= _SHORT:
        values = chunked.to_pylist()
        words = sorted({value for value in values if value is not None})
        code_of: dict[Any, int] = {None: -1, **{word: code for code, word in enumerate(words)}}
        return Column.nominal(name, [code_of[value] for value in values], words, storage=kind)
    if pa.types.is_string_view(kind) or chunked.nbytes > _LARGE:
        chunked = chunked.cast(pa.large_string())
    return _from_encoded(name, chunked.dictionary_encode().unify_dictionaries(), kind)


def _from_encoded(name: str, encoded: pa.ChunkedArray, kind: pa.DataType) -> Column:
    """Make a column of the words that occur in a dictionary array, in their order."""
    if encoded.num_chunks == 0:
        return Column.nominal(name, np.empty(0, np.int32), (), storage=kind)
    codes = _indices(encoded)
    entries = encoded.chunk(0).dictionary
    seen = np.flatnonzero(_core.count_codes(codes, len(entries))[1:])
    if len(seen) < len(entries) or entries.null_count:
        seen = seen[entries.take(pa.array(seen)).is_valid().to_numpy(zero_copy_only=False)]
    words = entries.take(pa.array(seen))
    order = pc.sort_indices(words).to_numpy()
    lookup = np.full(len(entries), -1, dtype=np.int32)
    lookup[seen[order]] = np.arange(len(seen), dtype=np.int32)
    return Column.nominal(
        name, _core.recode(codes, lookup, False), words.take(pa.array(order)).to_pylist(), storage=kind
    )


def _from_dictionary(name: str, chunked: pa.ChunkedArray, declared: bool) -> Column:
    kind = chunked.type
    values = kind.value_type
    plain = is_string(values) or pa.types.is_boolean(values) or pa.types.is_integer(values)
    if not (plain or pa.types.is_floating(values)):
        return column_from_arrow(name, chunked.cast(values))
    if not declared and is_string(values):
        return _from_encoded(name, chunked.unify_dictionaries(), kind)
    if not declared:
        seen = column_from_arrow(name, chunked.cast(values))
        return seen.replace(storage=kind)
    unified = chunked.unify_dictionaries()
    entries = unified.chunk(0).dictionary.to_pylist() if unified.num_chunks else []
    # A dictionary may have an entry for "missing", which is no category.
    categories = [value for value in entries if value is not None]
    lookup = np.full(len(entries) + 1, -1, dtype=np.int32)
    lookup[[i for i, value in enumerate(entries) if value is not None]] = np.arange(len(categories))
    codes = lookup[_indices(unified)] if len(chunked) else np.empty(0, np.int32)
    level = "ordinal" if kind.ordered else "nominal"
    return Column.nominal(name, codes, categories, level=level, declared=True, storage=kind)


def _indices(encoded: pa.ChunkedArray) -> np.ndarray:
    parts = [_without_nulls(chunk.indices.cast(pa.int32())).to_numpy() for chunk in encoded.chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _without_nulls(indices: pa.Array) -> pa.Array:
    return pc.fill_null(indices, -1) if indices.null_count else indices
