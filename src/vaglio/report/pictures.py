"""From the plain data of a summary to SVG, with the panels that follow the threshold slider.

Colours come from the stylesheet of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from vaglio.messages.figures import figure
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import text
from vaglio.plot.network import draw_network
from vaglio.plot.svg import Frame, Point, axes, line_path, picture
from vaglio.plot.term_drawing import draw_cells, draw_steps, draw_values
from vaglio.plot.tree_drawing import Box, draw_tree_svg

__all__ = [
    "PANELS",
    "class_data",
    "column_histogram",
    "distance_map",
    "dots_picture",
    "headline_scale",
    "interval_line",
    "network_picture",
    "panel_pictures",
    "rounds_picture",
    "term_picture",
    "tree_picture",
]

# Panel -> title and what it shows, in the order of the page.
PANELS = {
    "roc": (text("ROC curve"), text("True positive rate against false positive rate, one point per threshold.")),
    "pr": (text("Precision-recall curve"), text("Precision against recall, one point per threshold.")),
    "gain": (
        text("Gain curve"),
        text("Share of the class found when this share of the rows is taken, highest scores first."),
    ),
    "lift": (
        text("Lift curve"),
        text("How many times more rows of the class than in a random choice of as many rows."),
    ),
    "calibration": (
        text("Calibration curve"),
        text(
            "Observed frequency against predicted probability. Larger dots: more rows. Lines through the dots: 95% "
            "intervals."
        ),
    ),
    "scores": (
        text("Distribution of scores"),
        text("Rows of the class (up) and other rows (down) by score. The line is the threshold."),
    ),
    "cost": (text("Cost curve"), text("Mean cost per row at each threshold.")),
}
_LABELS = {
    "roc": (text("false positive rate"), text("true positive rate")),
    "pr": (text("recall"), text("precision")),
    "gain": (text("share of rows taken"), text("share of the class found")),
    "lift": (text("share of rows taken"), text("lift")),
    "calibration": (text("predicted probability"), text("observed frequency")),
    "scores": (text("score"), text("share of rows")),
    "cost": (text("threshold"), text("cost per row")),
}


def panel_pictures(curves: dict[str, Any], locale: Locale = ENGLISH) -> list[dict[str, str]]:
    """The panels of the class shown first, as SVG with their titles."""
    first = curves["classes"][0]
    data = class_data(first, locale)
    found = []
    for name, (title, meaning) in PANELS.items():
        if name not in data["panels"]:
            continue
        panel = data["panels"][name]
        body = (
            f'<g class="axes">{panel["axes"]}</g><path class="chance" d="{panel["chance"]}"/>'
            f'<path class="curve" d="{line_path(panel["points"]) if name != "scores" else ""}"/>'
        )
        body += _mark(name, panel, first["start"])
        named = locale.say("{curve} for {label}", curve=title, label=first["label"])
        svg = picture(320, 250, body, named, locale.text(meaning))
        found.append({"name": name, "title": title, "meaning": meaning, "svg": svg})
    return found


def class_data(one: dict[str, Any], locale: Locale = ENGLISH) -> dict[str, Any]:
    """What the script needs about a class: counts along the threshold, and positions on every panel."""
    tp, fp, total = one["tp"], one["fp"], one["positives"] + one["negatives"]
    tpr = [t / one["positives"] for t in tp]
    fpr = [f / one["negatives"] for f in fp]
    taken = [(t + f) / total for t, f in zip(tp, fp)]
    precision = [t / (t + f) if t + f else 1.0 for t, f in zip(tp, fp)]
    prevalence = one["positives"] / total
    square = Frame()
    panels: dict[str, dict[str, Any]] = {
        "roc": _panel("roc", locale, square, square.points(fpr, tpr), [(0, 0), (1, 1)]),
        "pr": _panel("pr", locale, square, square.points(tpr, precision), [(0, prevalence), (1, prevalence)]),
        "gain": _panel("gain", locale, square, square.points(taken, tpr), [(0, 0), (1, 1)]),
        "lift": _lift(taken, precision, prevalence, locale),
    }
    if one["calibration"]:
        panels["calibration"] = _calibration(one["calibration"], locale)
    panels["scores"] = _scores(one, locale)
    if one["cost"] is not None:
        panels["cost"] = _cost(one, total, locale)
    return {
        "label": one["label"],
        "rest": locale.text(one["rest"]),
        "threshold": one["threshold"],
        "tp": tp,
        "fp": fp,
        "positives": one["positives"],
        "negatives": one["negatives"],
        "start": one["start"],
        "usual": one["usual"],
        "asDecided": one["as_decided"],
        "cost": one["cost"],
        "rocArea": locale.text(one["roc_area"]),
        "averagePrecision": locale.text(one["average_precision"]),
        "panels": panels,
    }


def _panel(
    name: str,
    locale: Locale,
    frame: Frame,
    points: list[Point],
    chance: list[Point],
    across: str = ".0%",
    up: str = ".0%",
    unit: str = "",
) -> dict[str, Any]:
    """Positions of a panel; ``across`` and ``up`` are the forms of the numbers beside the axes."""
    xlabel, ylabel = (locale.text(label) for label in _LABELS[name])
    return {
        "axes": axes(frame, xlabel, ylabel, lambda v: locale.number(v, across), lambda v: locale.number(v, up) + unit),
        "points": points,
        "chance": line_path(frame.points(*zip(*chance))) if chance else "",
    }


def _lift(taken: list[float], precision: list[float], prevalence: float, locale: Locale) -> dict[str, Any]:
    # Without any row there is no lift: the curve begins at the first row.
    lifts = [p / prevalence if c > 0 else None for p, c in zip(precision, taken)]
    filled = [value if value is not None else next(v for v in reversed(lifts) if v is not None) for value in lifts]
    frame = Frame(y=(0.0, max(1.5, 1.05 * max(filled))))
    first = min((c for c in taken if c > 0), default=1.0)
    points = frame.points([max(c, first) for c in taken], filled)
    return _panel("lift", locale, frame, points, [(0, 1), (1, 1)], up="g", unit="×")


def _calibration(bins: list[list[float]], locale: Locale) -> dict[str, Any]:
    """A dot per bin, the larger the more rows it has, and its interval as a line."""
    frame = Frame()
    predicted, observed, low, high, rows = zip(*bins)
    points = frame.points(predicted, observed)
    dots = [(*point, round(3 + 6 * (n / max(rows)) ** 0.5, 1)) for point, n in zip(points, rows)]
    bands = "".join(f"M{frame.across(p):g} {frame.up(a):g}V{frame.up(b):g}" for p, a, b in zip(predicted, low, high))
    return {**_panel("calibration", locale, frame, points, [(0, 0), (1, 1)]), "dots": dots, "bands": bands}


def _scores(one: dict[str, Any], locale: Locale) -> dict[str, Any]:
    """Bars of both groups on either side of a middle line; the points are the positions of the threshold."""
    data = one["scores"]
    tallest = max(*data["of_class"], *data["of_others"], 1e-9)
    frame = Frame(x=(data["low"], data["high"]), y=(-1.08 * tallest, 1.08 * tallest))
    step = (data["high"] - data["low"]) / len(data["of_class"])
    bars = {"of_class": "", "of_others": ""}
    for group, sign in (("of_class", 1), ("of_others", -1)):
        for i, share in enumerate(data[group]):
            if share:
                left, right = frame.across(data["low"] + i * step) + 0.5, frame.across(data["low"] + (i + 1) * step)
                bars[group] += f"M{left:g} {frame.up(0):g}V{frame.up(sign * share):g}H{right - 0.5:g}V{frame.up(0):g}z"
    places = [data["high"] if t is None else min(max(t, data["low"]), data["high"]) for t in one["threshold"]]
    # Shares below the middle line are positive as well.
    points = frame.points(places, [0] * len(places))
    xlabel, ylabel = (locale.text(label) for label in _LABELS["scores"])
    drawn = axes(frame, xlabel, ylabel, lambda v: locale.number(v, "g"), lambda v: locale.number(abs(v), ".0%"))
    panel = {"axes": drawn, "points": points, "chance": ""}
    return {**panel, "ofClass": bars["of_class"], "ofOthers": bars["of_others"]}


def _mark(name: str, panel: dict[str, Any], at: int) -> str:
    """The mark of the threshold, and the bars or dots of a panel without a curve."""
    x, y = panel["points"][at] if name != "calibration" else (0.0, 0.0)
    if name == "calibration":
        dots = "".join(f'<circle class="bin" cx="{x:g}" cy="{y:g}" r="{r:g}"/>' for x, y, r in panel["dots"])
        return f'<path class="band" d="{panel["bands"]}"/><g class="dots">{dots}</g>'
    if name == "scores":
        return (
            f'<path class="of-class" d="{panel["ofClass"]}"/><path class="of-others" d="{panel["ofOthers"]}"/>'
            f'<path class="cut" d="M0 10V210" transform="translate({x:g})"/>'
        )
    return f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="6"/>'


def _cost(one: dict[str, Any], total: float, locale: Locale) -> dict[str, Any]:
    tn, fp, fn, tp = one["cost"]
    costs = [
        (tn * (one["negatives"] - f) + fp * f + fn * (one["positives"] - t) + tp * t) / total
        for t, f in zip(one["tp"], one["fp"])
    ]
    low, high = min(0.0, *costs), max(costs)
    frame = Frame(y=(low, high * 1.08 if high > low else low + 1.0), left=60)
    # A threshold above every score is drawn at the right end of the axis.
    places = [1.0 if t is None else min(max(t, 0.0), 1.0) for t in one["threshold"]]
    return _panel("cost", locale, frame, frame.points(places, costs), [], across="g", up="g")


def column_histogram(column: dict[str, Any], labels: Sequence[str], locale: Locale = ENGLISH) -> str:
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
    told = {"column": column["name"], "low": column["histogram"]["low"], "high": column["histogram"]["high"]}
    title = locale.say("Histogram of {column}", **told)
    described = (
        locale.say("Histogram of {column} from {low} to {high}, colored by class.", **told)
        if labels
        else locale.say("Histogram of {column} from {low} to {high}.", **told)
    )
    return picture(width, height + 1, "".join(paths) + base, title, described, css="histogram")


def interval_line(row: dict[str, Any], scale: Sequence[float], baseline: float | None, locale: Locale = ENGLISH) -> str:
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
    title = locale.say("Score of {learner}", learner=row["learner"])
    described = locale.say(
        "{learner}: {score}, interval {interval}.",
        learner=row["learner"],
        score=row["text"],
        interval=row["interval"],
    )
    return picture(width, height, body, title, described, css="interval")


def headline_scale(head: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """The accuracy between 0 and 100 %, its interval, and the baseline."""
    width, left, inner = 420.0, 10.0, 400.0

    def at(value: float) -> float:
        return left + inner * value

    body = f'<path class="grid" d="M{left:g} 28H{left + inner:g}"/>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        body += f'<path class="grid" d="M{at(share):g} 24v8"/>'
        body += (
            f'<text class="tick" x="{at(share):g}" y="48" text-anchor="{anchor}">{locale.number(share, ".0%")}</text>'
        )
    body += f'<path class="guess" d="M{at(head["baseline"]):.1f} 14V42"/>'
    anchor = "end" if head["baseline"] > 0.5 else "start"
    shift = -4 if head["baseline"] > 0.5 else 4
    x, word = at(head["baseline"]) + shift, locale.say("baseline")
    body += f'<text class="tick" x="{x:.1f}" y="12" text-anchor="{anchor}">{word}</text>'
    body += f'<path class="reach wide" d="M{at(head["low"]):.1f} 28H{at(head["high"]):.1f}"/>'
    body += f'<circle class="point winner" cx="{at(head["value"]):.1f}" cy="28" r="6"/>'
    described = locale.say(
        "Accuracy {accuracy}, interval {interval}; the baseline is {baseline}.",
        accuracy=head["text"],
        interval=head["interval"],
        baseline=head["baseline_text"],
    )
    return picture(width, 52, body, locale.say("Accuracy on a scale from 0 to 100%"), described, css="scale")


def dots_picture(part: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """A dot per row, with a dashed line where both numbers are equal, or where the upward one is zero."""
    xs, ys, equal = part["x"], part["y"], part["line"] == "equal"
    x, y = _room(xs, ys if equal else ()), _room(ys, xs if equal else (0.0,))
    frame = Frame(x=x, y=y, left=84)

    def said(value: float) -> str:
        return locale.text(figure(value))

    names = locale.text(part["xlabel"]), locale.text(part["ylabel"])
    drawn = axes(frame, *names, said, said, (4, 5), dates=(part["dates"], False), locale=locale)
    ends = [(x[0], x[0]), (x[1], x[1])] if equal else [(x[0], 0.0), (x[1], 0.0)]
    line = f'<path class="chance" d="{line_path(frame.points(*zip(*ends)))}"/>'
    dots = "".join(f'<circle cx="{a:g}" cy="{b:g}" r="2.5"/>' for a, b in frame.points(xs, ys))
    body = f'<g class="axes">{drawn}</g><g class="dots faint">{dots}</g>{line}'
    described = (
        locale.say(
            "{n:,} {n:row|rows}: {x} across, {y} up. The dashed line is where both are equal.",
            n=len(xs),
            x=names[0],
            y=names[1],
        )
        if equal
        else locale.say(
            "{n:,} {n:row|rows}: {x} across, {y} up. The dashed line is at zero.", n=len(xs), x=names[0], y=names[1]
        )
    )
    title = locale.say("{y} against {x}", x=names[0], y=names[1])
    return picture(frame.width, frame.height, body, title, described)


def _room(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis, with a margin."""
    together = [*values, *others]
    low, high = min(together), max(together)
    reach = 0.04 * (high - low) if high > low else 0.5 * abs(high) or 0.5
    return low - reach, high + reach


