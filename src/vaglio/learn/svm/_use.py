"""What a trained support vector machine is asked: decision values, probabilities, coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from vaglio.learn._base import VaglioClassifier
from vaglio.model.svm.svm import SVMModel
from vaglio.table import as_frame


def _is_calibrated(estimator: MachineUse) -> bool:
    if estimator.calibration is None:
        raise AttributeError("This SVC gives no probabilities: use decision_function, or calibration='sigmoid'.")
    return True


class MachineUse(VaglioClassifier):
    """The half of SVC that comes after training."""

    calibration: str | None
    phi: Any
    multi_class: str

    def decision_function(self, X: Any) -> np.ndarray:
        """Return decision values: (n_samples,) for two classes (positive is the second), else a column a class.

        With ``decision_function_shape="ovo"``, a column for each pair of classes: positive is the first.
        """
        matrix = self._encode(X)
        return self._model().decision_function(matrix)

    @available_if(_is_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the calibrated probability of each class; its largest need not be what ``predict`` says."""
        return super().predict_proba(X)

    @available_if(_is_calibrated)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of :meth:`predict_proba`."""
        return super().predict_log_proba(X)

    @property
    def coef_(self) -> np.ndarray:
        """Weight vector of each machine, for a linear kernel."""
        check_is_fitted(self, "fitted_")
        coef = self._model().coef
        if coef is None:
            raise AttributeError("coef_ exists only for a linear kernel: in another kernel's space w has no columns.")
        return coef

    def coefficients(self) -> Any:
        """Return w and b of a linear kernel in the units of the table, one line per machine and encoded column.

        Returns
        -------
        DataFrame
            ``class`` (a positive value speaks for it), ``against``, ``name``, ``coefficient``; the intercept first.
        """
        check_is_fitted(self, "fitted_")
        if self.phi is not None:
            raise AttributeError("With phi the weights belong to the columns it makes: see coef_.")
        if self._model().coef is None:
            raise AttributeError("Coefficients exist only for a linear kernel: another kernel's w has no columns.")
        rows = self.fitted_.coefficients()
        sides = {side: [str(row[side]) for row in rows] for side in ("class", "against")}
        return as_frame({**sides, **{name: [row[name] for row in rows] for name in ("name", "coefficient")}})

    def _model(self) -> SVMModel:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, SVMModel)
        return model
