"""From the plain data of a summary to SVG. Colours come from the stylesheet of the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from vaglio.plot.network import draw_network
from vaglio.plot.svg import Frame, axes, line_path, picture
from vaglio.plot.term_drawing import draw_cells, draw_steps, draw_values
from vaglio.plot.tree_drawing import Box, draw_tree_svg

__all__ = [
    "column_histogram",
    "distance_map",
    "headline_scale",
    "interval_line",
    "network_picture",
    "rounds_picture",
    "term_picture",
    "tree_picture",
]


def column_histogram(column: dict[str, Any], labels: Sequence[str]) -> str:
    """Bars of the bins of one column, stacked by class."""
    counts = column["histogram"]["counts"]
    n_bins = len(counts[0])
    width, height = 240.0, 64.0
    tallest = max(sum(row[b] for row in counts) for b in range(n_bins)) or 1
    step = width / n_bins
    floor = [height] * n_bins
    paths = []
    for k, row in enumerate(counts):
        parts = []
        for b, n in enumerate(row):
            if n:
                rise = n / tallest * height
                parts.append(f"M{b * step:.1f} {floor[b]:.1f}v-{rise:.1f}h{step * 0.92:.1f}v{rise:.1f}z")
                floor[b] -= rise
        if parts:
            paths.append(f'<path class="{f"c{k}" if labels else "plain"}" d="{"".join(parts)}"/>')
    base = f'<path class="base" d="M0 {height:g}H{width:g}"/>'
    name, low, high = column["name"], column["histogram"]["low"], column["histogram"]["high"]
    described = f"Histogram of {name} from {low} to {high}" + (", coloured by class." if labels else ".")
    return picture(width, height + 1, "".join(paths) + base, f"Histogram of {name}", described, css="histogram")


def interval_line(row: dict[str, Any], scale: Sequence[float], baseline: float | None) -> str:
    """One learner's score as a dot on its interval, with a mark at the baseline."""
    low, high = scale
    width, height = 260.0, 22.0

    def at(value: float) -> float:
        return 6 + (width - 12) * (value - low) / (high - low)

    body = f'<path class="grid" d="M6 {height / 2:g}H{width - 6:g}"/>'
    if baseline is not None:
        body += f'<path class="guess" d="M{at(baseline):.1f} 2V{height - 2:g}"/>'
    if row["low"] is not None:
        ends = at(row["low"]), at(row["high"])
        body += f'<path class="reach" d="M{ends[0]:.1f} {height / 2:g}H{ends[1]:.1f}"/>'
    css = "point winner" if row["winner"] else "point"
    body += f'<circle class="{css}" cx="{at(row["score"]):.1f}" cy="{height / 2:g}" r="5"/>'
    described = f"{row['learner']}: {row['text']}, interval {row['interval']}."
    return picture(width, height, body, f"Score of {row['learner']}", described, css="interval")


def headline_scale(head: dict[str, Any]) -> str:
    """The accuracy between 0 and 100 %, its interval, and the baseline."""
    width, left, inner = 420.0, 10.0, 400.0

    def at(value: float) -> float:
        return left + inner * value

    body = f'<path class="grid" d="M{left:g} 28H{left + inner:g}"/>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        body += f'<path class="grid" d="M{at(share):g} 24v8"/>'
        body += f'<text class="tick" x="{at(share):g}" y="48" text-anchor="{anchor}">{share:.0%}</text>'
    body += f'<path class="guess" d="M{at(head["baseline"]):.1f} 14V42"/>'
    anchor = "end" if head["baseline"] > 0.5 else "start"
    shift = -4 if head["baseline"] > 0.5 else 4
    body += f'<text class="tick" x="{at(head["baseline"]) + shift:.1f}" y="12" text-anchor="{anchor}">baseline</text>'
    body += f'<path class="reach wide" d="M{at(head["low"]):.1f} 28H{at(head["high"]):.1f}"/>'
    body += f'<circle class="point winner" cx="{at(head["value"]):.1f}" cy="28" r="6"/>'
    described = f"Accuracy {head['text']}, interval {head['interval']}; the baseline is {head['baseline_text']}."
    return picture(width, 52, body, "Accuracy on a scale from 0 to 100 %", described, css="scale")


