"""Why a linear model decided: each column's part in the sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._contributions import by_feature, explanation_from, first_and_second, start_of
from vaglio.explanation._explanation import Explanation
from vaglio.model.linear.linear import LinearModel


def explain_linear(model: LinearModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by contributions coefficient × value to the lead over the runner-up, one a column of the table."""
    rows: Any = model.encoder.transform(matrix)
    values = np.asarray(rows @ model.coef.T) + model.intercept
    if values.shape[1] == 1:
        values = np.column_stack([np.zeros(len(values)), values])
    proba = model.predict_proba(matrix) if model.probabilistic else None
    decided = model.predict_codes(matrix)
    told = start_of(model.encoder)
    explanations = []
    for i in range(matrix.n_rows):
        decision = int(decided[i])
        second = next(k for k in first_and_second(values[i]) if k != decision)
        row = rows[[i]].toarray()[0] if sp.issparse(rows) else rows[i]
        coef, start = linear_lead(model, decision, second)
        unit = "log-odds over" if model.probabilistic else "lead over"
        explanations.append(
            explanation_from(
                context,
                matrix,
                i,
                by_feature(model.encoder, coef * row),
                decision,
                second,
                start=(told, start),
                probability=None if proba is None else float(proba[i, decision]),
                measure=f"{unit} {context.label(second)}",
            )
        )
    return explanations


def linear_lead(model: LinearModel, decision: int, second: int) -> tuple[np.ndarray, float]:
    """Return the linear function by which one class leads another."""
    if len(model.intercept) == 1:
        sign = 1.0 if decision == 1 else -1.0
        return sign * model.coef[0], sign * float(model.intercept[0])
    return model.coef[decision] - model.coef[second], float(model.intercept[decision] - model.intercept[second])
