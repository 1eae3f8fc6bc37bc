"""From encoded rows to a trained support vector machine: the kernel, two-class problems, the solver, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, check_cv

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.errors import InputError, NoSolutionError, warn
from vaglio.learners.linear.estimators.logistic_solver import LogisticProblem, minimise
from vaglio.learners.svm.model import KERNELS, Kernel, SVMModel
from vaglio.messages.message import Message, text
from vaglio.table import as_frame
from vaglio.typing import CrossValidation

# Rows with larger numbers have kernel values near the end of all numbers, and no step of the solver makes progress.
LARGEST = 1e30

# What kernel="auto" tries, from the simplest on: of equals the first is taken.
CANDIDATES: tuple[dict[str, Any], ...] = (
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3, "coef0": 1.0},
    {"kernel": "rbf"},
    {"kernel": "sigmoid"},
)
# Rows per working set: large enough that kernel blocks are matrix products, small enough that its square fits in cache.
_WORKING_SET = 512
# How the solver ended, as the kernel numbers it.
CONVERGED, OUT_OF_STEPS, DIVERGED = range(3)
# Half the margin must be at least this share of the data's radius in the kernel's space: the dual objective of a
# thinner one is above the limit given to the solver.
_THINNEST = 1e-3
# Trains on some rows and gives the class values (n_test, outputs) of others.
HeldOutValues = Callable[[np.ndarray, np.ndarray], np.ndarray]


def choose_kernel(
    codes_of: Callable[[dict[str, Any], np.ndarray, np.ndarray], np.ndarray],
    y: np.ndarray,
    weight: np.ndarray | None,
    cv: CrossValidation,
    seed: int,
) -> tuple[dict[str, Any], Any]:
    """Return the kernel with the best cross-validated accuracy, and the table of all.

    Parameters
    ----------
    codes_of : callable (candidate, train, test) -> class codes of the test rows
    """
    weight = np.ones(len(y)) if weight is None else weight
    folds = folds_of(y, cv, seed, text("Selecting a kernel"))
    lines = []
    for candidate in CANDIDATES:
        try:
            right = [codes_of(candidate, train, test) == y[test] for train, test in folds]
        except InputError:  # a hard margin that this kernel cannot give
            lines.append({**candidate, "mean_accuracy": np.nan, "std_accuracy": np.nan})
            continue
        scores = [np.average(hits, weights=weight[test]) for hits, (_, test) in zip(right, folds)]
        lines.append({**candidate, "mean_accuracy": np.mean(scores), "std_accuracy": np.std(scores)})
    table = as_frame(lines)
    best = int(table["mean_accuracy"].fillna(-1.0).argmax())
    table["chosen"] = np.arange(len(table)) == best
    return CANDIDATES[best], table


def gamma_of(gamma: str | float, sigma: float | None, rows: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the number that gamma or sigma means for these rows."""
    if sigma is not None:
        return 1 / (2 * sigma**2)
    if gamma == "auto":
        return 1 / int(rows.shape[1])
    if gamma != "scale":
        return float(gamma)
    share = np.full(len(rows), 1 / len(rows)) if weight is None else weight / weight.sum()
    mean = share @ rows.mean(axis=1)
    variance = share @ ((rows - mean) ** 2).mean(axis=1)
    return float(1 / (rows.shape[1] * variance)) if variance > 0 else 1.0


def refuse_large(rows: Any) -> None:
    """Refuse numbers that no kernel can be computed for: their products, and the powers of these, are not finite."""
    values = rows.data if sp.issparse(rows) else rows
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise InputError(
            "kernel-overflow",
            "X has numbers beyond {largest:g}, whose kernel values cannot be computed. Scale the "
            "columns, or use preprocess='auto'.",
            largest=LARGEST,
        )


def refuse_not_square(kernel: Any, matrix: EncodedMatrix) -> None:
    """Refuse a precomputed kernel that has not the value of every pair of training rows."""
    if kernel == "precomputed" and matrix.n_rows != matrix.n_features:
        raise InputError(
            "kernel-not-square",
            "Precomputed matrix must be a square matrix: X has {n_rows} rows and {n_features} "
            "columns, but fit needs the kernel value of every pair of training rows.",
            n_rows=matrix.n_rows,
            n_features=matrix.n_features,
        )


