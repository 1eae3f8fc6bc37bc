"""How far a predicted number is to move before a counterfactual tells what would move it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.figures import figure
from vaglio.messages.message import Message, Number

__all__ = ["Goal", "Move"]

_WRITTEN = re.compile(r"\s*(?P<sign>[+\-−±]?)\s*(?P<size>\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+)\s*(?P<percent>%?)\s*")


@dataclass(frozen=True)
class Move:
    """By how much a number is to change: an amount, or a share of what is predicted; up, down or either way.

    Attributes
    ----------
    size : float
        At least so much; above 0.
    relative : bool
        Whether it is a share of the prediction.
    way : {-1, 0, 1}
        Down, either way, up.

    Examples
    --------
    >>> Move.read("-10%"), Move.read("+5000")
    (Move(size=0.1, relative=True, way=-1), Move(size=5000.0, relative=False, way=1))
    """

    size: float = 0.1
    relative: bool = True
    way: int = 0

    @classmethod
    def read(cls, written: str | float) -> Move:
        """Read "-10%", "+5000" or "10%"; a number is an amount with its sign.

        Parameters
        ----------
        written : str or float
        """
        found = _WRITTEN.fullmatch(str(written))
        size = float(found["size"]) / (100 if found["percent"] else 1) if found else 0.0
        if found is None or not size > 0 or not math.isfinite(size):
            raise InputError(
                "invalid-move",
                "{written!r} is not a change of a predicted number. Write an amount such as +5000, or a share of the "
                "prediction such as -10%; without a sign either direction counts.",
                written=str(written),
            )
        way = {"+": 1, "-": -1, "−": -1}.get(found["sign"], 0)
        return cls(size, bool(found["percent"]), way)

    def goal(self, predicted: np.ndarray) -> Goal:
        """Return what the rows with these predictions are to reach.

        Parameters
        ----------
        predicted : float64 (n,)
        """
        step = self.size * np.abs(predicted) if self.relative else np.full(len(predicted), self.size)
        # A share of nothing is nothing: no change would be large enough to be told.
        step = np.where(step > 0, step, np.inf)
        low = predicted - step if self.way <= 0 else np.full(len(predicted), -np.inf)
        high = predicted + step if self.way >= 0 else np.full(len(predicted), np.inf)
        return Goal(self, predicted, low, high)


@dataclass(frozen=True, eq=False)
class Goal:
    """What the numbers of rows are to reach.

    Attributes
    ----------
    move : Move
    predicted, low, high : float64 (n,)
        The numbers as they are; a row reaches its goal at ``low`` or below, or at ``high`` or above.
    """

    move: Move
    predicted: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def reached(self, rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return whether numbers of these rows reach the goal.

        Parameters
        ----------
        rows : int64 (m,)
        numbers : float64 (m,)
        """
        lower = (numbers <= self.low[rows]) & np.isfinite(self.low[rows])
        found: np.ndarray = lower | ((numbers >= self.high[rows]) & np.isfinite(self.high[rows]))
        return found

    def missed_by(self, rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return how far numbers of these rows are from the nearer end.

        Parameters
        ----------
        rows : int64 (m,)
        numbers : float64 (m,)
        """
        return np.asarray(np.minimum(numbers - self.low[rows], self.high[rows] - numbers))

    def in_words(self, row: int, number: float) -> Message:
        """Return how far a row would move, as "at least 10% lower".

        Parameters
        ----------
        row : int
        number : float
            What the row would get.
        """
        lower = number < self.predicted[row]
        size = Number(f"{100 * self.move.size:.6g}%") if self.move.relative else figure(self.move.size, 6)
        if lower:
            return Message("at-least-lower", "at least {size} lower", size=size)
        return Message("at-least-higher", "at least {size} higher", size=size)
