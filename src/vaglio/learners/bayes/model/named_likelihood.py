"""Numbers that follow a named distribution in each class: Poisson, exponential, log-normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln, xlogy

from vaglio.encode import Feature
from vaglio.learners.bayes.model.posterior import log_of
from vaglio.learners.bayes.model.quantiles import Quantiles
from vaglio.model import checks

# In the order of their codes in the model file.
DISTRIBUTIONS = ("poisson", "exponential", "lognormal")


@dataclass(frozen=True, eq=False)
class NamedGroup:
    """Numeric attributes with a named distribution in each class.

    Attributes
    ----------
    feature : int64 (D,)
    distribution : int32 (D,)
        Code of the distribution.
    mean : float64 (D, K)
        Mean of the values; of their logarithms if log-normal.
    variance : float64 (D, K)
        Variance of the logarithms if log-normal; not used by the others, whose mean says all.
    """

    name: ClassVar[str] = "named"

    feature: np.ndarray
    distribution: np.ndarray
    mean: np.ndarray
    variance: np.ndarray

    @classmethod
    def empty(cls, n_classes: int) -> NamedGroup:
        none = np.empty((0, n_classes))
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), none, none)

    def __len__(self) -> int:
        return len(self.feature)

    def distribution_of(self, t: int) -> str:
        """Name of the distribution of one attribute."""
        return DISTRIBUTIONS[int(self.distribution[t])]

    def log_density(self, t: int, x: np.ndarray) -> np.ndarray:
        """Log density (or probability, for counts) of one attribute in every class, shape (n, K).

        It is 0 where x is missing, and where no class could have produced x: that says nothing.
        """
        kind = self.distribution_of(t)
        fits = possible(kind, x)
        known = x[fits][:, None]
        found = np.zeros((len(x), self.mean.shape[1]))
        mean, variance = self.mean[t], self.variance[t]
        if kind == "poisson":
            found[fits] = xlogy(known, mean) - mean - gammaln(known + 1)
        elif kind == "exponential":
            found[fits] = -known / mean - log_of(mean)
        else:
            logarithm = np.log(known)
            found[fits] = -0.5 * ((logarithm - mean) ** 2 / variance + np.log(2 * np.pi * variance)) - logarithm
        return found

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator, quantiles: Quantiles) -> np.ndarray:
        kind, mean = self.distribution_of(t), self.mean[t][labels]
        drawn: Any
        if kind == "poisson":
            drawn = rng.poisson(np.minimum(mean, 1e15)).astype(np.float64)
        elif kind == "exponential":
            drawn = rng.exponential(mean)
        else:
            drawn = rng.lognormal(mean, np.sqrt(self.variance[t])[labels])
        return quantiles.clipped(int(self.feature[t]), drawn)

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], features: tuple[Feature, ...], k: int) -> NamedGroup:
        """Rebuild from a model file; those of the first edition have no such attributes."""
        if "named_feature" not in arrays:
            return cls.empty(k)
        feature = checks.array(arrays, "named_feature", np.int64, (None,))
        checks.within(feature, 0, len(features), "the index of an attribute")
        checks.need(all(features[j].kind == "numeric" for j in feature), "a column without numbers has a distribution")
        distribution = checks.array(arrays, "named_distribution", np.int32, feature.shape)
        checks.within(distribution, 0, len(DISTRIBUTIONS), "the distribution of an attribute")
        mean = checks.array(arrays, "named_mean", np.float64, (len(feature), k), finite=True)
        variance = checks.array(arrays, "named_variance", np.float64, (len(feature), k), finite=True)
        on_logarithms = (distribution == DISTRIBUTIONS.index("lognormal"))[:, None]
        checks.need(((mean > 0) | on_logarithms).all(), "a mean is not positive")
        checks.need((variance > 0).all(), "a variance is not positive")
        return cls(feature, distribution, mean, variance)


def possible(distribution: str, x: np.ndarray) -> np.ndarray:
    """Return which numbers the distribution can produce; a missing value is none of them."""
    if distribution == "lognormal":
        found: np.ndarray = x > 0
        return found
    found = x >= 0
    return found & (x == np.floor(x)) if distribution == "poisson" else found