def rounds_picture(part: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """Curves over the rounds, of the rows learned from and of those held out, and a mark at the rounds taken."""
    rounds, curves = part["rounds"], (part["learned"], part["held"])
    top = max(max(curve) for curve in curves)
    low = min(0.0, min(min(curve) for curve in curves))
    frame = Frame(width=560, height=260, x=(0.0, float(max(rounds[-1], 1))), y=(low, top if top > low else low + 1.0))
    measure = locale.text(part["measure"])
    drawn = axes(
        frame, locale.say("round"), measure, lambda v: locale.number(v, ".0f"), lambda v: locale.number(v, ".2g")
    )
    body = f'<g class="axes">{drawn}</g>'
    at = frame.across(part["chosen"])
    body += f'<path class="chance" d="M{at:g} {frame.top:g}V{frame.height - frame.bottom:g}"/>'
    names = (locale.say("training rows"), locale.say("validation rows"))
    for css, curve, name in zip(("curve thin", "curve"), curves, names):
        points = frame.points(rounds, curve)
        body += f'<path class="{css}" d="{line_path(points)}"/>'
        x, y = points[-1]
        body += f'<text class="tick" x="{x:g}" y="{max(y - 6, 12):g}" text-anchor="end">{name}</text>'
    described = locale.say(
        "{measure} after each of {n:,} rounds; {chosen:,} rounds were chosen.",
        measure=part["measure"],
        n=rounds[-1],
        chosen=part["chosen"],
    )
    return picture(frame.width, frame.height, body, locale.say("Loss by round"), described)


def tree_picture(part: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """A tree from nested boxes."""
    return draw_tree_svg(_box(part["root"], locale), part["classes"], locale.text(part["title"]))


def _box(plain: dict[str, Any], locale: Locale) -> Box:
    return Box(
        locale.text(plain["title"]),
        [locale.text(line) for line in plain["lines"]],
        plain["shares"],
        locale.text(plain["edge"]),
        plain["leaf"],
        [_box(child, locale) for child in plain["children"]],
        plain["address"],
    )


def network_picture(part: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """A Bayesian network; its words are names of columns, the same in every language."""
    return draw_network(part["target"], part["names"], [(a, b) for a, b in part["edges"]])


def distance_map(part: dict[str, Any], number: int, locale: Locale = ENGLISH) -> str:
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
    described = locale.say("{n:,} rows, colored by class; {caption}.", n=len(dots), caption=one["caption"][0])
    return picture(size, size, "".join(dots), locale.text(one["title"]), described, css="map")


def term_picture(term: dict[str, Any], locale: Locale = ENGLISH) -> str:
    """A term of an additive model: steps over numbers, values side by side, or a map of two columns."""
    scores, measure = np.asarray(term["scores"]), locale.text(term["measure"])
    if term["form"] == "cells":
        return draw_cells(term["columns"], term["labels"], term["across"], scores, measure, locale=locale)
    deviations = np.asarray(term["deviations"])
    if term["form"] == "values":
        return draw_values(term["name"], term["labels"], scores, deviations, measure, locale=locale)
    form = _day if term["dates"] else None
    return draw_steps(term["name"], np.asarray(term["edges"]), scores, deviations, measure, form=form, locale=locale)


def _day(days: float) -> str:
    """Days since 1970 as a month; beyond the calendar as they are."""
    try:
        return (date(1970, 1, 1) + timedelta(days=float(days))).strftime("%Y-%m")
    except OverflowError:
        return f"{days:g}"
