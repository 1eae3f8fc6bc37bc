r"""Text that no program obeys: a name from a table cannot steer a terminal, nor a cell be a formula of a spreadsheet.

Examples
--------
>>> from vaglio.messages.printable import ESCAPES
>>> print("a column named \x1b[31mred".translate(ESCAPES))
a column named \x1b[31mred
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["ESCAPES", "FORMULA", "is_whole_text", "shown_cell"]

# Control characters but tab and line break, marks that turn the direction of writing, and halves of surrogate pairs: a
# terminal obeys the first, the second make a text look like another one, and the third cannot be written at all.
_STEERING = (
    *(code for code in range(0x20) if chr(code) not in "\t\n"),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
# For str.translate: each of them as an escape.
ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _STEERING}
# A spreadsheet reads a cell that begins with one of these as a formula; it drops a tab or a line break before it.
FORMULA = r"^[\t\r\n]*[=+@\-]|^[\t\r]"
_FORMULA = re.compile(FORMULA)


def is_whole_text(word: str) -> bool:
    """Return whether a word has bytes in UTF-8: half of a surrogate pair has none.

    Parameters
    ----------
    word : str
    """
    if word.isascii():
        return True
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown_cell(value: object) -> Any:
    """Return the value, with an apostrophe before a text that a spreadsheet would take for a formula.

    Parameters
    ----------
    value : object
        Numbers are left as they are.

    Examples
    --------
    >>> from vaglio.messages.printable import shown_cell
    >>> [shown_cell(value) for value in ("=1+1", "-2", "plain", -2.5)]
    ["'=1+1", "'-2", 'plain', -2.5]
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
