"""What the measurement level of a column permits: its statistics, and the changes of values that keep their meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vaglio.encode import presence
from vaglio.errors import InputError
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.quality.profile import Profile, profile_column
from vaglio.table import Column

__all__ = [
    "PERMITTED",
    "PERMITTED_TRANSFORMATIONS",
    "check_transformation",
    "describe",
    "describe_profile",
    "entropy_bits",
    "permitted_statistics",
    "statistic",
    "transform",
]

# Each level permits the statistics of the levels before it, and adds its own.
_ADDED: dict[str, tuple[str, ...]] = {
    "nominal": ("mode", "entropy"),
    "ordinal": ("min", "q1", "median", "q3", "max"),
    "interval": ("mean", "deviation"),
    "ratio": ("geometric_mean", "harmonic_mean", "variation"),
}
_ORDER = tuple(_ADDED)
# Past this many different numbers the entropy says only that the numbers differ.
_MOST_COUNTED = 1000
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
PERMITTED = {
    level: tuple(name for below in _ORDER[: i + 1] for name in _ADDED[below]) for i, level in enumerate(_ORDER)
}
PERMITTED_TRANSFORMATIONS = {
    "nominal": text("a renaming that keeps different values different"),
    "ordinal": text("a transformation that keeps the order"),
    "interval": "a·x + b with a > 0",
    "ratio": "a·x with a > 0",
}


def permitted_statistics(level: str) -> tuple[str, ...]:
    """Return the names of the statistics that a level permits.

    Parameters
    ----------
    level : {"nominal", "ordinal", "interval", "ratio"}

    Examples
    --------
    >>> permitted_statistics("ordinal")
    ('mode', 'entropy', 'min', 'q1', 'median', 'q3', 'max')
    """
    if level not in PERMITTED:
        raise InputError(
            "unknown-level", "There is no level {level!r}; {hint}", level=level, hint=did_you_mean(level, _ORDER)
        )
    return PERMITTED[level]


def entropy_bits(counts: np.ndarray) -> float:
    """Return the entropy of a distribution in bits.

    >>> round(entropy_bits(np.array([9, 5])), 4)
    0.9403
    """
    counts = np.asarray(counts, dtype=np.float64)
    share = counts[counts > 0] / counts.sum()
    # Adding zero turns −0.0 into 0.0.
    return float(-(share * np.log2(share)).sum()) + 0.0


def statistic(column: Column, name: str) -> Any:
    """Return one statistic of a column, or raise an error if the level does not permit it.

    Parameters
    ----------
    column : Column
    name : str
        See :func:`permitted_statistics`; or a percentile, such as "p90" or "p2.5", where the median is permitted.

    Examples
    --------
    >>> from vaglio.table import Column
    >>> statistic(Column.numeric("length", [1.0, 2.0, 4.0, 8.0, 9.0]), "p75")
    8.0
    """
    percent = _percent(name)
    allowed = _permitted(column)
    if ("median" if percent is not None else name) not in allowed:
        what = text("an identifier") if column.role == "identifier" else column.level
        raise InputError(
            "statistic-not-permitted",
            "Column {name!r} is {what} and has no {name2}; it has {allowed}.",
            name=column.name,
            what=what,
            name2=name,
            allowed=listed(allowed),
        )
    if percent is None:
        return describe(column)[name]
    return _at(column, profile_column(column), percent / 100)


def _permitted(column: Column) -> tuple[str, ...]:
    """Return the statistics of a column: an identifier names its row, and even if it is a number it has no mean."""
    return PERMITTED["nominal"] if column.role == "identifier" else permitted_statistics(column.level)


def _percent(name: str) -> float | None:
    found = _PERCENTILE.fullmatch(name)
    if found and not 0 <= float(found[1]) <= 100:
        raise InputError(
            "percentile-out-of-range", "A percentile must be between p0 and p100, not {name!r}.", name=name
        )
    return float(found[1]) if found else None


def describe(column: Column, percentiles: Sequence[float] = ()) -> dict[str, Any]:
    """Return all statistics that the level of a column permits.

    Parameters
    ----------
    column : Column
    percentiles : sequence of float
        Further percentiles, from 0 to 100.

    Examples
    --------
    >>> from vaglio.table import Column
    >>> facts = describe(Column.numeric("length", [1.0, 2.0, 4.0]))
    >>> facts["median"], round(facts["geometric_mean"], 6), round(facts["harmonic_mean"], 4)
    (2.0, 2.0, 1.7143)
    """
    return describe_profile(column, profile_column(column), percentiles)


def describe_profile(column: Column, profile: Profile, percentiles: Sequence[float] = ()) -> dict[str, Any]:
    """Return the same as :func:`describe`, from a profile that was computed before."""
    wanted = {f"p{percent:g}": _percent(f"p{percent:g}") for percent in percentiles}
    facts: dict[str, Any] = {
        "column": column.name,
        "level": f"{column.level}, asymmetric" if column.asymmetric else column.level,
        "values": column.variety,
        "role": column.role,
        "rows": profile.n,
        "missing": profile.n_missing,
        "distinct": profile.n_distinct,
    }
    if column.unit:
        facts["unit"] = column.unit
    if column.kind == "text" or not profile.n_present:
        return facts
    if column.asymmetric:
        facts["present"] = int(presence(column).sum())
    allowed = _permitted(column)
    facts |= {name: _COMPUTE[name](column, profile) for name in allowed}
    if "median" in allowed:
        facts |= {name: _at(column, profile, percent / 100) for name, percent in wanted.items() if percent is not None}
    return facts


def _present(column: Column) -> np.ndarray:
    present: np.ndarray = column.data[~column.missing]
    return present


def _entropy(column: Column, profile: Profile) -> float:
    if profile.counts is not None:
        return entropy_bits(profile.counts)
    if profile.n_distinct > _MOST_COUNTED:
        return float("nan")
    return entropy_bits(np.unique(_present(column), return_counts=True)[1])


def _quantile(which: int) -> Callable[[Column, Profile], Any]:
    def compute(column: Column, profile: Profile) -> Any:
        if profile.quantiles is not None:
            return profile.quantiles[which]
        return _at(column, profile, (0, 0.25, 0.5, 0.75, 1)[which])

    return compute


def _at(column: Column, profile: Profile, share: float) -> Any:
    """Return the value below which a share of the values lies; None without values."""
    if not profile.n_present:
        return None
    if column.kind == "numeric":
        return float(np.quantile(_present(column), share))
    # The median of ordered categories is a category, never a mean of two.
    cumulative = np.cumsum(np.asarray(profile.counts))
    return column.categories[int(np.searchsorted(cumulative, share * (cumulative[-1] - 1), side="right"))]


def _positive(column: Column) -> np.ndarray | None:
    """Return the values if all are above zero; else None, because their geometric and harmonic mean mean nothing."""
    values = _present(column)
    return values if values.size and values.min() > 0 else None


def _geometric(column: Column, profile: Profile) -> float | None:
    values = _positive(column)
    return None if values is None else float(np.exp(np.log(values).mean()))


def _harmonic(column: Column, profile: Profile) -> float | None:
    values = _positive(column)
    return None if values is None else float(1 / (1 / values).mean())


def _deviation(column: Column, profile: Profile) -> float | None:
    values = _present(column)
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _variation(column: Column, profile: Profile) -> float | None:
    values = _present(column)
    mean = float(values.mean())
    return float(values.std(ddof=1) / mean) if len(values) > 1 and mean > 0 else None


_COMPUTE: dict[str, Callable[[Column, Profile], Any]] = {
    "mode": lambda column, profile: profile.mode,
    "entropy": _entropy,
    "min": _quantile(0),
    "q1": _quantile(1),
    "median": _quantile(2),
    "q3": _quantile(3),
    "max": _quantile(4),
    "mean": lambda column, profile: float(_present(column).mean()),
    "deviation": _deviation,
    "geometric_mean": _geometric,
    "harmonic_mean": _harmonic,
    "variation": _variation,
}


def check_transformation(level: str, before: Any, after: Any) -> None:
    """Raise an error unless the level permits the change from ``before`` to ``after``.

    Parameters
    ----------
    level : {"nominal", "ordinal", "interval", "ratio"}
    before, after : array-like
        The values before and after the change, one by one.

    Examples
    --------
    >>> check_transformation("interval", [0, 10, 20], [32, 50, 68])
    >>> check_transformation("ratio", [0, 10, 20], [32, 50, 68])
    Traceback (most recent call last):
    ...
    vaglio.errors.InputError: The ratio level permits only a·x with a > 0; this transformation is something else.
    """
    if level not in PERMITTED_TRANSFORMATIONS:
        raise InputError(
            "unknown-level",
            "There is no level {level!r}; {hint}",
            level=level,
            hint=did_you_mean(level, PERMITTED_TRANSFORMATIONS),
        )
    old, new = np.asarray(before), np.asarray(after)
    if old.shape != new.shape or old.ndim != 1:
        raise InputError(
            "transformation-shapes",
            "The values have the shape {shape} before and {shape2} after. Pass two flat lists of equal length.",
            shape=old.shape,
            shape2=new.shape,
        )
    if not _CHECKS[level](old, new):
        raise InputError(
            "transformation-not-permitted",
            "The {level} level permits only {permitted_transformations}; this transformation is something else.",
            level=level,
            permitted_transformations=PERMITTED_TRANSFORMATIONS[level],
        )


def _one_to_one(old: np.ndarray, new: np.ndarray) -> bool:
    pairs = set(zip(old.tolist(), new.tolist(), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _increasing(old: np.ndarray, new: np.ndarray) -> bool:
    order = np.argsort(old, kind="stable")
    old, new = old[order], new[order]
    rises, risen = old[1:] > old[:-1], new[1:] > new[:-1]
    return bool((rises == risen).all() and (new[1:] >= new[:-1]).all())


def _affine(old: np.ndarray, new: np.ndarray) -> bool:
    low, high = int(np.argmin(old)), int(np.argmax(old))
    if old[low] == old[high]:
        return bool(np.ptp(new.astype(float)) == 0)
    slope = (new[high] - new[low]) / (old[high] - old[low])
    expected = new[low] + slope * (old - old[low])
    return bool(slope > 0 and np.allclose(new, expected, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(new).max()))))


def _scaling(old: np.ndarray, new: np.ndarray) -> bool:
    at = int(np.argmax(np.abs(old)))
    if old[at] == 0:
        return bool((new == 0).all())
    factor = new[at] / old[at]
    return bool(factor > 0 and np.allclose(new, factor * old, rtol=1e-9, atol=1e-12 * abs(float(new[at]))))


_CHECKS = {"nominal": _one_to_one, "ordinal": _increasing, "interval": _affine, "ratio": _scaling}


def transform(column: Column, function: Callable[[Any], Any]) -> Column:
    """Apply a function to the values of a column, if its level permits what the function does.

    Missing values stay missing.

    Parameters
    ----------
    column : Column
    function : callable
        For a numeric column from an array to an array, for a nominal one from a category to a category.

    Examples
    --------
    >>> metres = transform(Column.numeric("cm", [100.0, 250.0]), lambda cm: cm / 100)
    >>> metres.data.tolist()
    [1.0, 2.5]
    """
    if column.kind == "text":
        raise InputError(
            "text-without-level", "Column {name!r} is text and has no measurement level.", name=column.name
        )
    if column.kind == "nominal":
        renamed = [function(value) for value in column.categories]
        ranks = np.arange(len(renamed))
        # Ordinal categories are ordered by their position, which renaming does not change.
        check_transformation("nominal", ranks, np.array([str(value) for value in renamed]))
        return column.replace(categories=tuple(renamed))
    present = ~column.missing
    changed = np.asarray(function(column.data[present]), dtype=np.float64)
    check_transformation(column.level, column.data[present], changed)
    data = np.full(len(column), np.nan)
    data[present] = changed
    return column.replace(data=data)
