"""What boosting stops by, if not by its loss: any score of scikit-learn, of the predictions after each round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

from vaglio.errors import InputError
from vaglio.learners.boosting.model.boosted import numbers_of, probabilities_of


class _Predicted(BaseEstimator):
    """Predictions that are there already, as an estimator that a scorer can ask."""

    def __init__(self, raw: np.ndarray, link: str, unit: float = 1.0) -> None:
        self.raw = raw
        self.link = link
        self.unit = unit

    def fit(self, X: Any, y: Any) -> _Predicted:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _PredictedClasses(ClassifierMixin, _Predicted):
    classes_: np.ndarray

    def predict_proba(self, X: Any) -> np.ndarray:
        return probabilities_of(self.raw, self.link)

    def decision_function(self, X: Any) -> np.ndarray:
        return self.raw[:, 0] if self.raw.shape[1] == 1 else self.raw

    def predict(self, X: Any) -> np.ndarray:
        found: np.ndarray = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return found


class _PredictedNumbers(RegressorMixin, _Predicted):
    def predict(self, X: Any) -> np.ndarray:
        return self.unit * numbers_of(self.raw, self.link)


@dataclass(frozen=True)
class RoundScore:
    """A score of scikit-learn, as a loss of raw predictions: the smaller, the better.

    Attributes
    ----------
    scoring : str or callable
        The name of a score, or a function of (estimator, X, y).
    link : str
        How raw predictions become answers.
    y : ndarray
        Labels or numbers of all rows, as the user gave them.
    classes : ndarray or None
    weight : float64 (n,) or None
    unit : float
        What predicted numbers are multiplied by.
    """

    scoring: Any
    link: str
    y: np.ndarray
    classes: np.ndarray | None
    weight: np.ndarray | None
    unit: float = 1.0

    def loss(self, raw: np.ndarray, rows: np.ndarray) -> float:
        """Return the negative score of some rows; raw has shape (outputs, n)."""
        own: Any
        if self.classes is None:
            own = _PredictedNumbers(raw[:, rows].T, self.link, self.unit)
        else:
            own = _PredictedClasses(raw[:, rows].T, self.link)
            own.classes_ = self.classes
        try:
            scorer = check_scoring(own, self.scoring)
        except ValueError:
            raise InputError(
                f"scoring={self.scoring!r} is no score: give 'loss', a name of sklearn.metrics.get_scorer_names(), or "
                "a function of (estimator, X, y)."
            ) from None
        # Some scores ask how many rows there are; none needs to see them.
        absent = np.zeros((len(rows), 1))
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        try:
            found = float(scorer(own, absent, self.y[rows], **weights))
        except (ValueError, TypeError) as problem:
            if not isinstance(self.scoring, str):
                raise  # the user's own function
            raise InputError(
                f"scoring={self.scoring!r} cannot be computed here, because {str(problem).rstrip('.')}: choose another "
                "score, or 'loss'."
            ) from None
        if np.isnan(found):
            raise InputError(
                f"scoring={self.scoring!r} is no number for some of the rows that rounds are chosen by, as where they "
                "lack a class: choose another score, or 'loss'."
            )
        return -found
