"""The result of a check: one fact about a table, its severity and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["MAX_LISTED", "SEVERITIES", "Finding", "listed_rows"]

# High: a model would be wrong or useless. Medium: it may be misled. Low: good to know.
SEVERITIES = ("high", "medium", "low")
# A finding lists this many of its rows and counts the rest, so that an audit of a large table stays small.
MAX_LISTED = 1000


def listed_rows(mask_or_rows: np.ndarray) -> np.ndarray:
    """Return the first row numbers of a mask or of an array of row numbers."""
    if mask_or_rows.dtype == bool:
        mask_or_rows = np.flatnonzero(mask_or_rows)
    return mask_or_rows[:MAX_LISTED].astype(np.int64)


@dataclass(frozen=True)
class Finding:
    """What was found, where, its severity, and what to do.

    Attributes
    ----------
    kind : str
        A short name, the same for every finding of a check.
    severity : {"high", "medium", "low"}
    message : str
        What was found.
    advice : str
        What to do.
    columns : tuple of str
        The columns concerned.
    rows : ndarray
        The first rows concerned (at most 1000), counted from 0.
    n_rows : int
        The number of rows concerned.
    details : mapping
        Further facts, as plain data.
    """

    kind: str
    severity: str
    message: str
    advice: str
    columns: tuple[str, ...] = ()
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    n_rows: int = 0
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "rows": self.rows[:20].tolist(),
            "message": self.message,
            "advice": self.advice,
            "details": dict(self.details),
        }
