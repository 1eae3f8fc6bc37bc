"""Checks of whole columns: constant ones, identifiers; and of the shape of the table."""

from __future__ import annotations

from collections.abc import Iterator

from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding

__all__ = ["constant_columns", "identifier_columns", "shape_of_table"]

# With fewer rows, one value in all but one of them is no surprise.
_FEWEST_ROWS = 50
# From this share on, the most frequent value makes the column nearly constant.
_NEARLY_ALL = 0.99
# From this share of zeros on, a sparse matrix saves memory.
_MOSTLY_ZERO = 0.7


def identifier_columns(context: Context) -> Iterator[Finding]:
    """Find columns almost without repeated values that are not declared as identifiers."""
    for name in context.identifiers:
        profile = context.profiles[name]
        if profile.role == "identifier":
            continue
        exact = profile.n_distinct == profile.n_present
        yield Finding(
            "identifier",
            "high",
            f"{name}: {'' if exact else 'nearly '}an identifier ({profile.n_distinct:,} values in "
            f"{profile.n_present:,} rows)",
            "It has the largest information gain and predicts nothing: give it the role 'identifier'.",
            (name,),
            n_rows=profile.n_present,
            details={"distinct": profile.n_distinct},
        )


def constant_columns(context: Context) -> Iterator[Finding]:
    """Find columns with one value, or with one value in nearly all rows."""
    for name in context.inputs:
        profile = context.profiles[name]
        if profile.n_distinct <= 1:
            what = "has no value at all" if profile.n_distinct == 0 else f"is always {_shown(profile.mode)}"
            advice = "It cannot separate the classes: leave it out."
            yield Finding("constant", "medium", f"{name} {what}", advice, (name,))
        elif profile.n_present >= _FEWEST_ROWS and profile.mode_count >= _NEARLY_ALL * profile.n_present:
            others = profile.n_present - profile.mode_count
            yield Finding(
                "near-constant",
                "low",
                f"{name} is {_shown(profile.mode)} in all but {others:,} of {profile.n_present:,} rows",
                "It seldom helps; check whether the other values are errors.",
                (name,),
                n_rows=others,
            )


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def shape_of_table(context: Context) -> Iterator[Finding]:
    """Find too many columns for the rows, and mostly zeros."""
    n = len(context.table)
    n_inputs = len(context.inputs) + (len(context.table.sparse.names) if context.table.sparse is not None else 0)
    if n_inputs > n / 5 and n_inputs > 20:
        yield Finding(
            "dimensionality",
            "medium" if n_inputs > n else "low",
            f"{n_inputs} input columns for {n} rows",
            "With so many columns some fit by chance: use learners that select attributes, and cross-validate.",
        )
    numeric = [context.profiles[name] for name in context.inputs if context.profiles[name].kind == "numeric"]
    cells = sum(profile.n_present for profile in numeric)
    zeros = sum(profile.n_zero for profile in numeric)
    if cells and len(numeric) >= 5 and zeros > _MOSTLY_ZERO * cells:
        yield Finding(
            "sparsity",
            "low",
            f"{zeros / cells:.0%} of the numbers are zero",
            "If zero means absence, declare the columns asymmetric, or give the table as a sparse matrix.",
            tuple(profile.name for profile in numeric),
        )