def rounds_picture(part: dict[str, Any]) -> str:
    """Curves over the rounds, of the rows learned from and of those held out, and a mark at the rounds taken."""
    rounds, curves = part["rounds"], (part["learned"], part["held"])
    top = max(max(curve) for curve in curves)
    low = min(0.0, min(min(curve) for curve in curves))
    frame = Frame(width=560, height=260, x=(0.0, float(max(rounds[-1], 1))), y=(low, top if top > low else low + 1.0))
    body = f'<g class="axes">{axes(frame, "round", part["measure"], "{:.0f}".format, "{:.2g}".format)}</g>'
    at = frame.across(part["chosen"])
    body += f'<path class="chance" d="M{at:g} {frame.top:g}V{frame.height - frame.bottom:g}"/>'
    for css, curve, name in zip(("curve thin", "curve"), curves, ("rows learned from", "rows held out")):
        points = frame.points(rounds, curve)
        body += f'<path class="{css}" d="{line_path(points)}"/>'
        x, y = points[-1]
        body += f'<text class="tick" x="{x:g}" y="{max(y - 6, 12):g}" text-anchor="end">{name}</text>'
    described = f"{part['measure']} after each of {rounds[-1]} rounds; {part['chosen']} rounds were chosen."
    return picture(frame.width, frame.height, body, "Loss round by round", described)


def tree_picture(part: dict[str, Any]) -> str:
    """A tree from nested boxes."""
    return draw_tree_svg(_box(part["root"]), part["classes"], part["title"])


def _box(plain: dict[str, Any]) -> Box:
    return Box(
        plain["title"],
        plain["lines"],
        plain["shares"],
        plain["edge"],
        plain["leaf"],
        [_box(child) for child in plain["children"]],
        plain["address"],
    )


def network_picture(part: dict[str, Any]) -> str:
    """A Bayesian network."""
    return draw_network(part["target"], part["names"], [(a, b) for a, b in part["edges"]])


def distance_map(part: dict[str, Any], number: int) -> str:
    """One of two maps of rows: a dot per row in the colour of its class."""
    one, size, margin = part["maps"][number], 320.0, 14.0
    xs, ys = zip(*one["points"])
    reach = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    scale, inner = (size - 2 * margin) / reach, size - 2 * margin
    left = margin + (inner - (max(xs) - min(xs)) * scale) / 2
    below = size - margin - (inner - (max(ys) - min(ys)) * scale) / 2
    dots = [
        f'<circle class="c{code} row" cx="{left + (x - min(xs)) * scale:.1f}" '
        f'cy="{below - (y - min(ys)) * scale:.1f}" r="3.2"/>'
        for x, y, code in zip(xs, ys, part["codes"])
    ]
    described = f"{len(dots)} rows, coloured by class; {one['caption'][0]}."
    return picture(size, size, "".join(dots), one["title"], described, css="map")


def term_picture(term: dict[str, Any]) -> str:
    """A term of an additive model: steps over numbers, values side by side, or a map of two columns."""
    scores = np.asarray(term["scores"])
    if term["form"] == "cells":
        return draw_cells(term["columns"], term["labels"], term["across"], scores, term["measure"])
    deviations = np.asarray(term["deviations"])
    if term["form"] == "values":
        return draw_values(term["name"], term["labels"], scores, deviations, term["measure"])
    text = {"text": _day} if term["dates"] else {}
    return draw_steps(term["name"], np.asarray(term["edges"]), scores, deviations, term["measure"], **text)


def _day(days: float) -> str:
    """Days since 1970 as a month; beyond the calendar as they are."""
    try:
        return (date(1970, 1, 1) + timedelta(days=float(days))).strftime("%Y-%m")
    except OverflowError:
        return f"{days:g}"
