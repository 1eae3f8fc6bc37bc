"""ARFF: declared attributes, then rows, dense or sparse."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy import sparse as scipy_sparse

from vaglio.errors import ReadError
from vaglio.table._column import Column
from vaglio.table._dates import days_by_format
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table, refuse_duplicates

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,\t]*?)\s*(?:[,\t]|$)")
_DECLARATION = re.compile(rf"@attribute\s+({_QUOTED}|\S+?)\s*(\{{.*|\s\S.*)$", re.IGNORECASE | re.DOTALL)
_WEIGHT = re.compile(r"^(.*?)\s*,\s*\{\s*([^\s{}]+)\s*\}\s*$", re.DOTALL)
_ENTRY = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,]*?)\s*(?:,|$)")
_JAVA_DATE = (
    ("yyyy", "%Y"),
    ("yy", "%y"),
    ("MM", "%m"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("mm", "%M"),
    ("ss", "%S"),
)
# Sparse files with more numeric attributes than this keep them compressed.
_MOST_DENSE = 64
# A value marked missing: an unquoted question mark. Quoted, it is a value like any other.
_MISSING = None


@dataclass(frozen=True)
class Attribute:
    """One declared attribute."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    date_format: str = ""


def read_arff(text: str, name: str) -> Table:
    """Read ARFF: nominal, numeric, string and date attributes, sparse rows, instance weights."""
    attributes, start, lines = _header(text, name)
    refuse_duplicates([attribute.name for attribute in attributes], f"{name}: ")
    cells, weights, zeros = _rows(lines, start, attributes, name)
    if not len(weights):
        raise ReadError(f"{name} declares {len(attributes)} attributes but has no rows below @data.")
    columns, block = [], None
    packed = zeros and sum(attribute.type == "numeric" for attribute in attributes) > _MOST_DENSE
    for attribute, column in zip(attributes, cells):
        if not (packed and attribute.type == "numeric"):
            columns.append(_column(attribute, column, name))
    if packed:
        block = _pack([(a, c) for a, c in zip(attributes, cells) if a.type == "numeric"], name)
    if any(weight != 1.0 for weight in weights):
        label = "weight" if all(a.name != "weight" for a in attributes) else "instance weight"
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
    found = _DECLARATION.match(line)
    if not found:
        raise ReadError(f"{name}, line {number}: {line[:60]!r} should be '@attribute name type'.")
    label, rest = _unquote(found[1]), found[2].strip()
    if rest.startswith("{"):
        if not rest.rstrip().endswith("}"):
            raise ReadError(f"{name}, line {number}: the values of {label!r} are not closed by a brace.")
        return Attribute(label, "nominal", tuple(_unquote(value) for value in _split(rest[1:-1])))
    word, _, detail = rest.partition(" ")
    kind = word.lower().strip()
    if kind.startswith(("numeric", "real", "integer")):
        return Attribute(label, "numeric")
    if kind == "string":
        return Attribute(label, "string")
    if kind == "date":
        return Attribute(label, "date", date_format=_strptime(_unquote(detail.strip()) or "yyyy-MM-dd'T'HH:mm:ss"))
    raise ReadError(
        f"{name}, line {number}: attribute {label!r} has type {word!r}: only numeric, {{…}}, string and date are read."
    )


def _strptime(java: str) -> str:
    form = java.replace("%", "%%")
    for pattern, directive in _JAVA_DATE:
        form = form.replace(pattern, directive)
    return form.replace("'", "")


def _rows(lines: list[str], start: int, attributes: list[Attribute], name: str) -> tuple[list[list], list[float], bool]:
    """Give the cells of each attribute, the weight of each row, and whether the rows are sparse."""
    rows: list[list] = []
    weights: list[float] = []
    any_sparse = False
    defaults = [{"numeric": "0", "nominal": a.values[0] if a.values else _MISSING}.get(a.type) for a in attributes]
    for number, line in enumerate(lines[start:], start=start + 1):
        line = line.strip()
        if not line or line[0] == "%":
            continue
        weight = 1.0
        if line[-1] == "}":
            line, weight = _split_weight(line, name, number)
        if line[0] == "{":
            any_sparse = True
            row = _sparse_row(line, list(defaults), name, number)
        else:
            row = _dense_row(line)
        if len(row) != len(attributes):
            raise ReadError(
                f"{name}, row {len(rows) + 1} (line {number}): {len(row)} values where {len(attributes)} attributes "
                "are declared; mend the row."
            )
        rows.append(row)
        weights.append(weight)
    return [list(column) for column in zip(*rows)], weights, any_sparse


