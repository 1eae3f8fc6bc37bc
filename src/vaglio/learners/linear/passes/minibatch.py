"""Stochastic gradient descent on batches of rows, for logistic regression on data that comes in chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vaglio.learners.linear.estimators.logistic_problem import LogisticProblem


@dataclass(frozen=True)
class Schedule:
    """How long a step is.

    Parameters
    ----------
    kind : {"constant", "invscaling"}
        ``eta0`` always, or ``eta0 / t ** power_t`` in step t.
    eta0, power_t : float
    """

    kind: str
    eta0: float
    power_t: float

    def rate(self, t: int) -> float:
        """Return the learning rate of step t = 1, 2, …"""
        return self.eta0 if self.kind == "constant" else self.eta0 / t**self.power_t


@dataclass
class MiniBatchDescent:
    """The weights and how many steps were taken; survives from chunk to chunk."""

    theta: np.ndarray
    schedule: Schedule
    batch_size: int
    steps: int = 0

    def epoch(self, problem: LogisticProblem, order: np.ndarray) -> float:
        """Visit the rows once in this order; return the mean loss met on the way, before each step."""
        loss = weight = 0.0
        for first in range(0, len(order), self.batch_size):
            batch = problem.subset(order[first : first + self.batch_size])
            if batch.total == 0:
                continue
            value, gradient = batch.smooth(self.theta)
            loss, weight = loss + value * batch.total, weight + batch.total
            self.steps += 1
            rate = self.schedule.rate(self.steps)
            moved = self.theta - rate * gradient
            # The absolute penalty as a proximal step: a coefficient stops at zero instead of jumping over it.
            shrunk = rate * problem.l1 * problem.penalised
            self.theta = np.sign(moved) * np.maximum(np.abs(moved) - shrunk, 0.0)
        return loss / max(weight, 1e-300)
