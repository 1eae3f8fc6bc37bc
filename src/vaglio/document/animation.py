"""The pictures of a learner at work, as plain data: what is drawn in each, and the plane they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from vaglio.document.document import Section
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.messages.locale import Locale
from vaglio.plot.plane import Marks, Plane, draw_plane
from vaglio.plot.style import PALETTE
from vaglio.plot.tree_drawing import Box, draw_tree_svg
from vaglio.typing import Estimator

# Every rule names the class of the animation, so that the style of the page around it does not change.
STYLE = (
    ".vaglio-film figure{margin:.5rem 0}.vaglio-film figcaption{font-weight:600;margin:.3rem 0}"
    ".vaglio-film svg{max-width:100%;height:auto}.vaglio-film .grid{stroke:#e4e4e4;fill:none}"
    ".vaglio-film .tick,.vaglio-film .axis{font:11px sans-serif;fill:#555}"
    ".vaglio-film .plane .region{opacity:.2}.vaglio-film .plane .mark{stroke:#fff}"
    ".vaglio-film .plane .ring,.vaglio-film .plane .boundary,.vaglio-film .plane .margin,.vaglio-film .plane .link,"
    ".vaglio-film .plane .asked{fill:none;stroke:#222;stroke-width:1.6}"
    ".vaglio-film .plane .margin{stroke-dasharray:5 4}.vaglio-film .plane .link{stroke:#8a8a8a}"
    ".vaglio-film .plane .curve{fill:none;stroke:#222;stroke-width:2.2}"
    + "".join(f".vaglio-film .plane .c{k}{{fill:{PALETTE[k % len(PALETTE)]}}}" for k in range(2 * len(PALETTE)))
)
# Without the script all pictures stand below each other; with it they come one at a time.
_SCRIPT = (
    "for(const film of document.querySelectorAll('.vaglio-film')){"
    "const frames=[...film.querySelectorAll('figure')],slider=film.querySelector('input'),"
    "play=film.querySelector('button');"
    "let timer=0;const show=n=>{slider.value=n;frames.forEach((f,i)=>{f.hidden=i!==n})};"
    "const stop=()=>{clearInterval(timer);timer=0};"
    "slider.oninput=()=>{stop();show(+slider.value)};"
    "play.onclick=()=>{if(timer)return stop();let n=+slider.value;if(n===frames.length-1)n=-1;"
    "timer=setInterval(()=>{show(++n);if(n===frames.length-1)stop()},700)};"
    "film.querySelector('.controls').hidden=frames.length<2;show(0)}"
)

__all__ = [
    "MAX_FRAMES",
    "STYLE",
    "Animation",
    "AnimationContext",
    "Frame",
    "as_regions",
    "frames_of_rounds",
    "marks_of",
    "pictures_of",
]

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
        The plane, if the table has two numeric columns and no other; of one column and a target of numbers, the plane
        of both.
    say : Notation
    cuts : ndarray or None
        Of numbers by two columns: the ends of the groups that differ by colour.
    """

    training: Training
    plane: Plane | None
    say: Notation
    cuts: np.ndarray | None = None

    @property
    def is_curve(self) -> bool:
        """Whether the plane shows numbers over one column."""
        return self.training.is_numeric and self.cuts is None

    @property
    def points(self) -> np.ndarray:
        """The places of the plane for which a learner predicts: the grid; of one column, its rows as well."""
        assert self.plane is not None
        return np.union1d(self.plane.x, self.plane.points[:, 0])[:, None] if self.is_curve else self.plane.grid

    def marks(self, predicted: np.ndarray, **others: Any) -> Marks:
        """Return what is drawn of predictions for the points: regions of colours; over one column a line.

        Parameters
        ----------
        predicted : ndarray
        **others : object
            Further fields of :class:`~vaglio.plot.plane.Marks`.
        """
        if not self.is_curve:
            return Marks(as_regions(self, predicted), **others)
        curve = np.column_stack([self.points[:, 0], predicted])
        return Marks(lines=(*others.pop("lines", ()), ("curve", curve)), **others)

    def residuals(self, predicted: np.ndarray) -> tuple[tuple[str, np.ndarray], ...]:
        """Return a line from each row to what is predicted for it, over one column; none elsewhere."""
        if not self.is_curve or self.plane is None:
            return ()
        at = np.searchsorted(self.points[:, 0], self.plane.points[:, 0])
        return tuple(
            ("link", np.array([[x, y], [x, own]])) for (x, y), own in zip(self.plane.points, predicted[at]) if y != own
        )

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

    def to_html(self) -> str:
        """Return the pictures with a slider, as a part of a page; it needs no other file.

        Examples
        --------
        >>> import vaglio
        >>> from vaglio.tracing import make_animation
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> make_animation(vaglio.ID3Classifier(), X, y).to_html().count("<figure>")
        5
        """
        locale = Locale(self.lang)
        pictures = "".join(
            f"<figure><figcaption>{escape(frame.caption)}</figcaption>{self.draw(number)}</figure>"
            for number, frame in enumerate(self.frames)
        )
        label = escape(locale.say("Picture"))
        slider = f'<input type="range" min="0" max="{len(self.frames) - 1}" value="0" aria-label="{label}">'
        controls = (
            f'<p class="controls" hidden><button type="button">{escape(locale.say("Play"))}</button> {slider}</p>'
        )
        legend = "".join(
            f'<span style="color:{PALETTE[k % len(PALETTE)]}">●</span> {escape(name)} '
            for k, name in enumerate(self.classes if self.plane is not None else ())
        )
        return (
            f'<style>{STYLE}</style><div class="vaglio-film">{controls}<p>{legend}</p>{pictures}</div>'
            f"<script>{_SCRIPT}</script>"
        )


