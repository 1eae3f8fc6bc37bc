"""The smallest change for lazy learners: take over values from the nearest training row of another class."""

from __future__ import annotations

import numpy as np

from vaglio.explanation._search import Found, Question
from vaglio.explanation._variants import Variants
from vaglio.model.neighbors import Neighbors

# Neighbours looked through for some of another class, and how many of those serve as models.
_LOOKED_AT = 200
_MODELS = 3
# Values taken over alone, and together; those that differ most.
_ALONE, _TOGETHER = 64, 10


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
    tried = tried.take(np.flatnonzero(question.flips(tried)))
    count = (tried.feature >= 0).sum(axis=1)
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
    together = range(2, min(len(ordered), _TOGETHER) + 1)
    return [[change] for change in ordered[:_ALONE]] + [ordered[:k] for k in together]
