"""Why a linear model decided: each column's part in the sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix
from vaglio.explanation._contributions import by_feature, explanation_from, first_and_second
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation
from vaglio.model.linear import LinearModel


def explain_linear(model: LinearModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by contributions coefficient × value, in the encoded space, to the lead over the runner-up."""
    rows: Any = model.encoder.transform(matrix)
    values = np.asarray(rows @ model.coef.T) + model.intercept
    if values.shape[1] == 1:
        values = np.column_stack([np.zeros(len(values)), values])
    proba = model.predict_proba(matrix) if model.probabilistic else None
    decided = model.predict_codes(matrix)
    explanations = []
    for i in range(matrix.n_rows):
        decision = int(decided[i])
        second = next(k for k in first_and_second(values[i]) if k != decision)
        row = rows[[i]].toarray()[0] if sp.issparse(rows) else rows[i]
        explanations.append(
            explanation_from(
                context,
                matrix,
                i,
                by_feature(model.encoder, linear_lead(model, decision, second)[0] * row),
                decision,
                second,
                probability=None if proba is None else float(proba[i, decision]),
                notes=(_start(model, decision, second),),
                counterfactual=_smallest_change(model, matrix, context, i, row, decision, second),
            )
        )
    return explanations


def linear_lead(model: LinearModel, decision: int, second: int) -> tuple[np.ndarray, float]:
    """Return the linear function by which one class leads another."""
    if len(model.intercept) == 1:
        sign = 1.0 if decision == 1 else -1.0
        return sign * model.coef[0], sign * float(model.intercept[0])
    return model.coef[decision] - model.coef[second], float(model.intercept[decision] - model.intercept[second])


def _start(model: LinearModel, decision: int, second: int) -> str:
    start = linear_lead(model, decision, second)[1]
    base = "with every number at 0" if model.encoder.as_is else "with every number at its mean"
    unit = " in log-odds" if model.probabilistic else ""
    return f"the lead starts at {start:+.3g}{unit} {base}"


def _smallest_change(
    model: LinearModel,
    matrix: EncodedMatrix,
    context: Context,
    row: int,
    encoded: np.ndarray,
    decision: int,
    second: int,
) -> str | None:
    """Return the numeric column whose smallest move, in standard deviations, lets the runner-up win."""
    coef, start = linear_lead(model, decision, second)
    numeric = model.encoder.numeric_columns if model.encoder.centre.size else np.empty(0, np.int64)
    kinds = np.array([context.features[model.encoder.origin[j].feature].kind for j in numeric])
    numeric = numeric[kinds == "numeric"] if numeric.size else numeric
    if not numeric.size or not np.abs(coef[numeric]).max() > 0:
        return None
    lead = float(coef @ encoded + start)
    best = int(numeric[np.argmax(np.abs(coef[numeric]))])
    block = int(np.flatnonzero(model.encoder.numeric_columns == best)[0])
    scale, centre = model.encoder.scale[block], model.encoder.centre[block]
    target = centre + scale * (encoded[best] - lead / coef[best])
    side = "below" if coef[best] > 0 else "above"
    name = context.features[model.encoder.origin[best].feature].name
    return f"{name} were {side} {target:.6g}"
