r"""The words of ARFF: fields in quotes, backslashes, weights, comments and sparse entries, in one pass over a line.

Parts of a pattern never overlap and quantifiers give nothing back (``*+``), so that every line takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A field in quotes, with backslashes.
_QUOTED = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
# A field of a row ends at a comma or a tab; quotes count only if they enclose the whole field.
_FIELD = re.compile(rf"\s*+(?:({_QUOTED})(?=\s*+(?:,|\Z)|[^\S\t]*+\t)|([^,\t]*+))", re.DOTALL)
_GAP = re.compile(r"\s*+")
_DECLARED = re.compile(rf"@attribute\s++(?:({_QUOTED})(?=[\s{{])|(\S[^\s{{]*+))\s*+", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(rf"\s*+([0-9]{{1,9}}+)\s++(?:({_QUOTED})(?=\s*+(?:,|\Z))|([^,]*+))\s*+(?:,|\Z)", re.DOTALL)
_QUOTES_OR_COMMENT = re.compile(rf"{_QUOTED}|\s%", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def split_fields(line: str) -> list[str]:
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


def read_fields(line: str) -> list[str | None]:
    """Return the values of a dense row; None is missing."""
    if "'" in line or '"' in line:
        return [None if field == "?" else unquote(field) for field in split_fields(line)]
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


def split_weight(line: str) -> tuple[str, str] | None:
    """Return a row and the weight behind it, as in ``1,2,yes,{0.5}``; None if it has none."""
    at = line.rfind("{") if line[-1] == "}" else -1
    before = line[:at].rstrip() if at > 0 else ""
    weight = line[at + 1 : -1].strip()
    if before[-1:] != "," or not weight or "}" in weight or any(map(str.isspace, weight)):
        return None
    row = before[:-1].rstrip()
    return None if line[0] == "{" and "}" not in row else (row, weight)


def without_comment(line: str) -> str:
    """Return a line without the comment at its end: a percent sign after a blank, outside of quotes."""
    if "%" in line:
        for found in _QUOTES_OR_COMMENT.finditer(line):
            if found[0][-1] == "%":
                return line[: found.start()].rstrip()
    return line


def sparse_entries(line: str) -> Iterator[tuple[int, str | None]]:
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
