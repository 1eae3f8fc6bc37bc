"""The plane of two columns as SVG: regions of the classes, rows and lines, as a page shows a learner at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from vaglio.messages.figures import moment, short_number
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Number, text
from vaglio.plot.svg import Frame, axes, line_path, picture

__all__ = ["Marks", "Plane", "draw_plane"]

# Pixels of the picture, and of a dot of average weight.
_WIDTH, _HEIGHT, _DOT = 620.0, 480.0, 5.0
# Dots of a heavy row grow up to this factor: a dot must not hide its neighbours.
_MOST_GROWTH = 3.0


@dataclass(frozen=True)
class Plane:
    """What does not change while a learner works.

    Attributes
    ----------
    names : (str, str)
        The two columns.
    points : ndarray of shape (n, 2)
        The rows.
    codes : ndarray of int
        The class of each row.
    classes : sequence of str
    x, y : ndarray
        The grid on which classes are predicted.
    row : (float, float) or None
        A row to classify.
    dates : (bool, bool)
        Whether a column has dates, as days since 1970.
    """

    names: tuple[str, str]
    points: np.ndarray
    codes: np.ndarray
    classes: Sequence[str]
    x: np.ndarray
    y: np.ndarray
    row: tuple[float, float] | None = None
    dates: tuple[bool, bool] = (False, False)

    @property
    def grid(self) -> np.ndarray:
        """The points of the grid, row by row."""
        return np.column_stack([np.tile(self.x, len(self.y)), np.repeat(self.y, len(self.x))])


@dataclass(frozen=True)
class Marks:
    """What is drawn over the rows.

    Attributes
    ----------
    regions : ndarray of int, shape (len(y), len(x)), or None
        The predicted class at each point of the grid.
    lines : tuple of (str, ndarray of shape (m, 2))
        "boundary", "margin" or "link", and the points of the line.
    rings : tuple of int
        Rows with a ring: support vectors, neighbours, the row that was wrong.
    weights : ndarray or None
        Weight of each row, shown by the size of its dot.
    """

    regions: np.ndarray | None = None
    lines: tuple[tuple[str, np.ndarray], ...] = ()
    rings: tuple[int, ...] = ()
    weights: np.ndarray | None = None


def draw_plane(plane: Plane, marks: Marks, title: str, *, locale: Locale = ENGLISH) -> str:
    """Return the picture; classes differ by colour and by shape.

    Parameters
    ----------
    plane : Plane
    marks : Marks
    title : str
        Also read by screen readers.
    locale : Locale

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.plot.plane import Marks, Plane, draw_plane
    >>> line = np.linspace(0.0, 1.0, 5)
    >>> plane = Plane(("a", "b"), np.array([[0.2, 0.3]]), np.array([0]), ["yes"], line, line)
    >>> draw_plane(plane, Marks(), "One row").startswith('<svg class="chart plane"')
    True
    """
    ends = [(float(values[0]), float(values[-1])) for values in (plane.x, plane.y)]
    frame = Frame(_WIDTH, _HEIGHT, left=118 if plane.dates[1] else 64, x=ends[0], y=ends[1])
    body = [] if marks.regions is None else _regions(frame, plane, marks.regions)
    body.append(axes(frame, *plane.names, _number, _number, dates=plane.dates, locale=locale))
    body += [f'<path class="{kind}" d="{_clipped(frame, line)}"/>' for kind, line in marks.lines]
    body += _dots(frame, plane, marks, locale)
    if plane.row is not None:
        x, y = frame.across(plane.row[0]), frame.up(plane.row[1])
        body.append(f'<path class="asked" d="M{x - 8:g} {y:g}h16M{x:g} {y - 8:g}v16"/>')
    described = text(
        "{n:,} {n:row|rows} by {across} and {up}.", n=len(plane.points), across=plane.names[0], up=plane.names[1]
    )
    return picture(_WIDTH, _HEIGHT, "".join(body), title, described, css="chart plane", locale=locale)


def _number(value: float) -> Number:
    return Number(short_number(value))


def _regions(frame: Frame, plane: Plane, regions: np.ndarray) -> list[str]:
    """One path per class: rectangles of neighbouring cells, row by row of the grid."""
    wide, high = plane.x[1] - plane.x[0], plane.y[1] - plane.y[0]
    parts: list[list[str]] = [[] for _ in plane.classes]
    for i, line in enumerate(regions):
        starts = np.r_[0, np.flatnonzero(np.diff(line)) + 1, len(line)]
        top, bottom = (_inside(frame.up(plane.y[i] + side * high / 2), frame, 1) for side in (1, -1))
        for a, b in pairwise(starts.tolist()):
            left = _inside(frame.across(plane.x[a] - wide / 2), frame, 0)
            right = _inside(frame.across(plane.x[b - 1] + wide / 2), frame, 0)
            parts[int(line[a])].append(f"M{left:g} {top:g}H{right:g}V{bottom:g}H{left:g}z")
    return [f'<path class="c{k} region" d="{"".join(part)}"/>' for k, part in enumerate(parts) if part]


def _inside(at: float, frame: Frame, axis: int) -> float:
    low, high = (frame.left, frame.width - frame.right) if axis == 0 else (frame.top, frame.height - frame.bottom)
    return round(min(max(at, low), high), 1)


def _clipped(frame: Frame, line: np.ndarray) -> str:
    """A line, with a straight one between two points cut at the frame."""
    if len(line) == 2:
        line = _cut(frame, line)
    return line_path(frame.points(line[:, 0].tolist(), line[:, 1].tolist()))


def _cut(frame: Frame, line: np.ndarray) -> np.ndarray:
    """The part of a segment inside the frame (Liang and Barsky); nothing if there is none."""
    start, step = line[0], line[1] - line[0]
    first, last = 0.0, 1.0
    for axis, (low, high) in enumerate((frame.x, frame.y)):
        for side, wall in ((-1.0, low), (1.0, high)):
            slope, room = side * step[axis], side * (wall - start[axis])
            if slope == 0:
                if room < 0:
                    return np.empty((0, 2))
                continue
            at = room / slope
            first, last = (max(first, at), last) if slope < 0 else (first, min(last, at))
    return np.empty((0, 2)) if first > last else np.array([start + first * step, start + last * step])


def _dots(frame: Frame, plane: Plane, marks: Marks, locale: Locale) -> list[str]:
    sizes = np.full(len(plane.points), _DOT)
    if marks.weights is not None and marks.weights.sum() > 0:
        # The area tells the weight.
        sizes = _DOT * np.clip(np.sqrt(marks.weights / marks.weights.mean()), 0.4, _MOST_GROWTH)
    ringed = set(marks.rings)
    parts = []
    for i, ((x, y), code, size) in enumerate(zip(plane.points, plane.codes.tolist(), sizes)):
        at = frame.across(float(x)), frame.up(float(y))
        said = [moment(float(v)) if dated else locale.text(_number(float(v))) for v, dated in zip((x, y), plane.dates)]
        place = f"{plane.names[0]} {said[0]}, {plane.names[1]} {said[1]}"
        name = escape(f"{i + 1}: {plane.classes[code]} ({place})")
        parts.append(
            f'<path class="c{code} mark" d="{_shape(code, *at, round(float(size), 1))}"><title>{name}</title></path>'
        )
        if i in ringed:
            parts.append(f'<circle class="ring" cx="{at[0]:g}" cy="{at[1]:g}" r="{size + 4:.1f}"/>')
    return parts


def _shape(code: int, x: float, y: float, r: float) -> str:
    """A circle, square, triangle or diamond."""
    if code % 4 == 0:
        return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    if code % 4 == 1:
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}z"
    if code % 4 == 2:
        return f"M{x:g} {y - r * 1.2:g}l{r * 1.2:g} {r * 2.1:g}h{-r * 2.4:g}z"
    return f"M{x:g} {y - r * 1.35:g}l{r * 1.35:g} {r * 1.35:g}l{-r * 1.35:g} {r * 1.35:g}l{-r * 1.35:g} {-r * 1.35:g}z"
