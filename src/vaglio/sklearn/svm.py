"""The names of ``sklearn.svm``; the support vector classifier is vaglio's."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn import svm as theirs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length

from vaglio.errors import warn
from vaglio.runtime.scikit_learn import check_sample_weight, num_samples
from vaglio.sklearn._checks import (
    DENSE_LIMIT,
    TALKING,
    TALKS,
    class_codes,
    factors_of,
    one_column,
    shared_case,
    shared_cases,
    validate_data,
)
from vaglio.sklearn._names import forward
from vaglio.sklearn._preset import Preset
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ("SVC",)

__all__, __getattr__, __dir__ = forward(__name__, OWN)

_PROBABILITY = "probability=True"
_HARD = "C=inf"
_NO_WEIGHT = "sample weights of 0"
_LARGE_SPARSE = "a large sparse X with a kernel that is not linear"
# Numbers beyond this have no kernel values that can be computed with.
_LARGEST = 1e30
_UNDERFLOW = 1e-290
_TheirSVC = theirs.SVC
# How scikit-learn takes rows.
_ROWS: dict[str, Any] = {"dtype": np.float64, "order": "C", "accept_sparse": "csr", "accept_large_sparse": False}
_NAMED = ("linear", "poly", "rbf", "sigmoid")


class SVC(Preset, theirs.SVC):
    __doc__ = theirs.SVC.__doc__
    _learner = "vaglio.learners.svm.estimators.svc:SVC"
    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.SVC),
        **TALKS,
        _PROBABILITY: "LIBSVM's probabilities follow from its own random folds; vaglio's SVC has calibration='sigmoid'",
        _HARD: "vaglio's hard margin refuses classes that no hyperplane separates; LIBSVM stops somewhere",
        _NO_WEIGHT: "LIBSVM has its own rules for classes that lose all their rows",
        _LARGE_SPARSE: "vaglio writes a sparse matrix out in full for it, up to 16 million numbers",
    }

    def _case(self, X: Any, y: Any, sample_weight: Any) -> str | None:
        if self.probability not in (False, "deprecated"):
            return _PROBABILITY
        if np.isinf(self.C):
            return _HARD
        if self.verbose:
            return TALKING
        if sample_weight is not None and not np.all(np.asarray(sample_weight, dtype=np.float64)):
            return _NO_WEIGHT
        if issparse(X) and self.kernel in _NAMED[1:] and X.shape[0] * X.shape[1] > DENSE_LIMIT:
            return _LARGE_SPARSE
        return shared_case(self, sample_weight)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        self._sparse_rows = issparse(X) and not callable(self.kernel)
        if callable(self.kernel):
            check_consistent_length(X, y)
        else:
            if self.kernel == "precomputed" and issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported: give a dense matrix.")
            X, y = validate_data(self, X, y, **_ROWS)
        if self.probability != "deprecated":  # scikit-learn says what it thinks of the parameter
            _TheirSVC(probability=False).fit([[0.0], [1.0]], [0, 1])
        y = one_column(y)
        self.classes_, codes = class_codes(y)
        n = num_samples(X)
        if self.kernel == "precomputed" and n != X.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {n}x{X.shape[1]} matrix.")
        self.class_weight_ = factors_of(self.class_weight, self.classes_, y)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, np.empty((n, 1)))
        if self.class_weight is not None:
            weight = self.class_weight_[codes] * (1.0 if weight is None else weight)
        return X, y, weight

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings() | {"class_weight": None, "preprocess": None, "random_state": 0, "verbose": False}
        if self.kernel not in _NAMED:
            settings["kernel"] = "precomputed"
        return settings

    def _gamma_of(self, X: Any) -> float:
        """Return gamma as scikit-learn computes it: from all rows alike, whatever they weigh."""
        if self.gamma == "auto":
            return 1.0 / float(X.shape[1])
        if self.gamma != "scale":
            return float(self.gamma)
        variance = X.multiply(X).mean() - X.mean() ** 2 if issparse(X) else X.var()
        scale = float(X.shape[1]) * float(variance)
        return 1.0 / scale if scale else 1.0

    def _train(self, learner: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> None:
        if self.kernel in _NAMED:
            learner.gamma = self._gamma_of(X)
        # A function is asked for all pairs of rows, as scikit-learn does: rows may be anything it understands.
        self._asked_rows = X if callable(self.kernel) else None
        rows: Any = self._kernel_matrix(X) if callable(self.kernel) else X
        if callable(self.kernel) and rows.shape[0] != rows.shape[1]:
            raise ValueError(f"X.shape[0] should be equal to X.shape[1] in the matrix of the kernel, not {rows.shape}.")
        rows = rows.toarray() if issparse(rows) and self.kernel != "linear" else rows
        if rows.shape[0] and np.abs(rows).max() > _LARGEST:
            raise ValueError(
                "The dual coefficients or intercepts are not finite: X holds numbers beyond 1e30; scale it."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            learner.fit(rows, y, sample_weight)
        if learner.fit_status_:
            message = f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with"
            warn(f"{message} StandardScaler or MinMaxScaler.", ConvergenceWarning)

    def _kernel_matrix(self, X: TableLike) -> np.ndarray:
        values = self.kernel(X, self._asked_rows)
        return np.asarray(values.toarray() if issparse(values) else values, dtype=np.float64, order="C")

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.support_ = learner.support_.astype(np.int32)
        self.dual_coef_, self.intercept_ = learner.dual_coef_, learner.intercept_
        self.support_vectors_ = learner.support_vectors_
        if self._sparse_rows:
            self.support_vectors_, self.dual_coef_ = csr_matrix(X[learner.support_]), csr_matrix(learner.dual_coef_)
        self.n_iter_ = np.atleast_1d(learner.n_iter_).astype(np.int32)
        self.fit_status_ = learner.fit_status_
        # What scikit-learn's own methods look for beside: probabilities there are none.
        self._sparse, self._probA, self._probB = self._sparse_rows, np.empty(0), np.empty(0)
        self._gamma = learner.gamma if self.kernel in _NAMED else 0.0
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (num_samples(X),)

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors of each class."""
        if self.__dict__.get("learner_") is None:
            return np.asarray(super().n_support_)
        return np.asarray(self.learner_.n_support_.astype(np.int32))

    @property
    def coef_(self) -> Any:
        """Weights of the columns, with a linear kernel."""
        if self.__dict__.get("learner_") is None or self.kernel != "linear":
            return super().coef_
        coef = self.learner_.coef_.copy()
        coef.flags.writeable = False
        return csr_matrix(coef) if self._sparse_rows else coef

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return the decision values of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
        """
        if not self._ours:
            return np.asarray(super().decision_function(X))
        model, machines = self.learner_.fitted_.model, self._machines(X)
        if len(self.classes_) == 2:
            return np.asarray(machines[:, 0])
        if self.decision_function_shape == "ovo":
            return machines
        # A value of exactly zero is a vote for the first class here, and for the second in predict, as in scikit-learn.
        return np.asarray(model.votes_with_confidence(np.where(machines == 0, np.finfo(float).tiny, machines)))

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the class of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not self._ours or (self.break_ties and self.decision_function_shape == "ovo"):
            return np.asarray(super().predict(X))
        if len(self.classes_) == 2:
            return np.asarray(self.classes_[(self.decision_function(X) >= 0).astype(np.intp)])
        if self.break_ties:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        return np.asarray(self.classes_[self.learner_.fitted_.model.codes_of(self._machines(X))])

    def _machines(self, X: TableLike) -> np.ndarray:
        """Return the value of each two-class machine, with the intercepts of this estimator."""
        rows: Any
        if callable(self.kernel):
            rows = self._kernel_matrix(X)
        else:
            rows = validate_data(self, X, reset=False, **_ROWS)
        if issparse(rows) and not self._sparse_rows:
            raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        if issparse(rows) and self.kernel != "linear":
            rows = rows.toarray()
        if rows.shape[1] != self.learner_.n_features_in_:
            raise ValueError(
                f"X.shape[1] = {rows.shape[1]} should be equal to {self.learner_.n_features_in_}, the number of "
                "samples at training time"
            )
        model = self.learner_.fitted_.model
        machines: np.ndarray = model.machines(rows) - model.intercept + self.intercept_
        # Kernel values near the least number there is are 0 in LIBSVM: a sum of them is a tie.
        machines[np.abs(machines) < _UNDERFLOW] = 0.0
        return machines
