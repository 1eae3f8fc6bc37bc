"""Numbers with as few digits as they need."""

from __future__ import annotations

import math

# Whole numbers below this are written out; larger ones have an exponent.
_WRITTEN_OUT = 1e15


def short_number(value: float) -> str:
    """Return the shortest decimal that is the same number to nine digits.

    A midpoint such as 4.950000000000001 reads 4.95; exports that must be exact use ``repr`` instead.

    Examples
    --------
    >>> short_number(4.950000000000001), short_number(20.000000000000004), short_number(-0.25)
    ('4.95', '20', '-0.25')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < _WRITTEN_OUT:
        return str(int(value))
    # At most 17 digits are needed to tell any two float64 numbers apart.
    for digits in range(1, 17):
        text = f"{value:.{digits}g}"
        if abs(float(text) - value) <= 1e-9 * abs(value):
            near = float(text)
            # With fewer digits than stand before the point, "g" writes an exponent: 2e+01.
            return str(int(near)) if near == int(near) and abs(near) < _WRITTEN_OUT else text
    return repr(value)
