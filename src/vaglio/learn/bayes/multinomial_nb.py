"""Multinomial naive Bayes: counts, bags of words."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import CountBlock, EncodedMatrix
from vaglio.errors import InputError
from vaglio.learn.bayes._count_bayes import CountBayes
from vaglio.model.bayes.count_bayes import MultinomialModel
from vaglio.model.bayes.posterior import log_of, smoothed


class MultinomialNB(CountBayes):
    """Multinomial naive Bayes: a row goes to the class with the largest log π + Σ n·log θ.

    For counts: a sparse or dense matrix of them, or a table with text columns, whose words are counted inside. A
    nominal column counts as one for its category.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count.
    force_alpha : bool, default=True
        If False, alpha is at least 1e-10.
    fit_prior : bool, default=True
        Learn the class priors from the frequencies; else they are equal.
    class_prior : array-like of shape (n_classes,), optional
        Priors given.
    class_weight : dict, "balanced" or None

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_columns)
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)
        Log θ: the spectrum of each class; see :meth:`spectrum` and :meth:`telling_words`.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": [None, "array-like"],
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight

    def _count(self, block: CountBlock) -> Any:
        values = block.values if isinstance(block.values, np.ndarray) else block.values.data
        if values.size and values.min() < 0:
            raise InputError(
                "Negative values in data passed to MultinomialNB (input X): counts start at 0; use "
                "NaiveBayesClassifier for numbers of any sign."
            )
        return block.values

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
