"""Numbers as a lecture writes them: measures with four decimals, counts as whole numbers, shares as fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from vaglio.errors import InputError


def fixed(value: float | None, digits: int = 4) -> str:
    """Return a measure with four decimals; whole numbers without any.

    >>> fixed(0.94028), fixed(1.0), fixed(-0.5), fixed(None), fixed(2.5e-7)
    ('0.9403', '1', '−0.5000', '–', '2.5e−07')
    """
    if value is None or value != value:
        return "–"
    value = float(value)
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    if abs(value - round(value)) < 1e-9 and abs(value) < 1e12:
        text = str(round(value))
    elif abs(value) < 0.5 * 10**-digits:
        text = f"{value:.1e}"
    else:
        text = f"{value:.{digits}f}"
    return minus(text)


def minus(text: str) -> str:
    """Return a number's text with a proper minus sign."""
    return text.replace("-", "−")


def figures(value: float) -> str:
    """Return a number of any size: four decimals, or three digits where those would leave too few.

    >>> figures(0.14661), figures(0.00154), figures(6.03e-105), figures(0.0)
    ('0.1466', '0.00154', '6.03e−105', '0')
    """
    return fixed(value) if value == 0 or abs(value) >= 0.01 else minus(f"{value:.3g}")


def count(value: float) -> str:
    """Return a number of rows: whole, or with the decimals that shares of rows have.

    >>> count(9.0), count(2.5)
    ('9', '2.5')
    """
    value = float(value)
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.3f}".rstrip("0")


def fraction(part: float, whole: float) -> str:
    """Return a share as a fraction.

    >>> fraction(9, 14)
    '9/14'
    """
    return f"{count(part)}/{count(whole)}"


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.2046)
    '20.5%'
    """
    return f"{100 * share:.1f}%"


def comma_list(values: Iterable[Any], most: int = 12) -> str:
    """Return values separated by commas; values beyond ``most`` become dots."""
    words = [str(value) for value in values]
    return ", ".join(words[:most]) + (", …" if len(words) > most else "")


def as_fraction(value: object) -> Fraction:
    """Read 1/3, 0.25 or a number as an exact fraction.

    >>> as_fraction("1/3"), as_fraction(0.25)
    (Fraction(1, 3), Fraction(1, 4))
    """
    try:
        return value if isinstance(value, Fraction) else Fraction(str(value).replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        raise InputError("number-write", "{value!r} is not a number: write 1/3 or 0.25.", value=value) from None
