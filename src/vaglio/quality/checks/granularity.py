"""Resolution: values so coarse that they may be codes, and values finer than what they tell about the class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vaglio.messages.sentences import listed
from vaglio.quality.checks.context import Context
from vaglio.quality.checks.finding import Finding
from vaglio.quality.exploration.ranking import score_attribute
from vaglio.quality.profile import Profile
from vaglio.table import Column

__all__ = ["coarse_numbers", "fine_categories", "fine_numbers"]

# Whole numbers with at most so many different values, each in so many rows on average, may be codes.
_FEW_VALUES, _ROWS_PER_VALUE = 10, 50
# From this share on, nearly all values of a column differ.
_NEARLY_ALL = 0.9
# In a smaller table values differ by chance.
_FEWEST_ROWS = 50
# More decimals than this are the rounding of float64.
_MOST_DECIMALS = 12
# So many decimals more than needed are worth a word; and so much of the gain must be left without them.
_SURPLUS, _SAME_GAIN = 3, 0.98
# A dependence that chance gives less often than this is one.
_SURE = 0.01
# A category needs about this many rows before its classes can be counted; fewer categories are no burden.
_FEWEST_PER_CATEGORY, _MANY_CATEGORIES = 5, 20


def coarse_numbers(context: Context) -> Iterator[Finding]:
    """Find numbers with few different values."""
    profiles = (context.profiles[name] for name in context.inputs)
    coarse = [profile.name for profile in profiles if profile.kind == "numeric" and _is_coarse(profile)]
    if coarse:
        yield Finding(
            "resolution",
            "low",
            f"{listed(coarse)}: numbers with at most {_FEW_VALUES} different values",
            "They may be codes: declare the level (nominal or ordinal) if their differences mean nothing.",
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
        distinct = profile.n_present >= _FEWEST_ROWS and profile.n_distinct >= _NEARLY_ALL * profile.n_present
        if profile.kind == "numeric" and distinct and not profile.whole and not context.columns[name].is_date:
            written, needed = _decimals(context, context.columns[name])
            if written - needed >= _SURPLUS:
                found[name] = (written, needed)
    if found:
        shown = listed((f"{name} ({written}, {needed} are enough)" for name, (written, needed) in found.items()), 6)
        yield Finding(
            "resolution",
            "low",
            f"more decimals than tell the classes apart{context.sampled}: {shown}",
            "The last digits are noise to a model: round them, so that thresholds and rules stay readable.",
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
        if column.is_date and profile.n_distinct >= _NEARLY_ALL * profile.n_present:
            what, advice = "points in time", "Derive what repeats: the month, the day of the week, the hour."
        elif (
            profile.kind == "nominal"
            and profile.n_distinct >= _MANY_CATEGORIES
            and profile.n_present < _FEWEST_PER_CATEGORY * profile.n_distinct
        ):
            what = "values"
            advice = (
                "Group them (towns by region, products by kind): single values teach nothing. id3 and joint-bayes "
                "learn them by heart; other learners correct for chance."
            )
        else:
            continue
        yield Finding(
            "resolution",
            "low",
            f"{name}: {profile.n_distinct:,} different {what} in {profile.n_present:,} rows",
            advice,
            (name,),
            details={"too": "fine"},
        )
