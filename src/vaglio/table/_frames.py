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
            "holds-what-cannot-cell",
            "the {name} holds what cannot be a cell of a table: {reason}.",
            name=type(source).__name__,
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
                "array-dimension-s-given",
                "an array with {ndim} dimension(s) was given: a table has two, rows and columns.",
                ndim=source.ndim,
            )
        return Table([_from_values(name, source[:, at]) for at, name in enumerate(_names(names, source.shape[1]))])
    if scipy_sparse.issparse(source):
        csr = scipy_sparse.csr_array(source, dtype=np.float64)
        if not np.all(np.isfinite(csr.data)):
            raise InputError(
                "sparse-matrix-holds-infinite",
                "the sparse matrix holds infinite or missing numbers: only finite numbers can be used.",
            )
        return Table(sparse=SparseBlock(csr, tuple(_names(names, csr.shape[1]))))
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
                raise InputError(
                    "has-rows-yet-call",
                    "a {name} has no rows yet: call its collect() first.",
                    name=type(source).__name__,
                ) from None
            raise InputError(
                "table-give-data-frame",
                "a {module}.{name} is not a table: give a data frame, a 2-D array, a sparse matrix, a "
                "dict of columns or a list of dicts.",
                module=type(source).__module__,
                name=type(source).__name__,
            ) from None
    try:
        frame = source if isinstance(source, pa.Table) else pa.table(source)
    except pa.ArrowInvalid:
        raise InputError(
            "one-column-give-table",
            "a {name} is one column: give a table, for instance with to_frame().",
            name=type(source).__name__,
        ) from None
    columns = [column_from_arrow(name, frame.column(at)) for at, name in enumerate(frame.column_names)]
    return Table(columns, origin="pyarrow")


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
                "column-has-dimensions-give",
                "column {name!r} has {ndim} dimensions: give one value per row.",
                name=name,
                ndim=values.ndim,
            )
        if values.dtype.kind == "f":
            return Column.numeric(name, values.astype(np.float64, copy=False))
        if values.dtype.kind in "iu":
            return Column.numeric(name, values.astype(np.float64), storage=pa.from_numpy_dtype(values.dtype))
        if values.dtype.kind == "b":
            return Column.nominal(name, values, (False, True), declared=True, storage=pa.bool_())
    elif hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return column_from_arrow(name, pa.chunked_array(values))
    elif not isinstance(values, Iterable):
        raise InputError(
            "column-give-list-one",
            "column {name!r} is {values}: give a list, one value per row.",
            name=name,
            values=clip(repr(values)),
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
                    "column-row-number-too",
                    "column {name!r}, row {row}: the number is too large; replace it.",
                    name=name,
                    row=row,
                ) from None
        else:
            raise _mixed(name, values)
    return Column.numeric(name, numbers)


def _half_characters(name: str, values: Any) -> InputError:
    for row, value in enumerate(values, start=1):
        try:
            str(value).encode()
        except UnicodeEncodeError:
            return InputError(
                "column-row-valid-text",
                "column {name!r}, row {row}: {value!a} is not valid text; correct it.",
                name=name,
                row=row,
                value=clip(value),
            )
    return InputError(
        "column-holds-words-valid", "column {name!r} holds words that are not valid text; correct them.", name=name
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
                "column-mixes-types-row",
                "column {name!r} mixes types: row {first} has {first2} ({first3}), row {row} has "
                "{family} ({value}); use one type.",
                name=name,
                first=first[0],
                first2=first[1],
                first3=clip(repr(first[2])),
                row=row,
                family=family(value),
                value=clip(repr(value)),
            )
    return InputError(
        "column-holds-which-number",
        "column {name!r} holds {first}, which is not a number, a word or a date.",
        name=name,
        first=first[1] if first else "something",
    )


def _names(names: Sequence[str] | None, wanted: int) -> list[str]:
    if names is None:
        return [f"x{at}" for at in range(wanted)]
    if len(names) != wanted:
        raise InputError(
            "names-given-columns", "{n_names} names were given for {wanted} columns.", n_names=len(names), wanted=wanted
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
                    "row-has-values-where",
                    "row {at} has {n_row} values where the first has {wanted}: make them equally long.",
                    at=at,
                    n_row=len(row),
                    wanted=wanted,
                )
        return Table([_from_values(name, list(cells)) for name, cells in zip(_names(names, wanted), zip(*rows))])
    raise InputError(
        "list-holds-rows-give", "the list holds no rows: give a list of dicts, one per row, or a dict of lists."
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
