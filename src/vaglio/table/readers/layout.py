"""What stands around a table in files that people write: a title above, two lines of names, notes and totals below."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vaglio.messages.message import Message
from vaglio.messages.sentences import clip, listed
from vaglio.table._numerals import unit_in_brackets

# Lines above or below the table that are looked at; more of them are no title and no note.
_MOST_LINES = 20
# Bytes at the end of a text in which notes are looked for.
TAIL = 1 << 16
# A column of numbers may have a few words: so large a share of its cells shows what it is.
_MOSTLY = 0.8
_TOTAL = re.compile(
    r"(?:grand )?(?:total|totale|totali|totals|summe|gesamt|gesamtsumme|insgesamt|somma|sum|suma|somme|total général|"
    r"ensemble|media|mean|average|mittelwert|durchschnitt|moyenne|promedio)"
    r"(?: (?:generale|complessivo|général|general))?[:.]?",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"[*†‡(\[]|(?:\d\)|fonte|fonti|source|sources|quelle|quellen|fuente|nota|note|notes|hinweis|anmerkung|legenda|legend|"
    r"legende|n\.?b\.?|dati|data|stand|aggiornat|updated|elaborazion|remarque|observaci)\b",
    re.IGNORECASE,
)

IsNumber = Callable[[str], bool]


@dataclass(frozen=True)
class Heading:
    """The lines above the first row.

    Attributes
    ----------
    above : int
        Rows above the names.
    lines : int
        Rows of names: 0, 1 or 2.
    names, units : tuple of str
        Of the columns; a unit is "" if the second line of names has none.
    remarks : tuple of str
        What a person should know.
    """

    above: int
    lines: int
    names: tuple[str, ...]
    units: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def find_heading(
    rows: Sequence[Sequence[str]], is_number: IsNumber, missing: Sequence[str], header: bool | None = None
) -> Heading:
    """Find where the names stand, from the first rows of a file.

    Parameters
    ----------
    rows : sequence of sequence of str
        The first rows, blank lines left out.
    is_number : callable
        Whether a cell is a number.
    missing : sequence of str
        Words that mean "no value".
    header : bool, optional
        Whether there are names; found if not given.
    """
    absent = set(missing)
    above = _lines_above(rows, is_number)
    table = rows[above:]
    second = header is not False and len(table) > 2 and _is_second_line(table, is_number, absent)
    if header is None:
        header = above > 0 or second or has_names(table, is_number, absent)
    remarks: list[str] = []
    if above:
        cited = listed((clip(_filled(row)[0], 40) for row in rows[:above]), 3, quoted=True)
        remarks.append(
            Message(
                "lines-above-names",
                "{n:,} {n:line|lines} above the column names {n:is|are} left out ({lines}).",
                n=above,
                lines=cited,
            )
        )
    if not header:
        return Heading(above, 0, tuple(f"column_{at}" for at in range(1, len(table[0]) + 1)), (), tuple(remarks))
    first = [cell.strip() for cell in table[0]]
    if second:
        names, units = _join([*first], [cell.strip() for cell in table[1]])
        joined = next((name for name, above in zip(names, first) if name != above), "")
        remarks.append(
            Message("second-line-units", "The second line of the table holds units.")
            if any(units)
            else Message(
                "second-line-names",
                "The second line of the table also holds names; both lines are joined, as in {name!r}.",
                name=joined,
            )
        )
        return Heading(above, 2, _named(names), units, tuple(remarks))
    return Heading(above, 1, _named(first), (), tuple(remarks))


def _named(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name or f"column_{at}" for at, name in enumerate(names, start=1))


def _filled(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]


def _lines_above(rows: Sequence[Sequence[str]], is_number: IsNumber) -> int:
    """Count the lines of a title: they fill their first cell alone, and a line of names comes after them."""
    widths = Counter(len(row) for row in rows)
    width = max(widths, key=lambda each: (widths[each], each))
    above = 0
    for row in rows[:_MOST_LINES]:
        comment = row[0].startswith("#") and len(row) != width
        if not comment and (len(row) > width or not row[0].strip() or len(_filled(row)) != 1 or is_number(row[0])):
            break
        above += 1
    if width < 2 or not above or above + 2 > len(rows):
        return 0
    names = rows[above]
    words = [cell for cell in _filled(names) if not is_number(cell)]
    return above if len(names) == width and len(words) * 2 > width and len(_filled(names)) > 1 else 0


def has_names(rows: Sequence[Sequence[str]], is_number: IsNumber, absent: set[str]) -> bool:
    """Return whether the first row has the names. Each column votes by how its first cell differs from the others.

    Numbers below a word vote for names; numbers below a number vote for data, unless the first row counts the columns
    or the years. Without a vote, the first row is data only if all its cells occur again in their columns.
    """
    first, body = [cell.strip() for cell in rows[0]], [row for row in rows[1:] if len(row) == len(rows[0])]
    if not body:
        return not any(map(is_number, first))
    if first in ([str(at) for at in range(start, start + len(first))] for start in (0, 1)) or _counts_years(first):
        return True
    names = data = repeated = 0
    for at, cell in enumerate(first):
        below = [row[at].strip() for row in body if row[at].strip() not in absent]
        if below and _are_numbers(below, is_number):
            data += is_number(cell)
            names += not is_number(cell) and cell not in absent
        repeated += cell in below
    if names or data:
        return names >= data
    return repeated < len(first)


def _are_numbers(cells: Sequence[str], is_number: IsNumber) -> bool:
    return sum(map(is_number, cells)) >= _MOSTLY * len(cells)


def _counts_years(cells: Sequence[str]) -> bool:
    """Return whether the cells are words and then years one after the other, as the names of a time series are."""
    years = [int(cell) for cell in cells if re.fullmatch(r"(?:18|19|20)\d\d", cell)]
    steps = {after - before for before, after in pairwise(years)}
    return 1 < len(years) < len(cells) and steps in ({1}, {-1}) and not any(c.isdigit() for c in cells[0])


def _is_second_line(table: Sequence[Sequence[str]], is_number: IsNumber, absent: set[str]) -> bool:
    """Return whether the second row has names, too: words above numbers, in every column of numbers."""
    second = [cell.strip() for cell in table[1]]
    body = [row for row in table[2:] if len(row) == len(second)]
    if len(second) != len(table[0]) or not body:
        return False
    found = 0
    for at, cell in enumerate(second):
        below = [row[at].strip() for row in body if row[at].strip() not in absent]
        if cell and cell in below:
            return False
        if not below or not _are_numbers(below, is_number):
            continue
        if is_number(cell) and not re.fullmatch(r"(?:18|19|20)\d\d", cell):
            return False
        if cell in absent or re.match(r"[\d-]", cell):
            # An empty cell below a name leaves the question to the other columns.
            if cell:
                return False
            continue
        found += 2 if unit_in_brackets(cell) else 1
    return found > 1


def _join(first: list[str], second: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the names and units of two lines of names."""
    units = [unit_in_brackets(cell) for cell in second]
    if all(unit or not cell for unit, cell in zip(units, second)):
        return first, tuple(units)
    names, group = [], ""
    for above, below in zip(first, second):
        # An empty cell continues the group to its left, as merged cells of a spreadsheet do.
        group = above or group
        names.append(f"{group} {below}".strip() if below else above)
    return names, ("",) * len(names)


