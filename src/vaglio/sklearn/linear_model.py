"""The names of ``sklearn.linear_model``; logistic regression and the perceptron are vaglio's."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import linear_model as theirs
from sklearn.exceptions import ConvergenceWarning

from vaglio.errors import DataWarning, warn
from vaglio.runtime.scikit_learn import check_sample_weight
from vaglio.sklearn._checks import (
    TALKING,
    TALKS,
    X_is_sound,
    class_codes,
    factors_of,
    row_weights,
    shared_case,
    shared_cases,
    validate_data,
)
from vaglio.sklearn._names import forward
from vaglio.sklearn._preset import LearnsInParts, Preset
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ("LogisticRegression", "Perceptron")

__all__, __getattr__, __dir__ = forward(__name__, OWN)


# Held here: while scikit-learn is patched, its module has vaglio's class under this name.
_TheirLogisticRegression = theirs.LogisticRegression
_NO_STEP = "max_iter=0"
_SINGLE = "X in single precision"
# How scikit-learn's solvers begin to say that they did not converge: programs look for it.
_UNCONVERGED = {
    "lbfgs": "lbfgs failed to converge",
    "newton-cg": "newton-cg failed to converge. Increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {} iterations",
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}


class LinearPreset(Preset):
    """A product with ``coef_`` answers for arrays that are plainly sound, with the operations of scikit-learn.

    It takes a sixth of the time of scikit-learn's methods for 150 rows, two thirds for 10,000.
    """

    classes_: Any
    coef_: Any
    intercept_: Any

    def decision_function(self, X: TableLike) -> Any:
        """Return the decision values of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if not self._is_plain(X):
            return super().decision_function(X)  # type: ignore[misc]
        scores = X @ self.coef_.T + self.intercept_
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> Any:
        """Return the class of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not self._is_plain(X):
            return super().predict(X)  # type: ignore[misc]
        scores = self.decision_function(X)
        return self.classes_.take((scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1))

    def _is_plain(self, X: TableLike) -> bool:
        coef = self.__dict__.get("coef_")
        return type(coef) is np.ndarray and coef.ndim == 2 and X_is_sound(self, X)


class LogisticRegression(LinearPreset, theirs.LogisticRegression):
    __doc__ = theirs.LogisticRegression.__doc__
    _learner = "vaglio.learners.linear.estimators.logistic:LogisticRegression"
    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.LogisticRegression),
        **TALKS,
        _NO_STEP: "vaglio takes at least one step",
    }

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        if self.max_iter == 0:
            return _NO_STEP
        if self.verbose and self.solver != "lbfgs":  # which prints nothing
            return TALKING
        return shared_case(self, sample_weight)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=self.solver not in ("liblinear", "sag", "saga"),
        )
        self._let_scikit_learn_speak(class_codes(y)[0], float(X.max()))
        return X, y, row_weights(self.class_weight, X, y, sample_weight)

    def _let_scikit_learn_speak(self, classes: np.ndarray, largest: float) -> None:
        """Let scikit-learn's class say, on a handful of rows, what it refuses or warns of in these parameters."""
        usual = (self.penalty, self.l1_ratio, self.dual, self.n_jobs) == ("deprecated", 0, False, None)
        if usual and self.solver != "liblinear" and len(classes) > 1:
            return
        params = {**self._given_params(), "max_iter": 1, "warm_start": False, "verbose": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            _TheirLogisticRegression(**params).fit(np.linspace(0, max(largest, 1), len(classes))[:, None], classes)

    def _settings(self) -> dict[str, Any]:
        penalty = {"deprecated": "auto"}.get(self.penalty, self.penalty)
        # scikit-learn's limited-memory BFGS ends at a slope of tol, vaglio's at a hundredth of it.
        tol = 100 * self.tol if self.solver == "lbfgs" else self.tol
        return super()._settings() | {
            "class_weight": None,
            "penalty": penalty,
            "l1_ratio": self.l1_ratio or 0.0,
            "tol": max(tol, 1e-12),
            "preprocess": None,
            "random_state": 0,
            "n_jobs": None,
        }

    def _train(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        if self.warm_start and hasattr(self, "coef_"):
            if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_).all()):
                raise ValueError(
                    "Floating-point under-/overflow: coef_ or intercept_, where warm_start begins, is not finite: "
                    "set them, or use warm_start=False."
                )
            learner.coef_, learner.intercept_ = np.asarray(self.coef_, dtype=np.float64), self.intercept_
        rows = X.astype(np.float64, copy=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # classes that a hyperplane separates
            warnings.simplefilter("ignore", ConvergenceWarning)
            learner.fit(rows, y, sample_weight=sample_weight)
        if not learner.converged_:
            says = _UNCONVERGED[self.solver].format(learner.n_iter_)
            warn(f"{says} (max_iter={self.max_iter}): raise max_iter or loosen tol.", ConvergenceWarning)

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.classes_ = learner.classes_
        kind = np.float64 if self.solver == "liblinear" else X.dtype
        self.coef_ = learner.coef_.astype(kind, copy=False)
        self.intercept_ = learner.intercept_.astype(kind, copy=False)
        self.n_iter_ = np.array([learner.n_iter_], dtype=np.int32)


class Perceptron(LinearPreset, LearnsInParts, theirs.Perceptron):
    __doc__ = theirs.Perceptron.__doc__
    _learner = "vaglio.learners.linear.estimators.perceptron:VisitingPerceptron"
    _fixed: ClassVar[dict[str, Any]] = {"preprocess": None, "class_weight": None}
    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.Perceptron),
        **LearnsInParts._cases,
        **TALKS,
        _SINGLE: "scikit-learn then learns in single precision, and a rounding changes which rows are wrong",
    }

    def fit(  # type: ignore[override]
        self,
        X: TableLike,
        y: ColumnLike,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init : ndarray of shape (n_classes, n_features), optional
            Coefficients to start from.
        intercept_init : ndarray of shape (n_classes,), optional
            Intercepts to start from.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._given = coef_init, intercept_init
        try:
            ours = self._fit_ours(X, y, sample_weight)
        finally:
            del self._given
        return ours or self._fit_theirs(X, y, coef_init, intercept_init, sample_weight=sample_weight)

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        if getattr(X, "dtype", None) == np.float32:
            return _SINGLE
        if self.verbose:
            return TALKING
        return shared_case(self, sample_weight)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C", accept_large_sparse=False)
        if len(class_codes(y)[0]) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class")
        weight = None if sample_weight is None else check_sample_weight(sample_weight, X, dtype=np.float64)
        return X, y, weight

    def _train(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        classes, _ = class_codes(y)
        learner.factors_ = factors_of(self.class_weight, classes, y)
        learner.start_ = self._start_from(1 if len(classes) == 2 else len(classes), X.shape[1])
        learner.row_weights_ = sample_weight
        learner.fit(X, y)

    def _start_from(self, outputs: int, width: int) -> np.ndarray | None:
        """Return the coefficients and intercepts to start from, if any are given or held."""
        coef, intercept = self._given
        if self.warm_start and getattr(self, "coef_", None) is not None:
            coef = self.coef_ if coef is None else coef
            intercept = self.intercept_ if intercept is None else intercept
        start = np.zeros((outputs, width + 1))
        if coef is not None:
            held = np.asarray(coef, dtype=np.float64)
            held = held.reshape(1, -1) if outputs == 1 else held
            if held.shape != (outputs, width):
                name = "coef_init" if outputs == 1 else "``coef_``"
                raise ValueError(f"Provided {name} does not match dataset: it is not of shape {(outputs, width)}.")
            start[:, :-1] = held
        if intercept is not None:
            held = np.atleast_1d(np.asarray(intercept, dtype=np.float64))
            if held.shape != (outputs,):
                raise ValueError(f"Provided intercept_init does not match dataset: it is not of shape {(outputs,)}.")
            start[:, -1] = held
        return start

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.classes_, self.n_iter_ = learner.classes_, learner.n_iter_
        self.coef_, self.intercept_ = learner.coef_, learner.intercept_
        self.t_ = 1.0 + self.n_iter_ * X.shape[0]
        if self.tol is not None and self.n_iter_ == self.max_iter:
            message = "Maximum number of iteration reached before convergence: raise max_iter, or tol."
            warn(message, ConvergenceWarning)
