"""Compare a table with a reference (test rows with training rows): columns and values that differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import bdtrc

from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import listed
from vaglio.quality.association import chi2_test
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.profile import sample_table
from vaglio.table import Column

__all__ = ["drift_from", "population_stability", "severity_of_shares", "severity_of_shift"]

# With fewer values the test has no power.
_FEWEST_VALUES = 20
# In large tables tiny differences are significant: the distance of the distributions must also be large.
_MOVED, _FAR = 0.1, 0.3
# How often chance alone may tell of drift: in one column, and in any of all columns.
_IN_ONE_COLUMN, _IN_ANY_COLUMN = 0.001, 0.01
# The usual limits of the population stability index.
_UNSTABLE, _VERY_UNSTABLE = 0.1, 0.25
# The χ² test needs about this many rows of a category.
_FEWEST_OF_CATEGORY = 5
_KINDS = {"numeric": text("numeric"), "nominal": text("nominal"), "text": text("text")}
_ADVICE = text("A result measured on one of the tables may not hold on the other.")


def population_stability(expected: np.ndarray, actual: np.ndarray) -> float:
    """Return the population stability index of two sets of counts: below 0.1 stable, above 0.25 clearly different.

    >>> population_stability(np.array([50, 50]), np.array([50, 50]))
    0.0
    """
    # A share of zero would make the index infinite.
    e = np.maximum(expected / max(expected.sum(), 1), 1e-4)
    a = np.maximum(actual / max(actual.sum(), 1), 1e-4)
    return float(np.sum((a - e) * np.log(a / e)))


def _is_chance(p: float, columns: int) -> bool:
    return p >= min(_IN_ONE_COLUMN, _IN_ANY_COLUMN / max(columns, 1))


def severity_of_shift(distance: float, p: float, n: int, m: int, columns: int = 1) -> str | None:
    """Return how much two sets of numbers differ: "high", "medium", or None if it may be chance or is little.

    Parameters
    ----------
    distance : float
        The statistic of Kolmogorov and Smirnov.
    p : float
        Its p-value.
    n, m : int
        Numbers in each set.
    columns : int, default=1
        How many columns are compared.
    """
    if min(n, m) < _FEWEST_VALUES or _is_chance(p, columns) or distance < _MOVED:
        return None
    return "high" if distance >= _FAR else "medium"


def severity_of_shares(stability: float, expected: np.ndarray, actual: np.ndarray, columns: int = 1) -> str | None:
    """Return how much the shares of categories differ: "high", "medium", or None if it may be chance or is little.

    Parameters
    ----------
    stability : float
        The population stability index.
    expected, actual : ndarray
        Rows per category in the reference table, and here.
    columns : int, default=1
        How many columns are compared.
    """
    if stability < _UNSTABLE or _is_chance(share_test(expected, actual), columns):
        return None
    return "high" if stability >= _VERY_UNSTABLE else "medium"


def share_test(expected: np.ndarray, actual: np.ndarray) -> float:
    """Return the p-value of the χ² test that two sets of counts are drawn from the same shares.

    Categories with too few rows for the test, and those that the first set lacks, are counted as one: a server knows
    no names of the latter.

    >>> share_test(np.array([30, 20, 1]), np.array([10, 39, 2])) < 0.001
    True
    """
    table = np.array([expected, actual], dtype=np.float64)
    sizes = table.sum(axis=1)
    if min(sizes) < _FEWEST_VALUES:
        return 1.0
    # What the smaller table would hold of each category if the shares were equal.
    few = (table.sum(axis=0) * min(sizes) / sizes.sum() < _FEWEST_OF_CATEGORY) | (table[0] == 0)
    table = np.column_stack([table[:, ~few], table[:, few].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return chi2_test(table)[1] if table.shape[1] > 1 else 1.0


def drift_from(context: Context) -> Iterator[Finding]:
    """Find columns that are missing here, have another distribution, or have values that are not in the reference."""
    if context.reference is None:
        return
    reference, table = sample_table(context.reference, context.seed), sample_table(context.table, context.seed)
    gone = [name for name in context.reference.columns if name not in context.table]
    if gone:
        yield Finding(
            "drift",
            "high",
            Message(
                "columns-gone",
                "Columns of the reference table that are missing here: {columns}.",
                columns=listed(gone, quoted=True),
            ),
            text("A model trained on the reference table cannot be used here."),
            tuple(gone),
        )
    names = [name for name in context.columns if name in context.reference and name not in context.identifiers]
    for name in names:
        before, after = reference.column(name), table.column(name)
        if before.kind != after.kind:
            yield Finding(
                "drift",
                "high",
                Message(
                    "kind-changed",
                    "Column {column!r} is {before} in the reference table and {after} here.",
                    column=name,
                    before=_KINDS[before.kind],
                    after=_KINDS[after.kind],
                ),
                text("Read both tables with the same measurement levels ({option}).", option=Option("levels")),
                (name,),
            )
        elif before.kind == "numeric":
            yield from _numeric(name, before, after, len(names))
        elif before.kind == "nominal":
            yield from _nominal(name, before, after, len(names))


def _numeric(name: str, before: Column, after: Column, columns: int) -> Iterator[Finding]:
    a, b = (column.data[~column.missing] for column in (before, after))
    if len(a) < _FEWEST_VALUES or len(b) < _FEWEST_VALUES:
        return
    from scipy.stats import ks_2samp  # takes longer to import than an audit

    test = ks_2samp(a, b, method="asymp")
    severity = severity_of_shift(test.statistic, test.pvalue, len(a), len(b), columns)
    if severity is not None:
        yield Finding(
            "drift",
            severity,
            Message(
                "distribution-changed",
                "Column {column!r} has another distribution: median {before:.4g} in the reference table, "
                "{after:.4g} here "
                "(Kolmogorov-Smirnov {ks:.2f}).",
                column=name,
                before=float(np.median(a)),
                after=float(np.median(b)),
                ks=float(test.statistic),
            ),
            _ADVICE,
            (name,),
            details={"ks": float(test.statistic), "p": float(test.pvalue)},
        )


def _nominal(name: str, before: Column, after: Column, columns: int) -> Iterator[Finding]:
    known = list(before.categories)
    place = {value: i for i, value in enumerate(known)}
    new = [value for value in after.categories if value not in place]
    counts_after = np.bincount(after.data[after.data >= 0], minlength=len(after.categories))
    unseen = [value for value in new if counts_after[after.categories.index(value)]]
    expected = np.bincount(before.data[before.data >= 0], minlength=len(known))
    if unseen:
        rows = int(sum(counts_after[after.categories.index(value)] for value in unseen))
        moved = not _from_the_rare(expected, rows, int(counts_after.sum()), columns)
        yield Finding(
            "drift" if moved else "new-categories",
            "medium" if moved else "low",
            Message(
                "new-categories",
                "Column {column!r}: {n:,} {n:value is|values are} not in the reference table ({values}).",
                column=name,
                n=len(unseen),
                values=listed(unseen, 5, quoted=True),
            ),
            text("A model trained on the reference table treats them as missing."),
            (name,),
            n_rows=rows,
            details={"values": unseen[:50]},
        )
    merged = known + new
    order = {value: i for i, value in enumerate(merged)}
    expected = np.append(expected, np.zeros(len(new)))
    actual = np.zeros(len(merged))
    for value, count in zip(after.categories, counts_after):
        actual[order[value]] += count
    stability = population_stability(expected, actual)
    severity = severity_of_shares(stability, expected, actual, columns)
    if severity is not None:
        yield Finding(
            "drift",
            severity,
            Message(
                "shares-changed",
                "Column {column!r}: the shares of its values differ (population stability index {psi:.2f}).",
                column=name,
                psi=stability,
            ),
            _ADVICE,
            (name,),
            details={"psi": stability},
        )


def _from_the_rare(expected: np.ndarray, rows: int, n: int, columns: int) -> bool:
    """Return whether so many of n rows may have new values by chance, as columns of many rare values always have.

    Good and Turing: the share of new values is that of the values that occurred once, here with two standard errors.
    """
    once = int((expected == 1).sum()) + 1
    share = min((once + 2 * once**0.5) / (expected.sum() + 1), 1.0)
    return _is_chance(float(bdtrc(rows - 1, n, share)), columns)
