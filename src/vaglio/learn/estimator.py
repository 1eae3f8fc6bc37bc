"""What every estimator shares: a learner writes one method, ``_learn(matrix, y, weight) -> Model``."""

from __future__ import annotations

import hashlib
import os
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import InputError
from vaglio.explanation import Explanation
from vaglio.fitted import Fitted
from vaglio.learn._parameters import estimator
from vaglio.learn.inputs import check_labels, check_numbers, check_weight, check_X, refuse_overflow
from vaglio.model.base import Model, class_proba
from vaglio.runtime.threads import resolve_threads


@estimator
class VaglioEstimator(BaseEstimator):
    """Table handling, delegation to ``fitted_``, saving.

    A subclass declares ``_learner_id`` (its command-line id), its parameters (see :mod:`vaglio.learn._parameters`) and
    ``_parameter_constraints`` (scikit-learn's form), and writes ``_learn``.

    Attributes
    ----------
    fitted_ : Fitted
        The trained model with all that prediction needs; what :meth:`save` writes and :func:`vaglio.load` returns.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if the columns had names.
    """

    _learner_id: ClassVar[str]
    _accepts_sparse: ClassVar[bool] = False
    _accepts_missing: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    fitted_: Fitted = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Model:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Return the prediction for each row of X.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        matrix = self._encode(X)
        return self.fitted_.predict_encoded(matrix)

    def explain(self, X: Any, *, counterfactual: bool = True, training: Any = None) -> list[Explanation]:
        """Say for each row of X why it got its prediction.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        counterfactual : bool, default=True
            Whether to look also for the smallest change that would give the row another class.
        training : frame, Table or array, optional
            The training rows: an ensemble of trees then names those most like each row. The model itself keeps none.

        Returns
        -------
        list of Explanation
        """
        check_is_fitted(self, "fitted_")
        seen = None if training is None else check_X(self, training, reset=False)
        return self.fitted_.explain(check_X(self, X, reset=False), counterfactual=counterfactual, training=seen)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trained model to a file that :func:`vaglio.load` reads. It holds data only, no code.

        Parameters
        ----------
        path : str or path-like
            Where to write it; an existing file is replaced.
        """
        check_is_fitted(self, "fitted_")
        self.fitted_.save(path)

    def _notices_nonfinite(self) -> bool:
        """Whether fitting refuses infinite numbers by itself, so that they need not be looked for beforehand."""
        return False

    def _encode(self, X: Any) -> EncodedMatrix:
        check_is_fitted(self, "fitted_")
        matrix = self.fitted_.codebook.encode(check_X(self, X, reset=False))
        matrix.threads = self._threads()
        return matrix

    def _threads(self) -> int:
        return resolve_threads(getattr(self, "n_jobs", None))

    def _encode_training(self, X: Any) -> tuple[Codebook, EncodedMatrix]:
        X = check_X(self, X, reset=True, look=not self._notices_nonfinite())
        codebook = Codebook.learn(X, getattr(self, "unseen", "missing"))
        matrix = codebook.encode(X)
        matrix.threads = self._threads()
        return codebook.having_seen(matrix), matrix

    def _finish(self, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Self:
        """Drop rows that do not count, learn, and keep the result."""
        refuse_overflow(weight)
        if weight is not None and not weight.all():
            keep = weight > 0
            matrix, y, weight = matrix.take(keep), y[keep], weight[keep]
        classes = getattr(self, "classes_", None)
        model = self._learn(matrix, y, weight)
        provenance = {"version": __version__, "training": describe_training(matrix, y)}
        self.fitted_ = Fitted(codebook, model, classes, self._learner_id, plain_params(self), provenance)
        return self

    def _repr_html_(self) -> str:
        """Show the model once there is one, scikit-learn's box of parameters before."""
        return self.fitted_._repr_html_() if hasattr(self, "fitted_") else super()._repr_html_()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # Notebooks call this first, and scikit-learn's version never calls _repr_html_.
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._accepts_missing
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._accepts_sparse
        return tags


@estimator
class VaglioClassifier(ClassifierMixin, VaglioEstimator):
    """Base of all classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the order of the columns of :meth:`predict_proba`.
    """

    classes_: np.ndarray = field(init=False)
    # Learners that cannot learn from one class alone (a hyperplane needs two sides) set this to 2.
    _min_classes: ClassVar[int] = 1

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            String, boolean and categorical columns are nominal; missing values may stay missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights count as repetitions of a row.

        Returns
        -------
        self
        """
        self._validate_params()
        codebook, matrix = self._encode_training(X)
        self.classes_, codes = check_labels(y, self)
        check_consistent_length(matrix, codes)
        if len(self.classes_) < self._min_classes:
            raise InputError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class: "
                f"every row is {self.classes_[0]!r}, so there is nothing to tell apart."
            )
        weight = check_weight(sample_weight, X, matrix.n_rows)
        weight = self._with_class_weight(codes, weight)
        return self._finish(codebook, matrix, codes.astype(np.int64, copy=False), weight)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class for each row, in the order of ``classes_``.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        matrix = self._encode(X)
        return class_proba(self.fitted_.model, matrix)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            logarithms: np.ndarray = np.log(self.predict_proba(X))
        return logarithms

    def _with_class_weight(self, codes: np.ndarray, weight: np.ndarray | None) -> np.ndarray | None:
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return weight
        per_class: np.ndarray = compute_class_weight(
            class_weight, classes=self.classes_, y=self.classes_[codes], sample_weight=weight
        )
        per_row: np.ndarray = per_class[codes]
        return per_row if weight is None else weight * per_row


@estimator
class VaglioRegressor(RegressorMixin, VaglioEstimator):
    """Base of all learners that predict a number."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Weights count as repetitions of a row.

        Returns
        -------
        self
        """
        self._validate_params()
        codebook, matrix = self._encode_training(X)
        numbers = check_numbers(y, self)
        check_consistent_length(matrix, numbers)
        return self._finish(codebook, matrix, numbers, check_weight(sample_weight, X, matrix.n_rows))


class HasRules:
    """For learners whose model can be read as IF … THEN … rules."""

    fitted_: Fitted

    def rules(self) -> Any:
        """Return the model as a :class:`~vaglio.RuleSet`."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.rules()


def plain_params(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters as data; what is not data is named by its text, and the model itself decides on saving.

    ``n_jobs`` is left out: the same model gives the same file, whoever helped to make it.
    """
    params = estimator.get_params(deep=False)
    return {name: _plain(value) for name, value in sorted(params.items()) if name != "n_jobs"}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.random.RandomState):
        return "RandomState"
    return getattr(value, "__name__", None) or str(value)


def describe_training(matrix: EncodedMatrix, y: np.ndarray) -> dict[str, Any]:
    """Return shape and fingerprint of the training rows.

    The fingerprint covers at most a thousand evenly spaced rows, so that its cost does not grow with the table.
    """
    n = matrix.n_rows
    rows = np.unique(np.linspace(0, n - 1, min(n, 1000)).astype(np.int64))
    sample = matrix.take(rows)
    digest = hashlib.sha256(repr((n, matrix.n_features)).encode())
    blocks = [sample.numeric, sample.codes, y[rows]]
    if sample.sparse is not None:
        blocks += [sample.sparse.data, sample.sparse.indices, sample.sparse.indptr]
    for block in blocks:
        digest.update(np.ascontiguousarray(block).data)
    return {"rows": n, "columns": matrix.n_features, "fingerprint": digest.hexdigest()[:16]}
