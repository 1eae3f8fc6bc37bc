"""Predictions of all rows of a lazy table or a Dask frame, with their true classes: what an evaluation is made from.

The rows are read chunk by chunk and forgotten; the class, the scores and the true class of each stay, so that every
measure and curve is exact: 8 bytes times (number of classes + 2) per row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.predictions import ModelScores, Predictions, predict_with_scores
from vaglio.learners.lazy_scores import Labelled, each_labelled

__all__ = ["predict_outside"]


def predict_outside(model: Any, X: Any, y: Any, weight: Any = None) -> tuple[Predictions, np.ndarray, Any]:
    """Return predictions, true classes and weights of all rows whose class is known.

    Parameters
    ----------
    model : Fitted or classifier
    X : LazyTable or Dask frame
    y : LazyColumn or Dask series
    weight : LazyColumn or Dask series, optional
    """
    parts: list[Predictions] = []
    true: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for found, labels, counts in each_labelled(partial(_predicted, model), X, y, weight):
        parts.append(found)
        true.append(labels)
        if counts is not None:
            weights.append(counts)
    if not parts:
        raise InputError("No row has a value of the target, so that there is nothing to evaluate on.")
    first = parts[0]
    scores = None
    if first.scores is not None:
        values = np.concatenate([part.scores.values for part in parts if part.scores is not None])
        scores = ModelScores(values, first.scores.classes, first.scores.probability)
    whole = Predictions(np.concatenate([part.labels for part in parts]), scores, first.cost)
    return whole, np.concatenate(true), np.concatenate(weights) if weights else None


def _predicted(model: Any, rows: Labelled) -> tuple[Predictions, np.ndarray, np.ndarray | None]:
    inputs, true, weights = rows
    return predict_with_scores(model, inputs), true, weights
