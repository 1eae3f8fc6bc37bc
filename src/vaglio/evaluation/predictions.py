"""What a model predicts for rows: the classes and, where it has them, the scores, in one form for every kind of model.

Every row is encoded once. Asking a model for classes and then for probabilities would encode each row twice and, for
most models, compute the same probabilities twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.fitted import Fitted
from vaglio.model.base import codes_and_proba
from vaglio.model.costs import CostMatrix
from vaglio.typing import TableLike

__all__ = ["ModelScores", "Predictions", "model_scores", "predict_with_scores"]


@dataclass(frozen=True)
class ModelScores:
    """Scores of rows, one column per class.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_classes)
    classes : tuple
        The classes in the order of the columns.
    probability : bool
        False for decision values, which are distances to a boundary.
    """

    values: np.ndarray
    classes: tuple[Any, ...]
    probability: bool


@dataclass(frozen=True)
class Predictions:
    """The predicted class of every row, and the scores behind it.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
    scores : ModelScores or None
        None for a model that gives nothing but classes.
    cost : CostMatrix or None
        The costs that the model carries.
    """

    labels: np.ndarray
    scores: ModelScores | None
    cost: CostMatrix | None = None


def predict_with_scores(model: Any, X: TableLike) -> Predictions:
    """Predict the rows of ``X`` once.

    Parameters
    ----------
    model : Fitted or classifier
        One of our own models, a :class:`~vaglio.evaluation.CostSensitiveClassifier`, or any scikit-learn classifier.
    X : table or array

    Returns
    -------
    Predictions
    """
    if isinstance(model, CostSensitiveClassifier):
        return _cost_sensitive(model, X)
    fitted = model if isinstance(model, Fitted) else getattr(model, "fitted_", None)
    if isinstance(fitted, Fitted) and fitted.classes is not None:
        # The estimator encodes, not its Fitted: it also checks the names and the number of the columns.
        return _own_model(fitted, model._encode(X))
    # How another library's predict follows from its probabilities is not known: both are asked for.
    return Predictions(np.asarray(model.predict(X)), model_scores(model, X))


def model_scores(model: Any, X: TableLike) -> ModelScores | None:
    """Return probabilities if the model has them, else its decision values, else None.

    Parameters
    ----------
    model : Fitted or classifier
    X : table or array
    """
    classes = np.asarray(model.classes_ if hasattr(model, "classes_") else model.classes)
    return _first_scores(model, X, classes)


def _cost_sensitive(model: CostSensitiveClassifier, X: TableLike) -> Predictions:
    inner = replace(predict_with_scores(model.estimator_, X), cost=model.cost_)
    if not model.decides_:
        return inner
    assert inner.scores is not None
    return replace(inner, labels=model.classes_[model.cost_.decide(inner.scores.values)])


def _own_model(fitted: Fitted, matrix: EncodedMatrix) -> Predictions:
    assert fitted.classes is not None
    codes, probabilities = codes_and_proba(fitted.model, matrix, fitted.decision_cost, fitted.calibration)
    scores: ModelScores | None
    if probabilities is None:
        scores = _first_scores(fitted.model, matrix, fitted.classes)
    else:
        scores = ModelScores(probabilities, tuple(fitted.classes.tolist()), True)
    return Predictions(fitted.classes[codes], scores, fitted.error_cost)


def _first_scores(model: Any, rows: Any, classes: np.ndarray) -> ModelScores | None:
    for method in ("predict_proba", "decision_function"):
        if not hasattr(model, method):
            continue
        try:
            values = np.asarray(getattr(model, method)(rows), dtype=np.float64)
        except NotSupportedError:  # a class of models has the method, this model of the class may not
            continue
        if values.ndim == 1:
            values = np.column_stack([-values, values])
        # A one-vs-one decision has one column per pair of classes, from which no score of a class follows.
        if values.shape[1] == len(classes):
            return ModelScores(values, tuple(classes.tolist()), method == "predict_proba")
    return None
