"""The loss of logistic regression and how it is minimised: Newton's method on a part of the rows, then passes over all.

A pass (loss and gradient) reads every row once and is cheap; a Hessian is not. Where rows abound, the curvature at the
optimum is known well from some tens of thousands of them: that estimate preconditions a quasi-Newton method, which then
needs only a handful of passes over the whole table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy import sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

from vaglio import _core

# Beyond this many coefficients a Hessian is too expensive, and limited-memory BFGS is used.
LARGEST_HESSIAN = 1500
# Rows that estimate the Hessian well enough to precondition with.
_SAMPLE_ROWS = 40_000
# And at least so many for every coefficient.
_ROWS_PER_COEFFICIENT = 30
# Steps that the quasi-Newton method remembers, within the usual 3 to 20.
_MEMORY = 12
# Relative decrease of the loss below which limited-memory BFGS ends.
_ENOUGH = 64 * float(np.finfo(float).eps)
# Multiplications that take some hundredths of a second: not worth avoiding.
_CHEAP = 1e9
# The least share of the loss by which two numbers can be told apart.
_FINEST = 1e-15
# A value, and what else is known where it was taken.
Looked = TypeVar("Looked", bound=tuple[Any, ...])


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


@dataclass(frozen=True)
class Minimum:
    """Where the solver ended."""

    theta: np.ndarray
    n_iter: int
    converged: bool


def minimise(problem: LogisticProblem, start: np.ndarray, solver: str, tol: float, max_iter: int) -> Minimum:
    """Minimise loss and penalty.

    Parameters
    ----------
    problem : LogisticProblem
    start : ndarray, shape (outputs, width + 1)
    solver : {"auto", "newton-cholesky", "lbfgs"}
    tol : float
        The estimated distance from the minimum is below ``tol ** 2 / 100`` of the loss at the end (Newton), or the
        largest slope of the mean loss below ``tol / 100`` (limited memory).
    max_iter : int
    """
    small = start.size <= LARGEST_HESSIAN
    second_order = solver == "newton-cholesky" or (solver == "auto" and small and _hessian_pays(problem))
    if problem.l1 > 0:
        method = _proximal_newton if small and solver != "lbfgs" else _accelerated_gradient
        return method(problem, start, _accuracy(tol), max_iter)
    if not second_order:
        return _limited_memory(problem, start, tol, max_iter)
    sample = _sample(problem)
    if sample is None:
        return _newton(problem, start, _accuracy(tol), max_iter)
    first = _newton(problem.subset(sample), start, 1e-6, max_iter)
    solve = _solver_of(problem.hessian(first.theta, sample))
    return _preconditioned(problem, first.theta, solve, _accuracy(tol), max_iter)


def hessian_cost(problem: LogisticProblem) -> float:
    """Return the multiplications of one Hessian."""
    outputs, width = problem.shape
    rows = min(problem.n_rows, _SAMPLE_ROWS)
    return float(rows * outputs * outputs * width * width)


def _hessian_pays(problem: LogisticProblem) -> bool:
    """Compare some Newton steps with some hundred passes.

    Newton ends nearer the minimum: it may cost four times as much, or anything below :data:`_CHEAP`.
    """
    size = problem.shape[0] * problem.shape[1]
    newton = 8 * (hessian_cost(problem) + size**3 / 3)
    passes = 200 * 4 * problem.n_rows * size
    return newton <= max(4 * passes, _CHEAP)


def _accuracy(tol: float) -> float:
    return max(1e-2 * tol * tol, _FINEST)


def _sample(problem: LogisticProblem) -> np.ndarray | None:
    """Return evenly spaced rows that stand for all, or None when there are too few to leave any out."""
    return sample_places(problem.n_rows, problem.shape[0] * problem.shape[1])


def sample_places(n: int, coefficients: int) -> np.ndarray | None:
    """Return which of n rows stand for all in a problem of so many coefficients; None where all are needed."""
    size = max(_SAMPLE_ROWS, _ROWS_PER_COEFFICIENT * coefficients)
    return None if n <= 2 * size else np.linspace(0, n - 1, size).astype(np.int64)


def _solver_of(hessian: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the product with the inverse; a small ridge makes directions regular that the loss does not depend on."""
    ridge = 1e-12 * max(float(np.diag(hessian).max()), 1e-30)
    while True:
        try:
            factor = cho_factor(hessian + ridge * np.eye(len(hessian)))
            break
        except np.linalg.LinAlgError:
            ridge *= 100
    return lambda vector: cho_solve(factor, vector.ravel()).reshape(vector.shape)


def _backtrack(
    look: Callable[[np.ndarray], Looked], theta: np.ndarray, now: float, step: np.ndarray, promised: float
) -> tuple[np.ndarray, Looked] | None:
    """Halve the step until the value falls by a share of what the slope promised; return where, and what is there."""
    factor = 1.0
    for _ in range(40):
        candidate = theta + factor * step
        found = look(candidate)
        if found[0] <= now - 1e-4 * factor * promised:
            return candidate, found
        factor *= 0.5
    return None


def _newton(problem: LogisticProblem, theta: np.ndarray, accuracy: float, max_iter: int) -> Minimum:
    value, gradient, hessian = problem.curved(theta)
    for iteration in range(max_iter):
        step = -_solver_of(hessian)(gradient)
        promised = -float(np.vdot(gradient, step))
        if promised <= 2 * accuracy * max(value, 1e-300):
            # This near the minimum the full step always leads nearer: it is taken without evaluating the loss again.
            return Minimum(theta + step, iteration + 1, True)
        moved = _backtrack(problem.curved, theta, value, step, promised)
        if moved is None:  # no descent left in double precision
            return Minimum(theta, iteration, promised <= 1e-9 * max(value, 1e-300))
        theta, (value, gradient, hessian) = moved
    return Minimum(theta, max_iter, False)


