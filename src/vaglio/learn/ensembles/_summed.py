"""What boosted trees and additive models share: scores that are sums, learned by the gradient of a loss."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError
from vaglio.learn.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.model.ensembles.additive import Additive
from vaglio.model.ensembles.boosted import Boosted


class SummedEstimator(VaglioEstimator):
    """Learns a model whose scores are sums."""

    def _kernel_loss(self) -> tuple[str, str, int]:
        """Return the loss in the kernel's words, the link, and the number of scores per row."""
        raise NotImplementedError

    def _boost(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted | Additive:
        """Return the model, whatever has become of its scores."""
        raise NotImplementedError

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted | Additive:
        try:
            model = self._boost(matrix, y, weight)
        except OverflowError:
            model = None
        if model is None or not model.is_bounded:
            raise InputError(
                "The scores grow beyond all numbers: choose a smaller learning_rate, or divide the numbers to be "
                "predicted, or the weights, by a large number."
            )
        return model


class SummedClassifier(VaglioClassifier, SummedEstimator):
    """Of two classes the score is the log-odds of the second; of more, each class has one."""

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
        matrix = self._encode(X)
        model = self.fitted_.model
        assert isinstance(model, Boosted | Additive)
        return flat(model.raw(matrix))


class SummedRegressor(VaglioRegressor, SummedEstimator):
    """Refuses numbers that the loss is not made for."""

    # What the parameter with the loss is called.
    _loss_name: ClassVar[str] = "loss"

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Boosted | Additive:
        loss = getattr(self, self._loss_name)
        if loss == "gamma" and y.min() <= 0:
            raise InputError(f"The {self._loss_name} 'gamma' needs positive numbers: y has a number that is 0 or less.")
        if loss == "poisson" and (y.min() < 0 or y.sum() <= 0):
            raise InputError(f"The {self._loss_name} 'poisson' needs numbers that are not negative and not all 0.")
        return super()._learn(matrix, y, weight)


def flat(raw: np.ndarray) -> np.ndarray:
    """Return scores of one column as a list."""
    return raw[:, 0] if raw.shape[1] == 1 else raw
