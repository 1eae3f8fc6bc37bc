"""The score that selection goes by: a scikit-learn scorer by name, or the cost of the decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from vaglio.errors import InputError
from vaglio.evaluation.labels import encode_labels
from vaglio.model.costs import CostMatrix
from vaglio.text.sentences import did_you_mean

__all__ = ["CostScorer", "Scorer", "resolve_scorer", "with_known_labels"]

Scorer = Callable[..., float]


@dataclass(frozen=True)
class CostScorer:
    """Minus the mean cost of a model's decisions, so that a higher score is better, as for every other scorer.

    Parameters
    ----------
    cost : CostMatrix
    """

    cost: CostMatrix

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        labels = self.cost.labels
        true, predicted = encode_labels(np.asarray(y), labels), encode_labels(estimator.predict(X), labels)
        return -self.cost.mean_cost(true, predicted, sample_weight)


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
        raise InputError(f"There is no score {scoring!r}: {near}")
    return scoring, get_scorer(scoring)


class _KnownLabels(ClassifierMixin, BaseEstimator):
    """A stand-in for a model whose predictions for these rows are known already."""

    def __init__(self, labels: np.ndarray, classes: np.ndarray) -> None:
        self.labels = labels
        self.classes_ = classes

    def predict(self, X: Any) -> np.ndarray:
        """Return the known labels, whatever the rows are."""
        return self.labels


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
    return _KnownLabels(labels, model.classes_) if only_labels else model
