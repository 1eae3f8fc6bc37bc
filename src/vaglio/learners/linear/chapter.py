"""Weights of linear models as bars; the layers of a neural network in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.messages.figures import figure
from vaglio.messages.sentences import clip, plural

# Classes whose weights are shown; each has a list of bars.
MOST_CLASSES = 6
# Standard errors need the inverse of a matrix with this many rows: beyond, they take longer than the training.
_MOST_COEFFICIENTS = 600


def linear_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    labels = [clip(label, 40) for label in labels_of(fitted)]
    spoken = labels[1:] if len(model.coef) == 1 else labels
    unit = "log-odds" if model.probabilistic else "decision value"
    said = [_reading(model.encoder, unit, spoken)]
    order = list(range(len(spoken)))
    if len(spoken) > MOST_CLASSES:
        support = about.support[: len(spoken)]
        order = sorted(np.argsort(-support, kind="stable")[:MOST_CLASSES].tolist())
        said.append(f"The weights of the {MOST_CLASSES} most frequent of {plural(len(spoken), 'class')} are shown.")
    parts = [
        bars_of(model.encoder.names, model.coef[k], f"Weights for {spoken[k]}", limits, float(model.intercept[k]))
        for k in order
    ]
    for part in parts[1:]:
        part["folded"] = True
    return said, [*parts, *_odds(about, limits)]


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
    note = (
        "The factor by which the odds of the class change when the column increases by one unit or has the category; "
        "smallest p-value first."
    )
    if len(rows) > limits.weights:
        note += f" {plural(len(rows) - limits.weights, 'further ratio')} not shown."
    head = ["column", *(["class"] if several else []), "odds ratio", "95% interval", "p"]
    body = [_odds_row(row, several) for row in rows[: limits.weights]]
    return [
        {"type": "table", "title": "Odds ratios", "head": head, "rows": body, "note": note, "folded": True},
    ]


def _odds_row(row: dict[str, Any], several: bool) -> list[str]:
    ends, p = "", ""
    if "odds_ratio_low" in row:
        ends = f"{figure(row['odds_ratio_low'], 3)} to {figure(row['odds_ratio_high'], 3)}"
        p = "< 0.001" if row["p_value"] < 0.001 else f"{row['p_value']:.3f}"
    label = [clip(row["class"], 30)] if several else []
    return [clip(row["name"], 48), *label, figure(row["odds_ratio"], 3), ends, p]


def _reading(encoder: Any, unit: str, spoken: list[str]) -> str:
    whose = spoken[0] if len(spoken) == 1 else "a class"
    step = "unit of a number" if encoder.as_is else "standard deviation of a number"
    return (
        f"A positive weight raises the {unit} of {whose}, a negative weight lowers it: by its value per {step}, or if "
        "a row has the category."
    )


def mlp_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    model: Any = fitted.model
    layers = " → ".join(f"{weight.shape[0]:,}" for weight in model.weights) + f" → {model.weights[-1].shape[1]:,}"
    return [f"The layers of the network have {layers} units. A single weight has no meaning by itself."], []


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
    note = "" if intercept is None else f"Intercept: {figure(intercept, 3)}."
    if len(order) > len(shown):
        rest = len(order) - len(shown)
        note += f" The {len(shown)} largest weights are shown; {plural(rest, 'smaller weight')} not shown."
    return {
        "type": "bars",
        "title": title,
        "note": note.strip(),
        "rows": [{"label": clip(names[i], 48), "value": float(weights[i])} for i in shown],
        "form": "signed",
    }
