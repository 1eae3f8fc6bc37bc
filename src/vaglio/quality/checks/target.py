"""Checks of the class: values of very different size or too rare, and columns that give the class away.

Such a column was filled in when the class was known (leakage).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import Message, Option, join, text
from vaglio.messages.sentences import listed
from vaglio.quality.association import information_gain
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.profile import contingency, value_codes
from vaglio.table import Table, decide_task

__all__ = ["class_balance", "leaking_columns", "not_a_target", "one_rule_accuracy"]

# From this ratio of the largest to the smallest class on, accuracy misleads; from the second on, severely.
_UNEQUAL, _VERY_UNEQUAL = 3, 10
# A class of more than this share of the rows makes a useless model look accurate.
_MOST = 0.5
# A class with fewer rows cannot be in each of ten folds.
_FEWEST_OF_CLASS = 10
# With fewer rows a column can give the class by chance.
_FEWEST_ROWS = 30
# Honest columns seldom give the class of this share of the rows alone.
_SUSPECT = 0.98
# The same for the mere fact that a value is missing, which has only two values and fits less by chance.
_SUSPECT_ABSENCE = 0.95
# Numbers are cut into this many parts: every value of a small table, and enough of a large one to show a threshold.
_BINS = 128
# Chance gives a column that is no leak away less often than this.
_SIGNIFICANT = 0.001


def not_a_target(table: Table, target: str, task: str = "auto") -> Iterator[Finding]:
    """Find out whether a column can be predicted at all, as what is asked: one without values cannot."""
    try:
        table.select([target]).xy(target, task=decide_task(table.column(target), task).task)
    except InputError as error:
        told = getattr(error.message, "values", {})
        advice = join(
            " ", [text("The other checks ran without a target."), *([told["advice"]] if "advice" in told else [])]
        )
        yield Finding("no-target", "high", told.get("problem", error.message), advice, (target,), n_rows=len(table))


def class_balance(context: Context) -> Iterator[Finding]:
    """Find classes of very different size, and classes with very few rows."""
    if context.classes is None:
        return
    codes, labels = context.classes
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    target = (context.target,) if context.target else ()
    present = counts > 0
    if present.sum() < 2:
        message = Message(
            "one-class-in-column",
            "Column {column!r} has {n} {n:class|classes} in these rows.",
            column=context.target,
            n=int(present.sum()),
        )
        yield Finding("one-class", "high", message, text("A classifier needs at least two classes."), target)
        return
    by_class = {str(label): int(count) for label, count in zip(labels, counts)}
    largest, smallest = int(counts.max()), int(counts[present].min())
    if largest >= _UNEQUAL * smallest:
        common, rare = labels[int(counts.argmax())], labels[int(np.where(present, counts, counts.max()).argmin())]
        ratio = largest / smallest
        balanced = Option("class_weight", "balanced", flag="--set class_weight=balanced")
        yield Finding(
            "imbalance",
            "medium" if ratio >= _VERY_UNEQUAL else "low",
            Message(
                "class-imbalance",
                "Class {largest!r} has {most:,} rows, class {smallest!r} has {least:,} ({ratio:.1f} to 1).",
                largest=str(common),
                most=largest,
                smallest=str(rare),
                least=smallest,
                ratio=ratio,
            ),
            text(
                "Accuracy is misleading here. Use F1 and the precision-recall curve, stratify, and consider {option}.",
                option=balanced,
            )
            if largest > _MOST * counts.sum()
            else text(
                "Rare classes count little in accuracy. Look at the recall of each class, stratify, and consider "
                "{option}.",
                option=balanced,
            ),
            target,
            details={"counts": by_class},
        )
    few = [str(label) for label, count in zip(labels, counts) if 0 < count < _FEWEST_OF_CLASS]
    if few:
        yield Finding(
            "rare-classes",
            "medium",
            Message(
                "rare-classes",
                "{n:,} {n:class has|classes have} fewer than {least} rows ({classes}).",
                n=len(few),
                least=_FEWEST_OF_CLASS,
                classes=listed(few, 6, quoted=True),
            ),
            text("They cannot be in every fold. Merge them or collect more rows."),
            target,
            n_rows=int(counts[counts < _FEWEST_OF_CLASS].sum()),
        )


def one_rule_accuracy(table: np.ndarray) -> float:
    """Return the share of rows whose class is the most frequent one of their value.

    Each row is predicted from the other rows of its value: a value that occurs once would always predict itself.

    Parameters
    ----------
    table : ndarray
        Rows per value and class.
    """
    # A row of the most frequent class is predicted if that class also leads among the other rows.
    ordered = np.sort(table, axis=1)
    right = np.where(ordered[:, -1] - 1 >= ordered[:, -2], ordered[:, -1], 0)
    right = np.where(table.sum(axis=1) > 1, right, 0)
    return float(right.sum() / max(table.sum(), 1))


def intervals(table: np.ndarray) -> np.ndarray:
    """Return rows per interval and class: neighbouring values with the same most frequent class are put together.

    >>> intervals(np.array([[3, 0], [2, 1], [0, 4]])).tolist()
    [[5, 1], [0, 4]]
    """
    leads = table.argmax(axis=1)
    starts = np.append(0, np.flatnonzero(leads[1:] != leads[:-1]) + 1)
    merged: np.ndarray = np.add.reduceat(table, starts, axis=0)
    return merged


def _is_chance(table: np.ndarray, places: int) -> bool:
    """Return whether values unrelated to the class may give it away as well.

    The probability of a table under chance is at most about exp(−n·information), times the number of ways to choose
    the class of each value and, of intervals, their ends among so many places.
    """
    n, (values, classes) = int(table.sum()), table.shape
    known = n * information_gain(table)[0] * np.log(2)
    return bool(known - values * np.log(classes) - (values - 1) * np.log(max(places, 1)) < -np.log(_SIGNIFICANT))


def leaking_columns(context: Context) -> Iterator[Finding]:
    """Find columns that alone determine the class, and columns that are filled in only for some classes."""
    if context.classes is None:
        return
    rows = context.sample
    codes, _ = context.classes
    rows = rows[codes[rows] >= 0]
    classes = np.unique(np.asarray(codes)[rows], return_inverse=True)[1]
    if len(rows) < _FEWEST_ROWS or classes.max() < 1:
        return
    for name in context.inputs:
        if name in context.identifiers:
            continue
        column = context.columns[name].take(rows)
        missing = column.missing
        if 0.02 <= missing.mean() <= 0.98:
            accuracy = _given_away(contingency(missing.astype(np.int64), classes), 1, _SUSPECT_ABSENCE)
            if accuracy is not None:
                yield _leak(
                    Message(
                        "leaking-absence",
                        "Whether column {column!r} is missing determines the class of {share:.1%} of the "
                        "rows{sampled}.",
                        column=name,
                        share=accuracy,
                        sampled=context.sampled,
                    ),
                    text("If it is filled in only once the class is known, leave it out."),
                    name,
                    accuracy,
                    int(missing.sum()),
                )
        if missing.mean() > 0.5:
            continue
        table = contingency(value_codes(column, _BINS), classes)
        # Neighbouring numbers with one class are one value: of a few rows each bin has too few to be predicted.
        ordered = column.kind == "numeric" and len(table) > 2
        merged = intervals(table) if ordered else table
        accuracy = _given_away(merged, len(table) - 1 if ordered else 1, _SUSPECT)
        if accuracy is not None:
            yield _leak(
                Message(
                    "leaking-column",
                    "Column {column!r} alone determines the class of {share:.1%} of the rows{sampled}.",
                    column=name,
                    share=accuracy,
                    sampled=context.sampled,
                ),
                text("If its value is not known before the class, leave it out."),
                name,
                accuracy,
            )


def _given_away(table: np.ndarray, places: int, suspect: float) -> float | None:
    """Return the share of rows whose class a table of values and classes gives away; None if honest columns do too."""
    if min(table.shape) < 2:
        return None
    baseline = table.sum(axis=0).max() / table.sum()
    accuracy = one_rule_accuracy(table)
    if accuracy < max(suspect, baseline + 0.5 * (1 - baseline)) or _is_chance(table, places):
        return None
    return accuracy


def _leak(message: Message, advice: Message, name: str, accuracy: float, n_rows: int = 0) -> Finding:
    return Finding("leakage", "high", message, advice, (name,), n_rows=n_rows, details={"accuracy": accuracy})
