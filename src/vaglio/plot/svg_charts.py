"""Small SVG charts of plain data for pages: bars, boxes, points and counts by class, curves of several models.

Elements have CSS classes instead of colours. Where addresses are given, a part of the chart is a link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from vaglio.messages.numbers import short_number
from vaglio.plot.svg import Frame, Point, axes, line_path, picture

__all__ = ["class_bars", "class_boxes", "count_grid", "model_curves", "scatter"]

# Characters of a label below or beside a chart.
_LABEL = 14


def _brief(text: str, most: int = _LABEL) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _number(value: float) -> str:
    return short_number(float(f"{value:.4g}"))


def _rect(css: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _linked(body: str, address: str | None, label: str, *, in_order: bool = True) -> str:
    if address is None:
        return body
    order = "" if in_order else ' tabindex="-1"'
    return f'<a href="{escape(address)}" aria-label="{escape(label)}" data-live=""{order}>{body}</a>'


def _chart(width: float, height: float, body: str, title: str, description: str, linked: bool) -> str:
    if not linked:
        return picture(width, height, body, title, description)
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
    """
    tallest = max((sum(bar) for bar in counts), default=1) or 1
    frame = Frame(640, 300, y=(0, tallest), x=(0, max(len(counts), 1)), bottom=56)
    parts = [axes(Frame(640, 300, y=(0, tallest), x=(0, 1), bottom=56), "", "", lambda v: "", _number, (1, 4))]
    every = max(1, math.ceil(len(counts) / 9))
    for b, bar in enumerate(counts):
        left, right, base = frame.across(b + 0.05), frame.across(b + 0.95), 0.0
        drawn = ""
        for k, n in enumerate(bar):
            if n:
                top, bottom = frame.up(base + n), frame.up(base)
                css = f"c{k}" if coloured else "plain"
                drawn += _rect(css, left, top, right - left, bottom - top)
                base += n
        label = f"{names[b]}: {_number(sum(bar))}"
        hit = _rect("hit", left, frame.top, right - left, frame.up(0) - frame.top)
        parts.append(_linked(drawn + hit, addresses[b] if addresses else None, label))
        if b % every == 0:
            middle = (left + right) / 2
            parts.append(
                f'<text class="tick" x="{middle:g}" y="{frame.up(0) + 16:g}" text-anchor="middle">'
                f"{escape(_brief(names[b]))}</text>"
            )
    return _chart(640, 300, "".join(parts), title, f"{len(counts)} bars, stacked by class.", addresses is not None)


def class_boxes(fives: Sequence[tuple[str, Sequence[float]]], title: str, xlabel: str, coloured: bool = True) -> str:
    """Return one box per class: quartiles, median and whiskers.

    Parameters
    ----------
    fives : sequence of (str, (low, q1, median, q3, high))
    title, xlabel : str
    coloured : bool, default=True
    """
    low = min((five[0] for _, five in fives), default=0.0)
    high = max((five[4] for _, five in fives), default=1.0)
    height = 50 + 34 * len(fives)
    frame = Frame(640, height, left=120, x=(low, high if high > low else low + 1), y=(0, max(len(fives), 1)))
    parts = [axes(Frame(640, height, left=120, x=frame.x, y=(0, 1)), xlabel, "", _number, lambda v: "", (6, 1))]
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
    return picture(640, height, "".join(parts), title, f"{len(fives)} boxes: whiskers, quartiles and median.")


def scatter(
    points: Sequence[tuple[float, float, int]],
    names: tuple[str, str],
    title: str,
    addresses: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
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
    """
    xs, ys = [p[0] for p in points] or [0.0], [p[1] for p in points] or [0.0]
    frame = Frame(640, 420, x=_padded(min(xs), max(xs)), y=_padded(min(ys), max(ys)))
    parts = [axes(frame, names[0], names[1], _number, _number)]
    for at, (x, y, code) in enumerate(points):
        css = f"c{code}" if code >= 0 else "plain"
        dot = f'<circle class="{css} row-dot" cx="{frame.across(x):g}" cy="{frame.up(y):g}" r="4"/>'
        label = labels[at] if labels else ""
        parts.append(_linked(dot, addresses[at] if addresses else None, label, in_order=False))
    return _chart(640, 420, "".join(parts), title, f"{len(points)} rows.", addresses is not None)


def _padded(low: float, high: float) -> tuple[float, float]:
    if not high > low:
        return low - 0.5, high + 0.5
    reach = 0.04 * (high - low)
    return low - reach, high + reach


def count_grid(counts: Sequence[Sequence[float]], across: Sequence[str], down: Sequence[str], title: str) -> str:
    """Return how often each pair of categories occurs: the larger the square, the more rows.

    Parameters
    ----------
    counts : sequence of sequences
        One list per category down, one number per category across.
    across, down : sequence of str
    title : str
    """
    most = max((n for row in counts for n in row), default=1) or 1
    cell, left, top = 46.0, 120.0, 26.0
    parts = []
    for j, name in enumerate(across):
        parts.append(
            f'<text class="tick" x="{left + (j + 0.5) * cell:g}" y="{top - 8:g}" text-anchor="middle">'
            f"{escape(_brief(name, 8))}</text>"
        )
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
                + f'<text class="tick" x="{x:g}" y="{middle + 4:g}" text-anchor="middle">{_number(n)}</text>'
            )
    width, height = left + cell * len(across) + 10, top + cell * len(down) + 10
    return picture(width, height, "".join(parts), title, "Number of rows for each pair of values.")


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
    """
    frame = Frame(400, 300, y=(0.0, top or 1.0))
    up = (lambda v: f"{v:.0%}") if percent else _number
    parts = [axes(frame, *labels, lambda v: f"{v:.0%}" if percent else f"{v:g}", up)]
    if chance:
        parts.append(f'<path class="chance" d="{line_path(frame.points(*zip(*chance)))}"/>')
    for k, (_, points) in enumerate(curves):
        placed = frame.points(*zip(*points)) if points else []
        parts.append(f'<path class="curve line{k % 8}" d="{line_path(placed)}"/>')
    if marks:
        for k, (_, points) in enumerate(curves):
            x, y = frame.points(*zip(*points))[0] if points else (0.0, 0.0)
            parts.append(f'<circle class="dot c{k % 8}" data-model="{k}" cx="{x:g}" cy="{y:g}" r="5"/>')
    return picture(400, 300, "".join(parts), title, description)
