"""From encoded rows to a trained support vector machine: two-class problems, the solver, the model's arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.optimize import linprog

from vaglio import _core
from vaglio.encode import DenseEncoder
from vaglio.errors import NoSolutionError
from vaglio.learners.svm.model.svm import KERNELS, Kernel, SVMModel

# Rows per working set: large enough that kernel blocks are matrix products, small enough that its square fits in cache.
_WORKING_SET = 512
# How the solver ended, as the kernel numbers it.
CONVERGED, OUT_OF_STEPS, DIVERGED = range(3)
# Half the margin must be at least this share of the data's radius in the kernel's space: the dual objective of a
# thinner one is above the limit given to the solver.
_THINNEST = 1e-3


@dataclass(frozen=True)
class Problems:
    """Two-class problems over the rows of one table, one after the other."""

    index: np.ndarray
    starts: np.ndarray
    target: np.ndarray

    @classmethod
    def of_classes(cls, y: np.ndarray, n_classes: int, scheme: str) -> Problems:
        """One problem for two classes; else one per pair of classes (+1 is the first) or per class (+1 is it)."""
        if n_classes == 2:
            parts = [(np.arange(len(y)), y == 1)]
        elif scheme == "ovr":
            parts = [(np.arange(len(y)), y == k) for k in range(n_classes)]
        else:
            rows = [np.flatnonzero((y == a) | (y == b)) for a, b in combinations(range(n_classes), 2)]
            firsts = [a for a, _ in combinations(range(n_classes), 2)]
            parts = [(part, y[part] == a) for part, a in zip(rows, firsts)]
        return cls(
            np.concatenate([rows for rows, _ in parts]).astype(np.int32),
            np.cumsum([0, *(len(rows) for rows, _ in parts)]).astype(np.int64),
            np.concatenate([np.where(positive, 1.0, -1.0) for _, positive in parts]),
        )

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
        norms = np.array([self._squared_norm(p) for p in range(len(self.problems))])
        with np.errstate(divide="ignore"):
            margins: np.ndarray = 2 / np.sqrt(np.maximum(norms, 0.0))
            return margins

    def _squared_norm(self, p: int) -> float:
        part = self.problems.part(p)
        return float(self.beta[part] @ (self.problems.target[part] - self.slope[part]))

    def slacks(self) -> list[np.ndarray]:
        """Return max(0, 1 − y·f(x)) of each problem's rows."""
        parts = [self.problems.part(p) for p in range(len(self.problems))]
        return [
            np.maximum(self.problems.target[part] * (self.slope[part] - self.intercept[p]), 0.0)
            for p, part in enumerate(parts)
        ]


def solve(rows: Any, kernel: Kernel, problems: Problems, bound: np.ndarray, settings: Settings) -> Solutions:
    """Solve the dual of every problem.

    Parameters
    ----------
    rows : ndarray (C order), csr_array for a linear kernel, or the kernel matrix itself for "precomputed"
    kernel : Kernel
    problems : Problems
    bound : ndarray
        The largest multiplier of each row of the table: C times its weight.
    settings : Settings
    """
    shared: dict[str, Any] = {
        "index": problems.index,
        "starts": problems.starts,
        "target": problems.target,
        "bound": bound[problems.index],
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
    problems = Problems.of_classes(y, n_classes, scheme)
    if np.isinf(bound).any():
        require_separable(rows, kernel, problems)
        settings = replace(settings, objective_limit=objective_limit(rows, kernel))
    solutions = solve(rows, kernel, problems, bound, settings)
    if (solutions.status == DIVERGED).any():
        raise not_separable("even in the space of the kernel the margin is below a thousandth of the data's radius")
    single = kernel.name == "rbf" and _core.svm_single_precision(
        rows, "rbf", kernel.gamma, float(bound.max()), settings.tol
    )
    layout |= {"single_precision": single, "threads": settings.threads}
    return build_model(encoder, rows, y, n_classes, scheme, kernel, solutions, **layout), solutions


def build_model(
    encoder: DenseEncoder,
    rows: Any,
    y: np.ndarray,
    n_classes: int,
    scheme: str,
    kernel: Kernel,
    solutions: Solutions,
    **rest: Any,
) -> SVMModel:
    """Gather support vectors class by class and lay out their coefficients."""
    table = _coefficients(solutions, y, n_classes, scheme)
    support = np.flatnonzero((table != 0).any(axis=0))
    support = support[np.argsort(y[support], kind="stable")]
    dense = not sp.issparse(rows) and kernel.name != "precomputed"
    width = encoder.width if rest.get("phi") is None else rows.shape[1]
    return SVMModel(
        encoder=encoder,
        kernel=kernel,
        n_classes=n_classes,
        scheme=scheme,
        vectors=np.ascontiguousarray(rows[support]) if dense else np.empty((0, width)),
        class_starts=np.searchsorted(y[support], np.arange(n_classes + 1)).astype(np.int64),
        dual_coef=np.ascontiguousarray(table[:, support]),
        intercept=solutions.intercept,
        coef=_weights(rows, solutions) if kernel.name == "linear" else None,
        support=support.astype(np.int64),
        **rest,
    )


def _coefficients(solutions: Solutions, y: np.ndarray, n_classes: int, scheme: str) -> np.ndarray:
    """Return y·α of every row in LIBSVM's layout: row k of a class's columns is its problem against the k-th other."""
    problems = solutions.problems
    outputs = len(problems) if n_classes == 2 or scheme == "ovr" else n_classes - 1
    table = np.zeros((outputs, len(y)))
    pairs = list(combinations(range(n_classes), 2))
    for p in range(len(problems)):
        part = problems.part(p)
        rows, beta = problems.index[part], solutions.beta[part]
        if n_classes == 2 or scheme == "ovr":
            table[p, rows] = beta
            continue
        a, b = pairs[p]
        first = y[rows] == a
        table[b - 1, rows[first]] = beta[first]
        table[a, rows[~first]] = beta[~first]
    return table


def _weights(rows: Any, solutions: Solutions) -> np.ndarray:
    problems = solutions.problems
    weights = []
    for p in range(len(problems)):
        part = problems.part(p)
        used = solutions.beta[part] != 0
        weights.append(np.asarray(solutions.beta[part][used] @ rows[problems.index[part][used]]).ravel())
    return np.array(weights)


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
            raise not_separable("no hyperplane separates the classes")


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
        f"A hard margin (C=inf) has no solution here: {what}. Use a finite C, which lets rows inside the margin for a "
        "price, or a kernel in whose space the classes come apart."
    )
