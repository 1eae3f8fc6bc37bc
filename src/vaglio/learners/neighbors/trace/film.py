"""The regions of nearest neighbours as K grows, and the neighbours of a row."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from vaglio.document.animation import Scene, Shot, regions_of
from vaglio.plot.plane import Marks

_NUMBERS = (1, 3, 5, 9, 15, 25)


def film_neighbors(scene: Scene) -> list[Shot]:
    """Make one picture per K, with lines from the row to its neighbours."""
    plane, estimator = scene.plane, scene.estimator
    if plane is None:
        return []
    own = {estimator.n_neighbors} if isinstance(estimator.n_neighbors, int) else set()
    shots = []
    for k in sorted(k for k in {*_NUMBERS, *own} if k <= len(plane.points)):
        fitted = clone(estimator).set_params(n_neighbors=k).fit(scene.training.source, scene.training.labels)
        near = _nearest(scene, fitted)
        links = tuple(("link", np.array([plane.row, plane.points[i]])) for i in near)
        shots.append(Shot(f"K = {k}", Marks(regions_of(scene, fitted), links, near)))
    return shots


def _nearest(scene: Scene, fitted: object) -> tuple[int, ...]:
    assert scene.plane is not None
    if scene.plane.row is None:
        return ()
    row = scene.like_source(np.array([scene.plane.row]))
    found = fitted.kneighbors(row, return_distance=False)  # type: ignore[attr-defined]
    return tuple(int(i) for i in found[0])
