"""The pictures of a learner at work, as plain data: what is drawn in each, and the plane they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.messages.locale import Locale
from vaglio.plot.plane import Marks, Plane, draw_plane
from vaglio.plot.tree_drawing import Box, draw_tree_svg
from vaglio.typing import Estimator

__all__ = ["MAX_FRAMES", "Animation", "AnimationContext", "Frame", "as_regions", "frames_of_rounds", "regions_of"]

# Pictures of one animation: a reader looks at no more.
MAX_FRAMES = 40


@dataclass(frozen=True)
class Frame:
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
class AnimationContext:
    """What a function that makes pictures is given.

    Attributes
    ----------
    training : Training
    plane : Plane or None
        The plane, if the table has two numeric columns and no other.
    say : Notation
    """

    training: Training
    plane: Plane | None
    say: Notation

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
class Animation:
    """Pictures in the order in which a learner works.

    Attributes
    ----------
    frames : tuple of Frame
    plane : Plane or None
    classes : tuple of str
    stepwise : bool
        Whether the n-th step of the trace (a section of level 2) belongs to the n-th picture.
    lang : str
    """

    frames: tuple[Frame, ...]
    plane: Plane | None
    classes: tuple[str, ...]
    stepwise: bool = False
    lang: str = "en"

    def draw(self, number: int) -> str:
        """Return a picture as SVG."""
        frame = self.frames[number]
        if frame.tree is not None:
            return draw_tree_svg(frame.tree, self.classes, frame.caption, locale=Locale(self.lang))
        assert self.plane is not None
        assert frame.marks is not None
        return draw_plane(self.plane, frame.marks, frame.caption, locale=Locale(self.lang))


def regions_of(context: AnimationContext, estimator: Estimator) -> np.ndarray:
    """Predict the class at every point of the grid, as codes."""
    assert context.plane is not None
    return as_regions(context, estimator.predict(context.like_source(context.plane.grid)))


def as_regions(context: AnimationContext, predicted: np.ndarray) -> np.ndarray:
    """Return predicted labels of the grid as a square of codes."""
    assert context.plane is not None
    codes = np.searchsorted(np.asarray(context.estimator.classes_), predicted)
    shape: np.ndarray = codes.reshape(len(context.plane.y), len(context.plane.x))
    return shape


def frames_of_rounds(
    context: AnimationContext, staged: Iterable[np.ndarray], weights: Iterator[np.ndarray] | None = None
) -> list[Frame]:
    """Make one picture per round, from what is predicted for the grid after it.

    Parameters
    ----------
    context : AnimationContext
    staged : iterable of ndarray
        Labels of the points of the grid after each round.
    weights : iterator of ndarray, optional
        The weights of the rows after each round, drawn as sizes.
    """
    frames = []
    for number, predicted in enumerate(islice(staged, MAX_FRAMES), start=1):
        size = None if weights is None else next(weights, None)
        frames.append(Frame(context.say("Round {n}", n=number), Marks(as_regions(context, predicted), weights=size)))
    return frames
