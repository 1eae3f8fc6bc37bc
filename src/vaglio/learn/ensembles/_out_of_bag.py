"""The out-of-bag estimate: each row is predicted by the members whose bootstrap sample it was not in."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import r2_score

from vaglio.errors import DataWarning
from vaglio.learn._parameters import estimator
from vaglio.learn.estimator import VaglioEstimator


@estimator
class OutOfBagEstimator(VaglioEstimator):
    """What bagging and forests share.

    Parameters
    ----------
    bootstrap : bool
        Draw the rows of each member with replacement.
    oob_score : bool
        Estimate the accuracy (R² for numbers) by predicting each row with the members that were not trained on it.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy, or R² for numbers; exists with ``oob_score=True``.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Of a classifier with ``oob_score=True``: probabilities by the members that were not trained on the row; NaN for
        a row that all members were trained on.
    oob_prediction_ : ndarray of shape (n_samples,)
        Of a regressor with ``oob_score=True``: predictions by the members that were not trained on the row, else NaN.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"bootstrap": ["boolean"], "oob_score": ["boolean"]}

    bootstrap: bool = True
    oob_score: bool = False

    oob_score_: float = field(init=False)
    oob_decision_function_: np.ndarray = field(init=False)
    oob_prediction_: np.ndarray = field(init=False)

    def _forget_out_of_bag(self) -> None:
        """Remove the estimates of an earlier fit: they are not those of the model that is learned now."""
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _keep_out_of_bag(self, means: np.ndarray, asked: np.ndarray, y: np.ndarray, member: str) -> None:
        """Set the fitted attributes.

        Parameters
        ----------
        means : ndarray of shape (n_samples, n_outputs)
            Mean prediction of the members that were not trained on the row.
        asked : ndarray of shape (n_samples,)
            How many members these are.
        y : ndarray
            Class codes or numbers.
        member : str
            What a member is called in the warning.
        """
        known = asked > 0
        if not known.all():
            warnings.warn(
                f"{int((~known).sum())} of {len(y)} rows were drawn for every {member} and have no out-of-bag "
                f"estimate: use more {member}s.",
                DataWarning,
                stacklevel=5,
            )
        if is_classifier(self):
            self.oob_decision_function_ = means
            right = np.argmax(means[known], axis=1) == y[known]
            self.oob_score_ = float(right.mean()) if known.any() else float("nan")
        else:
            self.oob_prediction_ = means[:, 0]
            self.oob_score_ = float(r2_score(y[known], means[known, 0])) if known.sum() > 1 else float("nan")
