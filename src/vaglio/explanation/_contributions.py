"""Contributions of columns to a decision, turned into reasons: shared by linear models, networks and machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.explanation._dispatch import Context
from vaglio.explanation._explanation import Explanation, Reason

# A person reads a handful of reasons; the rest is summed up in a note.
_MOST_REASONS = 8


def by_feature(encoder: DenseEncoder, contributions: np.ndarray) -> np.ndarray:
    """Add up the contributions of a feature's encoded columns: shape (n_features,)."""
    owner = np.array([column.feature for column in encoder.origin], dtype=np.int64)
    return np.bincount(owner, weights=contributions, minlength=len(encoder.features))


def by_absence(
    encoder: DenseEncoder, row: np.ndarray, reference: np.ndarray, margin: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return how much the margin falls when each feature is replaced by its value in a reference row."""
    features = sorted({column.feature for column in encoder.origin})
    owner = np.array([column.feature for column in encoder.origin])
    variants = np.repeat(row[None, :], len(features) + 1, axis=0)
    for line, feature in enumerate(features, start=1):
        variants[line, owner == feature] = reference[owner == feature]
    values = margin(variants)
    falls = np.zeros(len(encoder.features))
    falls[features] = values[0] - values[1:]
    return falls


def describe(context: Context, matrix: EncodedMatrix, row: int, feature: int) -> tuple[str, Any]:
    """Return the row's value of a feature as words and as data."""
    value = context.value(matrix, row, feature)
    name = context.features[feature].name
    if value is None:
        return f"{name} is missing", None
    return f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}", value


def explanation_from(
    context: Context,
    matrix: EncodedMatrix,
    row: int,
    contributions: np.ndarray,
    decision: int,
    runner_up: int | None,
    **rest: Any,
) -> Explanation:
    """Sort contributions into reasons for and against, strongest first."""
    order = np.argsort(-np.abs(contributions), kind="stable")
    shown = [int(j) for j in order if contributions[j] != 0][:_MOST_REASONS]
    reasons: list[Reason] = []
    against: list[Reason] = []
    for feature in shown:
        text, value = describe(context, matrix, row, feature)
        weight = float(contributions[feature])
        reason = Reason(text, context.features[feature].name, value, weight)
        (reasons if weight > 0 else against).append(reason)
    left = int((contributions != 0).sum()) - len(shown)
    notes = tuple(rest.pop("notes", ()))
    if left:
        total = float(contributions.sum() - contributions[shown].sum())
        notes = (*notes, f"{left} more columns contribute {total:+.3g} together")
    return Explanation(
        decision=context.label(decision),
        runner_up=None if runner_up is None else context.label(runner_up),
        reasons=tuple(reasons),
        against=tuple(against),
        notes=notes,
        **rest,
    )


def first_and_second(values: np.ndarray) -> tuple[int, int]:
    """Return the classes with the largest and the second largest value, ties to the first."""
    order = np.argsort(-values, kind="stable")
    return int(order[0]), int(order[1])
