"""Rows that a random forest finds unlike the others of their class: unusual in all columns together, or mislabelled.

The outlier score of Breiman is used: 1 / Σ similarity², where two rows are similar if they share many leaves.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier
from vaglio.messages.sentences import listed, plural
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding, listed_rows
from vaglio.quality.sampling import sample_rows

__all__ = ["forest_outliers"]

# The similarities of all pairs of rows take more time than the rest of an audit; larger tables are sampled.
# With fewer than the second number a forest learns too little.
_MAX_ROWS = 5000
_MIN_ROWS = 50
# Scores are measured in mean absolute deviations from the median of the class; Breiman takes 10 for an outlier.
_LIMIT = 10.0


def forest_outliers(context: Context) -> Iterator[Finding]:
    """Find rows whose outlier score is far above the median of their class."""
    if context.classes is None:
        return
    codes = np.asarray(context.classes[0])
    rows = sample_rows(np.flatnonzero(codes >= 0), _MAX_ROWS, context.seed)
    names = [
        name for name in context.inputs if name not in context.identifiers and context.columns[name].kind != "text"
    ]
    classes = codes[rows]
    if len(rows) < _MIN_ROWS or not names or len(np.unique(classes)) < 2:
        return
    X = context.table.select(names)[rows]
    forest = RandomForestClassifier(n_estimators=50, random_state=context.seed, n_jobs=context.n_jobs)
    strange = standardised(forest.fit(X, classes).outlier_scores(X, classes), classes)
    order = np.argsort(-strange, kind="stable")
    found = rows[order][strange[order] > _LIMIT]
    if not len(found):
        return
    sampled = f" (of a sample of {len(rows):,} rows)" if len(rows) < len(context.table) else ""
    shown = listed((found + 1).tolist(), 8)  # counted from 1, as an editor counts
    yield Finding(
        "forest-outliers",
        "low",
        f"{plural(len(found), 'row')} unlike the others of the class{sampled}, the most unusual first: {shown}",
        "Check them for a wrong label or a wrong value.",
        (context.target,) if context.target else (),
        listed_rows(found),
        len(found),
        {"scores": strange[order][: min(len(found), 50)].tolist(), "sample": len(rows)},
    )


def standardised(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the distance from the median of the class, in mean absolute deviations from it.

    >>> standardised(np.array([1.0, 2.0, 3.0, 50.0]), np.zeros(4, dtype=int)).round(1).tolist()
    [-0.1, -0.0, 0.0, 3.8]
    """
    out = np.zeros(len(scores))
    for code in np.unique(classes):
        members = classes == code
        part = scores[members] - np.median(scores[members])
        spread = float(np.abs(part).mean())
        out[members] = part / spread if spread > 0 else 0.0
    return out
