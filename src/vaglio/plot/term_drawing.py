"""Terms of an additive model as SVG: steps with bands, values with whiskers, a map of two columns.

Elements have CSS classes instead of colours, so that the page around them chooses light or dark colours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.sentences import clip, listed
from vaglio.plot.svg import Frame, axes, line_path, picture

__all__ = ["draw_cells", "draw_steps", "draw_values"]

# A band is this many standard deviations wide on each side.
BAND = 2.0
_ROW, _LABEL = 18.0, 130.0


def _range(scores: np.ndarray, deviations: np.ndarray) -> tuple[float, float]:
    low, high = float((scores - BAND * deviations).min()), float((scores + BAND * deviations).max())
    low, high = min(low, 0.0), max(high, 0.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def draw_steps(
    name: str,
    edges: np.ndarray,
    scores: np.ndarray,
    deviations: np.ndarray,
    measure: str,
    form: Callable[[float], str] | None = None,
    locale: Locale = ENGLISH,
) -> str:
    """Return the score of a column of numbers: a line of steps per score, with a band around it.

    Parameters
    ----------
    name : str
        The column.
    edges : ndarray of shape (n + 1,)
    scores, deviations : ndarray of shape (n, K)
    measure : str
        What is added up.
    form : callable, optional
        From a value of the column to the text beside its grid line.
    locale : Locale
    """

    def plain(value: float) -> str:
        return locale.number(value, ".4g")

    shown = form or plain
    frame = Frame(x=(float(edges[0]), float(edges[-1])), y=_range(scores, deviations))
    xs = np.repeat(edges, 2)[1:-1]
    body = f'<g class="axes">{axes(frame, clip(name, 40), measure, shown, plain)}</g>'
    body += f'<path class="chance" d="M{frame.left:g} {frame.up(0.0):g}H{frame.width - frame.right:g}"/>'
    for k in range(scores.shape[1]):
        middle, spread = np.repeat(scores[:, k], 2), BAND * np.repeat(deviations[:, k], 2)
        band = frame.points(xs, middle + spread) + frame.points(xs[::-1], (middle - spread)[::-1])
        body += f'<path class="c{k % 8} band" d="{line_path(band)}z"/>'
    for k in range(scores.shape[1]):
        body += f'<path class="line{k % 8} step" d="{line_path(frame.points(xs, np.repeat(scores[:, k], 2)))}"/>'
    described = locale.say(
        "Score by {column}, from {low} to {high}; band of two standard deviations.",
        column=name,
        low=shown(float(edges[0])),
        high=shown(float(edges[-1])),
    )
    return picture(frame.width, frame.height, body, locale.say("Term {name}", name=name), described)


def draw_values(
    name: str,
    labels: Sequence[str],
    scores: np.ndarray,
    deviations: np.ndarray,
    measure: str,
    locale: Locale = ENGLISH,
) -> str:
    """Return the scores of categories: one line per category with a dot and a whisker per score.

    Parameters
    ----------
    name : str
        The column.
    labels : sequence of str
    scores, deviations : ndarray of shape (n, K)
    measure : str
        What is added up.
    locale : Locale
    """
    height = 44 + _ROW * len(labels)
    frame = Frame(height=height, left=_LABEL, bottom=38, top=6, x=_range(scores, deviations), y=(0.0, 1.0))
    grid = Frame(height=height, left=_LABEL, bottom=38, top=6, x=frame.x, y=(0.0, 0.0001))
    numbers = axes(grid, measure, "", lambda value: locale.number(value, ".4g"), lambda value: "", (5, 1))
    body = f'<g class="axes">{numbers}</g>'
    body += f'<path class="chance" d="M{frame.across(0.0):g} {frame.top:g}V{height - frame.bottom:g}"/>'
    several = scores.shape[1]
    for i, label in enumerate(labels):
        middle = frame.top + _ROW * (i + 0.5)
        body += f'<text class="tick" x="{_LABEL - 8:g}" y="{middle + 4:g}" text-anchor="end">'
        body += f"{escape(clip(label, 20))}</text>"
        for k in range(several):
            y = middle + (k - (several - 1) / 2) * min(4.0, 10.0 / several)
            ends = [frame.across(scores[i, k] + side * BAND * deviations[i, k]) for side in (-1, 1)]
            body += f'<path class="line{k % 8} whisker" d="M{ends[0]:g} {y:.1f}H{ends[1]:g}"/>'
            body += f'<circle class="c{k % 8}" cx="{frame.across(scores[i, k]):g}" cy="{y:.1f}" r="3"/>'
    described = locale.say("Score of {n:,} values of {column}.", n=len(labels), column=name)
    return picture(frame.width, height, body, locale.say("Term {name}", name=name), described)


def draw_cells(
    columns: Sequence[str],
    labels: Sequence[str],
    across: Sequence[str],
    scores: np.ndarray,
    measure: str,
    locale: Locale = ENGLISH,
) -> str:
    """Return the scores of a pair as a map: orange adds, blue takes away, deeper colours do so more.

    Parameters
    ----------
    columns : (str, str)
        The column of the lines and the one of the places in a line.
    labels, across : sequence of str
        Their values.
    scores : ndarray of shape (a, b)
    measure : str
        What is added up.
    locale : Locale
    """
    left, top, width, height = _LABEL, 8.0, 180.0, 180.0
    step = width / max(len(across), 1), height / max(len(labels), 1)
    most = float(np.abs(scores).max(initial=0.0)) or 1.0
    body = ""
    for i, j in np.ndindex(scores.shape):
        share = abs(float(scores[i, j])) / most
        if share >= 0.02:
            body += (
                f'<rect class="c{int(scores[i, j] > 0)}" x="{left + j * step[0]:.1f}" y="{top + i * step[1]:.1f}" '
                f'width="{step[0]:.1f}" height="{step[1]:.1f}" fill-opacity="{share:.2f}"/>'
            )
    body += f'<path class="grid" d="M{left:g} {top:g}h{width:g}v{height:g}h{-width:g}z"/>'
    for i in _some(len(labels), 8):
        body += f'<text class="tick" x="{left - 6:g}" y="{top + (i + 0.5) * step[1] + 4:.1f}" text-anchor="end">'
        body += f"{escape(clip(labels[i], 20))}</text>"
    for j in _some(len(across), 3):
        body += f'<text class="tick" x="{left + (j + 0.5) * step[0]:.1f}" y="{top + height + 15:g}" '
        body += f'text-anchor="middle">{escape(clip(across[j], 12))}</text>'
    centre = left + width / 2
    told = locale.say("{column} · up to ±{most:.4g}", column=clip(columns[1], 40), most=most)
    body += f'<text class="axis" x="{centre:g}" y="{top + height + 34:g}" text-anchor="middle">{escape(told)}</text>'
    middle = top + height / 2
    body += f'<text class="axis" x="11" y="{middle:g}" text-anchor="middle" transform="rotate(-90 11 {middle:g})">'
    body += f"{escape(clip(columns[0], 30))}</text>"
    described = locale.say(
        "{measure} by {first} and {second}, at most {most:.4g}.",
        measure=measure,
        first=columns[0],
        second=columns[1],
        most=most,
    )
    title = locale.say("Term {name}", name=listed(columns))
    return picture(320, top + height + 42, body, title, described)


def _some(count: int, most: int) -> list[int]:
    """Return at most so many places, evenly spread, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})
