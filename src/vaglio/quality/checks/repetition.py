"""Repeated rows: duplicates, equal rows of different classes, keys with different content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vaglio.messages.sentences import listed, plural
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding, listed_rows
from vaglio.quality.checks.fingerprints import fingerprint, repeated_groups
from vaglio.table import Column

__all__ = ["repeated_keys", "repeated_rows", "surplus"]


def surplus(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the rows that repeat an earlier one."""
    again = np.append(False, group[1:] == group[:-1]) if len(group) else np.empty(0, dtype=bool)
    return np.sort(rows[again])


def repeated_rows(context: Context) -> Iterator[Finding]:
    """Find rows that are equal in all columns, in all but identifiers, or in all but the class."""
    n = len(context.table)
    names = [name for name in context.columns if name not in context.identifiers and name != context.target]
    inputs = [*(context.columns[name] for name in names), *context.packed]
    keys = [context.columns[name] for name in context.identifiers]
    target = [] if context.target is None else [context.columns[context.target]]
    # Each fingerprint continues the one before: every column is read once.
    without_class = fingerprint(inputs, n)
    content = fingerprint(target, n, without_class) if target else without_class
    whole = fingerprint(keys, n, content) if keys else content
    again = surplus(*repeated_groups(whole, [*inputs, *target, *keys]))
    if len(again):
        yield Finding(
            "duplicates",
            "medium",
            f"{plural(len(again), 'row')} equal to an earlier row in every column",
            "If they are one record entered twice, use clean(duplicates='drop'): else a copy may be in the test rows.",
            rows=listed_rows(again),
            n_rows=len(again),
        )
    if keys:
        yield from _repeated_content(context, content, [*inputs, *target], len(again))
    if target:
        yield from _contradictions(context, without_class, inputs)


def _repeated_content(
    context: Context, prints: np.ndarray, columns: Sequence[Column], n_whole: int
) -> Iterator[Finding]:
    again = surplus(*repeated_groups(prints, columns))
    if len(again) <= n_whole:
        return
    yield Finding(
        "repeated-content",
        "low",
        f"{plural(len(again), 'row')} equal to an earlier row in all columns but {listed(context.identifiers)}",
        "The model counts them twice; when you split the table, keep equal rows together (groups=).",
        tuple(context.identifiers),
        listed_rows(again),
        len(again),
    )


def _contradictions(context: Context, prints: np.ndarray, columns: Sequence[Column]) -> Iterator[Finding]:
    rows, group = repeated_groups(prints, columns)
    codes = context.classes[0][rows] if context.classes is not None else np.empty(0)
    known = codes >= 0
    rows, group, codes = rows[known], group[known], codes[known]
    if not len(rows):
        return
    starts = np.append(0, np.flatnonzero(group[1:] != group[:-1]) + 1)
    mixed = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    inside = np.repeat(mixed, np.diff(np.append(starts, len(rows))))
    if not inside.any():
        return
    n_rows, n_groups = int(inside.sum()), int(mixed.sum())
    share = n_rows / len(context.table)
    yield Finding(
        "inconsistent",
        "high" if share > 0.05 else "medium",
        f"{plural(n_rows, 'row')} in {plural(n_groups, 'group')} with the same attributes and different classes",
        "No model can predict all of them: check the labels, or look for an attribute that separates them.",
        (context.target,) if context.target else (),
        listed_rows(np.sort(rows[inside])),
        n_rows,
        {"groups": n_groups},
    )


def repeated_keys(context: Context) -> Iterator[Finding]:
    """Find values of an identifier that occur in several rows with different content."""
    n = len(context.table)
    for name in context.identifiers:
        column, profile = context.columns[name], context.profiles[name]
        if profile.n_distinct == profile.n_present:
            continue
        rows, group = repeated_groups(fingerprint([column], n), [column])
        present = ~column.missing[rows]
        rows, group = rows[present], group[present]
        others = [c for other, c in context.columns.items() if other not in context.identifiers] + context.packed
        part = [c.take(rows) for c in others]
        prints = fingerprint(part, len(rows))
        starts = np.append(0, np.flatnonzero(group[1:] != group[:-1]) + 1)
        differ = np.minimum.reduceat(prints, starts) != np.maximum.reduceat(prints, starts)
        inside = np.repeat(differ, np.diff(np.append(starts, len(rows))))
        if inside.any():
            yield Finding(
                "repeated-key",
                "medium",
                f"{name}: {plural(int(differ.sum()), 'value')} in several rows with different content",
                "If the column is a key, one of the rows is wrong or the key is not complete.",
                (name,),
                listed_rows(np.sort(rows[inside])),
                int(inside.sum()),
            )
