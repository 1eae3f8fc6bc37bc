"""Naive Bayes for mixed tables: log P(c) plus the sum over the attributes of log P(x|c)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.bayes.model import naive_bayes_file as file
from vaglio.learners.bayes.model.likelihood import (
    CATEGORY,
    INTERVAL,
    VALUE,
    GaussianGroup,
    KernelGroup,
    TableGroup,
    Terms,
)
from vaglio.learners.bayes.model.named_likelihood import NamedGroup
from vaglio.learners.bayes.model.posterior import BayesModel, log_of
from vaglio.learners.bayes.model.quantiles import NO_QUANTILES, Quantiles
from vaglio.learners.bayes.model.text_likelihood import WordGroup
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class NaiveBayesModel(BayesModel):
    """Priors and the likelihood of every attribute.

    Attributes
    ----------
    class_count : float64 (K,)
        Training weight of each class.
    prior : float64 (K,)
    gaussian, table, kernel, words, named : groups of attributes
    quantiles : Quantiles
        How the numbers were distributed in training, to draw new ones.
    """

    kind: ClassVar[str] = "naive-bayes"

    class_count: np.ndarray
    prior: np.ndarray
    gaussian: GaussianGroup
    table: TableGroup
    kernel: KernelGroup
    words: WordGroup
    named: NamedGroup
    quantiles: Quantiles = NO_QUANTILES
    threads: int = field(default=1, compare=False)

    @cached_property
    def terms(self) -> Terms:
        parts = [self.gaussian.terms(), self.table.terms()]
        return Terms(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.size for part in parts]),
            [numbers for part in parts for numbers in part.numbers],
        )

    # -- use ---------------------------------------------------------------------------------------------------------
    def joint_log_likelihood(self, matrix: EncodedMatrix) -> np.ndarray:
        """Log P(x, c) of every row and class; missing values are left out of the product."""
        if len(self.terms.feature):
            joint = self._sum(matrix, self.terms, self.log_prior)
        else:
            joint = np.repeat(self.log_prior[None], matrix.n_rows, axis=0)
        for t, j in enumerate(self.kernel.feature):
            joint += self._kernel_evidence(matrix, t, int(j))
        for t, j in enumerate(self.named.feature):
            joint += self.named.log_density(t, matrix.numeric[:, matrix.position[j]])
        for t, j in enumerate(self.words.feature):
            joint += self.words.log_likelihood(t, matrix.word_counts(int(j)))
        return joint

    def evidence(self, matrix: EncodedMatrix) -> dict[int, np.ndarray]:
        """Log P(x|c) of each attribute by itself: feature index -> (n, K). Prior and evidence add up to the joint."""
        nothing = np.zeros(len(self.prior))
        terms = self.terms
        found = {int(j): self._sum(matrix, terms.only(t), nothing) for t, j in enumerate(terms.feature)}
        found |= {int(j): self._kernel_evidence(matrix, t, int(j)) for t, j in enumerate(self.kernel.feature)}
        for t, j in enumerate(self.named.feature):
            found[int(j)] = self.named.log_density(t, matrix.numeric[:, matrix.position[j]])
        for t, j in enumerate(self.words.feature):
            found[int(j)] = self.words.log_likelihood(t, matrix.word_counts(int(j)))
        return dict(sorted(found.items()))

    def _sum(self, matrix: EncodedMatrix, terms: Terms, prior: np.ndarray) -> np.ndarray:
        column = matrix.position[terms.feature].astype(np.int32)
        kind = terms.kind.astype(np.int32)
        size = terms.size.astype(np.int64)
        return _core.naive_bayes_joint(
            matrix.numeric, matrix.codes, prior, kind, column, size, terms.start, terms.flat, self.threads
        )

    def _kernel_evidence(self, matrix: EncodedMatrix, t: int, feature: int) -> np.ndarray:
        column = np.ascontiguousarray(matrix.numeric[:, matrix.position[feature]])
        return self.kernel.log_density(t, column, self.threads)

    def draw(self, labels: np.ndarray, rng: np.random.Generator) -> dict[int, np.ndarray]:
        """Draw a row for each class code: feature index -> numbers, codes or lists of words."""
        drawn = {int(j): self.words.draw(t, labels, rng) for t, j in enumerate(self.words.feature)}
        for group in (self.gaussian, self.table, self.kernel, self.named):
            drawn |= {int(j): group.draw(t, labels, rng, self.quantiles) for t, j in enumerate(group.feature)}
        return drawn

    def linear_weights(self) -> dict[int, np.ndarray]:
        """Log P(v|c) of every category and class, by nominal feature: discrete naive Bayes is linear in them."""
        nominal = np.flatnonzero(self.table.table_kind == CATEGORY).tolist()
        return {int(self.table.feature[t]): log_of(self.table.probability(t)) for t in nominal}

    def likelihood_names(self, features: tuple[Feature, ...]) -> dict[str, str]:
        """Return the name of the likelihood of each column."""
        names = {int(j): "gaussian" for j in self.gaussian.feature} | {int(j): "kde" for j in self.kernel.feature}
        names |= {int(j): "words" for j in self.words.feature}
        names |= {int(j): self.named.distribution_of(t) for t, j in enumerate(self.named.feature)}
        by_kind = {CATEGORY: "frequency", INTERVAL: "mdl", VALUE: "discrete"}
        names |= {int(j): by_kind[int(kind)] for j, kind in zip(self.table.feature, self.table.table_kind)}
        return {features[j].name: names[j] for j in sorted(names)}

    def size(self) -> dict[str, int]:
        numbers = self.gaussian.mean.size * 2 + self.table.count.size + self.kernel.value.size + self.words.size
        numbers += self.named.mean.size * 2
        attributes = len(self.gaussian) + len(self.table) + len(self.kernel) + len(self.words) + len(self.named)
        return {"attributes": attributes, "classes": len(self.prior), "numbers": numbers}

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        return file.write(self)

    @classmethod
    def from_state(
        cls,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        features: tuple[Feature, ...],
        n_classes: int,
    ) -> NaiveBayesModel:
        return cls(**file.read(arrays, meta, features, n_classes))
