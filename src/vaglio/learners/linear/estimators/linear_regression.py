"""Linear regression: a number is a weighted sum of the columns, with or without a penalty on the weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import stdtr, stdtrit
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, check_cv
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.errors import InputError, as_own_errors, warn
from vaglio.learners.estimator import VaglioRegressor
from vaglio.learners.inputs import Unit, learn_column_reliability
from vaglio.learners.learned import Learned
from vaglio.learners.linear.estimators.least_squares import Line, Penalty, Splits, Squares, Sums, path
from vaglio.learners.linear.model import LinearModel
from vaglio.learners.parameters import COUNT, FROM_0_TO_1, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.messages.message import Message, text
from vaglio.runtime.seeds import seed_of
from vaglio.table import as_frame
from vaglio.typing import CrossValidation, RandomState


@dataclass(frozen=True)
class Errors:
    """What the errors of the coefficients are computed from when they are asked for: most fits are only to predict."""

    encoder: DenseEncoder
    sums: Sums
    line: Line
    target: Unit
    alpha: float
    fit_intercept: bool

    def covariance(self) -> tuple[np.ndarray, float] | None:
        """Return the covariance of the coefficients in the units of the table, intercept first, and the freedom left.

        None where no rows are left to tell the error.
        """
        sums = self.sums
        values, vectors = np.linalg.eigh(sums.gram)
        floor = len(values) * np.finfo(float).eps * values.max(initial=0.0)
        values = np.where(values > floor, values, 0.0)
        shrunk = np.where(values + self.alpha > 0, values + self.alpha, np.inf)
        freedom = sums.total - float((values / shrunk).sum()) - self.fit_intercept
        if freedom < 1e-9:
            return None
        residual = float(sums.squares(self.line.coef[None], sums)[0]) / freedom
        width = len(values)
        inner = np.zeros((width + 1, width + 1))
        inner[:-1, :-1] = (vectors / shrunk) @ vectors.T / sums.total
        inner[-1, -1] = 1 / sums.total if self.fit_intercept else 0.0
        # From coefficients and prediction at the means to intercept and coefficients in the units of the table.
        coef, start = self.encoder.to_original_units(np.eye(width), -sums.mean[:-1])
        change = np.zeros((width + 1, width + 1))
        change[1:, :-1], change[0, :-1], change[0, -1] = coef.T, start, 1.0
        with np.errstate(over="ignore", under="ignore"):
            covariance = change @ inner @ change.T * residual
            return self.target.back(self.target.back(covariance)), freedom


@estimator
class LinearRegression(VaglioRegressor):
    """Linear regression by least squares, ridge, lasso or elastic net; cross-validation chooses the penalty.

    Minimises ½·mean squared error + alpha·(l1_ratio·Σ|w| + (1 − l1_ratio)/2·Σw²), with numbers and target in units of
    their standard deviation, so that neither the unit of a column nor that of the target changes the model.

    Parameters
    ----------
    alpha : float or "auto"
        Strength of the penalty. 0 is least squares, "auto" the strength of least squared error in cross-validation.
    l1_ratio : float
        Share of the absolute penalty: 0 is ridge regression, 1 the lasso, between them the elastic net.
    cv : int, splitter or iterable
        Folds that choose ``alpha``.
    fit_intercept : bool
        Whether the sum has an intercept; without one, columns of 0 predict 0.
    degree : int
        Above 1, the products of up to so many numbers are columns too, such as x², x·y and y²: the sum is then a
        polynomial. ``encoded_names_`` has their names; an explanation divides a product among its factors.
    tol : float
        The lasso and the elastic net are done when no coefficient changes by more than this.
    max_iter : int
        Largest number of passes over the coefficients.
    preprocess : {"auto"} or None
        "auto" encodes nominal columns one-hot, standardises numbers and imputes missing values; None takes X as it is.
        With ``alpha=0`` the first category of a nominal column is the reference that the others are compared with.
    random_state : int, RandomState or None
        Seed that deals the rows out to the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_encoded,)
        Coefficients in the encoded space; :meth:`coefficients` gives them in the units of the table. Setting them, or
        the intercept, changes what is predicted.
    intercept_ : float
        The intercept.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    alpha_ : float
        Strength of the penalty.
    alphas_ : ndarray of shape (n_alphas,)
        The strengths that cross-validation compared, strongest first; empty for a given ``alpha``.
    cv_error_ : ndarray of shape (n_alphas,)
        Mean squared error of each in cross-validation.
    coef_path_ : ndarray of shape (n_alphas, n_encoded)
        The coefficients of each on all rows, where there are few enough columns; else of shape (0, n_encoded).
    n_iter_ : int
        Number of passes over the coefficients; 1 for least squares and ridge regression.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    >>> vaglio.LinearRegression().fit(X, y).score(X, y) > 0.8
    True
    """

    _learner_id = "linear"
    _accepts_sparse = True
    _scales_weights = True
    _gathers = text("Linear regression needs all rows in memory")
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [*NOT_NEGATIVE, StrOptions({"auto"})],
        "l1_ratio": FROM_0_TO_1,
        "cv": ["cv_object"],
        "fit_intercept": ["boolean"],
        "degree": COUNT,
        "tol": POSITIVE,
        "max_iter": COUNT,
    }

    alpha: float | Literal["auto"] = field(default="auto", kw_only=False)
    l1_ratio: float = 0.0
    cv: CrossValidation = 10
    fit_intercept: bool = True
    degree: int = 1
    tol: float = 1e-7
    max_iter: int = 10_000
    preprocess: Literal["auto"] | None = "auto"
    high_cardinality: float | None = 0.0
    random_state: RandomState = 0

    coef_ = Learned[np.ndarray]("coef", shown=lambda self, coef: coef[0])
    intercept_ = Learned[float]("intercept", shown=lambda self, intercept: float(intercept[0]))
    encoded_names_: np.ndarray = field(init=False)
    alpha_: float = field(init=False)
    alphas_: np.ndarray = field(init=False)
    cv_error_: np.ndarray = field(init=False)
    coef_path_: np.ndarray = field(init=False)
    n_iter_: int = field(init=False)
    _errors: Errors | None = field(init=False)

    def coefficients(self, confidence: float = 0.95) -> Any:
        """Return the coefficients in the units of the table, with how sure they are.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        DataFrame
            ``name`` and ``coefficient``, the intercept first; and for fits without an absolute penalty ``std_error``,
            ``low``, ``high``, ``t`` and ``p_value``. With a penalty the intervals are those of a Bayesian for whom the
            penalty is what is known beforehand: they are narrower, and cover the truth on average over the columns.
        """
        if not 0 < confidence < 1:
            raise InputError(
                "invalid-confidence",
                "confidence must be between 0 and 1, not {confidence}.",
                confidence=confidence,
            )
        check_is_fitted(self, "fitted_")
        rows = self.fitted_.coefficients()
        frame = as_frame({name: [row[name] for row in rows] for name in rows[0]})
        known = None if self._errors is None else self._errors.covariance()
        if known is None:
            return frame
        covariance, freedom = known
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        margin = stdtrit(freedom, 0.5 + confidence / 2) * error
        with np.errstate(divide="ignore", invalid="ignore"):
            t = frame["coefficient"] / error
        return frame.assign(
            std_error=error,
            low=frame["coefficient"] - margin,
            high=frame["coefficient"] + margin,
            t=t,
            p_value=2 * stdtr(freedom, -np.abs(t)),
        )

    def _takes_tables(self) -> bool:
        return self.preprocess is not None

    def _finish(self, codebook: Codebook, matrix: Any, y: np.ndarray, weight: Any, *how: bool, **more: bool) -> Self:
        # Splits name rows of the user's table; the base drops those of weight 0 before learning.
        self._counted = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        try:
            return super()._finish(codebook, matrix, y, weight, *how, **more)
        finally:
            del self._counted

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = DenseEncoder.learn(
            matrix,
            weight,
            self.preprocess,
            drop_first=self.alpha == 0,
            reliability=learn_column_reliability(self, matrix, y, weight),
            degree=self.degree,
        )
        target = Unit.of(y, weight)
        penalty = Penalty(float(self.l1_ratio), float(self.tol), self.max_iter)
        squares = Squares(encoder.compact(matrix), target.scaled(y), weight, self.fit_intercept, penalty)
        sums = squares.sums() if squares.by_products else None
        self._choose(squares, sums, target)
        line = squares.minimum(self.alpha_, sums)
        if not line.converged:
            warn(
                Message(
                    "least-squares-not-converged",
                    "Coefficients were still moving after {n_iter:,} passes over them. Raise max_iter, loosen tol, or "
                    "scale the columns.",
                    n_iter=self.max_iter,
                ),
                ConvergenceWarning,
            )
        self._publish(encoder, line)
        self._errors = None
        if sums is not None and self.alpha_ * self.l1_ratio == 0:
            self._errors = Errors(encoder, sums, line, target, self.alpha_, self.fit_intercept)
        return LinearModel(encoder, target.back(line.coef[None]), target.back(np.array([line.intercept])), False)

    def _choose(self, squares: Squares, sums: Sums | None, target: Unit) -> None:
        """Set ``alpha_``, and what cross-validation says of the others."""
        n, width = squares.rows.shape
        self.alphas_, self.cv_error_, self.coef_path_ = np.empty(0), np.empty(0), np.empty((0, width))
        if self.alpha != "auto":
            self.alpha_ = float(self.alpha)
            return
        self.alphas_ = squares.alphas(sums)
        errors = np.zeros(len(self.alphas_))
        if n > 1:
            errors = squares.errors(self.alphas_, self._splits(n))
        self.alpha_ = float(self.alphas_[np.argmin(errors)])
        self.cv_error_ = target.back(target.back(errors))
        if sums is not None:
            self.coef_path_ = target.back(path(sums, self.alphas_, squares.penalty))

    def _splits(self, n: int) -> Splits:
        if isinstance(self.cv, Integral):
            folds = KFold(min(int(self.cv), n), shuffle=True, random_state=seed_of(self.random_state) % 2**32)
            return list(folds.split(np.zeros(n)))
        counts = self.__dict__.get("_counted", np.ones(n, dtype=bool))
        place = np.cumsum(counts) - 1
        with as_own_errors():
            given = [(np.asarray(a), np.asarray(b)) for a, b in check_cv(self.cv).split(np.zeros(len(counts)))]
            splits = [(place[train[counts[train]]], place[test[counts[test]]]) for train, test in given]
        if not splits or any(train.ndim != 1 or test.ndim != 1 for train, test in splits):
            raise InputError("no-splits", "cv must have pairs of training rows and test rows, at least one.")
        return splits

    def _publish(self, encoder: DenseEncoder, line: Line) -> None:
        for name in ("coef_", "intercept_"):  # what a user set before fitting
            self.__dict__.pop(name, None)
        self.n_iter_ = line.n_iter
        self.encoded_names_ = np.array(encoder.names, dtype=object)
