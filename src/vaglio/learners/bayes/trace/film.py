"""Where a generative classifier is sure: the regions, and the lines beyond which a class has nine tenths."""

from __future__ import annotations

import numpy as np

from vaglio.document.animation import Scene, Shot, regions_of
from vaglio.plot.plane import Marks

_SURE = 0.9


def film_bayes(scene: Scene) -> list[Shot]:
    """Make one picture per class, with the line where its probability is nine tenths."""
    from contourpy import contour_generator

    plane = scene.plane
    if plane is None:
        return []
    shares = scene.estimator.predict_proba(scene.like_source(plane.grid))
    regions = regions_of(scene, scene.estimator)
    shots = []
    for code, label in enumerate(plane.classes):
        values = shares[:, code].reshape(len(plane.y), len(plane.x))
        lines = contour_generator(plane.x, plane.y, values).lines(_SURE)
        marks = Marks(regions, tuple(("boundary", np.asarray(line)) for line in lines))
        shots.append(Shot(scene.say("film_sure", label=label, share="90"), marks))
    return shots
