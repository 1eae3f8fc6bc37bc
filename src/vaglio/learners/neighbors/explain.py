"""Why the neighbours decided so: which rows they are, what they have in common, and what would change the decision."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.counterfactual import PATIENCE, Found, Question, Variants, fewer, search, smaller
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.neighbors.estimators import grow_local_tree
from vaglio.learners.neighbors.model import Neighbors
from vaglio.messages.figures import figure
from vaglio.messages.message import Message
from vaglio.model.condition import condition_text, rule_message, value_text

# Neighbours looked through for some of another class: beyond that the row lies deep inside its own class.
_LOOKED_AT = 200
# How many rows of another class a row is changed towards.
_MODELS = 3
# More columns than that, and the row would be another one.
_MOST_COLUMNS = 10
# Values taken over alone, and how many together; those that differ most.
_ALONE, _TOGETHER = 64, (*range(2, 11), 15, 20, 30)
# Neighbours listed on each side: with more, nobody reads them one by one.
_SHOWN = 10
# Values that a search for a counterfactual may compare in all: about a second of work.
_MOST_COMPARED = 1_000_000_000


def toward_rows(question: Question, model: Neighbors, rows: np.ndarray) -> Found:
    """Return for each row the fewest values that, taken over from a near row of another class, flip it."""
    if not model.n_classes:
        return {}
    near, _ = model.nearest(question.matrix.take(rows), min(_LOOKED_AT, model.n_rows), question.matrix.threads)
    found: Found = {}
    entries = []
    for row, neighbours in zip(rows.tolist(), near):
        others = neighbours[model.target[neighbours] != question.codes[row]][:_MODELS]
        for other in others.tolist():
            entries += [(row, way) for way in _ways(question, model, row, other)]
    tried = Variants.of_lists(entries) if entries else None
    if tried is None:
        return found
    tried = fewer(question, tried.take(np.flatnonzero(question.flips(tried))))
    count = (tried.feature >= 0).sum(axis=1)
    tried, count = tried.take(np.flatnonzero(count <= _MOST_COLUMNS)), count[count <= _MOST_COLUMNS]
    for i in np.lexsort((question.distance(tried), count, tried.row)).tolist():
        found.setdefault(int(tried.row[i]), tried.changes(i))
    return found


def _ways(question: Question, model: Neighbors, row: int, other: int) -> list[list[tuple[int, float]]]:
    """Take over one value alone, then more and more of them, those that differ most first."""
    matrix, stored = question.matrix, model.stored(question.context.features)
    changes = []
    for j, feature in enumerate(matrix.features):
        if feature.kind == "text":
            continue
        block = stored.codes if feature.is_nominal else stored.numeric
        value = float(block[other, stored.position[j]])
        now = question.encoded[row, j]
        if not (np.isnan(value) or (feature.is_nominal and value < 0) or value == now):
            changes.append((j, value))
    if not changes:
        return []
    features = np.array([j for j, _ in changes])
    far = question.ruler.distances(features, question.encoded[row, features], np.array([v for _, v in changes]))
    ordered = [changes[i] for i in np.argsort(-far, kind="stable")]
    return [[change] for change in ordered[:_ALONE]] + [ordered[:k] for k in _TOGETHER if k <= len(ordered)]


def explain_neighbors(model: Neighbors, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by its neighbours and by a small tree grown around it."""
    rows, distances, counts = model.voters(matrix)
    votes = model.vote_weights(distances) * counts
    shares = votes / votes.sum(axis=1, keepdims=True)
    return [
        _explain(model, matrix.take(np.array([i])), rows[i], distances[i], shares[i], context)
        for i in range(matrix.n_rows)
    ]


def _label(label: Any) -> str:
    return figure(label, 6) if isinstance(label, float) else value_text(label)


def _explain(
    model: Neighbors,
    case: EncodedMatrix,
    rows: np.ndarray,
    distances: np.ndarray,
    shares: np.ndarray,
    context: Context,
) -> Explanation:
    local = grow_local_tree(model, case, context.features, context.classes)
    note = Message(
        "local-rule",
        "in the neighbourhood of {n:,} {n:row|rows}: {rule}",
        n=len(local.rows),
        rule=rule_message(map(condition_text, local.rule.conditions), _label(local.rule.label)),
    )
    if context.classes is None:
        answer = float((model.target[rows] * shares).sum())
        given = [
            _neighbor(row, d, s, figure(float(model.target[row]), 6)) for row, d, s in zip(rows, distances, shares)
        ]
        return Explanation(
            answer, reasons=_most(given), notes=(note,), measure=Message("share-of-mean", "share of the mean")
        )
    proba = np.bincount(model.target[rows], weights=shares, minlength=model.n_classes)
    order = context.ranked(proba)
    best = order[0]
    reasons: list[Reason] = []
    against: list[Reason] = []
    for row, distance, share in zip(rows, distances, shares):
        code = int(model.target[row])
        side = reasons if code == best else against
        side.append(_neighbor(row, distance, share, str(context.label(code))))
    second = order[1] if len(order) > 1 and proba[order[1]] > 0 else None
    return Explanation(
        decision=context.label(best),
        probability=float(proba[best]),
        runner_up=None if second is None else context.label(second),
        reasons=_most(reasons),
        against=_most(against),
        notes=(note, *_nearest_other(model, case, best, context)),
        measure=Message("share-of-vote", "share of the vote"),
    )


def _nearest_other(model: Neighbors, case: EncodedMatrix, best: int, context: Context) -> tuple[str, ...]:
    """The nearest training row of another class: how far the row is from another class."""
    rows, distances = model.nearest(case, min(_LOOKED_AT, model.n_rows))
    others = np.flatnonzero(model.target[rows[0]] != best)
    if not others.size:
        return ()
    row, far = int(rows[0, others[0]]), float(distances[0, others[0]])
    label = context.label(int(model.target[row]))
    return (
        Message(
            "nearest-of-another-class",
            "nearest of another class: training row {row} (counted from 0) at distance {distance:.4g} is {label}",
            row=str(row),
            distance=far,
            label=str(label),
        ),
    )


def _neighbor(row: int, distance: float, share: float, answer: str) -> Reason:
    told = Message(
        "neighbour",
        "training row {row} at distance {distance:.4g} is {answer}",
        row=str(row),
        distance=float(distance),
        answer=answer,
    )
    return Reason(told, weight=float(share))


def _most(reasons: list[Reason]) -> tuple[Reason, ...]:
    heaviest = sorted(reasons, key=lambda reason: -(reason.weight or 0.0))  # stable: nearest first among equals
    return tuple(reason for reason in heaviest[:_SHOWN] if reason.weight)


def change_toward_a_neighbor(question: Question, rows: np.ndarray) -> Found:
    """Take over values of a near row of another class, or search, whichever changes less."""
    model: Neighbors = question.model
    width = question.matrix.n_features
    found = toward_rows(question, model, rows)
    # Every changed row is compared with every training row: with many of both there is no time for a search.
    patience = int(min(PATIENCE, _MOST_COMPARED / max(1, model.n_rows * width)))
    if len(rows) * width * 4 > patience:
        return found
    return smaller(question, found, search(question, rows, patience))
