"""The pictures of a learner at work, as plain data: ``make_film`` finds the function that makes those of a learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.learners.registry import LEARNERS
from vaglio.learners.tracer import MAX_ROWS, MAX_STEPS
from vaglio.model.base import Dispatch
from vaglio.plot.decision_region import grid_lines
from vaglio.plot.plane import Marks, Plane, draw_plane
from vaglio.plot.tree_drawing import Box, draw_tree_svg
from vaglio.tracing.catalogue import Words
from vaglio.tracing.prepare import Training, prepare

__all__ = ["Film", "Scene", "Shot", "films", "make_film", "regions_of"]

# Grid lines on each side of the plane: fine enough for a projector, and predicted in a moment.
RESOLUTION = 72


@dataclass(frozen=True)
class Shot:
    """One picture.

    Attributes
    ----------
    caption : str
    marks : Marks or None
        What is drawn in the plane.
    tree : Box or None
        Or a tree.
    """

    caption: str
    marks: Marks | None = None
    tree: Box | None = None


@dataclass(frozen=True)
class Scene:
    """What a function that makes pictures is given.

    Attributes
    ----------
    training : Training
    plane : Plane or None
        The plane, if the table has two numeric columns and no other.
    say : Words
    """

    training: Training
    plane: Plane | None
    say: Words

    @property
    def estimator(self) -> Any:
        """The fitted learner."""
        return self.training.estimator

    def like_source(self, points: np.ndarray) -> Any:
        """Points of the plane as rows of the table that the learner was trained on."""
        source = self.training.source
        columns = getattr(source, "columns", None)
        if columns is None:
            return points
        import pandas as pd

        return pd.DataFrame(points, columns=list(columns))


@dataclass(frozen=True)
class Film:
    """Pictures in the order in which a learner works.

    Attributes
    ----------
    shots : tuple of Shot
    plane : Plane or None
    classes : tuple of str
    stepwise : bool
        Whether the n-th step of the trace (a section of level 2) belongs to the n-th picture.
    """

    shots: tuple[Shot, ...]
    plane: Plane | None
    classes: tuple[str, ...]
    stepwise: bool = False

    def draw(self, number: int) -> str:
        """Return a picture as SVG."""
        shot = self.shots[number]
        if shot.tree is not None:
            return draw_tree_svg(shot.tree, self.classes, shot.caption)
        assert self.plane is not None
        assert shot.marks is not None
        return draw_plane(self.plane, shot.marks, shot.caption)


def _family(learner_id: str) -> str | None:
    return LEARNERS[learner_id].family if learner_id in LEARNERS else None


# Learner id -> the function that makes its pictures; it returns none where the scene does not allow any.
films: Dispatch[Callable[[Scene], list[Shot]]] = Dispatch("vaglio.tracing.film", _family)
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
    >>> from vaglio.learners.film import make_film
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> [shot.caption for shot in make_film(vaglio.ID3Classifier(), X, y).shots]
    ['All rows', '1 test', '2 tests', '3 tests', 'The finished tree']
    """
    training = prepare(learner, X, y, row, MAX_ROWS, MAX_STEPS, with_text=True)
    scene = Scene(training, _plane(training), Words(lang))
    name = getattr(training.estimator, "_learner_id", "")
    make = films.find(name)
    shots = [] if make is None else make(scene)
    if not shots and scene.plane is not None:
        shots = [Shot(scene.say("film_regions"), Marks(regions_of(scene, training.estimator)))]
    if not shots:
        return None
    return Film(tuple(shots), scene.plane, tuple(training.classes), name in _STEPWISE)


def regions_of(scene: Scene, estimator: Any) -> np.ndarray:
    """Predict the class at every point of the grid, as codes."""
    assert scene.plane is not None
    return as_regions(scene, estimator.predict(scene.like_source(scene.plane.grid)))


def as_regions(scene: Scene, predicted: np.ndarray) -> np.ndarray:
    """Return predicted labels of the grid as a square of codes."""
    assert scene.plane is not None
    codes = np.searchsorted(np.asarray(scene.estimator.classes_), predicted)
    shape: np.ndarray = codes.reshape(len(scene.plane.y), len(scene.plane.x))
    return shape


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
