"""Sums that have the same bits in any order and grouping of their terms.

The sum of floats depends on the order, because every addition rounds. Two ways around it:

- :class:`ExactSum` adds integers of the mantissas in limbs of 32 bits over the whole range of exponents: the result is
  the exact sum, rounded once, as that of ``math.fsum``.
- :class:`Grid` first rounds each term to a fixed multiple of a power of two, in two levels of 30 bits below a known
  bound; such multiples add without rounding. It is a few times as fast as ``numpy.sum`` is slow, vectorises, and is off
  by less than 2^-60 of the bound per term: a plain sum may be off by 2^-53 of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError

_LIMBS = 70
# Exponents of the smallest and largest doubles: the lowest bit of the lowest limb.
_LOWEST = -1074 - 53
_BLOCK = 1 << 20
_LEVEL = 30
_MOST_EXPONENT = 960


@dataclass(frozen=True)
class ExactSum:
    """The exact sum of floats.

    Attributes
    ----------
    limbs : ndarray of int64
        The sum is Σ limbs[i]·2^(32·i + lowest exponent). Limbs overlap and have signs, but every term always adds the
        same numbers to them, so that they do not depend on the order.

    Examples
    --------
    >>> from vaglio.engines.exact_sums import ExactSum
    >>> ExactSum.of([1e100, 1.0]).merge(ExactSum.of([-1e100])).value
    1.0
    """

    limbs: np.ndarray

    @classmethod
    def of(cls, terms: Any) -> ExactSum:
        """Add finite numbers; up to 2^31 in all parts together."""
        terms = np.asarray(terms, dtype=np.float64).ravel()
        if not np.isfinite(terms).all():
            raise InputError("infinite-numbers-missing-values", "Infinite numbers and missing values have no sum.")
        limbs = np.zeros(_LIMBS, dtype=np.int64)
        for first in range(0, len(terms), _BLOCK):
            limbs += _limbs(terms[first : first + _BLOCK])
        return cls(limbs)

    def merge(self, other: ExactSum) -> ExactSum:
        """Return the sum of both."""
        return ExactSum(self.limbs + other.limbs)

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        whole = sum(int(limb) << (32 * at) for at, limb in enumerate(self.limbs))
        return whole / (1 << -_LOWEST)


def _limbs(terms: np.ndarray) -> np.ndarray:
    mantissa, exponent = np.frexp(terms)
    whole = np.ldexp(np.abs(mantissa), 53).astype(np.int64)
    sign = np.sign(terms)
    shift = exponent.astype(np.int64) - 53 - _LOWEST
    found = np.zeros(_LIMBS)
    for part, offset in ((whole & ((1 << 26) - 1), 0), (whole >> 26, 26)):
        place = shift + offset
        moved = part << (place & 31)
        limb = place >> 5
        for bits, further in ((moved & 0xFFFFFFFF, 0), (moved >> 32, 1)):
            # Each is below 2^32 and a block has 2^20 terms, so that the doubles of bincount hold whole numbers.
            found += np.bincount(limb + further, sign * bits, minlength=_LIMBS)[:_LIMBS]
    return found.astype(np.int64)


@dataclass(frozen=True)
class Grid:
    """Fixed multiples to which terms are rounded before they are added.

    Attributes
    ----------
    exponent : ndarray of int64
        Terms of column j are at most 2^exponent[j] in size; an exponent below -900 counts as that.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.engines.exact_sums import Grid
    >>> grid, terms = Grid.for_bound([10.0]), np.linspace(-1, 10, 7)[:, None]
    >>> parts = grid.sums(terms[:3]) + grid.sums(terms[3:])
    >>> bool((parts == grid.sums(terms[::-1])).all()), float(grid.value(parts)[0])
    (True, 31.5)
    """

    exponent: np.ndarray

    @classmethod
    def for_bound(cls, bound: Any) -> Grid:
        """Return the grid of terms that are at most so large."""
        bound = np.asarray(bound, dtype=np.float64)
        exponent = np.frexp(bound)[1].astype(np.int64)
        if not np.isfinite(bound).all() or (exponent > _MOST_EXPONENT).any():
            raise InputError(
                "some-numbers-their-squares",
                "Some numbers, or their squares, are too large to add up: divide their column first.",
            )
        return cls(np.maximum(exponent, -900))

    def split(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms as multiples of the two levels."""
        # Adding 1.5·2^(52 + q) leaves no bits below 2^q; subtracting it again gives the rounded term.
        coarse = np.ldexp(1.5, 52 + self.exponent - _LEVEL)
        fine = np.ldexp(1.5, 52 + self.exponent - 2 * _LEVEL)
        high = (terms + coarse) - coarse
        low = terms - high
        low += fine
        low -= fine
        return high, low

    def sums(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of each column in units of the grid, int64 of shape (2, columns)."""
        total = np.zeros((2, *np.broadcast_shapes(terms.shape[1:], self.exponent.shape)), dtype=np.int64)
        for first in range(0, len(terms), _BLOCK):
            parts = self.split(terms[first : first + _BLOCK])
            for level, part in enumerate(parts, start=1):
                total[level - 1] += self.in_units(part.sum(axis=0), level)
        return total

    def class_sums(self, terms: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
        """Return the sum of each column in each class, in units of the grid, int64 of shape (2, k, columns)."""
        total = np.zeros((2, k, terms.shape[1]), dtype=np.int64)
        for first in range(0, len(terms), _BLOCK):
            rows = slice(first, first + _BLOCK)
            for j in range(terms.shape[1]):
                one = Grid(self.exponent[j])
                for level, part in enumerate(one.split(terms[rows, j]), start=1):
                    total[level - 1, :, j] += one.in_units(np.bincount(y[rows], part, minlength=k), level)
        return total

    def in_units(self, total: np.ndarray, level: int) -> np.ndarray:
        """Return sums of one of the two parts of :meth:`split`, level 1 or 2, as whole numbers of its units."""
        units: np.ndarray = np.ldexp(total, level * _LEVEL - self.exponent).astype(np.int64)
        return units

    def value(self, total: np.ndarray) -> np.ndarray:
        """Return sums in units of the grid as floats."""
        high = np.ldexp(total[0].astype(np.float64), self.exponent - _LEVEL)
        low = np.ldexp(total[1].astype(np.float64), self.exponent - 2 * _LEVEL)
        value: np.ndarray = high + low
        return value
