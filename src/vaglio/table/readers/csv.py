"""Read CSV and similar text; delimiter, header and decimal mark are detected from the first lines unless given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from vaglio.errors import InputError, ReadError
from vaglio.table._table import refuse_duplicates
from vaglio.table.readers.blocks import in_blocks
from vaglio.table.readers.fields import split_rows
from vaglio.table.readers.limits import Limits

# In the order in which they are tried; see `_find_delimiter`.
DELIMITERS = ("\t", ";", "|", ",")
# Bytes and rows from which the dialect is detected: more rows do not change the decision.
_SAMPLE = 1 << 18
_SAMPLE_ROWS = 200
_NUMBER = re.compile(r"\s*+[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?\s*+")
_COMMA_NUMBER = re.compile(r"\s*+[-+]?\d++,\d++\s*+")
# From this number on, float64 cannot represent every whole number: longer digits must be codes.
_EXACT = 2**53


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    Attributes
    ----------
    delimiter, decimal : str
        What separates fields, and the decimal mark.
    header : bool
        Whether the first row has the names.
    names : tuple of str
        Names of the columns.
    """

    delimiter: str
    decimal: str
    header: bool
    names: tuple[str, ...]


def read_csv(text: Any, name: str, dialect: Dialect, missing: Sequence[str], limits: Limits | None = None) -> pa.Table:
    """Read UTF-8 delimited text into Arrow; a field is a number, a date, missing, or else a string.

    Parameters
    ----------
    text : bytes-like
    name : str
        Name of the source, for errors.
    dialect : Dialect
        From :func:`find_dialect`.
    missing : sequence of str
        Words that mean "no value".
    limits : Limits, optional
        What the text may hold.
    """
    (limits or Limits()).check_shape(name, text.count(b"\n") + 1, len(dialect.names))
    # pyarrow fails on a header without anything after it, not even a line end.
    alone = dialect.header and len(_split(_first_lines(text), dialect.delimiter)) == 1
    table = None if alone else _parse(text, name, dialect, missing)
    if table is None or not table.num_rows:
        raise ReadError(f"{name} has a row of names but no rows below it.")
    return _keep_codes(table, text, name, dialect, missing)


def find_dialect(
    text: Any,
    name: str,
    missing: Sequence[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
) -> Dialect:
    """Detect from the first lines how the text is written; what is given is not detected."""
    check_delimiter(delimiter)
    sample = _first_lines(text)
    delimiter = delimiter or _find_delimiter(sample)
    rows = _split(sample, delimiter)
    if not rows:
        raise ReadError(f"{name} has no rows.")
    decimal = decimal or _find_decimal(rows, delimiter)
    if decimal == delimiter:
        raise ReadError(f"{name}: {delimiter!r} cannot separate both fields and decimals: give delimiter= or decimal=.")
    if header is None:
        header = _has_header(rows, decimal, missing)
    names = _names(rows[0], header)
    refuse_duplicates(names, f"{name}: ")
    return Dialect(delimiter, decimal, header, names)


def check_delimiter(delimiter: str | None) -> None:
    """Raise unless a given delimiter is one character that can separate fields."""
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise InputError(f"the delimiter is one ASCII character and no quote or line end, not {delimiter!r}.")


def convert_options(dialect: Dialect, missing: Sequence[str], **more: Any) -> arrow_csv.ConvertOptions:
    """Return how a field becomes a value; a word for "missing" may have a blank before or after it."""
    tokens = [*missing, *(f" {token}" for token in missing), *(f"{token} " for token in missing)]
    return arrow_csv.ConvertOptions(
        null_values=tokens,
        true_values=[],
        false_values=[],
        strings_can_be_null=True,
        decimal_point=dialect.decimal,
        **more,
    )


def parse_options(text: Any, dialect: Dialect) -> arrow_csv.ParseOptions:
    """Return how bytes become fields."""
    # Line breaks inside quotes slow pyarrow down: allowed only if there are quotes.
    quoted = text.find(b'"') >= 0
    return arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=quoted)


def read_options(dialect: Dialect, block_size: int | None = None) -> arrow_csv.ReadOptions:
    """Return how rows are read. Names are passed on, because pyarrow would accept repeated and empty ones."""
    return arrow_csv.ReadOptions(
        column_names=list(dialect.names), skip_rows_after_names=int(dialect.header), block_size=block_size
    )


def _parse(text: Any, name: str, dialect: Dialect, missing: Sequence[str], **more: Any) -> pa.Table:
    parsing, converting = parse_options(text, dialect), convert_options(dialect, missing, **more)

    def parse(block: int) -> pa.Table:
        source = pa.BufferReader(pa.py_buffer(text))
        return arrow_csv.read_csv(source, read_options(dialect, block), parsing, converting)

    try:
        # With thousands of columns, a row may not fit in the usual block.
        return in_blocks(parse, len(text), 4 * len(_first_lines(text, rows=2)))
    except pa.ArrowInvalid as error:
        raise explain_ragged(text, name, dialect, str(error)) from None


