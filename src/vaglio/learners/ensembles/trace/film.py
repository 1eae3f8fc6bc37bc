"""The regions of an ensemble after each round or member; rows that boosting weighs more are larger."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.document.animation import MAX_SHOTS, Scene, Shot, shots_of_rounds


def film_adaboost(scene: Scene) -> list[Shot]:
    """Make one picture per round; the size of a row is its weight in the next round."""
    if scene.plane is None:
        return []
    estimator = scene.estimator
    grid = scene.like_source(scene.plane.grid)
    rows = [np.asarray(one.predict(scene.training.source)) for one in estimator.estimators_[:MAX_SHOTS]]
    weights = _boosted(rows, np.asarray(scene.training.labels), estimator.estimator_weights_, scene.training.weight)
    return shots_of_rounds(scene, estimator.staged_predict(grid), weights)


def _boosted(
    predicted: list[np.ndarray], labels: np.ndarray, alphas: np.ndarray, weight: np.ndarray
) -> Iterator[np.ndarray]:
    """The weights of the rows after each round: w·exp(α) where it was wrong, w·exp(−α) elsewhere, renormalised."""
    current = weight / weight.sum()
    for one, alpha in zip(predicted, alphas):
        current = current * np.exp(np.where(one != labels, alpha, -alpha))
        current = current / current.sum()
        yield current
