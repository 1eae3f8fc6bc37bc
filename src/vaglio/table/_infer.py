"""The rules by which `read` types columns from their values. All rules are written here and nowhere else.

They are tried in this order on each column; `levels=` and `roles=` overrule them, and each decision that could
surprise a user is a remark in `Table.remarks`. Declared types (ARFF attributes, categorical dtypes, dates) are kept.
What was decided of the writing of a column is its `cell_format`: rows that come later, for a model, are read by it
alone. The target is never taken for an identifier or for text.

1.  **Missing.** The tokens of `MISSING` (settable by `missing=`) and empty fields are missing. Blanks around a
    value do not count. Two tokens are values where the others show it: - beside +, and NA among at least five codes of
    two letters. In columns of numbers and dates the words of `NO_NUMBER` (unknown, keine Angabe …) are missing, too. A
    column with no value at all is ignored.
2.  **Yes and no.** A column whose values, whatever their case, are one of the pairs of `WORD_PAIRS` is nominal, in
    the order no, yes. Spellings that differ in case stay different values, so that later rows are read in the same
    way; a remark names them.
3.  **Codes.** Digits with a leading zero are codes: nominal. So are columns of integers of which one is 2**53 or
    beyond, and all digits are kept.
4.  **Numbers.** A column of numbers is numeric. They may have a decimal point or comma, a mark between thousands
    (point, comma, apostrophe, blank), a currency or percent sign, and a unit; marks and unit must be the same in the
    whole column. In ``1.234`` the other columns decide what the point is, then the column itself (it separates
    thousands if five numbers have it and numbers below 1000 do not), else it is a decimal mark; a remark says so. If
    at least `NUMERIC_SHARE` of the values and at least `FEWEST_NUMBERS` different ones are numbers, the other cells are
    errors: they count as missing, `Column.unread` keeps them, and a remark names them. Among numbers with codes such
    as 16a all are codes. Infinite numbers are errors, however many.
5.  **Dates and times.** Words that are dates of one format (ISO 8601; day, month and year of the usual national
    formats, with or without a time), some of them in ISO 8601, are numeric, interval, counted in days. Whether the day
    or the month comes first is shown by one day above 12 in any column, or by decimal commas; else the words stay
    words, with a remark. Times of day are numeric, interval, counted in seconds. Single words that are neither are
    errors, as under 4.
6.  **Text.** At least half the values differ and they have 4 words or more on average: free text.
7.  **Identifiers.** At least `FEWEST_ROWS` rows; words of which at least 95 % differ (all of them, in fewer than
    `MANY_ROWS` rows); whole numbers that all differ and count the rows up from 0 or 1, or have a name that says so
    (id, key, uuid, index, …). They are left out of training. A declared nominal column only gets a remark. So are
    columns that name persons (`_persons`): names, addresses of mail, codes of customers, even where they repeat.
8.  **Numbers that are codes.** Whole numbers with a name such as zip, postcode, phone, code, or an id that repeats,
    are nominal.
9.  **Binary.** Whole numbers 0 and 1, both present, are nominal; asymmetric when at most 10 % are 1.
10. **Level.** Other numbers are ratio if none is negative and the name does not say temperature or year, else
    interval. Words are nominal; ordinal only when the order is given: ``levels={"size": ["small", "large"]}``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from vaglio import _core
from vaglio.messages.message import Message, Option, text
from vaglio.messages.options import as_identifier, as_input, as_missing, in_one_fold, reading
from vaglio.messages.options import as_nominal as as_nominal_option
from vaglio.messages.sentences import listed
from vaglio.runtime.threads import resolve_threads
from vaglio.table._cell_format import NUMERIC_SHARE, CellFormat
from vaglio.table._column import EXACT, Column
from vaglio.table._convert import as_nominal, as_text
from vaglio.table._dates import CLOCK, Days, read_dates, seconds_of_day
from vaglio.table._numerals import (
    BY_OTHER_NUMBERS,
    BY_SMALL_NUMBERS,
    CODE,
    DECIMALS,
    INFINITE,
    LONG,
    NUMBER,
    Numerals,
    is_numeral,
    numbers_like,
    read_numerals,
)
from vaglio.table._persons import names_persons
from vaglio.table._words import MISSING, Words, is_no_number, tidy, word_counts

# Cells that are quoted; the others are counted.
_QUOTED = 3
# A column of numbers with a few words is a column of numbers if it has at least so many different ones: 0, 1, 2 and 3+
# are four categories.
FEWEST_NUMBERS = 10
# From this share on, a column that stays words is remarked on: a person may have meant numbers.
_REMARKABLE = 0.5
# A class with a unit (10 mg, 20 mg), or of numbers and words, is a label, unless it has more values than classes have.
_MOST_LABELS = 20
# 1.234 may be 1234: only these words leave it open.
_OPEN = r"^[-+]?([1-9]\d{0,2}\.\d{3}|\d{1,3})$"
WORD_PAIRS = (
    *(("no", "yes"), ("false", "true"), ("f", "t"), ("n", "y"), ("no", "sì"), ("no", "si"), ("no", "sí")),
    *(("nein", "ja"), ("non", "oui"), ("falso", "vero"), ("falsch", "wahr"), ("faux", "vrai")),
)
# In fewer rows all values of any column may differ; below the second number a few equal values decide.
FEWEST_ROWS = 5
MANY_ROWS = 50
# Below this number of rows, threads take longer to start than to help.
_MANY = 100_000

_ID_NAME = re.compile(r"(?:^|[\W_])(?:id|key|uuid|guid|index|idx|rowid|serial|nr|no|column_1)$|[a-z](?:Id|ID)$")
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zip_?code|post_?code|postal_?code|plz|code|phone|fips|isbn|ean|sku|id)$|[a-z](?:Id|ID|Code)$"
)
# A number of a bus line, a house or a question.
_CODE_WITH_LETTER = re.compile(r"\d{1,6}[A-Za-z]{1,2}|[A-Za-z]\d{1,6}")
_INTERVAL_NAME = re.compile(r"temp|year|date|celsius|fahrenheit|latitude|longitude", re.IGNORECASE)


class Remarks:
    """Remarks about columns; those of one kind become one sentence."""

    def __init__(self) -> None:
        self._alone: list[Message] = []
        self._taken: list[Message] = []
        self._marks: dict[Message, tuple[list[str], Message, str]] = {}
        self._units: list[Message] = []

    def add(self, remark: Message) -> None:
        """Add a sentence of its own."""
        self._alone.append(remark)

    def taken(self, column: str, words: dict[str, int]) -> None:
        """Note the words of a column that were taken for missing values."""
        self._taken += [
            text("{word!r} ({n:,} {n:cell|cells} of {column!r})", word=word, n=n, column=column)
            for word, n in words.items()
        ]

    def marks(self, column: str, read: Numerals, words: Sequence[str]) -> None:
        """Note how the marks in the numbers of a column were read."""
        self._marks.setdefault(read.marks(), ([], read.example(words), read.why))[0].append(column)

    def unit(self, column: str, unit: str) -> None:
        """Note the unit of a column."""
        self._units.append(text("{column!r} in {unit}", column=column, unit=unit))

    def unread(self, column: Column, what: Literal["number", "finite number", "date", "time"]) -> None:
        """Name the cells of a column that are neither missing nor what the column holds."""
        if column.unread is None:
            return
        rows = (~column.unread.missing).nonzero()[0]
        cells = column.unread.take(rows[:_QUOTED]).values
        shown: list[str] = [
            text("{cell!r} in row {row:,}", cell=cell, row=row + 1) for cell, row in zip(cells, rows.tolist())
        ]
        shown += [""] * (len(rows) - len(shown))
        values = {"column": column.name, "n": len(rows), "cells": listed(shown, _QUOTED)}
        values["nominal"] = as_nominal_option(column.name)
        if what == "date":
            self.add(
                Message(
                    "cells-not-dates",
                    "Column {column!r}: {n:,} {n:cell is not a date|cells are not dates} and {n:counts|count} as "
                    "missing ({cells}). Correct {n:it|them}, or declare the column nominal ({nominal}).",
                    **values,
                )
            )
        elif what == "time":
            self.add(
                Message(
                    "cells-not-times",
                    "Column {column!r}: {n:,} {n:cell is not a time of day|cells are not times of day} and "
                    "{n:counts|count} as missing ({cells}). Correct {n:it|them}, or declare the column nominal "
                    "({nominal}).",
                    **values,
                )
            )
        elif what == "number":
            self.add(
                Message(
                    "cells-not-numbers",
                    "Column {column!r}: {n:,} {n:cell is not a number|cells are not numbers} and {n:counts|count} as "
                    "missing ({cells}). Correct {n:it|them}, or declare the column nominal ({nominal}).",
                    **values,
                )
            )
        else:
            self.add(
                Message(
                    "cells-not-finite",
                    "Column {column!r}: {n:,} {n:cell is not a finite number|cells are not finite numbers} and "
                    "{n:counts|count} as missing ({cells}). Correct {n:it|them}, or declare the column nominal "
                    "({nominal}).",
                    **values,
                )
            )

    def sentences(self) -> list[str]:
        """Return all remarks."""
        marks = [_marks_read(marks, *found) for marks, found in self._marks.items()]
        units = [Message("units-read", "Units were read with the numbers: {columns}.", columns=listed(self._units))]
        taken = [Message("words-taken-for-missing", "Taken for missing values: {words}.", words=listed(self._taken, 8))]
        return [*marks, *(units if self._units else []), *(taken if self._taken else []), *self._alone]


def _marks_read(marks: Message, columns: list[str], example: Message, why: str) -> Message:
    values = {"n": len(columns), "columns": listed(columns, quoted=True), "marks": marks, "example": example}
    if why == BY_SMALL_NUMBERS:
        return Message(
            "marks-by-small-numbers",
            "{n:Column|Columns} {columns}: {marks} ({example}), because numbers below 1000 have no mark.",
            **values,
        )
    if why == BY_OTHER_NUMBERS:
        return Message(
            "marks-by-other-numbers",
            "{n:Column|Columns} {columns}: {marks} ({example}), as in the other numbers of the table.",
            **values,
        )
    return Message("marks-read", "{n:Column|Columns} {columns}: {marks} ({example}).", **values)


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
    """A column of words, and its words as numbers, dates and times of day, as far as they look like them."""

    column: Column
    counts: np.ndarray
    numerals: Numerals | None = None
    days: Days | None = None
    clock: np.ndarray | None = None


def _read_words(
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
        each = _decided(each, clues := replace(clues, decimal=decimal, dayfirst=dayfirst), remarks)
        name = each.column.name
        fewest = 1 if name in told else FEWEST_NUMBERS
        share = 1.0 if name == target else clues.numeric_share
        made = _as_numbers(each, fewest, share, clues, remarks, is_target=name == target)
        if made is None and name != target:
            # A smaller share is said of numbers: a date that does not fit may be one in another order of day and month.
            most = max(share, NUMERIC_SHARE)
            made = _as_dates(each, fewest, most, remarks) or _as_times(each, fewest, most, remarks)
        if made is not None:
            found[name] = made
        elif name not in told and (name != target or _was_meant_as_numbers(each)):
            _remark_on_words(each, remarks)
    return found


def _was_meant_as_numbers(target: _Seen) -> bool:
    """Return whether a target of words has as many different numbers as only a quantity has: one cell may be wrong."""
    return target.numerals is not None and int(target.numerals.good.sum()) > _MOST_LABELS


def _look(column: Column, clues: Clues) -> _Seen:
    counts = word_counts(column)
    words = Words(column.categories)
    if _are_codes(words):
        return _Seen(column, counts)
    nothing, infinite = np.zeros(len(counts), dtype=bool), words.match(INFINITE)
    if _share(is_numeral(column.categories), counts, infinite) >= _REMARKABLE / 2:
        read = read_numerals(column.categories, counts)
        if _share(read.good, counts, read.absent | infinite) >= _REMARKABLE / 2:
            return _Seen(column, counts, numerals=read)
    clock = seconds_of_day(column.categories)
    if _share(~np.isnan(clock), counts, nothing) >= _REMARKABLE:
        return _Seen(column, counts, clock=clock)
    return _Seen(column, counts, days=read_dates(column.categories, counts, clues.dayfirst))


def _are_codes(words: Words) -> bool:
    """Return whether words are digits that are no quantity."""
    if words.match(CODE).any():
        return True
    long = np.flatnonzero(words.match(LONG)).tolist()
    return any(abs(int(words.words[at])) >= EXACT for at in long) and not words.match(DECIMALS).any()


def _decided(seen: _Seen, clues: Clues, remarks: Remarks) -> _Seen:
    """Read again, by what the other columns show, where the column itself leaves it open."""
    words = seen.column.categories
    numerals = seen.numerals
    if numerals is not None and clues.decimal is not None and _contradicts(seen, clues.decimal):
        # 4,6 among whole numbers is a list of two, if other columns have a decimal point.
        values = numbers_like(words, clues.decimal, numerals.unit)
        seen = replace(seen, numerals=replace(numerals, values=values, good=~np.isnan(values), decimal="", group=""))
    elif numerals is not None and numerals.why:
        if clues.decimal is not None:
            seen = replace(seen, numerals=read_numerals(words, seen.counts, clues.decimal))
        elif clues.fallback is not None and numerals.doubtful:
            seen = replace(seen, numerals=replace(read_numerals(words, seen.counts, clues.fallback), why=""))
    if seen.days is not None and seen.days.doubtful and clues.dayfirst is not None:
        remarks.add(
            Message(
                "day-and-month-decided",
                "Column {column!r}: {first} comes first in dates such as {example!r}. Set {other} if that is wrong.",
                column=seen.column.name,
                first=text("the day") if clues.dayfirst else text("the month"),
                example=words[0],
                other=reading("dayfirst", not clues.dayfirst),
            )
        )
        seen = replace(seen, days=read_dates(words, seen.counts, clues.dayfirst))
    return seen


def _contradicts(seen: _Seen, decimal: str) -> bool:
    """Return whether few numbers of a column have another decimal mark than the numbers of other columns."""
    read = seen.numerals
    if read is None or read.why or read.decimal in ("", decimal):
        return False
    marked = Words(seen.column.categories).match("\\" + read.decimal)[read.good]
    return _is_rare(marked, seen.counts[read.good])


def _is_rare(marked: np.ndarray, counts: np.ndarray) -> bool:
    """Return whether less than half of the cells are marked, but some are."""
    return bool(marked.any() and 2 * counts[marked].sum() < counts.sum())


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


def _as_numbers(
    seen: _Seen, fewest: int, share: float, clues: Clues, remarks: Remarks, *, is_target: bool
) -> Column | None:
    read = seen.numerals
    if read is None:
        return None
    if is_target and read.unit and read.good.sum() <= _MOST_LABELS:
        return None
    infinite = Words(seen.column.categories).match(INFINITE)
    if not _enough(read.good, read.absent | infinite, seen.counts, fewest, share):
        return None
    wrong = ~(read.good | read.absent)
    if _has_codes([word for word, each in zip(seen.column.categories, wrong) if each], seen.counts[wrong]):
        return None
    cell_format = CellFormat(decimal=read.mark or clues.decimal or clues.fallback or "", unit=read.unit)
    column = _typed(seen, read.values, read.good, read.absent, remarks, unit=read.unit, cell_format=cell_format)
    remarks.unread(column, "number")
    if read.unit:
        remarks.unit(column.name, read.unit)
    _remark_on_marks(seen, read, remarks)
    return column


def _has_codes(wrong: Sequence[str], counts: np.ndarray) -> bool:
    """Return whether the cells that are no numbers are codes, such as 16a and 01A: a single one may be a mistake."""
    codes = sum(n for word, n in zip(wrong, counts.tolist()) if _CODE_WITH_LETTER.fullmatch(word))
    return bool(codes > 1 and 2 * codes > counts.sum())


def _as_dates(seen: _Seen, fewest: int, share: float, remarks: Remarks) -> Column | None:
    read = seen.days
    if read is None or read.doubtful:
        return None
    absent = _absent(seen.column.categories) & ~read.good
    if not _enough(read.good, absent, seen.counts, fewest, share):
        return None
    cell_format = CellFormat("date", read.form, dayfirst=read.dayfirst)
    column = _typed(
        seen, read.days, read.good, absent, remarks, is_date=True, level="interval", cell_format=cell_format
    )
    remarks.unread(column, "date")
    return column


def _as_times(seen: _Seen, fewest: int, share: float, remarks: Remarks) -> Column | None:
    if seen.clock is None:
        return None
    good, absent = ~np.isnan(seen.clock), _absent(seen.column.categories)
    if not _enough(good, absent, seen.counts, fewest, share):
        return None
    column = _typed(seen, seen.clock, good, absent, remarks, level="interval", cell_format=CellFormat(form=CLOCK))
    remarks.unread(column, "time")
    return column


def _absent(words: Sequence[str]) -> np.ndarray:
    return np.array([is_no_number(word) for word in words], dtype=bool)


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
            Message(
                "decimal-mark-assumed",
                "Column {column!r}: {word!r} is read as {number:g}. If it means {other}, set {decimal}.",
                column=seen.column.name,
                word=words[at],
                number=read.values[at],
                other=words[at].replace(read.decimal, ""),
                decimal=reading("decimal", other),
            )
        )
    elif read.group:
        remarks.marks(seen.column.name, read, words)


def _remark_on_words(seen: _Seen, remarks: Remarks) -> None:
    """Say of a column that stays words why it is not read as numbers or dates."""
    column, words = seen.column, seen.column.categories
    if seen.days is not None and seen.days.doubtful:
        remarks.add(
            Message(
                "day-and-month-ambiguous",
                "Column {column!r} is read as words, because day and month are ambiguous in dates such as {example!r}. "
                "Set {dayfirst}, or write dates as YYYY-MM-DD.",
                column=column.name,
                example=words[0],
                dayfirst=Option("dayfirst", flag="--read dayfirst=true|false"),
            )
        )
        return
    read = seen.numerals if seen.numerals is not None else seen.days
    if read is None:
        return
    absent = seen.numerals.absent if seen.numerals is not None else np.zeros(len(words), dtype=bool)
    if seen.numerals is not None and len(seen.numerals.units) > 1:
        remarks.add(
            Message(
                "several-units",
                "Column {column!r} is read as words, because its numbers have several units ({units}). Use one unit.",
                column=column.name,
                units=listed(seen.numerals.units, 5),
            )
        )
        return
    share = _share(read.good, seen.counts, absent)
    if share < _REMARKABLE or read.good.all():
        return
    wrong = np.flatnonzero((column.data >= 0) & ~np.append(read.good | absent, True)[column.data])
    if not len(wrong):
        return
    row = int(wrong[0])
    # All but one of a thousand are 99 %, not all.
    below = np.floor(100 * share) / 100
    cell = {"column": column.name, "share": below, "cell": words[column.data[row]], "row": row + 1}
    if read is seen.numerals:
        remarks.add(
            Message(
                "mostly-numbers",
                "Column {column!r} is read as words, although {share:.0%} of its values are numbers: {cell!r} in row "
                "{row:,} is not.",
                **cell,
            )
        )
    else:
        remarks.add(
            Message(
                "mostly-dates",
                "Column {column!r} is read as words, although {share:.0%} of its values are dates: {cell!r} in row "
                "{row:,} is not.",
                **cell,
            )
        )


def is_plain(words: Words) -> bool:
    """Return whether all words are numbers with a decimal point that leave nothing open."""
    if not words.match(NUMBER).all() or _are_codes(words):
        return False
    return not (words.match(_OPEN).all() and words.match(r"\.").any())


def infer(
    columns: Sequence[Column],
    *,
    missing: Sequence[str] = MISSING,
    target: str | None = None,
    levels: Mapping[str, Any] | None = None,
    settled: Iterable[str] = (),
    typed: bool = False,
    clues: Clues | None = None,
) -> tuple[list[Column], list[str]]:
    """Apply the rules; return the typed columns and the remarks.

    Parameters
    ----------
    columns : sequence of Column
    missing : sequence of str
        Words that mean "no value".
    target : str or None
        Name of the class column.
    levels : mapping, optional
        Columns whose kind the user has chosen, and that kind.
    settled : iterable of str
        Columns whose role the user has chosen.
    typed : bool
        The source declares its types.
    clues : Clues, optional
        What the source shows of its numbers and dates.
    """
    remarks, clues, chosen = Remarks(), clues or Clues(), levels or {}
    own = [word for word in missing if word not in MISSING]
    looks = _looks(columns)
    tidied = [_tidied(column, looks, missing, clues, remarks, chosen) for column in columns]
    numbers = {} if typed else _numbers_in_words(tidied, clues, remarks, target, chosen)
    roles_given, decimal = set(settled), _decimal_of(numbers.values(), clues)
    shown = {name for name, look in looks.items() if not look.whole} - set(numbers)
    out = []
    for column in tidied:
        is_target = column.name == target
        column = numbers.get(column.name, column)
        if column.name not in chosen:
            column = _words(column, remarks, is_target)
            look = looks.get(column.name) or _look_at(column)
            if column.name not in roles_given:
                column = _role(column, look, remarks, is_target)
            if column.kind == "numeric" and not typed and not is_target and column.role == "input":
                column = _numbers(column, look, remarks)
        unit = clues.units.get(column.name, "")
        if column.kind == "numeric" and not column.is_date and column.cell_format is None:
            # Decimals that were read with the file have its mark, whatever words in another column show.
            mark = decimal if column.name not in shown or clues.decimal == "," else ""
            column = column.replace(cell_format=CellFormat(decimal=mark)) if mark else column
        if unit and column.kind == "numeric" and not column.unit:
            column = _with_unit(column, unit)
        if own:
            column = column.replace(cell_format=replace(column.cell_format or CellFormat(), missing=tuple(own)))
        out.append(column)
    return out, remarks.sentences()


def _decimal_of(numbers: Iterable[Column], clues: Clues) -> str:
    """Return the decimal mark of the columns whose own numbers do not show it; "" if the others do not either."""
    shown = {column.cell_format.decimal for column in numbers if column.cell_format is not None} - {""}
    if clues.decimal == ",":
        shown.add(",")
    return shown.pop() if len(shown) == 1 else ""


def _with_unit(column: Column, unit: str) -> Column:
    """Return a column whose unit stands beside its name: cells may name it, too, unless it is a percent sign."""
    cell_format = column.cell_format or CellFormat()
    return column.replace(unit=unit, cell_format=cell_format if unit in ("%", "‰") else replace(cell_format, unit=unit))


class _TextSummary(NamedTuple):
    """What one pass over the numbers of a column shows."""

    low: float
    high: float
    missing: int
    short: bool
    whole: bool


def _look_at(column: Column) -> _TextSummary | None:
    return _TextSummary(*_core.look_at(np.ascontiguousarray(column.data))) if column.kind == "numeric" else None


def _looks(columns: Sequence[Column]) -> dict[str, _TextSummary]:
    """Look at all columns of numbers; threads share the work of a large table."""
    numbers = [column for column in columns if column.kind == "numeric"]
    if not numbers or len(numbers[0]) < _MANY:
        found = list(map(_look_at, numbers))
    else:
        with ThreadPoolExecutor(resolve_threads(-1)) as pool:
            found = list(pool.map(_look_at, numbers))
    return {column.name: look for column, look in zip(numbers, found) if look}


def _tidied(
    column: Column,
    looks: dict[str, _TextSummary],
    missing: Sequence[str],
    clues: Clues,
    remarks: Remarks,
    chosen: Collection[str],
) -> Column:
    """Apply rule 1."""
    if column.kind == "numeric":
        if column.exact is not None:
            del looks[column.name]
            remarks.add(
                Message(
                    "codes-read-as-nominal",
                    "Column {column!r} holds codes, not quantities, and is read as nominal.",
                    column=column.name,
                )
            )
            return as_nominal(column)
        look = looks[column.name]
        if look.low == -np.inf or look.high == np.inf:
            column = column.without_infinite()
            if column.name not in chosen and column.unread is not None and column.n_missing == len(column):
                # No finite number shows that it is a column of numbers.
                del looks[column.name]
                words = sorted(set(column.unread.values[~column.unread.missing]))
                return as_nominal(column.unread, words).replace(role=column.role, declared=False)
            remarks.unread(column, "finite number")
            del looks[column.name]
        return column
    keep = clues.keep_words.get(column.name)
    tidied, taken, spared = tidy(column, missing, None if keep is None else tuple(keep))
    remarks.taken(column.name, taken)
    for word in spared:
        remarks.add(
            Message(
                "missing-word-kept",
                "Column {column!r}: {word!r} is a value, because {reason}. To make it missing, set {missing}.",
                column=column.name,
                word=word,
                reason=_reason_to_keep(word),
                missing=as_missing(word),
            )
        )
    return tidied


def _reason_to_keep(word: str) -> Message:
    if word == "NA":
        return text("the others are codes of two letters")
    return text("the others are initials") if word[0].isalpha() else text("the others are signs")


def _numbers_in_words(
    columns: Sequence[Column], clues: Clues, remarks: Remarks, target: str | None, levels: Mapping[str, Any]
) -> dict[str, Column]:
    """Apply rules 4 and 5 to all columns of words, except those that are yes and no or stay words by request."""
    wanted = [name for name, level in levels.items() if level in ("numeric", "interval", "ratio", "date")]
    found: dict[str, Column] = {}
    open_ones = []
    point_shown = False
    for column in columns:
        if not _of_words(column) or _pair(column) or (column.name in levels and column.name not in wanted):
            continue
        words = Words(column.categories)
        if is_plain(words) and not (clues.decimal == "," and _is_rare(words.match(r"\."), word_counts(column))):
            point_shown |= bool(words.match(r"\.").any())
            numbers = np.append(words.arrow.cast(pa.float64()).to_numpy(), np.nan)[column.data]
            # A point is shown, whatever the other columns have.
            cell_format = CellFormat() if words.match(r"\.").any() else None
            found[column.name] = Column.numeric(column.name, numbers, role=column.role, cell_format=cell_format)
        else:
            open_ones.append(column)
    if point_shown and clues.decimal is None:
        clues = replace(clues, decimal=".")
    return {**found, **_read_words(open_ones, clues, remarks, target=target, wanted=wanted)} if open_ones else found


def _of_words(column: Column) -> bool:
    undeclared = column.kind == "nominal" and not column.declared and bool(column.categories)
    return undeclared and all(isinstance(value, str) for value in column.categories)


def _words(column: Column, remarks: Remarks, is_target: bool) -> Column:
    """Apply rules 2 and 6, for columns of words."""
    if not _of_words(column):
        return column
    if pair := _pair(column):
        if len({value.lower() for value in column.categories}) < len(column.categories):
            remarks.add(
                Message(
                    "several-spellings",
                    "Column {column!r} spells {pair} in several ways ({spellings}). Use one spelling.",
                    column=column.name,
                    pair=listed(pair),
                    spellings=listed(column.categories),
                )
            )
        ordered = sorted(column.categories, key=lambda value: (pair.index(value.lower()), value))
        if ordered == list(column.categories):
            return column
        code_of = {value: code for code, value in enumerate(ordered)}
        lookup = np.array([*(code_of[value] for value in column.categories), -1], dtype=np.int32)
        return column.replace(data=lookup[column.data], categories=tuple(ordered))
    if not is_target and _is_text(column):
        remarks.add(Message("free-text", "Column {column!r} is read as free text.", column=column.name))
        return as_text(column)
    return column


def _pair(column: Column) -> tuple[str, str] | None:
    folded = {value.lower() for value in column.categories}
    return next((pair for pair in WORD_PAIRS if folded <= set(pair)), None)


def _is_text(column: Column) -> bool:
    present = len(column) - column.n_missing
    if present < FEWEST_ROWS or len(column.categories) * 2 < present:
        return False
    return bool(Words(column.categories).count(r"\S+").mean() >= 4)


def _role(column: Column, look: _TextSummary | None, remarks: Remarks, is_target: bool) -> Column:
    """Apply rules 1 and 7: empty columns are ignored, identifiers are left out of training."""
    if is_target or column.role != "input" or not len(column):
        return column
    present = len(column) - (look.missing if look else column.n_missing)
    if present == 0:
        remarks.add(
            Message("empty-column-ignored", "Column {column!r} has no values and is ignored.", column=column.name)
        )
        return column.replace(role="ignored")
    if present < FEWEST_ROWS or column.kind == "text" or column.is_date:
        return column
    distinct = _distinct_if_identifier(column, look, present)
    if not distinct:
        return _without_persons(column, present, remarks)
    if column.declared:
        remarks.add(
            Message(
                "declared-identifier",
                "Column {column!r} looks like an identifier ({n:,} distinct values in {rows:,} rows), but is declared "
                "nominal and kept. To leave it out, set {identifier}.",
                column=column.name,
                n=distinct,
                rows=len(column),
                identifier=as_identifier(column.name),
            )
        )
        return column
    remarks.add(
        Message(
            "identifier-left-out",
            "Column {column!r} looks like an identifier ({n:,} distinct values in {rows:,} rows) and is left out of "
            "training. To keep it, set {keep}.",
            column=column.name,
            n=distinct,
            rows=len(column),
            keep=as_input(column.name),
        )
    )
    return column.replace(role="identifier")


def _without_persons(column: Column, present: int, remarks: Remarks) -> Column:
    """Apply rule 7 to columns that name persons, one of them perhaps in several rows."""
    if column.declared:
        return column
    if column.kind == "numeric":
        # Only the name tells: as many numbers as a column of words would have values.
        distinct = column.n_distinct
        what = names_persons(column.name, [""] * distinct)
    else:
        distinct = len(column.categories)
        what = names_persons(column.name, column.categories)
    if what is None:
        return column
    told = {"column": column.name, "what": what, "n": distinct, "rows": present, "keep": as_input(column.name)}
    remarks.add(
        Message(
            "persons-left-out",
            "Column {column!r} {what} ({n:,} distinct values in {rows:,} rows) and is left out of training. To keep "
            "it, set {keep}.",
            **told,
        )
        if 2 * distinct > 1.9 * present
        else Message(
            "persons-in-several-rows",
            "Column {column!r} {what} ({n:,} distinct values in {rows:,} rows) and is left out of training. To keep "
            "it, set {keep}. To evaluate on other persons than those of the training, set {group}.",
            **told,
            group=in_one_fold(column.name),
        )
    )
    return column.replace(role="identifier")


def names_a_row(name: str) -> bool:
    """Return whether a name says that whole numbers are identifiers or codes: id, key, zip …

    Parameters
    ----------
    name : str
        The name of a column.

    Examples
    --------
    >>> from vaglio.table import names_a_row
    >>> names_a_row("customer_id"), names_a_row("zip"), names_a_row("size")
    (True, True, False)
    """
    return bool(_ID_NAME.search(name) or _CODE_NAME.search(name))


def names_identifier(name: str) -> bool:
    """Return whether a name says that its values only tell rows apart: id, key, nr …

    Parameters
    ----------
    name : str
        The name of a column.

    Examples
    --------
    >>> from vaglio.table import names_identifier
    >>> names_identifier("customer_id"), names_identifier("zip")
    (True, False)
    """
    return _ID_NAME.search(name) is not None


def _distinct_if_identifier(column: Column, look: _TextSummary | None, present: int) -> int:
    if look is None:
        enough = 0.95 * present if present >= MANY_ROWS else present
        distinct = column.n_distinct if len(column.categories) >= enough else 0
        return distinct if distinct >= enough else 0
    if look.missing or not look.whole:
        return 0
    counting = look.low in (0, 1) and look.high == look.low + len(column) - 1
    if counting:
        counting = np.array_equal(column.data, look.low + np.arange(len(column)))
    if counting or (_ID_NAME.search(column.name) and column.n_distinct == present):
        return present
    return 0


def _numbers(column: Column, look: _TextSummary | None, remarks: Remarks) -> Column:
    """Apply rules 8 to 10, for columns of numbers."""
    if column.is_date or look is None:
        return column
    whole = look.whole and look.missing < len(column)
    if whole and _CODE_NAME.search(column.name):
        remarks.add(
            Message(
                "codes-read-as-nominal",
                "Column {column!r} holds codes, not quantities, and is read as nominal.",
                column=column.name,
            )
        )
        return as_nominal(column)
    if whole and look.low == 0 and look.high == 1:
        return as_nominal(column).replace(asymmetric=bool(np.nanmean(column.data) <= 0.1))
    interval = column.level == "interval" or look.low < 0 or _INTERVAL_NAME.search(column.name)
    return column.replace(level="interval" if interval else "ratio")
