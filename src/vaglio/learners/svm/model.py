"""A support vector machine after training: support vectors, their coefficients, and how machines vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy import sparse as sp
from scipy.special import expit

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix, Feature, Products, within_reach
from vaglio.errors import InputError, NotSupportedError
from vaglio.model import checks
from vaglio.model.base import State

# The kernels that the compiled core computes; others are functions, or come precomputed.
KERNELS = ("linear", "poly", "rbf", "sigmoid")

# Numbers that sparse rows may become when they are written out: one gigabyte.
MOST_WRITTEN_OUT = 1 << 27


@dataclass(frozen=True)
class Kernel:
    """k(x, z), by name and parameters, or any function of two matrices.

    linear x·z, poly (γ·x·z + c)^h, rbf exp(−γ‖x−z‖²), sigmoid tanh(γ·x·z + c).
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    function: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None

    @property
    def spec(self) -> tuple[str, float, float, int]:
        return self.name, self.gamma, self.coef0, self.degree

    def matrix(self, rows: np.ndarray, vectors: np.ndarray, threads: int = 1) -> np.ndarray:
        """Return the kernel values between rows and vectors."""
        if self.function is not None:
            values = np.asarray(self.function(rows, vectors), dtype=np.float64)
            if values.shape != (len(rows), len(vectors)):
                raise InputError(
                    "shape-of-kernel",
                    "The kernel function returned the shape {shape} for {n_rows} and {n_vectors} rows. It "
                    "must return one value per pair.",
                    shape=values.shape,
                    n_rows=len(rows),
                    n_vectors=len(vectors),
                )
            return np.ascontiguousarray(values)
        return _core.svm_kernel_matrix(rows, vectors, *self.spec, threads)


