"""Checks of whole columns: constant, identifiers, values too coarse or too fine; and of the shape of the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.messages.message import Message, Number, Option, text
from vaglio.messages.options import as_input
from vaglio.messages.sentences import listed
from vaglio.quality.association import score_attribute
from vaglio.quality.checks.context import Context, Finding
from vaglio.quality.profile import Profile
from vaglio.table import Column

__all__ = [
    "coarse_numbers",
    "constant_columns",
    "fine_categories",
    "fine_numbers",
    "identifier_columns",
    "shape_of_table",
]

# With fewer rows, one value in all but one of them, or a different value in each, is not surprising.
_FEWEST_ROWS = 50
# From this share on, the most frequent value makes the column nearly constant.
_NEARLY_ALL = 0.99
# From this share of zeros on, a sparse matrix saves memory.
_MOSTLY_ZERO = 0.7
# Whole numbers with at most so many different values, each in so many rows on average, may be codes.
_FEW_VALUES, _ROWS_PER_VALUE = 10, 50
# From this share on, nearly all values of a column differ.
_NEARLY_DISTINCT = 0.9
# More decimals than this are the rounding of float64.
_MOST_DECIMALS = 12
# So many decimals more than needed are worth a word; and so much of the gain must be left without them.
_SURPLUS, _SAME_GAIN = 3, 0.98
# A dependence that chance gives less often than this is one.
_SURE = 0.01
# A category needs about this many rows before its classes can be counted; fewer categories are no burden.
_FEWEST_PER_CATEGORY, _MANY_CATEGORIES = 5, 20


def identifier_columns(context: Context) -> Iterator[Finding]:
    """Find columns almost without repeated values; those that are declared as identifiers are for information."""
    for name in context.columns:
        profile = context.profiles[name]
        if name == context.target or profile.role not in ("input", "identifier") or not context.differs_in_rows(name):
            continue
        left_out = profile.role == "identifier"
        exact = profile.n_distinct == profile.n_present
        given = {"column": name, "distinct": profile.n_distinct, "rows": profile.n_present}
        yield Finding(
            "identifier",
            "low" if left_out else "high",
            Message("identifier-column", "Column {column!r} is an identifier: all its {rows:,} values differ.", **given)
            if exact
            else Message(
                "near-identifier",
                "Column {column!r} is nearly an identifier: {distinct:,} different values in {rows:,} rows.",
                **given,
            ),
            text("It is left out of training. To keep it, set {option}.", option=as_input(name))
            if left_out
            else text(
                "It seems to tell most about the target but predicts nothing. Declare it an identifier: {option}.",
                option=Option("roles", {name: "identifier"}, flag=f"--identifier {name!r}"),
            ),
            (name,),
            n_rows=profile.n_present,
            details={"distinct": profile.n_distinct},
        )


def constant_columns(context: Context) -> Iterator[Finding]:
    """Find columns with one value, or with one value in nearly all rows."""
    for name in context.inputs:
        profile = context.profiles[name]
        if profile.n_distinct <= 1:
            message = (
                Message("empty-column", "Column {column!r} has only missing values.", column=name)
                if profile.n_distinct == 0
                else Message(
                    "constant-column", "Column {column!r} is always {value}.", column=name, value=_shown(profile.mode)
                )
            )
            advice = text("It tells nothing. Leave it out.")
            yield Finding("constant", "medium", message, advice, (name,))
        elif context.columns[name].asymmetric:
            continue  # its absence is meant to be frequent
        elif profile.n_present >= _FEWEST_ROWS and profile.mode_count >= _NEARLY_ALL * profile.n_present:
            others = profile.n_present - profile.mode_count
            yield Finding(
                "near-constant",
                "low",
                Message(
                    "near-constant-column",
                    "Column {column!r} is {value} in all but {n:,} of {total:,} rows.",
                    column=name,
                    value=_shown(profile.mode),
                    n=others,
                    total=profile.n_present,
                ),
                text("It seldom helps. Check whether the other values are errors."),
                (name,),
                n_rows=others,
            )


def _shown(value: object) -> str:
    return Number(f"{value:g}") if isinstance(value, float) else repr(value)


def shape_of_table(context: Context) -> Iterator[Finding]:
    """Find too many columns for the rows, and mostly zeros."""
    n = len(context.table)
    n_inputs = len(context.inputs) + (len(context.table.sparse.names) if context.table.sparse is not None else 0)
    if n_inputs > n / 5 and n_inputs > 20:
        yield Finding(
            "dimensionality",
            "medium" if n_inputs > n else "low",
            Message(
                "many-columns", "The table has {columns:,} input columns for {rows:,} rows.", columns=n_inputs, rows=n
            ),
            text(
                "With so many columns some fit the target by chance. Use a learner that selects attributes, and "
                "cross-validate."
            ),
        )
    numeric = [context.profiles[name] for name in context.inputs if context.profiles[name].kind == "numeric"]
    cells = sum(profile.n_present for profile in numeric)
    zeros = sum(profile.n_zero for profile in numeric)
    if cells and len(numeric) >= 5 and zeros > _MOSTLY_ZERO * cells:
        yield Finding(
            "sparsity",
            "low",
            Message("mostly-zeros", "{share:.0%} of the numbers are zero.", share=zeros / cells),
            text("If zero means absent, declare the columns asymmetric or pass the table as a sparse matrix."),
            tuple(profile.name for profile in numeric),
        )


def coarse_numbers(context: Context) -> Iterator[Finding]:
    """Find numbers with few different values."""
    profiles = (context.profiles[name] for name in context.inputs)
    coarse = [profile.name for profile in profiles if profile.kind == "numeric" and _is_coarse(profile)]
    if coarse:
        yield Finding(
            "resolution",
            "low",
            Message(
                "coarse-numbers",
                "Numeric columns with at most {most} different values: {columns}.",
                most=_FEW_VALUES,
                columns=listed(coarse, quoted=True),
            ),
            text(
                "They may be codes. If differences between them mean nothing, declare them nominal or ordinal "
                "({option}).",
                option=Option("levels"),
            ),
            tuple(coarse),
            details={"too": "coarse"},
        )


def _is_coarse(profile: Profile) -> bool:
    few = 2 < profile.n_distinct <= _FEW_VALUES and profile.whole
    return few and profile.n_present >= _ROWS_PER_VALUE * profile.n_distinct


def fine_numbers(context: Context) -> Iterator[Finding]:
    """Find numbers with more decimals than are needed to tell the classes apart, as well as with all of them."""
    found: dict[str, tuple[int, int]] = {}
    for name in context.inputs if context.classes is not None else ():
        profile = context.profiles[name]
        distinct = profile.n_present >= _FEWEST_ROWS and profile.n_distinct >= _NEARLY_DISTINCT * profile.n_present
        if profile.kind == "numeric" and distinct and not profile.whole and not context.columns[name].is_date:
            written, needed = _decimals(context, context.columns[name])
            if written - needed >= _SURPLUS:
                found[name] = (written, needed)
    if found:
        shown = listed(
            (
                text("{column!r} ({written}, {needed} are enough)", column=name, written=written, needed=needed)
                for name, (written, needed) in found.items()
            ),
            6,
        )
        yield Finding(
            "resolution",
            "low",
            Message(
                "fine-numbers",
                "More decimals than are needed to separate the classes{sampled}: {columns}.",
                sampled=context.sampled,
                columns=shown,
            ),
            text("The last digits are noise. Round them to keep thresholds and rules readable."),
            tuple(found),
            details={"too": "fine", "decimals": {name: list(pair) for name, pair in found.items()}},
        )


def _decimals(context: Context, column: Column) -> tuple[int, int]:
    """Return the decimals that are written, and those after which the gain of the column is as large."""
    assert context.classes is not None
    rows = context.sample[context.classes[0][context.sample] >= 0]
    values, classes = column.data[rows], context.classes[0][rows]
    present = values[~np.isnan(values)]
    written = next((d for d in range(_MOST_DECIMALS) if np.array_equal(present.round(d), present)), _MOST_DECIMALS)
    n_classes = len(context.classes[1])
    whole = score_attribute(column.replace(data=values, unread=None), classes, n_classes)
    if not whole.p_value < _SURE:
        return written, written
    for decimals in range(max(0, written - _SURPLUS) + 1):
        rounded = column.replace(data=values.round(decimals), unread=None)
        if score_attribute(rounded, classes, n_classes).gain >= _SAME_GAIN * whole.gain:
            return written, decimals
    return written, written


def fine_categories(context: Context) -> Iterator[Finding]:
    """Find categories with so few rows each that nothing can be counted, and times of which hardly any repeats."""
    for name in context.inputs:
        column, profile = context.columns[name], context.profiles[name]
        if profile.n_present < _FEWEST_ROWS or name in context.identifiers:
            continue
        if column.is_date and profile.n_distinct >= _NEARLY_DISTINCT * profile.n_present:
            message = Message(
                "distinct-dates",
                "Column {column!r}: {n:,} different points in time in {rows:,} rows.",
                column=name,
                n=profile.n_distinct,
                rows=profile.n_present,
            )
            advice = text("Derive what repeats: the month, the day of the week, the hour.")
        elif (
            profile.kind == "nominal"
            and profile.n_distinct >= _MANY_CATEGORIES
            and profile.n_present < _FEWEST_PER_CATEGORY * profile.n_distinct
        ):
            message = Message(
                "many-categories",
                "Column {column!r}: {n:,} different values in {rows:,} rows.",
                column=name,
                n=profile.n_distinct,
                rows=profile.n_present,
            )
            advice = text(
                "Group them (towns by region, products by kind): single values teach nothing. id3 and joint-bayes "
                "memorise them; other learners correct for chance."
            )
        else:
            continue
        yield Finding(
            "resolution",
            "low",
            message,
            advice,
            (name,),
            details={"too": "fine"},
        )
