"""Why an additive model decided: what each of its terms adds is the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import sums_of
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.boosting.explain import START, explain_scores
from vaglio.messages.message import Message
from vaglio.messages.sentences import listed


def explain_additive(model: Additive, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what each term adds to the score, or to the lead over the runner-up."""
    return explain_scores(model, matrix, context, lambda meant: _told(model, matrix, context, meant))


def _told(model: Additive, matrix: EncodedMatrix, context: Context, meant: np.ndarray) -> list[dict[str, Any]]:
    added = np.einsum("ntk,nk->nt", model.scores[model.cells(matrix)], meant)
    start = meant @ model.intercept

    def reasons_of(row: int) -> dict[str, Any]:
        def reason(term: int) -> Reason:
            weight = float(added[row, term])
            columns = [j for j in model.terms[term].tolist() if j >= 0]
            values = [context.value(matrix, row, j) for j in columns]
            told = listed([context.said(j, value) for j, value in zip(columns, values)])
            alone = len(columns) == 1
            return Reason(
                told, context.features[columns[0]].name if alone else None, values[0] if alone else None, weight
            )

        return sums_of(added[row], reason, _more_terms, (START, float(start[row])))

    return [reasons_of(row) for row in range(matrix.n_rows)]


def _more_terms(n: int) -> Message:
    return Message("more-terms", "{n:,} more {n:term|terms} together", n=n)


def cuts_of_additive(model: Additive, context: Context) -> dict[int, Sequence[float]]:
    """Where the score of a column changes."""
    used = np.unique(model.terms[model.terms >= 0]).tolist()
    return {j: model.cuts_of(j).tolist() for j in used if not model.features[j].is_nominal}
