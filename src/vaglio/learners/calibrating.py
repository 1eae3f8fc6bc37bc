"""How far the probabilities of a learner can be trusted, found on rows that it has not learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from vaglio.encode import Codebook, EncodedMatrix, decode
from vaglio.engines.row_samples import smallest_hashes
from vaglio.errors import NotSupportedError
from vaglio.model.base import class_proba
from vaglio.model.calibration import Calibration
from vaglio.runtime.seeds import dealt_by_class

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioClassifier

__all__ = ["calibration_of", "calibration_rows", "held_out_by_class"]

_FOLDS = 5
# Two numbers are fitted: more rows take longer and change them little.
_MOST_ROWS = 20_000


def calibration_rows(n: int) -> np.ndarray:
    """Return which of ``n`` rows are trained and predicted again, by the hash of their number, wherever they are."""
    return smallest_hashes(_MOST_ROWS, 0, n)


def calibration_of(
    estimator: VaglioClassifier, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> Calibration | None:
    """Return what corrects the probabilities of models of this learner; None if no class has two rows.

    Every row is predicted by a model of the other folds.

    Parameters
    ----------
    estimator : VaglioClassifier
        With the parameters of the model; it is not changed.
    codebook : Codebook
    matrix : EncodedMatrix
        The rows of :func:`calibration_rows`.
    y : ndarray of int
        Class codes.
    weight : ndarray or None
    """
    fold = held_out_by_class(y, _FOLDS)
    known = fold >= 0
    if not known.any():
        return None
    probability = np.zeros((len(y), len(estimator.classes_)))
    for number in range(_FOLDS):
        held = fold == number
        if held.any():
            rest = ~held
            model, classes = _fitted(
                estimator, codebook, matrix.take(rest), y[rest], None if weight is None else weight[rest]
            )
            probability[np.ix_(np.flatnonzero(held), classes)] = _predicted(model, codebook, matrix.take(held))
    return Calibration.fit(probability[known], y[known], None if weight is None else weight[known])


def held_out_by_class(y: np.ndarray, folds: int) -> np.ndarray:
    """Return the fold of each row; -1 for the only row of a class, without which the class could not be learned."""
    fold = dealt_by_class(y, folds)
    fold[np.bincount(y)[y] < 2] = -1
    return fold


def _fitted(
    estimator: VaglioClassifier, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> tuple[Any, np.ndarray]:
    """Return the model of some rows, and the codes of the classes it knows."""
    classes, codes = np.unique(y, return_inverse=True)
    inner: Any = clone(estimator).set_params(calibrate=None)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(inner, name, getattr(estimator, name))
    inner.classes_ = estimator.classes_[classes]
    inner._finish(codebook, matrix, codes, weight, member=True)
    if not inner.fitted_.has_probabilities:
        raise NotSupportedError(
            "calibration-without-probabilities",
            "Calibration needs probabilities, which the learner {learner!r} does not give with these parameters.",
            learner=estimator._learner_id,
        )
    return inner.fitted_, classes


def _predicted(fitted: Any, codebook: Codebook, matrix: EncodedMatrix) -> np.ndarray:
    if matrix.text:  # the words that stand for a text were chosen without these rows
        matrix = fitted.codebook.encode(decode(matrix, codebook.named))
    return class_proba(fitted.model, matrix)