@dataclass(frozen=True, eq=False)
class SVMModel:
    """One machine for two classes; for more, one per pair of classes (ovo) or one per class (ovr).

    Attributes
    ----------
    encoder : DenseEncoder
    kernel : Kernel
    n_classes : int
        0 where numbers are predicted, by a single machine.
    scheme : {"ovo", "ovr"}
    vectors : ndarray, shape (n_support, width)
        Support vectors in the encoded space, class after class; none where ``coef`` does the work on sparse rows.
    class_starts : ndarray of int64, shape (n_classes + 1,)
    dual_coef : ndarray
        y·α: shape (n_classes − 1, n_support) for ovo as LIBSVM lays it out, (n_classes, n_support) for ovr, and
        (1, n_support) for two classes.
    intercept : ndarray, one per machine
    coef : ndarray or None
        Weight vector of each machine with a linear kernel.
    support : ndarray of int64
        Which training rows the vectors are.
    calibration : ndarray or None, shape (outputs, 2)
        Slope and intercept of the logistic function from a decision value to a probability.
    shape : {"ovr", "ovo"}
        Whether ``decision_function`` has one column per class or one per machine.
    break_ties : bool
        Equal votes go to the larger sum of decision values, not to the first class.
    single_precision : bool
        Whether kernel values in single precision are enough.
    phi : callable or None
        An explicit map of encoded rows, before a linear kernel; :class:`~vaglio.encode.Products` can be saved.
    """

    kind: ClassVar[str] = "svm"

    encoder: DenseEncoder
    kernel: Kernel
    n_classes: int
    scheme: str
    vectors: np.ndarray
    class_starts: np.ndarray
    dual_coef: np.ndarray
    intercept: np.ndarray
    coef: np.ndarray | None
    support: np.ndarray
    calibration: np.ndarray | None = None
    shape: str = "ovr"
    break_ties: bool = False
    single_precision: bool = False
    phi: Callable[[np.ndarray], np.ndarray] | None = None
    threads: int = field(default=1, compare=False)

    @property
    def mapped_names(self) -> tuple[str, ...] | None:
        """Names of the columns that a linear kernel sees; None where a function makes them."""
        if self.phi is None:
            return self.encoder.names
        return self.phi.names(self.encoder.names) if isinstance(self.phi, Products) else None

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Classes of each one-vs-one machine: a positive value favours the first."""
        return list(combinations(range(self.n_classes), 2))

    @cached_property
    def _sides(self) -> np.ndarray:
        """The first and the second class of each of these machines."""
        return np.array(self.pairs, dtype=np.int64).T

    @cached_property
    def _favours(self) -> tuple[np.ndarray, np.ndarray]:
        """How many votes each class gains by the first class of a machine being favoured (K columns), and has if none.

        They are whole numbers, so that products of them are exact.
        """
        first, second = np.eye(self.n_classes)[self._sides]
        return first - second, second.sum(axis=0)

    def rows(self, matrix: EncodedMatrix) -> Any:
        """Return the rows as the kernel takes them."""
        rows = self.encoder.transform(matrix)
        rows = rows if self.coef is not None else written_out(rows)
        return rows if self.phi is None else mapped(self.phi, rows)

    def machines(self, rows: Any) -> np.ndarray:
        """Return the value of every machine for rows in the kernel's space: shape (n, n_machines)."""
        return within_reach(rows, self._machines)

    def _machines(self, rows: Any) -> np.ndarray:
        if self.coef is not None:
            values = np.asarray(rows @ self.coef.T)
        elif self.n_classes == 2 or self.scheme == "ovr":
            values = self._sums(rows).sum(axis=1)
        else:
            sums, (a, b) = self._sums(rows), self._sides
            values = sums[:, a, b - 1] + sums[:, b, a]
        machines: np.ndarray = values + self.intercept
        return machines

    def _sums(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of coefficient × kernel over each class's support vectors: (n, classes, outputs)."""
        if self.kernel.name in KERNELS:
            return _core.svm_kernel_sums(
                np.ascontiguousarray(rows),
                self.vectors,
                *self.kernel.spec,
                self.class_starts,
                self.dual_coef,
                self.single_precision,
                self.threads,
            )
        values = self.kernel_values(rows)
        bounds = list(zip(self.class_starts[:-1], self.class_starts[1:]))
        return np.stack([values[:, a:b] @ self.dual_coef[:, a:b].T for a, b in bounds], axis=1)

    def kernel_values(self, rows: np.ndarray) -> np.ndarray:
        """Return the kernel values between rows and the support vectors."""
        if self.kernel.name == "precomputed":
            return rows[:, self.support]
        return self.kernel.matrix(np.ascontiguousarray(rows), self.vectors, self.threads)

    def decision_function(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return decision values: (n,) for two classes; else one column per class, or per machine for shape "ovo"."""
        return self.decisions(self.machines(self.rows(matrix)))

    def decisions(self, machines: np.ndarray) -> np.ndarray:
        """Return the decision values that follow from the machines' values."""
        if self.n_classes in (0, 2):
            return machines[:, 0]
        if self.scheme == "ovr" or self.shape == "ovo":
            return machines
        return self.votes_with_confidence(machines)

    def votes_with_confidence(self, machines: np.ndarray) -> np.ndarray:
        """Return the votes of each class, plus the sum of its decision values squeezed below a third of a vote."""
        sums = np.zeros((len(machines), self.n_classes))
        for column, (a, b) in enumerate(self.pairs):
            sums[:, a] += machines[:, column]
            sums[:, b] -= machines[:, column]
        scores: np.ndarray = self._votes(machines) + sums / (3 * (np.abs(sums) + 1))
        return scores

    def _votes(self, machines: np.ndarray) -> np.ndarray:
        """Return the number of machines that favour each class."""
        gained, without = self._favours
        votes: np.ndarray = (machines > 0) @ gained + without
        return votes

    @property
    def probabilistic(self) -> bool:
        """Whether calibration gave it probabilities."""
        return self.calibration is not None

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number, where numbers are predicted."""
        return self.decision_function(matrix)

    def predict_codes(self, matrix: EncodedMatrix) -> np.ndarray:
        return self.codes_of(self.machines(self.rows(matrix)))

    def codes_of(self, machines: np.ndarray) -> np.ndarray:
        """Return the class the machines decide for."""
        if self.n_classes == 2:
            return (machines[:, 0] > 0).astype(np.int64)
        if self.scheme == "ovr":
            scores = machines
        elif self.break_ties:
            scores = self.votes_with_confidence(machines)
        else:
            scores = self._votes(machines)
        codes: np.ndarray = np.argmax(scores, axis=1)
        return codes

    def predict_codes_and_proba(self, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray | None]:
        """Return class codes and, after calibration, probabilities from one evaluation of the kernel."""
        machines = self.machines(self.rows(matrix))
        if self.calibration is None:
            return self.codes_of(machines), None
        return self.codes_of(machines), calibrated(self.class_values(machines), self.calibration)

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        if self.calibration is None:
            raise NotSupportedError(
                "no-probabilities-of-svm",
                "This support vector machine was trained without probabilities. Use decision_function, "
                "or SVC(calibration='sigmoid').",
            )
        machines = self.machines(self.rows(matrix))
        return calibrated(self.class_values(machines), self.calibration)

    def class_values(self, machines: np.ndarray) -> np.ndarray:
        """Return one value per class (a single one for two classes): what calibration turns into probabilities."""
        return machines if self.n_classes == 2 else self.scores(machines)

    def scores(self, machines: np.ndarray) -> np.ndarray:
        """Return one value per class, also where there are two."""
        if self.n_classes == 2:
            return np.column_stack([-machines[:, 0], machines[:, 0]])
        return machines if self.scheme == "ovr" else self.votes_with_confidence(machines)

    def class_scores(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return one value per class for each row: what a search for a change makes smaller."""
        return self.scores(self.machines(self.rows(matrix)))

    def size(self) -> dict[str, int]:
        return {"support_vectors": len(self.support), "machines": len(self.intercept)}

    def state(self) -> State:
        for what, given in (("phi", self.phi), ("kernel", self.kernel.function)):
            if given is not None and not isinstance(given, Products):
                name = getattr(given, "__name__", repr(given))
                raise NotSupportedError(
                    "unsaveable-kernel",
                    "This model cannot be saved: its {what} is the function {name!r}, and a model file "
                    "contains no code.",
                    what=what,
                    name=name,
                )
        arrays, meta = self.encoder.to_state()
        arrays |= {
            "vectors": self.vectors,
            "class_starts": self.class_starts,
            "dual_coef": self.dual_coef,
            "intercept": self.intercept,
            "support": self.support,
        }
        if isinstance(self.phi, Products):
            arrays["phi"] = self.phi.powers
        if self.coef is not None:
            arrays["coef"] = self.coef
        if self.calibration is not None:
            arrays["calibration"] = self.calibration
        name, gamma, coef0, degree = self.kernel.spec
        return arrays, {
            "encoder": meta,
            "kernel": name,
            "gamma": gamma,
            "coef0": coef0,
            "degree": degree,
            "scheme": self.scheme,
            "shape": self.shape,
            "break_ties": self.break_ties,
            "single_precision": self.single_precision,
            "contains_training_rows": bool(self.vectors.size),
        }

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> SVMModel:
        encoder = DenseEncoder.from_state(arrays, meta.get("encoder"), features)
        checks.need(n_classes != 1, "a support vector machine needs two classes")
        scheme, shape = str(meta.get("scheme")), str(meta.get("shape"))
        checks.need(scheme in ("ovo", "ovr") and shape in ("ovo", "ovr"), "how its machines vote is unknown")
        name = str(meta.get("kernel"))
        checks.need(name in (*KERNELS, "precomputed"), "the kernel is unknown")
        gamma, coef0 = float(checks.number(meta, "gamma")), float(checks.number(meta, "coef0"))
        degree = checks.number(meta, "degree", int)
        fits = np.isfinite(gamma) and np.isfinite(coef0) and 0 <= degree <= 1000
        checks.need(bool(fits), "a kernel parameter is impossible")
        kernel = Kernel(name, gamma, coef0, degree)
        checks.need(n_classes > 0 or (scheme == "ovr" and "calibration" not in arrays), "numbers have no votes")
        binary, width = n_classes in (0, 2), encoder.width
        phi = Products.from_array(arrays["phi"], width) if "phi" in arrays else None
        if phi is not None:
            checks.need(name == "linear", "a map of the rows comes before a linear kernel")
            width = len(phi.powers)
        outputs = 1 if binary else n_classes if scheme == "ovr" else n_classes - 1
        machines = 1 if binary else n_classes if scheme == "ovr" else n_classes * (n_classes - 1) // 2
        support = checks.array(arrays, "support", np.int64, (None,))
        checks.within(
            support,
            0,
            width if kernel.name == "precomputed" else np.iinfo(np.int64).max,
            "a support vector is out of range",
        )
        dual_coef = checks.array(arrays, "dual_coef", np.float64, (outputs, len(support)), finite=True)
        coef = checks.array(arrays, "coef", np.float64, (machines, width), finite=True) if "coef" in arrays else None
        checks.need((coef is not None) == (kernel.name == "linear"), "the weight vector does not belong to the kernel")
        vectors = checks.array(arrays, "vectors", np.float64, (None, width), finite=True)
        needs_none = kernel.name in ("linear", "precomputed")
        checks.need(len(vectors) == len(support) or (needs_none and not len(vectors)), "a support vector is missing")
        starts = checks.array(arrays, "class_starts", np.int64, (max(n_classes, 1) + 1,))
        ordered = starts[0] == 0 and starts[-1] == len(support) and (np.diff(starts) >= 0).all()
        checks.need(ordered, "the support vectors are not sorted by class")
        calibration = None
        if "calibration" in arrays:
            columns = 1 if binary else n_classes
            calibration = checks.array(arrays, "calibration", np.float64, (columns, 2), finite=True)
        return cls(
            encoder=encoder,
            kernel=kernel,
            n_classes=n_classes,
            scheme=scheme,
            vectors=vectors,
            class_starts=starts,
            dual_coef=dual_coef,
            intercept=checks.array(arrays, "intercept", np.float64, (machines,), finite=True),
            coef=coef,
            support=support,
            calibration=calibration,
            shape=shape,
            break_ties=checks.number(meta, "break_ties", bool),
            single_precision=checks.number(meta, "single_precision", bool),
            phi=phi,
        )


def written_out(rows: Any) -> np.ndarray:
    """Return sparse rows in full, for a kernel of dense ones."""
    if not sp.issparse(rows):
        return np.asarray(rows)
    if rows.shape[0] * rows.shape[1] > MOST_WRITTEN_OUT:
        raise NotSupportedError(
            "sparse-kernel",
            "A non-linear kernel needs dense rows, and {n_rows:,} rows of {n_columns:,} columns are "
            "too many. Use kernel='linear', or reduce the columns first.",
            n_rows=rows.shape[0],
            n_columns=rows.shape[1],
        )
    dense: np.ndarray = rows.toarray()
    return dense


def mapped(phi: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Apply an explicit map to encoded rows."""
    if sp.issparse(rows):
        raise NotSupportedError("sparse-phi", "An explicit map phi needs dense rows.")
    values = np.ascontiguousarray(phi(rows), dtype=np.float64)
    if values.ndim != 2 or len(values) != len(rows) or not np.isfinite(values).all():
        raise InputError(
            "shape-of-phi",
            "phi returned the shape {shape} for {n_rows} rows. It must return one finite vector per row.",
            shape=values.shape,
            n_rows=len(rows),
        )
    return values


def calibrated(values: np.ndarray, calibration: np.ndarray) -> np.ndarray:
    """Turn decision values into probabilities: a logistic function each, normalised over the classes."""
    chance = expit(values * calibration[:, 0] + calibration[:, 1])
    if chance.shape[1] == 1:
        return np.column_stack([1 - chance[:, 0], chance[:, 0]])
    total = chance.sum(axis=1, keepdims=True)
    even = np.full_like(chance, 1 / chance.shape[1])
    probability: np.ndarray = np.divide(chance, total, out=even, where=total > 0)
    return probability
