"""Probabilities as often right as they say: a temperature and a floor, fitted to rows that were not learned from.

A model that is too sure gives probabilities too near to 0 and 1, often 0 and 1 themselves. The floor mixes them with
equal ones, ``(1 - floor)·p + floor/K``, and the temperature is the root that is then taken before they are made to sum
to 1. Both keep the order of the classes, so that no prediction changes but one by costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from vaglio.model.checks import need

__all__ = ["Calibration", "best_factor", "calibrated"]

# The temperature, and the factor of scores, are at most so many times larger or smaller than 1: the shares of votes of
# an ensemble, say, are all near each other.
_WIDEST, _WIDEST_FACTOR = 20.0, 5.0
# What is thought before any row is seen: the logarithm of the factor is 0, give or take 1, and the log-odds of the
# floor are -3, give or take 2. It keeps a dozen rows, all predicted rightly, from making a model certain.
_SPREAD = 1.0
_FLOOR, _FLOOR_SPREAD = -3.0, 2.0
# Log-odds of the floor at which the search starts, so that it ends in the lowest of several valleys.
_FLOORS = np.linspace(-9.0, 3.0, 9)
# Where probabilities of 0 stand for scores: the loss stays a number.
_LEAST = 1e-300


@dataclass(frozen=True)
class Calibration:
    """How the probabilities of a model are corrected.

    Attributes
    ----------
    temperature : float
        Above 1, probabilities move towards each other.
    floor : float
        From 0 to 1: the share of equal probabilities that is mixed in.

    Examples
    --------
    >>> from vaglio.model.calibration import Calibration
    >>> Calibration(temperature=2.0, floor=0.1)(np.array([[1.0, 0.0]])).round(3)
    array([[0.813, 0.187]])
    """

    temperature: float
    floor: float

    def __call__(self, probability: np.ndarray) -> np.ndarray:
        """Return corrected probabilities.

        Parameters
        ----------
        probability : ndarray of shape (n_rows, n_classes)
        """
        # In one layout: the sum of a row must not depend on how many rows come together.
        mixed = np.ascontiguousarray((1 - self.floor) * probability + self.floor / probability.shape[1])
        raised = mixed ** (1 / self.temperature)
        found: np.ndarray = raised / raised.sum(axis=1, keepdims=True)
        return found

    def of_one(self, probability: Sequence[float]) -> list[float]:
        """Return corrected probabilities of one row."""
        corrected: list[float] = self(np.asarray(probability, dtype=np.float64)[None, :])[0].tolist()
        return corrected

    @classmethod
    def fit(cls, probability: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Self:
        """Return the calibration of least log loss; the fewer rows, the nearer to a slight one.

        Parameters
        ----------
        probability : ndarray of shape (n_rows, n_classes)
            Of rows that the model was not trained on.
        y : ndarray of int
            Class codes.
        weight : ndarray or None
            Only their proportions count.
        """
        from scipy.optimize import minimize_scalar  # predictions do without it

        weight = np.ones(len(y)) if weight is None else weight * (len(y) / weight.sum())

        def at(position: float) -> tuple[float, float]:
            mixed = (1 - _share(position)) * probability + _share(position) / probability.shape[1]
            factor, loss = _least_loss(np.log(np.maximum(mixed, _LEAST)), y, weight, _SPREAD, _WIDEST)
            return factor, loss + ((position - _FLOOR) / _FLOOR_SPREAD) ** 2 / 2

        start = int(np.argmin([at(position)[1] for position in _FLOORS]))
        step = float(_FLOORS[1] - _FLOORS[0])
        around = (float(_FLOORS[start]) - step, float(_FLOORS[start]) + step)
        found = minimize_scalar(lambda t: at(t)[1], bounds=around, method="bounded", options={"xatol": 0.01})
        return cls(1 / at(found.x)[0], _share(found.x))

    def state(self) -> dict[str, Any]:
        """Return plain data for a file."""
        return {"temperature": self.temperature, "floor": self.floor}

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Read what a file says, and check it."""
        need(isinstance(state, dict), "its calibration is not readable")
        numbers = [state.get(name) for name in ("temperature", "floor")]
        known = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in numbers)
        need(known, "its calibration is not readable")
        temperature, floor = (float(value) for value in numbers)
        need(1e-3 <= temperature <= 1e3 and 0 <= floor <= 1, "its calibration is not possible")
        return cls(temperature, floor)


def calibrated(probability: np.ndarray, calibration: Calibration | None) -> np.ndarray:
    """Return probabilities as they are, or corrected."""
    return probability if calibration is None else calibration(probability)


def best_factor(raw: np.ndarray, y: np.ndarray, weight: np.ndarray | None, spread: float) -> float:
    """Return the factor of least log loss; the fewer rows, the nearer to 1.

    Parameters
    ----------
    raw : float64 (n, K)
        Scores of rows that were not learned from; of two classes the log-odds of the second.
    y : ndarray of int64
        Class codes.
    weight : float64 (n,) or None
    spread : float
        What is thought of the logarithm of the factor before any row is seen: 0, give or take this.
    """
    scores = np.column_stack([np.zeros(len(raw)), raw[:, 0]]) if raw.shape[1] == 1 else raw
    return _least_loss(scores, y, np.ones(len(y)) if weight is None else weight, spread, _WIDEST_FACTOR)[0]


def _least_loss(
    scores: np.ndarray, y: np.ndarray, weight: np.ndarray, spread: float, widest: float
) -> tuple[float, float]:
    """Return the factor of least log loss, and this loss."""
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp

    own = scores[np.arange(len(y)), y]

    def loss(logarithm: float) -> float:
        factor = np.exp(logarithm)
        # Not a product of BLAS: the order of its sum depends on the number of threads.
        total = np.sum(weight * (logsumexp(factor * scores, axis=1) - factor * own))
        return float(total) + (logarithm / spread) ** 2 / 2

    bounds = (-np.log(widest), np.log(widest))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x)), float(found.fun)


def _share(position: float) -> float:
    """Return the probability of log-odds."""
    return 1 / (1 + math.exp(-position))
