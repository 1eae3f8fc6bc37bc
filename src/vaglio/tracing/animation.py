"""``make_animation``: finds the function that makes the pictures of a learner at work, and calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from vaglio.document.animation import Animation, AnimationContext, Frame, regions_of
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.model.families import Lookup, families
from vaglio.plot.decision_region import grid_lines
from vaglio.plot.plane import Marks, Plane
from vaglio.tracing.tracer import MAX_ROWS, MAX_STEPS, family_of_learner, prepare

__all__ = ["animators", "make_animation"]

# Grid lines on each side of the plane: fine enough for a projector, and predicted in a moment.
RESOLUTION = 72


# Learner id -> the function that makes its pictures; it returns none where the table does not allow any.
animators: Lookup[Callable[[AnimationContext], list[Frame]]] = Lookup(lambda family: family.animate)


def make_animation(learner: Any, X: Any, y: Any, *, row: Any = None, lang: str = "en") -> Animation | None:
    """Return the pictures of a learner at work, or None where there is nothing to draw.

    Trees grow test by test. In the plane of two numeric columns one sees the line of a perceptron move with every
    update, the steps of logistic regression, the margin of a support vector machine from soft to hard, the neighbours
    of a row, the regions after each round of boosting; of other learners, the regions of the finished model.

    Parameters
    ----------
    learner : classifier or regressor
        An estimator, or one fitted to this table. Of a regressor nothing is drawn.
    X : frame, Table or array
    y : array-like
    row : dict, sequence or frame of one row, optional
        A row to classify.
    lang : str, default="en"
        The language: "en" or "it".

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing.animation import make_animation
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> [frame.caption for frame in make_animation(vaglio.ID3Classifier(), X, y).frames]
    ['All rows', '1 test', '2 tests', '3 tests', 'The finished tree']
    """
    if is_regressor(learner):
        return None
    training = prepare(learner, X, y, row, MAX_ROWS, MAX_STEPS, with_text=True)
    context = AnimationContext(training, _plane(training), Notation(lang))
    name = getattr(training.estimator, "_learner_id", "")
    make = animators.find(name, family_of_learner(name))
    frames = [] if make is None else make(context)
    if not frames and context.plane is not None:
        frames = [Frame(context.say("The regions of the classes"), Marks(regions_of(context, training.estimator)))]
    if not frames:
        return None
    stepwise = any(name in family.stepwise for family in families().values())
    return Animation(tuple(frames), context.plane, tuple(training.classes), stepwise, lang)


def _plane(training: Training) -> Plane | None:
    features, numeric = training.features, training.matrix.numeric
    if len(features) != 2 or any(feature.kind != "numeric" for feature in features) or np.isnan(numeric).any():
        return None
    points = np.ascontiguousarray(numeric)
    x, y = (grid_lines(points[:, j], RESOLUTION) for j in range(2))
    names, dates = (features[0].name, features[1].name), (features[0].is_date, features[1].is_date)
    plane = Plane(names, points, training.y, training.classes, x, y, dates=dates)
    if training.row is None or np.isnan(training.row.numeric).any():
        return plane
    return replace(plane, row=(float(training.row.numeric[0, 0]), float(training.row.numeric[0, 1])))
