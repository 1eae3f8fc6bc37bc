"""Columns of words that are numbers or dates: the whole table is looked at, so that all columns are read alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vaglio.messages.sentences import listed
from vaglio.table._absent import is_no_number, word_counts
from vaglio.table._column import Column
from vaglio.table._dates import Days, read_dates
from vaglio.table._numerals import CODE, NUMBER, Numerals, is_numeral, read_numerals
from vaglio.table._patterns import Words
from vaglio.table._remarks import Remarks

# From this share of its cells on, a column of numbers with a few words is a column of numbers …
NUMERIC_SHARE = 0.8
# … if it has at least so many different numbers: 0, 1, 2 and 3+ are four categories.
FEWEST_NUMBERS = 10
# From this share on, a column that stays words is remarked on: a person may have meant numbers.
_REMARKABLE = 0.5
# A class with a unit (10 mg, 20 mg) is a label, unless it has more values than classes usually have.
_MOST_LABELS = 20
# 1.234 may be 1234: only these words leave it open.
_OPEN = r"^[-+]?([1-9]\d{0,2}\.\d{3}|\d{1,3})$"


@dataclass(frozen=True)
class Clues:
    """What is known of a source before its words are read.

    Attributes
    ----------
    decimal : {".", ","} or None
        The decimal mark, given by the user or shown by numbers that can be read in one way only.
    fallback : {".", ","} or None
        The decimal mark if no number shows it; None means that a mark of two meanings is a decimal mark, with a remark.
    dayfirst : bool or None
        Whether the day stands before the month.
    numeric_share : float
        The share of numbers from which on the other cells of a column are errors.
    keep_words : mapping
        Column -> words that are values there although they usually mean "missing".
    units : mapping
        Column -> unit, from a second line of names.
    """

    decimal: str | None = None
    fallback: str | None = None
    dayfirst: bool | None = None
    numeric_share: float = NUMERIC_SHARE
    keep_words: Mapping[str, Iterable[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Seen:
    """A column of words, and its words as numbers and as dates, as far as they look like them."""

    column: Column
    counts: np.ndarray
    numerals: Numerals | None = None
    days: Days | None = None


def read_words(
    columns: Iterable[Column], clues: Clues, remarks: Remarks, *, target: str | None = None, wanted: Iterable[str] = ()
) -> dict[str, Column]:
    """Return the columns of words that are numbers or dates, by name, as numeric columns.

    Parameters
    ----------
    columns : iterable of Column
        Nominal columns of words.
    clues : Clues
    remarks : Remarks
        Gets what a person should know about the reading.
    target : str or None
        The class: it is read as numbers only if all its words are numbers, and never as dates.
    wanted : iterable of str
        Columns of which the user has said the kind: the share of numbers is enough, however few there are.
    """
    told = set(wanted)
    seen = [_look(column, clues) for column in columns]
    decimal = clues.decimal or _shown_decimal(seen)
    dayfirst = _shown_dayfirst(seen) if clues.dayfirst is None else clues.dayfirst
    if dayfirst is None and decimal == ",":
        dayfirst = True  # the month comes first only where decimals have a point
    found: dict[str, Column] = {}
    for each in seen:
        each = _decided(each, replace(clues, decimal=decimal, dayfirst=dayfirst), remarks)
        name = each.column.name
        fewest = 1 if name in told else FEWEST_NUMBERS
        share = 1.0 if name == target else clues.numeric_share
        made = _as_numbers(each, fewest, share, remarks, is_target=name == target)
        if made is None and name != target:
            made = _as_dates(each, fewest, share, remarks)
        if made is not None:
            found[name] = made
        elif name != target and name not in told:
            _remark_on_words(each, remarks)
    return found


def _look(column: Column, clues: Clues) -> _Seen:
    counts = word_counts(column)
    if Words(column.categories).match(CODE).any():
        return _Seen(column, counts)
    nothing = np.zeros(len(counts), dtype=bool)
    if _share(is_numeral(column.categories), counts, nothing) >= _REMARKABLE / 2:
        read = read_numerals(column.categories, counts)
        if _share(read.good, counts, read.absent) >= _REMARKABLE / 2:
            return _Seen(column, counts, numerals=read)
    return _Seen(column, counts, days=read_dates(column.categories, counts, clues.dayfirst))


def _decided(seen: _Seen, clues: Clues, remarks: Remarks) -> _Seen:
    """Read again, by what the other columns show, where the column itself leaves it open."""
    words = seen.column.categories
    numerals = seen.numerals
    if numerals is not None and numerals.why:
        if clues.decimal is not None:
            seen = replace(seen, numerals=read_numerals(words, seen.counts, clues.decimal))
        elif clues.fallback is not None and numerals.doubtful:
            seen = replace(seen, numerals=replace(read_numerals(words, seen.counts, clues.fallback), why=""))
    if seen.days is not None and seen.days.doubtful and clues.dayfirst is not None:
        first = "day" if clues.dayfirst else "month"
        remarks.add(
            f"column {seen.column.name!r}: the {first} comes first in dates such as {words[0]!r} "
            "(dayfirst= overrules it)"
        )
        seen = replace(seen, days=read_dates(words, seen.counts, clues.dayfirst))
    return seen


def _shown_decimal(seen: list[_Seen]) -> str | None:
    """Return the decimal mark of the columns that can be read in one way only; None if they differ."""
    shown = {each.numerals.decimal for each in seen if each.numerals is not None and not each.numerals.why}
    shown |= {
        "," if each.numerals.group == "." else "."
        for each in seen
        if each.numerals is not None and not each.numerals.why and each.numerals.group in (",", ".")
    }
    shown.discard("")
    return shown.pop() if len(shown) == 1 else None


def _shown_dayfirst(seen: list[_Seen]) -> bool | None:
    shown = {each.days.dayfirst for each in seen if each.days is not None} - {None}
    return shown.pop() if len(shown) == 1 else None


def _share(good: np.ndarray, counts: np.ndarray, absent: np.ndarray) -> float:
    present = counts[~absent].sum()
    return float(counts[good].sum() / present) if present else 0.0


def _as_numbers(seen: _Seen, fewest: int, share: float, remarks: Remarks, *, is_target: bool) -> Column | None:
    read = seen.numerals
    if read is None:
        return None
    if is_target and read.unit and read.good.sum() <= _MOST_LABELS:
        return None
    if not _enough(read.good, read.absent, seen.counts, fewest, share):
        return None
    column = _typed(seen, read.values, read.good, read.absent, remarks, unit=read.unit)
    remarks.unread(column, "number")
    if read.unit:
        remarks.unit(column.name, read.unit)
    _remark_on_marks(seen, read, remarks)
    return column


def _as_dates(seen: _Seen, fewest: int, share: float, remarks: Remarks) -> Column | None:
    read = seen.days
    if read is None or read.doubtful:
        return None
    absent = np.array([is_no_number(word) for word in seen.column.categories], dtype=bool) & ~read.good
    if not _enough(read.good, absent, seen.counts, fewest, share):
        return None
    column = _typed(seen, read.days, read.good, absent, remarks, is_date=True, level="interval")
    remarks.unread(column, "date")
    return column


def _enough(good: np.ndarray, absent: np.ndarray, counts: np.ndarray, fewest: int, share: float) -> bool:
    if not good.any() or (good | absent).all():
        return bool(good.any())
    return bool(good.sum() >= fewest and _share(good, counts, absent) >= share)


def _typed(
    seen: _Seen, values: np.ndarray, good: np.ndarray, absent: np.ndarray, remarks: Remarks, **more: Any
) -> Column:
    """Return the numeric column; it keeps the cells that are neither good nor absent as words."""
    column = seen.column
    remarks.taken(
        column.name, {column.categories[at]: int(seen.counts[at]) for at in np.flatnonzero(absent & (seen.counts > 0))}
    )
    unread = None
    if not (good | absent).all():
        wrong = np.flatnonzero(~good & ~absent)
        code = np.full(len(good) + 1, -1, dtype=np.int32)
        code[wrong] = np.arange(len(wrong))
        unread = Column.nominal(column.name, code[column.data], [column.categories[at] for at in wrong])
    data = np.append(np.where(good, values, np.nan), np.nan)[column.data]
    return Column.numeric(column.name, data, role=column.role, unread=unread, **more)


def _remark_on_marks(seen: _Seen, read: Numerals, remarks: Remarks) -> None:
    words = seen.column.categories
    if read.doubtful:
        at = next(at for at, word in enumerate(words) if read.good[at] and read.decimal in word)
        other = "," if read.decimal == "." else "."
        remarks.add(
            f"column {seen.column.name!r}: {words[at]!r} is read as {read.values[at]:g}, and nothing in the table "
            f"shows that it is {words[at].replace(read.decimal, '')}; decimal={other!r} says so"
        )
    elif read.group:
        because = f", because {read.why}" if read.why.startswith("numbers") else ""
        because = because or (", as the other numbers of the table show" if read.why else "")
        sentence, example = read.sentence(words)
        remarks.marks(seen.column.name, sentence, f" ({example}){because}")


def _remark_on_words(seen: _Seen, remarks: Remarks) -> None:
    """Say of a column that stays words why it is not read as numbers or dates."""
    column, words = seen.column, seen.column.categories
    if seen.days is not None and seen.days.doubtful:
        remarks.add(
            f"column {column.name!r} is read as words, because day and month could be exchanged in dates such as "
            f"{words[0]!r}: say dayfirst=, or write them as YYYY-MM-DD"
        )
        return
    read = seen.numerals if seen.numerals is not None else seen.days
    if read is None:
        return
    what = "numbers" if read is seen.numerals else "dates"
    absent = seen.numerals.absent if seen.numerals is not None else np.zeros(len(words), dtype=bool)
    if seen.numerals is not None and len(seen.numerals.units) > 1:
        remarks.add(
            f"column {column.name!r} is read as words, because its numbers have several units "
            f"({listed(seen.numerals.units, 5)}): write all in one unit"
        )
        return
    share = _share(read.good, seen.counts, absent)
    if share < _REMARKABLE or read.good.all():
        return
    wrong = np.flatnonzero((column.data >= 0) & ~np.append(read.good | absent, True)[column.data])
    if not len(wrong):
        return
    row = int(wrong[0])
    remarks.add(
        f"column {column.name!r} is read as words, although {share:.0%} of its values are {what}: "
        f"{words[column.data[row]]!r} in row {row + 1} is none"
    )


def is_plain(words: Words) -> bool:
    """Return whether all words are numbers with a decimal point that leave nothing open."""
    if not words.match(NUMBER).all() or words.match(CODE).any():
        return False
    return not (words.match(_OPEN).all() and words.match(r"\.").any())