def end_of_table(text: Any, delimiter: str, width: int) -> tuple[int, list[str]]:
    """Return where the rows end in a text, and what was found below them: notes, totals, empty rows."""
    start = max(0, len(text) - TAIL)
    tail = bytes(text[start:])
    if start:
        cut = tail.find(b"\n") + 1
        start, tail = start + cut, tail[cut:]
    lines = tail.splitlines(keepends=True)
    end, empty = len(text), 0
    left_out: list[str] = []
    pending = 0
    for at in range(len(lines) - 1, max(0, len(lines) - _MOST_LINES) if len(lines) > _MOST_LINES else 2, -1):
        line = lines[at].decode("utf-8", errors="replace").strip("\r\n")
        cells = next(csv.reader([line], delimiter=delimiter), []) if line.count('"') % 2 == 0 else [line, '"']
        pending += len(lines[at])
        if not _filled(cells):
            empty += bool(cells)
            if cells:
                end, pending = end - pending, 0
            continue
        before = lines[at - 1].decode("utf-8", errors="replace").strip("\r\n") if at else ""
        if not _is_below(cells, width, after_gap=not before.strip(f'{delimiter}" ')):
            break
        left_out.append(_filled(cells)[0])
        end, pending = end - pending, 0
    remarks = _left_out(left_out[::-1])
    if empty:
        remarks.append(
            Message("empty-rows-at-end", "{n:,} empty {n:row|rows} at the end {n:is|are} left out.", n=empty)
        )
    return (end if remarks else len(text)), remarks


def rows_of_table(rows: Sequence[Sequence[Any]], width: int) -> tuple[list[Sequence[Any]], list[str]]:
    """Return the rows of a sheet without notes and totals below them, and what was left out."""
    end = len(rows)
    while end > 1 and _is_below([str(cell) for cell in rows[end - 1]], width, after_gap=False):
        end -= 1
    return list(rows[:end]), _left_out([str(next(filter(None, row))) for row in rows[end:]])


def _left_out(lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    cited = listed((clip(line, 40) for line in lines), 3, quoted=True)
    return [
        Message(
            "lines-below-table",
            "{n:,} {n:line|lines} below the table {n:is|are} left out ({lines}).",
            n=len(lines),
            lines=cited,
        )
    ]


def _is_below(cells: Sequence[str], width: int, *, after_gap: bool) -> bool:
    """Return whether a line is no row of the table: a total, or a note in its first cell alone."""
    filled = _filled(cells)
    if len(cells) <= width and width > 1 and _TOTAL.fullmatch(filled[0]) and cells[0].strip():
        return True
    said = filled[0]
    words = len(said.split())
    if len(filled) > 1 and len(cells) == width:
        return False
    # A note may have commas of its own; a row that was cut short has no sentence in its first cell.
    sentence = bool(_NOTE.match(said)) or words > 2 or (after_gap and words > 1)
    letters = any(character.isalpha() for character in said)
    return cells[0].strip() != "" and letters and sentence and (len(filled) == 1 or bool(_NOTE.match(said)))
