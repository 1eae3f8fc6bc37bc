"""What a model predicts for rows: numbers, or classes and, where it has them, scores; in one form for all models.

Every row is encoded once. Asking a model for classes and then for probabilities would encode each row twice and, for
most models, compute the same probabilities twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from vaglio.encode import EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.fitted import Fitted
from vaglio.fitted.row_sketch import RowSketch
from vaglio.model.base import codes_and_proba
from vaglio.model.costs import CostMatrix
from vaglio.runtime.arguments import checked
from vaglio.typing import Predictor, TableLike

if TYPE_CHECKING:
    from vaglio.model.families import Task

__all__ = ["ModelScores", "Predictions", "model_scores", "predict_with_scores", "task_of_model"]

# Rows at once that are compared with the hashes of training rows: drawn at random from more.
_MOST_HASHED = 100_000


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
    """The predicted class of every row, and the scores behind it; or the predicted numbers.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        The classes; float64 if numbers are predicted.
    scores : ModelScores or None
        None for a model that gives nothing but classes, or numbers.
    cost : CostMatrix or None
        The costs that the model carries.
    seen : tuple of (int, int) or None
        How many rows have the hash of a training row, of how many; None where nobody asked, or it cannot be known.
    """

    labels: np.ndarray
    scores: ModelScores | None
    cost: CostMatrix | None = None
    seen: tuple[int, int] | None = None


def task_of_model(model: Any) -> Task:
    """Return whether a model, or a learner, predicts classes or numbers.

    Parameters
    ----------
    model : Fitted or estimator
    """
    if isinstance(model, Fitted):
        return model.task
    return "regression" if isinstance(model, BaseEstimator) and is_regressor(model) else "classification"


@checked
def predict_with_scores(model: Predictor, X: TableLike, *, seen: bool = False) -> Predictions:
    """Predict the rows of ``X`` once.

    Parameters
    ----------
    model : Fitted or estimator
        One of our own models, a :class:`~vaglio.evaluation.CostSensitiveClassifier`, or any estimator of scikit-learn.
    X : table or array
    seen : bool, default=False
        Whether to look for training rows among them.

    Returns
    -------
    Predictions
    """
    if isinstance(model, CostSensitiveClassifier):
        return _cost_sensitive(model, X, seen)
    fitted = model if isinstance(model, Fitted) else getattr(model, "fitted_", None)
    if isinstance(fitted, Fitted):
        # The estimator encodes, not its Fitted: it also checks the names and the number of the columns.
        ours: Any = model
        matrix = ours._encode(X)
        return replace(_own_model(fitted, matrix), seen=seen_rows(fitted, matrix) if seen else None)
    if task_of_model(model) == "regression":
        return Predictions(_one_number(np.asarray(model.predict(X), dtype=np.float64)), None)
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


def _cost_sensitive(model: CostSensitiveClassifier, X: TableLike, seen: bool) -> Predictions:
    inner = replace(predict_with_scores(model.estimator_, X, seen=seen), cost=model.cost_)
    if not model.decides_:
        return inner
    assert inner.scores is not None
    return replace(inner, labels=model.classes_[model.cost_.decide(inner.scores.values)])


def _one_number(numbers: np.ndarray) -> np.ndarray:
    """Return one number per row, which some libraries give as a column."""
    return numbers[:, 0] if numbers.ndim == 2 and numbers.shape[1] == 1 else numbers


def _own_model(fitted: Fitted, matrix: EncodedMatrix) -> Predictions:
    if fitted.classes is None:
        return Predictions(_one_number(np.asarray(fitted.predict_encoded(matrix), dtype=np.float64)), None)
    codes, probabilities = codes_and_proba(fitted.model, matrix, fitted.decision_cost, fitted.calibration)
    scores: ModelScores | None
    if probabilities is None:
        scores = _first_scores(fitted.model, matrix, fitted.classes)
    else:
        scores = ModelScores(probabilities, tuple(fitted.classes.tolist()), True)
    return Predictions(fitted.classes[codes], scores, fitted.error_cost)


def seen_rows(fitted: Fitted, matrix: EncodedMatrix) -> tuple[int, int] | None:
    """Return how many of the rows, or of some drawn from very many, have the hash of a training row, of how many."""
    sketch = RowSketch.from_training(fitted.provenance.get("training"))
    if sketch is None:
        return None
    if matrix.n_rows > _MOST_HASHED:
        matrix = matrix.take(np.sort(np.random.default_rng(0).choice(matrix.n_rows, _MOST_HASHED, replace=False)))
    return int(sketch.knows(matrix).sum()), matrix.n_rows


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
