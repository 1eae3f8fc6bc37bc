"""Contributions of columns to a decision, turned into reasons: for linear models, neural networks and SVMs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.messages.message import Message

# A person reads a handful of reasons; the rest is summed up in one.
_MOST_REASONS = 8
_MOST_TRIED = 500
# What weights are that add up to a predicted number.
IN_PREDICTION = Message("share-in-prediction", "share in the prediction")
# And what they are where nothing adds up.
LOST_PREDICTION = Message("lost-prediction", "change of the prediction by the column, compared with its mean")


def by_feature(encoder: DenseEncoder, contributions: np.ndarray) -> np.ndarray:
    """Add up the contributions of a feature's encoded columns: shape (n_features,)."""
    return encoder.by_feature(contributions)


def by_absence(
    encoder: DenseEncoder, row: np.ndarray, reference: np.ndarray, margin: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return how much the margin falls when each feature is replaced by its value in a reference row.

    Of a very wide table only the columns farthest from the reference are tried: each costs a whole row.
    """
    owner = np.array([column.feature for column in encoder.origin])
    apart = np.zeros(len(encoder.features))
    np.maximum.at(apart, owner, np.abs(row - reference))
    features = np.sort(np.argsort(-apart, kind="stable")[:_MOST_TRIED][: int((apart > 0).sum())])
    variants = np.repeat(row[None, :], len(features) + 1, axis=0)
    for line, feature in enumerate(features.tolist(), start=1):
        variants[line, owner == feature] = reference[owner == feature]
    values = margin(variants)
    falls = np.zeros(len(encoder.features))
    falls[features] = values[0] - values[1:]
    return falls


def start_of(encoder: DenseEncoder) -> Message:
    """Return what a linear function starts from, before any column contributes."""
    if encoder.as_is:
        return Message("start-at-zero", "start: every number at 0")
    nominal = any(feature.is_nominal for feature in encoder.features)
    if not nominal:
        return Message("start-at-means", "start: every number at its mean")
    if not encoder.numeric_columns.size:
        if encoder.drop_first:
            return Message("start-at-first-categories", "start: every column at its first category")
        return Message("start-without-categories", "start: no category")
    if encoder.drop_first:
        return Message(
            "start-at-means-and-first-categories",
            "start: every number at its mean and every other column at its first category",
        )
    return Message("start-at-means-without-categories", "start: every number at its mean and no category")


def explanation_from(
    context: Context,
    matrix: EncodedMatrix,
    row: int,
    contributions: np.ndarray,
    decision: int,
    runner_up: int | None,
    start: tuple[str, float] | None = None,
    **rest: Any,
) -> Explanation:
    """Sort contributions into reasons for and against, strongest first; what is left is summed up in one.

    Parameters
    ----------
    start : (text, weight), optional
        Where the sum starts; with it, the weights of all reasons add up to the lead over the runner-up.
    """
    return Explanation(
        decision=context.label(decision),
        runner_up=None if runner_up is None else context.label(runner_up),
        **sums_of_columns(context, matrix, row, contributions, start),
        **rest,
    )


def sums_of_columns(
    context: Context, matrix: EncodedMatrix, row: int, contributions: np.ndarray, start: tuple[str, float] | None
) -> dict[str, Any]:
    """Return contributions of columns as reasons for and against, and their total if it is known where it starts."""

    def reason(feature: int) -> Reason:
        value = context.value(matrix, row, feature)
        return Reason(
            context.said(feature, value), context.features[feature].name, value, float(contributions[feature])
        )

    return sums_of(contributions, reason, more_columns, start)


def more_columns(n: int) -> Message:
    """Return the words for columns that are summed up."""
    return Message("more-columns", "{n:,} more {n:column|columns} together", n=n)


def log_odds_over(label: Any) -> Message:
    """Return what weights are that add up to the log-odds of the decision over another class."""
    return Message("log-odds", "log-odds over {label}", label=str(label))


def sums_of(
    contributions: np.ndarray,
    reason: Callable[[int], Reason],
    others: Callable[[int], str],
    start: tuple[str, float] | None,
) -> dict[str, Any]:
    """Return contributions as reasons for and against, strongest first; what is left is summed up in one.

    Parameters
    ----------
    contributions : ndarray
    reason : callable
        Place of a contribution -> the reason in words.
    others : callable
        Number of contributions -> the words for their sum.
    start : (text, weight) or None
        Where the sum starts.
    """
    order = np.argsort(-np.abs(contributions), kind="stable")
    shown = [int(j) for j in order if contributions[j] != 0][:_MOST_REASONS]
    found = [reason(j) for j in shown]
    left = int((contributions != 0).sum()) - len(shown)
    if left:
        found.append(Reason(others(left), weight=float(contributions.sum() - contributions[shown].sum())))
    if start is not None and start[1] != 0:
        found.append(Reason(start[0], weight=float(start[1])))
    found.sort(key=lambda reason: -abs(reason.weight or 0.0))
    return {
        "reasons": tuple(reason for reason in found if (reason.weight or 0.0) > 0),
        "against": tuple(reason for reason in found if (reason.weight or 0.0) < 0),
        "total": None if start is None else float(contributions.sum() + start[1]),
    }


def first_and_second(values: np.ndarray) -> tuple[int, int]:
    """Return the classes with the largest and the second largest value, ties to the first."""
    order = np.argsort(-values, kind="stable")
    return int(order[0]), int(order[1])
