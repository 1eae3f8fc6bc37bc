"""The class: how it is spread, and columns that seem to know it beforehand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.quality.binning import value_codes
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding
from vaglio.text.sentences import plural

__all__ = ["class_balance", "leaking_columns", "one_rule_accuracy"]

_SUSPECT = 0.98


def class_balance(context: Context) -> Iterator[Finding]:
    """Classes of very different size, or of hardly any rows."""
    if context.classes is None:
        return
    codes, labels = context.classes
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    target = (context.target,) if context.target else ()
    present = counts > 0
    if present.sum() < 2:
        message = f"{context.target} has {int(present.sum())} class in these rows"
        yield Finding("one-class", "high", message, "There is nothing to tell apart.", target)
        return
    by_class = {str(label): int(count) for label, count in zip(labels, counts)}
    largest, smallest = int(counts.max()), int(counts[present].min())
    if largest >= 3 * smallest:
        common, rare = labels[int(counts.argmax())], labels[int(np.where(present, counts, counts.max()).argmin())]
        ratio = largest / smallest
        yield Finding(
            "imbalance",
            "medium" if ratio >= 10 else "low",
            f"{common} has {largest} rows, {rare} {smallest} ({ratio:.1f} to 1)",
            "Accuracy misleads: look at F1 and precision-recall, stratify, and consider class_weight='balanced'.",
            target,
            details={"counts": by_class},
        )
    few = [str(label) for label, count in zip(labels, counts) if 0 < count < 10]
    if few:
        more = " …" if len(few) > 6 else ""
        yield Finding(
            "rare-classes",
            "medium",
            f"{plural(len(few), 'class')} with fewer than 10 rows ({', '.join(few[:6])}{more})",
            "They cannot be in every fold; merge them or collect more rows.",
            target,
            n_rows=int(counts[(counts > 0) & (counts < 10)].sum()),
        )


def one_rule_accuracy(codes: np.ndarray, classes: np.ndarray, n_classes: int) -> float:
    """Share of the rows that the commonest class of each value gets right, values of one row left out.

    A value that occurs once is always right about itself and says nothing.
    """
    table = np.zeros((int(codes.max(initial=-1)) + 1, n_classes), dtype=np.int64)
    np.add.at(table, (codes, classes), 1)
    # Leave one out: a row is right if its class still leads among the other rows of its value.
    best, second = np.sort(table, axis=1)[:, -1], np.sort(table, axis=1)[:, -2] if n_classes > 1 else 0
    right = np.where(best - 1 >= second, best, 0)
    right = np.where(table.sum(axis=1) > 1, right, 0)
    return float(right.sum() / max(table.sum(), 1))


def leaking_columns(context: Context) -> Iterator[Finding]:
    """Columns that alone give the class, or that are filled in only for some classes."""
    if context.classes is None:
        return
    rows = context.sample
    codes, labels = context.classes
    rows = rows[codes[rows] >= 0]
    classes = np.asarray(codes)[rows]
    if len(rows) < 30 or len(np.unique(classes)) < 2:
        return
    baseline = np.bincount(classes).max() / len(rows)
    for name in context.inputs:
        if name in context.identifiers:
            continue
        column = context.columns[name].take(rows)
        missing = column.missing
        yield from _absence_tells(context, name, missing, classes, len(labels), baseline)
        if missing.mean() > 0.5:
            continue
        values = value_codes(column, 32)
        present = values >= 0
        accuracy = one_rule_accuracy(values[present], classes[present], len(labels))
        if accuracy >= max(_SUSPECT, baseline + 0.5 * (1 - baseline)):
            yield Finding(
                "leakage",
                "high",
                f"{name} alone gives the class in {accuracy:.1%} of the rows{context.sampled}",
                "Is it known before the class is? If it is written down with or after it, leave it out.",
                (name,),
                details={"accuracy": accuracy},
            )


def _absence_tells(
    context: Context, name: str, missing: np.ndarray, classes: np.ndarray, n_classes: int, baseline: float
) -> Iterator[Finding]:
    if not 0.02 <= missing.mean() <= 0.98:
        return
    accuracy = one_rule_accuracy(missing.astype(np.int64), classes, n_classes)
    if accuracy >= max(0.95, baseline + 0.5 * (1 - baseline)):
        yield Finding(
            "leakage",
            "high",
            f"Whether {name} is missing gives the class in {accuracy:.1%} of the rows{context.sampled}",
            "The column seems to be filled in after the fact: leave it out if it is not known beforehand.",
            (name,),
            n_rows=int(missing.sum()),
            details={"accuracy": accuracy},
        )
