"""Dates written as words, read as days since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vaglio.table._column import MICROSECONDS_PER_DAY

# Shape -> the formats it may have. ISO 8601 is tried before these. If a shape has two formats and both fit all words
# (no day is above 12), nobody knows which was meant, and the words are not read as dates.
_FORMATS = (
    (r"^\d{1,2}/\d{1,2}/\d{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^\d{1,2}-\d{1,2}-\d{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", ("%d.%m.%Y",)),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", ("%Y/%m/%d",)),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}$", ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")),
    (r"^\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}$", ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S")),
    (r"^\d{1,2} [A-Za-z]{3} \d{4}$", ("%d %b %Y",)),
    (r"^[A-Za-z]{3} \d{1,2}, \d{4}$", ("%b %d, %Y",)),
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?")


def days_of_words(words: Sequence[str]) -> np.ndarray | None:
    """Return days since 1970 if all words are dates of one format and only one format fits; else None."""
    if not words or not any(character.isdigit() for character in words[0]):
        return None
    array = pa.array(words, pa.string())
    if _ISO.fullmatch(words[0]):
        return _iso(array)
    for shape, formats in _FORMATS:
        if not re.match(shape, words[0]) or not pc.all(pc.match_substring_regex(array, shape)).as_py():
            continue
        read = [pc.strptime(array, format=form, unit="us", error_is_null=True) for form in formats]
        fitting = [times for times in read if times.null_count == 0]
        return _days(fitting[0]) if len(fitting) == 1 else None
    return None


def days_by_format(words: Sequence[str], form: str) -> np.ndarray:
    """Return days since 1970 by one strptime format; NaN where a word does not fit."""
    times = pc.strptime(pa.array(words, pa.string()), format=form, unit="us", error_is_null=True)
    return _days(times)


def _iso(array: pa.Array) -> np.ndarray | None:
    # Either all words have a time zone or none has: times with and without one cannot be compared.
    zoned = pc.match_substring_regex(array, r"(Z|[+-]\d{2}:?\d{2})$")
    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        if (kind.tz is not None) != bool(pc.all(zoned).as_py()):
            continue
        try:
            return _days(array.cast(kind))
        except pa.ArrowInvalid:
            return None
    return None


def _days(times: pa.Array) -> np.ndarray:
    microseconds: np.ndarray = times.cast(pa.int64()).to_numpy(zero_copy_only=False).astype(np.float64)
    return microseconds / MICROSECONDS_PER_DAY
