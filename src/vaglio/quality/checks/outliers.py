"""Unusual values and rows: far from the quartiles of their column, forbidden by a rule, or unlike their class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier
from vaglio.messages.sentences import listed, plural
from vaglio.quality.checks.context import Context, Finding, listed_rows
from vaglio.quality.profile import Profile, quartile_fences, sample_rows
from vaglio.table import Column

__all__ = ["forbidden_mask", "forbidden_values", "forest_outliers", "outlier_mask", "quartile_outliers"]

# The similarities of all pairs of rows take more time than the rest of an audit; larger tables are sampled.
# With fewer than the second number a forest learns too little.
_MAX_ROWS = 5000
_MIN_ROWS = 50
# Scores are measured in mean absolute deviations from the median of the class; Breiman takes 10 for an outlier.
_LIMIT = 10.0


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
                "rule-returned-shape-must",
                "The rule of {name!r} returned the shape {shape}; it must return True or False per row.",
                name=column.name,
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
            "rule-give-low-high",
            "The rule of {name!r} is {rule!r}; give (low, high) for numbers, a set of allowed values, or a function.",
            name=column.name,
            rule=rule,
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


def forest_outliers(context: Context) -> Iterator[Finding]:
    """Find rows whose outlier score is far above the median of their class."""
    if context.classes is None:
        return
    codes = np.asarray(context.classes[0])
    rows = sample_rows(np.flatnonzero(codes >= 0), _MAX_ROWS, context.seed)
    names = [
        name for name in context.inputs if name not in context.identifiers and context.columns[name].kind != "text"
    ]
    classes = codes[rows]
    if len(rows) < _MIN_ROWS or not names or len(np.unique(classes)) < 2:
        return
    X = context.table.select(names)[rows]
    forest = RandomForestClassifier(n_estimators=50, random_state=context.seed, n_jobs=context.n_jobs)
    strange = standardised(forest.fit(X, classes).outlier_scores(X, classes), classes)
    order = np.argsort(-strange, kind="stable")
    found = rows[order][strange[order] > _LIMIT]
    if not len(found):
        return
    sampled = f" (of a sample of {len(rows):,} rows)" if len(rows) < len(context.table) else ""
    shown = listed((found + 1).tolist(), 8)  # counted from 1, as an editor counts
    yield Finding(
        "forest-outliers",
        "low",
        f"{plural(len(found), 'row')} unlike the others of the class{sampled}, the most unusual first: {shown}",
        "Check them for a wrong label or a wrong value.",
        (context.target,) if context.target else (),
        listed_rows(found),
        len(found),
        {"scores": strange[order][: min(len(found), 50)].tolist(), "sample": len(rows)},
    )


def standardised(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the distance from the median of the class, in mean absolute deviations from it.

    >>> standardised(np.array([1.0, 2.0, 3.0, 50.0]), np.zeros(4, dtype=int)).round(1).tolist()
    [-0.1, -0.0, 0.0, 3.8]
    """
    out = np.zeros(len(scores))
    for code in np.unique(classes):
        members = classes == code
        part = scores[members] - np.median(scores[members])
        spread = float(np.abs(part).mean())
        out[members] = part / spread if spread > 0 else 0.0
    return out
