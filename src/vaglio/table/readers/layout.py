"""What stands around a table in files that people write: a title above, two lines of names, notes and totals below."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vaglio.errors import ColumnError
from vaglio.messages.message import Message
from vaglio.messages.options import reading
from vaglio.messages.sentences import clip, listed
from vaglio.table._column_names import folded
from vaglio.table._numerals import read_numerals, unit_in_brackets
from vaglio.table._table import refuse_duplicates

# Lines above or below the table that are looked at; more of them are no title and no note.
_MOST_LINES = 20
# A longer line is no note; csv reads no field that is much longer.
_LONGEST = 1 << 16
# Lines above a note among which there must be no other gap.
_LINES_LOOKED_AT = 20
# Bytes at the end of a text in which notes, totals and empty rows are looked for.
TAIL = 1 << 20
# A column of numbers may have a few words: so large a share of its cells shows what it is.
_MOSTLY = 0.8
_TOTAL = re.compile(
    r"(?:grand )?(?:total|totale|totali|totals|summe|gesamt|gesamtsumme|insgesamt|somma|sum|suma|somme|total général|"
    r"ensemble|media|mean|average|mittelwert|durchschnitt|moyenne|promedio)"
    r"(?: (?:generale|complessivo|général|general))?[:.]?",
    re.IGNORECASE,
)
# A sign, or a word and a colon; the words that are seldom the first of a value may lack the colon.
_NOTE = re.compile(
    r"(?:\*+|†|‡|\[\d+\]|\(\d+\)|\d\))\s*\w|(?:(?:fonte|fonti|source|sources|quelle|quellen|fuente|nota|note|notes|"
    r"hinweis|anmerkung|legenda|legend|legende|dati|data|stand|last updated|updated|remarque|observaciones)\s*:|"
    r"n\.?b\.)",
    re.IGNORECASE,
)

_YEAR = re.compile(r"(?:18|19|20)\d\d")
# What people call the column that says what a row is about.
_NAMES_OF_ROWS = frozenset(
    ("area", "city", "code", "continent", "country", "county", "date", "district", "id", "item", "key", "land", "month",
     "municipality", "name", "province", "region", "sector", "state", "town", "year", "anno", "città", "comune", "mese",
     "nome", "paese", "provincia", "regione", "settore", "stato", "zona", "bezirk", "bundesland", "gemeinde", "jahr",
     "kreis", "monat", "ort", "stadt", "année", "commune", "département", "mois", "nom", "pays", "région", "ville",
     "año", "ciudad", "distrito", "mes", "municipio", "nombre", "país", "región")
)  # fmt: skip
# In the second and third line of Orange's .tab files.
_ORANGE_TYPES = frozenset(("c", "d", "s", "t", "continuous", "discrete", "string", "time", "basket"))
_ORANGE_FLAGS = frozenset(("", "class", "meta", "ignore", "i", "weight"))

IsNumber = Callable[[str], bool]


@dataclass(frozen=True)
class Heading:
    """The lines above the first row.

    Attributes
    ----------
    above : int
        Rows above the names.
    lines : int
        Rows of names: 0, 1 or 2; 3 with Orange's lines of types and flags.
    names, units : tuple of str
        Of the columns; a unit is "" if the second line of names has none.
    remarks : tuple of str
        What a person should know.
    doubtful : bool
        Most of the names occur again as values, and the user has not said that they are names.
    """

    above: int
    lines: int
    names: tuple[str, ...]
    units: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    doubtful: bool = False

    def refuse_duplicates(self, name: str) -> None:
        """Raise when a name appears twice: rows without names are often the reason."""
        counts = Counter(self.names)
        twice = next((each for each in self.names if counts[each] > 1), None)
        if twice is None:
            return
        if not self.doubtful:
            refuse_duplicates(self.names, name)
        raise ColumnError(
            "duplicate-in-first-row",
            "{name}: {value!r} appears {n:,} times in the first row, which was taken for column names. If it is data, "
            "set {header}; else rename all but one.",
            name=name,
            value=clip(twice),
            n=counts[twice],
            header=reading("header", False),
        )


def find_heading(
    rows: Sequence[Sequence[str]],
    is_number: IsNumber,
    missing: Sequence[str],
    header: bool | None = None,
    known: Collection[str] = (),
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
    known : collection of str, optional
        Names that a model expects: a row that has most of them is the row of names.
    """
    absent = set(missing)
    above = _lines_above(rows, is_number)
    table = rows[above:]
    expected = bool(known) and 2 * len({*map(folded, known)}.intersection(map(folded, table[0]))) > len(known)
    header = True if expected and header is None else header
    given = header is not None
    if header is not False and _lacks_one_name(table, 1 if expected else 2):
        # R writes no name above the names of the rows.
        table = [["", *table[0]], *table[1:]]
    flags = header is not False and _has_orange_lines(table)
    second = not flags and header is not False and len(table) > 2 and _is_second_line(table, is_number, absent)
    if header is None:
        header = above > 0 or second or flags or has_names(table, is_number, absent)
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
        names = [f"column_{at}" for at in range(1, len(table[0]) + 1)]
        return Heading(above, 0, tuple(names), (), tuple(remarks))
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
    if flags:
        target = next((name for name, flag in zip(first, table[2]) if flag.strip() == "class"), "")
        remarks.append(
            Message(
                "orange-class",
                "The lines of types and flags below the names are Orange's; the class is {column!r}.",
                column=target,
            )
            if target
            else Message("orange-lines", "The lines of types and flags below the names are Orange's.")
        )
        return Heading(above, 3, _named(first), (), tuple(remarks))
    n = 0 if given or above else _recurring(table, absent)
    if n:
        remarks.append(
            Message(
                "names-recur-as-values",
                "The first row was taken for column names, but {n:,} of its values {n:occurs|occur} again below. If it "
                "is data, set {header}.",
                n=n,
                header=reading("header", False),
            )
        )
    return Heading(above, 1, _named(first), (), tuple(remarks), doubtful=n > 0)


