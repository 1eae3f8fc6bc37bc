"""Does a second table (test, new data) look like the first?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import ks_2samp

from vaglio.quality.checks.context import SAMPLE_ROWS, Context
from vaglio.quality.checks.finding import Finding
from vaglio.table import Column, Table

__all__ = ["drift_from", "population_stability"]


def population_stability(expected: np.ndarray, actual: np.ndarray) -> float:
    """Population stability index of two sets of counts: below 0.1 calm, above 0.25 clearly moved.

    >>> population_stability(np.array([50, 50]), np.array([50, 50]))
    0.0
    """
    e = np.maximum(expected / max(expected.sum(), 1), 1e-4)
    a = np.maximum(actual / max(actual.sum(), 1), 1e-4)
    return float(np.sum((a - e) * np.log(a / e)))


def _rows(table: Table, seed: int) -> Table:
    if len(table) <= SAMPLE_ROWS:
        return table
    return table[np.sort(np.random.default_rng(seed).choice(len(table), SAMPLE_ROWS, replace=False))]


def drift_from(context: Context) -> Iterator[Finding]:
    """Columns of the reference that moved, are gone, or have values never seen there."""
    if context.reference is None:
        return
    reference, table = _rows(context.reference, context.seed), _rows(context.table, context.seed)
    gone = [name for name in context.reference.columns if name not in context.table]
    if gone:
        message = f"{', '.join(gone)}: in the reference table and not here"
        yield Finding("drift", "high", message, "A model trained there cannot be used here.", tuple(gone))
    for name in context.columns:
        if name not in context.reference or name in context.identifiers:
            continue
        before, after = reference.column(name), table.column(name)
        if before.kind != after.kind:
            message = f"{name} is {before.kind} in the reference table and {after.kind} here"
            yield Finding("drift", "high", message, "Read both tables with the same levels=.", (name,))
        elif before.kind == "numeric":
            yield from _numeric(name, before, after)
        elif before.kind == "nominal":
            yield from _nominal(name, before, after)


def _numeric(name: str, before: Column, after: Column) -> Iterator[Finding]:
    a, b = (column.data[~column.missing] for column in (before, after))
    if len(a) < 20 or len(b) < 20:
        return
    test = ks_2samp(a, b, method="asymp")
    if test.pvalue < 0.001 and test.statistic >= 0.1:
        yield Finding(
            "drift",
            "high" if test.statistic >= 0.3 else "medium",
            f"{name} moved: median {np.median(a):.4g} in the reference, {np.median(b):.4g} here "
            f"(Kolmogorov-Smirnov {test.statistic:.2f})",
            "A figure measured on the one table need not hold for the other.",
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
        shown = ", ".join(map(repr, unseen[:5]))
        rows = int(sum(counts_after[after.categories.index(value)] for value in unseen))
        yield Finding(
            "drift",
            "medium",
            f"{name}: {len(unseen)} values never seen in the reference ({shown}{' …' if len(unseen) > 5 else ''})",
            "A model treats them as missing.",
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
    # Many categories differ by chance: the index has expectation about (k − 1)(1/n + 1/m).
    chance = (len(merged) - 1) * (1 / max(expected.sum(), 1) + 1 / max(actual.sum(), 1))
    if stability >= max(0.1, 3 * chance):
        yield Finding(
            "drift",
            "high" if stability >= 0.25 else "medium",
            f"{name}: the shares of its values moved (stability index {stability:.2f})",
            "A figure measured on the one table need not hold for the other.",
            (name,),
            details={"psi": stability},
        )
