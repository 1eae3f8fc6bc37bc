"""What checks and figures share: samples of rows, codes of values for counting, and the facts about one column."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.table import Column, Table

__all__ = [
    "SAMPLE_ROWS",
    "Profile",
    "contingency",
    "distinct_codes",
    "profile_column",
    "quartile_fences",
    "run_lengths",
    "sample_rows",
    "sample_table",
    "value_codes",
]

# The standard error of a share measured on this many rows is below 0.3 percentage points.
SAMPLE_ROWS = 50_000
# Below this many rows NumPy's own quantiles are as fast, and need no explanation.
_FEW_ROWS = 1000
# Smallest and largest distinct values that are kept: enough to see whether one of them stands apart.
_ENDS = 3
# Neighbouring values whose distance is measured; the median of more is the same.
_MOST_STEPS = 5000
# How often a side of a clean column may have far values: in tiny tables more often, since a person sees all their rows.
_FALSE_ALARM, _FALSE_ALARMS_OF_ROWS = 0.005, 0.12
# The part of a side that shows its tail, the largest share of all values that may be far, and the rows of a window.
_TAIL, _MOST_FAR, _FEWEST_OF_TAIL = 1 / 6, 0.05, 8
# Before values are seen, a tail is taken for a heavy one (the index of a Pareto distribution with power 2.5), with the
# weight of 20 values; and how much faster than this a tail of normal numbers thins out towards its end.
_TAIL_INDEX, _TAIL_WEIGHT, _LIGHTER, _DEEP = 0.4, 20, 0.5, np.exp(-4)
# Over all ranks, 1/rank² sums to this: what each rank may contribute to the false alarms of both sides.
_RANKS = np.pi**2 / 6


def distinct_codes(values: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each value, and the distinct values in ascending order.

    >>> codes, distinct = distinct_codes(np.array(["b", "a", "b"]), np.array([False, False, True]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, -1], ['a', 'b'])
    """
    codes = np.full(len(values), -1, dtype=np.int64)
    distinct, codes[~missing] = np.unique(values[~missing], return_inverse=True)
    return codes, distinct


def value_codes(column: Column, max_bins: int = 10) -> np.ndarray:
    """Return the code of each value; a column of more than ``max_bins`` different numbers is cut at quantiles."""
    if column.kind == "nominal":
        return column.data.astype(np.int64)
    missing = column.missing
    codes, distinct = distinct_codes(column.data, missing)
    if column.kind == "text" or len(distinct) <= max_bins:
        return codes
    values = column.data[~missing]
    edges = np.unique(np.quantile(values, np.linspace(0, 1, max_bins + 1)[1:-1]))
    codes[~missing] = np.searchsorted(edges, values, side="left")
    return codes


