"""Why boosted trees decided: what each column added to the score of all trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import IN_PREDICTION, log_odds_over, sums_of_columns
from vaglio.explanation.explanation import Explanation
from vaglio.learners.boosting.model import Boosted
from vaglio.learners.forest.explain import cuts_of_forest
from vaglio.messages.message import Message


def explain_boosted(model: Boosted, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what each column added to the score, or to the lead over the runner-up."""
    return explain_scores(model, matrix, context, lambda meant: _told(model, matrix, context, meant))


def explain_scores(
    model: Any, matrix: EncodedMatrix, context: Context, tell: Callable[[np.ndarray], list[dict[str, Any]]]
) -> list[Explanation]:
    """Explain a model whose scores are sums.

    Parameters
    ----------
    model : Boosted or Additive
    matrix : EncodedMatrix
    context : Context
    tell : callable
        The sum that is meant for each row, as factors (n, K) of the K scores -> the reasons for each row.
    """
    if context.classes is None:
        predicted = model.predict(matrix)
        unit = (
            IN_PREDICTION
            if model.link == "identity"
            else Message("share-in-log-prediction", "share in the logarithm of the prediction")
        )
        told = tell(np.ones((matrix.n_rows, 1)))
        return [Explanation(float(value), measure=unit, **sides) for value, sides in zip(predicted, told)]
    proba = model.predict_proba(matrix)
    if len(context.classes) == 1:
        return [Explanation(context.label(0), probability=1.0) for _ in range(matrix.n_rows)]
    ranked = np.array([context.ranked(p)[:2] for p in proba], dtype=np.int64).reshape(-1, 2)
    lead = np.eye(len(context.classes))[ranked[:, 0]] - np.eye(len(context.classes))[ranked[:, 1]]
    # Of two classes, the score speaks for the second.
    told = tell(lead[:, 1:] if model.link == "logit" else lead)
    return [
        Explanation(
            decision=context.label(decision),
            runner_up=context.label(second),
            probability=float(proba[i, decision]),
            measure=log_odds_over(context.label(second)),
            **told[i],
        )
        for i, (decision, second) in enumerate(ranked.tolist())
    ]


START = Message("start-at-mean", "start: the mean of the training rows")


def _told(model: Boosted, matrix: EncodedMatrix, context: Context, meant: np.ndarray) -> list[dict[str, Any]]:
    """Return the reasons for each row: what the columns add to the sum of ``meant`` (n, K) times the K scores."""
    shares = model.forest.contributions(matrix, meant[:, :, None])
    start = meant @ model.baseline + shares[:, -1]
    return [sums_of_columns(context, matrix, i, shares[i, :-1], (START, float(start[i]))) for i in range(matrix.n_rows)]


def cuts_of_boosted(model: Boosted, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the trees, by feature."""
    return cuts_of_forest(model.forest, context)


def leaves_of_boosted(model: Boosted, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each row in each tree; all trees weigh the same."""
    return model.apply(matrix), np.full(model.forest.n_trees, 1 / model.forest.n_trees)
