"""Why the neighbours decided so: which rows they are, and what the neighbourhood has in common."""

from __future__ import annotations

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.counterfactual.black_box import PATIENCE, search, smaller
from vaglio.explanation.counterfactual.strategy import Found, Question
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.neighbors.estimators.local_tree import grow_local_tree
from vaglio.learners.neighbors.explain.counterfactual import toward_rows
from vaglio.learners.neighbors.model.neighbors import Neighbors

# Neighbours listed on each side: with more, nobody reads them one by one.
_SHOWN = 10
# Neighbours looked through for one of another class: beyond that the row lies deep inside its own class.
_LOOKED_AT = 200
# Values that a search for a counterfactual may compare in all: about a second of work.
_MOST_COMPARED = 1_000_000_000


def explain_neighbors(model: Neighbors, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by its neighbours and by a small tree grown around it."""
    rows, distances, counts = model.voters(matrix)
    votes = model.vote_weights(distances) * counts
    shares = votes / votes.sum(axis=1, keepdims=True)
    return [
        _explain(model, matrix.take(np.array([i])), rows[i], distances[i], shares[i], context)
        for i in range(matrix.n_rows)
    ]


def _explain(
    model: Neighbors,
    case: EncodedMatrix,
    rows: np.ndarray,
    distances: np.ndarray,
    shares: np.ndarray,
    context: Context,
) -> Explanation:
    local = grow_local_tree(model, case, context.features, context.classes)
    note = f"in the neighbourhood of {len(local.rows)} rows: {local.rule}"
    if context.classes is None:
        answer = float((model.target[rows] * shares).sum())
        given = [_neighbor(row, d, s, f"{model.target[row]:.6g}") for row, d, s in zip(rows, distances, shares)]
        return Explanation(answer, reasons=_most(given), notes=(note,), measure="share of the mean")
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
        measure="share of the vote",
    )


def _nearest_other(model: Neighbors, case: EncodedMatrix, best: int, context: Context) -> tuple[str, ...]:
    """The nearest training row of another class: how far the row is from another class."""
    rows, distances = model.nearest(case, min(_LOOKED_AT, model.n_rows))
    others = np.flatnonzero(model.target[rows[0]] != best)
    if not others.size:
        return ()
    row, far = int(rows[0, others[0]]), float(distances[0, others[0]])
    label = context.label(int(model.target[row]))
    return (f"nearest of another class: training row {row} (counted from 0) at distance {far:.4g} is {label}",)


def _neighbor(row: int, distance: float, share: float, answer: str) -> Reason:
    return Reason(f"training row {row} at distance {distance:.4g} is {answer}", weight=float(share))


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
