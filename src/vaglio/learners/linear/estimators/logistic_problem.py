"""The loss of logistic regression, its gradient and its curvature, over dense or sparse rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.special import expit, logsumexp, softmax

from vaglio import _core


@dataclass(frozen=True)
class LogisticProblem:
    """Mean loss plus penalty, as a function of coefficients of shape (outputs, width + 1), the intercepts last.

    Parameters
    ----------
    rows : ndarray (C order) or csr_array, shape (n, width)
    labels : ndarray of int32
    weight : ndarray or None
    outputs : int
        1 for two classes (log-odds of the second), else the number of classes.
    l1, l2 : float
        Factors of the absolute and (halved) squared coefficients beside the mean loss.
    fit_intercept : bool
    intercept_penalty : float
        The factor with which an intercept is penalised like a coefficient; 0 leaves it free.
    threads : int
    """

    rows: Any
    labels: np.ndarray
    weight: np.ndarray | None
    outputs: int
    l1: float
    l2: float
    fit_intercept: bool = True
    threads: int = 1
    intercept_penalty: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        return self.outputs, int(self.rows.shape[1]) + 1

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[0])

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @cached_property
    def penalised(self) -> np.ndarray:
        """What the penalties multiply each number by: 1 for coefficients, as given for intercepts."""
        mask = np.ones(self.shape)
        mask[:, -1] = self.intercept_penalty
        return mask

    def subset(self, rows: np.ndarray) -> LogisticProblem:
        """Return the same problem on some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, rows=self.rows[rows], labels=self.labels[rows], weight=weight)

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean loss with the squared penalty, and its gradient."""
        if sp.issparse(self.rows):
            loss, gradient = self._sparse_pass(theta)
        else:
            loss, gradient, _ = _core.logistic_pass(self.rows, self.labels, self.weight, theta, False, self.threads)
        return self._penalised(theta, loss, gradient)

    def curved(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return what :meth:`smooth` does and its second derivative, in one pass."""
        rows = self.rows.toarray() if sp.issparse(self.rows) else self.rows
        loss, slopes, hessian = _core.logistic_pass(rows, self.labels, self.weight, theta, True, self.threads)
        hessian /= self.total
        hessian[np.diag_indices_from(hessian)] += self.l2 * self.penalised.ravel() ** 2
        if not self.fit_intercept:
            fixed = np.arange(theta.shape[1] - 1, theta.size, theta.shape[1])
            hessian[fixed, :] = hessian[:, fixed] = 0.0
            hessian[fixed, fixed] = 1.0
        return *self._penalised(theta, loss, slopes), hessian

    def hessian(self, theta: np.ndarray, sample: np.ndarray) -> np.ndarray:
        """Return the second derivative of :meth:`smooth`, estimated from some of the rows."""
        return self.subset(sample).curved(theta)[2]

    def _penalised(self, theta: np.ndarray, loss: float, slopes: np.ndarray) -> tuple[float, np.ndarray]:
        """Return mean loss and gradient with the squared penalty, from the sums over the rows."""
        penalised = theta * self.penalised
        gradient = slopes / self.total + self.l2 * self.penalised * penalised
        if not self.fit_intercept:
            gradient[:, -1] = 0.0
        return loss / self.total + 0.5 * self.l2 * float(np.vdot(penalised, penalised)), gradient

    def absolute(self, theta: np.ndarray) -> float:
        """Return the absolute penalty."""
        return self.l1 * float(np.abs(theta * self.penalised).sum())

    def all_right(self, theta: np.ndarray) -> bool:
        """Return whether every row is on the right side."""
        values = np.asarray(self.rows @ theta[:, :-1].T) + theta[:, -1]
        if values.shape[1] == 1:
            return bool((np.where(self.labels == 1, 1.0, -1.0) * values[:, 0] > 0).all())
        every = np.arange(len(values))
        own = values[every, self.labels].copy()
        values[every, self.labels] = -np.inf
        return bool((own > values.max(axis=1)).all())

    def _sparse_pass(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        values = np.asarray(self.rows @ theta[:, :-1].T) + theta[:, -1]
        weight = np.ones(len(values)) if self.weight is None else self.weight
        every = np.arange(len(values))
        if self.outputs == 1:
            z = values[:, 0]
            loss = float(weight @ (np.logaddexp(0.0, z) - self.labels * z))
            residual = expit(values) - self.labels[:, None]
        else:
            loss = float(weight @ (logsumexp(values, axis=1) - values[every, self.labels]))
            residual = softmax(values, axis=1)
            residual[every, self.labels] -= 1.0
        residual *= weight[:, None]
        slopes = np.asarray(self.rows.T @ residual).T
        return loss, np.column_stack([slopes, residual.sum(axis=0)])
