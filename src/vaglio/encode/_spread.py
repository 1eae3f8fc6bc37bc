"""A summary of each numeric column of the training rows; counterfactuals take values like those in training from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode._matrix import EncodedMatrix
from vaglio.errors import ModelFileError

# A sample of evenly spaced rows, smaller in a wide table, so that training does not become slower.
_MOST_ROWS = 1000
_MOST_CELLS = 1 << 17
# Numbers with more decimals are measurements without a resolution.
_MOST_DECIMALS = 6
# Quantiles per column; in a table of more columns than `_WIDE` only quartiles, minimum and maximum.
_QUANTILES = 17
_WIDE, _QUANTILES_OF_WIDE = 500, 5


@dataclass(frozen=True)
class Spread:
    """Quantiles, scale and resolution of one column of numbers, from a sample of the training rows.

    Parameters
    ----------
    values : tuple of float
        Values that occurred, ascending: the smallest and largest of the sample and evenly spaced ones between.
    scale : float
        Standard deviation; 1 where the column does not vary.
    decimals : int or None
        Digits after the point that all values need at most, 0 for whole numbers; None if they need more than six.

    Examples
    --------
    >>> from vaglio.encode import EncodedMatrix, learn_spreads
    >>> learn_spreads(EncodedMatrix.from_arrays([[1.5], [3.5]]))[0]
    Spread(values=(1.5, 3.5), scale=1.0, decimals=1)
    """

    values: tuple[float, ...] = ()
    scale: float = 1.0
    decimals: int | None = None

    @property
    def median(self) -> float:
        """The middle one of the values."""
        return self.values[len(self.values) // 2]

    def to_state(self) -> list[Any]:
        """Return JSON for the model file."""
        return [list(self.values), self.scale, self.decimals]

    @classmethod
    def from_state(cls, state: Any) -> Spread:
        """Rebuild from a model file, trusting nothing in it."""
        sound = isinstance(state, list) and len(state) == 3 and isinstance(state[0], list)
        values, scale, decimals = state if sound else ([], None, None)
        sound = sound and all(type(number) is float and np.isfinite(number) for number in [*values, scale])
        sound = sound and (decimals is None or (type(decimals) is int and 0 <= decimals <= _MOST_DECIMALS))
        if not sound or scale <= 0 or values != sorted(values):
            raise ModelFileError("The model file has no valid summary of a numeric column.")
        return cls(tuple(values), scale, decimals)


def learn_spreads(matrix: EncodedMatrix) -> tuple[Spread, ...]:
    """Return a spread per column of the numeric block; nothing for sparse rows."""
    if matrix.sparse is not None or not matrix.numeric.shape[1] or not matrix.n_rows:
        return ()
    n, p = matrix.numeric.shape
    rows = np.unique(np.linspace(0, n - 1, max(16, min(n, _MOST_ROWS, _MOST_CELLS // p))).astype(np.int64))
    sample = np.sort(matrix.numeric[rows], axis=0) + 0.0  # missing values last; no negative zero
    unknown = np.isnan(sample)
    known = len(sample) - unknown.sum(axis=0)
    mean = np.where(unknown, 0.0, sample).sum(axis=0) / np.maximum(known, 1)
    variance = (np.where(unknown, 0.0, sample - mean) ** 2).sum(axis=0) / np.maximum(known, 1)
    with np.errstate(invalid="ignore"):
        scale = np.where(np.isfinite(variance) & (variance > 0), np.sqrt(variance), 1.0).tolist()
    most = min(_QUANTILES if p <= _WIDE else _QUANTILES_OF_WIDE, len(sample))
    places = (np.linspace(0, 1, most)[:, None] * np.maximum(known - 1, 0)).round().astype(np.int64)
    quantiles = np.take_along_axis(sample, places, axis=0).T.tolist()
    decimals = _decimals(sample, unknown)
    return tuple(
        Spread(tuple(dict.fromkeys(quantiles[j])) if some else (), scale[j], decimals[j])
        for j, some in enumerate((known > 0).tolist())
    )


def _decimals(sample: np.ndarray, unknown: np.ndarray) -> list[int | None]:
    """Return the digits after the point that each column needs; None if more than six."""
    found: list[int | None] = [None] * sample.shape[1]
    left = np.arange(sample.shape[1])
    for digits in range(_MOST_DECIMALS + 1):
        part = sample[:, left]
        fits = ((np.round(part, digits) == part) | unknown[:, left]).all(axis=0)
        for j in left[fits].tolist():
            found[j] = digits
        left = left[~fits]
    return found
