"""What the perceptron and logistic regression share: coefficients, decision values, learning chunk by chunk."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from vaglio._version import __version__
from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.learn._parameters import estimator
from vaglio.learn.estimator import VaglioClassifier, describe_training, plain_params
from vaglio.learn.inputs import learn_belief
from vaglio.model.base import refuse_unreal
from vaglio.model.linear.linear import LinearModel
from vaglio.table import as_frame


@estimator
class LinearClassifier(VaglioClassifier):
    """Base of classifiers whose model is one linear function per class, or a single one for two classes.

    Parameters
    ----------
    fit_intercept : bool
        Whether the linear functions have an intercept; without it they pass through the origin.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions, n_encoded)
        Coefficients in the encoded space; :meth:`coefficients` gives them in the units of the table.
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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"fit_intercept": ["boolean"]}

    fit_intercept: bool = True
    class_weight: Any = None
    preprocess: str | None = "auto"
    nominal_guard: float | None = 0.0
    random_state: Any = 0

    coef_: np.ndarray = field(init=False)
    intercept_: np.ndarray = field(init=False)
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

    def _encoder(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, **how: bool) -> DenseEncoder:
        reliability = learn_belief(self, matrix, y, weight)
        return DenseEncoder.learn(matrix, weight, self.preprocess, reliability=reliability, **how)

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _model(self) -> LinearModel:
        model = self.fitted_.model
        assert isinstance(model, LinearModel)
        return model

    def _publish(self, model: LinearModel) -> LinearModel:
        """Set the fitted attributes of scikit-learn's linear classifiers."""
        self.coef_, self.intercept_ = model.coef, model.intercept
        self.encoded_names_ = np.array(model.encoder.names, dtype=object)
        return model

    def _take_chunk(
        self, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> tuple[Codebook, EncodedMatrix, np.ndarray, np.ndarray | None]:
        """Encode a chunk for ``partial_fit``: the first one fixes columns, categories and classes."""
        if hasattr(self, "fitted_"):
            codebook, matrix = self.fitted_.codebook, self._encode(X)
        else:
            self._validate_params()
            if classes is None:
                raise InputError(
                    "classes must be passed on the first call to partial_fit: later chunks may hold others."
                )
            codebook, matrix = self._encode_training(X)
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise InputError(f"partial_fit needs at least two classes; got one class: {self.classes_[0]!r}.")
        labels = column_or_1d(y)
        codes = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        if (self.classes_[codes] != labels).any():
            strange = labels[self.classes_[codes] != labels][0]
            raise InputError(f"The label {strange!r} is not among the classes named on the first call to partial_fit.")
        check_consistent_length(matrix, codes)
        return codebook, matrix, codes, self._weight_of_chunk(X, codes, sample_weight)

    def _keep_chunk(self, codebook: Codebook, model: LinearModel, matrix: EncodedMatrix, codes: np.ndarray) -> None:
        provenance = {"version": __version__, "training": describe_training(matrix, codes)}
        self.fitted_ = Fitted(codebook, model, self.classes_, self._learner_id, plain_params(self), provenance)
        self._publish(model)


def as_labels(codes: np.ndarray) -> np.ndarray:
    """Return class codes as the kernels take them."""
    return np.ascontiguousarray(codes, dtype=np.int32)
