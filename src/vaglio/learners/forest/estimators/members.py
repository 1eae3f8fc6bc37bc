"""What ensembles of members share: members as a sequence, more of them (warm start), the out-of-bag estimate."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import DataWarning, InputError
from vaglio.learners.estimator import VaglioEstimator
from vaglio.learners.parameters import estimator


@estimator
class OutOfBagEstimator(VaglioEstimator):
    """What bagging and forests share.

    Parameters
    ----------
    bootstrap : bool
        Draw the rows of each member with replacement.
    oob_score : bool or callable
        Estimate the accuracy (R² for numbers) by predicting each row with the members that were not trained on it. A
        function of what is true and what is predicted, f(y, predicted), gives another measure than these; it gets
        the numbers of classes, in the order of ``classes_``.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy, or R² for numbers, or what the function ``oob_score`` says; exists with ``oob_score``.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Of a classifier with ``oob_score``: probabilities by the members that were not trained on the row; NaN for a row
        that all members were trained on, or that has the weight 0.
    oob_prediction_ : ndarray of shape (n_samples,)
        Of a regressor with ``oob_score``: predictions by the members that were not trained on the row, else NaN.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
    }

    bootstrap: bool = True
    oob_score: Any = False

    oob_score_: float = field(init=False)
    oob_decision_function_: np.ndarray = field(init=False)
    oob_prediction_: np.ndarray = field(init=False)

    def _finish(
        self, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: Any, *args: Any, **more: Any
    ) -> Self:
        # Rows that weigh nothing are left out before anything is learned: the numbers of rows are those of all rows.
        self._counted = None if weight is None or weight.all() else (len(y), np.flatnonzero(weight))
        try:
            return super()._finish(codebook, matrix, y, weight, *args, **more)
        finally:
            del self._counted

    def _row_numbers(self, rows: np.ndarray) -> np.ndarray:
        """Return the numbers, among all rows that were given, of rows that are learned from."""
        counted = self.__dict__.get("_counted")
        return rows if counted is None else counted[1][rows]

    def _for_all_rows(self, found: np.ndarray) -> np.ndarray:
        """Return what was found of the rows that are learned from for all that were given, NaN for the others."""
        counted = self.__dict__.get("_counted")
        if counted is None:
            return found
        spread = np.full((counted[0], *found.shape[1:]), np.nan)
        spread[counted[1]] = found
        return spread

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
        chosen = self.oob_score if callable(self.oob_score) else None
        if is_classifier(self):
            self.oob_decision_function_ = self._for_all_rows(means)
            measure, predicted, least = chosen or accuracy_score, np.argmax(means[known], axis=1), 1
        else:
            self.oob_prediction_ = self._for_all_rows(means[:, 0])
            measure, predicted, least = chosen or r2_score, means[known, 0], 2
        self.oob_score_ = float(measure(y[known], predicted)) if known.sum() >= least else float("nan")


class HasMembers:
    """For ensembles with ``estimators_``: their number, each by its number, one after the other."""

    estimators_: Any

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        return True  # also before it has members


def check_warm_start(ensemble: Any, matrix: EncodedMatrix, kept: int, members: str) -> None:
    """Refuse to add members to an ensemble where it has others, of other columns or classes; say where none is added.

    Parameters
    ----------
    ensemble : estimator
        A fitted ensemble, of which ``classes_`` are those of the rows given now.
    matrix : EncodedMatrix
        The rows given now.
    kept : int
        How many members it has.
    members : str
        What they are called.
    """
    fitted, classes = ensemble.fitted_, getattr(ensemble, "classes_", None)
    same_classes = classes is None or np.array_equal(fitted.classes, classes)
    if fitted.codebook.features != matrix.features or not same_classes:
        raise InputError("warm_start needs the columns and classes of the fit before: use a new estimator.")
    if ensemble.n_estimators < kept:
        raise InputError(
            f"n_estimators is {ensemble.n_estimators}, but the model has {kept} {members} already: with warm_start ask "
            "for more."
        )
    if ensemble.n_estimators == kept:
        warnings.warn(
            f"The model has {kept} {members} already, and warm_start trained no other: raise n_estimators.",
            DataWarning,
            stacklevel=6,
        )
