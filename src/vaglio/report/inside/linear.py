"""Weights of linear models as bars; the layers of a neural network in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.report.format import figure
from vaglio.report.inside._chapter import chapters
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, plural

# Classes whose weights are shown, the commonest first: each takes a picture of its own.
MOST_CLASSES = 6
# Errors of the coefficients come from the inverse of a matrix with this many lines.
_MOST_COEFFICIENTS = 600


@chapters.register("linear")
def linear_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    labels = [clip(label, 40) for label in labels_of(fitted)]
    spoken = labels[1:] if len(model.coef) == 1 else labels
    unit = "log-odds" if model.probabilistic else "decision value"
    said = [_reading(model.encoder, unit, spoken)]
    order = list(range(len(spoken)))
    if len(spoken) > MOST_CLASSES:
        support = study.evaluation.rates.support[: len(spoken)]
        order = sorted(np.argsort(-support, kind="stable")[:MOST_CLASSES].tolist())
        said.append(f"The weights of the {MOST_CLASSES} commonest of {plural(len(spoken), 'class')} are shown.")
    parts = [
        bars_of(model.encoder.names, model.coef[k], f"What speaks for {spoken[k]}", limits, float(model.intercept[k]))
        for k in order
    ]
    for part in parts[1:]:
        part["folded"] = True
    return said, [*parts, *_odds(study, limits)]


def _odds(study: Study, limits: Limits) -> list[dict[str, Any]]:
    """Odds ratios in the units of the table, for a logistic regression that is not too wide."""
    estimator = getattr(study.selection.best_estimator, "estimator_", study.selection.best_estimator)
    if not hasattr(estimator, "coefficients") or estimator.fitted_.model.coef.size > _MOST_COEFFICIENTS:
        return []
    frame = estimator.coefficients()
    if "odds_ratio" not in frame:
        return []
    rows = [row for row in frame.to_dict("records") if row["name"] != "(intercept)"]
    rows.sort(key=lambda row: row.get("p_value", 0.0))
    several = len({row["class"] for row in rows}) > 1
    note = "What one unit more, or having the category, multiplies the odds of the class by; the surest first."
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
    scaled = "in the columns' own units" if encoder.as_is else "one standard deviation more of a number"
    whose = f"{spoken[0]} " if len(spoken) == 1 else "a class "
    return (
        f"A positive weight speaks for {whose}and a negative one against it: it is what the {unit} gains by {scaled}, "
        "or by having a category."
        if not encoder.as_is
        else f"A positive weight speaks for {whose}and a negative one against it, {scaled}."
    )


@chapters.register("mlp")
def mlp_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    model: Any = fitted.model
    layers = " → ".join(f"{weight.shape[0]:,}" for weight in model.weights) + f" → {model.weights[-1].shape[1]:,}"
    return [f"From input to output its layers have {layers} units; single weights mean nothing to a reader."], []


def labels_of(fitted: Fitted) -> list[Any]:
    """The class labels as plain Python values."""
    assert fitted.classes is not None
    labels: list[Any] = fitted.classes.tolist()
    return labels


def bars_of(
    names: tuple[str, ...], weights: np.ndarray, title: str, limits: Limits, intercept: float | None = None
) -> dict[str, Any]:
    """The largest weights as bars to the left and to the right of zero."""
    order = np.argsort(-np.abs(weights), kind="stable")
    order = order[weights[order] != 0]
    shown = order[: limits.weights]
    note = "" if intercept is None else f"Where all is average or absent the value is {figure(intercept, 3)}."
    if len(order) > len(shown):
        rest = len(order) - len(shown)
        note += f" The {len(shown)} largest weights; {plural(rest, 'smaller one')} not shown."
    return {
        "type": "bars",
        "title": title,
        "note": note.strip(),
        "rows": [{"label": clip(names[i], 48), "value": float(weights[i])} for i in shown],
        "form": "signed",
    }
