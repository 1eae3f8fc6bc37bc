"""The smallest change for lazy learners: take over values from the nearest training row of another class."""

from __future__ import annotations

import numpy as np

from vaglio.explanation.counterfactual.black_box import fewer
from vaglio.explanation.counterfactual.strategy import Found, Question, Variants
from vaglio.learners.neighbors.model.neighbors import Neighbors

# Neighbours looked through for some of another class, and how many of those serve as models.
_LOOKED_AT = 200
_MODELS = 3
# More columns than that, and the row would be another one.
_MOST_COLUMNS = 10
# Values taken over alone, and how many together; those that differ most.
_ALONE, _TOGETHER = 64, (*range(2, 11), 15, 20, 30)


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
