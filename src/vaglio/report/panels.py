"""The panels that the slider moves together: ROC, precision-recall, gain, lift, calibration, cost.

Every panel is drawn here once, for the class shown first; for the others the page gets the places of their points, so
that its script only moves what is there.
"""

from __future__ import annotations

from typing import Any

from vaglio.plot.svg import Frame, Point, axes, line_path, picture

__all__ = ["PANELS", "class_data", "panel_pictures"]

# Panel -> title and what it shows, in the order of the page.
PANELS = {
    "roc": ("ROC curve", "Rows of the class found, against others called so by mistake."),
    "pr": ("Precision and recall", "How many of the rows called are right, against how many are found."),
    "gain": ("Gain", "Rows of the class found when so many rows are taken, the surest first."),
    "lift": ("Lift", "How many times more of the class than in rows taken by chance."),
    "calibration": ("Calibration", "Do things happen as often as the probabilities say? Larger dots: more rows."),
    "scores": ("Scores", "Rows of the class (up) and others (down) by score; the line is the threshold."),
    "cost": ("Cost", "Mean cost a row at each threshold."),
}
_LABELS = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "gain": ("share of rows called", "share of the class found"),
    "lift": ("share of rows called", "lift"),
    "calibration": ("probability given", "share observed"),
    "scores": ("score", "share of rows"),
    "cost": ("threshold", "cost a row"),
}


def panel_pictures(curves: dict[str, Any]) -> list[dict[str, str]]:
    """The panels of the class shown first, as SVG with their names."""
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
    """What the script needs of a class: counts along the threshold, and places on every panel."""
    tp, fp, total = one["tp"], one["fp"], one["positives"] + one["negatives"]
    tpr = [t / one["positives"] for t in tp]
    fpr = [f / one["negatives"] for f in fp]
    called = [(t + f) / total for t, f in zip(tp, fp)]
    precision = [t / (t + f) if t + f else 1.0 for t, f in zip(tp, fp)]
    prevalence = one["positives"] / total
    square = Frame()
    panels: dict[str, dict[str, Any]] = {
        "roc": _panel("roc", square, square.points(fpr, tpr), [(0, 0), (1, 1)]),
        "pr": _panel("pr", square, square.points(tpr, precision), [(0, prevalence), (1, prevalence)]),
        "gain": _panel("gain", square, square.points(called, tpr), [(0, 0), (1, 1)]),
        "lift": _lift(called, precision, prevalence),
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


def _lift(called: list[float], precision: list[float], prevalence: float) -> dict[str, Any]:
    # With no row called there is no lift: the curve begins at the first row.
    lifts = [p / prevalence if c > 0 else None for p, c in zip(precision, called)]
    filled = [value if value is not None else next(v for v in reversed(lifts) if v is not None) for value in lifts]
    frame = Frame(y=(0.0, max(1.5, 1.05 * max(filled))))
    first = min((c for c in called if c > 0), default=1.0)
    points = frame.points([max(c, first) for c in called], filled)
    return _panel("lift", frame, points, [(0, 1), (1, 1)], up=lambda v: f"{v:g}×")


def _calibration(bins: list[list[float]]) -> dict[str, Any]:
    frame = Frame()
    most = max(n for _, _, n in bins)
    dots = [(*frame.points([p], [o])[0], round(3 + 6 * (n / most) ** 0.5, 1)) for p, o, n in bins]
    points = frame.points([p for p, _, _ in bins], [o for _, o, _ in bins])
    return {**_panel("calibration", frame, points, [(0, 0), (1, 1)]), "dots": dots}


def _scores(one: dict[str, Any]) -> dict[str, Any]:
    """Bars of both groups on either side of a middle line; the points are where the threshold stands."""
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
    """What shows the threshold, and the bars or dots that stand beside the curve."""
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
    # Above every score lies the right end of the scale.
    places = [1.0 if t is None else min(max(t, 0.0), 1.0) for t in one["threshold"]]
    return _panel("cost", frame, frame.points(places, costs), [], across=lambda v: f"{v:g}", up=lambda v: f"{v:g}")
