"""Read CSV and similar text; delimiter, header and decimal mark are detected from the first lines unless given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from vaglio import _core
from vaglio.errors import InputError, ReadError
from vaglio.messages.options import reading
from vaglio.messages.printable import is_whole_text
from vaglio.runtime.threads import resolve_threads
from vaglio.table._column import EXACT
from vaglio.table._column_names import renamed
from vaglio.table._infer import Clues
from vaglio.table._numerals import NUMBER
from vaglio.table._words import MISSING, USUAL
from vaglio.table._written import TextStyle
from vaglio.table.readers.capacity import Limits
from vaglio.table.readers.layout import end_of_table, find_heading

_LINE_END = re.compile(r"\r\n|\n|\r")
# Bytes of a block unless a row needs more.
_USUAL_BLOCK = 1 << 20
# pyarrow counts the bytes of a block in 31 bits.
_LARGEST_BLOCK = (1 << 31) - 1
# What pyarrow says of a row that is larger than a block.
TOO_LARGE = "straddling object"
# In the order in which they are tried; see `_find_delimiter`.
DELIMITERS = ("\t", ";", "|", ",")
# Bytes and rows from which the dialect is detected: more rows do not change the decision.
_SAMPLE = 1 << 18
_SAMPLE_ROWS = 200
_NUMBER = re.compile(NUMBER.strip("^$"))
# A number with thousands, a currency sign or a short unit.
_WRITTEN = re.compile(
    r"[-+]?[€$£¥]? ?\d{1,3}(?:[.,' \u00a0\u202f’]\d{3})*(?:[.,]\d+)? ?(?:[€$£¥%‰]|[A-Za-z°µ²³/]{1,5})?"
)
# Cells that show the decimal mark: it has not three digits behind it, or a zero or the mark of thousands before it.
_COMMA = re.compile(
    r"^\D{0,4}(?:\d{1,3}(?:[.' \u00a0\u202f’]\d{3})+,\d+|0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d+)\D{0,6}$"
)
_POINT = re.compile(
    r"^\D{0,4}(?:\d{1,3}(?:[,' \u00a0\u202f’]\d{3})+\.\d+|0?\.\d+|\d+\.(?:\d{1,2}|\d{4,})|\d{4,}\.\d+)\D{0,6}$"
)
_OPEN = re.compile(r"[-+]?(?:[1-9]\d{0,2}\.\d{3}|\d{1,3})")
_SEP = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


def split_rows(text: str, delimiter: str, *, skip_blanks: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of delimited text, and the number of the line on which each ends; empty lines are left out.

    A field that begins with a double quote goes on to the next one, over delimiters and line ends; two double quotes
    inside it are one.

    Parameters
    ----------
    text : str
    delimiter : str
        One character.
    skip_blanks : bool, default=False
        Leave out blanks before a field.
    """
    gap = " *+" if skip_blanks else ""
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    field = re.compile(rf'{gap}(?:"([^"]*+(?:""[^"]*+)*+)(?:"|\Z)({plain})|({plain}))')
    at = line = 0
    while at < len(text):
        end = _LINE_END.search(text, at)
        stop, after = (end.start(), end.end()) if end else (len(text), len(text))
        quote = text.find('"', at, stop)
        if quote < 0:
            row = text[at:stop].split(delimiter)
            row = [cell.lstrip(" ") for cell in row] if skip_blanks else row
        else:
            row, stop = _quoted_row(text, at, delimiter, field)
            end = _LINE_END.match(text, stop)
            after = end.end() if end else stop
            line += len(_LINE_END.findall(text, at, stop))
        line += 1
        at = after
        if row != [""]:
            yield line, row


def _quoted_row(text: str, at: int, delimiter: str, field: re.Pattern[str]) -> tuple[list[str], int]:
    """Return the fields of the row that begins here, and where it ends."""
    row = []
    while True:
        found = field.match(text, at)
        assert found is not None  # every part of the pattern may be empty
        row.append(found[3] if found[1] is None else found[1].replace('""', '"') + found[2])
        at = found.end()
        if text[at : at + 1] != delimiter:
            return row, at
        at += 1


