"""The function `read`: any source to a Table, with types inferred from the values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from vaglio.errors import InputError, ReadError
from vaglio.messages.options import reading
from vaglio.messages.sentences import listed
from vaglio.runtime.arguments import checked
from vaglio.runtime.threads import resolve_threads
from vaglio.table._arrow import column_from_arrow, numbers_from_arrow
from vaglio.table._cell_format import NUMERIC_SHARE, CellFormat
from vaglio.table._column import Column
from vaglio.table._column_names import by_column, matching_columns, note_matches
from vaglio.table._convert import Levels, apply_overrides, ordered_level
from vaglio.table._frames import table_from_any
from vaglio.table._infer import Clues, Remarks, infer
from vaglio.table._table import Table
from vaglio.table._words import MISSING
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.source import Source, open_source, recognise, to_utf8
from vaglio.typing import TableSource

# Below this number of rows, threads take longer to start than to help.
_MANY_ROWS = 100_000

FORMATS = ("csv", "parquet", "feather", "json", "arff", "excel", "html")


@checked
def read(
    source: TableSource,
    target: str | int | None = None,
    *,
    levels: Levels | None = None,
    roles: Mapping[str, str] | None = None,
    like: Mapping[str, CellFormat | str] | None = None,
    missing: Sequence[str] = MISSING,
    header: bool | None = None,
    footer: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int = 0,
    format: str | None = None,
    kind: str = "table",
    dayfirst: bool | None = None,
    numeric_share: float = NUMERIC_SHARE,
    keep_words: Mapping[str, Iterable[str]] | None = None,
    rename: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | Limits | None = None,
) -> Table:
    """Read a table and infer the kind, level and role of each column.

    The rules are those of :mod:`vaglio.table._infer`. Files are recognised by content, then by extension; gzip, bzip2
    and xz are unpacked.

    Parameters
    ----------
    source : path, "-", open file, frame, array or container
        CSV and TSV, Parquet, Arrow/Feather, JSON lines or a JSON array, ARFF, Excel, HTML; "-" is standard input.
        Anything :meth:`~vaglio.Table.from_any` takes is typed by dtype first, then by the same rules.
    target : str or int, optional
        The class: a name, or a position (-1 is the last column; also as digits in a string, if that is no name).
    levels : mapping, optional
        Column -> "nominal", "ordinal", "interval", "ratio", "numeric", "text", "date", "asymmetric", or the list of its
        values in order, which makes it ordinal.
    roles : mapping, optional
        Column -> "input", "target", "identifier", "ignored", "weight", or "group": rows of one customer, say, are then
        never divided between training and test.
    like : mapping, optional
        Column -> how an earlier table was read, as ``cell_formats`` of a model or a table gives it: these columns are
        inputs (or the target), and each cell is read as it was there, whatever the others are; one that is not what
        the column held is refused, with its row, unless `missing` names it. Names may differ in case, accents, spaces
        and the like, which a warning tells. If only the kind is known ("numeric", "nominal", "text", "date"), a number
        or a date must have one meaning. Absent columns are no error.
    missing : sequence of str
        Words that mean "no value"; by default the usual ones in English, Italian, German, French and Spanish.
    header : bool, optional
        Whether the first row of delimited text (or of a sheet) has the names; detected if not given.
    footer : bool, optional
        Whether notes, totals and empty rows below the table are left out; each is named in the remarks. By default they
        are, unless `like` is given: of the rows for a model none is left out.
    delimiter, encoding : str, optional
        Of delimited text; detected if not given.
    decimal : {".", ","}, optional
        The decimal mark; detected if not given. It decides what 1.234 and 1,234 mean.
    sheet : str or int
        Name or position of the sheet of a spreadsheet; caption or position of the table of an HTML page.
    format : {"csv", "parquet", "feather", "json", "arff", "excel", "html"}, optional
        By default detected from the content and the extension.
    kind : {"table", "transactions"}
        "transactions" reads baskets: one per line, or lines of id and item. Each item becomes an asymmetric column.
    dayfirst : bool, optional
        Whether 03/04/2024 is the 3rd of April; detected if not given.
    numeric_share : float, default=0.8
        If at least this share of the values of a column are numbers (and at least ten different ones), the column is
        numeric; its other cells count as missing and are named in the remarks and in the audit. 1 turns this off. It
        does not apply to columns of `like`.
    keep_words : mapping, optional
        Column -> words that are values there although `missing` has them.
    rename : mapping, optional
        Name of a column in the table -> its new name, which all other parameters use.
    limits : mapping, optional
        What a file may hold at most: "cells", "columns", "cell_length", "bytes", "nesting" or "digits" -> a number; see
        :class:`~vaglio.table.Limits`.

    Returns
    -------
    Table
        Its `remarks` say what was noticed when it was read.

    Examples
    --------
    >>> import io
    >>> from vaglio import read
    >>> table = read(io.StringIO("size;price;sold\\n1,5;10;yes\\n2,5;;no\\n"), target="sold")
    >>> table["size"].tolist(), table.column("price").n_missing, table.target
    ([1.5, 2.5], 1, 'sold')
    """
    _check_choices(format, kind, decimal, numeric_share)
    known = {name: CellFormat.given(each).told(decimal, dayfirst, missing) for name, each in (like or {}).items()}
    said = (target, levels or {}, roles or {}, known, missing)
    clues = Clues(decimal, None, dayfirst, numeric_share, keep_words or {})
    if not _is_stream(source):
        given = source if isinstance(source, Table) else table_from_any(source)
        return _finish(given.rename(rename), clues, *said)
    opened = open_source(source, Limits.given(limits))
    form = "transactions" if kind == "transactions" else recognise(opened, format)
    options: dict[str, Any] = {"missing": missing, "header": header, "delimiter": delimiter, "decimal": decimal}
    options["footer"] = not like if footer is None else footer
    with _naming(opened.name):
        raw, clues = _read_format(opened, form, clues, known, rename, encoding=encoding, sheet=sheet, **options)
        opened.release()
        opened.limits.check_words(opened.name, raw._columns.values())
        return _finish(raw.with_remarks(opened.remarks), clues, *said, typed=form == "arff")


def as_table(source: TableSource, *, finite: bool = True) -> Table:
    """Return a Table: files are read (types inferred from the values), frames and arrays are typed by dtype alone.

    Parameters
    ----------
    source : path, "-", open file, Table, frame, array or container
        What :func:`vaglio.read` or :meth:`~vaglio.Table.from_any` takes.
    finite : bool, default=True
        Refuse infinite numbers in a frame or array; else they are missing, and kept among the unread cells.
    """
    if _is_stream(source):
        return read(source)
    if finite or isinstance(source, Table):
        return Table.from_any(source)
    table = table_from_any(source)
    return table.with_columns([column.without_infinite() for column in table._columns.values()])


def check_decimal(decimal: str | None) -> None:
    """Refuse a decimal mark that is none."""
    if decimal not in (None, ".", ","):
        raise InputError(
            "unknown-decimal-mark",
            "{option} must be '.' or ',', not {value!r}.",
            option=reading("decimal"),
            value=decimal,
        )


def _check_choices(format: str | None, kind: str, decimal: str | None, numeric_share: float) -> None:
    check_decimal(decimal)
    if not 0 < numeric_share <= 1:
        raise InputError(
            "numeric-share-out-of-range",
            "{option} must be above 0 and at most 1, not {value!r}.",
            option=reading("numeric_share"),
            value=numeric_share,
        )
    if format is not None and format not in FORMATS:
        raise InputError(
            "unknown-file-format",
            "{option} must be {formats}, not {value!r}.",
            option=reading("format"),
            formats=listed(FORMATS, last="or"),
            value=format,
        )
    if kind not in ("table", "transactions"):
        raise InputError(
            "unknown-kind-of-file",
            "{option} must be 'table' or 'transactions', not {value!r}.",
            option=reading("kind"),
            value=kind,
        )


def _is_stream(source: object) -> bool:
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "read")


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Put the name of the file before the message of an error that does not name it."""
    try:
        yield
    except InputError as error:
        if str(error).startswith(where):
            raise
        kind = ReadError if type(error) is InputError else type(error)
        raise kind(error.at(where).message) from None
    except MemoryError:
        raise ReadError(
            "table-out-of-memory",
            "{name} needs more memory than this process may use. Read fewer columns, or use a larger machine.",
            name=where,
        ) from None


