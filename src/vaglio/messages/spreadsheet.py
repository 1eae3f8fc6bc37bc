"""Cells that a spreadsheet would calculate instead of showing."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["FORMULA", "shown_cell"]

# A spreadsheet reads a cell that begins with one of these as a formula; it drops a tab or a line break before it.
FORMULA = r"^[\t\r\n]*[=+@\-]|^[\t\r]"
_FORMULA = re.compile(FORMULA)


def shown_cell(value: Any) -> Any:
    """Return the value, with an apostrophe before a text that a spreadsheet would take for a formula.

    Parameters
    ----------
    value : object
        Numbers are left as they are.

    Examples
    --------
    >>> from vaglio.messages.spreadsheet import shown_cell
    >>> [shown_cell(value) for value in ("=1+1", "-2", "plain", -2.5)]
    ["'=1+1", "'-2", 'plain', -2.5]
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
