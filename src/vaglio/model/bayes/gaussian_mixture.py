"""Joint Gaussian densities per class, one or several each; nominal and text attributes beside them as in naive Bayes.

With one component per class this is the MAP classifier with multivariate Gaussians, linear when they share their
covariance and quadratic otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.special import logsumexp

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError
from vaglio.model import checks
from vaglio.model.base import State
from vaglio.model.bayes.naive_bayes import NaiveBayesModel
from vaglio.model.bayes.posterior import BayesModel, choose, log_of
from vaglio.runtime.threads import one_blas_thread

# Of more rows, the equations of a component would be solved on threads of BLAS, which wait longer than they work.
_FEW = 16


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

    # -- use ---------------------------------------------------------------------------------------------------------
    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        joint = self.naive.joint_log_likelihood(matrix)
        for rows, present, x in self._by_pattern(matrix):
            if present.size:
                joint[rows] += self._mix(self._densities(x, present))
        return joint

    def evidence(self, matrix: EncodedMatrix) -> dict[int, np.ndarray]:
        """Log P(xⱼ|c, the numeric attributes before it) of each attribute: by the chain rule they add up."""
        found = self.naive.evidence(matrix)
        k = len(self.prior)
        found |= {int(j): np.zeros((matrix.n_rows, k)) for j in self.feature}
        for rows, present, x in self._by_pattern(matrix):
            cumulative = self._cumulative(x, present)
            before = np.zeros((len(rows), k))
            for at, column in enumerate(present):
                so_far = self._mix(cumulative[:, :, at])
                found[int(self.feature[column])][rows] = so_far - before
                before = so_far
        return dict(sorted(found.items()))

    def _by_pattern(self, matrix: EncodedMatrix) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Rows that lack the same columns together: row numbers, columns present, their values.

        A Gaussian over part of the columns has the same part of the mean and covariance, so a missing value is
        integrated out exactly.
        """
        block = matrix.numeric[:, matrix.position[self.feature]]
        holes = np.isnan(block)
        if not holes.any():
            yield np.arange(len(block)), np.arange(block.shape[1]), block
            return
        patterns, which = np.unique(holes, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == number)
            present = np.flatnonzero(~pattern)
            yield rows, present, block[np.ix_(rows, present)]

    def _cumulative(self, x: np.ndarray, present: np.ndarray) -> np.ndarray:
        """Log density of the first 1, 2, … columns under each component, shape (n, M, columns).

        Forward substitution by the Cholesky factor gives the terms of the chain rule one after the other.
        """
        total = np.empty((len(x), len(self.mean), len(present)))
        for m, terms in self._terms(x, present):
            terms.cumsum(axis=1, out=total[:, m])
        return total

    def _densities(self, x: np.ndarray, present: np.ndarray) -> np.ndarray:
        """Log density of all columns together under each component, shape (n, M)."""
        total = np.empty((len(x), len(self.mean)))
        for m, terms in self._terms(x, present):
            total[:, m] = terms.cumsum(axis=1)[:, -1]  # added one after the other, as in the chain rule
        return total

    def _terms(self, x: np.ndarray, present: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield for each component the log density of each column given those before it, shape (n, columns)."""
        if not x.size:
            return
        whole = len(present) == len(self.feature)
        with one_blas_thread() if len(x) > _FEW else nullcontext():
            for m, mean in enumerate(self.mean):
                factor = self._factor[m] if whole else _cholesky(self.covariance[m][np.ix_(present, present)])
                normaliser = self._normaliser[m] if whole else _normaliser(factor)
                # LAPACK reads columns: the rows of the factor are those of its transpose.
                z = dtrtrs(factor.T, (x - mean[present]).T, lower=0, trans=1)[0].T
                yield m, normaliser - 0.5 * z * z

    def _mix(self, by_component: np.ndarray) -> np.ndarray:
        """From (n, M) components to (n, K) classes."""
        weighted: np.ndarray = by_component + log_of(self.weight)
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
            "A covariance of this model is not positive definite: the numbers of a column are too large, too small, or "
            "determined by others."
        ) from error
    return factor
