"""Small SVG charts of plain data for pages: frames with scales and ticks, bars, boxes, points, counts, curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from vaglio.messages.figures import moment, short_number
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Number, text

__all__ = [
    "Frame",
    "Point",
    "axes",
    "class_bars",
    "class_boxes",
    "count_grid",
    "date_ticks",
    "line_path",
    "model_curves",
    "nice_ticks",
    "picture",
    "scatter",
]

Point = tuple[float, float]
# Characters of a label below or beside a chart, and pixels that one takes.
_LABEL, _CHARACTER = 14, 6.6
# Distances of grid lines along dates: in days, in months.
_DAYS, _MONTHS = (1 / 1440, 5 / 1440, 15 / 1440, 1 / 24, 3 / 24, 6 / 24, 12 / 24, 1, 2, 7, 14), (1, 3, 6)


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


def date_ticks(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return starts of years, months, days or hours between two dates, at most about so many, with their names.

    Parameters
    ----------
    low, high : float
        Days since 1970.
    most : int, default=5

    Examples
    --------
    >>> date_ticks(19723, 20500)
    [(19723.0, '2024-01'), (19905.0, '2024-07'), (20089.0, '2025-01'), (20270.0, '2025-07'), (20454.0, '2026-01')]
    >>> date_ticks(19723, 19723.3)
    [(19723.0, '2024-01-01 00:00'), (19723.125, '2024-01-01 03:00'), (19723.25, '2024-01-01 06:00')]
    """
    raw = (high - low) / most
    for step in _DAYS:
        if step >= raw:
            places = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
            return [(float(day), moment(day)[:16] if day % 1 else _midnight(day, step)) for day in places]
    months = next((step for step in _MONTHS if step * 30 >= raw), 12)
    unit: Any = "M" if months < 12 else "Y"
    step = months if months < 12 else int(max(1, nice_ticks(0, raw / 365, 1)[-1]))
    first, last = (np.datetime64(math.floor(day), "D").astype(f"M8[{unit}]").astype(np.int64) for day in (low, high))
    starts = [np.datetime64(int(k), unit) for k in range(-(-int(first) // step) * step, int(last) + 1, step)]
    placed = [(float(start.astype("M8[D]").astype(np.int64)), str(start)) for start in starts]
    return [(day, name) for day, name in placed if low <= day <= high]


def _midnight(day: float, step: float) -> str:
    return moment(day) if step >= 1 else f"{moment(day)} 00:00"


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
    *,
    dates: tuple[bool, bool] = (False, False),
    locale: Locale = ENGLISH,
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
    dates : (bool, bool), default=(False, False)
        Whether the numbers across, and up, are days since 1970.
    locale : Locale
    """
    parts = []
    bottom, top = frame.up(frame.y[0]), frame.up(frame.y[1])
    left, right = frame.across(frame.x[0]), frame.across(frame.x[1])
    for value, said in _ticks(frame.x, most[0], xtext, dates[0]):
        at = frame.across(value)
        parts.append(f'<path class="grid" d="M{at:g} {top:g}V{bottom:g}"/>')
        parts.append(
            f'<text class="tick" x="{at:g}" y="{bottom + 15:g}" text-anchor="middle">{locale.text(said)}</text>'
        )
    for value, said in _ticks(frame.y, most[1], ytext, dates[1]):
        at = frame.up(value)
        parts.append(f'<path class="grid" d="M{left:g} {at:g}H{right:g}"/>')
        parts.append(f'<text class="tick" x="{left - 6:g}" y="{at + 4:g}" text-anchor="end">{locale.text(said)}</text>')
    middle = (left + right) / 2, (top + bottom) / 2
    parts.append(
        f'<text class="axis" x="{middle[0]:g}" y="{frame.height - 5:g}" text-anchor="middle">'
        f"{escape(locale.text(xlabel))}</text>"
    )
    parts.append(
        f'<text class="axis" x="11" y="{middle[1]:g}" text-anchor="middle" '
        f'transform="rotate(-90 11 {middle[1]:g})">{escape(locale.text(ylabel))}</text>'
    )
    return "".join(parts)


def _ticks(ends: tuple[float, float], most: int, said: Callable[[float], str], dated: bool) -> list[tuple[float, str]]:
    return date_ticks(*ends, most) if dated else [(value, said(value)) for value in nice_ticks(*ends, most)]


def picture(
    width: float,
    height: float,
    body: str,
    title: str,
    description: str,
    *,
    css: str = "chart",
    locale: Locale = ENGLISH,
) -> str:
    """Return an SVG element with a title and a description for screen readers."""
    title, description = map(locale.text, (title, description))
    return (
        f'<svg class="{css}" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{body}</svg>"
    )


def _brief(text: str, most: int = _LABEL) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _number(value: float) -> Number:
    return Number(short_number(float(f"{value:.4g}")))


def _percent(value: float) -> Number:
    return Number(f"{value:.0%}")


def _rect(css: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _linked(body: str, address: str | None, label: str, *, in_order: bool = True) -> str:
    if address is None:
        return body
    order = "" if in_order else ' tabindex="-1"'
    return f'<a href="{escape(address)}" aria-label="{escape(label)}" data-live=""{order}>{body}</a>'


def _chart(width: float, height: float, body: str, title: str, description: str, linked: bool, locale: Locale) -> str:
    if not linked:
        return picture(width, height, body, title, description, locale=locale)
    title, description = map(locale.text, (title, description))
    # Links inside an image would not be read out: the chart is a group.
    return (
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" role="group" aria-label="{escape(title)}">'
        f"<desc>{escape(description)}</desc>{body}</svg>"
    )


def class_bars(
    counts: Sequence[Sequence[float]],
    names: Sequence[str],
    title: str,
    addresses: Sequence[str] | None = None,
    coloured: bool = True,
    *,
    locale: Locale = ENGLISH,
) -> str:
    """Return bars stacked by class, one per bin or category.

    Parameters
    ----------
    counts : sequence of sequences
        Per bar, the rows of each class.
    names : sequence of str
        What each bar stands for.
    title : str
    addresses : sequence of str, optional
        Where a click on a bar leads.
    coloured : bool, default=True
        Whether the classes have colours.
    locale : Locale
    """
    tallest = max((sum(bar) for bar in counts), default=1) or 1
    said = [locale.text(name) for name in names]
    height, every, slanted = _below_bars(said)
    frame = Frame(640, height, y=(0, tallest), x=(0, max(len(counts), 1)), bottom=height - 244)
    scale = Frame(640, height, y=(0, tallest), x=(0, 1), bottom=height - 244)
    parts = [axes(scale, "", "", lambda v: "", _number, (1, 4), locale=locale)]
    for b, bar in enumerate(counts):
        left, right, base = frame.across(b + 0.05), frame.across(b + 0.95), 0.0
        drawn = ""
        for k, n in enumerate(bar):
            if n:
                top, bottom = frame.up(base + n), frame.up(base)
                css = f"c{k}" if coloured else "plain"
                drawn += _rect(css, left, top, right - left, bottom - top)
                base += n
        label = f"{said[b]}: {locale.text(_number(sum(bar)))}"
        hit = _rect("hit", left, frame.top, right - left, frame.up(0) - frame.top)
        parts.append(_linked(drawn + hit, addresses[b] if addresses else None, label))
        if b % every == 0:
            parts.append(_below((left + right) / 2, frame.up(0) + 16, said[b], slanted))
    description = text("{n:,} {n:bar|bars}, stacked by class.", n=len(counts))
    return _chart(640, height, "".join(parts), title, description, addresses is not None, locale)


def _below_bars(names: Sequence[str]) -> tuple[int, int, bool]:
    """Return the height of a chart of bars, which bars are named, and whether their names must slant to have room."""
    longest = max((len(_brief(name)) for name in names), default=0)
    room = 566 / max(len(names), 1)
    every = max(1, math.ceil(longest * _CHARACTER / room))
    # Some of the numbers are enough to read the others; a category without a name says nothing.
    if every == 1 or len(names) > 16:
        return 284, every, False
    return 268 + round(0.6 * longest * _CHARACTER), 1, True


def _below(x: float, y: float, name: str, slanted: bool) -> str:
    if not slanted:
        return f'<text class="tick" x="{x:g}" y="{y:g}" text-anchor="middle">{escape(_brief(name))}</text>'
    turned = f'text-anchor="end" transform="rotate(-35 {x:g} {y - 4:g})"'
    return f'<text class="tick" x="{x:g}" y="{y:g}" {turned}>{escape(_brief(name))}</text>'


def class_boxes(
    fives: Sequence[tuple[str, Sequence[float]]],
    title: str,
    xlabel: str,
    coloured: bool = True,
    *,
    dates: bool = False,
    locale: Locale = ENGLISH,
) -> str:
    """Return one box per class: quartiles, median and whiskers.

    Parameters
    ----------
    fives : sequence of (str, (low, q1, median, q3, high))
    title, xlabel : str
    coloured : bool, default=True
    dates : bool, default=False
        Whether the numbers are days since 1970.
    locale : Locale
    """
    low = min((five[0] for _, five in fives), default=0.0)
    high = max((five[4] for _, five in fives), default=1.0)
    height = 50 + 34 * len(fives)
    frame = Frame(640, height, left=120, x=(low, high if high > low else low + 1), y=(0, max(len(fives), 1)))
    scale = Frame(640, height, left=120, x=frame.x, y=(0, 1))
    lines = (4, 1) if dates else (6, 1)
    parts = [axes(scale, xlabel, "", _number, lambda v: "", lines, dates=(dates, False), locale=locale)]
    for k, (name, (least, q1, median, q3, most)) in enumerate(fives):
        middle = frame.up(len(fives) - k - 0.5)
        css = f"c{k}" if coloured else "plain"
        ends = [frame.across(v) for v in (least, q1, median, q3, most)]
        parts.append(
            f'<path class="grid dark" d="M{ends[0]:g} {middle:g}H{ends[4]:g}"/>'
            + _rect(f"{css} soft-fill", ends[1], middle - 11, max(ends[3] - ends[1], 1), 22)
            + f'<path class="cut" d="M{ends[2]:g} {middle - 11:g}v22"/>'
            f'<text class="tick" x="112" y="{middle + 4:g}" text-anchor="end">{escape(_brief(name, 16))}</text>'
        )
    description = text("{n:,} {n:box|boxes} with whiskers, quartiles and median.", n=len(fives))
    return picture(640, height, "".join(parts), title, description, locale=locale)


def scatter(
    points: Sequence[tuple[float, float, int]],
    names: tuple[str, str],
    title: str,
    addresses: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    *,
    dates: tuple[bool, bool] = (False, False),
    locale: Locale = ENGLISH,
) -> str:
    """Return a dot per row in the colour of its class.

    Parameters
    ----------
    points : sequence of (x, y, code)
    names : (str, str)
        Of the columns.
    title : str
    addresses, labels : sequence of str, optional
        Where a click on a dot leads, and what it is called.
    dates : (bool, bool), default=(False, False)
        Whether the numbers across, and up, are days since 1970.
    locale : Locale
    """
    xs, ys = [p[0] for p in points] or [0.0], [p[1] for p in points] or [0.0]
    # A date needs more room beside its line than a number.
    left = 118 if dates[1] else 56
    frame = Frame(640, 420, left=left, x=_padded(min(xs), max(xs)), y=_padded(min(ys), max(ys)))
    parts = [axes(frame, names[0], names[1], _number, _number, dates=dates, locale=locale)]
    for at, (x, y, code) in enumerate(points):
        css = f"c{code}" if code >= 0 else "plain"
        dot = f'<circle class="{css} row-dot" cx="{frame.across(x):g}" cy="{frame.up(y):g}" r="4"/>'
        label = locale.text(labels[at]) if labels else ""
        parts.append(_linked(dot, addresses[at] if addresses else None, label, in_order=False))
    description = text("{n:,} {n:row|rows}.", n=len(points))
    return _chart(640, 420, "".join(parts), title, description, addresses is not None, locale)


def _padded(low: float, high: float) -> tuple[float, float]:
    if not high > low:
        return low - 0.5, high + 0.5
    reach = 0.04 * (high - low)
    return low - reach, high + reach


def count_grid(
    counts: Sequence[Sequence[float]],
    across: Sequence[str],
    down: Sequence[str],
    title: str,
    *,
    locale: Locale = ENGLISH,
) -> str:
    """Return how often each pair of categories occurs: the larger the square, the more rows.

    Parameters
    ----------
    counts : sequence of sequences
        One list per category down, one number per category across.
    across, down : sequence of str
    title : str
    locale : Locale
    """
    most = max((n for row in counts for n in row), default=1) or 1
    longest = max((len(_brief(name)) for name in across), default=0)
    cell, left, slanted = 46.0, 120.0, longest * _CHARACTER > 46
    top = 26.0 + (0.6 * longest * _CHARACTER if slanted else 0)
    parts = []
    for j, name in enumerate(across):
        x, y = left + (j + 0.5) * cell, top - 8
        turned = f'text-anchor="start" transform="rotate(-35 {x:g} {y:g})"' if slanted else 'text-anchor="middle"'
        parts.append(f'<text class="tick" x="{x:g}" y="{y:g}" {turned}>{escape(_brief(name))}</text>')
    for i, name in enumerate(down):
        middle = top + (i + 0.5) * cell
        parts.append(
            f'<text class="tick" x="{left - 8:g}" y="{middle + 4:g}" text-anchor="end">{escape(_brief(name))}</text>'
        )
        for j, n in enumerate(counts[i]):
            side = (cell - 6) * math.sqrt(n / most)
            x = left + (j + 0.5) * cell
            parts.append(
                _rect("plain soft-fill", x - side / 2, middle - side / 2, side, side)
                + f'<text class="tick" x="{x:g}" y="{middle + 4:g}" text-anchor="middle">'
                f"{locale.text(_number(n))}</text>"
            )
    beyond = 0.82 * longest * _CHARACTER if slanted else 10
    width, height = left + cell * len(across) + beyond, top + cell * len(down) + 10
    description = text("Number of rows for each pair of values.")
    return picture(width, height, "".join(parts), title, description, locale=locale)


def model_curves(
    curves: Sequence[tuple[str, Sequence[Point]]],
    title: str,
    description: str,
    labels: tuple[str, str],
    *,
    top: float = 1.0,
    chance: Sequence[Point] = (),
    percent: bool = True,
    marks: bool = True,
    locale: Locale = ENGLISH,
) -> str:
    """Return one line per model, each with a mark that a script moves along it.

    Parameters
    ----------
    curves : sequence of (str, points)
        Points from 0 to 1 across, and from 0 to ``top`` up.
    title, description : str
    labels : (str, str)
        Names of the axes.
    top : float, default=1.0
    chance : sequence of points
        A dashed line.
    percent : bool, default=True
        Whether the vertical axis is a share.
    marks : bool, default=True
    locale : Locale
    """
    frame = Frame(400, 300, y=(0.0, top or 1.0))
    up = _percent if percent else _number
    parts = [axes(frame, *labels, up, up, locale=locale)]
    if chance:
        parts.append(f'<path class="chance" d="{line_path(frame.points(*zip(*chance)))}"/>')
    for k, (_, points) in enumerate(curves):
        placed = frame.points(*zip(*points)) if points else []
        parts.append(f'<path class="curve line{k % 8}" d="{line_path(placed)}"/>')
    if marks:
        for k, (_, points) in enumerate(curves):
            x, y = frame.points(*zip(*points))[0] if points else (0.0, 0.0)
            parts.append(f'<circle class="dot c{k % 8}" data-model="{k}" cx="{x:g}" cy="{y:g}" r="5"/>')
    return picture(400, 300, "".join(parts), title, description, locale=locale)
