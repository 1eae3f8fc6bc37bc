"""Pieces of small SVG charts: a frame with scales, ticks, axes and lines.

Elements have CSS classes instead of colours, so that the page around them chooses light or dark colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Frame", "Point", "axes", "line_path", "nice_ticks", "picture"]

Point = tuple[float, float]


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers inside an interval, at most about so many.

    >>> nice_ticks(0.0, 1.0), nice_ticks(0.0, 7.3)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 2.0, 4.0, 6.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / most
    scale = 10.0 ** math.floor(math.log10(raw))
    step = scale * next(factor for factor in (1, 2, 5, 10) if factor * scale >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


@dataclass(frozen=True)
class Frame:
    """The size of a chart, its margins, and the range of its data.

    Attributes
    ----------
    width, height : float
        Of the whole picture.
    left, right, top, bottom : float
        Margins around the plotted area.
    x, y : (low, high)
        Values at the ends of the axes.
    """

    width: float = 320
    height: float = 250
    left: float = 56
    right: float = 18
    top: float = 10
    bottom: float = 40
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)

    def across(self, value: float) -> float:
        """Return the place of a value along the horizontal axis, in pixels."""
        low, high = self.x
        inner = self.width - self.left - self.right
        return round(self.left + inner * (value - low) / (high - low), 1)

    def up(self, value: float) -> float:
        """Return the place of a value along the vertical axis, in pixels from the top."""
        low, high = self.y
        inner = self.height - self.top - self.bottom
        return round(self.height - self.bottom - inner * (value - low) / (high - low), 1)

    def points(self, xs: Iterable[float], ys: Iterable[float]) -> list[Point]:
        """Return the places of many points."""
        return [(self.across(x), self.up(y)) for x, y in zip(xs, ys, strict=True)]


def line_path(points: Sequence[Point]) -> str:
    """Return the ``d`` attribute of a path through points.

    >>> line_path([(0, 1.5), (2.0, 3)])
    'M0 1.5L2 3'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if points else ""


def axes(
    frame: Frame,
    xlabel: str,
    ylabel: str,
    xtext: Callable[[float], str],
    ytext: Callable[[float], str],
    most: tuple[int, int] = (5, 5),
) -> str:
    """Return grid lines, the numbers beside them, and the names of both axes.

    Parameters
    ----------
    frame : Frame
    xlabel, ylabel : str
        Names of the axes.
    xtext, ytext : callable
        From a number to the text beside its grid line.
    most : (int, int), default=(5, 5)
        About how many grid lines, across and up.
    """
    parts = []
    bottom, top = frame.up(frame.y[0]), frame.up(frame.y[1])
    left, right = frame.across(frame.x[0]), frame.across(frame.x[1])
    for value in nice_ticks(*frame.x, most[0]):
        at = frame.across(value)
        parts.append(f'<path class="grid" d="M{at:g} {top:g}V{bottom:g}"/>')
        parts.append(f'<text class="tick" x="{at:g}" y="{bottom + 15:g}" text-anchor="middle">{xtext(value)}</text>')
    for value in nice_ticks(*frame.y, most[1]):
        at = frame.up(value)
        parts.append(f'<path class="grid" d="M{left:g} {at:g}H{right:g}"/>')
        parts.append(f'<text class="tick" x="{left - 6:g}" y="{at + 4:g}" text-anchor="end">{ytext(value)}</text>')
    middle = (left + right) / 2, (top + bottom) / 2
    parts.append(
        f'<text class="axis" x="{middle[0]:g}" y="{frame.height - 5:g}" text-anchor="middle">{escape(xlabel)}</text>'
    )
    parts.append(
        f'<text class="axis" x="11" y="{middle[1]:g}" text-anchor="middle" '
        f'transform="rotate(-90 11 {middle[1]:g})">{escape(ylabel)}</text>'
    )
    return "".join(parts)


def picture(width: float, height: float, body: str, title: str, description: str, *, css: str = "chart") -> str:
    """Return an SVG element with a title and a description for screen readers."""
    return (
        f'<svg class="{css}" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{body}</svg>"
    )
