"""One column of the table: its facts, and the counts that its picture is drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.messages.figures import figure, percent
from vaglio.messages.sentences import clip, plural
from vaglio.quality.profile import Profile
from vaglio.table import Column

__all__ = ["column_summary"]

# A histogram is 240 pixels wide: bins of ten pixels each.
_BINS = 24
# Categories with a bar of their own; more would make the card taller than its neighbours.
_MOST_BARS = 6


def column_summary(
    column: Column, profile: Profile, rows: np.ndarray, codes: np.ndarray, n_classes: int
) -> dict[str, Any]:
    """Facts and counts of a column.

    Parameters
    ----------
    column : Column
    profile : Profile
        What the audit measured about the column.
    rows : ndarray
        Positions of the rows that are counted for the picture.
    codes : ndarray
        Their classes, -1 where the class is missing; all 0 when the picture does not separate the classes.
    n_classes : int
    """
    summary: dict[str, Any] = {
        "name": clip(column.name, 48),
        "kind": "date" if column.is_date else "free text" if column.kind == "text" else _level(column),
        "missing": percent(profile.n_missing / profile.n, profile.n) if profile.n_missing else "",
        "facts": _facts(column, profile),
        "histogram": None,
        "bars": None,
    }
    if not profile.n_present or column.kind == "text":
        return summary
    if column.kind == "nominal":
        return summary | {"bars": _bars(column, rows, codes, n_classes)}
    return summary | {"histogram": _histogram(column, profile, rows, codes, n_classes)}


def _level(column: Column) -> str:
    return f"{column.level}, asymmetric" if column.asymmetric else column.level


def _facts(column: Column, profile: Profile) -> str:
    if not profile.n_present:
        return "every value is missing"
    if column.kind == "text":
        return plural(profile.n_distinct, "different text")
    if column.kind == "nominal":
        share = percent(profile.mode_count / profile.n_present, profile.n)
        return f"{plural(profile.n_distinct, 'value')}; most frequent {clip(profile.mode, 24)} ({share})"
    assert profile.quantiles is not None
    low, q1, median, q3, high = (_value_text(column, q) for q in profile.quantiles)
    if low == high:
        return f"always {low}"
    return f"median {median}, half of the values from {q1} to {q3}"


def _value_text(column: Column, value: float) -> str:
    if column.is_date:
        return str(np.datetime64(int(np.floor(value)), "D"))
    return figure(value)


def _bars(column: Column, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> dict[str, Any]:
    """The most frequent categories, each counted by class; ordered ones keep their order."""
    values = column.data[rows]
    known = (values >= 0) & (codes >= 0)
    cells = np.bincount(values[known] * n_classes + codes[known], minlength=len(column.categories) * n_classes)
    cells = cells.reshape(-1, n_classes)
    totals = cells.sum(axis=1)
    shown = np.argsort(-totals, kind="stable")[:_MOST_BARS]
    if column.level == "ordinal":
        shown = np.sort(shown)
    shown = shown[totals[shown] > 0]
    return {
        "values": [clip(column.categories[i], 22) for i in shown],
        "counts": cells[shown].tolist(),
        "more": int(np.count_nonzero(totals)) - len(shown),
    }


def _histogram(column: Column, profile: Profile, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> dict[str, Any]:
    values = column.data[rows]
    known = ~np.isnan(values) & (codes >= 0)
    edges, cut = _edges(profile)
    inside = np.clip(values[known], edges[0], edges[-1])
    # The last edge belongs to the last bin, as in every histogram.
    bins = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, len(edges) - 2)
    cells = np.bincount(codes[known] * (len(edges) - 1) + bins, minlength=n_classes * (len(edges) - 1))
    assert profile.quantiles is not None
    ends = (profile.quantiles[0], profile.quantiles[4]) if not cut else (edges[0], edges[-1])
    return {
        "counts": cells.reshape(n_classes, -1).tolist(),
        "low": _value_text(column, ends[0]),
        "high": _value_text(column, ends[1]),
        "cut": cut,
    }


def _edges(profile: Profile) -> tuple[np.ndarray, bool]:
    """Edges of the bins, and whether far values are counted in the first and last bin."""
    assert profile.quantiles is not None
    assert profile.whiskers is not None
    low, high = profile.quantiles[0], profile.quantiles[4]
    inner = profile.whiskers[1] - profile.whiskers[0]
    # Without this, one value far away would put all others into one bin.
    cut = inner > 0 and high - low > 4 * inner
    if cut:
        low, high = max(low, profile.whiskers[0] - inner / 2), min(high, profile.whiskers[1] + inner / 2)
    if profile.whole and high - low < _BINS:
        return np.arange(np.floor(low), np.floor(high) + 2) - 0.5, cut
    if not high > low or not np.isfinite(high - low):
        return np.array([low - 0.5, low + 0.5]), False
    return np.linspace(low, high, _BINS + 1), cut
