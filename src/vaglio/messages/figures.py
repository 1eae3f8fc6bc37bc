"""Numbers as text, with only as many digits as are needed or as the rows support.

Each function returns a :class:`~vaglio.messages.message.Number` or a message, which reads as English where it is
printed and which a :class:`~vaglio.messages.locale.Locale` writes with the marks of its language.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from vaglio.messages.message import Message, Number, text
from vaglio.messages.sentences import clip

__all__ = ["count", "days_of", "figure", "interval", "moment", "percent", "quantity", "rate", "short_number"]

# What stands for a number that is not known.
_UNKNOWN = Number("–")

# Whole numbers below this are written out; larger ones have an exponent.
_WRITTEN_OUT = 1e15
_EPOCH = datetime(1970, 1, 1)
_MICROSECONDS = 86_400_000_000


def short_number(value: float) -> Number:
    """Return the shortest decimal that is the same number to nine digits.

    A midpoint such as 4.950000000000001 reads 4.95; exports that must be exact use ``repr`` instead.

    Examples
    --------
    >>> short_number(4.950000000000001), short_number(20.000000000000004), short_number(-0.25)
    ('4.95', '20', '-0.25')
    """
    if not math.isfinite(value):
        return Number(value)
    if value == int(value) and abs(value) < _WRITTEN_OUT:
        return Number(int(value))
    # At most 17 digits are needed to tell any two float64 numbers apart.
    for digits in range(1, 17):
        written = f"{value:.{digits}g}"
        if abs(float(written) - value) <= 1e-9 * abs(value):
            near = float(written)
            # With fewer digits than stand before the point, "g" writes an exponent: 2e+01.
            return Number(int(near) if near == int(near) and abs(near) < _WRITTEN_OUT else written)
    return Number(repr(value))


def percent(value: float | None, rows: float = 1000) -> Number:
    """Return a share with as many digits as the rows support; 0% and 100% only when they are exact.

    >>> percent(0.94186, 344), percent(0.94186, 40), percent(0.99996, 5000), percent(1.0, 5000)
    ('94.2%', '94%', '>99.9%', '100%')
    """
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if value in (0.0, 1.0):
        return Number(f"{value:.0%}")
    digits = 0 if rows < 100 else 1 if rows < 100_000 else 2
    least = 10.0**-digits / 100
    if 0 < value < least / 2:
        return Number(f"<{least:.{digits}%}")
    if 1 - least / 2 < value < 1:
        return Number(f">{1 - least:.{digits}%}")
    return Number(f"{value:.{digits}%}".replace("-", "−"))


def interval(low: float | None, high: float | None, rows: float = 1000) -> Message:
    """Return the ends of an interval of shares.

    >>> interval(0.912, 0.962), interval(None, None)
    ('91.2% to 96.2%', 'not known')
    """
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return text("not known")
    return text("{low} to {high}", low=percent(low, rows), high=percent(high, rows))


def figure(value: float | None, digits: int = 4) -> Number:
    """Return a number with few significant digits.

    >>> figure(3.14159), figure(32561.0), figure(0.000123456), figure(1234.567), figure(37997.89, 6), figure(1e12)
    ('3.142', '32,561', '0.0001235', '1235', '37,997.9', '1e+12')
    """
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    # Four digits stand together, as in a year.
    if abs(value) >= 1e9:
        written = f"{value:.{digits}g}"
    elif float(value).is_integer() or abs(value) >= 10 ** (digits - 1):
        written = f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.0f}"
    else:
        written = f"{value:,.{digits}g}" if abs(value) >= 1e4 else f"{value:.{digits}g}"
    return Number("−" + written[1:] if written.startswith("-") else written)


def rate(value: float | None) -> Number:
    """Return a measure between −1 and 1 to three decimals; 0 and 1 only when they are exact.

    >>> rate(0.98765), rate(0.99999), rate(1.0), rate(-0.02)
    ('0.988', '>0.999', '1', '−0.020')
    """
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if value in (0.0, 1.0):
        return Number(f"{value:g}")
    if 0.9995 <= value < 1:
        return Number(">0.999")
    if 0 < value < 0.0005:
        return Number("<0.001")
    return Number(f"{value:.3f}".replace("-", "−"))


def count(n: float) -> Number:
    """Return a number of rows: an integer, or with weights to one decimal.

    >>> count(1234.0), count(12.25)
    ('1,234', '12.2')
    """
    return Number(f"{int(n):,}" if float(n).is_integer() else f"{n:,.1f}")


def quantity(value: object) -> str:
    """Return a cell of the user's table: a number, a word, or the message "missing".

    >>> quantity(39.1), quantity("male"), quantity(None)
    ('39.1', 'male', 'missing')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return text("missing")
    if isinstance(value, float):
        return figure(value, 6)
    return clip(value, 80)


def moment(days: float) -> str:
    """Return days since 1970 as a date, with its time of day if it has one: text that SQL compares with dates.

    >>> moment(19723.0), moment(19723.5)
    ('2024-01-01', '2024-01-01 12:00:00')
    """
    try:
        found = _EPOCH + timedelta(microseconds=round(days * _MICROSECONDS))
    except OverflowError:
        return "9999-12-31" if days > 0 else "0001-01-01"
    if days == int(days):
        return found.date().isoformat()
    return found.isoformat(" ")


def days_of(said: str) -> float:
    """Return the days since 1970 that :func:`moment` wrote as a date.

    >>> days_of("2024-01-01 12:00:00")
    19723.5
    """
    return (datetime.fromisoformat(said) - _EPOCH) / timedelta(days=1)