def refuse_zero_weights(kernel: Any) -> None:
    """Refuse rows of weight 0 in a precomputed kernel: a row that is left out would have to be left out as a column."""
    if kernel == "precomputed":
        raise InputError(
            "zero-weight-in-kernel",
            "With a precomputed kernel every row needs a positive weight. Leave rows out of K instead.",
        )


@dataclass(frozen=True)
class Problems:
    """Problems over the rows of one table, one after the other: rows, targets, and the bounds of their beta."""

    index: np.ndarray
    starts: np.ndarray
    target: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of_classes(cls, y: np.ndarray, n_classes: int, scheme: str, bound: np.ndarray) -> Problems:
        """One problem for two classes; else one per pair of classes (+1 is the first) or per class (+1 is it).

        ``bound`` is the largest multiplier of each row of the table: C times its weight.
        """
        if n_classes == 2:
            parts = [(np.arange(len(y)), y == 1)]
        elif scheme == "ovr":
            parts = [(np.arange(len(y)), y == k) for k in range(n_classes)]
        else:
            rows = [np.flatnonzero((y == a) | (y == b)) for a, b in combinations(range(n_classes), 2)]
            firsts = [a for a, _ in combinations(range(n_classes), 2)]
            parts = [(part, y[part] == a) for part, a in zip(rows, firsts)]
        index = np.concatenate([rows for rows, _ in parts]).astype(np.int32)
        starts = np.cumsum([0, *(len(rows) for rows, _ in parts)]).astype(np.int64)
        positive = np.concatenate([positive for _, positive in parts])
        low, high = np.where(positive, 0.0, -bound[index]), np.where(positive, bound[index], 0.0)
        return cls(index, starts, np.where(positive, 1.0, -1.0), low, high)

    @classmethod
    def of_numbers(cls, y: np.ndarray, epsilon: float, bound: np.ndarray) -> Problems:
        """One problem in which every row stands twice: it may lie above the tube, and below it."""
        index = np.tile(np.arange(len(y), dtype=np.int32), 2)
        starts, none = np.array([0, 2 * len(y)], dtype=np.int64), np.zeros(len(y))
        target = np.concatenate([y - epsilon, y + epsilon])
        return cls(index, starts, target, np.concatenate([none, -bound]), np.concatenate([bound, none]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, p: int) -> slice:
        return slice(int(self.starts[p]), int(self.starts[p + 1]))


@dataclass(frozen=True)
class Settings:
    """What the solver needs beside the data."""

    tol: float
    max_iter: int
    shrinking: bool
    cache_bytes: float
    threads: int
    objective_limit: float = 0.0
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True)
class Solutions:
    """Of all problems: beta = y·α and slope = y − Kβ one after the other, the rest one per problem."""

    problems: Problems
    beta: np.ndarray
    slope: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    gap: np.ndarray
    steps: np.ndarray
    status: np.ndarray

    def margins(self) -> np.ndarray:
        """Return 2/‖w‖ of each problem; ‖w‖² = β·K·β."""
        parts = [self.problems.part(p) for p in range(len(self.problems))]
        norms = np.array([self.beta[part] @ (self.problems.target[part] - self.slope[part]) for part in parts])
        with np.errstate(divide="ignore"):
            margins: np.ndarray = 2 / np.sqrt(np.maximum(norms, 0.0))
            return margins

    def slacks(self) -> list[np.ndarray]:
        """Return max(0, 1 − y·f(x)) of each problem's rows."""
        parts = [self.problems.part(p) for p in range(len(self.problems))]
        return [
            np.maximum(self.problems.target[part] * (self.slope[part] - self.intercept[p]), 0.0)
            for p, part in enumerate(parts)
        ]

    def coefficients(self, y: np.ndarray, n_classes: int, scheme: str) -> np.ndarray:
        """Return y·α of every row in LIBSVM's layout.

        Row k of a class's columns is its problem against the k-th other.
        """
        problems = self.problems
        apart = n_classes == 2 or scheme == "ovr"
        table = np.zeros((len(problems) if apart else n_classes - 1, len(y)))
        pairs = list(combinations(range(n_classes), 2))
        for p in range(len(problems)):
            part = problems.part(p)
            rows, beta = problems.index[part], self.beta[part]
            if apart:
                table[p, rows] = beta
                continue
            a, b = pairs[p]
            first = y[rows] == a
            table[b - 1, rows[first]] = beta[first]
            table[a, rows[~first]] = beta[~first]
        return table

    def weights(self, rows: Any) -> np.ndarray:
        """Return w = Σ y·α·x of each problem."""
        weights = []
        for p in range(len(self.problems)):
            part = self.problems.part(p)
            used = self.beta[part] != 0
            weights.append(np.asarray(self.beta[part][used] @ rows[self.problems.index[part][used]]).ravel())
        return np.array(weights)


