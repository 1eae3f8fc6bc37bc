"""Unusual values: far from the others of their column, or forbidden by a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.figures import quantity
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context, Finding, cleaning_choice, listed_rows
from vaglio.quality.profile import Profile
from vaglio.table import Column

__all__ = ["forbidden_mask", "forbidden_values", "outlier_mask", "quartile_outliers"]


def outlier_mask(column: Column, profile: Profile) -> np.ndarray:
    """Return the rows outside the fences of their column."""
    if profile.fences is None:
        return np.zeros(len(column), dtype=bool)
    low, high = profile.fences
    with np.errstate(invalid="ignore"):
        outside: np.ndarray = (column.data < low) | (column.data > high)
    return outside


def quartile_outliers(context: Context) -> Iterator[Finding]:
    """Find columns of the interval and ratio level with outliers that the shape of the others does not explain."""
    for name in context.inputs:
        profile = context.profiles[name]
        if not profile.n_far or profile.fences is None or profile.level not in ("interval", "ratio"):
            continue
        low, high = profile.fences
        ends = [*map(quantity, profile.far), *[""] * (profile.n_far - len(profile.far))]
        yield Finding(
            "outliers",
            "low",
            Message(
                "outliers",
                "Column {column!r}: {far:,} {far:value is|values are} far from all others ({ends}); {n:,} "
                "({share:.1%}) {n:is|are} outside {low:.4g} … {high:.4g}.",
                column=name,
                far=profile.n_far,
                ends=listed(ends, len(profile.far)),
                n=profile.n_outliers,
                share=profile.n_outliers / profile.n_present,
                low=low,
                high=high,
            ),
            text(
                "Check them: fix the errors and keep the true extremes. Outliers in the inputs do not affect trees and "
                "rules."
            ),
            (name,),
            listed_rows(outlier_mask(context.columns[name], profile)),
            profile.n_outliers,
            {
                "low": low,
                "high": high,
                "whiskers": list(profile.whiskers or ()),
                "far": profile.n_far,
                "extremes": list(profile.far),
            },
        )


def forbidden_mask(column: Column, rule: Any) -> np.ndarray:
    """Return the rows whose value breaks a rule: (low, high), a set of allowed values, or a function of the values.

    Missing values break no rule.
    """
    if callable(rule):
        good = np.asarray(rule(column.values), dtype=bool)
        if good.shape != (len(column),):
            raise InputError(
                "rule-result-shape",
                "The rule for column {column!r} returned the shape {shape}; it must return True or False for each row.",
                column=column.name,
                shape=good.shape,
            )
        wrong: np.ndarray = ~good & ~column.missing
        return wrong
    if isinstance(rule, (set, frozenset, list)):
        if column.kind == "nominal":
            others = [i for i, value in enumerate(column.categories) if value not in rule]
            return np.isin(column.data, others)
        strange: np.ndarray = ~np.isin(column.data, list(rule)) & ~column.missing
        return strange
    if column.kind != "numeric" or not isinstance(rule, Sequence) or len(rule) != 2:
        raise InputError(
            "unknown-rule",
            "The rule for column {column!r} is {rule!r}; pass (low, high) for numbers, a set of allowed values, or a "
            "function.",
            column=column.name,
            rule=rule,
        )
    low, high = rule
    # Comparing NaN warns; a missing value does not break a rule.
    with np.errstate(invalid="ignore"):
        bad = np.zeros(len(column), dtype=bool)
        if low is not None:
            bad |= column.data < low
        if high is not None:
            bad |= column.data > high
    return bad


def forbidden_values(context: Context) -> Iterator[Finding]:
    """Find values that break the rules given by the user."""
    for name, rule in context.rules.items():
        column = context.table.column(name)
        mask = forbidden_mask(column, rule)
        count = int(np.count_nonzero(mask))
        if count:
            shown = listed(map(quantity, dict.fromkeys(column.values[mask].tolist())), 5)
            yield Finding(
                "impossible",
                "high",
                Message(
                    "rule-broken",
                    "Column {column!r}: {n:,} {n:value breaks|values break} the rule ({values}).",
                    column=name,
                    n=count,
                    values=shown,
                ),
                text(
                    "Fix them at the source, or make them missing with {option}.",
                    option=cleaning_choice("impossible", "missing"),
                ),
                (column.name,),
                listed_rows(mask),
                count,
            )
