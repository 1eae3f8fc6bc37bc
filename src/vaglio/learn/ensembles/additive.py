"""Additive models: one table of scores per column and per pair of columns, boosted a small step at a time."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError
from vaglio.learn._parameters import estimator
from vaglio.learn.ensembles._additive import AdditiveEstimator
from vaglio.learn.estimator import VaglioClassifier, VaglioRegressor
from vaglio.model.ensembles.additive import Additive


@estimator
class ExplainableBoostingClassifier(VaglioClassifier, AdditiveEstimator):
    """Additive model for classes: one table of log-odds per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the log loss by itself. So the
    model is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``). The mean of
    several bags is taken, and their spread is the band around each function.

    Parameters
    ----------
    objective : {"log_loss"}
        What is minimised.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> model = vaglio.ExplainableBoostingClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.term_names_[:2]
    ['island', 'bill_length_mm']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"objective": [StrOptions({"log_loss"})]}

    objective: str = "log_loss"
    class_weight: Any = None

    def _kernel_loss(self) -> tuple[str, str, int]:
        k = len(self.classes_)
        return ("binomial", "logit", 1) if k == 2 else ("multinomial", "softmax", k)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores before they become probabilities.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the log-odds of the second.
        """
        raw = self._scores(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def _scores(self, X: Any) -> np.ndarray:
        matrix = self._encode(X)
        return self._additive.raw(matrix)


@estimator
class ExplainableBoostingRegressor(VaglioRegressor, AdditiveEstimator):
    """Additive model for numbers: one table per column and per pair of columns.

    Boosting goes round the columns; each takes a small step that fits the gradient of the loss by itself. So the model
    is a sum of one function per column, which can be drawn, checked and changed (``fitted_.edit``).

    Parameters
    ----------
    objective : {"squared_error", "poisson", "gamma"}
        What is minimised: it gives the mean, or the mean of counts or of positive numbers by its logarithm.

    Examples
    --------
    >>> from vaglio import ExplainableBoostingRegressor
    >>> X = [[float(i)] for i in range(100)]
    >>> model = ExplainableBoostingRegressor(random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(90 < model.predict([[50.0]])[0] < 110)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "objective": [StrOptions({"squared_error", "poisson", "gamma"})]
    }

    objective: str = "squared_error"

    def _kernel_loss(self) -> tuple[str, str, int]:
        return self.objective, "identity" if self.objective == "squared_error" else "log", 1

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Additive:
        if self.objective == "gamma" and y.min() <= 0:
            raise InputError("The objective 'gamma' needs positive numbers: y has a number that is 0 or less.")
        if self.objective == "poisson" and (y.min() < 0 or y.sum() <= 0):
            raise InputError("The objective 'poisson' needs numbers that are not negative and not all 0.")
        return super()._learn(matrix, y, weight)
