"""The pictures of a learner at work, as plain data: ``make_film`` finds the function that makes those of a learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.document.animation import Film, Scene, Shot, regions_of
from vaglio.document.catalogue import Words
from vaglio.document.training import Training
from vaglio.model.families import Lookup
from vaglio.plot.decision_region import grid_lines
from vaglio.plot.plane import Marks, Plane
from vaglio.tracing.tracer import MAX_ROWS, MAX_STEPS, family_of_learner, prepare

__all__ = ["films", "make_film"]

# Grid lines on each side of the plane: fine enough for a projector, and predicted in a moment.
RESOLUTION = 72


# Learner id -> the function that makes its pictures; it returns none where the scene does not allow any.
films: Lookup[Callable[[Scene], list[Shot]]] = Lookup(lambda family: family.animate)
# Learners whose n-th picture belongs to the n-th step of their trace.
_STEPWISE = ("id3", "c45", "cart", "tree", "oblique", "adaboost", "gradient-boosting")


def make_film(learner: Any, X: Any, y: Any, *, row: Any = None, lang: str = "en") -> Film | None:
    """Return the pictures of a learner at work, or None where there is nothing to draw.

    Trees grow test by test. In the plane of two numeric columns one sees the line of a perceptron move with every
    update, the steps of logistic regression, the margin of a support vector machine from soft to hard, the neighbours
    of a row, the regions after each round of boosting; of other learners, the regions of the finished model.

    Parameters
    ----------
    learner : classifier
        An estimator, or one fitted to this table.
    X : frame, Table or array
    y : array-like
    row : dict, sequence or frame of one row, optional
        A row to classify.
    lang : {"en", "it"}

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing.film import make_film
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> [shot.caption for shot in make_film(vaglio.ID3Classifier(), X, y).shots]
    ['All rows', '1 test', '2 tests', '3 tests', 'The finished tree']
    """
    training = prepare(learner, X, y, row, MAX_ROWS, MAX_STEPS, with_text=True)
    scene = Scene(training, _plane(training), Words(lang))
    name = getattr(training.estimator, "_learner_id", "")
    make = films.find(name, family_of_learner(name))
    shots = [] if make is None else make(scene)
    if not shots and scene.plane is not None:
        shots = [Shot(scene.say("film_regions"), Marks(regions_of(scene, training.estimator)))]
    if not shots:
        return None
    return Film(tuple(shots), scene.plane, tuple(training.classes), name in _STEPWISE)


def _plane(training: Training) -> Plane | None:
    features, numeric = training.features, training.matrix.numeric
    if len(features) != 2 or any(feature.kind != "numeric" for feature in features) or np.isnan(numeric).any():
        return None
    points = np.ascontiguousarray(numeric)
    x, y = (grid_lines(points[:, j], RESOLUTION) for j in range(2))
    plane = Plane((features[0].name, features[1].name), points, training.y, training.classes, x, y)
    if training.row is None or np.isnan(training.row.numeric).any():
        return plane
    return replace(plane, row=(float(training.row.numeric[0, 0]), float(training.row.numeric[0, 1])))
