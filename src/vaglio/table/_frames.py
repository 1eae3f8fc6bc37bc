"""Frames, arrays, sparse matrices and Python containers to a Table, typed by dtype alone; and a Table back to a frame.

No value is looked at to choose a type, so that the training rows and the test rows of one table get the same types.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse as scipy_sparse

from vaglio.errors import InputError
from vaglio.messages.sentences import clip
from vaglio.table._arrow import column_from_arrow, column_to_arrow
from vaglio.table._column import Column
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table


def table_from_any(source: Any, names: Sequence[str] | None = None) -> Table:
    """Make a Table of anything that is none yet, by dtypes; see :meth:`Table.from_any`."""
    try:
        return _converted(source, names)
    except (pa.ArrowException, UnicodeError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"the {type(source).__name__} holds what cannot be a cell of a table: {clip(reason)}."
        ) from None


def _converted(source: Any, names: Sequence[str] | None) -> Table:
    if _is_from("pandas", source, "DataFrame"):
        return Table(
            [_from_pandas(str(name), series) for name, series in source.items()],
            origin="pandas",
        )
    if _is_from("polars", source, "DataFrame"):
        return _from_polars(source)
    if isinstance(source, np.ndarray):
        return _from_numpy(source, names)
    if scipy_sparse.issparse(source):
        return _from_scipy(source, names)
    if isinstance(source, Mapping):
        return Table([_from_values(str(name), values) for name, values in source.items()])
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return _from_rows(source, names)
    return _from_arrow(source)


def _is_from(library: str, source: Any, name: str) -> bool:
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
                raise InputError(f"a {type(source).__name__} has no rows yet: call its collect() first.") from None
            raise InputError(
                f"a {type(source).__module__}.{type(source).__name__} is not a table: give a data frame, a 2-D array, "
                "a sparse matrix, a dict of columns or a list of dicts."
            ) from None
    try:
        frame = source if isinstance(source, pa.Table) else pa.table(source)
    except pa.ArrowInvalid:
        raise InputError(
            f"a {type(source).__name__} is one column: give a table, for instance with to_frame()."
        ) from None
    columns = [column_from_arrow(name, frame.column(at)) for at, name in enumerate(frame.column_names)]
    return Table(columns, origin="pyarrow")


def _from_polars(frame: Any) -> Table:
    polars = sys.modules["polars"]
    arrow = frame.to_arrow()
    columns = []
    for at, (name, dtype) in enumerate(frame.schema.items()):
        # The values of a polars Categorical are a pool shared with other frames; only an Enum declares its own.
        declared = not isinstance(dtype, polars.Categorical)
        columns.append(column_from_arrow(name, arrow.column(at), declared=declared))
    return Table(columns, origin="polars")


def _from_pandas(name: str, series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _from_values(name, series.to_numpy())
    if hasattr(series, "cat") and hasattr(dtype, "categories"):
        return _from_categorical(name, series)
    if hasattr(series, "sparse"):
        return _from_values(name, series.sparse.to_dense().to_numpy())
    return column_from_arrow(name, pa.array(series, from_pandas=True))


def _from_categorical(name: str, series: Any) -> Column:
    # Dates and intervals become text: a category must survive the model file, which is JSON.
    known = series.cat.categories.tolist()
    categories = [value if isinstance(value, (str, int, float, bool)) else str(value) for value in known]
    if not all(value.isascii() for value in categories if isinstance(value, str)):
        pa.array([str(value) for value in categories])  # raises an error about half a character
    level = "ordinal" if series.cat.ordered else "nominal"
    codes = series.cat.codes.to_numpy().astype(np.int32)
    return Column.nominal(name, codes, categories, level=level, declared=True)


def _from_values(name: str, values: Any) -> Column:
    """Make a column of a flat array or list."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(f"column {name!r} has {values.ndim} dimensions: give one value per row.")
        if values.dtype.kind == "f":
            return Column.numeric(name, values.astype(np.float64, copy=False))
        if values.dtype.kind in "iu":
            return Column.numeric(name, values.astype(np.float64), storage=pa.from_numpy_dtype(values.dtype))
        if values.dtype.kind == "b":
            return Column.nominal(name, values, (False, True), declared=True, storage=pa.bool_())
    elif hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return column_from_arrow(name, pa.chunked_array(values))
    elif not isinstance(values, Iterable):
        raise InputError(f"column {name!r} is {clip(repr(values))}: give a list, one value per row.")
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
                raise InputError(f"column {name!r}, row {row}: the number is too large; replace it.") from None
        else:
            raise _mixed(name, values)
    return Column.numeric(name, numbers)


def _half_characters(name: str, values: Any) -> InputError:
    for row, value in enumerate(values, start=1):
        try:
            str(value).encode()
        except UnicodeEncodeError:
            return InputError(f"column {name!r}, row {row}: {clip(value)!a} is not valid text; correct it.")
    return InputError(f"column {name!r} holds words that are not valid text; correct them.")


def _is_absent(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA, and an array in a cell
        return not hasattr(value, "__len__")


def _mixed(name: str, values: Any) -> InputError:
    """Return an error that names the first two values of different types."""

    def family(value: Any) -> str:
        if isinstance(value, (bool, np.bool_)):
            return "a truth value"
        if isinstance(value, (complex, np.complexfloating)):
            return "a complex number"
        if isinstance(value, (int, float, np.number)):
            return "a number"
        return "a word" if isinstance(value, str) else f"a {type(value).__name__}"

    first = None
    for row, value in enumerate(values, start=1):
        if _is_absent(value):
            continue
        first = first or (row, family(value), value)
        if family(value) != first[1]:
            return InputError(
                f"column {name!r} mixes types: row {first[0]} has {first[1]} ({clip(repr(first[2]))}), row "
                f"{row} has {family(value)} ({clip(repr(value))}); use one type."
            )
    return InputError(
        f"column {name!r} holds {first[1] if first else 'something'}, which is not a number, a word or a date."
    )


def _from_numpy(array: np.ndarray, names: Sequence[str] | None) -> Table:
    if array.dtype.names:
        return Table([_from_values(field, array[field]) for field in array.dtype.names])
    if array.ndim != 2:
        raise InputError(f"an array with {array.ndim} dimension(s) was given: a table has two, rows and columns.")
    return Table([_from_values(name, array[:, at]) for at, name in enumerate(_names(names, array.shape[1]))])


def _from_scipy(matrix: Any, names: Sequence[str] | None) -> Table:
    csr = scipy_sparse.csr_array(matrix, dtype=np.float64)
    if not np.all(np.isfinite(csr.data)):
        raise InputError("the sparse matrix holds infinite or missing numbers: only finite numbers can be used.")
    return Table(sparse=SparseBlock(csr, tuple(_names(names, csr.shape[1]))))


def _names(names: Sequence[str] | None, wanted: int) -> list[str]:
    if names is None:
        return [f"x{at}" for at in range(wanted)]
    if len(names) != wanted:
        raise InputError(f"{len(names)} names were given for {wanted} columns.")
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
                    f"row {at} has {len(row)} values where the first has {wanted}: make them equally long."
                )
        return Table([_from_values(name, list(cells)) for name, cells in zip(_names(names, wanted), zip(*rows))])
    raise InputError("the list holds no rows: give a list of dicts, one per row, or a dict of lists.")


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
    return arrow.to_pandas()


def as_frame(data: Any, columns: Sequence[Any] | None = None, index: Sequence[Any] | None = None) -> Any:
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
