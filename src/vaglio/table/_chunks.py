"""Read a table larger than memory chunk by chunk, every chunk with the same types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from vaglio.errors import InputError, ReadError
from vaglio.messages.message import text
from vaglio.table._arrow import column_from_arrow
from vaglio.table._column import Column
from vaglio.table._convert import as_date, as_nominal, as_numeric, as_ordinal, as_text
from vaglio.table._infer import Clues, infer
from vaglio.table._table import Table
from vaglio.table._words import MISSING, tidy
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.stream import open_batches
from vaglio.typing import TableSource


def read_chunks(
    source: TableSource,
    rows: int = 65_536,
    like: Any = None,
    *,
    missing: Sequence[str] = MISSING,
    header: bool | None = None,
    footer: bool = True,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dayfirst: bool | None = None,
    keep_words: Mapping[str, Iterable[str]] | None = None,
    limits: Mapping[str, int] | None = None,
) -> Iterator[Table]:
    """Read a table chunk by chunk, every chunk with the same types.

    CSV, Parquet and JSON lines are streamed, also from gzip and standard input; other formats are read whole and
    cut. No column is left out and no role is inferred.

    Parameters
    ----------
    source : path, "-" or open binary file
        "-" is standard input.
    rows : int, default=65536
        Rows per chunk; the last may have fewer.
    like : Table, or sequence, optional
        The columns to expect: a Table, or for each column a tuple (name, kind) or (name, kind, categories), or any
        object with these three attributes. Kinds are "numeric", "nominal", "ordinal", "text" and
        "date". Values outside given categories become missing. Columns not named keep the type they have in the first
        chunk; without `like`, the first chunk is typed by the rules of :func:`vaglio.read`.
    missing, header, footer, delimiter, decimal, encoding, dayfirst, keep_words, limits
        As in :func:`vaglio.read`; notes and totals below the table are left out of a file, not of a pipe.

    Yields
    ------
    Table

    Examples
    --------
    >>> import io
    >>> from vaglio.table import read_chunks
    >>> text = io.BytesIO(b"a,b\\n1,x\\n2,y\\n3,x\\n")
    >>> [len(chunk) for chunk in read_chunks(text, rows=2, like=[("a", "numeric"), ("b", "nominal", ("x", "y"))])]
    [2, 1]
    """
    if rows < 1:
        raise InputError("chunk-without-rows", "A chunk must have at least one row, not {rows}.", rows=rows)
    expected = _expected(like)
    options = {"missing": missing, "header": header, "footer": footer, "delimiter": delimiter, "decimal": decimal}
    numeric = {column for column, (kind, _) in expected.items() if kind == "numeric"} if expected else None
    allowed = Limits.given(limits)
    name, batches = open_batches(source, rows, numeric, encoding, options, allowed)
    done = 0
    for batch in _exactly(batches, rows):
        table = batch if isinstance(batch, Table) else _columns(batch)
        allowed.check_words(name, table._columns.values())
        kept = keep_words or {}
        columns = [tidy(column, missing, tuple(kept.get(column.name, ()))).column for column in table._columns.values()]
        if not expected and not done:
            columns, _ = infer(columns, missing=missing, clues=Clues(decimal, None, dayfirst, keep_words=kept))
            columns = [column.replace(role="input") for column in columns]
        typed = Table(
            [_typed(column, expected.get(column.name), name, done, dayfirst) for column in columns],
            sparse=table.sparse,
        )
        for column in typed._columns.values():
            # Undeclared categories are only those of this chunk: later chunks may have others.
            expected.setdefault(column.name, (_kind(column), column.categories if column.declared else None))
        done += len(typed)
        yield typed
    if not done:
        raise ReadError("file-without-rows", "{name} has no rows.", name=name)


def _expected(like: Any) -> dict[str, tuple[str, tuple[Any, ...] | None]]:
    if like is None:
        return {}
    if isinstance(like, Table):
        like = [like.column(name) for name in like.columns]
    found: dict[str, tuple[str, tuple[Any, ...] | None]] = {}
    for item in like:
        if isinstance(item, Column):
            found[item.name] = (_kind(item), item.categories or None)
        elif isinstance(item, tuple) and not hasattr(item, "kind"):
            name, kind, *categories = item
            found[name] = (kind, tuple(categories[0]) if categories and categories[0] else None)
        else:
            found[item.name] = (item.kind, tuple(item.categories) or None)
    return found


def _kind(column: Column) -> str:
    if column.is_date:
        return "date"
    return "ordinal" if column.level == "ordinal" else column.kind


def _typed(
    column: Column, wanted: tuple[str, tuple[Any, ...] | None] | None, name: str, done: int, dayfirst: bool | None
) -> Column:
    if wanted is None:
        return column
    kind, categories = wanted
    try:
        if kind == "numeric":
            return column if column.kind == "numeric" else as_numeric(column)
        if kind == "date":
            return as_date(column, dayfirst)
        if kind == "text":
            return as_text(column)
        if kind == "ordinal":
            return as_nominal(column, categories).replace(level="ordinal") if categories else as_ordinal(column)
        return as_nominal(column, categories)
    except InputError as error:
        first, last = done + 1, done + len(column)
        rows = text("{name}, rows {first:,} to {last:,}", name=name, first=first, last=last)
        raise ReadError(error.at(rows).message) from None


def _columns(batch: pa.Table) -> Table:
    return Table([column_from_arrow(name, batch.column(at)) for at, name in enumerate(batch.column_names)])


def _exactly(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Cut and join Arrow batches into chunks of exactly this many rows; Tables pass unchanged."""
    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        if isinstance(batch, Table):
            yield batch
            continue
        at = 0
        while at < batch.num_rows:
            part = batch.slice(at, rows - n_held)
            held.append(part)
            n_held += part.num_rows
            at += part.num_rows
            if n_held == rows:
                yield pa.Table.from_batches(held)
                held, n_held = [], 0
    if held:
        yield pa.Table.from_batches(held)