def _split_weight(line: str, name: str, number: int) -> tuple[str, float]:
    found = _WEIGHT.match(line)
    if not found or (line.startswith("{") and found[1].count("}") == 0):
        return line, 1.0
    try:
        return found[1], float(found[2])
    except ValueError:
        raise ReadError(f"{name}, line {number}: the weight {found[2]!r} is no number.") from None


def _dense_row(line: str) -> list:
    if "'" not in line and '"' not in line:
        fields = line.split("," if "," in line else None)
        if "\t" in line and "," in line:
            fields = re.split(r"[,\t]\s*", line)
        stripped = [field.strip() for field in fields]
        return [_MISSING if field == "?" else field for field in stripped]
    return [_MISSING if field == "?" else _unquote(field) for field in _split(line)]


def _sparse_row(line: str, row: list, name: str, number: int) -> list:
    body = line[1:].rstrip().removesuffix("}")
    for entry in _ENTRY.finditer(body):
        at, value = int(entry[1]), entry[2]
        if at >= len(row):
            raise ReadError(f"{name}, line {number}: attribute {at} is named, but the last one is {len(row) - 1}.")
        row[at] = _MISSING if value == "?" else _unquote(value)
    return row


def _split(line: str) -> list[str]:
    fields, at = [], 0
    while at <= len(line):
        found = _FIELD.match(line, at)
        if found is None:
            fields.append(line[at:].strip())
            break
        fields.append(found[1])
        at = found.end()
        if at == len(line) and line[at - 1 : at] not in (",", "\t"):
            break
    return fields


def _unquote(field: str) -> str:
    if len(field) > 1 and field[0] == field[-1] and field[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", field[1:-1])
    return field


def _column(attribute: Attribute, cells: list, name: str) -> Column:
    if attribute.type == "numeric":
        return Column.numeric(attribute.name, _floats(attribute, cells, name))
    words = pa.array(cells, pa.string()).dictionary_encode()
    seen = words.dictionary.to_pylist()
    codes = words.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if attribute.type == "nominal":
        return _nominal(attribute, seen, codes, name)
    if attribute.type == "date":
        days = days_by_format(seen, attribute.date_format)
        for at in np.flatnonzero(np.isnan(days))[:1]:
            row = int(np.flatnonzero(codes == at)[0]) + 1
            raise ReadError(
                f"{name}, row {row}, column {attribute.name!r}: {seen[at]!r} is no date of the declared format."
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
            raise ReadError(
                f"{name}, row {row}, column {attribute.name!r}: {value!r} is not among the declared values "
                f"({', '.join(attribute.values[:8])}{', …' if len(attribute.values) > 8 else ''})."
            )
        lookup[at] = code_of[value]
    return Column.nominal(attribute.name, lookup[codes], attribute.values, declared=True)


def _floats(attribute: Attribute, cells: list, name: str) -> np.ndarray:
    try:
        return pa.array(cells, pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        pass
    out = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        try:
            out[row] = np.nan if cell is _MISSING else float(cell)
        except ValueError:
            raise ReadError(
                f"{name}, row {row + 1}, column {attribute.name!r}: {cell!r} is no number; mend it, or write ?."
            ) from None
    return out


def _pack(pairs: list[tuple[Attribute, list]], name: str) -> SparseBlock:
    dense = [scipy_sparse.csc_array(_floats(attribute, cells, name)[:, None]) for attribute, cells in pairs]
    return SparseBlock(
        scipy_sparse.csr_array(scipy_sparse.hstack(dense)), tuple(attribute.name for attribute, _ in pairs)
    )
