"""Frames, arrays, sparse matrices and Python containers to a Table, typed by dtype alone; and a Table back to a frame.

No value is looked at to choose a type, so that the training rows and the test rows of one table get the same types.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse as scipy_sparse

from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.table._arrow import column_from_arrow, column_to_arrow, exact_numbers
from vaglio.table._column import EXACT, Column
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table
from vaglio.typing import TableSource


def table_from_any(source: TableSource, names: Sequence[str] | None = None) -> Table:
    """Make a Table of anything that is none yet, by dtypes; see :meth:`Table.from_any`."""
    try:
        return _converted(source, names)
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            "values-not-cells",
            "The {type} holds values that a table cell cannot hold: {reason}.",
            type=type(source).__name__,
            reason=clip(reason),
        ) from None


def _converted(source: Any, names: Sequence[str] | None) -> Table:
    if _is_from("pandas", source, "DataFrame"):
        return Table(
            [_from_pandas(str(name), series) for name, series in source.items()],
            origin="pandas",
        )
    if _is_from("polars", source, "DataFrame"):
        polars = sys.modules["polars"]
        arrow = source.to_arrow()
        columns = []
        for at, (name, dtype) in enumerate(source.schema.items()):
            # The values of a polars Categorical are a pool shared with other frames; only an Enum declares its own.
            declared = not isinstance(dtype, polars.Categorical)
            columns.append(column_from_arrow(name, arrow.column(at), declared=declared))
        return Table(columns, origin="polars")
    if isinstance(source, np.ndarray):
        if source.dtype.names:
            return Table([_from_values(field, source[field]) for field in source.dtype.names])
        if source.ndim != 2:
            raise InputError(
                "array-not-2d",
                "The array has {n} {n:dimension|dimensions}; a table needs two, rows and columns.",
                n=source.ndim,
            )
        return Table([_from_values(name, source[:, at]) for at, name in enumerate(_names(names, source.shape[1]))])
    if scipy_sparse.issparse(source):
        csr = scipy_sparse.csr_array(source, dtype=np.float64)
        if not np.all(np.isfinite(csr.data)):
            raise InputError(
                "sparse-not-finite", "The sparse matrix holds infinite or missing numbers. Values must be finite."
            )
        return Table(sparse=SparseBlock(csr, tuple(_names(names, csr.shape[1]))))
    if isinstance(source, Mapping):
        return Table([_from_values(str(name), values) for name, values in source.items()])
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return _from_rows(source, names)
    return _from_arrow(source)


def _is_from(library: str, source: object, name: str) -> bool:
    # A frame of a library that was never imported cannot exist, so the library need not be imported here.
    module = sys.modules.get(library)
    return module is not None and isinstance(source, getattr(module, name))


def _from_arrow(source: Any) -> Table:
    if hasattr(source, "__narwhals_dataframe__") or hasattr(source, "to_native"):
        return table_from_any(source.to_native())
    if not hasattr(source, "__arrow_c_stream__"):
        import narwhals

        try:
            source = narwhals.from_native(source, eager_only=True).to_arrow()
        except TypeError:
            if hasattr(source, "collect"):
                raise InputError(
                    "lazy-frame", "A {type} has no rows yet. Call its collect() first.", type=type(source).__name__
                ) from None
            if narwhals.from_native(source, series_only=True, pass_through=True) is not source:
                raise _one_column(source) from None
            raise InputError(
                "not-a-table",
                "A {type} is not a table. Give a data frame, a 2-D array, a sparse matrix, a dict of columns or a "
                "list of dicts.",
                type=f"{type(source).__module__}.{type(source).__name__}",
            ) from None
    try:
        frame = source if isinstance(source, pa.Table) else pa.table(source)
    except pa.ArrowInvalid:
        raise _one_column(source) from None
    columns = [column_from_arrow(name, frame.column(at)) for at, name in enumerate(frame.column_names)]
    return Table(columns, origin="pyarrow")


def _one_column(source: Any) -> InputError:
    return InputError(
        "one-column-only",
        "A {type} is one column. Give a table, for instance with to_frame().",
        type=type(source).__name__,
    )


def _from_pandas(name: str, series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _from_values(name, series.to_numpy())
    if hasattr(series, "cat") and hasattr(dtype, "categories"):
        # Dates and intervals become text: a category must survive the model file, which is JSON.
        known = series.cat.categories.tolist()
        categories = [value if isinstance(value, (str, int, float, bool)) else str(value) for value in known]
        if not all(value.isascii() for value in categories if isinstance(value, str)):
            pa.array([str(value) for value in categories])  # raises an error about half a character
        level = "ordinal" if series.cat.ordered else "nominal"
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return Column.nominal(name, codes, categories, level=level, declared=True)
    if hasattr(series, "sparse"):
        return _from_values(name, series.sparse.to_dense().to_numpy())
    return column_from_arrow(name, pa.array(series, from_pandas=True))


def _from_values(name: str, values: Any) -> Column:
    """Make a column of a flat array or list."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(
                "column-not-flat",
                "Column {column!r} has {dimensions} dimensions. Give one value per row.",
                column=name,
                dimensions=values.ndim,
            )
        if values.dtype.kind == "f":
            return Column.numeric(name, values.astype(np.float64, copy=False))
        if values.dtype.kind in "iu":
            kept = {"storage": pa.from_numpy_dtype(values.dtype), "exact": exact_numbers(name, values)}
            return Column.numeric(name, values.astype(np.float64), **kept)
        if values.dtype.kind == "b":
            return Column.nominal(name, values, (False, True), declared=True, storage=pa.bool_())
    elif hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return column_from_arrow(name, pa.chunked_array(values))
    elif not isinstance(values, Iterable):
        raise InputError(
            "column-not-a-list",
            "Column {column!r} is {value}. Give a list with one value per row.",
            column=name,
            value=clip(repr(values)),
        )
    try:
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        raise _half_characters(name, values) from None
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _large_numbers(name, values)
    return column_from_arrow(name, array)


