"""The panels that follow the threshold slider: ROC, precision-recall, gain, lift, calibration, scores, cost.

Every panel is drawn here once, for the class shown first; for the other classes the page gets the positions of their
points, so that its script only moves elements that exist.
"""

from __future__ import annotations

from typing import Any

from vaglio.plot.svg import Frame, Point, axes, line_path, picture

__all__ = ["PANELS", "class_data", "panel_pictures"]

# Panel -> title and what it shows, in the order of the page.
PANELS = {
    "roc": ("ROC curve", "True positive rate against false positive rate, one point per threshold."),
    "pr": ("Precision-recall curve", "Precision against recall, one point per threshold."),
    "gain": ("Gain curve", "Share of the class found when this share of the rows is taken, highest scores first."),
    "lift": ("Lift curve", "How many times more rows of the class than in a random choice of as many rows."),
    "calibration": ("Calibration curve", "Observed frequency against predicted probability. Larger dots: more rows."),
    "scores": (
        "Distribution of scores",
        "Rows of the class (up) and other rows (down) by score. The line is the threshold.",
    ),
    "cost": ("Cost curve", "Mean cost per row at each threshold."),
}
_LABELS = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "gain": ("share of rows taken", "share of the class found"),
    "lift": ("share of rows taken", "lift"),
    "calibration": ("predicted probability", "observed frequency"),
    "scores": ("score", "share of rows"),
    "cost": ("threshold", "cost per row"),
}


def panel_pictures(curves: dict[str, Any]) -> list[dict[str, str]]:
    """The panels of the class shown first, as SVG with their titles."""
    first = curves["classes"][0]
    data = class_data(first)
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
        svg = picture(320, 250, body, f"{title} for {first['label']}", meaning)
        found.append({"name": name, "title": title, "meaning": meaning, "svg": svg})
    return found


def class_data(one: dict[str, Any]) -> dict[str, Any]:
    """What the script needs about a class: counts along the threshold, and positions on every panel."""
    tp, fp, total = one["tp"], one["fp"], one["positives"] + one["negatives"]
    tpr = [t / one["positives"] for t in tp]
    fpr = [f / one["negatives"] for f in fp]
    taken = [(t + f) / total for t, f in zip(tp, fp)]
    precision = [t / (t + f) if t + f else 1.0 for t, f in zip(tp, fp)]
    prevalence = one["positives"] / total
    square = Frame()
    panels: dict[str, dict[str, Any]] = {
        "roc": _panel("roc", square, square.points(fpr, tpr), [(0, 0), (1, 1)]),
        "pr": _panel("pr", square, square.points(tpr, precision), [(0, prevalence), (1, prevalence)]),
        "gain": _panel("gain", square, square.points(taken, tpr), [(0, 0), (1, 1)]),
        "lift": _lift(taken, precision, prevalence),
    }
    if one["calibration"]:
        panels["calibration"] = _calibration(one["calibration"])
    panels["scores"] = _scores(one)
    if one["cost"] is not None:
        panels["cost"] = _cost(one, total)
    return {
        "label": one["label"],
        "rest": one["rest"],
        "threshold": one["threshold"],
        "tp": tp,
        "fp": fp,
        "positives": one["positives"],
        "negatives": one["negatives"],
        "start": one["start"],
        "usual": one["usual"],
        "asDecided": one["as_decided"],
        "cost": one["cost"],
        "rocArea": one["roc_area"],
        "averagePrecision": one["average_precision"],
        "panels": panels,
    }


def _share(value: float) -> str:
    return f"{value:.0%}"


def _panel(name: str, frame: Frame, points: list[Point], chance: list[Point], **forms: Any) -> dict[str, Any]:
    across, up = forms.get("across", _share), forms.get("up", _share)
    return {
        "axes": axes(frame, *_LABELS[name], across, up),
        "points": points,
        "chance": line_path(frame.points(*zip(*chance))) if chance else "",
    }


def _lift(taken: list[float], precision: list[float], prevalence: float) -> dict[str, Any]:
    # Without any row there is no lift: the curve begins at the first row.
    lifts = [p / prevalence if c > 0 else None for p, c in zip(precision, taken)]
    filled = [value if value is not None else next(v for v in reversed(lifts) if v is not None) for value in lifts]
    frame = Frame(y=(0.0, max(1.5, 1.05 * max(filled))))
    first = min((c for c in taken if c > 0), default=1.0)
    points = frame.points([max(c, first) for c in taken], filled)
    return _panel("lift", frame, points, [(0, 1), (1, 1)], up=lambda v: f"{v:g}×")


def _calibration(bins: list[list[float]]) -> dict[str, Any]:
    frame = Frame()
    most = max(n for _, _, n in bins)
    dots = [(*frame.points([p], [o])[0], round(3 + 6 * (n / most) ** 0.5, 1)) for p, o, n in bins]
    points = frame.points([p for p, _, _ in bins], [o for _, o, _ in bins])
    return {**_panel("calibration", frame, points, [(0, 0), (1, 1)]), "dots": dots}


def _scores(one: dict[str, Any]) -> dict[str, Any]:
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
    panel = _panel(
        "scores",
        frame,
        frame.points(places, [0] * len(places)),
        [],
        across=lambda v: f"{v:g}",
        up=lambda v: f"{abs(v):.0%}",
    )
    return {**panel, "ofClass": bars["of_class"], "ofOthers": bars["of_others"]}


def _mark(name: str, panel: dict[str, Any], at: int) -> str:
    """The mark of the threshold, and the bars or dots of a panel without a curve."""
    x, y = panel["points"][at] if name != "calibration" else (0.0, 0.0)
    if name == "calibration":
        return f'<g class="dots">{_dots(panel["dots"])}</g>'
    if name == "scores":
        return (
            f'<path class="of-class" d="{panel["ofClass"]}"/><path class="of-others" d="{panel["ofOthers"]}"/>'
            f'<path class="cut" d="M0 10V210" transform="translate({x:g})"/>'
        )
    return f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="6"/>'


def _dots(dots: list[tuple[float, float, float]]) -> str:
    return "".join(f'<circle class="bin" cx="{x:g}" cy="{y:g}" r="{r:g}"/>' for x, y, r in dots)


def _cost(one: dict[str, Any], total: float) -> dict[str, Any]:
    tn, fp, fn, tp = one["cost"]
    costs = [
        (tn * (one["negatives"] - f) + fp * f + fn * (one["positives"] - t) + tp * t) / total
        for t, f in zip(one["tp"], one["fp"])
    ]
    low, high = min(0.0, *costs), max(costs)
    frame = Frame(y=(low, high * 1.08 if high > low else low + 1.0), left=60)
    # A threshold above every score is drawn at the right end of the axis.
    places = [1.0 if t is None else min(max(t, 0.0), 1.0) for t in one["threshold"]]
    return _panel("cost", frame, frame.points(places, costs), [], across=lambda v: f"{v:g}", up=lambda v: f"{v:g}")
