"""Least squares with a squared and an absolute penalty, for one strength of the penalty or a whole path of them.

Sums of squares and products are all that least squares need of the rows. Those of parts of the rows add up to those of
the whole, so that cross-validation reads every row once: a fold is left out of a sum, and not learned without. Where
columns are so many that their products take longer than passes over the rows, the loss is minimised by passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.linalg import lstsq
from scipy.linalg.lapack import dpotrf, dpotrs

from vaglio import _core
from vaglio.encode import NumberRows
from vaglio.learners.linear.estimators.logistic_solver import LARGEST_HESSIAN, LogisticProblem, minimise

# Rows to learn from and rows held out.
Splits = list[tuple[np.ndarray, np.ndarray]]
# What the squares of a constant column can be after its mean is subtracted: beside those before, and beside those of
# numbers of which the same mean was subtracted from each.
_ROUNDING = 4 * float(np.finfo(float).eps)
_CONSTANT = 1e-26
# Smaller pivots of a matrix with a diagonal of ones mean columns that are nearly sums of others.
_LEAST_PIVOT = 1e-9
# Strengths of a path: for a squared penalty beside the mean square of a column, else beside the least one under which
# no coefficient is left.
_SQUARED_GRID = np.geomspace(1e3, 1e-6, 46)
_ABSOLUTE_GRID = np.geomspace(1.0, 1e-3, 100)
# Where the way from the strongest penalty to the given one stops, as shares of the way.
_ON_THE_WAY = np.linspace(0.0, 1.0, 5)
# Of the path for very many columns, which takes passes over the rows.
_EVERY = 9


@dataclass(frozen=True)
class Sums:
    """Weight, means, and products of deviations from the means; the target is the last column.

    Without an intercept the means are 0.
    """

    total: float
    mean: np.ndarray
    products: np.ndarray

    @classmethod
    def of(cls, rows: Any, y: np.ndarray, weight: np.ndarray | None, centred: bool) -> Sums:
        """Add up the rows: an array, a sparse matrix, or :class:`NumberRows`."""
        middle = _mean_of(y, weight) if centred else 0.0
        if sp.issparse(rows):
            return cls._of_sparse(rows, y, weight, centred, middle)
        if isinstance(rows, NumberRows):
            return cls._of_numbers(rows, np.zeros(rows.shape[1]), y, weight, centred, middle)
        width = rows.shape[1]
        # Deviations from the mean lose no digits where a column is far from 0.
        mean = _core.column_moments(rows, weight)[0] if centred else np.zeros(width)
        plain = NumberRows(rows, mean, np.ones(width), mean)
        return cls._of_numbers(plain, mean, y, weight, centred, middle)

    @classmethod
    def _of_numbers(
        cls, rows: NumberRows, start: np.ndarray, y: np.ndarray, weight: np.ndarray | None, centred: bool, middle: float
    ) -> Sums:
        """Add up numbers whose centre is to be encoded as ``start``."""
        # Within these limits a power of two is a number, and the smallest scales times it have squares.
        power = np.minimum(np.maximum(np.frexp(rows.scale)[1], -1000), 1000)
        width = len(power)
        # Of the columns and, behind them, of y.
        unit, length, centre, moved = np.ones(width + 1), np.ones(width + 1), np.empty(width + 1), np.empty(width + 1)
        unit[:-1] = np.ldexp(1.0, -power)
        length[:-1] = 1 / (rows.scale * unit[:-1])
        centre[:-1], centre[-1] = rows.centre, middle
        moved[:-1], moved[-1] = start, middle
        fill = (rows.fill - rows.centre) * unit[:-1]
        sums = _core.product_sums(rows.numeric, y, weight, centre, unit, fill)
        total, linear, products = float(sums[-1, -1]), sums[-1, :-1], sums[:-1, :-1]
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that are used as they are may have no squares
            if centred:
                mean = linear / total
                moved += mean * length
                raw = products.diagonal()
                products = products - linear[:, None] * mean
                # What is left of a constant column is rounding.
                flat = products.diagonal() <= _ROUNDING * raw + (_CONSTANT * total) * (centre * unit) ** 2
                products[flat] = products[:, flat] = 0.0
            return cls(total, moved, products * (length * length[:, None]))

    @classmethod
    def _of_sparse(cls, rows: Any, y: np.ndarray, weight: np.ndarray | None, centred: bool, middle: float) -> Sums:
        total, width = float(len(y) if weight is None else weight.sum()), rows.shape[1]
        mean = np.zeros(width + 1)
        if centred:
            share = np.full(len(y), 1 / total) if weight is None else weight / total
            mean[:-1], mean[-1] = share @ rows, middle
        root = None if weight is None else np.sqrt(weight)
        residual = y - middle if root is None else root * (y - middle)
        scaled = rows if root is None else sp.diags_array(root) @ rows
        products = np.empty((width + 1, width + 1))
        products[:-1, :-1] = (scaled.T @ scaled).toarray() - total * np.outer(mean[:-1], mean[:-1])
        products[-1, :-1] = products[:-1, -1] = scaled.T @ residual
        products[-1, -1] = residual @ residual
        return cls(total, mean, products)

    def __add__(self, other: Sums) -> Sums:
        total, apart = self.total + other.total, other.mean - self.mean
        between = np.outer(apart, apart * (self.total * other.total / total))
        mean = self.mean + apart * (other.total / total)
        return Sums(total, mean, self.products + other.products + between)

    @property
    def gram(self) -> np.ndarray:
        """Mean products of the columns."""
        found: np.ndarray = self.products[:-1, :-1] / self.total
        return found

    @property
    def slopes(self) -> np.ndarray:
        """Mean products of the columns with the target."""
        found: np.ndarray = self.products[:-1, -1] / self.total
        return found

    def intercepts(self, coef: np.ndarray) -> np.ndarray:
        """Return what is added to the products with coefficients of shape (…, width)."""
        found: np.ndarray = self.mean[-1] - coef @ self.mean[:-1]
        return found

    def squares(self, coef: np.ndarray, learned: Sums) -> np.ndarray:
        """Return the sum of squared errors by each row of coefficients that were learned from other sums."""
        signed = np.column_stack([-coef, np.ones(len(coef))])
        within = np.einsum("ij,ij->i", signed @ self.products, signed)
        shift = signed @ (self.mean - learned.mean)
        found: np.ndarray = np.maximum(within, 0.0) + self.total * shift**2
        return found


@dataclass(frozen=True)
class Penalty:
    """``alpha`` · (l1_ratio·Σ|w| + (1 − l1_ratio)/2·Σw²), beside half the mean squared error."""

    l1_ratio: float
    tol: float
    max_iter: int


@dataclass(frozen=True)
class Line:
    """Coefficients and intercept of one strength of the penalty."""

    coef: np.ndarray
    intercept: float
    n_iter: int = 1
    converged: bool = True


def strengths(slopes: np.ndarray, mean_square: float, l1_ratio: float) -> np.ndarray:
    """Return the strengths of a path, strongest first.

    Parameters
    ----------
    slopes : ndarray
        Mean products of the columns with the target.
    mean_square : float
        Mean square of the columns, on average.
    l1_ratio : float
    """
    if l1_ratio == 0:
        return np.append(_SQUARED_GRID * (mean_square or 1.0), 0.0)
    return (np.abs(slopes).max(initial=0.0) or 1.0) / max(l1_ratio, 1e-3) * _ABSOLUTE_GRID


# -- few columns: by their products ----------------------------------------------------------------------------------
def path(sums: Sums, alphas: np.ndarray, penalty: Penalty) -> np.ndarray:
    """Return the coefficients for each strength, shape (len(alphas), width)."""
    if penalty.l1_ratio == 0:
        values, vectors = np.linalg.eigh(sums.gram)
        floor = len(values) * np.finfo(float).eps * values.max(initial=0.0)
        above = np.where(values > floor, values, np.inf) + alphas[:, None]
        found: np.ndarray = (sums.slopes @ vectors / above) @ vectors.T
        return found
    return _descent(sums, alphas, penalty)[0]


def _descent(sums: Sums, alphas: np.ndarray, penalty: Penalty) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients for each strength by coordinate descent from those before, and the sweeps of each."""
    return _core.lasso_path(sums.gram, sums.slopes, alphas, penalty.l1_ratio, penalty.tol**2, penalty.max_iter)


