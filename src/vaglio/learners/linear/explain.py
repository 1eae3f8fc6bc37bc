"""Why a linear model or a neural network decided: what each column adds to the lead of the class.

Of a linear model these are the terms of the sum. A neural network has no such terms: there each column is set to its
mean, one after the other, and what the lead loses by that is the column's part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import (
    IN_PREDICTION,
    LOST_PREDICTION,
    by_absence,
    by_feature,
    explanation_from,
    first_and_second,
    log_odds_over,
    start_of,
    sums_of_columns,
)
from vaglio.explanation.explanation import Explanation
from vaglio.learners.linear.model import LinearModel, NetworkModel
from vaglio.messages.message import Message
from vaglio.model.base import class_codes


def explain_linear(model: LinearModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by contributions coefficient × value to the lead over the runner-up, one per column of the table."""
    rows: Any = model.encoder.transform(matrix)
    values = np.asarray(rows @ model.coef.T) + model.intercept
    if context.classes is None:
        return [_explained_number(model, matrix, context, i, rows, float(values[i, 0])) for i in range(matrix.n_rows)]
    if values.shape[1] == 1:
        values = np.column_stack([np.zeros(len(values)), values])
    proba = model.predict_proba(matrix) if model.probabilistic else None
    decided = class_codes(model, matrix, context.cost, calibration=context.calibration)
    told = start_of(model.encoder)
    explanations = []
    for i in range(matrix.n_rows):
        decision = int(decided[i])
        second = next(k for k in first_and_second(values[i]) if k != decision)
        row = _one_of(rows, i)
        coef, start = linear_lead(model, decision, second)
        other = str(context.label(second))
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
                measure=log_odds_over(other)
                if model.probabilistic
                else Message("lead", "lead over {label}", label=other),
            )
        )
    return explanations


def _explained_number(
    model: LinearModel, matrix: EncodedMatrix, context: Context, i: int, rows: Any, value: float
) -> Explanation:
    shares = by_feature(model.encoder, model.coef[0] * _one_of(rows, i))
    start = start_of(model.encoder), float(model.intercept[0])
    return Explanation(value, measure=IN_PREDICTION, **sums_of_columns(context, matrix, i, shares, start))


def _one_of(rows: Any, i: int) -> np.ndarray:
    """Return one row of an array or sparse matrix."""
    row: np.ndarray = rows[[i]].toarray()[0] if sp.issparse(rows) else rows[i]
    return row


def linear_lead(model: LinearModel, decision: int, second: int) -> tuple[np.ndarray, float]:
    """Return the linear function by which one class leads another."""
    if len(model.intercept) == 1:
        sign = 1.0 if decision == 1 else -1.0
        return sign * model.coef[0], sign * float(model.intercept[0])
    return model.coef[decision] - model.coef[second], float(model.intercept[decision] - model.intercept[second])


def explain_mlp(model: NetworkModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by the fall of the lead, in log-odds, when a column is set to its mean (a category to none)."""
    rows = np.asarray(model.encoder.transform(matrix))
    reference = np.zeros(model.encoder.width)
    if context.classes is None:

        def number(variants: np.ndarray) -> np.ndarray:
            found: np.ndarray = model.log_odds(variants)[:, 0]
            return found

        return [
            Explanation(
                float(value),
                measure=LOST_PREDICTION,
                **sums_of_columns(context, matrix, i, by_absence(model.encoder, rows[i], reference, number), None),
            )
            for i, value in enumerate(model.predict(matrix))
        ]
    proba = model.predict_proba(matrix)
    explanations = []
    for i in range(matrix.n_rows):
        decision, second = context.ranked(proba[i])[:2]

        def lead(variants: np.ndarray, first: int = decision, other: int = second) -> np.ndarray:
            values = model.log_odds(variants)
            if values.shape[1] == 1:
                return values[:, 0] if first == 1 else -values[:, 0]
            gap: np.ndarray = values[:, first] - values[:, other]
            return gap

        falls = by_absence(model.encoder, rows[i], reference, lead)
        explanations.append(
            explanation_from(
                context,
                matrix,
                i,
                falls,
                decision,
                second,
                probability=float(proba[i, decision]),
                measure=Message(
                    "lost-log-odds",
                    "log-odds over {label} lost when the column alone is set to its mean",
                    label=str(context.label(second)),
                ),
            )
        )
    return explanations
