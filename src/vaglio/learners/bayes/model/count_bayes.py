"""Naive Bayes on counts: multinomial (how often) and Bernoulli (whether at all), for dense, sparse and text rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature, count_block, count_columns
from vaglio.learners.bayes.model.naive_bayes_file import check_alpha, check_prior
from vaglio.learners.bayes.model.posterior import BayesModel, choose, log_of, observed, smoothed
from vaglio.learners.bayes.model.text_likelihood import weighted_log
from vaglio.model import checks
from vaglio.model.base import State

# Counts in one drawn row, at most.
MOST_DRAWN = 1e6


@dataclass(frozen=True, eq=False)
class CountBayesModel(BayesModel):
    """What both share.

    Attributes
    ----------
    features : tuple of Feature
    class_count, prior : float64 (K,)
    count : float64 (K, W)
        Sum of the counts (multinomial) or weight of the rows that have it (Bernoulli), by class and column.
    seen : float64 (K, W)
        Weight of the rows where the column is known.
    alpha : float
    """

    kind: ClassVar[str]

    features: tuple[Feature, ...]
    class_count: np.ndarray
    prior: np.ndarray
    count: np.ndarray
    seen: np.ndarray
    alpha: float

    @cached_property
    def owner(self) -> np.ndarray:
        """Feature each column of counts belongs to."""
        return count_columns(self.features)[1]

    @cached_property
    def log_probability(self) -> np.ndarray:
        """Log θ, shape (K, W): the spectrum of each class."""
        raise NotImplementedError

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> CountBayesModel:
        return cls(**cls._read(arrays, meta, features, n_classes))

    def size(self) -> dict[str, int]:
        return {"attributes": self.count.shape[1], "classes": len(self.prior), "numbers": self.count.size}

    def _draw_category(self, feature: int, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw codes of a nominal feature: exactly one of its columns, by their shares."""
        default = self.features[feature].default
        if default is not None:
            return self._draw_presence(feature, default, labels, rng)
        return choose(rng, observed(self.count[:, self.owner == feature]), labels)

    def _draw_presence(self, feature: int, default: int, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw codes of a boolean or asymmetric feature; which of several other values it was is not known."""
        column = int(np.flatnonzero(self.owner == feature)[0])
        share = (self.count[:, column] + self.alpha) / np.maximum(self.seen[:, column] + 2 * self.alpha, 1e-300)
        others = np.delete(np.arange(len(self.features[feature].categories)), default)
        drawn = rng.choice(others, len(labels)) if len(others) else np.full(len(labels), default)
        return np.where(rng.random(len(labels)) < share[labels], drawn, default)

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays = {"class_count": self.class_count, "prior": self.prior, "count": self.count, "seen": self.seen}
        return arrays, {"alpha": float(self.alpha)}

    @classmethod
    def _read(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> dict[str, Any]:
        width = len(count_columns(features)[1])
        prior = check_prior(arrays, n_classes)
        shapes: dict[str, tuple[int, ...]] = {
            "class_count": (n_classes,),
            "count": (n_classes, width),
            "seen": (n_classes, width),
        }
        counts = {name: checks.counts(arrays, name, shape) for name, shape in shapes.items()}
        return {"features": features, "prior": prior, "alpha": check_alpha(meta), **counts}


@dataclass(frozen=True, eq=False)
class MultinomialModel(CountBayesModel):
    """Score of a class: log π + Σ n·log θ, the dot product of the row's counts with the class's spectrum."""

    kind: ClassVar[str] = "multinomial-nb"

    @cached_property
    def log_probability(self) -> np.ndarray:
        return log_of(smoothed(self.count, self.alpha))

    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        joint: np.ndarray = weighted_log(count_block(matrix).values, self.log_probability) + self.log_prior
        return joint

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw rows with as many counts as the rows of the class had on average."""
        rows = np.maximum(self.class_count, np.finfo(float).tiny)
        totals = rng.poisson(np.minimum(self.count.sum(axis=1) / rows, MOST_DRAWN)[labels])
        counts = rng.multinomial(totals, observed(self.count)[labels])
        return {j: self._column(j, counts, labels, rng) for j in range(len(self.features))}

    def _column(self, j: int, counts: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        own = counts[:, self.owner == j]
        if self.features[j].is_nominal:
            return self._draw_category(j, labels, rng)
        if self.features[j].kind != "text":
            return own[:, 0].astype(np.float64)
        documents = np.empty(len(labels), dtype=object)
        documents[:] = [rng.permutation(np.repeat(np.arange(own.shape[1]), row)) for row in own]
        return documents


@dataclass(frozen=True, eq=False)
class BernoulliModel(CountBayesModel):
    """Every column is there or not: log π + Σ log p over those that are + Σ log(1 - p) over those that are not.

    Attributes
    ----------
    binarize : float or None
        A value above it means that the column is there; None when the values are 0 and 1 already.
    """

    kind: ClassVar[str] = "bernoulli-nb"

    binarize: float | None = 0.0

    @cached_property
    def _probability(self) -> np.ndarray:
        known = self.seen + 2 * self.alpha
        found: np.ndarray = np.divide(self.count + self.alpha, known, out=np.full(known.shape, 0.5), where=known > 0)
        return found

    @cached_property
    def log_probability(self) -> np.ndarray:
        return log_of(self._probability)

    @cached_property
    def log_absence(self) -> np.ndarray:
        """log(1 - p), shape (K, W)."""
        return log_of(1.0 - self._probability)

    def presence(self, matrix: EncodedMatrix) -> tuple[Any, np.ndarray | None]:
        """Return which columns each row has (0/1), and the missing cells of the table."""
        block = count_block(matrix)
        return binarized(block.values, self.binarize), block.missing

    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        present, missing = self.presence(matrix)
        absence = np.where(np.isneginf(self.log_absence), 0.0, self.log_absence)
        presence = np.where(np.isneginf(self.log_probability), 0.0, self.log_probability)
        joint = np.asarray(present @ (presence - absence).T) + self._total(absence, missing)
        never, always = np.isneginf(self.log_probability) * 1.0, np.isneginf(self.log_absence) * 1.0
        if never.any() or always.any():  # without smoothing: what never or always was there
            joint[np.asarray(present @ (never - always).T) + self._total(always, missing) > 0.5] = -np.inf
        total: np.ndarray = joint + self.log_prior
        return total

    def _total(self, table: np.ndarray, missing: np.ndarray | None) -> np.ndarray:
        """Sum of a (K, W) table over the columns each row knows."""
        if missing is None:
            found: np.ndarray = table.sum(axis=1)[None, :]
            return found
        by_feature = np.zeros((len(self.features), len(table)))
        np.add.at(by_feature, self.owner, table.T)
        return (~missing).astype(np.float64) @ by_feature

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw rows column by column; a number is one above the threshold where it is there."""
        share = np.divide(self.count, self.seen, out=self._probability.copy(), where=self.seen > 0)
        there = rng.random((len(labels), self.count.shape[1])) < share[labels]
        return {j: self._column(j, there, labels, rng) for j in range(len(self.features))}

    def _column(self, j: int, there: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        own = there[:, self.owner == j]
        if self.features[j].is_nominal:
            return self._draw_category(j, labels, rng)
        if self.features[j].kind != "text":
            low = self.binarize or 0.0
            return np.where(own[:, 0], low + 1.0, low)
        documents = np.empty(len(labels), dtype=object)
        documents[:] = [np.flatnonzero(row) for row in own]
        return documents

    def state(self) -> State:
        arrays, meta = super().state()
        return arrays, {**meta, "binarize": self.binarize}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> BernoulliModel:
        binarize = meta.get("binarize")
        if binarize is not None:
            binarize = float(checks.number(meta, "binarize"))
        fields = cls._read(arrays, meta, features, n_classes)
        checks.need((fields["count"] <= fields["seen"] * (1 + 1e-9)).all(), "a count is larger than its total")
        return cls(**fields, binarize=binarize)


def binarized(values: Any, threshold: float | None) -> Any:
    """Return 1 where a value is above the threshold and 0 elsewhere, dense or sparse as it came."""
    if threshold is None:
        return values
    if isinstance(values, np.ndarray):
        return (values > threshold).astype(np.float64)
    if threshold < 0:  # then every zero is above it, and the matrix is not sparse any more
        return (values.toarray() > threshold).astype(np.float64)
    return (values > threshold).astype(np.float64)
