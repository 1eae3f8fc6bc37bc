"""Frames given back: what a method answers when the answer is itself a small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def as_frame(data: Any, columns: Sequence[Any] | None = None, index: Sequence[Any] | None = None) -> Any:
    """Return a pandas frame of the given columns or lines.

    Parameters
    ----------
    data : dict of columns, list of dicts, list of lines, or 2-d array
    columns, index : sequence, optional
        Names of the columns and of the lines.
    """
    import pandas as pd

    given = dict(data) if isinstance(data, Mapping) else data
    return pd.DataFrame(
        given,
        columns=None if columns is None else pd.Index(list(columns)),
        index=None if index is None else pd.Index(list(index)),
    )
