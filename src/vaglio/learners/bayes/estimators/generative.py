"""What classifiers that model P(x, c) share: log probabilities, priors, new rows drawn from the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix, aligned_labels
from vaglio.engines import value_counts
from vaglio.engines.passes import run_in_memory
from vaglio.engines.survey import facts_in_memory
from vaglio.errors import InputError, as_own_errors
from vaglio.fitted import Fitted
from vaglio.fitted.new_rows import draw_rows, empty_rows
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.parameters import estimator
from vaglio.learners.plain_arrays import distinct_labels
from vaglio.learners.provenance import plain_params
from vaglio.messages.sentences import listed
from vaglio.model.base import Model, plain_label
from vaglio.typing import ColumnLike, RandomState, TableLike


@estimator
class Generative(VaglioClassifier):
    """Base of the classifiers that model how the rows of a class come about, and so can draw new ones."""

    def _looks_for_words(self) -> bool:
        return False

    def _encode_training(self, X: TableLike) -> tuple[Codebook, EncodedMatrix]:
        self._note_columns(X)
        return super()._encode_training(X)

    def _note_columns(self, X: TableLike) -> None:
        self._schema = empty_rows(X)

    def _counts_on_bins(self, matrix: EncodedMatrix) -> bool:
        """Return whether numbers are counted on bins: in tables so large that this is done out of core, too."""
        return matrix.n_rows > value_counts.EXACT_ROWS and not matrix.text and matrix.sparse is None

    def _learn_by_passes(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Model:
        """Learn as from rows out of core, so that the model is the same wherever the rows are."""
        facts, rows = facts_in_memory(matrix, y, weight, self.classes_, self._threads())
        return run_in_memory(self._passes(facts), [rows])

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Return the logarithm of the probability of each class, exact where the probability is rounded to 0 or 1.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        matrix = self._encode(X)
        model: Any = self.fitted_.model
        logarithms: np.ndarray = model.predict_log_proba(matrix)
        return logarithms

    def sample(self, n: int = 1, label: object = None, random_state: RandomState | None = None) -> Any:
        """Draw new rows from the model.

        Categories and intervals are drawn by their shares in the training rows of the class, without the smoothing
        that guards predictions; a number within its interval by the quantiles that the training rows of the class
        have there; a number under a density by that density, within the range of the training rows. Whole numbers
        stay whole. Counts of words and Poisson counts have no upper bound. Missing values are not drawn: a column is
        missing only if no training row has it.

        Parameters
        ----------
        n : int
            Number of rows.
        label : object, optional
            Class to draw from; by default each row's class is drawn by the priors.
        random_state : int, RandomState or None

        Returns
        -------
        frame
            With the columns of the training rows, in their own types.
        """
        check_is_fitted(self, "fitted_")
        return draw_rows(self.fitted_, n, label, random_state, self._schema)

    def _keep(self, codebook: Codebook, model: Model, rows: float) -> Self:
        """Keep a model that was learned in parts."""
        provenance = {"version": __version__, "training": {"rows": rows, "columns": len(codebook.features)}}
        self.fitted_ = Fitted(codebook, model, self.classes_, self._learner_id, plain_params(self), provenance)
        return self


def known_labels(y: ColumnLike, classes: np.ndarray) -> np.ndarray:
    """Return the code of each label, which must be one of the classes named in the first call of partial_fit."""
    found = None
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub" and y.dtype.kind == classes.dtype.kind:
        found = distinct_labels(y)
    if found is not None:
        rows: np.ndarray = _codes_of(found[0], classes)[found[1]]  # labels are looked up, not rows
        return rows
    return _codes_of(aligned_labels(column_or_1d(y), classes), classes)


def _codes_of(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    codes: np.ndarray = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    strange = classes[codes] != y
    if strange.any():
        raise InputError(
            "late-class",
            "The class {label!r} was not declared in the first call of partial_fit. List all classes there.",
            label=y[strange][0],
        )
    return codes.astype(np.int64)


def in_order_of(classes: np.ndarray, priors: Any) -> Any:
    """Return priors that a dict gives by class in the order of the classes; others as they are."""
    if not isinstance(priors, Mapping):
        return priors
    known = [plain_label(label) for label in classes]
    if set(priors) != set(known):
        raise InputError(
            "priors-of-classes",
            "priors must have one number for each class: {classes}. It has {given}.",
            classes=listed(known, quoted=True),
            given=listed(priors, quoted=True),
        )
    return [priors[label] for label in known]


def resolve_priors(priors: Any, class_weight: np.ndarray) -> np.ndarray:
    """Return the prior of each class: learned (None), equal ("equal") or given."""
    if priors is None:
        shares: np.ndarray = class_weight / class_weight.sum()
        return shares
    if isinstance(priors, str):
        return np.full(len(class_weight), 1.0 / len(class_weight))
    with as_own_errors():
        given = np.asarray(priors, dtype=np.float64)
    if given.shape != class_weight.shape:
        raise InputError(
            "number-of-priors",
            "priors has {n_priors:,} {n_priors:value|values} for {n_classes:,} {n_classes:class|classes}. "
            "Give one prior per class, in the order of classes_.",
            n_priors=given.size,
            n_classes=len(class_weight),
        )
    if not (given >= 0).all() or not np.isclose(given.sum(), 1.0):
        raise InputError("invalid-priors", "The priors must be at least 0 and add up to 1.")
    # Given numbers may be a rounding away from a sum of 1.
    exact: np.ndarray = given / given.sum()
    return exact
