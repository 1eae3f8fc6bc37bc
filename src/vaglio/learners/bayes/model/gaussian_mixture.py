"""Joint Gaussian densities per class, one or several each; nominal and text attributes beside them as in naive Bayes.

With one component per class this is the MAP classifier with multivariate Gaussians, linear when they share their
covariance and quadratic otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import BayesModel, choose, log_of
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class GaussianMixtureModel(BayesModel):
    """A mixture of Gaussians over the numeric attributes of each class.

    Attributes
    ----------
    naive : NaiveBayesModel
        Priors, and the likelihood of the attributes that are not numeric.
    feature : int64 (p,)
        Numeric attributes under the joint densities.
    start : int64 (K + 1,)
        Where the components of each class start.
    weight : float64 (M,)
        Share of each component in its class.
    mean : float64 (M, p)
    covariance : float64 (M, p, p)
    """

    kind: ClassVar[str] = "gaussian-mixture"

    naive: NaiveBayesModel
    feature: np.ndarray
    start: np.ndarray
    weight: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    prior: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", self.naive.prior)

    @property
    def class_count(self) -> np.ndarray:
        return self.naive.class_count

    @property
    def n_components(self) -> np.ndarray:
        """Number of components of each class."""
        return np.diff(self.start)

    @cached_property
    def _factor(self) -> np.ndarray:
        return _cholesky(self.covariance) if self.covariance.size else self.covariance

    @cached_property
    def _normaliser(self) -> np.ndarray:
        return _normaliser(self._factor)

    @cached_property
    def _log_weight(self) -> np.ndarray:
        return log_of(self.weight)

    # -- use ---------------------------------------------------------------------------------------------------------
    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        joint = self.naive.joint_log_likelihood(matrix)
        for rows, present, x in self._by_pattern(matrix):
            if present.size:
                joint[rows] += self._mix(self._densities(x, present, matrix.threads))
        return joint

    def evidence(self, matrix: EncodedMatrix) -> dict[int, np.ndarray]:
        """Log P(xⱼ|c, the numeric attributes before it) of each attribute: by the chain rule they add up."""
        found = self.naive.evidence(matrix)
        k = len(self.prior)
        found |= {int(j): np.zeros((matrix.n_rows, k)) for j in self.feature}
        for rows, present, x in self._by_pattern(matrix):
            cumulative = self._densities(x, present, matrix.threads, steps=True)
            before = np.zeros((len(x), k))
            for at, column in enumerate(present):
                so_far = self._mix(cumulative[:, :, at])
                found[int(self.feature[column])][rows] = so_far - before
                before = so_far
        return dict(sorted(found.items()))

    def _by_pattern(self, matrix: EncodedMatrix) -> Iterator[tuple[np.ndarray | slice, np.ndarray, np.ndarray]]:
        """Rows that lack the same columns together: which rows, columns present, their values.

        A Gaussian over part of the columns has the same part of the mean and covariance, so a missing value is
        integrated out exactly.
        """
        block = matrix.numeric[:, matrix.position[self.feature]]
        holes = np.isnan(block)
        if not holes.any():
            yield slice(None), np.arange(block.shape[1]), block
            return
        patterns, which = np.unique(holes, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == number)
            present = np.flatnonzero(~pattern)
            yield rows, present, block[np.ix_(rows, present)]

    def _densities(self, x: np.ndarray, present: np.ndarray, threads: int, steps: bool = False) -> np.ndarray:
        """Log density of the columns present under each component, shape (n, M).

        With ``steps``, of the first 1, 2, … of them, shape (n, M, columns): the terms of the chain rule added up.
        """
        mean, factor, normaliser = self.mean, self._factor, self._normaliser
        if len(present) < len(self.feature):
            mean = np.ascontiguousarray(self.mean[:, present])
            factor = _cholesky(self.covariance[:, present[:, None], present])
            normaliser = _normaliser(factor)
        return _core.joint_normal_densities(x, mean, normaliser, factor, steps, threads)

    def _mix(self, by_component: np.ndarray) -> np.ndarray:
        """From (n, M) components to (n, K) classes."""
        weighted: np.ndarray = by_component + self._log_weight
        if len(self.weight) == len(self.prior):
            return weighted
        parts = [weighted[:, a:b] for a, b in zip(self.start[:-1], self.start[1:])]
        return np.stack([part[:, 0] if part.shape[1] == 1 else logsumexp(part, axis=1) for part in parts], axis=1)

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw a row for each class code."""
        columns = self.naive.draw(labels, rng)
        share = np.zeros((len(self.prior), len(self.weight)))
        for c, (a, b) in enumerate(zip(self.start[:-1], self.start[1:])):
            share[c, a:b] = self.weight[a:b]
        component = choose(rng, share, labels)
        noise = rng.normal(size=(len(labels), len(self.feature)))
        x = self.mean[component] + np.einsum("nij,nj->ni", self._factor[component], noise)
        quantiles = self.naive.quantiles
        return columns | {int(j): quantiles.clipped(int(j), x[:, at]) for at, j in enumerate(self.feature)}

    def size(self) -> dict[str, int]:
        naive = self.naive.size()
        return {
            "attributes": naive["attributes"] + len(self.feature),
            "classes": len(self.prior),
            "components": len(self.weight),
            "numbers": naive["numbers"] + self.mean.size + self.covariance.size,
        }

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays, meta = self.naive.state()
        own = {"feature": self.feature, "start": self.start, "weight": self.weight}
        own |= {"mean": self.mean, "covariance": self.covariance}
        return {**{f"naive_{name}": value for name, value in arrays.items()}, **own}, {"naive": meta}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> GaussianMixtureModel:
        checks.need(isinstance(meta.get("naive"), dict), "the description of the model is missing")
        prefix = "naive_"
        own = {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}
        naive = NaiveBayesModel.from_state(own, meta["naive"], features, n_classes)
        feature = checks.array(arrays, "feature", np.int64, (None,))
        checks.within(feature, 0, len(features), "the index of an attribute")
        checks.need(all(features[j].in_numeric_block for j in feature), "a density is over a column without numbers")
        start = checks.array(arrays, "start", np.int64, (n_classes + 1,))
        weight = checks.counts(arrays, "weight", (None,))
        checks.need(start[0] == 0 and start[-1] == len(weight), "the components do not fit the classes")
        checks.need((np.diff(start) > 0).all() and (weight > 0).all(), "a class has no component")
        m, p = len(weight), len(feature)
        mean = checks.array(arrays, "mean", np.float64, (m, p), finite=True)
        covariance = checks.array(arrays, "covariance", np.float64, (m, p, p), finite=True)
        checks.need(np.array_equal(covariance, covariance.transpose(0, 2, 1)), "a covariance is not symmetric")
        model = cls(naive, feature, start, weight, mean, covariance)
        checks.need(np.isfinite(model._factor).all(), "a covariance is not positive definite")
        return model


def _normaliser(factor: np.ndarray) -> np.ndarray:
    """Return the logarithm of the largest density of each step, given a Cholesky factor or several."""
    steps: np.ndarray = -0.5 * np.log(2 * np.pi) - np.log(np.diagonal(factor, axis1=-2, axis2=-1))
    return steps


def _cholesky(covariance: np.ndarray) -> np.ndarray:
    try:
        factor: np.ndarray = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError as error:
        raise InputError(
            "covariance-model-positive-definite",
            "A covariance of this model is not positive definite: the numbers of a column are too "
            "large, too small, or determined by others.",
        ) from error
    return factor
