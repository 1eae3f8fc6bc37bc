"""Text for people: names from a table or a model file cannot steer the terminal."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters but line break and tab, marks that turn the direction of writing, and halves of surrogate pairs: a
# terminal obeys the first, the second make a text look like another one, and the third cannot be written at all.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return a text in which nothing but letters, line breaks and tabs is left; the rest is written as an escape.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> from vaglio.text.printable import printable
    >>> print(printable("a column named \x1b[31mred"))
    a column named \x1b[31mred
    """
    return _STEERING.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