def _lacks_one_name(table: Sequence[Sequence[str]], fewest: int) -> bool:
    """Return whether all rows but the first, and no fewer than that, have one cell more, the name of the row.

    A cell more that is empty in every row is no name: a delimiter ends each row.
    """
    first, *body = table
    if len(first) < 2 or len(body) < fewest or not all(first) or not any(row[-1].strip() for row in body):
        return False
    return all(len(row) == len(first) + 1 for row in body)


def _has_orange_lines(table: Sequence[Sequence[str]]) -> bool:
    """Return whether the names are followed by a line of types and a line of flags, as Orange writes them."""
    if len(table) < 4 or not len(table[0]) == len(table[1]) == len(table[2]) > 1:
        return False
    kinds, flags = ([cell.strip() for cell in row] for row in table[1:3])
    typed = [cell in _ORANGE_TYPES for cell in kinds]
    # A type may also be the list of the values.
    listing = all(known or " " in cell or not cell for known, cell in zip(typed, kinds))
    return any(typed) and listing and all(cell in _ORANGE_FLAGS or "=" in cell for cell in flags)


def _recurring(table: Sequence[Sequence[str]], absent: set[str]) -> int:
    """Return how many names occur again as values of their columns, if that is most of them."""
    first, body = [cell.strip() for cell in table[0]], [row for row in table[1:] if len(row) == len(table[0])]
    n = sum(cell not in absent and any(row[at].strip() == cell for row in body) for at, cell in enumerate(first))
    return n if 2 * n >= len(first) else 0


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
    or the years, or is the scale of a cross table. Without a vote, the first row is data if all its cells occur again
    in their columns, or if some stand in it twice and occur again anywhere.
    """
    first, body = [cell.strip() for cell in rows[0]], [row for row in rows[1:] if len(row) == len(rows[0])]
    if not body:
        return not any(map(is_number, first))
    columns = [[row[at].strip() for row in body] for at in range(len(first))]
    crossed = not first[0] and (_is_index(first[1:], columns[0]) or _is_scale(first[1:], columns))
    if _counts(first) or crossed or _are_years(first, columns, is_number):
        return True
    if not is_number(first[0]) and _counts_columns(first[1:], columns[1:]):
        return True
    names = data = repeated = 0
    said = [cell for cell in first if cell not in absent]
    for cell, column in zip(first, columns):
        below = [value for value in column if value not in absent]
        if below and _are_numbers(below, is_number):
            # 1 week is a name above numbers without a word.
            named = not is_number(cell) or (_has_word(cell) and not any(map(_has_word, below)))
            data += not named
            names += named and cell not in absent
        repeated += cell in below
    if names or data:
        return names >= data
    twice = {cell for cell, n in Counter(said).items() if n > 1}
    return repeated < len(said) and not (twice and twice <= {value for column in columns for value in column})


def _counts(cells: Sequence[str]) -> bool:
    """Return whether the cells count up from 0 or 1, as names that a program made."""
    return list(cells) in ([str(at) for at in range(start, start + len(cells))] for start in (0, 1))


def _counts_columns(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether some cells count up, and few are values of their columns: ranks, which also count up, are."""
    found = sum(cell in column for cell, column in zip(cells, columns))
    return len(cells) > 2 and _counts(cells) and 2 * found < len(cells)


