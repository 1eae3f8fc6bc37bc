"""Support vector regression: the flattest function of a kernel that passes within epsilon of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio import _core
from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.learners.estimator import VaglioRegressor
from vaglio.learners.inputs import Unit, learn_column_reliability
from vaglio.learners.learned import Learned
from vaglio.learners.parameters import COUNT_FROM_0, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.learners.svm.estimators.solver import (
    Problems,
    Settings,
    gamma_of,
    refuse_large,
    refuse_not_square,
    refuse_zero_weights,
    solve,
    warn_out_of_steps,
)
from vaglio.learners.svm.model import Kernel, SVMModel, written_out
from vaglio.runtime.progress import progress_bar
from vaglio.table import as_frame


@estimator
class SVR(VaglioRegressor):
    """Support vector regression with any kernel.

    Minimises ½‖w‖² + C·Σ weight·max(0, abs(y − f(x)) − epsilon), with numbers and target in units of their standard
    deviation, so that neither the unit of a column nor that of the target changes the model. Errors within epsilon cost
    nothing; rows with larger ones, and rows at the edge, are the support vectors.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable
        exp(−γ‖x−z‖²), x·z, (γ·x·z + coef0)^degree, tanh(γ·x·z + coef0) (not always a valid kernel), X as the kernel
        matrix itself, or a function of two matrices.
    degree : int
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float
        Factor γ of the kernel: "scale" is 1/(n_columns·variance), "auto" is 1/n_columns.
    coef0 : float
        Constant term of the polynomial and the sigmoid kernel.
    tol : float
        Largest violation of the optimality conditions.
    C : float
        Price of an error beyond epsilon.
    epsilon : float
        Size of the errors that cost nothing, in standard deviations of the target.
    shrinking : bool
        Set rows at their bound aside while training; all rows are checked again at the end.
    cache_size : float
        Megabytes for kernel rows, used where rows are so wide that computing a value takes longer than fetching it.
    verbose : bool
        Show the progress of a long fit.
    max_iter : int
        Largest number of steps; -1 sets no limit.

    Attributes
    ----------
    support_ : ndarray of shape (n_vectors,)
        Positions of the support vectors among the training rows.
    support_vectors_ : ndarray of shape (n_vectors, n_encoded)
        The support vectors in the encoded space.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray of shape (1, n_vectors)
        What the kernel value with each support vector counts in the prediction.
    intercept_ : ndarray of shape (1,)
        The intercept.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    coef_ : ndarray of shape (1, n_encoded)
        Weight vector of a linear kernel; :meth:`coefficients` gives it in the units of the table.
    kkt_gap_ : float
        Largest violation of the optimality conditions, in standard deviations of the target.
    n_iter_ : int
        Number of steps.
    fit_status_ : int
        0 if the solver reached ``tol``, else 1.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    >>> vaglio.SVR().fit(X, y).score(X, y) > 0.85
    True
    """

    _learner_id = "svm"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf", "linear", "poly", "sigmoid", "precomputed"}), callable],
        "degree": COUNT_FROM_0,
        "gamma": [StrOptions({"scale", "auto"}), *NOT_NEGATIVE],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": POSITIVE,
        "C": POSITIVE,
        "epsilon": NOT_NEGATIVE,
        "shrinking": ["boolean"],
        "cache_size": NOT_NEGATIVE,
        "verbose": ["boolean"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    kernel: (
        Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] | Callable[[np.ndarray, np.ndarray], np.ndarray]
    ) = "rbf"
    degree: int = 3
    gamma: Literal["scale", "auto"] | float = "scale"
    coef0: float = 0.0
    tol: float = 1e-3
    C: float = 1.0
    epsilon: float = 0.1
    shrinking: bool = True
    cache_size: float = 200
    verbose: bool = False
    max_iter: int = -1
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0
    n_jobs: int | None = None

    coef_ = Learned[np.ndarray](
        "coef", "coef_ exists only for a linear kernel: in another kernel's space w has no columns."
    )
    dual_coef_ = Learned[np.ndarray]("dual_coef", behind="coef")
    intercept_ = Learned[np.ndarray]("intercept")
    support_: np.ndarray = field(init=False)
    n_support_: np.ndarray = field(init=False)
    encoded_names_: np.ndarray = field(init=False)
    kkt_gap_: float = field(init=False)
    n_iter_: int = field(init=False)
    fit_status_: int = field(init=False)

    @property
    def _accepts_sparse(self) -> bool:  # type: ignore[override]
        return self.kernel != "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def coefficients(self) -> Any:
        """Return w and b of a linear kernel in the units of the table, one line per encoded column.

        Returns
        -------
        DataFrame
            ``name`` and ``coefficient``; the intercept first.
        """
        check_is_fitted(self, "fitted_")
        rows = self.fitted_.coefficients()
        return as_frame({name: [row[name] for row in rows] for name in rows[0]})

    def _takes_tables(self) -> bool:
        return self.preprocess is not None and self.kernel != "precomputed"

    def _finish(self, codebook: Codebook, matrix: Any, y: np.ndarray, weight: Any, *how: bool, **more: bool) -> Self:
        # The base drops rows of weight zero before learning; support_ must name rows of the user's table.
        kept = None if weight is None or weight.all() else np.flatnonzero(weight > 0)
        if kept is not None:
            refuse_zero_weights(self.kernel)
        super()._finish(codebook, matrix, y, weight, *how, **more)
        if kept is not None:
            self.support_ = kept[self.support_]
        return self

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> SVMModel:
        refuse_not_square(self.kernel, matrix)
        bound = self.C * (np.ones(len(y)) if weight is None else weight)
        # Means are the same to the last bit where all rows weigh alike.
        weight = None if weight is None or (weight == weight[0]).all() else weight
        encoder = DenseEncoder.learn(
            matrix,
            weight,
            None if self.kernel == "precomputed" else self.preprocess,
            reliability=learn_column_reliability(self, matrix, y, weight),
        )
        rows: Any = encoder.transform(matrix)
        rows = rows if self.kernel == "linear" else written_out(rows)
        refuse_large(rows)
        target, kernel = Unit.of(y, weight), self._kernel(rows, weight)
        problems = Problems.of_numbers(target.scaled(y), float(self.epsilon), bound)
        with progress_bar("support vector machine", self.verbose) as progress:
            settings = Settings(
                tol=self.tol,
                max_iter=self.max_iter,
                shrinking=self.shrinking,
                cache_bytes=self.cache_size * 1e6,
                threads=self._threads(),
                progress=progress,
            )
            solutions = solve(rows, kernel, problems, settings)
        warn_out_of_steps(solutions)
        beta = solutions.beta[: len(y)] + solutions.beta[len(y) :]
        support = np.flatnonzero(beta)
        dense = not sp.issparse(rows) and kernel.name != "precomputed"
        weights = np.asarray(beta[support] @ rows[support]).reshape(1, -1) if kernel.name == "linear" else None
        exact = kernel.name != "rbf" or not _core.svm_single_precision(
            rows, "rbf", kernel.gamma, float(bound.max()), self.tol
        )
        model = SVMModel(
            encoder=encoder,
            kernel=kernel,
            n_classes=0,
            scheme="ovr",
            vectors=np.ascontiguousarray(rows[support]) if dense else np.empty((0, encoder.width)),
            class_starts=np.array([0, len(support)], dtype=np.int64),
            dual_coef=target.back(beta[None, support]),
            intercept=target.back(solutions.intercept),
            coef=None if weights is None else target.back(weights),
            support=support.astype(np.int64),
            single_precision=not exact,
            threads=self._threads(),
        )
        self.support_, self.n_support_ = model.support, np.array([len(support)], dtype=np.int32)
        self.support_vectors_ = rows[support] if kernel.name != "precomputed" else np.empty((0, 0))
        self.kkt_gap_, self.n_iter_ = float(solutions.gap[0]), int(solutions.steps[0])
        self.fit_status_ = int(solutions.status[0] != 0)
        self.encoded_names_ = np.array(encoder.names, dtype=object)
        for name in ("coef_", "dual_coef_", "intercept_"):  # what a user set before fitting
            self.__dict__.pop(name, None)
        return model

    def _kernel(self, rows: Any, weight: np.ndarray | None) -> Kernel:
        if callable(self.kernel):
            return Kernel("callable", function=self.kernel)
        given = self.kernel in ("linear", "precomputed")
        gamma = 1.0 if given else gamma_of(self.gamma, None, rows, weight)
        return Kernel(self.kernel, gamma, float(self.coef0), int(self.degree))
