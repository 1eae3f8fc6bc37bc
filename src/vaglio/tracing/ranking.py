"""Rows in the order of their score, one after the other: ROC curve and lift; and the folds of cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation
from vaglio.encode import spelling
from vaglio.errors import InputError
from vaglio.evaluation.selection.splits import SplitRules, make_folds
from vaglio.messages.sentences import listed
from vaglio.typing import ColumnLike

__all__ = ["trace_folds", "trace_lift", "trace_roc"]

# Steps that are written; the figures are of all.
_MOST_STEPS = 60


def trace_roc(y_true: ColumnLike, score: ColumnLike, *, positive: Any = None, lang: str = "en") -> Trace:
    """Draw a ROC curve by hand: lower the threshold from score to score, count, add up the area.

    Parameters
    ----------
    y_true : array-like
        The class of each row.
    score : array-like
        The score, or the probability, of the positive class.
    positive : label, optional
        By default the last of two classes in ascending order.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_roc
    >>> trace_roc(["P", "P", "N", "P", "N"], [0.9, 0.8, 0.7, 0.6, 0.2]).facts["auc"]
    0.8333333333333333
    """
    is_positive, scores, name = _ranked(y_true, score, positive)
    page = Page(Notation(lang))
    say = page.say
    n_positive, n_negative = int(is_positive.sum()), int((~is_positive).sum())
    page.section(say("Rows by score"))
    page.text(
        say(
            "Sort the rows by the score of {positive}, the highest first. P = {p:,} rows are {positive}, N = {n:,} are "
            "not. The threshold starts above every score, at (0, 0), and goes down from score to score: each "
            "{positive} is a step up of 1/P, each other row a step to the right of 1/N. Rows of equal score make one "
            "step together.",
            positive=name,
            p=n_positive,
            n=n_negative,
        )
    )
    ends = np.flatnonzero(np.append(np.diff(scores) != 0, True))
    tp, fp = np.cumsum(is_positive)[ends], np.cumsum(~is_positive)[ends]
    tpr, fpr = np.append(0.0, tp / n_positive), np.append(0.0, fp / n_negative)
    rows = [["∞", "", "0", "0", str(n_negative), str(n_positive), "0", "0"]]
    first = 0
    for k, end in enumerate(ends):
        classes = "".join("+" if each else "−" for each in is_positive[first : end + 1])
        rows.append(
            [
                say.short(scores[end]),
                classes if len(classes) <= 8 else f"{classes[:7]}…",
                str(tp[k]),
                str(fp[k]),
                str(n_negative - fp[k]),
                str(n_positive - tp[k]),
                say.fixed(tpr[k + 1]),
                say.fixed(fpr[k + 1]),
            ]
        )
        first = int(end) + 1
    page.table([say("threshold"), say("class"), "TP", "FP", "TN", "FN", "TPR", "FPR"], rows, most=_MOST_STEPS)
    page.section(say("Area under the curve"))
    page.text(say("Each step to the right adds a trapezoid: its width times the mean of its two heights."))
    areas = np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2
    wide = np.flatnonzero(np.diff(fpr))
    terms = [f"{say.fixed(fpr[i + 1] - fpr[i])}·({say.fixed(tpr[i])} + {say.fixed(tpr[i + 1])})/2" for i in wide]
    area = float(areas.sum())
    page.formula(f"AUC = {' + '.join(terms[:12])}{' + …' if len(terms) > 12 else ''} = {say.fixed(area)}")
    page.text(
        say(
            "It is the share of pairs of {positive} and another row in which {positive} has the higher score; equal "
            "scores count one half.",
            positive=name,
        )
    )
    page.facts |= {"auc": area, "tpr": tpr.tolist(), "fpr": fpr.tolist(), "tp": tp.tolist(), "fp": fp.tolist()}
    return page.finish(say("The ROC curve, step by step"))


def trace_lift(y_true: ColumnLike, score: ColumnLike, *, positive: Any = None, lang: str = "en") -> Trace:
    """Take the most promising rows first: how many positives are among the first n, beside a random choice.

    Parameters
    ----------
    y_true : array-like
        The class of each row.
    score : array-like
        The score, or the probability, of the positive class.
    positive : label, optional
        By default the last of two classes in ascending order.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_lift
    >>> trace_lift(["P", "P", "N", "P", "N"], [0.9, 0.8, 0.7, 0.6, 0.2]).facts["positives"]
    [0, 1, 2, 2, 3, 3]
    """
    is_positive, scores, name = _ranked(y_true, score, positive)
    page = Page(Notation(lang))
    say, n, p = page.say, len(scores), int(is_positive.sum())
    page.section(say("Rows by score"))
    page.text(
        say(
            "Sort the rows by the score of {positive}, the highest first. Of {n:,} rows {p:,} are {positive}, so a "
            "random sample of size k has k·{p:,}/{n:,} of them on average. Lift is the ratio of both.",
            positive=name,
            n=n,
            p=p,
        )
    )
    found = np.append(0, np.cumsum(is_positive))
    rows = [
        [
            str(k),
            say.short(scores[k - 1]),
            "+" if is_positive[k - 1] else "−",
            str(found[k]),
            say.fixed(k * p / n),
            say.fixed(found[k] / (k * p / n)),
        ]
        for k in range(1, n + 1)
    ]
    heads = [say("sample size"), say("score"), say("class"), say("positives"), say("random"), say("lift")]
    page.table(heads, rows, most=_MOST_STEPS)
    page.facts |= {"positives": found.tolist(), "random": [k * p / n for k in range(n + 1)]}
    return page.finish(say("The most promising rows first"))


def _ranked(y_true: ColumnLike, score: ColumnLike, positive: Any) -> tuple[np.ndarray, np.ndarray, str]:
    """Return which rows are positive and their scores, by falling score, and the name of the positive class."""
    labels = np.array([spelling(value) for value in np.asarray(y_true, dtype=object)], dtype=str)
    try:
        scores = np.asarray(score, dtype=float)
    except (TypeError, ValueError):
        raise InputError("scores-not-numbers", "Scores must be numbers.") from None
    if labels.shape != scores.shape or labels.ndim != 1 or not len(labels) or not np.isfinite(scores).all():
        raise InputError(
            "scores-length",
            "Give one class and one finite score per row; there are {n_labels:,} classes and {n_scores:,} scores.",
            n_labels=len(labels),
            n_scores=scores.size,
        )
    classes = np.unique(labels)
    name = spelling(positive) if positive is not None else str(classes[-1])
    if name not in classes or len(classes) < 2 or (positive is None and len(classes) > 2):
        raise InputError(
            "positive-class-of-scores",
            "Name the positive class: positive must be one of at least two classes. They are {classes}.",
            classes=listed(classes.tolist(), quoted=True),
        )
    order = np.argsort(-scores, kind="stable")
    return (labels == name)[order], scores[order], name


def trace_folds(
    y: ColumnLike, folds: int = 10, *, leave_one_out: bool = False, seed: int = 0, lang: str = "en"
) -> Trace:
    """Show which rows each round of cross-validation trains on and tests.

    Parameters
    ----------
    y : array-like
        The class of each row.
    folds : int, default=10
        Their number.
    leave_one_out : bool, default=False
        As many folds as rows.
    seed : int
        Seed of the random division.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_folds
    >>> _, y = vaglio.datasets.load("play").xy("play")
    >>> trace_folds(y, 3).facts["test"][0]
    [1, 3, 4, 5, 9]
    """
    labels, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    n = len(codes)
    if leave_one_out:
        parts = [(np.delete(np.arange(n), i), np.array([i])) for i in range(n)]
    else:
        made = make_folds(codes, int(folds), rules=SplitRules(seed=seed))
        parts = [(np.asarray(train), np.asarray(test)) for train, test in made]
    page = Page(Notation(lang))
    say = page.say
    page.section(say("The folds"))
    page.text(
        say(
            "The {n:,} rows are divided into {k:,} parts with the classes in the same proportions as far as possible. "
            "In round i, part i is the test set and all others are the training set. Every row is tested once.",
            n=n,
            k=len(parts),
        )
    )
    rows = []
    for i, (train, test) in enumerate(parts):
        of_class = np.bincount(codes[test], minlength=len(labels))
        numbers = say.series((str(row + 1) for row in test), 12)
        rows.append([str(i + 1), numbers, *map(str, of_class), str(len(test)), str(len(train))])
    page.table([say("round"), say("test rows"), *labels, say("tested"), say("trained on")], rows, most=_MOST_STEPS)
    page.section(say("The estimate"))
    page.formula(f"{say('accuracy')} = Σ {say('right')}ᵢ / {n}")
    page.text(say("The final model is trained on all rows: the estimate is about the learner on tables like this one."))
    page.facts |= {"test": [test.tolist() for _, test in parts], "train": [train.tolist() for train, _ in parts]}
    return page.finish(
        say("Leave one out") if leave_one_out else say("Cross-validation with {k:,} folds", k=len(parts))
    )
