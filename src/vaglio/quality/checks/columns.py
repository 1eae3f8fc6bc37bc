"""Columns that say nothing, that name the row, that are coarse, and tables of an awkward shape."""

from __future__ import annotations

from collections.abc import Iterator

from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding

__all__ = ["constant_columns", "identifier_columns", "shape_of_table"]


def identifier_columns(context: Context) -> Iterator[Finding]:
    """Columns with hardly a value twice, not yet declared identifiers."""
    for name in context.identifiers:
        profile = context.profiles[name]
        if profile.role == "identifier":
            continue
        exact = profile.n_distinct == profile.n_present
        yield Finding(
            "identifier",
            "high",
            f"{name}: {'' if exact else 'all but '}an identifier ({profile.n_distinct} values in "
            f"{profile.n_present} rows)",
            "It has the largest information gain and predicts nothing: give it the role 'identifier'.",
            (name,),
            n_rows=profile.n_present,
            details={"distinct": profile.n_distinct},
        )


def constant_columns(context: Context) -> Iterator[Finding]:
    """One value only, or one value nearly always."""
    for name in context.inputs:
        profile = context.profiles[name]
        if profile.n_distinct <= 1:
            what = "has no value at all" if profile.n_distinct == 0 else f"is always {_shown(profile.mode)}"
            advice = "It cannot help to tell classes apart: leave it out."
            yield Finding("constant", "medium", f"{name} {what}", advice, (name,))
        elif profile.n_present >= 50 and profile.mode_count >= 0.99 * profile.n_present:
            others = profile.n_present - profile.mode_count
            yield Finding(
                "near-constant",
                "low",
                f"{name} is {_shown(profile.mode)} in all but {others} of {profile.n_present} rows",
                "It rarely helps; look whether the others are errors.",
                (name,),
                n_rows=others,
            )


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def shape_of_table(context: Context) -> Iterator[Finding]:
    """Dimensionality, sparsity, resolution."""
    n = len(context.table)
    n_inputs = len(context.inputs) + (len(context.table.sparse.names) if context.table.sparse is not None else 0)
    if n_inputs > n / 5 and n_inputs > 20:
        yield Finding(
            "dimensionality",
            "medium" if n_inputs > n else "low",
            f"{n_inputs} input columns for {n} rows",
            "With so many columns some fit by chance: prefer learners that choose attributes, and cross-validate.",
        )
    numeric = [context.profiles[name] for name in context.inputs if context.profiles[name].kind == "numeric"]
    cells = sum(profile.n_present for profile in numeric)
    zeros = sum(profile.n_zero for profile in numeric)
    if cells and len(numeric) >= 5 and zeros > 0.7 * cells:
        yield Finding(
            "sparsity",
            "low",
            f"{zeros / cells:.0%} of the numbers are zero",
            "If zero means absence, mark the columns asymmetric, or hand the table over as a sparse matrix.",
            tuple(profile.name for profile in numeric),
        )
    coarse = [
        profile.name
        for profile in numeric
        if 2 < profile.n_distinct <= 10 and profile.whole and profile.n_present >= 50 * profile.n_distinct
    ]
    if coarse:
        yield Finding(
            "resolution",
            "low",
            f"{', '.join(coarse)}: numbers with at most 10 different values",
            "They may be codes: declare the level (nominal or ordinal) if their differences mean nothing.",
            tuple(coarse),
        )