def contingency(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return how often each pair of codes occurs, without empty rows and columns; missing values are not counted."""
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    if not len(a):
        return np.zeros((0, 0), dtype=np.int64)
    width = int(b.max()) + 1
    # One number per pair of codes: counting numbers is much faster than counting pairs.
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width)
    filled: np.ndarray = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled


def sample_rows(rows: np.ndarray, most: int, seed: int) -> np.ndarray:
    """Return at most so many of the row numbers, drawn without replacement, in ascending order.

    >>> sample_rows(np.arange(100), 3, seed=0).tolist()
    [51, 63, 83]
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def sample_table(table: Table, seed: int, most: int = SAMPLE_ROWS) -> Table:
    """Return the table itself, or a sample of its rows if it has more than ``most``."""
    if len(table) <= most:
        return table
    return table.take(sample_rows(np.arange(len(table)), most, seed))


@dataclass(frozen=True)
class Profile:
    """Facts about one column.

    Attributes
    ----------
    name, kind, level, role : str
        As those of the column.
    n, n_missing, n_distinct : int
        Rows, missing values, different values.
    mode, mode_count
        The most frequent value and how often it occurs.
    quantiles : tuple of 5 float, or None
        Minimum, quartiles and maximum of a numeric column.
    whiskers : (float, float) or None
        The smallest and the largest value that is no outlier.
    n_outliers, n_zero : int
        Values outside the fences; zeros.
    fences : (float, float) or None
        Values outside are outliers: Q1 − 1.5·IQR and Q3 + 1.5·IQR. Where both quartiles are equal, only far values are.
    far : tuple of float
        The smallest and the largest of the values that are far from all others: outliers that the shape of the
        distribution does not explain.
    n_far : int
        How many they are.
    whole : bool
        All numbers are whole.
    spacing : float
        The median distance between neighbouring values.
    extremes : tuple of (value, count)
        The smallest and the largest values.
    counts : ndarray or None
        Rows per category of a nominal column.
    """

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
    fences: tuple[float, float] | None = None
    far: tuple[float, ...] = ()
    n_far: int = 0
    whole: bool = False
    spacing: float = float("nan")
    extremes: tuple[tuple[float, int], ...] = ()
    counts: np.ndarray | None = None

    @property
    def n_present(self) -> int:
        """Number of values that are not missing."""
        return self.n - self.n_missing


def quartile_fences(q1: float, q3: float) -> tuple[float, float]:
    """Return the limits beyond which a value is an outlier: Q1 − 1.5·IQR and Q3 + 1.5·IQR."""
    reach = 1.5 * (q3 - q1)
    return q1 - reach, q3 + reach


def far_values(ordered: np.ndarray, median: float, step: float = 0.0) -> tuple[int, int]:
    """Return how many of the smallest and of the largest values are far from all others.

    Each side of the median is judged by its own tail, so that neither skewed nor heavy-tailed numbers count as far.
    If the distances from the median have a Pareto tail, the logarithms of the gaps between them, times their ranks,
    are exponential with the tail index as mean; thinner tails have smaller gaps. A gap that this hardly ever gives
    separates far values from the others.

    Parameters
    ----------
    ordered : ndarray
    median : float
    step : float, default=0
        The usual distance of neighbouring values, if some are equal: they are taken for rounded ones.

    Examples
    --------
    >>> far_values(np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 30.0]), 5.5)
    (0, 1)
    """
    sides = (
        median - ordered[: np.searchsorted(ordered, median, "left")],
        ordered[np.searchsorted(ordered, median, "right") :][::-1] - median,
    )
    return _n_far(sides[0], len(ordered), step), _n_far(sides[1], len(ordered), step)


def _n_far(distances: np.ndarray, n: int, step: float) -> int:
    """Return how many of one side's distances, largest first, are far; of ``n`` values in all."""
    m = len(distances)
    k = int(min(max(m * _TAIL, _FEWEST_OF_TAIL), m // 2))
    if k < 2:
        return 0
    top = _spread(distances[: k + 1], step)
    gaps = np.arange(1, k + 1) * np.log(top[:-1] / top[1:])
    ranks = np.arange(1, max(1, min(k // 2, int(np.ceil(_MOST_FAR * n)))) + 1)
    sums = np.append(0.0, np.cumsum(gaps))

    def index(last: np.ndarray) -> np.ndarray:
        """Return the mean gap of the ranks behind each of ``ranks`` up to the last ones."""
        index: np.ndarray = (sums[last] - sums[ranks] + _TAIL_WEIGHT * _TAIL_INDEX) / (last - ranks + _TAIL_WEIGHT)
        return index

    whole = index(np.full(len(ranks), k))
    # The tail is measured from the median: one that is thin here is thinner still at its end.
    whole *= np.where(ranks <= max(m * _DEEP, 1), np.clip(whole / _LIGHTER, 0.5, 1.0), 1.0)
    near = index(np.minimum(ranks + max(int(np.sqrt(m)), _FEWEST_OF_TAIL), k))
    last = np.maximum(top[ranks - 1] - step, top[ranks])
    odds = ranks * np.log(last / top[ranks]) / np.minimum(whole, near) - np.log(2 * _RANKS * ranks**2)
    best = int(odds.argmax())
    return int(ranks[best]) if odds[best] > -np.log(max(_FALSE_ALARM, _FALSE_ALARMS_OF_ROWS / n)) else 0


def _spread(distances: np.ndarray, step: float) -> np.ndarray:
    """Return distances with equal ones spread over the usual step between different ones."""
    if not step > 0:
        return distances
    starts, lengths = run_lengths(distances)
    below = np.append(distances[starts[1:]], 0.0)
    room = np.repeat(np.minimum(step, distances[starts] - below), lengths)
    place = (np.arange(len(distances)) - np.repeat(starts, lengths) + 0.5) / np.repeat(lengths, lengths)
    spread: np.ndarray = distances + room * (0.5 - place)
    return spread


def run_lengths(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the start of each run of equal values, and its length."""
    starts = np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return starts, np.diff(np.append(starts, len(ordered)))


def profile_column(column: Column) -> Profile:
    """Compute the facts about a column in one pass."""
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
    tally = Counter(value for value in column.data.tolist() if value is not None)
    mode, count = tally.most_common(1)[0] if tally else (None, 0)
    missing = len(column) - tally.total()
    return Profile(**common, n_missing=missing, n_distinct=len(tally), mode=mode, mode_count=count)


def _numeric(column: Column, common: dict[str, Any]) -> Profile:
    # NaN sorts to the end: one sort both separates the missing values and orders the others.
    ordered = np.sort(column.data)
    n = int(np.searchsorted(ordered, np.nan))
    ordered = ordered[:n]
    missing = len(column) - n
    if n == 0:
        return Profile(**common, n_missing=missing, n_distinct=0, mode=None, mode_count=0)
    starts, lengths = run_lengths(ordered)
    top = int(lengths.argmax())
    q = np.quantile(ordered, [0, 0.25, 0.5, 0.75, 1]) if n < _FEW_ROWS else _quantiles_of_sorted(ordered)
    distinct = ordered[starts]
    spacing = _usual_step(distinct)
    n_low, n_high = far_values(ordered, float(q[2]), spacing if len(starts) < n else 0.0)
    low, high = quartile_fences(q[1], q[3]) if q[1] < q[3] else (ordered[n_low], ordered[n - n_high - 1])
    first, last = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, high, "right")
    n_low, n_high = int(min(n_low, first)), int(min(n_high, n - last))
    zeros = np.searchsorted(ordered, 0, "right") - np.searchsorted(ordered, 0, "left")
    ends = sorted({*range(min(_ENDS, len(starts))), *range(max(0, len(starts) - _ENDS), len(starts))})
    # Most columns of fractions have a fraction among their first values: only the others are checked as a whole.
    head = distinct[:1000]
    return Profile(
        **common,
        n_missing=missing,
        n_distinct=len(starts),
        mode=float(distinct[top]),
        mode_count=int(lengths[top]),
        quantiles=tuple(map(float, q)),  # type: ignore[arg-type]
        whiskers=(float(ordered[first]), float(ordered[last - 1])),
        n_outliers=int(n - (last - first)),
        fences=(float(low), float(high)),
        far=tuple(dict.fromkeys(map(float, (*ordered[:n_low][:1], *ordered[n - n_high :][-1:])))),
        n_far=n_low + n_high,
        n_zero=int(zeros),
        whole=bool((head == np.floor(head)).all() and (distinct == np.floor(distinct)).all()),
        spacing=spacing,
        extremes=tuple((float(distinct[i]), int(lengths[i])) for i in ends),
    )


def _usual_step(distinct: np.ndarray) -> float:
    """Return the median distance between neighbouring values, measured on some thousand pairs of neighbours."""
    if len(distinct) < 3:
        return float("nan")
    at = np.arange(0, len(distinct) - 1, max(1, len(distinct) // _MOST_STEPS))
    return float(np.median(distinct[at + 1] - distinct[at]))


def _quantiles_of_sorted(ordered: np.ndarray) -> np.ndarray:
    """Return the quartiles by linear interpolation, as NumPy's default, without sorting again."""
    at = np.array([0, 0.25, 0.5, 0.75, 1]) * (len(ordered) - 1)
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    quartiles: np.ndarray = ordered[below] + (at - below) * (ordered[above] - ordered[below])
    return quartiles
