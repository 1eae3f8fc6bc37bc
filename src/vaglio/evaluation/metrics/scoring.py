"""The score that selection goes by: a scikit-learn scorer by name, or the cost of the decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, get_scorer, get_scorer_names

from vaglio.errors import InputError
from vaglio.evaluation.labels import encode_labels
from vaglio.evaluation.predictions import ModelScores, Predictions
from vaglio.learners.bases import BaseEstimator, ClassifierMixin, available_if
from vaglio.messages.sentences import did_you_mean
from vaglio.model.costs import CostMatrix
from vaglio.typing import ColumnLike, Estimator, TableLike

__all__ = [
    "CostScorer",
    "Scorer",
    "is_accuracy",
    "is_mean_of_rows",
    "resolve_scorer",
    "row_scores",
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


def resolve_scorer(scoring: str | Scorer, cost: CostMatrix | None) -> tuple[str, Scorer]:
    """Return the name and the function of the score.

    Parameters
    ----------
    scoring : str or callable
        A scikit-learn score.
    cost : CostMatrix or None
        With costs, the mean cost is the score.
    """
    if cost is not None:
        return "minus mean cost", CostScorer(cost)
    if callable(scoring):
        return getattr(scoring, "__name__", "score"), scoring
    if scoring not in get_scorer_names():
        near = did_you_mean(scoring, get_scorer_names(), otherwise="see sklearn.metrics.get_scorer_names():")
        raise InputError("unknown-score", "There is no score {scoring!r}; {hint}", scoring=scoring, hint=near)
    return scoring, get_scorer(scoring)


def is_mean_of_rows(scorer: Scorer) -> bool:
    """Whether the score is a mean over the rows, so that two models can be compared row by row.

    Parameters
    ----------
    scorer : callable
    """
    return isinstance(scorer, CostScorer) or is_accuracy(scorer)


def is_accuracy(scorer: Scorer) -> bool:
    """Whether the score depends on the predicted classes alone, as the accuracy does.

    Parameters
    ----------
    scorer : callable
    """
    return getattr(scorer, "_score_func", None) is accuracy_score


def row_scores(scorer: Scorer, y: ColumnLike, labels: Any) -> np.ndarray:
    """Return what each row contributes to a score that is a mean of rows.

    Parameters
    ----------
    scorer : callable
    y, labels : ndarray
        The true and the predicted classes.
    """
    if isinstance(scorer, CostScorer):
        known = scorer.cost.labels
        costs: np.ndarray = scorer.cost.matrix[encode_labels(np.asarray(y), known), encode_labels(labels, known)]
        return -costs
    return np.asarray(np.asarray(y) == labels, dtype=np.float64)


def _are_probabilities(self: _KnownPredictions) -> bool:
    return self.scores is not None and self.scores.probability


def _are_margins(self: _KnownPredictions) -> bool:
    return self.scores is not None and not self.scores.probability


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
    only_labels = isinstance(scorer, CostScorer) or getattr(scorer, "_response_method", None) == "predict"
    return _KnownPredictions(labels, model.classes_) if only_labels else model


def with_known_predictions(model: Any, predictions: Predictions) -> Any:
    """Return a stand-in for a model that answers with what it has predicted for the rows that are scored.

    Parameters
    ----------
    model : classifier
    predictions : Predictions
    """
    return _KnownPredictions(predictions.labels, model.classes_, predictions.scores)
