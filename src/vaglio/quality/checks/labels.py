"""Rows that do not fit their class, as a forest sees them: mislabelled ones, and single ones unlike all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc

from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding, listed_rows, sample_note
from vaglio.quality.profile import far_values, sample_rows

__all__ = ["misfits"]

# The similarities of all pairs of rows take more time than the rest of an audit; larger tables are sampled.
# With fewer than the second number a forest learns too little.
_MAX_ROWS = 5000
_MIN_ROWS = 50
_TREES, _LEAF = 50, 5
# About so many of the trees were not trained on a row.
_VOTES = _TREES * np.exp(-1)
# How often clean tables may seem to be mislabelled.
_SIGNIFICANT = 0.005
# Where the forest is wrong more often than this, no row of a class is typical.
_MOST_WRONG, _MOST_WRONG_OF_OUTLIERS = 0.33, 0.1
# A single row is unlike its class if it is this likely of another, and its class has so many rows to compare it with.
_SURE, _FEWEST_OF_CLASS = 0.95, 20


class _Second(NamedTuple):
    """What the trees that were not trained on a row say of its class.

    Attributes
    ----------
    best : ndarray
        The class they predict.
    chance : ndarray
        Its probability, and in ``margin`` how much more likely it is than the next.
    margin : ndarray
    wrong : ndarray
        Whether it is another class than that of the row.
    confident : ndarray
        Whether its probability is at least the mean of the rows that have this class.
    own : ndarray
        Share of the trees that predict the class that the row has.
    """

    best: np.ndarray
    chance: np.ndarray
    margin: np.ndarray
    wrong: np.ndarray
    confident: np.ndarray
    own: np.ndarray


def misfits(context: Context) -> Iterator[Finding]:
    """Find mislabelled rows; or, if there are none, single rows that are unlike all others of their class."""
    if context.classes is None:
        return
    codes = np.asarray(context.classes[0])
    rows = sample_rows(np.flatnonzero(codes >= 0), _MAX_ROWS, context.seed)
    names = [
        name for name in context.inputs if name not in context.identifiers and context.columns[name].kind != "text"
    ]
    labels, classes = np.unique(codes[rows], return_inverse=True)
    if len(rows) < _MIN_ROWS or not names or len(labels) < 2:
        return
    X = context.table.select(names)[rows]
    forest = RandomForestClassifier(
        _TREES, min_samples_leaf=_LEAF, oob_score=True, random_state=context.seed, n_jobs=context.n_jobs
    ).fit(X, classes)
    second = _second_opinion(forest.oob_decision_function_, classes)
    share = _mislabelled_share(second)
    if share is not None:
        yield _mislabelled(context, rows, second, share, [context.classes[1][label] for label in labels])
    elif second.wrong.mean() <= _MOST_WRONG_OF_OUTLIERS:
        # Only these can be outliers: if there are none, their similarities need not be measured.
        sure = second.wrong & (second.chance >= _SURE)
        if sure.any():
            scores = forest.outlier_scores(X, classes)
            found = np.flatnonzero(sure & _far_in_class(scores, classes))
            if len(found):
                yield _outliers(context, rows, found[np.argsort(-scores[found], kind="stable")])


def _second_opinion(votes: np.ndarray, classes: np.ndarray) -> _Second:
    """Return what the trees say as if classes were equally frequent: else all rows of a rare class are doubtful."""
    prior = np.bincount(classes) / len(classes)
    odds = (np.nan_to_num(votes) * _VOTES + prior) / prior
    probability = odds / odds.sum(axis=1, keepdims=True)
    best = probability.argmax(axis=1)
    ordered = np.sort(probability, axis=1)
    own = probability[np.arange(len(classes)), classes]
    usual = np.bincount(classes, own) / np.bincount(classes)
    return _Second(
        best,
        ordered[:, -1],
        ordered[:, -1] - ordered[:, -2],
        best != classes,
        ordered[:, -1] >= usual[best],
        np.nan_to_num(votes)[np.arange(len(classes)), classes],
    )


def _thirds(second: _Second) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows are in the two thirds in which the trees are surest, and which in the last."""
    order = np.argsort(-second.margin, kind="stable")
    last = np.zeros(len(order), dtype=bool)
    last[order[2 * len(order) // 3 :]] = True
    return ~last, last


def _mislabelled_share(second: _Second) -> float | None:
    """Return the share of mislabelled rows; None if the classes may as well overlap.

    Where classes overlap, the trees are wrong where they are unsure. Wrong labels are everywhere alike.
    """
    surest, last = _thirds(second)
    n_surest, n_last = int(second.wrong[surest].sum()), int(second.wrong[last].sum())
    share, unsure = n_surest / surest.sum(), n_last / last.sum()
    if second.wrong.mean() > _MOST_WRONG or not n_surest:
        return None
    # What classes that overlap give at most, in normal, skewed and rounded columns: a share of that in the last third.
    ratio = max(0.2 + 0.75 * unsure, 1.6 * unsure - 0.05)
    chance = bdtrc(n_surest - 1, n_surest + n_last, 2 * ratio / (1 + 2 * ratio))
    return share if chance < _SIGNIFICANT else None


def _right_among(second: _Second, suspects: np.ndarray, n_classes: int) -> float:
    """Return how many suspect rows have the right label all the same, because the classes overlap there.

    Where a share s of all labels is wrong and the true class has the probability q, a label occurs with the probability
    q (1 - s) + (1 - q) s / (K - 1). What the trees say of it beyond s, and beyond the chance of so few votes, is q's.
    """
    surest = np.argsort(-second.margin, kind="stable")[: len(second.margin) // 3]
    share = float(second.wrong[surest].mean())
    by_error = share / (n_classes - 1)
    said = second.own[suspects]
    beyond = np.where(said > by_error + np.sqrt(by_error * (1 - by_error) / _VOTES), said - by_error, 0.0)
    likely = np.clip(beyond / max(1 - share - by_error, 0.2), 0.0, 1.0)
    return float((likely * (1 - share) / np.maximum(said, 1 / _VOTES)).clip(0.0, 1.0).sum())


def _mislabelled(context: Context, rows: np.ndarray, second: _Second, share: float, labels: list[object]) -> Finding:
    suspect = second.wrong & second.confident
    order = np.flatnonzero(suspect)
    order = order[np.argsort(-second.margin[order], kind="stable")]
    false = round(_right_among(second, order, len(labels)))
    sampled = sample_note(len(rows), len(context.table))
    return Finding(
        "mislabelled",
        "medium",
        Message(
            "mislabelled-rows",
            "{n:,} {n:row is|rows are} probably mislabelled{sampled}, of which about {false:,} may be right; most "
            "suspicious first: {rows}.",
            n=len(order),
            sampled=sampled,
            false=false,
            rows=listed((rows[order] + 1).tolist(), 8),  # counted from 1, as an editor counts
        ),
        text("Check their labels. About {share:.0%} of all labels seem to be wrong.", share=share),
        (context.target,) if context.target else (),
        listed_rows(rows[order]),
        len(order),
        {
            "share": share,
            "false": false,
            "likely": [labels[best] for best in second.best[order[:50]]],
            "sample": len(rows),
        },
    )


def _far_in_class(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the rows whose outlier score is far above those of their class."""
    far = np.zeros(len(scores), dtype=bool)
    for code in range(int(classes.max()) + 1):
        members = np.flatnonzero(classes == code)
        if len(members) >= _FEWEST_OF_CLASS:
            order = members[np.argsort(scores[members], kind="stable")]
            n_far = far_values(scores[order], float(np.median(scores[order])))[1]
            far[order[len(order) - n_far :]] = True
    return far


def _outliers(context: Context, rows: np.ndarray, found: np.ndarray) -> Finding:
    return Finding(
        "forest-outliers",
        "low",
        Message(
            "forest-outliers",
            "{n:,} {n:row is|rows are} unlike the others of the class{sampled}; most unusual first: {rows}.",
            n=len(found),
            sampled=sample_note(len(rows), len(context.table)),
            rows=listed((rows[found] + 1).tolist(), 8),
        ),
        text("Check them for a wrong label or a wrong value."),
        (context.target,) if context.target else (),
        listed_rows(rows[found]),
        len(found),
        {"sample": len(rows)},
    )