def minimum(sums: Sums, alpha: float, penalty: Penalty, rows: Any, y: np.ndarray, weight: np.ndarray | None) -> Line:
    """Return the minimum for one strength, as exactly as double precision allows.

    Parameters
    ----------
    sums : Sums
        Of the rows.
    alpha : float
    penalty : Penalty
    rows, y, weight : ndarray, csr_array or NumberRows, ndarray, ndarray or None
        The rows themselves: without a penalty, products cannot tell columns that are nearly sums of others.
    """
    if alpha * penalty.l1_ratio > 0:
        # From a strong penalty to the given one: fewer sweeps than from nothing.
        first = max(strengths(sums.slopes, 1.0, penalty.l1_ratio)[0], alpha)
        alphas = first * (alpha / first) ** _ON_THE_WAY
        alphas[-1] = alpha
        coef, sweeps = _descent(sums, alphas, penalty)
        n_iter = int(sweeps[-1])
        last = Line(coef[-1], float(sums.intercepts(coef[-1])), max(n_iter, 1), n_iter < penalty.max_iter)
        return _polished(sums, last, alpha, penalty)
    hessian = _with_squares(sums.gram, alpha)
    # Where a column has no slope, its coefficient is 0.
    used = np.flatnonzero(hessian.diagonal())
    coef = np.zeros(len(hessian))
    found = _solved(hessian[np.ix_(used, used)], sums.slopes[used])
    if found is not None:
        coef[used] = found
    else:
        coef = _least_norm(rows, y, weight, sums) if alpha == 0 else path(sums, np.array([alpha]), penalty)[0]
    return Line(coef, float(sums.intercepts(coef)))


