"""Why boosted trees decided: what each column added to the score of all trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._contributions import sums_of_columns
from vaglio.explanation._explanation import Explanation
from vaglio.explanation.by_kind import cuts, explainers, leaves
from vaglio.explanation.ensembles.members import cuts_of_forest
from vaglio.model.ensembles.boosted import Boosted


@explainers.register("boosted")
def explain_boosted(model: Boosted, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what each column added to the score, or to the lead over the runner-up."""
    start, moved = _boosted_shares(model, matrix, context)
    if context.classes is None:
        predicted = model.predict(matrix)
        unit = "share in the prediction" if model.link == "identity" else "share in the logarithm of the prediction"
        told = [
            sums_of_columns(context, matrix, i, moved[i, 0], (_START_OF_BOOSTING, float(start[0])))
            for i in range(matrix.n_rows)
        ]
        return [Explanation(float(value), measure=unit, **sides) for value, sides in zip(predicted, told)]
    proba = model.predict_proba(matrix)
    if len(context.classes) == 1:
        return [Explanation(context.label(0), probability=1.0) for _ in range(matrix.n_rows)]
    if model.link == "logit":
        start, moved = np.append(0.0, start), np.concatenate([np.zeros_like(moved), moved], axis=1)
    explanations = []
    for i in range(matrix.n_rows):
        decision, second = context.ranked(proba[i])[:2]
        sides = sums_of_columns(
            context,
            matrix,
            i,
            moved[i, decision] - moved[i, second],
            (_START_OF_BOOSTING, float(start[decision] - start[second])),
        )
        explanations.append(
            Explanation(
                decision=context.label(decision),
                runner_up=context.label(second),
                probability=float(proba[i, decision]),
                measure=f"log-odds over {context.label(second)}",
                **sides,
            )
        )
    return explanations


_START_OF_BOOSTING = "start: the mean of the training rows"


def _boosted_shares(model: Boosted, matrix: EncodedMatrix, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """Return where every output starts (K,), and what the columns add to it (n, K, n_features): their Shapley values.

    The start is the score when no column is known.
    """
    start, moved = model.baseline.copy(), np.zeros((matrix.n_rows, model.outputs, matrix.n_features))
    meant = np.ones((matrix.n_rows, 1))
    for number in range(model.forest.n_trees):
        tree, output = model.forest.tree(number, context.features), number % model.outputs
        shares = tree.contributions(matrix, tree.value, meant)
        start[output] += shares[0, -1]
        moved[:, output] += shares[:, :-1]
    return start, moved


@cuts.register("boosted")
def cuts_of_boosted(model: Boosted, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the trees, by feature."""
    return cuts_of_forest(model.forest, context)


@leaves.register("boosted")
def leaves_of_boosted(model: Boosted, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each row in each tree; all trees weigh the same."""
    return model.apply(matrix), np.full(model.forest.n_trees, 1 / model.forest.n_trees)
