"""``make_animation``: finds the function that makes the pictures of a learner at work, and calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.document.animation import Animation, AnimationContext, Frame, marks_of
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.model.families import Lookup, Task, families
from vaglio.plot.decision_region import grid_lines
from vaglio.plot.plane import Plane
from vaglio.quality.exploration import groups_of_numbers
from vaglio.tracing.tracer import MAX_ROWS, MAX_STEPS, family_of_learner, prepare

__all__ = ["animators", "make_animation"]

# Grid lines on each side of the plane: fine enough for a projector, and predicted in a moment.
RESOLUTION = 72
# Places along one column: steps look upright.
_FINE = 400


# Learner id -> the function that makes its pictures; it returns none where the table does not allow any.
animators: Lookup[Callable[[AnimationContext], list[Frame]]] = Lookup(lambda family: family.animate)


def make_animation(learner: Any, X: Any, y: Any, *, row: Any = None, lang: str = "en") -> Animation | None:
    """Return the pictures of a learner at work, or None where there is nothing to draw.

    Trees grow test by test. In the plane of two numeric columns one sees the line of a perceptron move with every
    update, the steps of logistic regression, the margin of a support vector machine from soft to hard, the neighbours
    of a row, the regions after each round of boosting; of other learners, the regions of the finished model. A target
    of numbers is drawn over one numeric column, with the line of the predictions, or by colour over two.

    Parameters
    ----------
    learner : classifier or regressor
        An estimator, or one fitted to this table.
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
    training = prepare(learner, X, y, row, MAX_ROWS, MAX_STEPS, with_text=True)
    task: Task = "regression" if training.is_numeric else "classification"
    context, names = _context(training, Notation(lang))
    name = getattr(training.estimator, "_learner_id", "")
    make = animators.find(name, family_of_learner(name, task))
    frames = [] if make is None else make(context)
    if not frames and context.plane is not None:
        caption = (
            context.say("The predicted numbers") if training.is_numeric else context.say("The regions of the classes")
        )
        frames = [Frame(caption, marks_of(context, training.estimator))]
    if not frames:
        return None
    stepwise = any(name in family.stepwise for family in families().values())
    return Animation(tuple(frames), context.plane, tuple(names), stepwise, lang)


def _context(training: Training, say: Notation) -> tuple[AnimationContext, list[str]]:
    """Return what the pictures show besides the work of the learner, and the names of the colours."""
    if not training.is_numeric:
        return AnimationContext(training, _plane(training, training.y, training.classes), say), training.classes
    if len(training.features) == 1:
        return AnimationContext(training, _curve(training), say), []
    cuts, groups = groups_of_numbers(np.sort(training.y))
    names = [say.text(group) for group in groups]
    plane = _plane(training, np.searchsorted(cuts, training.y, side="right"), names)
    return AnimationContext(training, plane, say, cuts), [] if plane is None else names


def _curve(training: Training) -> Plane | None:
    """The plane of one numeric column and the target."""
    (feature,) = training.features
    if feature.kind != "numeric" or np.isnan(training.matrix.numeric).any():
        return None
    points = np.column_stack([training.matrix.numeric[:, 0], training.y])
    x, y = (grid_lines(points[:, j], _FINE) for j in range(2))
    dates = feature.is_date, False
    plane = Plane((feature.name, "y"), points, np.zeros(len(points), dtype=np.int64), ["y"], x, y, dates=dates)
    if training.row is None or np.isnan(training.row.numeric).any():
        return plane
    return replace(plane, row=(float(training.row.numeric[0, 0]), float(training.model.predict(training.row)[0])))


def _plane(training: Training, codes: np.ndarray, names: list[str]) -> Plane | None:
    features, numeric = training.features, training.matrix.numeric
    if len(features) != 2 or any(feature.kind != "numeric" for feature in features) or np.isnan(numeric).any():
        return None
    points = np.ascontiguousarray(numeric)
    x, y = (grid_lines(points[:, j], RESOLUTION) for j in range(2))
    columns, dates = (features[0].name, features[1].name), (features[0].is_date, features[1].is_date)
    plane = Plane(columns, points, codes, names, x, y, dates=dates)
    if training.row is None or np.isnan(training.row.numeric).any():
        return plane
    return replace(plane, row=(float(training.row.numeric[0, 0]), float(training.row.numeric[0, 1])))