def _read_format(
    source: Source,
    form: str,
    clues: Clues,
    known: Mapping[str, CellFormat],
    rename: Mapping[str, str] | None,
    *,
    encoding: str | None,
    sheet: str | int,
    header: bool | None,
    **options: Any,
) -> tuple[Table, Clues]:
    """Return the table as its format gives it, and what the file shows of its numbers."""
    if form not in ("csv", "html"):
        return _read_other(source, form, known, rename, encoding, sheet, header, options).rename(rename), clues
    from vaglio.table.readers.csv import clues_of, find_dialect, read_csv, survey
    from vaglio.table.readers.plain_csv import read_plain

    text = to_utf8(source, encoding)
    if form == "html":
        from vaglio.table.readers.html import read_page

        text, named, remarks = read_page(bytes(text), source.name, sheet, source.limits)
        header = named if header is None else header
        source.remarks += remarks
        options["delimiter"] = "\t"
    dialect = find_dialect(text, source.name, header=header, known=known, **options).renamed(rename)
    known = by_column(known, dialect.names)
    text = text if dialect.end is None else bytes(text[: dialect.end])
    padded = survey(text, source.name, dialect, source.limits)
    told = (text, source.name, dialect, options["missing"])
    words = [name for name in dialect.names if name in known]
    plain = {name: _plain_like(column, known.get(name)) for name, column in read_plain(*told).items()}
    columns = {name: column for name, column in plain.items() if column is not None}
    if padded:  # 01 makes decimals a column of codes, which the other reader notices
        columns = {name: column for name, column in columns.items() if str(column.storage) != "double"}
    if others := [name for name in dialect.names if name not in columns]:
        columns.update({each.name: each for each in _columns(read_csv(*told, padded, others, words), known)})
    table = Table([columns[name] for name in dialect.names], remarks=dialect.remarks)
    return table, clues_of(dialect, clues)


