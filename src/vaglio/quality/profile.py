"""What one look at a column tells: counts, order statistics, the commonest value.

A numeric column is sorted once and everything is read off the sorted values, so that quartiles and distinct counts
are exact at millions of rows; the sorted copy is dropped at once, so that memory stays at one column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.table import Column

__all__ = ["Profile", "profile_column", "quartile_fences", "run_lengths"]


@dataclass(frozen=True)
class Profile:
    """Facts about one column; ``quantiles`` are minimum, quartiles and maximum of a numeric one."""

    name: str
    kind: str
    level: str
    role: str
    n: int
    n_missing: int
    n_distinct: int
    mode: Any
    mode_count: int
    quantiles: tuple[float, float, float, float, float] | None = None
    whiskers: tuple[float, float] | None = None
    n_outliers: int = 0
    n_zero: int = 0
    whole: bool = False
    spacing: float = float("nan")
    extremes: tuple[tuple[float, int], ...] = ()
    counts: np.ndarray | None = None

    @property
    def n_present(self) -> int:
        return self.n - self.n_missing


def quartile_fences(q1: float, q3: float) -> tuple[float, float]:
    """Beyond these a value is an outlier: Q1 − 1.5·IQR and Q3 + 1.5·IQR (D4)."""
    reach = 1.5 * (q3 - q1)
    return q1 - reach, q3 + reach


def run_lengths(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start of each run of equal values, and how long it is."""
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return starts, np.diff(np.append(starts, len(ordered)))


def profile_column(column: Column) -> Profile:
    """Look at a column once."""
    common: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "level": column.level,
        "role": column.role,
        "n": len(column),
    }
    if column.kind == "numeric":
        return _numeric(column, common)
    if column.kind == "nominal":
        counts = np.bincount(column.data + 1, minlength=len(column.categories) + 1)
        missing, counts = int(counts[0]), counts[1:]
        top = int(counts.argmax()) if counts.size else 0
        return Profile(
            **common,
            n_missing=missing,
            n_distinct=int(np.count_nonzero(counts)),
            mode=column.categories[top] if counts.size and counts[top] else None,
            mode_count=int(counts[top]) if counts.size else 0,
            counts=counts,
        )
    present = [value for value in column.data.tolist() if value is not None]
    tally: dict[str, int] = {}
    for value in present:
        tally[value] = tally.get(value, 0) + 1
    mode = max(tally, key=tally.__getitem__) if tally else None
    return Profile(
        **common,
        n_missing=len(column) - len(present),
        n_distinct=len(tally),
        mode=mode,
        mode_count=tally[mode] if mode is not None else 0,
    )


def _numeric(column: Column, common: dict[str, Any]) -> Profile:
    # NaN sorts to the end: one copy serves both to drop the missing values and to order the others.
    ordered = np.sort(column.data)
    n = int(np.searchsorted(ordered, np.nan))
    ordered = ordered[:n]
    missing = len(column) - n
    if n == 0:
        return Profile(**common, n_missing=missing, n_distinct=0, mode=None, mode_count=0)
    starts, lengths = run_lengths(ordered)
    top = int(lengths.argmax())
    q = np.quantile(ordered, [0, 0.25, 0.5, 0.75, 1]) if n < 1000 else _quantiles_of_sorted(ordered)
    low, high = quartile_fences(q[1], q[3])
    first, last = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    zero = np.searchsorted(ordered, [0, 0], "left")[0], np.searchsorted(ordered, 0, "right")
    distinct = ordered[starts]
    ends = sorted({*range(min(3, len(starts))), *range(max(0, len(starts) - 3), len(starts))})
    return Profile(
        **common,
        n_missing=missing,
        n_distinct=len(starts),
        mode=float(distinct[top]),
        mode_count=int(lengths[top]),
        quantiles=tuple(map(float, q)),  # type: ignore[arg-type]
        whiskers=(float(ordered[first]), float(ordered[last - 1])),
        n_outliers=int(n - (last - first)),
        n_zero=int(zero[1] - zero[0]),
        whole=_all_whole(distinct),
        spacing=_usual_step(distinct),
        extremes=tuple((float(distinct[i]), int(lengths[i])) for i in ends),
    )


def _usual_step(distinct: np.ndarray) -> float:
    """Median distance between neighbouring values; of many, between some thousand pairs of neighbours."""
    if len(distinct) < 3:
        return float("nan")
    at = np.arange(0, len(distinct) - 1, max(1, len(distinct) // 5000))
    return float(np.median(distinct[at + 1] - distinct[at]))


def _all_whole(distinct: np.ndarray) -> bool:
    # Most columns of fractions show it in their first values: look at all only when those are whole.
    head = distinct[:1000]
    return bool((head == np.floor(head)).all() and (distinct == np.floor(distinct)).all())


def _quantiles_of_sorted(ordered: np.ndarray) -> np.ndarray:
    """Quartiles by linear interpolation, as NumPy's default, without sorting again."""
    at = np.array([0, 0.25, 0.5, 0.75, 1]) * (len(ordered) - 1)
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])
