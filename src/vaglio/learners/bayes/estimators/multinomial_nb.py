"""Multinomial naive Bayes: counts, bags of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import CountBlock, EncodedMatrix
from vaglio.engines.passes import Facts
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.count_bayes import CountBayes
from vaglio.learners.bayes.model.count_bayes import MultinomialModel
from vaglio.learners.bayes.model.posterior import log_of, smoothed
from vaglio.learners.parameters import estimator


@estimator
class MultinomialNB(CountBayes):
    """Multinomial naive Bayes: a row goes to the class with the largest log π + Σ n·log θ.

    For counts: a sparse or dense matrix of them, or a table with text columns, whose words are counted inside. A
    nominal column counts as one for its category.

    Examples
    --------
    >>> from vaglio import MultinomialNB, Table
    >>> from vaglio.table import Column
    >>> films = Table([Column.text("review", ["great fun", "awful mess", "great film"])])
    >>> model = MultinomialNB().fit(films, ["good", "bad", "good"])
    >>> model.predict(Table([Column.text("review", ["great mess, great fun"])])).tolist()
    ['good']
    >>> model.telling_words(1)["good"][0][0]
    'great'
    """

    _learner_id = "multinomial-nb"

    def _count(self, block: CountBlock) -> Any:
        values = block.values if isinstance(block.values, np.ndarray) else block.values.data
        if values.size and values.min() < 0:
            raise _negative()
        return block.values

    def _refuse_range(self, facts: Facts) -> None:
        if (facts.low < 0).any():
            raise _negative()

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> MultinomialModel:
        return MultinomialModel(
            matrix.features, self.class_count_, prior, self.feature_count_, self._seen, self._alpha()
        )

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        return log_of(smoothed(count, self._alpha()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _negative() -> InputError:
    return InputError(
        "Negative values in data passed to MultinomialNB (input X): counts start at 0; use NaiveBayesClassifier for "
        "numbers of any sign."
    )
