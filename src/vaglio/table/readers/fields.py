"""Cut delimited text into rows and fields, however long they are.

The module `csv` of Python refuses a field of more than 131,072 characters, and this limit belongs to the whole process:
a library may not change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\n|\r")


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
