"""Attributes ranked by how much they tell about the class: information gain, gain ratio, χ²."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from vaglio.quality.binning import contingency, value_codes
from vaglio.quality.sampling import sample_table
from vaglio.quality.statistics import entropy_bits
from vaglio.table import Column, Table

__all__ = ["AttributeScore", "chi2_test", "information_gain", "rank_attributes"]

# Numbers are cut into tenths for the χ² test: finer cells would hold too few rows of a rare class.
_CHI2_BINS = 10
# A sparse block of more columns is not taken apart.
MOST_ITEMS = 200


@dataclass(frozen=True)
class AttributeScore:
    """How much one attribute tells about the class.

    The gain in the rows in which the attribute is known is weighed by their share of all rows, and the split
    information counts the other rows as one more value, as C4.5 does.

    Attributes
    ----------
    attribute : str
    gain : float
        Information gain in bits.
    gain_ratio : float
        Information gain divided by the split information.
    chi2, p_value : float
        Of the χ² test; the p-value is how often chance alone gives so strong a dependence.
    threshold : float or None
        Where the numbers are cut in two for the gain; None for a nominal attribute.
    known : float
        The share of rows in which the attribute is not missing.
    """

    attribute: str
    gain: float
    gain_ratio: float
    chi2: float
    p_value: float
    threshold: float | None = None
    known: float = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)


def information_gain(table: np.ndarray, n_missing: int = 0) -> tuple[float, float]:
    """Return information gain (in bits) and gain ratio of a table of counts, one row per value, one column per class.

    Parameters
    ----------
    table : ndarray
    n_missing : int, default=0
        Further rows, in which the value is missing.

    Examples
    --------
    >>> gain, ratio = information_gain(np.array([[2, 3], [4, 0], [3, 2]]))
    >>> round(gain, 4), round(ratio, 4)
    (0.2467, 0.1564)
    """
    sizes = table.sum(axis=1)
    if not sizes.sum():
        return 0.0, 0.0
    inside = sum(n * entropy_bits(row) for n, row in zip(sizes, table) if n) / sizes.sum()
    gain = max(entropy_bits(table.sum(axis=0)) - float(inside), 0.0)
    return _weighed(gain, sizes, n_missing)


def _weighed(gain: float, sizes: np.ndarray, n_missing: int) -> tuple[float, float]:
    """Return the gain weighed by the share of known rows, and its ratio to the information of the split."""
    gain *= float(sizes.sum() / (sizes.sum() + n_missing))
    split = entropy_bits(np.append(sizes, n_missing))
    return gain, gain / split if split > 0 else 0.0


def chi2_test(table: np.ndarray) -> tuple[float, float]:
    """Return Pearson's χ² of a table of counts without empty rows or columns, and its p-value.

    SciPy's chi2_contingency computes the same; its checks of the input take far longer than the test itself, and here
    it would run once per column.

    >>> chi2, p = chi2_test(np.array([[10, 20], [20, 10]]))
    >>> round(chi2, 4), round(p, 4)
    (6.6667, 0.0098)
    """
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    return chi2, float(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), chi2))


def is_packed(table: Table, name: str) -> bool:
    """Return whether a column stays in the sparse block: thousands of items are not described one by one."""
    return table.sparse is not None and name in table.sparse and len(table.sparse.names) > MOST_ITEMS


def rank_attributes(table: Any, target: str, *, seed: int = 0) -> list[AttributeScore]:
    """Score every input attribute against the class, best gain first.

    Nominal attributes have one branch per value, numeric ones are cut at their best threshold. Tables of more than
    50 000 rows are sampled.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str
        The class column.
    seed : int, default=0
        Seed of the sample.

    Examples
    --------
    >>> import vaglio
    >>> play = vaglio.datasets.load("play")
    >>> [score.attribute for score in rank_attributes(play, "play")][0]
    'outlook'
    """
    # `xy` refuses a table in which no row has a class.
    X, y = sample_table(Table.from_any(table), seed).xy(target)
    labels, classes = np.unique(y, return_inverse=True)
    names = [name for name in X.columns if not is_packed(X, name)]
    scores = [score_attribute(X.column(name), classes, len(labels)) for name in names]
    return sorted(scores, key=lambda score: (-score.gain, score.attribute))


def score_attribute(column: Column, classes: np.ndarray, n_classes: int) -> AttributeScore:
    """Score one attribute against the class codes of the same rows."""
    n_missing = column.n_missing
    known = 1 - n_missing / max(1, len(column))
    codes = value_codes(column, _CHI2_BINS)
    table = contingency(codes, classes)
    chi2, p = (float("nan"), float("nan"))
    if min(table.shape, default=0) > 1:
        chi2, p = chi2_test(table)
    if column.kind != "numeric":
        gain, ratio = information_gain(table, n_missing)
        return AttributeScore(column.name, gain, ratio, chi2, p, known=known)
    gain, ratio, threshold = _best_threshold(column, classes, n_classes)
    return AttributeScore(column.name, gain, ratio, chi2, p, threshold, known)


def _best_threshold(column: Column, classes: np.ndarray, n_classes: int) -> tuple[float, float, float | None]:
    """Return gain, gain ratio and threshold of the best cut in two; all cuts in one pass over the sorted values."""
    present = ~column.missing
    order = np.argsort(column.data[present], kind="stable")
    values, classes = column.data[present][order], classes[present][order]
    if not len(values) or values[0] == values[-1]:
        return 0.0, 0.0, None
    # Row i of `left`: how many of the first i + 1 values are of each class.
    left = np.zeros((len(values), n_classes))
    left[np.arange(len(values)), classes] = 1
    left = left.cumsum(axis=0)
    cuts = np.flatnonzero(values[1:] > values[:-1])
    total, below = left[-1], left[cuts]
    n, n_below = len(values), cuts + 1.0
    inside = (_weighted_entropy(below, n_below) + _weighted_entropy(total - below, n - n_below)) / n
    best = int(np.argmin(inside))
    gain = max(entropy_bits(total) - float(inside[best]), 0.0)
    gain, ratio = _weighed(gain, np.array([n_below[best], n - n_below[best]]), int(len(present) - n))
    return gain, ratio, float((values[cuts[best]] + values[cuts[best] + 1]) / 2)


def _weighted_entropy(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return n·H for each row of counts, as n·log2 n − Σ c·log2 c."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(counts > 0, counts * np.log2(counts), 0.0)
    weighted: np.ndarray = sizes * np.log2(sizes) - parts.sum(axis=1)
    return weighted
