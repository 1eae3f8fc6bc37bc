"""Text attributes in naive Bayes: the words of a class follow one multinomial distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import sparse as sp

from vaglio.learners.bayes.model.posterior import choose, log_of, observed, smoothed


@dataclass(frozen=True, eq=False)
class WordGroup:
    """Word counts of each class, for every text attribute.

    Attributes
    ----------
    feature : int64 (T,)
    vocabulary : int64 (T,)
        Number of words of each attribute.
    count : float64, tables (K, W) one after the other
    length : float64 (T, K)
        Mean number of words of a document of the class, for drawing new ones.
    alpha : float
    """

    name: ClassVar[str] = "words"

    feature: np.ndarray
    vocabulary: np.ndarray
    count: np.ndarray
    length: np.ndarray
    alpha: float

    @classmethod
    def empty(cls, n_classes: int, alpha: float) -> WordGroup:
        """No text attributes."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, np.empty(0), np.empty((0, n_classes)), alpha)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def size(self) -> int:
        return self.count.size

    @cached_property
    def _start(self) -> np.ndarray:
        return np.cumsum([0, *(self.vocabulary * self.length.shape[1])])

    def counts(self, t: int) -> np.ndarray:
        return self.count[self._start[t] : self._start[t + 1]].reshape(-1, int(self.vocabulary[t]))

    def probability(self, t: int) -> np.ndarray:
        """θ of every class and word, shape (K, W)."""
        return smoothed(self.counts(t), self.alpha)

    def log_likelihood(self, t: int, counts: sp.csr_array) -> np.ndarray:
        """Σ n·log θ of every document and class; a missing document says nothing."""
        return weighted_log(counts, log_of(self.probability(t)))

    def draw(self, t: int, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw documents, as arrays of word codes."""
        lengths = rng.poisson(self.length[t][labels])
        codes = choose(rng, observed(self.counts(t)), np.repeat(labels, lengths))
        documents = np.empty(len(labels), dtype=object)
        documents[:] = np.split(codes, np.cumsum(lengths)[:-1])
        return documents


def weighted_log(counts: np.ndarray | sp.csr_array, log_probability: np.ndarray) -> np.ndarray:
    """Return counts @ log_probability.T where a count of zero is zero, also beside log 0."""
    impossible = np.isneginf(log_probability)
    if not impossible.any():
        return np.asarray(counts @ log_probability.T)
    total = np.asarray(counts @ np.where(impossible, 0.0, log_probability).T)
    total[np.asarray(counts @ impossible.astype(np.float64).T) > 0] = -np.inf
    return total