def _preconditioned(
    problem: LogisticProblem,
    theta: np.ndarray,
    solve: Callable[[np.ndarray], np.ndarray],
    accuracy: float,
    max_iter: int,
) -> Minimum:
    """Limited-memory quasi-Newton that starts from a Hessian instead of a multiple of one."""
    value, gradient = problem.smooth(theta)
    memory: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=_MEMORY)
    for iteration in range(max_iter):
        step = -_two_loop(memory, solve, gradient)
        promised = -float(np.vdot(gradient, step))
        if promised <= 2 * accuracy * max(value, 1e-300):
            # This near the minimum the full step always leads nearer: it is taken without evaluating the loss again.
            return Minimum(theta + step, iteration + 1, True)
        moved = _backtrack(problem.smooth, theta, value, step, promised)
        if moved is None:
            return Minimum(theta, iteration, promised <= 1e-9 * max(value, 1e-300))
        change, bend = moved[0] - theta, moved[1][1] - gradient
        curvature = float(np.vdot(change, bend))
        if curvature > 1e-14 * float(np.vdot(bend, bend)):
            memory.append((change, bend, curvature))
        theta, (value, gradient) = moved
    return Minimum(theta, max_iter, False)


def _two_loop(
    memory: deque[tuple[np.ndarray, np.ndarray, float]],
    solve: Callable[[np.ndarray], np.ndarray],
    gradient: np.ndarray,
) -> np.ndarray:
    direction, factors = gradient.copy(), []
    for change, bend, curvature in reversed(memory):
        factor = float(np.vdot(change, direction)) / curvature
        factors.append(factor)
        direction -= factor * bend
    direction = solve(direction)
    for (change, bend, curvature), factor in zip(memory, reversed(factors)):
        direction += (factor - float(np.vdot(bend, direction)) / curvature) * change
    return direction


def _limited_memory(problem: LogisticProblem, theta: np.ndarray, tol: float, max_iter: int) -> Minimum:
    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = problem.smooth(flat.reshape(problem.shape))
        return loss, gradient.ravel()

    options = {"maxiter": max_iter, "maxfun": 10 * max_iter, "gtol": 1e-2 * tol, "ftol": _ENOUGH, "maxls": 50}
    found = minimize(value, theta.ravel(), method="L-BFGS-B", jac=True, options=options)
    return Minimum(found.x.reshape(problem.shape), int(found.nit), bool(found.success))


def _proximal_newton(problem: LogisticProblem, theta: np.ndarray, accuracy: float, max_iter: int) -> Minimum:
    """Newton's method whose quadratic model keeps the absolute penalty as it is."""
    sample = _sample(problem)
    if sample is not None:
        theta = _proximal_newton(problem.subset(sample), theta, 1e-6, max_iter).theta
    amount = (problem.l1 * problem.penalised).ravel()
    fixed = None if sample is None else problem.hessian(theta, sample)

    def look(at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return loss and penalty, the slopes of the loss, and its curvature unless that is fixed."""
        loss, gradient, hessian = problem.curved(at) if fixed is None else (*problem.smooth(at), fixed.copy())
        return loss + problem.absolute(at), gradient, hessian

    now, gradient, hessian = look(theta)
    # Where the loss can no longer tell what is nearer, the slopes still can: the last step is solved finely, and taken.
    finest = accuracy <= _FINEST
    for iteration in range(max_iter):
        hessian[np.diag_indices_from(hessian)] += 1e-10 * hessian.diagonal().max()
        within = (1e-9 if finest else 1e-3) * accuracy * (now - problem.absolute(theta))
        target, _ = _core.quadratic_lasso(hessian, gradient.ravel(), theta.ravel(), amount, within, 10_000)
        step = target.reshape(theta.shape) - theta
        promised = -float(np.vdot(gradient, step)) - problem.absolute(theta + step) + problem.absolute(theta)
        if promised <= 2 * accuracy * max(now, 1e-300):
            return Minimum(theta + step if finest else theta, iteration, True)
        moved = _backtrack(look, theta, now, step, promised)
        if moved is None:
            return Minimum(theta, iteration, promised <= 1e-9 * max(now, 1e-300))
        theta, (now, gradient, hessian) = moved
    return Minimum(theta, max_iter, False)


def _accelerated_gradient(problem: LogisticProblem, theta: np.ndarray, accuracy: float, max_iter: int) -> Minimum:
    """Proximal gradient with momentum that restarts when it overshoots; for more coefficients than a Hessian bears."""
    shrink = problem.l1 * problem.penalised
    rate, momentum, ahead = 1.0, 1.0, theta
    before = np.inf
    for iteration in range(50 * max_iter):
        value, gradient = problem.smooth(ahead)
        while True:
            moved = ahead - rate * gradient
            moved = np.sign(moved) * np.maximum(np.abs(moved) - rate * shrink, 0.0)
            change = moved - ahead
            then = problem.smooth(moved)[0]
            bound = value + float(np.vdot(gradient, change)) + float(np.vdot(change, change)) / (2 * rate)
            if then <= bound + 1e-14 * abs(value):
                break
            rate *= 0.5
        now = then + problem.absolute(moved)
        if float(np.vdot(change, change)) / rate <= accuracy * max(now, 1e-300):
            return Minimum(moved, iteration + 1, True)
        if now > before:
            momentum = 1.0
        following = 0.5 * (1 + np.sqrt(1 + 4 * momentum * momentum))
        ahead = moved + (momentum - 1) / following * (moved - theta)
        theta, momentum, before = moved, following, now
        rate *= 1.1
    return Minimum(theta, 50 * max_iter, False)


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
