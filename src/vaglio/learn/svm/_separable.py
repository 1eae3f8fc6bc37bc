"""Can a hyperplane separate the classes at all? What a hard margin needs to know."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.optimize import linprog

from vaglio.errors import InputError
from vaglio.learn.svm._solver import Problems
from vaglio.model.svm.svm import Kernel

# Half the margin must be at least this share of the data's radius in the kernel's space: the dual objective of a
# thinner one is above the limit given to the solver.
_THINNEST = 1e-3


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


def not_separable(what: str) -> InputError:
    return InputError(
        f"A hard margin (C=inf) has no solution here: {what}. Use a finite C, which lets rows inside the margin for a "
        "price, or a kernel in whose space the classes come apart."
    )