def _large_numbers(name: str, values: Any) -> Column:
    """Make a column of numbers that Arrow refuses: some do not fit into 64 bits, or stand beside True, which is 1.

    What is no number is refused.
    """
    numbers = []
    for row, value in enumerate(values, start=1):
        if _is_absent(value):
            numbers.append(np.nan)
        elif isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(value, np.complexfloating):
            try:
                numbers.append(float(value))
            except OverflowError:
                raise InputError(
                    "number-too-large",
                    "Column {column!r} has a number in row {row:,} that is too large for float64. Replace it.",
                    column=name,
                    row=row,
                ) from None
        else:
            raise _mixed(name, values)
    whole = all(_is_absent(value) or isinstance(value, (int, np.integer)) for value in values)
    if not whole:
        return Column.numeric(name, numbers)
    ints = [None if _is_absent(value) else int(value) for value in values]
    entries = sorted({value for value in ints if value is not None})
    code_of: dict[int | None, int] = {None: -1, **{value: code for code, value in enumerate(entries)}}
    return Column.numeric(name, numbers, exact=Column.nominal(name, [code_of[value] for value in ints], entries))


def _half_characters(name: str, values: Any) -> InputError:
    for row, value in enumerate(values, start=1):
        try:
            str(value).encode()
        except UnicodeEncodeError:
            return InputError(
                "invalid-text",
                "Column {column!r} has {cell} in row {row:,}, which is not valid Unicode text. Correct it.",
                column=name,
                row=row,
                cell=ascii(clip(value)),
            )
    return InputError(
        "invalid-texts", "Column {column!r} holds words that are not valid Unicode text. Correct them.", column=name
    )


def _is_absent(value: object) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA, and an array in a cell
        return not hasattr(value, "__len__")


