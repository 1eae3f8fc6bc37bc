"""The margin of a support vector machine, from soft to hard."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import Scene, Shot, regions_of
from vaglio.plot.plane import Marks

# What an error may cost: a small C has a wide margin with rows inside, a large one lets no row in if it can.
_COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def film_svm(scene: Scene) -> list[Shot]:
    """Make one picture per cost of an error, with rings around the support vectors."""
    plane, estimator = scene.plane, scene.estimator
    if plane is None:
        return []
    # A machine that was given lambda instead of C, or a hard margin, is shown as it is.
    free = estimator.lam is None and np.isfinite(estimator.C)
    costs = sorted({*_COSTS, float(estimator.C)}) if free else [None]
    shots = []
    for cost in costs:
        fitted = estimator
        if cost is not None and cost != estimator.C:
            fitted = clone(estimator).set_params(C=cost).fit(scene.training.source, scene.training.labels)
        said = "" if cost is None else f"C = {cost:g}: "
        caption = said + scene.say("film_support", n=len(fitted.support_))
        marks = Marks(regions_of(scene, fitted), _margins(scene, fitted), tuple(fitted.support_.tolist()))
        shots.append(Shot(caption, marks))
    return shots


def _margins(scene: Scene, fitted: object) -> tuple[tuple[str, np.ndarray], ...]:
    """The lines where the decision function is 0 and ±1; of more than two classes the regions tell enough."""
    from contourpy import contour_generator

    plane = scene.plane
    assert plane is not None
    if len(plane.classes) != 2:
        return ()
    values = fitted.decision_function(scene.like_source(plane.grid))  # type: ignore[attr-defined]
    contours = contour_generator(plane.x, plane.y, values.reshape(len(plane.y), len(plane.x)))
    levels = (("boundary", 0.0), ("margin", -1.0), ("margin", 1.0))
    return tuple((kind, np.asarray(line)) for kind, level in levels for line in contours.lines(level))
