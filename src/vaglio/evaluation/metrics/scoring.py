"""The one number that chooses: a scikit-learn scorer by name, or the cost of the decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from vaglio.errors import InputError
from vaglio.evaluation.labels import encode_labels
from vaglio.evaluation.metrics.costs import CostMatrix

__all__ = ["CostScorer", "resolve_scorer"]


@dataclass(frozen=True)
class CostScorer:
    """Minus the mean cost of a model's decisions: the higher the better, as every score."""

    cost: CostMatrix

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        labels = self.cost.labels
        true, called = encode_labels(np.asarray(y), labels), encode_labels(estimator.predict(X), labels)
        return -self.cost.mean_cost(true, called, sample_weight)


def resolve_scorer(scoring: str | Callable, cost: CostMatrix | None) -> tuple[str, Callable[..., float]]:
    """Name and function of the score; with costs, they are the score."""
    if cost is not None:
        return "minus mean cost", CostScorer(cost)
    if callable(scoring):
        return getattr(scoring, "__name__", "score"), scoring
    if scoring not in get_scorer_names():
        raise InputError(f"There is no score {scoring!r}; see sklearn.metrics.get_scorer_names().")
    return scoring, get_scorer(scoring)