def _mixed(name: str, values: Any) -> InputError:
    """Return an error that names the first two values of different types."""

    def family(value: object) -> str:
        if isinstance(value, (bool, np.bool_)):
            return text("a boolean")
        if isinstance(value, (complex, np.complexfloating)):
            return text("a complex number")
        if isinstance(value, (int, float, np.number)):
            return text("a number")
        return text("a word") if isinstance(value, str) else text("a {type}", type=type(value).__name__)

    first = None
    for row, value in enumerate(values, start=1):
        if _is_absent(value):
            continue
        first = first or (row, family(value), value)
        if family(value) != first[1]:
            return InputError(
                "column-mixes-types",
                "Column {column!r} mixes types: row {first_row:,} has {first} ({first_value}), row {row:,} has "
                "{other} ({value}). Use one type.",
                column=name,
                first_row=first[0],
                first=first[1],
                first_value=clip(repr(first[2])),
                row=row,
                other=family(value),
                value=clip(repr(value)),
            )
    return InputError(
        "values-of-no-type",
        "Column {column!r} holds {found}, which is not a number, a word or a date.",
        column=name,
        found=first[1] if first else text("unknown values"),
    )


def _names(names: Sequence[str] | None, wanted: int) -> list[str]:
    if names is None:
        return [f"x{at}" for at in range(wanted)]
    if len(names) != wanted:
        raise InputError(
            "number-of-names",
            "{n:,} {n:name was|names were} given for {columns:,} columns.",
            n=len(names),
            columns=wanted,
        )
    return [str(name) for name in names]


def _from_rows(rows: Sequence[Any], names: Sequence[str] | None) -> Table:
    if rows and all(isinstance(row, Mapping) for row in rows):
        keys = dict.fromkeys(str(key) for row in rows for key in row)
        return Table([_from_values(key, [row.get(key) for row in rows]) for key in keys])
    if rows and all(isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str) for row in rows):
        wanted = len(rows[0])
        for at, row in enumerate(rows, start=1):
            if len(row) != wanted:
                raise InputError(
                    "rows-of-unequal-length",
                    "Row {row:,} has {n:,} {n:value|values}, but the first row has {first:,}. All rows must have the "
                    "same length.",
                    row=at,
                    n=len(row),
                    first=wanted,
                )
        return Table([_from_values(name, list(cells)) for name, cells in zip(_names(names, wanted), zip(*rows))])
    raise InputError(
        "list-without-rows", "The list has no rows. Give a list of dicts, one per row, or a dict of lists."
    )


def table_to_arrow(table: Table) -> pa.Table:
    """Return the table as a pyarrow table."""
    names = table.columns
    return pa.Table.from_arrays([column_to_arrow(table.column(name)) for name in names], names=list(names))


def table_to_frame(table: Table) -> Any:
    """Return the table in the library it came from, else in pandas."""
    arrow = table_to_arrow(table)
    if table.origin == "pyarrow":
        return arrow
    if table.origin == "polars":
        import polars

        return polars.from_arrow(arrow)
    frame = arrow.to_pandas()
    for name in arrow.column_names:
        column = arrow.column(name)
        # pandas has no missing value among plain integers, and the floats it takes instead lose digits.
        if pa.types.is_integer(column.type) and 0 < column.null_count < len(column):
            ends = pc.min_max(column).as_py()
            if max(-ends["min"], ends["max"]) > EXACT:
                frame[name] = column.to_pandas(types_mapper=_nullable)
    return frame


def _nullable(kind: pa.DataType) -> Any:
    """Return the type of pandas that has missing values beside integers of a type."""
    import pandas as pd

    return pd.UInt64Dtype() if pa.types.is_unsigned_integer(kind) else pd.Int64Dtype()


def as_frame(data: object, columns: Sequence[Any] | None = None, index: Sequence[Any] | None = None) -> Any:
    """Return a pandas frame, for results that are small tables.

    Parameters
    ----------
    data : dict of columns, list of dicts, list of rows, or 2-d array
    columns, index : sequence, optional
        Names of the columns and of the rows.
    """
    import pandas as pd

    given = dict(data) if isinstance(data, Mapping) else data
    return pd.DataFrame(
        given,
        columns=None if columns is None else pd.Index(list(columns)),
        index=None if index is None else pd.Index(list(index)),
    )
