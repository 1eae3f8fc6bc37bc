"""Why a support vector machine decided: each column's part in the lead, and the support vectors most alike."""

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
    start_of,
    sums_of_columns,
)
from vaglio.explanation.counterfactual import PATIENCE, Found, Question, search
from vaglio.explanation.explanation import Explanation
from vaglio.learners.svm.model import SVMModel
from vaglio.messages.message import Message, join, text
from vaglio.model.base import class_codes

# Support vectors named in a note: enough to see which training rows are alike, few enough to be read.
_NEAREST = 3
# Numbers of support vectors that a search for a counterfactual may read in all: about two seconds of work.
_MOST_READ = 2_000_000_000


def explain_svm(model: SVMModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by the columns' parts in the lead, and by the nearest support vectors.

    With a linear kernel the parts add up to the lead; with another, a part is what the lead loses when the column
    alone is set to its mean (a category: at none).
    """
    rows = model.rows(matrix)
    machines = model.machines(rows)
    if context.classes is None:
        return [_explained_number(model, matrix, context, i, rows, machines[i, 0]) for i in range(matrix.n_rows)]
    decided = (
        model.codes_of(machines)
        if context.cost is None
        else class_codes(model, matrix, context.cost, calibration=context.calibration)
    )
    values = model.scores(machines)
    proba = model.predict_proba(matrix) if model.calibration is not None else None
    is_linear = model.kernel.name == "linear" and model.phi is None
    explanations = []
    for i in range(matrix.n_rows):
        decision = int(decided[i])
        second = next(k for k in first_and_second(values[i]) if k != decision)
        parts, start = (_linear_parts if is_linear else _absences)(model, matrix, i, decision, second)
        lead = Message(
            "lead-in-decision-value", "lead over {label} in decision value", label=str(context.label(second))
        )
        explanations.append(
            explanation_from(
                context,
                matrix,
                i,
                parts,
                decision,
                second,
                start=None if start is None else (start_of(model.encoder), start),
                measure=lead
                if start is not None
                else Message("lost-lead", "loss of {lead} when the column alone is set to its mean", lead=lead),
                probability=None if proba is None else float(proba[i, decision]),
                notes=_notes(model, values[i], proba, i, decision, context) + _nearest(model, rows, i, context),
            )
        )
    return explanations


def _explained_number(
    model: SVMModel, matrix: EncodedMatrix, context: Context, i: int, rows: Any, value: float
) -> Explanation:
    """Explain a predicted number by the terms of its sum, or by what it loses when a column is set to its mean."""
    is_linear = model.kernel.name == "linear"
    parts, start = (_linear_parts if is_linear else _absences)(model, matrix, i, 0, 0)
    told = None if start is None else (start_of(model.encoder), start)
    return Explanation(
        float(value),
        measure=IN_PREDICTION if is_linear else LOST_PREDICTION,
        notes=_nearest(model, rows, i, context),
        **sums_of_columns(context, matrix, i, parts, told),
    )


def _lead(model: SVMModel, machines: np.ndarray, decision: int, second: int) -> np.ndarray:
    """Return by how much one class leads another, in the values of the machines between them; or the number."""
    if model.n_classes == 0:
        return machines[:, 0]
    if model.n_classes == 2:
        return machines[:, 0] if decision == 1 else -machines[:, 0]
    if model.scheme == "ovr":
        gap: np.ndarray = machines[:, decision] - machines[:, second]
        return gap
    pair = (min(decision, second), max(decision, second))
    value = machines[:, model.pairs.index(pair)]
    return value if decision == pair[0] else -value


def _linear_parts(
    model: SVMModel, matrix: EncodedMatrix, row: int, decision: int, second: int
) -> tuple[np.ndarray, float | None]:
    """Each column's term of w·x + b, and b."""
    one: Any = model.encoder.transform(matrix.take(np.array([row])))
    encoded = one.toarray() if sp.issparse(one) else one
    width = encoded.shape[1]
    start = float(_lead(model, model.machines(np.zeros((1, width))), decision, second)[0])
    # The lead is linear: a row with one encoded column alone shows that column's term.
    alone = np.zeros((width, width))
    np.fill_diagonal(alone, encoded[0])
    used = np.flatnonzero(encoded[0])
    terms = np.zeros(width)
    if used.size:
        terms[used] = _lead(model, model.machines(alone[used]), decision, second) - start
    return by_feature(model.encoder, terms), start


def _absences(
    model: SVMModel, matrix: EncodedMatrix, row: int, decision: int, second: int
) -> tuple[np.ndarray, float | None]:
    if model.kernel.name == "precomputed":
        return np.zeros(matrix.n_features), None
    one: Any = model.encoder.transform(matrix.take(np.array([row])))
    encoded = one.toarray()[0] if sp.issparse(one) else one[0]
    reference = np.zeros(model.encoder.width)
    if model.encoder.as_is and len(model.vectors) and model.phi is None:
        reference = model.vectors.mean(axis=0)

    def lead(variants: np.ndarray) -> np.ndarray:
        points: Any = variants if model.phi is None else np.asarray(model.phi(variants), dtype=np.float64)
        return _lead(model, model.machines(points), decision, second)

    return by_absence(model.encoder, encoded, reference, lead), None


def _nearest(model: SVMModel, rows: Any, row: int, context: Context) -> tuple[str, ...]:
    """Name the nearest support vectors: the training rows that define the boundary near this row."""
    if not len(model.vectors) or sp.issparse(rows):
        return ()
    distance = ((model.vectors - rows[row]) ** 2).sum(axis=1)
    order = np.argsort(distance, kind="stable")[:_NEAREST]
    classes = np.searchsorted(model.class_starts, order, side="right") - 1
    told = [
        text("training row {row}", row=str(model.support[j]))
        if context.classes is None
        else text("training row {row} ({label})", row=str(model.support[j]), label=str(context.label(int(k))))
        for j, k in zip(order, classes)
    ]
    return (
        Message(
            "nearest-support-vectors", "nearest support vectors (rows counted from 0): {rows}", rows=join(", ", told)
        ),
    )


def _notes(
    model: SVMModel, values: np.ndarray, proba: np.ndarray | None, row: int, decision: int, context: Context
) -> tuple[str, ...]:
    notes = []
    if model.n_classes == 2 and abs(values[1]) < 1:
        notes.append(
            Message(
                "inside-margin", "the row lies inside the margin (decision value {value:+.3g})", value=float(values[1])
            )
        )
    if context.cost is None and proba is not None and int(np.argmax(proba[row])) != decision:
        notes.append(
            Message(
                "probabilities-disagree",
                "the calibrated probabilities favour {label}; the decision follows the decision values",
                label=str(context.label(int(np.argmax(proba[row])))),
            )
        )
    return tuple(notes)


def change_by_search(question: Question, rows: np.ndarray) -> Found:
    """Search with fewer tries the more support vectors every changed row is compared with."""
    model: SVMModel = question.model
    if model.kernel.name == "precomputed":
        return {}  # kernel values are not columns of a table: none can change alone
    return search(question, rows, int(min(PATIENCE, _MOST_READ / max(1, model.vectors.size))))
