"""Values far from the others, by the quartiles of their column; and values that a rule of the user forbids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.sentences import listed, plural
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding, listed_rows
from vaglio.quality.profile import Profile, quartile_fences
from vaglio.table import Column

__all__ = ["forbidden_mask", "forbidden_values", "outlier_mask", "quartile_outliers"]


def outlier_mask(column: Column, profile: Profile) -> np.ndarray:
    """Return the rows outside Q1 − 1.5·IQR … Q3 + 1.5·IQR."""
    if profile.quantiles is None:
        return np.zeros(len(column), dtype=bool)
    low, high = quartile_fences(profile.quantiles[1], profile.quantiles[3])
    with np.errstate(invalid="ignore"):
        outside: np.ndarray = (column.data < low) | (column.data > high)
    return outside


def quartile_outliers(context: Context) -> Iterator[Finding]:
    """Find outliers in columns of the interval and ratio level."""
    advice = "Check them: correct the errors and keep the true extremes; trees and rules are not affected by outliers."
    for name in context.inputs:
        profile = context.profiles[name]
        if not profile.n_outliers or profile.level not in ("interval", "ratio") or profile.n_distinct <= 10:
            continue
        low, high = quartile_fences(profile.quantiles[1], profile.quantiles[3])  # type: ignore[index]
        share = profile.n_outliers / profile.n_present
        yield Finding(
            "outliers",
            "low",
            f"{name}: {plural(profile.n_outliers, 'value')} ({share:.1%}) outside {low:.4g} … {high:.4g}",
            advice if low < high else "Half of the values are equal, so that every other value counts as an outlier.",
            (name,),
            listed_rows(outlier_mask(context.columns[name], profile)),
            profile.n_outliers,
            {"low": low, "high": high, "whiskers": list(profile.whiskers or ())},
        )


def forbidden_mask(column: Column, rule: Any) -> np.ndarray:
    """Return the rows whose value breaks a rule: (low, high), a set of allowed values, or a function of the values.

    Missing values break no rule.
    """
    if callable(rule):
        good = np.asarray(rule(column.values), dtype=bool)
        if good.shape != (len(column),):
            raise InputError(
                f"The rule of {column.name!r} returned the shape {good.shape}; it must return True or False per row."
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
            f"The rule of {column.name!r} is {rule!r}; give (low, high) for numbers, a set of allowed values, "
            "or a function."
        )
    low, high = rule
    # Comparing NaN warns; a missing value is no violation.
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
            shown = listed(dict.fromkeys(column.values[mask].tolist()), 5)
            yield Finding(
                "impossible",
                "high",
                f"{name}: {plural(count, 'value')} against the rule ({shown})",
                "Correct them at the source, or use clean(impossible='missing').",
                (column.name,),
                listed_rows(mask),
                count,
            )
