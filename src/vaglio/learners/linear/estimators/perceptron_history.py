"""The passes of a perceptron over the rows: errors and weights of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np


@dataclass(frozen=True)
class Epoch:
    """One pass over the rows.

    Attributes
    ----------
    errors : ndarray of int
        Wrong predictions of each output, counted before the weights moved.
    mean_error : float
        Largest share of wrong predictions of any output.
    coef, intercept : ndarray
        The weights after the pass, in the encoded space.
    """

    errors: np.ndarray
    mean_error: float
    coef: np.ndarray
    intercept: np.ndarray


class History(Sequence[Epoch]):
    """The passes in their order; an :class:`Epoch` is made when it is asked for, since there may be thousands."""

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, int]] = []
        self._ends: list[int] = []

    def add(self, weights: np.ndarray, errors: np.ndarray, rows: int) -> None:
        """Append passes over so many rows: the weights after each, (passes, K, width + 1), and the errors."""
        self._parts.append((weights, errors, rows))
        self._ends.append(len(self) + len(errors))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> Epoch: ...
    @overload
    def __getitem__(self, at: slice) -> list[Epoch]: ...
    def __getitem__(self, at: int | slice) -> Epoch | list[Epoch]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        place = range(len(self))[at]
        part = bisect_right(self._ends, place)
        weights, errors, rows = self._parts[part]
        t = place - self._ends[part]  # counted from the end of the part
        return Epoch(errors[t], float(errors[t].max() / rows), weights[t, :, :-1], weights[t, :, -1])
