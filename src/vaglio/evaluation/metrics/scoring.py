"""The score that selection goes by: a scikit-learn scorer by name, or the cost of the decisions or of the errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    get_scorer,
    get_scorer_names,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)

from vaglio.errors import InputError
from vaglio.evaluation.labels import encode_labels
from vaglio.evaluation.predictions import ModelScores, Predictions, task_of_model
from vaglio.learners.bases import BaseEstimator, ClassifierMixin, RegressorMixin, available_if
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.typing import ColumnLike, Estimator, TableLike

__all__ = [
    "DEFAULT_SCORE",
    "CostScorer",
    "Scorer",
    "UnitCostScorer",
    "is_accuracy",
    "is_mean_of_rows",
    "resolve_scorer",
    "row_scores",
    "score_in_words",
    "with_known_labels",
    "with_known_predictions",
]

Scorer = Callable[..., float]


@dataclass(frozen=True)
class CostScorer:
    """Minus the mean cost of a model's decisions, so that a higher score is better, as for every other scorer.

    Parameters
    ----------
    cost : CostMatrix
    """

    cost: CostMatrix

    def __call__(
        self, estimator: Estimator, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None
    ) -> float:
        labels = self.cost.labels
        true, predicted = encode_labels(np.asarray(y), labels), encode_labels(estimator.predict(X), labels)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return -self.cost.mean_cost(true, predicted, weight)


@dataclass(frozen=True)
class UnitCostScorer:
    """Minus the mean cost of predicted numbers.

    Parameters
    ----------
    cost : UnitCost
    """

    cost: UnitCost

    def __call__(
        self, estimator: Estimator, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None
    ) -> float:
        costs = self.cost.of_rows(np.asarray(y, dtype=np.float64), np.asarray(estimator.predict(X), dtype=np.float64))
        return -float(np.average(costs, weights=None if sample_weight is None else np.asarray(sample_weight)))


# What a score is called that goes by costs.
MINUS_COST = "minus mean cost"
# The score of a selection, unless another one is named.
DEFAULT_SCORE: dict[Task, str] = {"classification": "accuracy", "regression": "r2"}
# Scores of predicted numbers by their short names.
_SHORT = {
    "rmse": "neg_root_mean_squared_error",
    "mae": "neg_mean_absolute_error",
    "median_ae": "neg_median_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "mse": "neg_mean_squared_error",
}
_WORDS = {
    "r2": text("R²"),
    "rmse": text("RMSE"),
    "mae": text("MAE"),
    "mape": text("MAPE"),
    "accuracy": text("accuracy"),
}
# All scores of predicted numbers that scikit-learn has.
_OF_NUMBERS = (
    "r2",
    "explained_variance",
    "max_error",
    "d2_absolute_error_score",
    *(name for name in get_scorer_names() if name.startswith(("neg_mean_", "neg_median_", "neg_root_", "neg_max_"))),
)


def resolve_scorer(
    scoring: str | Scorer | None, cost: CostMatrix | UnitCost | None, task: Task = "classification"
) -> tuple[str, Scorer]:
    """Return the name and the function of the score.

    Parameters
    ----------
    scoring : str, callable or None
        A score of scikit-learn, or for numbers "rmse", "mae" and the like; None is accuracy, or R² of numbers.
    cost : CostMatrix, UnitCost or None
        With costs, the mean cost is the score.
    task : {"classification", "regression"}
    """
    if cost is not None:
        return MINUS_COST, UnitCostScorer(cost) if isinstance(cost, UnitCost) else CostScorer(cost)
    if scoring is None:
        scoring = DEFAULT_SCORE[task]
    if callable(scoring):
        return getattr(scoring, "__name__", "score"), scoring
    numbers = task == "regression"
    name = _SHORT.get(scoring, scoring) if numbers else scoring
    known = [*_SHORT, *_OF_NUMBERS] if numbers else [each for each in get_scorer_names() if each not in _OF_NUMBERS]
    if name not in get_scorer_names():
        near = did_you_mean(scoring, known, otherwise="see sklearn.metrics.get_scorer_names():")
        raise InputError("unknown-score", "There is no score {scoring!r}; {hint}", scoring=scoring, hint=near)
    if (name in _OF_NUMBERS) != numbers:
        raise InputError(
            "score-of-other-task",
            "{scoring!r} is a score of predicted {what}, and {task} is done here. Use for example {names}.",
            scoring=scoring,
            what=text("classes") if numbers else text("numbers"),
            task=task,
            names=listed(("r2", "rmse", "mae") if numbers else ("accuracy", "f1_macro", "roc_auc"), last="or"),
        )
    return scoring, get_scorer(name)


def score_in_words(scoring: str, task: Task) -> tuple[str, int]:
    """Return what a score is called, and the sign with which it is told: losses are told as they are, not as scores.

    Parameters
    ----------
    scoring : str
        As :func:`resolve_scorer` returns it.
    task : {"classification", "regression"}

    Examples
    --------
    >>> score_in_words("rmse", "regression"), score_in_words("neg_root_mean_squared_error", "regression")
    (('RMSE', -1), ('RMSE', -1))
    >>> score_in_words("r2", "regression"), score_in_words("f1_macro", "classification")
    (('R²', 1), ('f1_macro', 1))
    """
    if scoring == MINUS_COST:
        return text("mean cost"), -1
    if task == "classification":
        return _WORDS.get(scoring, scoring), 1
    short = next((each for each, name in _SHORT.items() if scoring in (each, name)), scoring)
    loss = short in _SHORT or scoring.startswith("neg_") or scoring == "max_error"
    return _WORDS.get(short, short.removeprefix("neg_")), -1 if loss else 1


def is_mean_of_rows(scorer: Scorer) -> bool:
    """Whether the score is a mean over the rows, so that two models can be compared row by row.

    R² is one on rows whose variance is known: the mean of 1 minus the squared error over the variance.

    Parameters
    ----------
    scorer : callable
    """
    return isinstance(scorer, (CostScorer, UnitCostScorer)) or is_accuracy(scorer) or _loss_of(scorer) is not None


def is_accuracy(scorer: Scorer) -> bool:
    """Whether the score depends on the predicted classes alone, as the accuracy does.

    Parameters
    ----------
    scorer : callable
    """
    return getattr(scorer, "_score_func", None) is accuracy_score


def _loss_of(scorer: Scorer) -> str | None:
    """The loss of a row whose mean, or R², is the score of predicted numbers."""
    found = {r2_score: "r2", mean_squared_error: "square", mean_absolute_error: "absolute"}
    return next((loss for of, loss in found.items() if getattr(scorer, "_score_func", None) is of), None)


def row_scores(scorer: Scorer, y: ColumnLike, labels: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Return what each row contributes to a score that is a mean of rows: their plain mean is the score.

    Parameters
    ----------
    scorer : callable
    y, labels : ndarray
        The true and the predicted classes, or numbers.
    weight : ndarray, optional
    """
    scores = _scores_of_rows(scorer, y, labels, weight)
    return scores if weight is None else scores * (weight / weight.mean())


