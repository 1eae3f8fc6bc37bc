"""What every estimator shares: a learner writes one method, ``_learn(matrix, y, weight) -> Model``."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix, aligned_labels
from vaglio.engines.passes import Pass, Passes, TableSummary
from vaglio.engines.row_samples import EncodedRows, bytes_of_rows
from vaglio.engines.sources import is_out_of_core, refuse_out_of_core
from vaglio.errors import InputError, NotSupportedError
from vaglio.explanation import Explanations
from vaglio.fitted import Fitted
from vaglio.learners.bases import ClassifierMixin, RegressorMixin
from vaglio.learners.calibrating import calibration_of, calibration_rows
from vaglio.learners.inputs import (
    check_labels,
    check_numbers,
    check_same_length,
    check_weight,
    check_with_ranges,
    check_X,
    class_factors,
    encoded_rows,
    gathered_rows,
    plain_series,
    rows_that_count,
    scaled_to_rows,
    with_largest_near_one,
    within_range,
)
from vaglio.learners.out_of_core import accuracy_out_of_core, determination_out_of_core, fit_out_of_core
from vaglio.learners.parameters import Parametrised, check_parameters, estimator, parameter_names
from vaglio.learners.plain_arrays import accuracy, determination
from vaglio.learners.provenance import findings_of, plain_params, training_description
from vaglio.messages.message import Option
from vaglio.model.base import Model, class_proba
from vaglio.model.calibration import Calibration
from vaglio.runtime.computed import Later
from vaglio.runtime.threads import one_blas_thread, resolve_threads
from vaglio.typing import ColumnLike, TableLike


@estimator
class VaglioEstimator(Parametrised):
    """Table handling, delegation to ``fitted_``, saving.

    A subclass declares ``_learner_id`` (its command-line id), its parameters (see :mod:`vaglio.learners.parameters`)
    and ``_parameter_constraints`` (scikit-learn's form), and writes ``_learn``; one that can learn from rows out of
    core writes ``_passes`` too, or says why it gathers all rows.

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
    # Whether a sparse matrix is taken and written out in full.
    _writes_out_sparse: ClassVar[bool] = False
    # Whether weights are scaled to sum to the number of rows, as statistics need; priors take them as they are given.
    _scales_weights: ClassVar[bool] = False
    # Attributes, without their underscore, that the model file tells.
    _findings: ClassVar[tuple[str, ...]] = ()
    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    # Why rows are gathered: the beginning of a sentence. None: they are not, wherever they are.
    _gathers: ClassVar[str | None] = None
    # How often the bytes of one pass the gathered rows may take.
    _gathered_share: ClassVar[int] = 1

    fitted_: Fitted = field(init=False)
    if TYPE_CHECKING:  # learners that doubt columns of many values set it, and document it themselves
        reliability_: dict[str, float] = field(init=False)

    if TYPE_CHECKING:  # classifiers and regressors write it

        def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self: ...

    @classmethod
    def _get_param_names(cls: Any) -> list[str]:
        return list(parameter_names(cls))

    def _validate_params(self) -> None:
        check_parameters(self)

    @classmethod
    def textbook(cls, **params: Any) -> Self:
        """Return an estimator whose parameters are as the textbook has them, where the defaults differ.

        Parameters
        ----------
        **params : object
            Parameters that are given; they come before the textbook's.
        """
        from vaglio.learners.registry import LEARNERS

        known = cls._get_param_names()
        learner = LEARNERS.get(getattr(cls, "_learner_id", ""))
        choices = {} if learner is None else {n: c.value for n, c in learner.textbook.items() if n in known}
        return cls(**{**choices, **params})

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Model:
        """Return the model of encoded rows; weights are positive, None when all rows count alike."""
        raise NotImplementedError

    def _passes(self, facts: TableSummary) -> Passes:
        """Learn from rows out of core: yield requests, return the model; see :mod:`vaglio.engines.passes`."""
        rows = yield from self._gathered(facts)
        return self._learn(rows.matrix, rows.y, rows.weight)

    def _gathered(self, facts: TableSummary) -> Generator[Pass, Any, EncodedRows]:
        """Ask for all rows, if they fit in memory."""
        needed, allowed = bytes_of_rows(facts), self._gathered_share * facts.memory
        if needed > allowed:
            raise NotSupportedError(
                "gathering-memory-limit",
                "{gathers}, about {needed} MB, more than the memory limit of {allowed} MB. Raise the "
                "limit, or take a sample ({sample}).",
                gathers=self._gathers,
                needed=needed >> 20,
                allowed=allowed >> 20,
                sample=Option("data.sample(N)", flag="--sample N"),
            )
        return (yield from gathered_rows(facts))

    def _refuse_passes(self) -> None:
        """Raise an error if the learner, or a parameter of it, needs all rows in memory."""
        if type(self)._passes is VaglioEstimator._passes and self._gathers is None:
            raise NotSupportedError(
                "rows-not-in-memory",
                "{name} needs all rows in memory. Train on a sample of the scanned table ({sample}), or "
                "read the table.",
                name=type(self).__name__,
                sample=Option("data.sample(N).xy(target)", flag="--sample N"),
            )

    def _note_columns(self, X: Any) -> None:
        """Look at a few rows in the form the user gave them."""

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the prediction for each row of X.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            A scanned table gives a lazy result, a Dask frame a Dask series.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if is_out_of_core(X):
            check_is_fitted(self, "fitted_")
            return self.fitted_.predict(X)
        matrix = self._encode(X)
        return self.fitted_.predict_encoded(matrix)

    def explain(
        self,
        X: TableLike,
        *,
        counterfactual: bool | str | float = True,
        training: TableLike | None = None,
        fixed: Sequence[str] = (),
        changeable: Sequence[str] = (),
    ) -> Explanations:
        """Say for each row of X why it got its prediction.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        counterfactual : bool, str or float, default=True
            Whether to look also for the smallest change that would give the row another class. Of a learner that
            predicts numbers: how far the number is to move, such as "-10%" or "+5000"; True is 10% either way.
        training : frame, Table or array, optional
            The training rows: an ensemble of trees then names those most like each row. The model itself keeps none.
        fixed, changeable : sequence of str
            Columns that no counterfactual changes, and columns that it may change although their names say that nobody
            can: ages, births, sexes, nationalities, dates before today and identifiers are otherwise left as they are.

        Returns
        -------
        Explanations
            A list with an Explanation of each row.
        """
        check_is_fitted(self, "fitted_")
        refuse_out_of_core(X, "An explanation")
        seen = None if training is None else check_X(self, training, reset=False)
        kept: dict[str, Any] = {"fixed": fixed, "changeable": changeable}
        rows = check_X(self, X, reset=False)
        found: Explanations = self.fitted_.explain(rows, counterfactual=counterfactual, training=seen, **kept)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trained model to a file that :func:`vaglio.load` reads. It holds data only, no code.

        Parameters
        ----------
        path : str or path-like
            Where to write it; an existing file is replaced.
        """
        check_is_fitted(self, "fitted_")
        self.fitted_.save(path)

    def _repr_html_(self) -> str:
        """Show the model once there is one, scikit-learn's box of parameters before."""
        html: str = self.fitted_._repr_html_() if hasattr(self, "fitted_") else super()._repr_html_()
        return html

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # Notebooks call this first, and scikit-learn's version never calls _repr_html_.
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_()} if "text/html" in bundle else bundle

    def _looks_for_words(self) -> bool:
        """Whether the words that tell most stand for a text column; other learners count all words themselves."""
        return True

    def _encode(self, X: TableLike) -> EncodedMatrix:
        if "fitted_" not in self.__dict__:
            check_is_fitted(self, "fitted_")
        matrix = self.fitted_.codebook.encode(check_X(self, X, reset=False, single=True))
        matrix.threads = self._threads()
        return matrix

    def _threads(self) -> int:
        return resolve_threads(getattr(self, "n_jobs", None))

    def _check_same_length(self, matrix: EncodedMatrix, y: np.ndarray) -> None:
        if matrix.n_rows != len(y):
            check_same_length(matrix, y)

    def _encode_training(self, X: TableLike) -> tuple[Codebook, EncodedMatrix]:
        X, ranges = check_with_ranges(self, X, reset=True)
        codebook, matrix = encoded_rows(self, X)
        matrix.threads = self._threads()
        if ranges is not None:
            matrix.ranges = ranges
        return codebook.having_seen(matrix), matrix

    def _encode_counted(self, X: TableLike, counts: np.ndarray) -> tuple[Codebook, EncodedMatrix]:
        """Encode all rows by what those that count have: what only the others have is a missing value."""
        X = check_X(self, X, reset=False)
        codebook = encoded_rows(self, rows_that_count(X, counts))[0]
        matrix = replace(codebook, unseen="missing").encode(X)
        matrix.threads = self._threads()
        return codebook.having_seen(matrix.take(counts)), matrix

    def _refuse_lost_classes(self, y: np.ndarray) -> None:
        """Raise an error where rows of every class are needed and ``y`` has none of some."""

    def _finish(
        self,
        codebook: Codebook,
        matrix: EncodedMatrix,
        y: np.ndarray,
        weight: np.ndarray | None,
        scaled: bool = False,
        member: bool = False,
    ) -> Self:
        """Drop rows that do not count, learn, and keep the result. ``scaled`` weights sum to the number of rows.

        A ``member`` of an ensemble does not describe its training rows: the ensemble does.
        """
        if weight is not None and not weight.all():
            keep = weight > 0
            matrix, y, weight = matrix.take_as_laid(keep), y[keep], weight[keep]
            self._refuse_lost_classes(y)
        if weight is not None and not scaled:
            weight = self._scaled(weight)
        given = codebook, matrix
        if matrix.text and self._looks_for_words():
            codebook, matrix = codebook.with_words(matrix, y, weight)
        with one_blas_thread():
            model = self._learn(matrix, y, weight)
        found = findings_of(self)
        described = None if member else training_description(matrix, y)
        told: Any = Later(
            lambda: {"version": __version__} | ({} if described is None else {"training": described()}) | found
        )
        about = getattr(self, "classes_", None), self._learner_id, plain_params(self)
        calibration = None if member else self._calibration(*given, y, weight)
        self.fitted_ = Fitted(codebook, model, *about, provenance=told, calibration=calibration)
        return self

    def _calibration(
        self, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> Calibration | None:
        """Return how the probabilities of the model are corrected; None where they are not."""
        return None

    def _near_one(self, weight: np.ndarray) -> np.ndarray:
        """Return weights of which only the proportions matter in a range where no product overflows."""
        return with_largest_near_one(weight) if self._scales_weights else weight

    def _scaled(self, weight: np.ndarray) -> np.ndarray | None:
        """Return positive weights as the learner takes them; None when all rows count alike."""
        return scaled_to_rows(weight) if self._scales_weights else within_range(weight)

    def _takes_tables(self) -> bool:
        """Return whether missing values and categories are learned from; not where X is used as it is."""
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = self._takes_tables()
        tags.input_tags.sparse = self._accepts_sparse or self._writes_out_sparse
        return tags


@estimator
class VaglioClassifier(ClassifierMixin, VaglioEstimator):
    """Base of all classifiers.

    Parameters
    ----------
    calibrate : {"temperature"} or None
        "temperature" corrects the probabilities by what models of five folds give the rows they were not trained on;
        no class changes, but decisions by cost do. Training takes about six times as long, on many rows less.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the order of the columns of :meth:`predict_proba`.
    n_classes_ : int
        Their number.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"calibrate": [StrOptions({"temperature"}), None]}

    calibrate: Literal["temperature"] | None = None
    classes_: np.ndarray = field(init=False)
    # Learners that cannot learn from one class alone (a hyperplane needs two sides) set this to 2.
    _min_classes: ClassVar[int] = 1
    # And those that must have seen rows of every class, weights of zero or not, set this.
    _needs_every_class: ClassVar[bool] = False

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            String, boolean and categorical columns are nominal; missing values may stay missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, relative to the others or in absolute terms: see :ref:`weights`.

        Returns
        -------
        self
        """
        if is_out_of_core(X):
            fit_out_of_core(self, X, y, sample_weight, regression=False)
            return self
        self._validate_params()
        codebook, matrix = self._encode_training(X)
        self.classes_, codes = check_labels(y, self)
        self._check_same_length(matrix, codes)
        if len(self.classes_) < self._min_classes:
            raise InputError(
                "one-class",
                "The number of classes has to be greater than one; got {n_classes} class: every row is {label!r}.",
                n_classes=len(self.classes_),
                label=self.classes_.tolist()[0],
            )
        weight = self._with_class_weight(codes, check_weight(sample_weight, X, matrix.n_rows))
        if weight is not None and not weight.all():
            codebook, matrix = self._encode_counted(X, weight > 0)
        return self._finish(codebook, matrix, codes.astype(np.int64, copy=False), weight)

    def _calibration(
        self, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> Calibration | None:
        if self.calibrate is None:
            return None
        rows = calibration_rows(len(y))
        if len(rows) < len(y):
            matrix, y, weight = matrix.take(rows), y[rows], None if weight is None else weight[rows]
        return calibration_of(self, codebook, matrix, y, weight)

    def _refuse_lost_classes(self, y: np.ndarray) -> None:
        lost = np.setdiff1d(np.arange(len(self.classes_)), y)
        if self._needs_every_class and len(lost):
            raise InputError(
                "class-without-weight",
                "No row of class {label!r} has a weight above zero. Remove the class, or give its rows a weight.",
                label=self.classes_.tolist()[lost[0]],
            )

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Return the probability of each class for each row, in the order of ``classes_``.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if is_out_of_core(X):
            check_is_fitted(self, "fitted_")
            return self.fitted_.predict_proba(X)
        matrix = self._encode(X)
        return class_proba(self.fitted_.model, matrix, self.fitted_.calibration)

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
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

    def score(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> float:
        """Return the accuracy: the share of rows whose class is predicted.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true classes; True and 1, or 1 and "1", are the same class.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        check_is_fitted(self, "fitted_")
        if is_out_of_core(X):
            return accuracy_out_of_core(self.fitted_, X, y, sample_weight)
        return accuracy(aligned_labels(plain_series(y), self.classes_), self.predict(X), sample_weight)

    def _with_class_weight(
        self, codes: np.ndarray, weight: np.ndarray | None, as_given: bool = False
    ) -> np.ndarray | None:
        """Return row weights times class weights; where only proportions matter, near 1 (unless ``as_given``)."""
        near_one = np.asarray if as_given else self._near_one
        weight = None if weight is None else near_one(weight)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return weight
        factors = class_factors(class_weight, self.classes_, codes, weight)
        with np.errstate(over="ignore"):
            product: np.ndarray = near_one(factors)[codes] * (1.0 if weight is None else weight)
        if not product.any():
            raise InputError(
                "zero-class-weight",
                "class_weight gives every row the weight 0. At least one class must have a positive weight.",
            )
        return product

    def _weight_of_chunk(self, X: TableLike, codes: np.ndarray, sample_weight: ColumnLike | None) -> np.ndarray | None:
        """Return the weights of rows that join others: they are not scaled, so they must be in range."""
        self._refuse_parts()
        weight = self._with_class_weight(codes, check_weight(sample_weight, X, len(codes)), as_given=True)
        return None if weight is None else within_range(weight)

    def _refuse_parts(self) -> None:
        """Raise an error if a parameter needs all rows at once."""
        if self.calibrate is not None:
            raise InputError(
                "calibrate-partial-fit",
                "calibrate={calibrate!r} needs all rows at once. With partial_fit, leave it out.",
                calibrate=self.calibrate,
            )
        if isinstance(getattr(self, "class_weight", None), str):
            raise InputError(
                "balanced-partial-fit",
                "class_weight='balanced' needs all rows at once. With partial_fit, give a dict of weights.",
            )


@estimator
class VaglioRegressor(RegressorMixin, VaglioEstimator):
    """Base of all learners that predict a number."""

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, relative to the others or in absolute terms: see :ref:`weights`.

        Returns
        -------
        self
        """
        if is_out_of_core(X):
            fit_out_of_core(self, X, y, sample_weight, regression=True)
            return self
        self._validate_params()
        codebook, matrix = self._encode_training(X)
        numbers = check_numbers(y, self)
        self._check_same_length(matrix, numbers)
        weight = check_weight(sample_weight, X, matrix.n_rows)
        weight = None if weight is None else self._near_one(weight)
        if weight is not None and not weight.all():
            codebook, matrix = self._encode_counted(X, weight > 0)
        return self._finish(codebook, matrix, numbers, weight)

    def score(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> float:
        """Return the coefficient of determination R².

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        if is_out_of_core(X):
            check_is_fitted(self, "fitted_")
            return determination_out_of_core(self.fitted_, X, y, sample_weight)
        return determination(y, self.predict(X), sample_weight)