def pictures_of(sections: Sequence[Section], animation: Animation | None) -> list[int | None]:
    """Return the number of the picture that belongs to each section of a trace, where there is one."""
    if animation is None or not animation.stepwise:
        return [None] * len(sections)
    last, number = len(animation.frames) - 1, 0
    found: list[int | None] = []
    # A tree begins with all rows before its first test; an ensemble begins with its first round.
    shift = 1 if animation.frames[0].tree is not None else 0
    for section in sections:
        found.append(min(number + shift, last) if section.level == 2 else 0 if number == 0 else last)
        number += section.level == 2
    return found


def marks_of(context: AnimationContext, estimator: Estimator, **others: Any) -> Marks:
    """Return what is drawn of what an estimator predicts in the plane, with further marks."""
    return context.marks(np.asarray(estimator.predict(context.like_source(context.points))), **others)


def as_regions(context: AnimationContext, predicted: np.ndarray) -> np.ndarray:
    """Return labels, or numbers, that are predicted for the grid as a square of codes."""
    assert context.plane is not None
    if context.cuts is not None:
        codes = np.searchsorted(context.cuts, predicted, side="right")
    else:
        codes = np.searchsorted(np.asarray(context.estimator.classes_), predicted)
    shape: np.ndarray = codes.reshape(len(context.plane.y), len(context.plane.x))
    return shape


def frames_of_rounds(
    context: AnimationContext, staged: Iterable[np.ndarray], weights: Iterator[np.ndarray] | None = None
) -> list[Frame]:
    """Make one picture per round, from what is predicted for the points of the plane after it.

    Numbers over one column show what each round leaves to the next: a line from each row to its prediction.

    Parameters
    ----------
    context : AnimationContext
    staged : iterable of ndarray
        Labels or numbers of the points after each round.
    weights : iterator of ndarray, optional
        The weights of the rows after each round, drawn as sizes.
    """
    frames = []
    for number, predicted in enumerate(islice(staged, MAX_FRAMES), start=1):
        size = None if weights is None else next(weights, None)
        marks = context.marks(predicted, weights=size, lines=context.residuals(predicted))
        frames.append(Frame(context.say("Round {n}", n=number), marks))
    return frames
