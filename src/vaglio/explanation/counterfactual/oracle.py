"""Asking a model again and again: what it decides for changed rows, and how clearly."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.model.base import class_codes
from vaglio.model.linear.linear import LinearModel
from vaglio.model.svm.svm import SVMModel


def decide(model: Any, matrix: EncodedMatrix) -> np.ndarray:
    """Return the class codes the model gives, as ``predict`` does."""
    return class_codes(model, matrix)


def values_per_class(model: Any, matrix: EncodedMatrix) -> np.ndarray:
    """Return one number a class, larger for the likelier: what tells whether a change goes the right way."""
    if isinstance(model, LinearModel):
        return _both_sides(model.decision_function(matrix))
    if isinstance(model, SVMModel):
        machines = model.machines(model.rows(matrix))
        return _both_sides(machines[:, 0] if model.n_classes == 2 else model.class_values(machines))
    if hasattr(model, "predict_log_proba"):
        return model.predict_log_proba(matrix)  # where probabilities saturate at 0 and 1, logarithms still tell
    return model.predict_proba(matrix)


def leads(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return by how much each row's class leads the best other one."""
    rows = np.arange(len(codes))
    others = values.copy()
    others[rows, codes] = -np.inf
    with np.errstate(invalid="ignore"):
        lead = values[rows, codes] - others.max(axis=1)
    return np.where(np.isnan(lead), np.inf, lead)


def _both_sides(values: np.ndarray) -> np.ndarray:
    return values if values.ndim == 2 else np.column_stack([-values, values])