def in_blocks(parse: Callable[[int], pa.Table], size: int, first: int = 0) -> pa.Table:
    """Return what a parser makes of text, with blocks as large as its longest row needs.

    Parameters
    ----------
    parse : function
        Takes the bytes of a block.
    size : int
        Bytes of the text.
    first : int
        Bytes of a block that are known to be needed.
    """
    block = min(max(_USUAL_BLOCK, first), _LARGEST_BLOCK)
    while True:
        try:
            return parse(block)
        except pa.ArrowInvalid as error:
            if TOO_LARGE not in str(error) or block > size or block == _LARGEST_BLOCK:
                raise
            block = min(8 * block, _LARGEST_BLOCK)


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    Attributes
    ----------
    delimiter, decimal : str
        What separates fields, and the decimal mark.
    names : tuple of str
        Names of the columns.
    header : int
        Rows with names: 0, 1 or 2.
    above : int
        Lines above the names.
    end : int or None
        Where the rows end in the text; None if they go on to its end.
    decimal_shown : bool
        Numbers that can be read in one way only show the decimal mark, or it was given.
    units : tuple of str
        Units of the columns, from a second line of names; may be empty.
    open : tuple of str
        Columns whose first numbers, such as 1.234, could have thousands as well as decimals.
    remarks : tuple of str
        What a person should know.
    titles : tuple of str
        The names as the text has them, if some were renamed.
    encoding, line_end : str
        Of a text that is read in chunks.
    """

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    header: int = 1
    above: int = 0
    end: int | None = None
    decimal_shown: bool = False
    units: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    encoding: str = "utf-8"
    line_end: str = "\n"

    def style(self, marks: Iterable[str]) -> TextStyle:
        """Return how the text is written, for another that is to be written like it.

        Parameters
        ----------
        marks : iterable of str
            Decimal marks of the columns that are known, "" of those that no number showed. The rows at hand do not
            count: fewer of them would be written in another way.
        """
        shown = set(marks) - {""}
        # Where nothing shows the decimal mark, a semicolon does: it separates fields where a comma is the mark.
        mark = shown.pop() if len(shown) == 1 else "," if self.delimiter == ";" else "."
        return TextStyle(self.delimiter, mark, self.encoding, self.line_end)

    def renamed(self, rename: Mapping[str, str] | None) -> Dialect:
        """Return the same with some columns renamed."""
        if not rename:
            return self
        names = tuple(renamed(self.names, rename))
        opened = tuple(rename.get(name, name) for name in self.open)
        return replace(self, names=names, open=opened, titles=self.names)


def clues_of(dialect: Dialect, given: Clues) -> Clues:
    """Return what is known of numbers and dates, with what the text shows of them.

    Parameters
    ----------
    dialect : Dialect
    given : Clues
        What the user has said, which counts more.
    """
    shown = dialect.decimal if dialect.decimal_shown else None
    fallback = "." if dialect.delimiter == "," else None
    units = dict(zip(dialect.names, dialect.units))
    return replace(given, decimal=given.decimal or shown, fallback=fallback, units=units)


def survey(text: Any, name: str, dialect: Dialect, limits: Limits | None = None) -> bool:
    """Refuse a text of too many cells; return whether a field starts with a zero and another digit, as codes do.

    Parameters
    ----------
    text : bytes-like
    name : str
        Name of the source, for errors.
    dialect : Dialect
    limits : Limits, optional
        What the text may hold.
    """
    letters = np.frombuffer(text, dtype=np.uint8)
    line_ends, padded = _core.survey_text(letters, ord(dialect.delimiter), resolve_threads(-1))
    (limits or Limits()).check_shape(name, line_ends + 1, len(dialect.names))
    return padded


def read_csv(
    text: Any,
    name: str,
    dialect: Dialect,
    missing: Sequence[str],
    padded: bool = True,
    columns: Sequence[str] | None = None,
    words: Sequence[str] = (),
) -> pa.Table:
    """Read UTF-8 delimited text into Arrow; a field is a number, a date, missing, or else a string.

    Parameters
    ----------
    text : bytes-like
        Without what stands below the table.
    name : str
        Name of the source, for errors.
    dialect : Dialect
        From :func:`find_dialect`.
    missing : sequence of str
        Words that mean "no value".
    padded : bool, default=True
        Whether a field may start with a zero and another digit, from :func:`survey`.
    columns : sequence of str, optional
        Names of the columns that are wanted; by default all.
    words : sequence of str
        Names of the columns whose cells stay words.
    """
    # pyarrow fails on a header without anything after it, not even a line end.
    sample = _rows(_first_lines(text), dialect.delimiter)
    below = [row for line, row in sample if line > dialect.above][dialect.header :]
    more = {"include_columns": columns, "column_types": dict.fromkeys(words, pa.string())}
    table = parse_fields(text, name, dialect, missing, **more) if below else None
    if table is None or not table.num_rows:
        raise ReadError("only-column-names", "{name} has a row of column names but no rows below it.", name=name)
    return _keep_words(table, text, name, dialect, missing, padded)


def find_dialect(
    text: Any,
    name: str,
    missing: Sequence[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    footer: bool = True,
    whole: bool = True,
    known: Collection[str] = (),
) -> Dialect:
    """Detect from the first lines, and from the last if the text is `whole`, how it is written.

    What is given is not detected; `known` are names of columns that a model expects.
    """
    check_delimiter(delimiter)
    sample = _first_lines(text)
    # Excel writes the delimiter in a first line of its own.
    said = _SEP.match(sample)
    delimiter = delimiter or (said[1] if said else _find_delimiter(sample))
    numbered = [(line, row) for line, row in _rows(sample, delimiter) if not (said and line == 1)]
    rows = [row for _, row in numbered]
    if not rows:
        raise ReadError("file-without-rows", "{name} has no rows.", name=name)
    shown = decimal or _find_decimal(rows)
    # Where a comma separates fields, numbers with a decimal comma are in quotes: their columns show it themselves.
    shown = None if decimal is None and shown == delimiter else shown
    decimal = shown or "."
    if decimal == delimiter:
        raise ReadError(
            "delimiter-is-decimal-mark",
            "{name}: {mark!r} cannot separate both fields and decimals. Set {delimiter} or {decimal}.",
            name=name,
            mark=delimiter,
            delimiter=reading("delimiter"),
            decimal=reading("decimal"),
        )
    # Each cell is asked for several times, and most cells recur.
    heading = find_heading(rows, cache(partial(is_number, decimal=decimal)), missing, header, known)
    heading.refuse_duplicates(name)
    body = rows[heading.above + heading.lines :]
    # A quoted field may have several lines, and the number of a row is that of its last line.
    last, names = numbered[heading.above]
    above = last - 1 - sum(name.count("\n") for name in names) if heading.above or said else 0
    at_end = (delimiter, len(heading.names), heading.above + heading.lines + bool(said), shown)
    end, below = end_of_table(text, *at_end, footer=footer) if whole else (len(text), [])
    return Dialect(
        delimiter,
        decimal,
        heading.names,
        header=heading.lines,
        above=above,
        end=end if end < len(text) else None,
        decimal_shown=shown is not None,
        units=heading.units,
        open=() if shown else _open_columns(body, heading.names, decimal, delimiter),
        remarks=(*heading.remarks, *below),
    )


def split_words(text: Any) -> tuple[list[list[str]], str | None]:
    """Return the cells of a short text, whose delimiter is detected, and the decimal mark that its numbers show.

    Parameters
    ----------
    text : bytes-like
    """
    sample = bytes(text).decode()
    delimiter = _find_delimiter(sample)
    rows = [[cell.strip() for cell in row] for _, row in split_rows(sample, delimiter)]
    decimal = _find_decimal(rows) if rows else None
    return rows, None if decimal == delimiter else decimal


def check_delimiter(delimiter: str | None) -> None:
    """Raise unless a given delimiter is one character that can separate fields."""
    if delimiter is None:
        return
    if not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise InputError(
            "delimiter-not-one-character",
            "{option} must be one ASCII character other than a quote or a line end, not {value!r}.",
            option=reading("delimiter"),
            value=delimiter,
        )


def convert_options(dialect: Dialect, missing: Sequence[str], **more: Any) -> arrow_csv.ConvertOptions:
    """Return how a field becomes a value; a word for "missing" may have a blank before or after it.

    Words stay words: :func:`vaglio.table._words.tidy` decides which of them mean "missing", and says so. For the same
    reason only the usual words for "missing", and those of the user, are missing numbers here.
    """
    return arrow_csv.ConvertOptions(
        null_values=words_for_missing(missing),
        true_values=[],
        false_values=[],
        decimal_point=dialect.decimal,
        **more,
    )


def words_for_missing(missing: Sequence[str]) -> list[str]:
    """Return what stands for a missing number or date, with and without blanks."""
    # A word without bytes is in no file.
    said = [token for token in missing if (token in USUAL or token not in MISSING) and is_whole_text(token)]
    return [*said, *(f" {token}" for token in said), *(f"{token} " for token in said)]


def parse_options(text: Any, dialect: Dialect) -> arrow_csv.ParseOptions:
    """Return how bytes become fields."""
    # Line breaks inside quotes slow pyarrow down: allowed only if there are quotes.
    quoted = text.find(b'"') >= 0
    return arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=quoted)


def read_options(dialect: Dialect, block_size: int | None = None) -> arrow_csv.ReadOptions:
    """Return how rows are read. Names are passed on, because pyarrow would accept repeated and empty ones."""
    return arrow_csv.ReadOptions(
        column_names=list(dialect.names),
        skip_rows=dialect.above,
        skip_rows_after_names=dialect.header,
        block_size=block_size,
    )


def parse_fields(text: Any, name: str, dialect: Dialect, missing: Sequence[str], **more: Any) -> pa.Table:
    """Return what pyarrow makes of a text; `more` are further options of how a field becomes a value."""
    parsing, converting = parse_options(text, dialect), convert_options(dialect, missing, **more)

    def parse(block: int) -> pa.Table:
        source = pa.BufferReader(pa.py_buffer(text))
        return arrow_csv.read_csv(source, read_options(dialect, block), parsing, converting)

    try:
        # With thousands of columns, a row may not fit in the usual block.
        return in_blocks(parse, len(text), 4 * len(_first_lines(text, rows=2 + dialect.above)))
    except pa.ArrowInvalid as error:
        raise explain_ragged(text, name, dialect, str(error)) from None


def explain_ragged(text: Any, name: str, dialect: Dialect, reason: str) -> ReadError:
    """Return an error that names the first row with too few or too many fields."""
    rows = split_rows(bytes(text).decode(errors="replace"), dialect.delimiter)
    wanted = len(dialect.names)
    below = ((line, row) for line, row in rows if line > dialect.above)
    for number, (line, row) in enumerate(below, start=1 - dialect.header):
        if len(row) != wanted:
            return ReadError(
                "line-length",
                "{name}, row {row:,} (line {line:,}) has {n:,} {n:field|fields}; expected {expected:,}. Correct the "
                "row, or set {delimiter} if fields are not separated by {mark!r}.",
                name=name,
                row=number,
                line=line,
                n=len(row),
                expected=wanted,
                delimiter=reading("delimiter"),
                mark=dialect.delimiter,
            )
    return ReadError(
        "not-delimited-text",
        "{name} cannot be read as delimited text: {reason}.",
        name=name,
        reason=reason.splitlines()[0],
    )


def _keep_words(
    table: pa.Table, text: Any, name: str, dialect: Dialect, missing: Sequence[str], padded: bool
) -> pa.Table:
    """Read numbers again as words if a float would hide how they were written.

    These are digits with leading zeros (if any field of the text is `padded` with them) or too many of them, numbers
    such as 1.234 that may be 1234, and what pyarrow alone takes for a number (0x1F).
    """
    suspects = [
        field.name
        for field, column in zip(table.schema, table.columns)
        if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)) and _is_long(column)
    ]
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    if padded:
        suspects += [*whole, *(field.name for field in table.schema if pa.types.is_floating(field.type))]
    elif whole and (text.find(b"0x") >= 0 or text.find(b"0X") >= 0):
        suspects += whole
    open_ones = [f.name for f in table.schema if f.name in dialect.open and pa.types.is_floating(f.type)]
    again = list(dict.fromkeys([*suspects, *open_ones]))
    if not again:
        return table
    types = dict.fromkeys(again, pa.string())
    more = {"include_columns": again, "column_types": types, "strings_can_be_null": True}
    words = parse_fields(text, name, dialect, missing, **more)
    for suspect in again:
        column = pc.utf8_trim_whitespace(words.column(suspect))
        codes = pc.any(pc.match_substring_regex(column, r"^0\d+$")).as_py()
        codes = codes or pc.any(pc.match_substring_regex(column, "^-?0[xX]")).as_py()
        digits = pc.all(pc.match_substring_regex(column, r"^-?\d+$")).as_py()
        if suspect in open_ones or codes or (digits and _is_long(table.column(suspect))):
            table = table.set_column(table.schema.get_field_index(suspect), suspect, column)
    return table


def _is_long(column: pa.ChunkedArray) -> bool:
    ends = pc.min_max(column).as_py()
    return ends["max"] is not None and (ends["max"] >= EXACT or ends["min"] <= -EXACT)


def _first_lines(text: Any, rows: int = 0) -> str:
    """Return whole lines from the start: a sample of the text, or the first ``rows`` lines however long they are."""
    end = 0
    if not rows:
        end = len(text) if len(text) <= _SAMPLE else text.rfind(b"\n", 0, _SAMPLE)
    for _ in range(rows or (2 if end <= 0 else 0)):
        end = text.find(b"\n", max(end, 0) + 1)
        if end < 0:
            end = len(text)
            break
    return bytes(text[: end + 1]).decode("utf-8", errors="replace")


def _rows(sample: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the first rows that are not empty, each with the number of its last line."""
    return list(islice(split_rows(sample, delimiter), _SAMPLE_ROWS))


