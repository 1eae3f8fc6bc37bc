"""The regions of a forest, or of bagging, after each member."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from vaglio.document.animation import MAX_SHOTS, Scene, Shot, as_regions
from vaglio.learners.forest.model.forest import Forest
from vaglio.plot.plane import Marks


def film_members(scene: Scene) -> list[Shot]:
    """Make one picture per member: the vote of all up to it."""
    if scene.plane is None:
        return []
    classes = np.asarray(scene.estimator.classes_)
    votes = np.zeros((len(scene.plane.grid), len(classes)))
    shots = []
    for number, vote in enumerate(islice(_votes(scene), MAX_SHOTS), start=1):
        votes += vote
        regions = as_regions(scene, classes[votes.argmax(axis=1)])
        shots.append(Shot(scene.say("film_members", n=number), Marks(regions)))
    return shots


def _votes(scene: Scene) -> Iterator[np.ndarray]:
    """What each member says about the points of the grid; the trees of a forest say shares."""
    assert scene.plane is not None
    grid, classes = scene.like_source(scene.plane.grid), np.asarray(scene.estimator.classes_)
    for member in scene.estimator.estimators_:
        if isinstance(scene.estimator.fitted_.model, Forest):
            yield member.predict_proba(grid)
        else:
            yield np.asarray(member.predict(grid))[:, None] == classes
