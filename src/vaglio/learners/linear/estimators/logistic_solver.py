"""Minimising the logistic loss: Newton's method on a part of the rows, then passes over all of them.

A pass (loss and gradient) reads every row once and is cheap; a Hessian is not. Where rows abound, the curvature at the
optimum is known well from some tens of thousands of them: that estimate preconditions a quasi-Newton method, which then
needs only a handful of passes over the whole table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from vaglio import _core
from vaglio.learners.linear.estimators.logistic_problem import LogisticProblem

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

# A value, and what else is known where it was taken.
Looked = TypeVar("Looked", bound=tuple[Any, ...])


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


# The least share of the loss by which two numbers can be told apart.
_FINEST = 1e-15


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
    look = _with_absolute(problem, fixed)
    now, gradient, hessian = look(theta)
    # Where the loss can no longer tell what is nearer, the slopes still can: the last step is solved finely, and taken.
    finest = accuracy <= _FINEST
    for iteration in range(max_iter):
        hessian[np.diag_indices_from(hessian)] += 1e-10 * hessian.diagonal().max()
        within = (1e-9 if finest else 1e-3) * accuracy * (now - problem.absolute(theta))
        target = _core.quadratic_lasso(hessian, gradient.ravel(), theta.ravel(), amount, within, 10_000)
        step = target.reshape(theta.shape) - theta
        promised = -float(np.vdot(gradient, step)) - problem.absolute(theta + step) + problem.absolute(theta)
        if promised <= 2 * accuracy * max(now, 1e-300):
            return Minimum(theta + step if finest else theta, iteration, True)
        moved = _backtrack(look, theta, now, step, promised)
        if moved is None:
            return Minimum(theta, iteration, promised <= 1e-9 * max(now, 1e-300))
        theta, (now, gradient, hessian) = moved
    return Minimum(theta, max_iter, False)


def _with_absolute(
    problem: LogisticProblem, fixed: np.ndarray | None
) -> Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]]:
    """Return what gives loss and penalty, the slopes of the loss, and its curvature unless that is fixed."""

    def look(theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        loss, gradient, hessian = problem.curved(theta) if fixed is None else (*problem.smooth(theta), fixed.copy())
        return loss + problem.absolute(theta), gradient, hessian

    return look


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