def _plain_like(column: Column, cell_format: CellFormat | None) -> Column | None:
    """Return a column that was read at once, if an earlier table's cells would be read so; else None."""
    if cell_format is None or str(column.storage) == "string":
        return column
    if not cell_format.bare or cell_format.decimal == "," or column.is_date or len(column.infinite):
        return None
    return column.replace(unit=cell_format.unit, cell_format=cell_format)


def _columns(frame: Any, known: Mapping[str, CellFormat]) -> list[Column]:
    """Return the columns of an Arrow table; threads share the work of a large one, since Arrow sets them free."""

    def made(name: str) -> Column:
        array = frame.column(name)
        if pa.types.is_null(array.type):  # empty fields alone: no number shows that these are numbers
            array = array.cast(pa.string())
        plain = numbers_from_arrow(name, array, known[name]) if name in known else None
        return plain or column_from_arrow(name, array)

    names = frame.column_names
    if frame.num_rows < _MANY_ROWS:
        return list(map(made, names))
    with ThreadPoolExecutor(resolve_threads(-1)) as pool:
        return list(pool.map(made, names))


def _read_other(
    source: Source,
    form: str,
    known: Mapping[str, CellFormat],
    rename: Mapping[str, str] | None,
    encoding: str | None,
    sheet: str | int,
    header: bool | None,
    options: dict[str, Any],
) -> Table:
    if form == "transactions":
        from vaglio.table.readers.transactions import read_transactions

        return read_transactions(
            to_utf8(source, encoding), source.name, options["delimiter"], header, options["missing"], source.limits
        )
    if form == "arff":
        from vaglio.table.readers.arff import read_arff

        return read_arff(bytes(to_utf8(source, encoding)).decode(), source.name, source.limits)
    if form == "json":
        from vaglio.table.readers.json import read_json

        return read_json(to_utf8(source, encoding), source.name, source.limits)
    if form == "excel":
        from vaglio.table.readers.excel import read_excel

        how = {"like": known, "rename": rename, "footer": options["footer"]}
        return read_excel(source.data, source.name, sheet, header, source.limits, **how)
    from vaglio.table.readers.binary import read_feather, read_parquet

    reader = read_parquet if form == "parquet" else read_feather
    return reader(source)


def _column_meant(raw: Table, target: str | int) -> str | int:
    """Return a name or a position; digits that are no column name are a position, because a command line gives text."""
    digits = isinstance(target, str) and target not in raw and re.fullmatch(r"-?\d+", target)
    return int(target) if digits else target


def _finish(
    raw: Table,
    clues: Clues,
    target: str | int | None,
    levels: Levels,
    roles: Mapping[str, str],
    like: Mapping[str, CellFormat],
    missing: Sequence[str],
    typed: bool = False,
) -> Table:
    if raw.sparse is not None and raw.sparse.asymmetric:
        # An item that no basket has is no missing column of a model.
        raw = raw.with_sparse(raw.sparse.having([name for name in like if name not in raw]))
    matches = matching_columns(like, raw.columns)
    note_matches(matches)
    target = target if target is None else matches.get(str(target), target)
    name_of_target = None if target is None else raw.resolve(_column_meant(raw, target))
    levels = {raw.resolve(name): ordered_level(level) for name, level in levels.items()}
    known = {given: like[wanted] for wanted, given in matches.items() if given not in levels}
    roles = {**dict.fromkeys(known, "input"), **{raw.resolve(name): role for name, role in roles.items()}}
    if name_of_target is not None:
        roles[name_of_target] = "target"
    chosen = next((name for name, role in roles.items() if role == "target"), None)
    # A column with a role or level of its own cannot stay in the compressed block.
    raw = raw.unpack([*levels, *roles])
    columns = [column.replace(role=roles.get(column.name, column.role)) for column in raw._columns.values()]
    # Rows for a model: which further columns look like identifiers is of no interest.
    settled = raw.columns if like else roles
    others, remarks = infer(
        [column for column in columns if column.name not in known],
        missing=missing,
        target=chosen,
        levels=levels,
        settled=settled,
        typed=typed,
        clues=clues,
    )
    done = {column.name: column for column in apply_overrides(others, levels, roles)}
    noted = Remarks()
    done |= {each.name: _read_like(each, known[each.name], clues, noted) for each in columns if each.name in known}
    remarks = [*raw.remarks, *remarks, *noted.sentences()]
    return Table([done[column.name] for column in columns], sparse=raw.sparse, remarks=remarks, origin=raw.origin)


def _read_like(column: Column, cell_format: CellFormat, clues: Clues, remarks: Remarks) -> Column:
    """Return a column as an earlier table was read; a cell that is something else is refused."""
    if column.name in clues.keep_words:
        cell_format = replace(cell_format, keep=tuple(clues.keep_words[column.name]))
    found, unread = cell_format.read(column)
    if unread is not None and cell_format.refuses(unread.n, unread.present):
        raise unread.refusal(column.name, cell_format)
    remarks.unread(found, cell_format.what)
    return found
