"""How far apart two values of a column are, and which values one might propose for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from vaglio.encode import Spread
from vaglio.explanation.context import Context

# Finer than this a proposed number is no more readable than the float itself.
_FINEST = 12
# A float from this size on has no digits after the point.
_WHOLE = 2.0**53


class Ruler:
    """Distances and values of the columns of one context.

    Parameters
    ----------
    context : Context
    cuts : mapping of int to sequence of float
        Numbers at which the model changes its mind, by feature; they are proposed from both sides.

    Attributes
    ----------
    scales : float64 (n_features,)
        What a distance of 1 is in each column.
    """

    def __init__(self, context: Context, cuts: Mapping[int, Sequence[float]] | None = None) -> None:
        self.context = context
        self.cuts = cuts or {}
        n = len(context.features)
        self.scales = np.ones(n)
        self._centre = np.zeros(n)
        self._spread: dict[int, Spread] = {}
        for j, feature in enumerate(context.features):
            if feature.kind == "numeric":
                self._spread[j] = self._spread_of(j)
                self.scales[j] = self._spread[j].scale
                self._centre[j] = self._spread[j].median if self._spread[j].values else 0.0
            elif feature.kind == "ordinal":
                self.scales[j] = max(1.0, len(feature.categories) - 1.0)
                self._centre[j] = len(feature.categories) // 2

    def _spread_of(self, j: int) -> Spread:
        """What training showed; a model written by hand has shown its thresholds only."""
        known = self.context.spread_of.get(j)
        if known is not None and known.values:
            return known
        cuts = sorted(set(map(float, self.cuts.get(j, ()))))
        spread = float(np.std(cuts)) if len(cuts) > 1 else abs(cuts[0]) if cuts else 1.0
        return Spread(tuple(cuts), spread or 1.0, None)

    # -- distance ----------------------------------------------------------------------------------------------------
    def distances(self, feature: np.ndarray, now: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Distance of each value from what the row has now (NaN when missing); see Counterfactual."""
        whole = np.array([f.kind in ("nominal", "text") for f in self.context.features])[feature]
        missing = np.isnan(now)
        start = np.where(missing, self._centre[feature], now)
        far = np.abs(value - start) / self.scales[feature]
        # A missing value counts 1 wherever it is filled in; the typical value only comes first.
        far = np.where(missing, 1.0 + 1e-6 * far / (1.0 + far), far)
        return np.where(whole, 1.0, far)

    # -- values ------------------------------------------------------------------------------------------------------
    def candidates(self, j: int, most: int) -> np.ndarray:
        """Values to try in a column, at most so many: categories, the quantiles of training, both sides of the cuts."""
        feature = self.context.features[j]
        if feature.kind == "text":
            return np.empty(0)
        if feature.kind != "numeric":
            return _thinned(np.arange(len(feature.categories), dtype=np.float64), most)
        values = np.array(self._spread[j].values)
        cuts = np.unique(np.asarray(self.cuts.get(j, ()), dtype=np.float64))
        cuts = _thinned(cuts[np.isfinite(cuts)], max(1, most // 3))
        if cuts.size:
            sides = [self.beyond(j, cut, way) for cut in cuts.tolist() for way in (-1, 1)]
            known = [cut for cut in cuts.tolist() if self.is_proper(j, cut)]
            values = np.unique([*values, *known, *sides])
        return _thinned(values, most)

    def is_proper(self, j: int, value: float) -> bool:
        """Whether the number has no more digits after the point than a readable one of the column."""
        return self.context.features[j].kind != "numeric" or round(value, self.decimals(j)) == value

    def decimals(self, j: int) -> int:
        """Digits after the point of a readable number of the column."""
        spread = self._spread[j]
        if spread.decimals is not None:
            return spread.decimals
        return int(min(max(2 - math.floor(math.log10(spread.scale)), 0), _FINEST))

    def is_whole(self, j: int) -> bool:
        """Whether the column holds nothing but whole numbers, as far as training showed."""
        return self.context.features[j].kind != "numeric" or self._spread[j].decimals == 0

    def beyond(self, j: int, cut: float, way: int) -> float:
        """The nearest readable number strictly beyond a cut: above for way 1, below for way -1."""
        if self.is_whole(j):
            return math.floor(cut) + 1.0 if way > 0 else math.ceil(cut) - 1.0
        step = 10.0 ** -self.decimals(j)
        if abs(cut / step) >= _WHOLE:
            return math.nextafter(cut, way * math.inf)
        value = (math.floor(cut / step) + 1) * step if way > 0 else (math.ceil(cut / step) - 1) * step
        return round(value, self.decimals(j))

    def nearest_inside(
        self, j: int, now: float, low: float, high: float, low_closed: bool, high_closed: bool
    ) -> float | None:
        """The readable number nearest to what the row has that lies in a range; None if no proper one does."""

        def lies(value: float) -> bool:
            above = value >= low if low_closed else value > low
            return above and (value <= high if high_closed else value < high)

        target = self._centre[j] if math.isnan(now) else now
        if lies(target):
            return float(target)
        end, up = (low, True) if target <= low else (high, False)
        if self.is_whole(j):
            value = _rounded(end, 0, up)
            tried = [value, value + 1 if up else value - 1]
        else:
            places = range(self.decimals(j), _FINEST)
            tried = [value for digits in places for value in (_rounded(end, digits, up), _next(end, digits, up))]
            tried += [end, math.nextafter(end, math.inf if up else -math.inf)]
        return next((float(value) for value in tried if math.isfinite(value) and lies(value)), None)

    def rounded_away(self, j: int, value: float, now: float, extra: int) -> float:
        """Round away from what the row has, with some more digits than the column's own."""
        digits = 0 if self.is_whole(j) else min(self.decimals(j) + extra, _FINEST)
        return _rounded(value, digits, value > now)

    def range(self, j: int) -> tuple[float, float]:
        """Least and largest value training showed."""
        if self.context.features[j].kind == "ordinal":
            return 0.0, len(self.context.features[j].categories) - 1.0
        values = self._spread[j].values
        return (values[0], values[-1]) if values else (-math.inf, math.inf)


def _rounded(value: float, digits: int, up: bool) -> float:
    step = 10.0**digits
    if not abs(value * step) < _WHOLE:
        return value
    return round((math.ceil if up else math.floor)(value * step) / step, digits)


def _next(value: float, digits: int, up: bool) -> float:
    return round(_rounded(value, digits, up) + (1 if up else -1) * 10.0**-digits, digits)


def _thinned(values: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the values, evenly spaced, the ends among them."""
    if len(values) <= most:
        return values
    return values[np.unique(np.linspace(0, len(values) - 1, most).astype(np.int64))]
