"""Read ARFF: declared attributes, then rows. A question mark is a missing value; in quotes it is an ordinary value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.table._column import Column
from vaglio.table._dates import days_by_format
from vaglio.table._table import Table, refuse_duplicates
from vaglio.table.readers.arff_fields import (
    declared,
    read_fields,
    split_fields,
    split_weight,
    unquote,
    without_comment,
)
from vaglio.table.readers.capacity import Limits

# Date patterns of Java, longest first, and those of strptime.
_JAVA_DATE = (
    ("yyyy", "%Y"),
    ("yy", "%y"),
    ("MM", "%m"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("mm", "%M"),
    ("ss", "%S"),
)

Row = tuple[int, str]  # line number, and the line without blanks around it


@dataclass(frozen=True)
class Attribute:
    """One declared attribute."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    date_format: str = ""


def read_arff(text: str, name: str, limits: Limits | None = None) -> Table:
    """Read ARFF: nominal, numeric, string and date attributes, sparse rows, instance weights."""
    limits = limits or Limits()
    attributes, start, lines = _header(text, name)
    limits.check_shape(name, 1, len(attributes))
    refuse_duplicates([attribute.name for attribute in attributes], f"{name}: ")
    stripped = enumerate(map(str.strip, lines[start:]), start + 1)
    rows = [(number, without_comment(line)) for number, line in stripped if line and line[0] != "%"]
    if not rows:
        raise ReadError(f"{name} declares {len(attributes)} attributes but has no rows below @data.")
    weights, rows = _weights(rows, name)
    block = None
    if rows[0][1][0] == "{":
        from vaglio.table.readers.arff_sparse import read_sparse_rows

        columns, block = read_sparse_rows(rows, attributes, name, limits)
    else:
        limits.check_shape(name, len(rows), len(attributes))
        cells = _plain_rows(rows, attributes) or _quoted_rows(rows, attributes, name)
        columns = [build_column(attribute, column, name) for attribute, column in zip(attributes, cells)]
    if weights is not None:
        label = "weight" if all(attribute.name != "weight" for attribute in attributes) else "instance weight"
        columns.append(Column.numeric(label, weights, role="weight"))
    return Table(columns, sparse=block)


def _header(text: str, name: str) -> tuple[list[Attribute], int, list[str]]:
    lines = text.splitlines()
    attributes: list[Attribute] = []
    for at, line in enumerate(lines):
        word = line.strip()[:10].lower()
        if word.startswith("@attribute"):
            attributes.append(_declared(line.strip(), name, at + 1))
        elif word.startswith("@data"):
            if not attributes:
                raise ReadError(f"{name}, line {at + 1}: no @attribute line comes before @data.")
            return attributes, at + 1, lines
        elif word and not word.startswith(("%", "@relation")):
            raise ReadError(
                f"{name}, line {at + 1}: {line.strip()[:40]!r} is not ARFF: @attribute or @data is expected."
            )
    raise ReadError(f"{name} has no @data line: it is not a whole ARFF file.")


def _declared(line: str, name: str, number: int) -> Attribute:
    found = declared(without_comment(line))
    if not found:
        raise ReadError(f"{name}, line {number}: {line[:60]!r} should be '@attribute name type'.")
    label, rest = found
    if rest.startswith("{"):
        if not rest.endswith("}"):
            raise ReadError(f"{name}, line {number}: the values of {label!r} are not closed by a brace.")
        return Attribute(label, "nominal", tuple(unquote(value) for value in split_fields(rest[1:-1])))
    word, _, detail = rest.partition(" ")
    kind = word.lower().strip()
    if kind.startswith(("numeric", "real", "integer")):
        return Attribute(label, "numeric")
    if kind == "string":
        return Attribute(label, "string")
    if kind == "date":
        java = unquote(detail.strip()) or "yyyy-MM-dd'T'HH:mm:ss"
        if not any(pattern in java for pattern, _ in _JAVA_DATE):  # an empty format would crash the process
            raise ReadError(
                f"{name}, line {number}: the date format {clip(java)!r} of {clip(label)!r} names no part of a date: "
                "write one such as 'yyyy-MM-dd'."
            )
        return Attribute(label, "date", date_format=_strptime(java))
    raise ReadError(
        f"{name}, line {number}: attribute {clip(label)!r} has type {clip(word)!r}: only numeric, {{…}}, string and "
        "date are read."
    )


def _strptime(java: str) -> str:
    form = java.replace("%", "%%")
    for pattern, directive in _JAVA_DATE:
        form = form.replace(pattern, directive)
    return form.replace("'", "")


