"""Dates written as words, read as days since 1970: ISO 8601, and the formats of several countries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio.table._column import MICROSECONDS_PER_DAY
from vaglio.table._words import Words

_ISO = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$"
_ZONED = r"[T ].*(Z|[+-]\d{2}(:?\d{2})?)$"
_TIMES = {"": "", r" \d{1,2}:\d{2}": " %H:%M", r" \d{1,2}:\d{2}:\d{2}": " %H:%M:%S"}
_TIMES |= {r" \d{1,2}:\d{2} [AaPp][Mm]": " %I:%M %p", r" \d{1,2}:\d{2}:\d{2} [AaPp][Mm]": " %I:%M:%S %p"}
# A time of day alone.
_CLOCK = r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$"
# The form of a column of dates: ISO 8601 without or with a time zone, a time of day, or the strptime format of the day,
# with the day before the month.
ISO, ZONED, CLOCK = "iso", "zoned", "clock"
# Pattern of a date -> its form and its possible formats, the day before the month in the first. With points nobody
# writes the month first.
_SHAPES: dict[str, tuple[str, tuple[str, ...]]] = {_ISO: (ISO, ("",))}
_SHAPES |= {
    rf"^\d{{4}}/\d{{1,2}}/\d{{1,2}}{time}$": ("%Y/%m/%d", (f"%Y/%m/%d{form}",)) for time, form in _TIMES.items()
}
_SHAPES |= {
    rf"^\d{{1,2}}[{mark}]\d{{1,2}}[{mark}]{digits}{time}$": (
        f"%d{mark}%m{mark}{year}",
        tuple(f"{first}{mark}{second}{mark}{year}{form}" for first, second in orders),
    )
    for mark, orders in {
        "/": (("%d", "%m"), ("%m", "%d")),
        "-": (("%d", "%m"), ("%m", "%d")),
        ".": (("%d", "%m"),),
    }.items()
    for digits, year in {r"\d{4}": "%Y", r"\d{2}": "%y"}.items()
    for time, form in _TIMES.items()
}
FORMS = frozenset({ZONED, CLOCK, *(form for form, _ in _SHAPES.values())})
# The first three letters of the months in English, Italian, German, French and Spanish; those of June and July alone
# need four, as in French.
_MONTHS = {
    name: at
    for at, names in enumerate(
        ("jan gen ene jän", "feb fév fev feb", "mar mär mrz", "apr avr abr", "may mag mai", "jun giu juin",
         "jul lug juil", "aug ago aoû aou", "sep set", "oct ott okt", "nov", "dec dic dez déc"), start=1)
    for name in names.split()
}  # fmt: skip
_DAY_MONTH = re.compile(r"(\d{1,2})\.?[ -](?:de )?([^\W\d_]{3,10})\.?[ -](?:de )?(\d{4})")
_MONTH_DAY = re.compile(r"([^\W\d_]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
# So many words are looked at to see whether a column may hold dates at all.
_LOOKED_AT = 50


class Days(NamedTuple):
    """Words as dates.

    Attributes
    ----------
    days : ndarray
        Days since 1970; NaN where a word is no date.
    good : ndarray of bool
        Which words are dates.
    doubtful : bool
        Day and month could be exchanged, and nobody has said which comes first.
    dayfirst : bool or None
        Which of them comes first, if the words themselves show it.
    form : str
        One of `FORMS`.
    """

    days: np.ndarray
    good: np.ndarray
    doubtful: bool = False
    dayfirst: bool | None = None
    form: str = ISO


def read_dates(words: Sequence[str], counts: np.ndarray, dayfirst: bool | None = None) -> Days | None:
    """Read the different words of a column in the one format that most cells have; None if there is none.

    Parameters
    ----------
    words : sequence of str
    counts : ndarray
        How many cells hold each word.
    dayfirst : bool or None
        Whether the day stands before the month, where both orders are possible.
    """
    head = [word for word in words[:_LOOKED_AT] if any(letter.isdigit() for letter in word)]
    if 2 * len(head) < min(len(words), _LOOKED_AT):
        return None
    plain = [_with_numbers(word) for word in words]
    every = Words(plain)
    seen = plain[:_LOOKED_AT]
    shapes = {shape: every.match(shape) for shape in _SHAPES if any(re.match(shape, word) for word in seen)}
    if not shapes:
        return None
    weights: dict[str, float] = {}
    for shape, fits in shapes.items():
        weights[_SHAPES[shape][0]] = weights.get(_SHAPES[shape][0], 0) + counts[fits].sum()
    form = max(weights, key=weights.__getitem__)
    if form == ISO and (zoned := every.match(_ZONED) & shapes[_ISO]).any():
        # Either all words have a time zone or none has: times with and without one cannot be compared.
        if not zoned[shapes[_ISO]].all():
            return None
        form = ZONED
    day, month = (days_like(words, form, first) for first in (True, False))
    if np.isnan(day).all() and np.isnan(month).all():
        return None
    by_day, by_month = (counts[~np.isnan(days)].sum() for days in (day, month))
    # Equal dates, as 05/05/2024, do not show the order, and do not need it.
    shown = None if by_day == by_month else bool(by_day > by_month)
    both = shown is None and not np.array_equal(day, month, equal_nan=True)
    first = shown if shown is not None else dayfirst
    chosen = month if first is False else day
    return Days(chosen, ~np.isnan(chosen), both and dayfirst is None, first if both else shown, form)


def days_like(words: Sequence[str], form: str = "", dayfirst: bool | None = None) -> np.ndarray:
    """Return days since 1970 of words, each read by itself; NaN where a word is none.

    Parameters
    ----------
    words : sequence of str
    form : str
        One of `FORMS`: words are of this form or of ISO 8601, with or without a time of day. Of any form if "".
    dayfirst : bool or None
        Whether the day stands before the month. If it is not known, a word must have one meaning.

    Examples
    --------
    >>> from vaglio.table._dates import days_like
    >>> days_like(["02/01/1970", "13/01/1970", "1970-01-02", "1.2.1970"], "%d/%m/%Y", dayfirst=True).tolist()
    [1.0, 12.0, 1.0, nan]
    >>> days_like(["02/01/1970", "13/01/1970", "01/13/1970"]).tolist()
    [nan, 12.0, 12.0]
    """
    every = Words([_with_numbers(word) for word in words])
    days = np.full(len(every), np.nan)
    for shape, (of_shape, formats) in _SHAPES.items():
        if of_shape != ISO and (form not in ("", of_shape) or form == ZONED):
            continue
        fits = every.match(shape)
        if of_shape == ISO:
            fits &= every.match(_ZONED) == (form == ZONED)
        if not fits.any():
            continue
        read = [_by_format(every.arrow, fits, each) for each in formats]
        found = read[-1] if dayfirst is False else read[0]
        if len(read) == 2 and dayfirst is None:
            one = np.where(np.isnan(read[0]), read[1], read[0])
            found = np.where(np.isnan(read[0]) | np.isnan(read[1]) | (read[0] == read[1]), one, np.nan)
        days[fits] = found[fits]
    return days


def seconds_of_day(words: Sequence[str]) -> np.ndarray:
    """Return times of day as seconds since midnight; NaN where a word is none.

    >>> seconds_of_day(["13:08", "0:00:09", "24:00"]).tolist()
    [47280.0, 9.0, nan]
    """
    clock = Words(words).match(_CLOCK).tolist()
    return np.array([_seconds(word) if fit else np.nan for word, fit in zip(words, clock)], dtype=np.float64)


def _seconds(word: str) -> float:
    hours, minutes, *seconds = map(int, word.split(":"))
    return float(3600 * hours + 60 * minutes + sum(seconds))


def days_by_format(words: Any, form: str) -> np.ndarray:
    """Return days since 1970 by one strptime format; NaN where a word does not fit."""
    times = pc.strptime(pa.array(words, pa.string()), format=form, unit="us", error_is_null=True)
    return _days(times)


def _with_numbers(word: str) -> str:
    """Return a date that names its month as YYYY-MM-DD; any other word as it is.

    >>> _with_numbers("3 marzo 2024"), _with_numbers("1. Jänner 2024"), _with_numbers("Dec 24, 2023")
    ('2024-03-03', '2024-01-01', '2023-12-24')
    """
    if found := _DAY_MONTH.fullmatch(word):
        day, name, year = found.groups()
    elif found := _MONTH_DAY.fullmatch(word):
        name, day, year = found.groups()
    else:
        return word
    month = _MONTHS.get(name[:4].casefold(), _MONTHS.get(name[:3].casefold()))
    return word if month is None else f"{year}-{month:02}-{int(day):02}"


def _by_format(array: Any, fits: np.ndarray, form: str) -> np.ndarray:
    days = np.full(len(array), np.nan)
    chosen = array.filter(pa.array(fits))
    if not form:
        days[fits] = _iso(chosen)
        return days
    times = pc.strptime(chosen, format=form, unit="us", error_is_null=True)
    # The 30th of February is read as the 1st of March: the day must be the one that was written.
    written = pc.extract_regex(chosen, r"^(?P<first>\d+)\D(?P<second>\d+)\D(?P<third>\d+)")
    day = written.field(min(form.index("%d") // 3, 2)).cast(pa.int64())
    days[fits] = np.where(pc.fill_null(pc.equal(pc.day(times), day), False), _days(times), np.nan)
    return days


def _iso(array: pa.Array) -> np.ndarray:
    """Return the days of words of which all have a time zone, or none has."""
    # What is smaller than a microsecond is left out.
    array = pc.replace_substring_regex(array, r"(\.\d{6})\d+", r"\1")
    zoned = pc.all(pc.match_substring_regex(array, _ZONED)).as_py()
    kind = pa.timestamp("us", tz="UTC" if zoned else None)
    try:
        return _days(array.cast(kind))
    except pa.ArrowInvalid:
        pass
    # One impossible date, such as the 30th of February, is not the fault of the others.
    return np.array([_one_iso(array[at : at + 1], kind) for at in range(len(array))])


def _one_iso(word: pa.Array, kind: pa.DataType) -> float:
    try:
        return float(_days(word.cast(kind))[0])
    except pa.ArrowInvalid:
        return float("nan")


def _days(times: pa.Array) -> np.ndarray:
    microseconds: np.ndarray = times.cast(pa.int64()).to_numpy(zero_copy_only=False).astype(np.float64)
    return microseconds / MICROSECONDS_PER_DAY
