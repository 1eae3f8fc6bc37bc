"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix, Products
from vaglio.errors import InputError
from vaglio.learners.bases import available_if
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.inputs import learn_column_reliability
from vaglio.learners.learned import Learned
from vaglio.learners.parameters import COUNT, COUNT_FROM_0, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.learners.svm.estimators.solver import (
    Settings,
    Solutions,
    calibrate,
    choose_kernel,
    gamma_of,
    refuse_large,
    refuse_not_square,
    refuse_zero_weights,
    train,
    warn_out_of_steps,
)
from vaglio.learners.svm.model import Kernel, SVMModel, mapped, written_out
from vaglio.model.base import DECISION_VALUES, check_finite
from vaglio.runtime.progress import progress_bar
from vaglio.runtime.seeds import seed_of
from vaglio.table import as_frame
from vaglio.typing import ClassWeight, CrossValidation, RandomState, TableLike


def _is_calibrated(estimator: SVC) -> bool:
    if estimator.calibration is None:
        raise AttributeError("This SVC gives no probabilities: use decision_function, or calibration='sigmoid'.")
    return True


KernelName = Literal["rbf", "linear", "poly", "sigmoid", "precomputed", "auto"]


@estimator
class SVC(VaglioClassifier):
    """Support vector classifier with soft or hard margin and any kernel.

    Maximises Σα − ½·Σ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ) subject to Σ yα = 0 and 0 ≤ α ≤ C·(weight of the row); the decision is the
    sign of Σ yα·k(x, ·) + b, with b from the multipliers strictly between their bounds.

    Parameters
    ----------
    C : float
        Price of a row inside the margin. ``float("inf")`` is the hard margin, which is an error if no hyperplane
        separates the classes.
    lam : float or None
        The λ of the regularised form, instead of C: C = 1/(2·n·λ).
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed", "auto"} or callable
        exp(−γ‖x−z‖²), x·z, (γ·x·z + coef0)^degree, tanh(γ·x·z + coef0) (not always a valid kernel), X as the kernel
        matrix itself, the best of several by cross-validation (see ``kernel_table_``), or a function of two matrices.
    degree : int
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float
        Factor γ of the kernel: "scale" is 1/(n_columns·variance), "auto" is 1/n_columns.
    sigma : float or None
        Width of the Gaussian exp(−‖x−z‖²/(2σ²)), instead of gamma.
    coef0 : float
        Constant term of the polynomial and the sigmoid kernel.
    phi : callable or int or str or None
        Explicit map of the encoded rows, before a linear kernel: the products of up to so many columns (2: x1, x2,
        x1², x1·x2, x2²), chosen products as text (``"x1, x2, x1^2, x1*x2"``, x1 being the first encoded column), or
        a function, with which the model cannot be saved.
    multi_class : {"ovo", "ovr"}
        With more than two classes: train on each pair of classes, or on each class against the rest.
    decision_function_shape : {"ovr", "ovo"}
        Whether the decision values of "ovo" are summed up to one column per class, or given as one per pair of classes.
    break_ties : bool
        Whether equal votes go to the class with the larger sum of decision values, instead of the first class.
    calibration : {"sigmoid"} or None
        Whether to compute probabilities, by a logistic function of cross-validated decision values. ``predict`` uses
        the decision values in any case.
    cv : int, splitter or iterable
        Folds for calibration and for ``kernel="auto"``.
    shrinking : bool
        Set rows at their bound aside while training; all rows are checked again at the end.
    tol : float
        Largest violation of the optimality conditions.
    cache_size : float
        Megabytes for kernel rows, used where rows are so wide that computing a value takes longer than fetching it.
    max_iter : int
        Largest number of steps; -1 sets no limit.
    verbose : bool
        Show the progress of a long fit.
    random_state : int, RandomState or None
        Seed of the folds.

    Attributes
    ----------
    support_ : ndarray of shape (n_vectors,)
        Positions of the support vectors among the training rows, class by class.
    support_vectors_ : ndarray of shape (n_vectors, n_encoded)
        The support vectors in the encoded space.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_outputs, n_vectors)
        y·α of every support vector, in the layout of scikit-learn.
    intercept_ : ndarray of shape (n_problems,)
        Intercept b of each two-class problem.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    coef_ : ndarray of shape (n_problems, n_encoded)
        Weight vector of a linear kernel; :meth:`coefficients` gives it in the units of the table.
    multipliers_ : ndarray of shape (n_outputs, n_vectors)
        α of every support vector: the absolute value of ``dual_coef_``.
    margin_ : float or ndarray of shape (n_problems,)
        2/‖w‖; with more than two classes one value per two-class problem, as for the following attributes.
    slack_ : ndarray or list of ndarray
        max(0, 1 − y·f(x)): above 0 inside the margin, above 1 on the wrong side.
    dual_objective_ : float or ndarray of shape (n_problems,)
        Value of the dual.
    kkt_gap_ : float or ndarray of shape (n_problems,)
        Largest violation of the optimality conditions over all rows.
    n_iter_ : int or ndarray of shape (n_problems,)
        Number of steps.
    fit_status_ : int
        0 if every two-class problem was solved to ``tol``, else 1.
    kernel_table_ : DataFrame
        Accuracy of each kernel that ``kernel="auto"`` tried; exists only then.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("iris").xy("species")
    >>> model = vaglio.SVC(kernel="linear").fit(X, y)
    >>> model.score(X, y) > 0.95, bool((model.kkt_gap_ <= 1e-3).all())
    (True, True)
    """

    _learner_id = "svm"
    _min_classes = 2
    _needs_every_class = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="right")],
        "lam": [*POSITIVE, None],
        "kernel": [StrOptions({"rbf", "linear", "poly", "sigmoid", "precomputed", "auto"}), callable],
        "degree": COUNT_FROM_0,
        "gamma": [StrOptions({"scale", "auto"}), *NOT_NEGATIVE],
        "sigma": [*POSITIVE, None],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "phi": [callable, str, *COUNT, None],
        "multi_class": [StrOptions({"ovo", "ovr"})],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
        "calibration": [StrOptions({"sigmoid"}), None],
        "cv": ["cv_object"],
        "shrinking": ["boolean"],
        "tol": POSITIVE,
        "cache_size": NOT_NEGATIVE,
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "verbose": ["boolean"],
    }

    C: float = 1.0
    lam: float | None = None
    kernel: KernelName | Callable[[np.ndarray, np.ndarray], np.ndarray] = "rbf"
    degree: int = 3
    gamma: Literal["scale", "auto"] | float = "scale"
    sigma: float | None = None
    coef0: float = 0.0
    phi: Callable[[np.ndarray], np.ndarray] | int | str | None = None
    multi_class: Literal["ovo", "ovr"] = "ovo"
    decision_function_shape: Literal["ovo", "ovr"] = "ovr"
    break_ties: bool = False
    calibration: Literal["sigmoid"] | None = None
    cv: CrossValidation = 5
    shrinking: bool = True
    tol: float = 1e-3
    cache_size: float = 200
    max_iter: int = -1
    class_weight: ClassWeight = None
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0
    verbose: bool = False
    random_state: RandomState = 0
    n_jobs: int | None = None

    coef_ = Learned[np.ndarray](
        "coef", "coef_ exists only for a linear kernel: in another kernel's space w has no columns."
    )
    dual_coef_ = Learned[np.ndarray]("dual_coef", behind="coef")
    intercept_ = Learned[np.ndarray]("intercept")
    support_: np.ndarray = field(init=False)
    kernel_table_: Any = field(init=False)
    multipliers_: np.ndarray = field(init=False)
    margin_: float | np.ndarray = field(init=False)
    slack_: np.ndarray | list[np.ndarray] = field(init=False)
    dual_objective_: float | np.ndarray = field(init=False)
    kkt_gap_: float | np.ndarray = field(init=False)
    n_iter_: int | np.ndarray = field(init=False)

    @property
    def _accepts_sparse(self) -> bool:  # type: ignore[override]
        return self.kernel != "precomputed" and self.phi is None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return the decision values.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_columns)
            One value per row for two classes (positive is the second), else one column per class; with
            ``decision_function_shape="ovo"`` one column per pair of classes (positive is the first).
        """
        matrix = self._encode(X)
        return check_finite(self._model().decision_function(matrix), DECISION_VALUES)

    @available_if(_is_calibrated)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Return the calibrated probability of each class.

        The class with the largest probability need not be the one that ``predict`` returns.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    @available_if(_is_calibrated)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Return the logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_log_proba(X)

    def coefficients(self) -> Any:
        """Return w and b of a linear kernel in the units of the table, one line per problem and encoded column.

        Returns
        -------
        DataFrame
            ``class`` (for which a positive value counts), ``against``, ``name``, ``coefficient``; the intercept first.
        """
        check_is_fitted(self, "fitted_")
        if self.phi is not None:
            raise AttributeError("With phi the weights belong to the columns it makes: see coef_.")
        if self._model().coef is None:
            raise AttributeError("Coefficients exist only for a linear kernel: another kernel's w has no columns.")
        rows = self.fitted_.coefficients()
        sides = {side: [str(row[side]) for row in rows] for side in ("class", "against")}
        return as_frame({**sides, **{name: [row[name] for row in rows] for name in ("name", "coefficient")}})

    def _finish(self, codebook: Codebook, matrix: Any, y: np.ndarray, weight: Any, *how: bool, **more: bool) -> Self:
        # The base drops rows of weight zero before learning; support_ must name rows of the user's table.
        kept = None if weight is None or weight.all() else np.flatnonzero(weight > 0)
        if kept is not None:
            refuse_zero_weights(self.kernel)
        super()._finish(codebook, matrix, y, weight, *how, **more)
        if kept is not None:
            self.support_ = kept[self.support_]
        return self

    def _takes_tables(self) -> bool:
        return self.preprocess is not None and self.kernel != "precomputed"

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> SVMModel:
        if self.phi is not None and self.kernel not in ("linear", "rbf"):
            raise InputError(
                "phi-with-kernel", "phi maps the rows before a linear kernel. Leave kernel at its default."
            )
        refuse_not_square(self.kernel, matrix)
        preprocess = None if self.kernel == "precomputed" else self.preprocess
        encoder = DenseEncoder.learn(
            matrix, weight, preprocess, reliability=learn_column_reliability(self, matrix, y, weight)
        )
        rows: Any = encoder.transform(matrix)
        if self.kernel != "linear":
            rows = written_out(rows)
        phi = self._map(encoder)
        rows = rows if phi is None else mapped(phi, rows)
        refuse_large(rows)
        bound = self._bound(len(y), weight)
        kernel = self._choose(rows, y, weight, bound)
        with progress_bar("support vector machine", self.verbose) as progress:
            model, solutions = self._solve(encoder, rows, y, bound, kernel, progress)
        warn_out_of_steps(solutions)
        if self.calibration is not None:
            model = replace(model, calibration=self._calibrate(encoder, rows, y, weight, bound, kernel))
        self._publish(model, solutions, rows)
        return model

    def _solve(
        self,
        encoder: DenseEncoder,
        rows: Any,
        y: np.ndarray,
        bound: np.ndarray,
        kernel: Kernel,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[SVMModel, Solutions]:
        settings = Settings(
            tol=self.tol,
            max_iter=self.max_iter,
            shrinking=self.shrinking,
            cache_bytes=self.cache_size * 1e6,
            threads=self._threads(),
            progress=progress,
        )
        layout = {"shape": self.decision_function_shape, "break_ties": self.break_ties, "phi": self._map(encoder)}
        return train(encoder, rows, y, len(self.classes_), self.multi_class, kernel, bound, settings, **layout)

    def _map(self, encoder: DenseEncoder) -> Callable[[np.ndarray], np.ndarray] | None:
        if isinstance(self.phi, str):
            return Products.parse(self.phi, encoder.width)
        return self.phi if self.phi is None or callable(self.phi) else Products.up_to(int(self.phi), encoder.width)

    def _choose(self, rows: Any, y: np.ndarray, weight: np.ndarray | None, bound: np.ndarray) -> Kernel:
        if self.kernel != "auto":
            return self._kernel(rows, weight, {"kernel": self.kernel})

        # The rows are encoded already: candidates need no encoder of their own.
        encoder = DenseEncoder.learn(EncodedMatrix.from_arrays(rows[:1]), None, None)

        def codes_of(candidate: dict[str, Any], train: np.ndarray, test: np.ndarray) -> np.ndarray:
            part = None if weight is None else weight[train]
            kernel = self._kernel(rows[train], part, candidate)
            model, _ = self._solve(encoder, rows[train], y[train], bound[train], kernel)
            return model.codes_of(model.machines(rows[test]))

        best, self.kernel_table_ = choose_kernel(codes_of, y, weight, self.cv, seed_of(self.random_state))
        return self._kernel(rows, weight, best)

    def _calibrate(
        self,
        encoder: DenseEncoder,
        rows: Any,
        y: np.ndarray,
        weight: np.ndarray | None,
        bound: np.ndarray,
        kernel: Kernel,
    ) -> np.ndarray:
        def values_of(train: np.ndarray, test: np.ndarray) -> np.ndarray:
            inner, outer = rows[train], rows[test]
            if kernel.name == "precomputed":
                inner, outer = np.ascontiguousarray(inner[:, train]), outer[:, train]
            model, _ = self._solve(encoder, inner, y[train], bound[train], kernel)
            return model.class_values(model.machines(outer))

        return calibrate(values_of, y, weight, len(self.classes_), self.cv, seed_of(self.random_state))

    def _bound(self, n: int, weight: np.ndarray | None) -> np.ndarray:
        """Return the largest multiplier of each row."""
        weight = np.ones(n) if weight is None else weight
        return weight * (self.C if self.lam is None else 1 / (2 * weight.sum() * self.lam))

    def _kernel(self, rows: Any, weight: np.ndarray | None, candidate: dict[str, Any]) -> Kernel:
        chosen = candidate["kernel"]
        if self.phi is not None:
            return Kernel("linear")
        if callable(chosen):
            return Kernel("callable", function=chosen)
        gamma = 1.0 if chosen in ("linear", "precomputed") else gamma_of(self.gamma, self.sigma, rows, weight)
        coef0, degree = candidate.get("coef0", self.coef0), candidate.get("degree", self.degree)
        return Kernel(chosen, gamma, float(coef0), int(degree))

    def _publish(self, model: SVMModel, solutions: Solutions, rows: Any) -> None:
        def plain(values: Any) -> Any:
            return values[0] if len(self.classes_) == 2 else values

        self.support_ = model.support
        self.support_vectors_ = rows[model.support] if model.kernel.name != "precomputed" else np.empty((0, 0))
        self.n_support_ = np.diff(model.class_starts)
        self.multipliers_ = np.abs(model.dual_coef)
        self.margin_, self.slack_ = plain(solutions.margins()), plain(solutions.slacks())
        self.dual_objective_, self.kkt_gap_ = plain(solutions.objective), plain(solutions.gap)
        self.n_iter_, self.fit_status_ = plain(solutions.steps), int((solutions.status != 0).any())
        self.encoded_names_ = np.array(model.encoder.names, dtype=object)

    def _model(self) -> SVMModel:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, SVMModel)
        return model