def _find_delimiter(sample: str) -> str:
    # The delimiter that cuts most rows into the same number of fields wins; of equals the first. The comma comes last,
    # because decimal commas, too, may cut every row into the same number of fields.
    best, best_share = ",", 0.0
    for candidate in DELIMITERS:
        if candidate not in sample:
            continue
        widths = Counter(len(row) for _, row in _rows(sample, candidate))
        width, times = widths.most_common(1)[0] if widths else (1, 0)
        share = times / max(1, widths.total())
        if width > 1 and share > best_share:
            best, best_share = candidate, share
    return best


def _find_decimal(rows: list[list[str]]) -> str | None:
    """Return the decimal mark that numbers of one meaning show; None if there are none."""
    cells = [cell.strip() for row in rows[1:] or rows for cell in row]
    with_comma = sum("," in cell and bool(_COMMA.search(cell)) for cell in cells)
    with_point = sum("." in cell and bool(_POINT.search(cell)) for cell in cells)
    if with_comma == with_point:
        return "." if with_point else None
    return "," if with_comma > with_point else "."


def _open_columns(body: list[list[str]], names: Sequence[str], decimal: str, delimiter: str) -> tuple[str, ...]:
    """Return the columns whose first numbers do not show whether a point separates thousands or decimals."""
    rows = [row for row in body if len(row) == len(names)]
    columns = {name: {row[at].strip() for row in rows} for at, name in enumerate(names)}
    found = []
    for name, cells in columns.items():
        marked = {cell for cell in cells if "." in cell}
        # Where a comma separates fields, a point is a decimal mark, unless short numbers have none.
        enough = marked if delimiter != "," else len(marked) >= 5 and marked < cells
        if enough and all(_OPEN.fullmatch(cell) or not any(map(str.isdigit, cell)) for cell in cells):
            found.append(name)
    return tuple(found)


def is_number(cell: str, decimal: str = ".") -> bool:
    """Return whether a cell looks like a number, with or without thousands, currency sign or unit."""
    cell = cell.strip()
    return bool(_NUMBER.fullmatch(cell.replace(",", ".") if decimal == "," else cell) or _WRITTEN.fullmatch(cell))