def _is_index(names: Sequence[str], column: Sequence[str]) -> bool:
    """Return whether a first column without a name counts the rows, or the other names count the columns."""
    return all(names) and all(column) and (_counts(names) or (len(column) > 1 and _counts(column)))


def _is_scale(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the names, after one without, are numbers in order: of a cross table of two measured things.

    The first cell of every other row is filled, few of these rows are in order, too, and few names are values.
    """
    body = list(zip(*columns[1:]))
    ordered = sum(map(_in_order, body))
    values = sum(name in column for name, column in zip(names, columns[1:]))
    return all(columns[0]) and _in_order(names) and 2 * ordered < len(body) and 2 * values < len(names)


def _in_order(cells: Sequence[str]) -> bool:
    """Return whether the cells are at least three numbers, each greater than the one before."""
    try:
        numbers = [float(cell.replace(",", ".")) for cell in cells]
    except ValueError:
        return False
    return len(numbers) > 2 and all(before < after for before, after in pairwise(numbers))


def _has_word(cell: str) -> bool:
    return re.search(r"[^\W\d_]{2}", cell) is not None


def _are_numbers(cells: Sequence[str], is_number: IsNumber) -> bool:
    return sum(map(is_number, cells)) >= _MOSTLY * len(cells)


def _are_years(first: Sequence[str], columns: Sequence[Sequence[str]], is_number: IsNumber) -> bool:
    """Return whether the cells are words and then years in order, as the names of a time series are.

    The values below them are not years themselves. A single year is a name only beside a word that names words.
    """
    at_years = [at for at, cell in enumerate(first) if _YEAR.fullmatch(cell)]
    years = [int(first[at]) for at in at_years]
    words = [cell for at, cell in enumerate(first) if at not in at_years]
    if not years or not words or any(map(str.isdigit, words[0])) or any(map(is_number, words)):
        return False
    below = [value for at in at_years for value in columns[at]]
    if 2 * sum(_YEAR.fullmatch(value) is not None for value in below) >= len(below):
        return False
    if len(years) == 1:
        beside = columns[first.index(words[0])]
        named = all(value[:1].isupper() for value in beside) and words[0][:1].islower()
        return words[0].casefold() in _NAMES_OF_ROWS or named
    steps = [after - before for before, after in pairwise(years)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


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


def end_of_table(
    text: Any, delimiter: str, width: int, heading: int = 0, decimal: str | None = None, *, footer: bool = True
) -> tuple[int, list[str]]:
    """Return where the rows end in a text, and what was found below them: notes, totals, empty rows.

    Parameters
    ----------
    text : bytes-like
        The whole text, or its end.
    delimiter : str
    width : int
        Number of columns.
    heading : int, default=0
        Rows of the text above the first row of the table.
    decimal : {".", ","}, optional
        The decimal mark, if it is known.
    footer : bool, default=True
        Whether a line with a field for every column may be a note, a total or empty; else it is a row.
    """
    start = max(0, len(text) - TAIL)
    tail = bytes(text[start:])
    lines = tail.splitlines(keepends=True)[1 if start else 0 :]

    def cells_of(line: bytes) -> list[str] | None:
        if len(line) > _LONGEST:
            return None
        shown = line.decode("utf-8", errors="replace").strip("\r\n")
        # A field in quotes that began on another line: it belongs to a row.
        return next(csv.reader([shown], delimiter=delimiter), []) if shown.count('"') % 2 == 0 else None

    found = _find_end(lines, cells_of, width, None if start else heading, decimal, footer=footer)
    return len(text) - sum(map(len, lines[found.rows :])), found.remarks()


def rows_of_table(
    rows: Sequence[Sequence[Any]], width: int, *, footer: bool = True
) -> tuple[list[Sequence[Any]], list[str]]:
    """Return the rows of a sheet that are not empty, without notes and totals below them, and what was left out.

    Parameters
    ----------
    rows : sequence of sequence
        The cells below the names; blank rows are among them.
    width : int
        Number of columns.
    footer : bool, default=True
        Whether there may be notes and totals; else each row that is not empty is a row of the table.
    """
    found = _find_end(rows, lambda row: [str(cell) for cell in row], width, 0, None, footer=footer)
    return [row for row in rows[: found.rows] if _filled(list(map(str, row)))], found.remarks()


@dataclass(frozen=True)
class _End:
    """The number of lines up to the end of the table, the first cells of those below, and the number of empty ones."""

    rows: int
    left_out: Sequence[str]
    empty: int

    def remarks(self) -> list[str]:
        said: list[str] = []
        if self.left_out:
            said.append(
                Message(
                    "lines-below-table",
                    "{n:,} {n:line|lines} below the table {n:is|are} left out ({lines}). To keep {n:it|them}, set "
                    "{footer}.",
                    n=len(self.left_out),
                    lines=listed((clip(line, 40) for line in self.left_out), 3, quoted=True),
                    footer=reading("footer", False),
                )
            )
        if self.empty:
            said.append(
                Message("empty-rows-at-end", "{n:,} empty {n:row|rows} at the end {n:is|are} left out.", n=self.empty)
            )
        return said


def _find_end(
    lines: Sequence[Any],
    cells_of: Callable[[Any], list[str] | None],
    width: int,
    heading: int | None,
    decimal: str | None,
    *,
    footer: bool,
) -> _End:
    """Find the end of the table, from the last line upwards.

    `heading` is the number of rows above the table, None if these lines are not all of them.
    """
    end, empty = len(lines), 0
    left_out: list[str] = []
    for at in range(len(lines) - 1, heading or 0, -1):
        cells = cells_of(lines[at])
        if cells is None or len(left_out) == _MOST_LINES:
            break
        if not _filled(cells):
            # A line without a delimiter is no row; a row of empty cells is one unless it may be left out.
            if cells and width > 1 and not footer:
                break
            empty += bool(cells)
            end = at if cells else end
            continue
        after_gap = _is_gap([cells_of(line) for line in lines[max(0, at - _LINES_LOOKED_AT) : at]])
        below = _is_note(cells, width, after_gap=after_gap, footer=footer)
        if not below and footer and _may_be_total(cells, width):
            above = [cells_of(line) or [] for line in lines[:at]] if heading is not None else []
            below = after_gap or _adds_up(cells, [row for row in above if _filled(row)][heading:], decimal)
        if not below:
            break
        left_out.append(_filled(cells)[0])
        end = at
    return _End(end, left_out[::-1], empty)


def _is_gap(above: Sequence[list[str] | None]) -> bool:
    """Return whether a line stands below the only blank line, or blank lines, of those above it."""
    blank = [cells is not None and not _filled(cells) for cells in above]
    while blank and blank[-1]:
        blank.pop()
    return len(blank) < len(above) and not any(blank)


def _may_be_total(cells: Sequence[str], width: int) -> bool:
    """Return whether a line says that it is a total, and has nothing but numbers."""
    filled = _filled(cells)
    if width < 2 or len(cells) > width or not cells[0].strip() or not _TOTAL.fullmatch(filled[0]):
        return False
    return not any(map(str.isalpha, "".join(filled[1:])))


def _adds_up(cells: Sequence[str], above: Sequence[Sequence[str]], decimal: str | None) -> bool:
    """Return whether most numbers of a total are the sum or the mean of their column."""
    rows = [row for row in above if not _TOTAL.fullmatch(row[0].strip())]
    agreed = [_agrees(cell, rows, at, decimal) for at, cell in enumerate(cells) if at and cell.strip()]
    return bool(agreed) and 2 * sum(agreed) >= len(agreed)


def _agrees(cell: str, rows: Sequence[Sequence[str]], at: int, decimal: str | None) -> bool:
    words = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
    read = read_numerals([*words, cell.strip()], np.ones(len(words) + 1), decimal)
    values, total = read.values[:-1][read.good[:-1]], read.values[-1]
    if not read.good[-1] or not len(values):
        return False
    digits = len(cell.strip().rpartition(read.decimal)[2]) if read.decimal and read.decimal in cell else 0
    rounding = 0.51 * 10.0**-digits
    return any(abs(total - whole) <= max(rounding, 1e-6 * abs(whole)) for whole in (values.sum(), values.mean()))


def _is_note(cells: Sequence[str], width: int, *, after_gap: bool, footer: bool) -> bool:
    """Return whether a line is no row of the table, but a note in its first cell alone.

    A table of one column has no notes: each line is a row. A line with a field for every column is a row, too, unless
    only its first cell is filled, in a table of at least three columns, and it begins as notes do or follows a gap.
    """
    said = cells[0].strip()
    if width < 2 or not any(map(str.isalpha, said)):
        return False
    marked, alone, words = bool(_NOTE.match(said)), len(_filled(cells)) == 1, len(said.split())
    if len(cells) == width:
        return footer and alone and width > 2 and (marked or (after_gap and words > 2))
    # A note may have delimiters of its own.
    return marked or (alone and (words > 3 or (after_gap and words > 1)))