def _weights(rows: list[Row], name: str) -> tuple[list[float] | None, list[Row]]:
    """Separate the weight from rows that end in one, as in ``1,2,yes,{0.5}``."""
    if not any(line[-1] == "}" for _, line in rows):
        return None, rows
    weights, rest = [], []
    for number, line in rows:
        found = split_weight(line)
        if found is None:
            weights.append(1.0)
            rest.append((number, line))
            continue
        try:
            weights.append(float(found[1]))
        except ValueError:
            raise ReadError(f"{name}, line {number}: the weight {clip(found[1])!r} is not a number.") from None
        rest.append((number, found[0]))
    return (weights if any(weight != 1.0 for weight in weights) else None), rest


def _plain_rows(rows: list[Row], attributes: list[Attribute]) -> list[pa.Array] | None:
    """Read rows without quotes as CSV, which pyarrow does much faster; None if they are not as simple as that."""
    text = "\n".join(line for _, line in rows)
    if any(mark in text for mark in "'\"\t\\"):
        return None
    names = [str(at) for at in range(len(attributes))]
    try:
        frame = arrow_csv.read_csv(
            pa.BufferReader(text.encode()),
            arrow_csv.ReadOptions(column_names=names, block_size=max(1 << 20, 4 * len(rows[0][1]))),
            arrow_csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=["?", " ?", "? ", " ? "],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [pc.utf8_trim_whitespace(column).combine_chunks() for column in frame.columns]


def _quoted_rows(rows: list[Row], attributes: list[Attribute], name: str) -> list[pa.Array]:
    table = []
    for at, (number, line) in enumerate(rows, start=1):
        row = read_fields(line)
        if len(row) != len(attributes):
            raise ReadError(
                f"{name}, row {at} (line {number}): {len(row)} values where {len(attributes)} attributes are declared; "
                "correct the row."
            )
        table.append(row)
    return [pa.array(column, pa.string()) for column in zip(*table)]


def build_column(attribute: Attribute, cells: pa.Array, name: str) -> Column:
    """Make a column of the cells of one attribute, as it was declared."""
    if attribute.type == "numeric":
        return Column.numeric(attribute.name, to_floats(attribute, cells, name))
    words = cells.dictionary_encode()
    seen = words.dictionary.to_pylist()
    codes = words.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if attribute.type == "nominal":
        return _nominal(attribute, seen, codes, name)
    if attribute.type == "date":
        days = days_by_format(seen, attribute.date_format)
        for at in np.flatnonzero(np.isnan(days))[:1]:
            row = int(np.flatnonzero(codes == at)[0]) + 1
            raise ReadError(
                f"{name}, row {row}, column {attribute.name!r}: {clip(seen[at])!r} is not a date of the declared "
                "format."
            )
        return Column.numeric(attribute.name, np.append(days, np.nan)[codes], level="interval", is_date=True)
    order = np.argsort(np.array(seen, dtype=object)) if seen else np.empty(0, int)
    lookup = np.full(len(seen) + 1, -1, dtype=np.int32)
    lookup[order] = np.arange(len(seen))
    return Column.nominal(attribute.name, lookup[codes], [seen[at] for at in order])


def _nominal(attribute: Attribute, seen: list[str], codes: np.ndarray, name: str) -> Column:
    code_of = {value: code for code, value in enumerate(attribute.values)}
    lookup = np.full(len(seen) + 1, -1, dtype=np.int32)
    for at, value in enumerate(seen):
        if value not in code_of:
            row = int(np.flatnonzero(codes == at)[0]) + 1
            known = did_you_mean(value, attribute.values, otherwise="declared are", quoted=True)
            raise ReadError(f"{name}, row {row}, column {attribute.name!r}: {clip(value)!r} is not declared; {known}")
        lookup[at] = code_of[value]
    return Column.nominal(attribute.name, lookup[codes], attribute.values, declared=True)


def to_floats(attribute: Attribute, cells: pa.Array, name: str) -> np.ndarray:
    """Return the cells of a numeric attribute as numbers."""
    try:
        numbers: np.ndarray = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return numbers
    except pa.ArrowInvalid:
        pass
    # float() reads a few more spellings than Arrow; an error names the first cell that it cannot read.
    return np.array([_number(attribute, row, cell, name) for row, cell in enumerate(cells.to_pylist(), start=1)])


def _number(attribute: Attribute, row: int, cell: str | None, name: str) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except ValueError:
        raise ReadError(
            f"{name}, row {row}, column {attribute.name!r}: {clip(cell)!r} is not a number; correct it, or write ?."
        ) from None
