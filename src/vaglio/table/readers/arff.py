r"""Read ARFF: declared attributes, then rows, dense or sparse.

A question mark is a missing value; in quotes it is an ordinary value. In sparse rows, ``{index value, index value}``, a
value that is not written is zero or the first category. Fields in quotes, backslashes, weights and comments are read in
one pass over a line: parts of a pattern never overlap and quantifiers give nothing back (``*+``), so that every line
takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv
from scipy import sparse

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.table._column import Column
from vaglio.table._dates import days_by_format
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table, refuse_duplicates
from vaglio.table.readers.capacity import Limits

# A field in quotes, with backslashes.
_QUOTED = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
# A field of a row ends at a comma or a tab; quotes count only if they enclose the whole field.
_FIELD = re.compile(rf"\s*+(?:({_QUOTED})(?=\s*+(?:,|\Z)|[^\S\t]*+\t)|([^,\t]*+))", re.DOTALL)
_GAP = re.compile(r"\s*+")
_DECLARED = re.compile(rf"@attribute\s++(?:({_QUOTED})(?=[\s{{])|(\S[^\s{{]*+))\s*+", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(rf"\s*+([0-9]{{1,9}}+)\s++(?:({_QUOTED})(?=\s*+(?:,|\Z))|([^,]*+))\s*+(?:,|\Z)", re.DOTALL)
_QUOTES_OR_COMMENT = re.compile(rf"{_QUOTED}|\s%", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
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
# More numeric attributes than this stay compressed; fewer are easier to handle as ordinary columns.
_MOST_DENSE = 64


def _split_fields(line: str) -> list[str]:
    """Return the fields of a row or of the values of an attribute, with their quotes."""
    fields, at = [], 0
    while True:
        found = _FIELD.match(line, at)
        assert found is not None  # every part of the pattern may be empty
        fields.append(found[1] or found[2].rstrip())
        # Blanks around a comma or a tab belong to it.
        gap = _GAP.match(line, found.end())
        assert gap is not None
        at = gap.end()
        if line[at : at + 1] == ",":
            at += 1
        elif "\t" not in gap[0]:
            return fields


def _read_fields(line: str) -> list[str | None]:
    """Return the values of a dense row; None is missing."""
    if "'" in line or '"' in line:
        return [None if field == "?" else unquote(field) for field in _split_fields(line)]
    if "\t" in line and "," in line:
        fields = re.split(r"[,\t]\s*+", line)
    else:
        fields = line.split("," if "," in line else None)
    return [None if field.strip() == "?" else field.strip() for field in fields]


def declared(line: str) -> tuple[str, str] | None:
    """Return the name and the type of an attribute as they are written; None if the line is no declaration."""
    found = _DECLARED.match(line)
    if found is None:
        return None
    rest = line[found.end() :]
    apart = rest[:1] == "{" or line[found.end() - 1].isspace()
    return (unquote(found[1] or found[2]), rest.rstrip()) if rest and apart else None


def _split_weight(line: str) -> tuple[str, str] | None:
    """Return a row and the weight behind it, as in ``1,2,yes,{0.5}``; None if it has none."""
    at = line.rfind("{") if line[-1] == "}" else -1
    before = line[:at].rstrip() if at > 0 else ""
    weight = line[at + 1 : -1].strip()
    if before[-1:] != "," or not weight or "}" in weight or any(map(str.isspace, weight)):
        return None
    row = before[:-1].rstrip()
    return None if line[0] == "{" and "}" not in row else (row, weight)


def _without_comment(line: str) -> str:
    """Return a line without the comment at its end: a percent sign after a blank, outside of quotes."""
    if "%" in line:
        for found in _QUOTES_OR_COMMENT.finditer(line):
            if found[0][-1] == "%":
                return line[: found.start()].rstrip()
    return line


def _sparse_entries(line: str) -> Iterator[tuple[int, str | None]]:
    """Yield the entries of a sparse row: the position of an attribute, and its value or None if that is missing.

    Raises
    ------
    ValueError
        With the part that is not written ``index value``.
    """
    at, end = 0, len(line)
    while at < end:
        found = _ENTRY.match(line, at)
        if found is None:
            part = line[at:].partition(",")[0].strip()
            if not part and not line[at:].strip(", \t"):
                return
            raise ValueError(part)
        field = found[2] or found[3].rstrip()
        yield int(found[1]), None if field == "?" else unquote(field)
        at = found.end()


def unquote(field: str) -> str:
    """Return a field without its quotes and the backslashes inside."""
    if len(field) > 1 and field[0] == field[-1] and field[0] in "'\"":
        return _ESCAPED.sub(r"\1", field[1:-1])
    return field


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
    rows = [(number, _without_comment(line)) for number, line in stripped if line and line[0] != "%"]
    if not rows:
        raise ReadError(
            "declares-attributes-but-has",
            "{name} declares {n_attributes} attributes but has no rows below @data.",
            name=name,
            n_attributes=len(attributes),
        )
    weights, rows = _weights(rows, name)
    block = None
    if rows[0][1][0] == "{":
        columns, block = _read_sparse_rows(rows, attributes, name, limits)
    else:
        limits.check_shape(name, len(rows), len(attributes))
        cells = _plain_rows(rows, attributes) or _quoted_rows(rows, attributes, name)
        columns = [_build_column(attribute, column, name) for attribute, column in zip(attributes, cells)]
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
                raise ReadError(
                    "line-attribute-line-comes",
                    "{name}, line {at}: no @attribute line comes before @data.",
                    name=name,
                    at=at + 1,
                )
            return attributes, at + 1, lines
        elif word and not word.startswith(("%", "@relation")):
            raise ReadError(
                "line-arff-attribute-data",
                "{name}, line {at}: {strip!r} is not ARFF: @attribute or @data is expected.",
                name=name,
                at=at + 1,
                strip=line.strip()[:40],
            )
    raise ReadError("has-data-line-whole", "{name} has no @data line: it is not a whole ARFF file.", name=name)


def _declared(line: str, name: str, number: int) -> Attribute:
    found = declared(_without_comment(line))
    if not found:
        raise ReadError(
            "line-should-attribute-name",
            "{name}, line {number}: {line!r} should be '@attribute name type'.",
            name=name,
            number=number,
            line=line[:60],
        )
    label, rest = found
    if rest.startswith("{"):
        if not rest.endswith("}"):
            raise ReadError(
                "line-values-closed-brace",
                "{name}, line {number}: the values of {label!r} are not closed by a brace.",
                name=name,
                number=number,
                label=label,
            )
        return Attribute(label, "nominal", tuple(unquote(value) for value in _split_fields(rest[1:-1])))
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
                "line-date-format-names",
                "{name}, line {number}: the date format {java!r} of {label!r} names no part of a date: "
                "write one such as 'yyyy-MM-dd'.",
                name=name,
                number=number,
                java=clip(java),
                label=clip(label),
            )
        form = java.replace("%", "%%")
        for pattern, directive in _JAVA_DATE:
            form = form.replace(pattern, directive)
        return Attribute(label, "date", date_format=form.replace("'", ""))
    raise ReadError(
        "line-attribute-has-type",
        "{name}, line {number}: attribute {label!r} has type {word!r}: only numeric, {{…}}, string and date are read.",
        name=name,
        number=number,
        label=clip(label),
        word=clip(word),
    )


def _weights(rows: list[Row], name: str) -> tuple[list[float] | None, list[Row]]:
    """Separate the weight from rows that end in one, as in ``1,2,yes,{0.5}``."""
    if not any(line[-1] == "}" for _, line in rows):
        return None, rows
    weights, rest = [], []
    for number, line in rows:
        found = _split_weight(line)
        if found is None:
            weights.append(1.0)
            rest.append((number, line))
            continue
        try:
            weights.append(float(found[1]))
        except ValueError:
            raise ReadError(
                "line-weight-number",
                "{name}, line {number}: the weight {found!r} is not a number.",
                name=name,
                number=number,
                found=clip(found[1]),
            ) from None
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
        row = _read_fields(line)
        if len(row) != len(attributes):
            raise ReadError(
                "row-line-values-where",
                "{name}, row {at} (line {number}): {n_row} values where {n_attributes} attributes are "
                "declared; correct the row.",
                name=name,
                at=at,
                number=number,
                n_row=len(row),
                n_attributes=len(attributes),
            )
        table.append(row)
    return [pa.array(column, pa.string()) for column in zip(*table)]


def _build_column(attribute: Attribute, cells: pa.Array, name: str) -> Column:
    """Make a column of the cells of one attribute, as it was declared."""
    if attribute.type == "numeric":
        return Column.numeric(attribute.name, _to_floats(attribute, cells, name))
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
                "row-column-date-declared",
                "{name}, row {row}, column {name2!r}: {seen!r} is not a date of the declared format.",
                name=name,
                row=row,
                name2=attribute.name,
                seen=clip(seen[at]),
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
            raise ReadError(
                "row-column-declared",
                "{name}, row {row}, column {name2!r}: {value!r} is not declared; {known}",
                name=name,
                row=row,
                name2=attribute.name,
                value=clip(value),
                known=known,
            )
        lookup[at] = code_of[value]
    return Column.nominal(attribute.name, lookup[codes], attribute.values, declared=True)


def _to_floats(attribute: Attribute, cells: pa.Array, name: str) -> np.ndarray:
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
            "row-column-number-correct",
            "{name}, row {row}, column {name2!r}: {cell!r} is not a number; correct it, or write ?.",
            name=name,
            row=row,
            name2=attribute.name,
            cell=clip(cell),
        ) from None


def _read_sparse_rows(
    rows: list[Row], attributes: list[Attribute], name: str, limits: Limits
) -> tuple[list[Column], SparseBlock | None]:
    """Return the columns, and numeric ones as a block if they are many and none is missing."""
    where, value = _entries(rows, attributes, name)
    numeric = [at for at, attribute in enumerate(attributes) if attribute.type == "numeric"]
    missing = any(word is None for at in numeric for word in value[at])
    packed = set(numeric) if len(numeric) > _MOST_DENSE and not missing else set()
    # A row of two brackets has a cell in every column that is not packed.
    limits.check_shape(name, len(rows), len(attributes) - len(packed))
    columns = []
    for at, attribute in enumerate(attributes):
        if at not in packed:
            columns.append(_unpacked(attribute, where[at], value[at], len(rows), name))
    if not packed:
        return columns, None
    numbers = [_to_floats(attributes[at], pa.array(value[at], pa.string()), name) for at in numeric]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in numbers])])
    matrix = sparse.csc_array(
        (np.concatenate(numbers), np.concatenate([where[at] for at in numeric]).astype(np.int32), starts),
        shape=(len(rows), len(numeric)),
    )
    names = tuple(attributes[at].name for at in numeric)
    return columns, SparseBlock(sparse.csr_array(matrix), names)


def _entries(rows: list[Row], attributes: list[Attribute], name: str) -> tuple[list[list[int]], list[list[str | None]]]:
    """Return for each attribute the rows in which it is written, and what is written there."""
    where: list[list[int]] = [[] for _ in attributes]
    value: list[list[str | None]] = [[] for _ in attributes]
    for row, (number, line) in enumerate(rows):
        # A row that was nothing but a weight is empty.
        if not (line.startswith("{") and line.endswith("}")):
            raise ReadError(
                "row-line-sparse-row",
                "{name}, row {row} (line {number}): a sparse row is written {{index value, …}}.",
                name=name,
                row=row + 1,
                number=number,
            )
        for at, word in _row(line[1:-1], f"{name}, line {number}"):
            if at >= len(attributes):
                raise ReadError(
                    "line-attribute-named-but",
                    "{name}, line {number}: attribute {at} is named, but the last one is {n_attributes}.",
                    name=name,
                    number=number,
                    at=at,
                    n_attributes=len(attributes) - 1,
                )
            if where[at] and where[at][-1] == row:
                raise ReadError(
                    "line-attribute-named-twice",
                    "{name}, line {number}: attribute {at} is named twice; keep one of the two values.",
                    name=name,
                    number=number,
                    at=at,
                )
            where[at].append(row)
            value[at].append(word)
    return where, value


def _row(inside: str, where: str) -> Iterator[tuple[int, str | None]]:
    try:
        yield from _sparse_entries(inside)
    except ValueError as error:
        raise ReadError(
            "sparse-row-written-position",
            "{where}: {error!r} in a sparse row is not written as the position of an attribute and its value.",
            where=where,
            error=clip(error),
        ) from None


def _unpacked(attribute: Attribute, where: list[int], value: list[str | None], n_rows: int, name: str) -> Column:
    default = {"numeric": "0", "nominal": attribute.values[0] if attribute.values else None}.get(attribute.type)
    cells: list[str | None] = [default] * n_rows
    for row, word in zip(where, value):
        cells[row] = word
    return _build_column(attribute, pa.array(cells, pa.string()), name)
