"""Values of a table as a page writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.messages.numbers import short_number
from vaglio.messages.sentences import clip
from vaglio.table import Column

__all__ = ["cell_text"]

_LONGEST = 40


def cell_text(column: Column, value: Any) -> str | None:
    """Return a value as text; None if it is missing.

    Parameters
    ----------
    column : Column
        Where it comes from.
    value : object
    """
    if value is None or value != value:
        return None
    if column.is_date:
        return str(np.datetime64(int(np.floor(value)), "D"))
    return short_number(float(f"{value:.6g}")) if isinstance(value, float) else clip(value, _LONGEST)
