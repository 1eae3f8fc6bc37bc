"""The predictions of several folds as one evaluation."""

from __future__ import annotations

import numpy as np

from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.labels import label_universe
from vaglio.evaluation.predictions import ModelScores
from vaglio.evaluation.selection.selection_result import OuterFold
from vaglio.model.costs import CostMatrix

__all__ = ["pooled"]


def pooled(outer: list[OuterFold], cost: CostMatrix | None) -> Evaluation:
    """The predictions of all outer folds as one evaluation: each row is predicted by a model not trained on it."""
    labels = label_universe(*(fold.true for fold in outer), *(fold.predicted for fold in outer))
    labels = tuple(np.unique(np.array(labels, dtype=object)).tolist()) if _sortable(labels) else labels
    given = [fold.predictions.scores for fold in outer]
    scores = None
    if all(one is not None and one.probability for one in given):
        scores = np.vstack([_aligned(one, labels) for one in given if one is not None])
    weights = [fold.weight for fold in outer if fold.weight is not None]
    return Evaluation.from_predictions(
        np.concatenate([fold.true for fold in outer]),
        np.concatenate([fold.predicted for fold in outer]),
        y_score=scores,
        labels=labels,
        sample_weight=np.concatenate(weights) if weights else None,
        cost=cost,
    )


def _sortable(labels: tuple[object, ...]) -> bool:
    return len({isinstance(label, str) for label in labels}) == 1


def _aligned(scores: ModelScores, labels: tuple[object, ...]) -> np.ndarray:
    """Scores with one column per label; a class that a fold did not have in training has probability 0."""
    out = np.zeros((len(scores.values), len(labels)))
    for j, label in enumerate(scores.classes):
        if label in labels:
            out[:, labels.index(label)] = scores.values[:, j]
    return out
