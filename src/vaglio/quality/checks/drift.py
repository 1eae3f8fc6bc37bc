"""Compare a table with a reference (test rows with training rows): columns and values that differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.profile import sample_table
from vaglio.table import Column

__all__ = ["drift_from", "population_stability", "severity_of_shares", "severity_of_shift"]

# With fewer values the test has no power.
_FEWEST_VALUES = 20
# In large tables tiny differences are significant: the distance of the distributions must also be large.
_SIGNIFICANT, _MOVED, _FAR = 0.001, 0.1, 0.3
# The usual limits of the population stability index.
_UNSTABLE, _VERY_UNSTABLE = 0.1, 0.25
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


def severity_of_shift(distance: float, p: float, n: int, m: int) -> str | None:
    """Return how much two sets of numbers differ: "high", "medium", or None if it may be chance or is little.

    Parameters
    ----------
    distance : float
        The statistic of Kolmogorov and Smirnov.
    p : float
        Its p-value.
    n, m : int
        Numbers in each set.
    """
    if min(n, m) < _FEWEST_VALUES or p >= _SIGNIFICANT or distance < _MOVED:
        return None
    return "high" if distance >= _FAR else "medium"


def severity_of_shares(stability: float, k: int, n: float, m: float) -> str | None:
    """Return how much the shares of k categories in n and m rows differ: "high", "medium", or None.

    Parameters
    ----------
    stability : float
        The population stability index.
    k : int
    n, m : float
    """
    # By chance alone the index of k categories is about (k − 1)(1/n + 1/m).
    if stability < max(_UNSTABLE, 3 * (k - 1) * (1 / max(n, 1) + 1 / max(m, 1))):
        return None
    return "high" if stability >= _VERY_UNSTABLE else "medium"


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
    for name in context.columns:
        if name not in context.reference or name in context.identifiers:
            continue
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
            yield from _numeric(name, before, after)
        elif before.kind == "nominal":
            yield from _nominal(name, before, after)


def _numeric(name: str, before: Column, after: Column) -> Iterator[Finding]:
    a, b = (column.data[~column.missing] for column in (before, after))
    if len(a) < _FEWEST_VALUES or len(b) < _FEWEST_VALUES:
        return
    from scipy.stats import ks_2samp  # takes longer to import than an audit

    test = ks_2samp(a, b, method="asymp")
    severity = severity_of_shift(test.statistic, test.pvalue, len(a), len(b))
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


def _nominal(name: str, before: Column, after: Column) -> Iterator[Finding]:
    known = list(before.categories)
    place = {value: i for i, value in enumerate(known)}
    new = [value for value in after.categories if value not in place]
    counts_after = np.bincount(after.data[after.data >= 0], minlength=len(after.categories))
    unseen = [value for value in new if counts_after[after.categories.index(value)]]
    if unseen:
        rows = int(sum(counts_after[after.categories.index(value)] for value in unseen))
        yield Finding(
            "drift",
            "medium",
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
    expected = np.bincount(before.data[before.data >= 0], minlength=len(merged))
    actual = np.zeros(len(merged))
    for value, count in zip(after.categories, counts_after):
        actual[order[value]] += count
    stability = population_stability(expected, actual)
    severity = severity_of_shares(stability, len(merged), expected.sum(), actual.sum())
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
