"""The class: whether its values are of very different size, or too rare."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.sentences import listed, plural
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding
from vaglio.table import Table

__all__ = ["class_balance", "not_a_class"]

# From this ratio of the largest to the smallest class on, accuracy misleads; from the second on, severely.
_UNEQUAL, _VERY_UNEQUAL = 3, 10
# A class with fewer rows cannot be in each of ten folds.
_FEWEST_ROWS = 10


def not_a_class(table: Table, target: str) -> Iterator[Finding]:
    """Find out whether a column can be the class at all: a measurement, or a column without values, is none."""
    try:
        table.select([target]).xy(target)
    except InputError as error:
        what, _, advice = str(error).rstrip(".").partition(": ")
        advice = f"The other checks ran without a class. {advice[:1].upper()}{advice[1:]}".strip()
        yield Finding("no-class", "high", what, f"{advice.rstrip('.')}.", (target,), n_rows=len(table))


def class_balance(context: Context) -> Iterator[Finding]:
    """Find classes of very different size, and classes with very few rows."""
    if context.classes is None:
        return
    codes, labels = context.classes
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    target = (context.target,) if context.target else ()
    present = counts > 0
    if present.sum() < 2:
        message = f"{context.target} has {plural(int(present.sum()), 'class')} in these rows"
        yield Finding(
            "one-class", "high", message, "There is nothing to learn: a classifier needs two classes.", target
        )
        return
    by_class = {str(label): int(count) for label, count in zip(labels, counts)}
    largest, smallest = int(counts.max()), int(counts[present].min())
    if largest >= _UNEQUAL * smallest:
        common, rare = labels[int(counts.argmax())], labels[int(np.where(present, counts, counts.max()).argmin())]
        ratio = largest / smallest
        yield Finding(
            "imbalance",
            "medium" if ratio >= _VERY_UNEQUAL else "low",
            f"{common} has {largest:,} rows, {rare} {smallest:,} ({ratio:.1f} to 1)",
            "Accuracy misleads: use F1 and precision-recall, stratify, and consider class_weight='balanced'.",
            target,
            details={"counts": by_class},
        )
    few = [str(label) for label, count in zip(labels, counts) if 0 < count < _FEWEST_ROWS]
    if few:
        yield Finding(
            "rare-classes",
            "medium",
            f"{plural(len(few), 'class')} with fewer than {_FEWEST_ROWS} rows ({listed(few, 6)})",
            "They cannot be in every fold: merge them or collect more rows.",
            target,
            n_rows=int(counts[counts < _FEWEST_ROWS].sum()),
        )
