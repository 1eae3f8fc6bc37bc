r"""Text for people: names from a table or a model file cannot steer the terminal.

Examples
--------
>>> from vaglio.messages.printable import ESCAPES
>>> print("a column named \x1b[31mred".translate(ESCAPES))
a column named \x1b[31mred
"""

from __future__ import annotations

__all__ = ["ESCAPES", "is_whole_text"]

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
