"""The learner of class means."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.parameters import estimator

from .model import MeanModel


@estimator
class NearestMeanClassifier(VaglioClassifier):
    """Give a row the class whose mean is nearest.

    Parameters
    ----------
    centre : bool, default=True
        Whether the mean is the centre; else the origin is.
    """

    _learner_id = "nearest-mean"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"centre": ["boolean"]}

    centre: bool = True

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> MeanModel:
        codes = range(len(self.classes_))
        rows = np.nan_to_num(matrix.numeric) * self.centre
        w = np.ones(len(y)) if weight is None else weight
        return MeanModel(np.array([np.average(rows[y == code], axis=0, weights=w[y == code]) for code in codes]))
