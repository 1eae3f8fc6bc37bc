"""The mean of the numbers of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class MeanModel:
    """The mean of the numbers of each class."""

    kind: ClassVar[str] = "nearest-mean"

    mean: np.ndarray

    def distances(self, matrix: EncodedMatrix) -> np.ndarray:
        """Squared distance of each row to the mean of each class; a missing value counts nothing."""
        difference = np.nan_to_num(matrix.numeric[:, None, :] - self.mean)
        distances: np.ndarray = (difference**2).sum(axis=2)
        return distances

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        closeness = 1 / (1 + self.distances(matrix))
        probability: np.ndarray = closeness / closeness.sum(axis=1, keepdims=True)
        return probability

    def size(self) -> dict[str, int]:
        return {"means": self.mean.size}

    def state(self) -> State:
        return {"mean": self.mean}, {}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> MeanModel:
        width = sum(feature.in_numeric_block for feature in features)
        return cls(checks.array(arrays, "mean", np.float64, (n_classes, width), finite=True))
