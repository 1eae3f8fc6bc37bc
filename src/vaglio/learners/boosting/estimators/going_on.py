"""The model that boosting goes on with (warm_start), and why it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError
from vaglio.learners.boosting.model.boosted import Boosted


def model_before(estimator: Any, matrix: EncodedMatrix, link: str, outputs: int) -> Boosted | None:
    """Return the model to go on with; None where a new one is learned.

    Parameters
    ----------
    estimator : BoostingEstimator
    matrix : EncodedMatrix
        The rows of this fit.
    link : str
    outputs : int
        What the model of this fit has.
    """
    if not estimator.warm_start:
        return None
    if estimator.n_models not in ("auto", 1):
        raise InputError(
            f"warm_start goes on with one model, not with the mean of {estimator.n_models}: set n_models=1."
        )
    fitted = getattr(estimator, "fitted_", None)
    if fitted is None:
        return None
    averaged = getattr(estimator, "n_models_", 1)
    if averaged > 1:
        raise InputError(
            f"warm_start goes on with one model, and the fit before left the mean of {averaged}: use a new estimator "
            "with warm_start=True from its first fit on."
        )
    model = fitted.model
    assert isinstance(model, Boosted)
    same = fitted.codebook.features == matrix.features and model.link == link and model.outputs == outputs
    if not same or not _same_classes(fitted.classes, getattr(estimator, "classes_", None)):
        raise InputError("warm_start needs the columns and classes of the fit before: use a new estimator.")
    if estimator.max_iter < model.rounds:
        raise InputError(
            f"max_iter is {estimator.max_iter}, but the model has {model.rounds} rounds already: with warm_start ask "
            "for more, or use a new estimator."
        )
    return model


def _same_classes(before: np.ndarray | None, now: np.ndarray | None) -> bool:
    return before is None or now is None or before.tolist() == now.tolist()
