"""The regions of boosted trees after each round."""

from __future__ import annotations

import numpy as np

from vaglio.document.animation import Scene, Shot, shots_of_rounds


def film_gradient_boosting(scene: Scene) -> list[Shot]:
    """Make one picture per round."""
    if scene.plane is None:
        return []
    classes = np.asarray(scene.estimator.classes_)
    staged = scene.estimator.staged_predict_proba(scene.like_source(scene.plane.grid))
    return shots_of_rounds(scene, (classes[shares.argmax(axis=1)] for shares in staged))
