"""Why a support vector machine decided: each column's part in the lead, and the support vectors most alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp

from vaglio.encode import EncodedMatrix
from vaglio.explanation._contributions import by_absence, explanation_from, first_and_second
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation, Reason
from vaglio.model.svm import SVMModel

_NEAREST = 3


def explain_svm(model: SVMModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by the fall of the lead when a column is set to its mean, and by the nearest support vectors."""
    rows = model.rows(matrix)
    machines = model.machines(rows)
    decided = model.codes_of(machines)
    values = _values_per_class(model, machines)
    proba = model.predict_proba(matrix) if model.calibration is not None else None
    explanations = []
    for i in range(matrix.n_rows):
        decision = int(decided[i])
        second = next(k for k in first_and_second(values[i]) if k != decision)
        parts = _contributions(model, matrix, i, decision, second)
        explanation = explanation_from(
            context,
            matrix,
            i,
            parts,
            decision,
            second,
            probability=None if proba is None else float(proba[i, decision]),
            notes=_notes(model, values[i], proba, i, decision, second, context),
        )
        alike = _nearest(model, rows, i, context)
        explanations.append(Explanation(**{**vars(explanation), "reasons": (*explanation.reasons, *alike)}))
    return explanations


def _values_per_class(model: SVMModel, machines: np.ndarray) -> np.ndarray:
    if model.n_classes == 2:
        return np.column_stack([-machines[:, 0], machines[:, 0]])
    return machines if model.scheme == "ovr" else model.votes_with_confidence(machines)


def _lead(model: SVMModel, machines: np.ndarray, decision: int, second: int) -> np.ndarray:
    """Return by how much one class leads another, in the values of the machines between them."""
    if model.n_classes == 2:
        return machines[:, 0] if decision == 1 else -machines[:, 0]
    if model.scheme == "ovr":
        return machines[:, decision] - machines[:, second]
    pair = (min(decision, second), max(decision, second))
    value = machines[:, model.pairs.index(pair)]
    return value if decision == pair[0] else -value


def _contributions(model: SVMModel, matrix: EncodedMatrix, row: int, decision: int, second: int) -> np.ndarray:
    if model.kernel.name == "precomputed":
        return np.zeros(matrix.n_features)
    one: Any = model.encoder.transform(matrix.take(np.array([row])))
    encoded = one.toarray()[0] if sp.issparse(one) else one[0]
    reference = np.zeros(model.encoder.width)
    if model.encoder.as_is and len(model.vectors) and model.phi is None:
        reference = model.vectors.mean(axis=0)

    def lead(variants: np.ndarray) -> np.ndarray:
        points: Any = variants if model.phi is None else np.asarray(model.phi(variants), dtype=np.float64)
        return _lead(model, model.machines(points), decision, second)

    return by_absence(model.encoder, encoded, reference, lead)


def _nearest(model: SVMModel, rows: Any, row: int, context: Context) -> list[Reason]:
    """Name the support vectors with the largest kernel value, which pull hardest per unit of their multiplier."""
    if not len(model.vectors) or sp.issparse(rows):
        return []
    distance = ((model.vectors - rows[row]) ** 2).sum(axis=1)
    order = np.argsort(distance, kind="stable")[:_NEAREST]
    classes = np.searchsorted(model.class_starts, order, side="right") - 1
    return [
        Reason(f"resembles training row {model.support[j]}, a support vector of class {context.label(int(k))}")
        for j, k in zip(order, classes)
    ]


def _notes(
    model: SVMModel,
    values: np.ndarray,
    proba: np.ndarray | None,
    row: int,
    decision: int,
    second: int,
    context: Context,
) -> tuple[str, ...]:
    notes = []
    if model.n_classes == 2 and abs(values[1]) < 1:
        notes.append(f"the row lies inside the margin (decision value {values[1]:+.3g})")
    if proba is not None and int(np.argmax(proba[row])) != decision:
        likely = context.label(int(np.argmax(proba[row])))
        notes.append(f"the calibrated probabilities favour {likely}; the decision follows the machines' values")
    return tuple(notes)