def _polished(sums: Sums, line: Line, alpha: float, penalty: Penalty) -> Line:
    """Return the exact minimum, if coordinate descent came near enough to see which coefficients have which sign.

    There it is the solution of a system; whether it is the minimum of all is seen by the slopes.
    """
    signs, l1 = np.sign(line.coef), alpha * penalty.l1_ratio
    gram = _with_squares(sums.gram, alpha * (1 - penalty.l1_ratio))
    used = np.flatnonzero(signs)
    found = _solved(gram[np.ix_(used, used)], (sums.slopes - l1 * signs)[used])
    if found is None or (np.sign(found) != signs[used]).any():
        return line
    coef = np.zeros_like(line.coef)
    coef[used] = found
    slopes = np.abs(sums.slopes - gram @ coef)
    if (slopes[signs == 0] > l1 * (1 + 1e-9)).any():
        return line
    return replace(line, coef=coef, intercept=float(sums.intercepts(coef)))


def _with_squares(gram: np.ndarray, strength: float) -> np.ndarray:
    """Return the matrix with a squared penalty, in its place."""
    gram.ravel()[:: len(gram) + 1] += strength
    return gram


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """Solve a symmetric system; None where it is not regular."""
    if not len(matrix):
        return right
    size = np.sqrt(matrix.diagonal())
    # LAPACK itself: SciPy's functions check the matrix for longer than a small one is solved.
    factor, failed = dpotrf(matrix / size / size[:, None], lower=1)
    if failed or not factor.diagonal().min() ** 2 >= _LEAST_PIVOT:
        return None
    found: np.ndarray = dpotrs(factor, right / size, lower=1)[0] / size
    return found


def _least_norm(rows: Any, y: np.ndarray, weight: np.ndarray | None, sums: Sums) -> np.ndarray:
    """Return the coefficients of least norm among those of least squares, by singular values."""
    block = (rows.toarray() if sp.issparse(rows) else _written(rows)) - sums.mean[:-1]
    target = y - sums.mean[-1]
    if weight is not None:
        root = np.sqrt(weight)
        block, target = block * root[:, None], target * root
    found: np.ndarray = lstsq(block, target, cond=max(block.shape) * np.finfo(float).eps)[0]
    return found


def _written(rows: Any) -> Any:
    """Return rows that can be multiplied."""
    return rows.written if isinstance(rows, NumberRows) else rows


def _mean_of(y: np.ndarray, weight: np.ndarray | None) -> float:
    return float(_core.column_moments(y[:, None], weight)[0][0])


# -- many columns: by passes over the rows ---------------------------------------------------------------------------
@dataclass(frozen=True)
class SquaredProblem(LogisticProblem):
    """Half the mean squared error plus penalty; the labels are the numbers to predict."""

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        residual = self.errors(theta)
        weighed = residual if self.weight is None else self.weight * residual
        slopes = np.append(np.asarray(self.rows.T @ weighed), weighed.sum())
        return self._penalised(theta, 0.5 * float(residual @ weighed), slopes[None])

    def errors(self, theta: np.ndarray) -> np.ndarray:
        """Return the errors of the predictions."""
        found: np.ndarray = np.asarray(self.rows @ theta[0, :-1]) + theta[0, -1] - self.labels
        return found

    def lines(self, alphas: np.ndarray, penalty: Penalty) -> Iterator[Line]:
        """Yield the minimum for each strength, each found from the one before."""
        theta = np.zeros(self.shape)
        for alpha in alphas.tolist():
            l1, l2 = alpha * penalty.l1_ratio, alpha * (1 - penalty.l1_ratio)
            found = minimise(replace(self, l1=l1, l2=l2), theta, "auto", penalty.tol, penalty.max_iter)
            theta = found.theta
            yield Line(theta[0, :-1], float(theta[0, -1]), max(found.n_iter, 1), found.converged)


