"""Why a row is near a mean."""

from __future__ import annotations

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation import Context, Explanation, Reason

from .model import MeanModel


def explain_mean(model: MeanModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    distances, probability = model.distances(matrix), model.predict_proba(matrix)
    found = []
    for far, chance in zip(distances, probability):
        best = int(np.argmax(chance))
        reason = Reason(f"the mean of {context.label(best)} is nearest", weight=float(-far[best]))
        found.append(Explanation(context.label(best), float(chance[best]), reasons=(reason,)))
    return found
