"""Why a network decided: what is lost when a column is blanked out."""

from __future__ import annotations

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._contributions import by_absence, explanation_from, first_and_second
from vaglio.explanation._explanation import Explanation
from vaglio.model.linear.mlp import NetworkModel


def explain_mlp(model: NetworkModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain by the fall of the lead, in log-odds, when a column is set to its mean (a category to none)."""
    rows = np.asarray(model.encoder.transform(matrix))
    proba = model.predict_proba(matrix)
    reference = np.zeros(model.encoder.width)
    explanations = []
    for i in range(matrix.n_rows):
        decision, second = first_and_second(proba[i])

        def lead(variants: np.ndarray, first: int = decision, other: int = second) -> np.ndarray:
            values = model.log_odds(variants)
            if values.shape[1] == 1:
                return values[:, 0] if first == 1 else -values[:, 0]
            return values[:, first] - values[:, other]

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
                measure=f"log-odds over {context.label(second)} lost when the column alone is put at its mean",
            )
        )
    return explanations