# -- both ------------------------------------------------------------------------------------------------------------
def _mean_of_varying(squares: np.ndarray) -> float:
    """Return the mean square of the columns that vary: one that is constant must not move the strengths of the path."""
    varying = squares > np.finfo(float).eps * squares.max(initial=0.0)
    return float(squares[varying].mean()) if varying.any() else 0.0


@dataclass(frozen=True)
class Squares:
    """Rows and numbers to predict, and how the minimum is found.

    Parameters
    ----------
    rows : ndarray (C order), csr_array or NumberRows, shape (n, width)
    y : ndarray
    weight : ndarray or None
    fit_intercept : bool
    penalty : Penalty
    """

    rows: Any
    y: np.ndarray
    weight: np.ndarray | None
    fit_intercept: bool
    penalty: Penalty

    @property
    def by_products(self) -> bool:
        """Whether the columns are few enough for their products."""
        return int(self.rows.shape[1]) <= LARGEST_HESSIAN

    def taken(self, rows: np.ndarray) -> Squares:
        """Return the same for some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, rows=self.rows[rows], y=self.y[rows], weight=weight)

    def sums(self) -> Sums:
        return Sums.of(self.rows, self.y, self.weight, self.fit_intercept)

    def problem(self) -> SquaredProblem:
        return SquaredProblem(_written(self.rows), self.y, self.weight, 1, 0.0, 0.0, self.fit_intercept)

    def minimum(self, alpha: float, sums: Sums | None = None) -> Line:
        """Return the minimum for one strength."""
        if self.by_products:
            return minimum(sums or self.sums(), alpha, self.penalty, self.rows, self.y, self.weight)
        *_, last = self.problem().lines(np.array([alpha]), self.penalty)
        return last

    def alphas(self, sums: Sums | None) -> np.ndarray:
        """Return the strengths of the path."""
        if sums is not None:
            return strengths(sums.slopes, _mean_of_varying(np.diag(sums.gram)), self.penalty.l1_ratio)
        slopes = self.problem().smooth(np.array([[0.0] * self.rows.shape[1] + [self._middle]]))[1][0, :-1]
        rows = _written(self.rows)
        squared = (rows.multiply(rows) if sp.issparse(rows) else rows**2).mean(axis=0)
        found = strengths(slopes, _mean_of_varying(np.asarray(squared).ravel()), self.penalty.l1_ratio)
        return found[found > 0][::_EVERY]

    @property
    def _middle(self) -> float:
        return float(np.average(self.y, weights=self.weight)) if self.fit_intercept else 0.0

    def errors(self, alphas: np.ndarray, splits: Splits) -> np.ndarray:
        """Return the mean squared error of each strength for the rows held out of each split."""
        if not self.by_products:
            told = [self._held_out(alphas, train, test) for train, test in splits]
            total: np.ndarray = np.sum([squares for squares, _ in told], axis=0) / sum(weight for _, weight in told)
            return total
        parts = [self.taken(test).sums() for _, test in splits]
        errors = np.zeros(len(alphas))
        folds = _are_folds(splits, len(self.y))
        for k, (held, (train, _)) in enumerate(zip(parts, splits)):
            learned = reduce(Sums.__add__, parts[:k] + parts[k + 1 :]) if folds else self.taken(train).sums()
            errors += held.squares(path(learned, alphas, self.penalty), learned)
        return errors / sum(part.total for part in parts)

    def _held_out(self, alphas: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the sum of squared errors of each strength, and the weight of the rows held out."""
        held = self.taken(test).problem()
        weight = np.ones(len(test)) if held.weight is None else held.weight
        lines = self.taken(train).problem().lines(alphas, self.penalty)
        squares = [weight @ held.errors(np.append(line.coef, line.intercept)[None]) ** 2 for line in lines]
        return np.array(squares), held.total


def _are_folds(splits: Splits, n: int) -> bool:
    """Whether every row is held out once, and learned from otherwise."""
    if any(len(train) + len(test) != n for train, test in splits):
        return False
    held = np.zeros(n, dtype=np.int64)
    for train, test in splits:
        held[test] += 1
        seen = np.zeros(n, dtype=bool)
        seen[train] = seen[test] = True
        if not seen.all():
            return False
    return sum(len(test) for _, test in splits) == n and bool((held == 1).all())