def solve(rows: Any, kernel: Kernel, problems: Problems, settings: Settings) -> Solutions:
    """Solve the dual of every problem.

    Parameters
    ----------
    rows : ndarray (C order), csr_array for a linear kernel, or the kernel matrix itself for "precomputed"
    kernel : Kernel
    problems : Problems
    settings : Settings
    """
    shared: dict[str, Any] = {
        "index": problems.index,
        "starts": problems.starts,
        "target": problems.target,
        "low": problems.low,
        "high": problems.high,
        "tolerance": settings.tol,
        "max_steps": settings.max_iter,
        "shrinking": settings.shrinking,
        "objective_limit": settings.objective_limit,
        "working_set": _WORKING_SET,
        "threads": settings.threads,
        "progress": settings.progress,
    }
    if sp.issparse(rows):
        csr = (rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr.astype(np.int64))
        found = _core.svm_solve_sparse(*csr, rows.shape[1], **shared)
    elif kernel.name in KERNELS:
        found = _core.svm_solve(rows, *kernel.spec, cache_bytes=settings.cache_bytes, **shared)
    else:
        matrix = rows if kernel.name == "precomputed" else kernel.matrix(rows, rows)
        found = _core.svm_solve_matrix(matrix, **shared)
    return Solutions(problems, *found)


def warn_out_of_steps(solutions: Solutions) -> None:
    """Warn where the solver stopped before the optimum."""
    if (solutions.status == OUT_OF_STEPS).any():
        warn(
            Message(
                "solver-out-of-steps",
                "The solver stopped after {steps:,} {steps:step|steps} with a violation of {violation:.3g}. Raise "
                "max_iter or tol, or scale the columns.",
                steps=int(solutions.steps.max()),
                violation=float(solutions.gap.max()),
            ),
            ConvergenceWarning,
        )


def train(
    encoder: DenseEncoder,
    rows: Any,
    y: np.ndarray,
    n_classes: int,
    scheme: str,
    kernel: Kernel,
    bound: np.ndarray,
    settings: Settings,
    **layout: Any,
) -> tuple[SVMModel, Solutions]:
    """Solve the problems of all classes and lay out the model; ``layout`` holds its further fields."""
    problems = Problems.of_classes(y, n_classes, scheme, bound)
    if np.isinf(bound).any():
        require_separable(rows, kernel, problems)
        settings = replace(settings, objective_limit=objective_limit(rows, kernel))
    solutions = solve(rows, kernel, problems, settings)
    if (solutions.status == DIVERGED).any():
        raise not_separable(
            text("even in the space of the kernel the margin is below a thousandth of the data's radius")
        )
    single = kernel.name == "rbf" and _core.svm_single_precision(
        rows, "rbf", kernel.gamma, float(bound.max()), settings.tol
    )
    table = solutions.coefficients(y, n_classes, scheme)
    support = np.flatnonzero((table != 0).any(axis=0))
    support = support[np.argsort(y[support], kind="stable")]
    dense = not sp.issparse(rows) and kernel.name != "precomputed"
    width = encoder.width if layout.get("phi") is None else rows.shape[1]
    model = SVMModel(
        encoder=encoder,
        kernel=kernel,
        n_classes=n_classes,
        scheme=scheme,
        vectors=np.ascontiguousarray(rows[support]) if dense else np.empty((0, width)),
        class_starts=np.searchsorted(y[support], np.arange(n_classes + 1)).astype(np.int64),
        dual_coef=np.ascontiguousarray(table[:, support]),
        intercept=solutions.intercept,
        coef=solutions.weights(rows) if kernel.name == "linear" else None,
        support=support.astype(np.int64),
        single_precision=single,
        threads=settings.threads,
        **layout,
    )
    return model, solutions


