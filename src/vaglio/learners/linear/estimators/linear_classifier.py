"""What the perceptron and logistic regression share: coefficients and decision values."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse as sp
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.errors import InputError
from vaglio.learners.inputs import learn_belief
from vaglio.learners.learned import Learned
from vaglio.learners.linear.estimators.chunk_learner import ChunkLearner
from vaglio.learners.linear.model.linear import LinearModel
from vaglio.learners.parameters import estimator
from vaglio.model.base import refuse_unreal
from vaglio.table import as_frame


@estimator
class LinearClassifier(ChunkLearner):
    """Base of classifiers whose model is one linear function per class, or a single one for two classes.

    Parameters
    ----------
    fit_intercept : bool
        Whether the linear functions have an intercept; without it they pass through the origin.
    warm_start : bool
        Whether a further fit starts from the present coefficients, instead of zero.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions, n_encoded)
        Coefficients in the encoded space; :meth:`coefficients` gives them in the units of the table. Setting them, or
        the intercepts, changes what is predicted.
    intercept_ : ndarray of shape (n_functions,)
        Intercept of each linear function.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    reliability_ : dict of str to float
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``); a
        column of 0 has no effect.
    """

    _accepts_sparse = True
    _min_classes = 2
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fit_intercept": ["boolean"],
        "warm_start": ["boolean"],
    }

    fit_intercept: bool = True
    class_weight: Any = None
    preprocess: str | None = "auto"
    nominal_guard: float | None = 0.0
    warm_start: bool = False
    random_state: Any = 0

    coef_ = Learned("coef", shown=lambda self, coef: sp.csr_matrix(coef) if self._sparse_coef else coef)
    intercept_ = Learned("intercept")
    _sparse_coef = False
    encoded_names_: np.ndarray = field(init=False)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return w·x + b for each row.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One value per row for two classes (positive is the second), else one per row and class.
        """
        matrix = self._encode(X)
        return refuse_unreal(self._model().decision_function(matrix), "decision values")

    def coefficients(self) -> Any:
        """Return the coefficients in the units of the table, one line per class and encoded column.

        Returns
        -------
        DataFrame
            ``class`` (a positive coefficient makes it more likely), ``name``, ``coefficient``; the intercept first.
        """
        check_is_fitted(self, "fitted_")
        rows = self.fitted_.coefficients()
        return as_frame({name: [row[name] for row in rows] for name in rows[0]})

    def sparsify(self) -> Self:
        """Show ``coef_`` as a sparse matrix from now on, for models with most coefficients at zero.

        Returns
        -------
        self
        """
        check_is_fitted(self, "fitted_")
        self._sparse_coef = True
        return self

    def densify(self) -> Self:
        """Show ``coef_`` as an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self, "fitted_")
        self._sparse_coef = False
        return self

    def _takes_tables(self) -> bool:
        return self.preprocess is not None

    def _encoder(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, **how: bool) -> DenseEncoder:
        reliability = learn_belief(self, matrix, y, weight)
        return DenseEncoder.learn(matrix, weight, self.preprocess, reliability=reliability, **how)

    def _held_start(self, shape: tuple[int, int]) -> np.ndarray | None:
        """Return the coefficients and intercepts that a warm start goes on from."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        held = np.column_stack([self.coef_.toarray() if self._sparse_coef else self.coef_, self.intercept_])
        if held.shape != shape:
            raise InputError(
                f"warm_start goes on from {held.shape[0]} functions of {held.shape[1] - 1} columns, and here there are "
                f"{shape[0]} of {shape[1] - 1}: fit a new estimator."
            )
        if not np.isfinite(held).all():
            raise InputError(
                "warm_start goes on from coef_ and intercept_, which hold NaN or infinity: fit a new estimator."
            )
        return np.ascontiguousarray(held, dtype=np.float64)

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _model(self) -> LinearModel:
        model = self.fitted_.model
        assert isinstance(model, LinearModel)
        return model

    def _publish(self, model: LinearModel) -> LinearModel:
        """Set the fitted attributes of scikit-learn's linear classifiers."""
        self._sparse_coef = False
        for name in ("coef_", "intercept_"):  # what a user set before fitting was the start
            self.__dict__.pop(name, None)
        self.encoded_names_ = np.array(model.encoder.names, dtype=object)
        return model


def as_labels(codes: np.ndarray) -> np.ndarray:
    """Return class codes as the kernels take them."""
    return np.ascontiguousarray(codes, dtype=np.int32)
