"""Errors of a model of numbers on rows that it was not trained on: the model file keeps them, for intervals.

The interval of a new row is its predicted number with the quantiles of these errors around it. It is as wide for every
row. Where the errors are those of rows like the new ones, it contains the true number as often as is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError, as_own_errors
from vaglio.messages.message import Message, text

__all__ = ["Residuals"]

# Of more rows, so many quantiles are kept: the coverage of an interval is then that asked for to 0.1 %.
_MOST = 1999
_SOURCES = ("folds", "rows", "out-of-bag")


@dataclass(frozen=True)
class Residuals:
    """True minus predicted numbers of rows that a model was not trained on.

    Attributes
    ----------
    rows : int
        How many rows they are of.
    source : {"folds", "rows", "out-of-bag"}
        Out-of-fold errors of cross-validation, errors of rows held out or of a test table, or out-of-bag errors.
    values : ndarray
        Sorted; of many rows their quantiles.
    """

    rows: int
    source: str
    values: np.ndarray

    @classmethod
    def of(cls, residuals: Any, source: str = "rows") -> Residuals:
        """Keep some residuals; those that are not known (NaN) are left out.

        Parameters
        ----------
        residuals : array-like of shape (n_rows,)
        source : {"folds", "rows", "out-of-bag"}
        """
        with as_own_errors():  # text among numbers
            found = np.asarray(residuals, dtype=np.float64).ravel()
        ordered = np.sort(found[np.isfinite(found)])
        if source not in _SOURCES or not len(ordered):
            raise InputError("no-residuals", "There are no residuals to keep.")
        rows = len(ordered)
        if rows > _MOST:
            ordered = np.quantile(ordered, np.linspace(0, 1, _MOST), method="nearest")
        return cls(rows, source, ordered)

    def to_state(self) -> dict[str, Any]:
        """Return plain data for the model file."""
        return {"rows": self.rows, "source": self.source, "values": self.values.tolist()}

    @classmethod
    def from_state(cls, state: object) -> Residuals | None:
        """Rebuild from what a model file says, trusting nothing in it; None if it keeps no residuals.

        Parameters
        ----------
        state : object
        """
        if not isinstance(state, dict):
            return None
        rows, source, values = (state.get(name) for name in ("rows", "source", "values"))
        if type(rows) is not int or source not in _SOURCES or not isinstance(values, list):
            return None
        if not 0 < len(values) <= min(rows, _MOST) or not all(type(value) in (int, float) for value in values):
            return None
        try:
            known = np.sort(np.array(values, dtype=np.float64))
        except OverflowError:
            return None
        return cls(rows, source, known) if np.isfinite(known).all() else None

    @property
    def most(self) -> float:
        """The largest coverage that these residuals support."""
        return (len(self.values) - 1) / (len(self.values) + 1)

    def ends(self, coverage: float) -> tuple[float, float]:
        """Return what is added to a prediction for the ends of its interval.

        Of n residuals and a further one that is drawn alike, the k-th smallest is above the further one with the
        probability k / (n + 1): the ends are those of the smallest interval by ranks that has the coverage.

        Parameters
        ----------
        coverage : float
            The share of rows whose number is to lie in their interval, between 0 and 1.

        Examples
        --------
        >>> Residuals.of(range(-9, 10)).ends(0.8)
        (-8.0, 8.0)
        """
        n, outside = len(self.values), (1 - coverage) / 2
        if not 0 < coverage < 1:
            raise InputError(
                "coverage-out-of-range",
                "The coverage of an interval must be between 0 and 1, not {coverage:g}.",
                coverage=coverage,
            )
        # A rank that is whole but for rounding is whole.
        low = math.floor(outside * (n + 1) + 1e-9)
        if low < 1:
            raise InputError(
                "too-few-residuals",
                "{n:,} {n:residual gives|residuals give} intervals of {most:.2%} at most, not of {coverage:.2%}. Ask "
                "for less, or evaluate the learner on more rows.",
                n=n,
                # Not more than there is, also where the last digit would be rounded up.
                most=math.floor(1e4 * self.most + 1e-9) / 1e4,
                coverage=coverage,
            )
        return float(self.values[low - 1]), float(self.values[n - low])

    def in_words(self) -> Message:
        """Return whose errors they are."""
        if self.source == "folds":
            return text("out-of-fold errors of {n:,} {n:row|rows}", n=self.rows)
        if self.source == "out-of-bag":
            return text("out-of-bag errors of {n:,} {n:row|rows}", n=self.rows)
        return text("errors of {n:,} {n:row|rows} that the model was not trained on", n=self.rows)