def require_separable(rows: Any, kernel: Kernel, problems: Problems) -> None:
    """Raise unless a hyperplane in the space of a linear kernel separates the classes of every problem."""
    if kernel.name != "linear":
        return
    for p in range(len(problems)):
        part = problems.part(p)
        signs, chosen = problems.target[part], rows[problems.index[part]]
        chosen = sp.csr_array(chosen) if not sp.issparse(chosen) else chosen
        with_bias = sp.hstack([chosen, np.ones((chosen.shape[0], 1))], format="csr")
        system = -(sp.diags_array(signs) @ with_bias)
        # Feasible exactly when some (w, b) has y (w·x + b) >= 1 on every row.
        found = linprog(
            np.zeros(system.shape[1]), A_ub=system, b_ub=-np.ones(len(signs)), bounds=(None, None), method="highs"
        )
        if found.status == 2:
            raise not_separable(text("no hyperplane separates the classes"))


def objective_limit(rows: Any, kernel: Kernel) -> float:
    """Return the dual objective that means a margin too thin to be one; 0 where separability is known already."""
    if kernel.name == "linear":
        return 0.0
    if kernel.name == "rbf":
        radius = 1.0
    elif kernel.name == "precomputed":
        radius = float(np.abs(np.diag(rows)).max())
    else:
        radius = max(abs(float(kernel.matrix(rows[[i]], rows[[i]])[0, 0])) for i in range(min(len(rows), 200)))
    return 0.5 / (_THINNEST**2 * max(radius, 1e-300))


def not_separable(what: str) -> NoSolutionError:
    return NoSolutionError(
        "no-hard-margin",
        "A hard margin (C=inf) has no solution here: {problem}. Use a finite C, which allows "
        "rows inside the margin at a price, or a kernel that separates the classes.",
        problem=what,
    )


def folds_of(y: np.ndarray, cv: CrossValidation, seed: int, purpose: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the folds of a splitter, or stratified ones: fewer where the rarest class has not enough rows."""
    if not isinstance(cv, Integral):
        return list(check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y))
    rarest = int(np.bincount(y).min())
    if rarest < 2:
        raise InputError(
            "rare-class",
            "{purpose} needs cross-validation, so at least two rows of every class, but one has {rarest}.",
            purpose=purpose,
            rarest=rarest,
        )
    splitter = StratifiedKFold(min(int(cv), rarest), shuffle=True, random_state=seed % 2**32)
    return list(splitter.split(np.zeros(len(y)), y))


def calibrate(
    values_of: HeldOutValues, y: np.ndarray, weight: np.ndarray | None, n_classes: int, cv: CrossValidation, seed: int
) -> np.ndarray:
    """Return slope and intercept for each output: shape (1, 2) for two classes, else (n_classes, 2)."""
    outputs = 1 if n_classes == 2 else n_classes
    values = np.empty((len(y), outputs))
    for train, test in folds_of(y, cv, seed, text("Calibration")):
        values[test] = values_of(train, test)
    wanted = [y == 1] if outputs == 1 else [y == k for k in range(n_classes)]
    return np.array([_fit_logistic(values[:, k], truth, weight) for k, truth in enumerate(wanted)])


def _fit_logistic(values: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> tuple[float, float]:
    """Fit with Platt's targets, drawn in from 0 and 1 by the number of rows, so that the slope stays finite."""
    weight = np.ones(len(values)) if weight is None else weight
    positive, negative = float(weight[truth].sum()), float(weight[~truth].sum())
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    # A row with target t counts t times as a positive and 1 - t times as a negative one.
    problem = LogisticProblem(
        rows=np.ascontiguousarray(np.tile(values, 2)[:, None]),
        labels=np.repeat(np.array([1, 0], dtype=np.int32), len(values)),
        weight=np.concatenate([weight * target, weight * (1 - target)]),
        outputs=1,
        l1=0.0,
        l2=1e-12,
    )
    slope, intercept = minimise(problem, np.zeros((1, 2)), "newton-cholesky", 1e-5, 200).theta[0]
    # A falling curve would turn the order of the rows round: then the values say nothing.
    return (float(slope), float(intercept)) if slope > 0 else (0.0, float(np.log(positive / negative)))
