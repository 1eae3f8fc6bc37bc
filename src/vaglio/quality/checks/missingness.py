"""Missing values, and values such as 999 or "unknown" that stand for a missing one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vaglio.messages.message import Listing, Message, Number, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding, cleaning_choice, listed_rows
from vaglio.quality.profile import Profile
from vaglio.table import MISSING, NO_NUMBER, Column

__all__ = [
    "PLACEHOLDER_NUMBERS",
    "PLACEHOLDER_WORDS",
    "missing_values",
    "placeholder_mask",
    "placeholder_text",
    "placeholders",
]

# In lower case: what the reader takes for missing, also among numbers only; but two letters may be a code of their own.
PLACEHOLDER_WORDS = frozenset(word.casefold() for word in MISSING) | {word for word in NO_NUMBER if len(word) > 2}
PLACEHOLDER_WORDS -= {"none", "nil"}
# Words that are as often a value of their own: suspected only in columns whose categories are not declared.
DOUBTFUL_WORDS = frozenset(("none", "nil", "nobody", "nothing"))
# The usual codes for a missing answer in surveys and sensors.
PLACEHOLDER_NUMBERS = frozenset(
    sign * number for sign in (1.0, -1.0) for number in (9, 99, 999, 9999, 99999, 999999, 9999999, 88, 888, 8888)
) | {-1.0}

# From this share on, a column is mostly missing.
_MOSTLY = 0.5
# From this share of all cells on, missing values are more than good to know.
_MANY = 0.05


def missing_values(context: Context) -> Iterator[Finding]:
    """Count missing values in the table, in the class, and in columns that have hardly any others."""
    counts = {name: profile.n_missing for name, profile in context.profiles.items() if profile.n_missing}
    total = sum(counts.values())
    if not total:
        return
    n = len(context.table)
    share = total / (n * len(context.profiles))
    yield Finding(
        "missing",
        "medium" if share > _MANY else "low",
        Message(
            "missing-values",
            "{n:,} {n:value is|values are} missing ({share:.1%} of all), in {columns:,} of {total:,} columns.",
            n=total,
            share=share,
            columns=len(counts),
            total=len(context.profiles),
        ),
        text("Trees, rules, Bayes and neighbors handle missing values. For other learners, impute inside the folds."),
        columns=tuple(counts),
        n_rows=_rows_with_missing(context, counts),
        details={"total": total, "by_column": counts},
    )
    for name, count in counts.items():
        part = count / n
        if name == context.target:
            rows = context.columns[name].missing
            message = (
                Message("missing-number", "{n:,} {n:row has|rows have} no number in the target.", n=count)
                if context.predicts_numbers
                else Message("missing-class", "{n:,} {n:row has|rows have} no class.", n=count)
            )
            advice = text("Training leaves them out.")
            yield Finding("missing-class", "high", message, advice, (name,), listed_rows(rows), count)
        elif part >= _MOSTLY:
            yield Finding(
                "mostly-missing",
                "medium",
                Message(
                    "mostly-missing",
                    "Column {column!r}: {share:.0%} of the values are missing.",
                    column=name,
                    share=part,
                ),
                text("Leave the column out, or find out why values are missing."),
                (name,),
                listed_rows(context.columns[name].missing),
                count,
            )


def _rows_with_missing(context: Context, names: dict[str, int]) -> int:
    rows = np.zeros(len(context.table), dtype=bool)
    for name in names:
        rows |= context.columns[name].missing
    return int(np.count_nonzero(rows))


def placeholders(context: Context) -> Iterator[Finding]:
    """Find missing values that were stored as 0, 999, "unknown" and the like."""
    for name in context.inputs:
        column, profile = context.columns[name], context.profiles[name]
        values = suspected_placeholders(column, profile)
        if not values:
            continue
        mask = placeholder_mask(column, values)
        count = int(np.count_nonzero(mask))
        yield Finding(
            "placeholder",
            "medium",
            Message(
                "placeholder",
                "Column {column!r}: {values} in {n:,} {n:row|rows} may stand for a missing value.",
                column=name,
                values=placeholder_text(values),
                n=count,
            ),
            text(
                "If so, use {option}; otherwise a model takes it for a number or a category.",
                option=cleaning_choice("placeholders", "missing"),
            ),
            (name,),
            listed_rows(mask),
            count,
            {"values": list(values)},
        )


def suspected_placeholders(column: Column, profile: Profile) -> tuple[Any, ...]:
    """Return values that look like placeholders: known words, and repeated numbers far from all others."""
    if column.kind == "nominal" and profile.counts is not None:
        words = PLACEHOLDER_WORDS if column.declared else PLACEHOLDER_WORDS | DOUBTFUL_WORDS
        return tuple(
            value
            for value, count in zip(column.categories, profile.counts)
            if count and isinstance(value, str) and value.strip().casefold() in words
        )
    if column.kind != "numeric" or profile.n_distinct < 10 or column.is_date:
        return ()
    return tuple(value for value, count in profile.extremes if _stands_apart(value, count, profile))


def _stands_apart(value: float, count: int, profile: Profile) -> bool:
    """Return whether a repeated extreme value is separated from the others by far more than the usual distance."""
    if value != 0 and value not in PLACEHOLDER_NUMBERS:
        return False
    values = [v for v, _ in profile.extremes]
    # Once it is an outlier, but not as the only negative number; in most rows it is the usual value.
    fewest = 3 if value == 0 else 1 if value < 0 <= values[1] else 2
    if not max(fewest, 0.002 * profile.n_present) <= count <= 0.6 * profile.n_present:
        return False
    at = values.index(value)
    lowest, highest = at == 0, at == len(values) - 1
    if not (lowest or highest):
        return False
    gap = values[1] - value if lowest else value - values[-2]
    _, q1, median, q3, _ = profile.quantiles  # type: ignore[misc]
    # Compared with the middle half of the values and with their usual distance: 0 before 1, 2, 3 … is no gap.
    body = max(q3 - q1, 0.1 * abs(median))
    return gap >= 5 * profile.spacing and gap >= (0.1 * abs(median) if value == 0 else body)


def placeholder_text(values: Sequence[Any]) -> Listing:
    """Return placeholders as a sentence lists them: words in quotes, numbers without needless digits."""
    return listed((value if isinstance(value, str) else Number(f"{value:g}") for value in values), quoted=True)


def placeholder_mask(column: Column, values: tuple[Any, ...]) -> np.ndarray:
    """Return the rows in which the column has one of the values."""
    if column.kind == "nominal":
        codes = [i for i, category in enumerate(column.categories) if category in values]
        return np.isin(column.data, codes)
    return np.isin(column.data, np.array(values, dtype=np.float64))