def _scores_of_rows(scorer: Scorer, y: ColumnLike, labels: Any, weight: np.ndarray | None) -> np.ndarray:
    if isinstance(scorer, CostScorer):
        known = scorer.cost.labels
        costs: np.ndarray = scorer.cost.matrix[encode_labels(np.asarray(y), known), encode_labels(labels, known)]
        return -costs
    if isinstance(scorer, UnitCostScorer):
        lost: np.ndarray = -scorer.cost.of_rows(np.asarray(y), labels)
        return lost
    loss = _loss_of(scorer)
    if loss is None:
        return np.asarray(np.asarray(y) == labels, dtype=np.float64)
    true = np.asarray(y, dtype=np.float64)
    error: np.ndarray = np.abs(labels - true)
    if loss == "absolute":
        return -error.astype(np.float64)
    centre = np.average(true, weights=weight)
    spread = float(np.average(np.square(true - centre), weights=weight)) if loss == "r2" else 0.0
    squares: np.ndarray = np.square(error)
    return np.asarray(1 - squares / spread if spread > 0 else -squares)


def _are_probabilities(self: _KnownPredictions) -> bool:
    return self.scores is not None and self.scores.probability


def _are_margins(self: _KnownPredictions) -> bool:
    return self.scores is not None and not self.scores.probability


class _KnownNumbers(RegressorMixin, BaseEstimator):
    """A stand-in for a model whose predicted numbers for these rows are known already."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the known numbers, whatever the rows are."""
        return self.numbers


class _KnownPredictions(ClassifierMixin, BaseEstimator):
    """A stand-in for a model whose predictions for these rows are known already."""

    def __init__(self, labels: np.ndarray, classes: np.ndarray, scores: ModelScores | None = None) -> None:
        self.labels = labels
        self.classes_ = classes
        self.scores = scores

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the known labels, whatever the rows are."""
        return self.labels

    @available_if(_are_probabilities)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Return the known probabilities."""
        assert self.scores is not None
        return self.scores.values

    @available_if(_are_margins)
    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return the known margins; of two classes that of the second."""
        assert self.scores is not None
        values = self.scores.values
        return values[:, 1] if values.shape[1] == 2 else values


def with_known_labels(scorer: Scorer, model: Any, labels: np.ndarray) -> Any:
    """Return what the scorer is called with in place of the model, so that no row is predicted a second time.

    Scorers of probabilities, and functions of the user, which may look at anything, get the model itself.

    Parameters
    ----------
    scorer : callable
    model : classifier
    labels : ndarray
        What the model predicts for the rows that are scored.
    """
    if isinstance(scorer, UnitCostScorer):
        return _KnownNumbers(labels)
    only_labels = isinstance(scorer, CostScorer) or getattr(scorer, "_response_method", None) == "predict"
    if not only_labels:
        return model
    return _KnownNumbers(labels) if task_of_model(model) == "regression" else _KnownPredictions(labels, model.classes_)


def with_known_predictions(model: Any, predictions: Predictions) -> Any:
    """Return a stand-in for a model that answers with what it has predicted for the rows that are scored.

    Parameters
    ----------
    model : classifier
    predictions : Predictions
    """
    if task_of_model(model) == "regression":
        return _KnownNumbers(predictions.labels)
    return _KnownPredictions(predictions.labels, model.classes_, predictions.scores)
