"""Weights of linear models as bars; the layers of a neural network in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure
from vaglio.messages.message import Number, join, text
from vaglio.messages.sentences import clip

# Classes whose weights are shown; each has a list of bars.
MOST_CLASSES = 6
# Standard errors need the inverse of a matrix with this many rows: beyond, they take longer than the training.
_MOST_COEFFICIENTS = 600


def linear_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    if fitted.classes is None:
        return _of_number(model, limits)
    labels = [clip(label, 40) for label in labels_of(fitted)]
    spoken = labels[1:] if len(model.coef) == 1 else labels
    unit = text("log-odds") if model.probabilistic else text("decision value")
    whose = spoken[0] if len(spoken) == 1 else text("a class")
    said = [
        text(
            "A positive weight raises the {unit} of {label}, a negative weight lowers it: by its value per unit of a "
            "number, or if a row has the category.",
            unit=unit,
            label=whose,
        )
        if model.encoder.as_is
        else text(
            "A positive weight raises the {unit} of {label}, a negative weight lowers it: by its value per standard "
            "deviation of a number, or if a row has the category.",
            unit=unit,
            label=whose,
        )
    ]
    order = list(range(len(spoken)))
    if len(spoken) > MOST_CLASSES:
        support = about.support[: len(spoken)]
        order = sorted(np.argsort(-support, kind="stable")[:MOST_CLASSES].tolist())
        said.append(
            text(
                "The weights of the {n:,} most frequent of {classes:,} classes are shown.",
                n=MOST_CLASSES,
                classes=len(spoken),
            )
        )
    parts = [
        bars_of(
            model.encoder.names,
            model.coef[k],
            text("Weights for {label}", label=spoken[k]),
            limits,
            float(model.intercept[k]),
        )
        for k in order
    ]
    for part in parts[1:]:
        part["folded"] = True
    return said, [*parts, *_odds(about, limits)]


def _of_number(model: Any, limits: ChapterLimits) -> Chapter:
    """The weights of a model that predicts a number."""
    said = (
        text(
            "A positive weight raises the prediction, a negative weight lowers it: by its value per unit of a number, "
            "or if a row has the category."
        )
        if model.encoder.as_is
        else text(
            "A positive weight raises the prediction, a negative weight lowers it: by its value per standard deviation "
            "of a number, or if a row has the category."
        )
    )
    bars = bars_of(model.encoder.names, model.coef[0], text("Weights"), limits, float(model.intercept[0]))
    return [said], [bars]


def _odds(about: Background, limits: ChapterLimits) -> list[dict[str, Any]]:
    """Odds ratios in the units of the table, for a logistic regression that is not too wide."""
    estimator = getattr(about.estimator, "estimator_", about.estimator)
    if not hasattr(estimator, "coefficients") or estimator.fitted_.model.coef.size > _MOST_COEFFICIENTS:
        return []
    frame = estimator.coefficients()
    if "odds_ratio" not in frame:
        return []
    rows = [row for row in frame.to_dict("records") if row["name"] != "(intercept)"]
    rows.sort(key=lambda row: row.get("p_value", 0.0))
    several = len({row["class"] for row in rows}) > 1
    note = text(
        "The factor by which the odds of the class change when the column increases by one unit or has the category; "
        "smallest p-value first."
    )
    if len(rows) > limits.weights:
        left = len(rows) - limits.weights
        note = join(" ", [note, text("{n:,} further {n:ratio is|ratios are} not shown.", n=left)])
    classes = [text("class")] if several else []
    head = [text("column"), *classes, text("odds ratio"), text("95% interval"), text("p-value")]
    body = []
    for row in rows[: limits.weights]:
        ends, p = text(""), Number("")
        if "odds_ratio_low" in row:
            low, high = figure(row["odds_ratio_low"], 3), figure(row["odds_ratio_high"], 3)
            ends = text("{low} to {high}", low=low, high=high)
            p = Number("< 0.001" if row["p_value"] < 0.001 else f"{row['p_value']:.3f}")
        label = [clip(row["class"], 30)] if several else []
        body.append([clip(row["name"], 48), *label, figure(row["odds_ratio"], 3), ends, p])
    return [
        {"type": "table", "title": text("Odds ratios"), "head": head, "rows": body, "note": note, "folded": True},
    ]


def mlp_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    layers = " → ".join(f"{weight.shape[0]:,}" for weight in model.weights) + f" → {model.weights[-1].shape[1]:,}"
    said = text(
        "The layers of the network have {layers} units. A single weight has no meaning by itself.",
        layers=Number(layers),
    )
    return [said], []


def labels_of(fitted: Fitted) -> list[Any]:
    """The class labels as plain Python values."""
    assert fitted.classes is not None
    labels: list[Any] = fitted.classes.tolist()
    return labels


def bars_of(
    names: tuple[str, ...], weights: np.ndarray, title: str, limits: ChapterLimits, intercept: float | None = None
) -> dict[str, Any]:
    """The largest weights as bars to the left and to the right of zero."""
    order = np.argsort(-np.abs(weights), kind="stable")
    order = order[weights[order] != 0]
    shown = order[: limits.weights]
    note = [] if intercept is None else [text("Intercept: {intercept}.", intercept=figure(intercept, 3))]
    if len(order) > len(shown):
        note.append(
            text(
                "The {n:,} largest weights are shown; {left:,} smaller {left:weight is|weights are} not shown.",
                n=len(shown),
                left=len(order) - len(shown),
            )
        )
    return {
        "type": "bars",
        "title": title,
        "note": join(" ", note),
        "rows": [{"label": clip(names[i], 48), "value": float(weights[i])} for i in shown],
        "form": "signed",
    }