def explain_ragged(text: Any, name: str, dialect: Dialect, reason: str) -> ReadError:
    """Return an error that names the first row with too few or too many fields."""
    rows = split_rows(bytes(text).decode(errors="replace"), dialect.delimiter)
    wanted = len(dialect.names)
    for number, (line, row) in enumerate(rows, start=1 - int(dialect.header)):
        if len(row) != wanted:
            fields = "field" if len(row) == 1 else "fields"
            return ReadError(
                f"{name}, row {number} (line {line}): {len(row)} {fields} where {wanted} are expected; "
                f"correct the row, or give delimiter= if fields are not separated by {dialect.delimiter!r}."
            )
    return ReadError(f"{name} cannot be read as delimited text: {reason.splitlines()[0]}.")


def _keep_codes(table: pa.Table, text: Any, name: str, dialect: Dialect, missing: Sequence[str]) -> pa.Table:
    """Read whole numbers again as strings if a float would change them: leading zeros, or too many digits."""
    suspects = [
        field.name
        for field, column in zip(table.schema, table.columns)
        if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)) and _is_long(column)
    ]
    whole = [f.name for f in table.schema if pa.types.is_integer(f.type) and f.name not in suspects]
    if whole and _has_leading_zero(text, dialect.delimiter):
        suspects += whole
    if not suspects:
        return table
    types = dict.fromkeys(suspects, pa.string())
    words = _parse(text, name, dialect, missing, include_columns=suspects, column_types=types)
    for suspect in suspects:
        column = pc.utf8_trim_whitespace(words.column(suspect))
        whole = pc.all(pc.match_substring_regex(column, r"^\d+$")).as_py()
        padded = pc.any(pc.match_substring_regex(column, r"^0\d")).as_py()
        if whole and (padded or _is_long(table.column(suspect))):
            table = table.set_column(table.schema.get_field_index(suspect), suspect, column)
    return table


def _has_leading_zero(text: Any, delimiter: str, block: int = 1 << 24) -> bool:
    """Return whether a field starts with a zero and another digit. Whole blocks are compared: faster than a pattern."""
    before = np.zeros(256, dtype=bool)
    before[list(f'\n\r" {delimiter}'.encode())] = True
    for start in range(0, len(text), block):
        # One byte more on each side, for a field that lies in two blocks.
        letters = np.frombuffer(text[max(0, start - 1) : start + block + 1], dtype=np.uint8)
        zeros = np.flatnonzero(letters[:-1] == ord("0"))
        after = letters[zeros + 1]
        zeros = zeros[(after >= ord("0")) & (after <= ord("9"))]
        if before[letters[zeros[zeros > 0] - 1]].any() or (start == 0 and zeros[:1].tolist() == [0]):
            return True
    return False


def _is_long(column: pa.ChunkedArray) -> bool:
    largest = pc.max(column).as_py()
    return largest is not None and largest >= _EXACT


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


def _split(sample: str, delimiter: str) -> list[list[str]]:
    return [row for _, row in islice(split_rows(sample, delimiter), _SAMPLE_ROWS)]


def _find_delimiter(sample: str) -> str:
    # The delimiter that cuts most rows into the same number of fields wins; of equals the first. The comma comes last,
    # because decimal commas, too, may cut every row into the same number of fields.
    best, best_share = ",", 0.0
    for candidate in DELIMITERS:
        widths = Counter(len(row) for row in _split(sample, candidate))
        width, times = widths.most_common(1)[0] if widths else (1, 0)
        share = times / max(1, widths.total())
        if width > 1 and share > best_share:
            best, best_share = candidate, share
    return best


def _find_decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for row in rows[1:] or rows for cell in row]
    with_comma = sum(bool(_COMMA_NUMBER.fullmatch(cell)) for cell in cells)
    with_point = sum("." in cell and bool(_NUMBER.fullmatch(cell)) for cell in cells)
    return "," if with_comma > with_point else "."


def _has_header(rows: list[list[str]], decimal: str, missing: Sequence[str]) -> bool:
    """Return whether the first row has the names. Each column votes by how its first cell differs from the others.

    Numbers below a word vote for names; numbers below a number vote for data, unless the first row counts the columns.
    Without a vote, the first row is data only if all its cells occur again in their columns.
    """
    first, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if not body:
        return not any(_is_number(cell, decimal) for cell in first)
    if [cell.strip() for cell in first] in ([str(at) for at in range(s, s + len(first))] for s in (0, 1)):
        return True
    names = data = repeated = 0
    absent = set(missing)
    for at, cell in enumerate(first):
        below = [row[at] for row in body if row[at].strip() not in absent]
        if below and all(_is_number(value, decimal) for value in below):
            data += _is_number(cell, decimal)
            names += not _is_number(cell, decimal) and cell.strip() not in absent
        repeated += cell in below
    if names or data:
        return names >= data
    return repeated < len(first)


def _is_number(cell: str, decimal: str) -> bool:
    return bool(_NUMBER.fullmatch(cell.replace(",", ".") if decimal == "," else cell))


def _names(first: list[str], header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{at}" for at in range(1, len(first) + 1))
    return tuple(cell.strip() or f"column_{at}" for at, cell in enumerate(first, start=1))
