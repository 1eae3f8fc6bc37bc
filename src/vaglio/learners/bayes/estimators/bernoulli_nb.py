"""Bernoulli naive Bayes: presence and absence."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import CountBlock, EncodedMatrix
from vaglio.learners.bayes.estimators.count_bayes import CountBayes
from vaglio.learners.bayes.model.count_bayes import BernoulliModel, binarized
from vaglio.learners.bayes.model.posterior import log_of
from vaglio.learners.parameters import estimator


@estimator
class BernoulliNB(CountBayes):
    """Bernoulli naive Bayes: the absence of a word or property counts as evidence too, not only its presence.

    For 0/1 columns, dense or sparse, or a table with text columns, whose words are looked for inside. Missing values
    are neither present nor absent: they are left out.

    Parameters
    ----------
    binarize : float or None
        A value above it counts as present; None means that X has only 0 and 1.

    Examples
    --------
    >>> from vaglio import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> model.predict([[1, 0]]).tolist()
    ['a']
    """

    _learner_id = "bernoulli-nb"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"binarize": [Real, None]}

    binarize: float | None = 0.0

    def _count(self, block: CountBlock) -> Any:
        return binarized(block.values, self.binarize)

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> BernoulliModel:
        return BernoulliModel(
            matrix.features,
            self.class_count_,
            prior,
            self.feature_count_,
            self._seen,
            self._alpha(),
            binarize=None if self.binarize is None else float(self.binarize),
        )

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        return log_of((count + self._alpha()) / np.maximum(seen + 2 * self._alpha(), np.finfo(float).tiny))
