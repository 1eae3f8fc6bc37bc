"""Numbers and names as text: only as many digits as the number of rows supports, and no text that is too long."""

from __future__ import annotations

import math
from typing import Any

from vaglio.messages.sentences import clip

__all__ = ["count", "figure", "interval", "percent", "quantity", "rate"]


def percent(value: float | None, rows: float = 1000) -> str:
    """A share with as many digits as the rows support; 0% and 100% only when they are exact.

    >>> percent(0.94186, 344), percent(0.94186, 40), percent(0.99996, 5000), percent(1.0, 5000)
    ('94.2%', '94%', '>99.9%', '100%')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    digits = 0 if rows < 100 else 1 if rows < 100_000 else 2
    least = 10.0**-digits / 100
    if 0 < value < least / 2:
        return f"<{least:.{digits}%}"
    if 1 - least / 2 < value < 1:
        return f">{1 - least:.{digits}%}"
    return f"{value:.{digits}%}".replace("-", "−")


def interval(low: float | None, high: float | None, rows: float = 1000) -> str:
    """The ends of an interval of shares.

    >>> interval(0.912, 0.962), interval(None, None)
    ('91.2% to 96.2%', 'not known')
    """
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return "not known"
    return f"{percent(low, rows)} to {percent(high, rows)}"


def figure(value: float | None, digits: int = 4) -> str:
    """A number with few significant digits.

    >>> figure(3.14159), figure(32561.0), figure(0.000123456), figure(1234.567), figure(1e12)
    ('3.142', '32,561', '0.0001235', '1235', '1e+12')
    """
    if value is None or not math.isfinite(value):
        return "–"
    # Four digits stand together, as in a year.
    if abs(value) >= 1e9:
        text = f"{value:.{digits}g}"
    elif float(value).is_integer() or abs(value) >= 10 ** (digits - 1):
        text = f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.0f}"
    else:
        text = f"{value:.{digits}g}"
    return "−" + text[1:] if text.startswith("-") else text


def rate(value: float | None) -> str:
    """A measure between −1 and 1 to three decimals; 0 and 1 only when they are exact.

    >>> rate(0.98765), rate(0.99999), rate(1.0), rate(-0.02)
    ('0.988', '>0.999', '1', '−0.020')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value in (0.0, 1.0):
        return f"{value:g}"
    if 0.9995 <= value < 1:
        return ">0.999"
    if 0 < value < 0.0005:
        return "<0.001"
    return f"{value:.3f}".replace("-", "−")


def count(n: float) -> str:
    """A number of rows: whole, or with weights to one decimal.

    >>> count(1234.0), count(12.25)
    ('1,234', '12.2')
    """
    return f"{int(n):,}" if float(n).is_integer() else f"{n:,.1f}"


def quantity(value: Any) -> str:
    """A cell of the user's table.

    >>> quantity(39.1), quantity("male"), quantity(None)
    ('39.1', 'male', 'missing')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if isinstance(value, float):
        return figure(value, 6)
    return clip(value, 80)
