"""One linear function of the encoded columns for each class (or one for two classes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from vaglio.encode import DenseEncoder, EncodedMatrix, Feature, within_reach
from vaglio.errors import NotSupportedError
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A perceptron or a logistic regression after training.

    Attributes
    ----------
    encoder : DenseEncoder
    coef : ndarray, shape (outputs, width)
        In the encoded space; one output for two classes (a positive value favours the second), else one per class.
    intercept : ndarray, shape (outputs,)
    probabilistic : bool
        Whether the values are log-odds; a perceptron's are not.
    """

    kind: ClassVar[str] = "linear"

    encoder: DenseEncoder
    coef: np.ndarray
    intercept: np.ndarray
    probabilistic: bool = True

    def decision_function(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return w·x + b: shape (n,) for two classes, else (n, n_classes)."""
        rows = self.encoder.transform(matrix)
        values = within_reach(rows, self._values)
        decisions: np.ndarray = values[:, 0] if len(self.intercept) == 1 else values
        return decisions

    def _values(self, rows: Any) -> np.ndarray:
        values: np.ndarray = np.asarray(rows @ self.coef.T)
        values += self.intercept
        return values

    def class_scores(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return one value per class, also where there are two: what a search for a change makes smaller."""
        values = self.decision_function(matrix)
        return values if values.ndim == 2 else np.column_stack([-values, values])

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        if not self.probabilistic:
            raise NotSupportedError("A perceptron gives no probabilities: use decision_function or predict.")
        values = self.decision_function(matrix)
        if values.ndim == 2:
            probability: np.ndarray = softmax(values, axis=1)
            return probability
        second = expit(values)
        return np.column_stack([expit(-values), second])

    def predict_codes(self, matrix: EncodedMatrix) -> np.ndarray:
        values = self.decision_function(matrix)
        return np.argmax(values, axis=1) if values.ndim == 2 else (values > 0).astype(np.int64)

    def size(self) -> dict[str, int]:
        return {"weights": self.coef.size + self.intercept.size}

    def state(self) -> State:
        arrays, meta = self.encoder.to_state()
        arrays = {**arrays, "coef": self.coef, "intercept": self.intercept}
        return arrays, {"encoder": meta, "probabilistic": self.probabilistic}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> LinearModel:
        encoder = DenseEncoder.from_state(arrays, meta.get("encoder"), features)
        outputs = 1 if n_classes == 2 else n_classes
        checks.need(n_classes >= 2, "a linear model needs two classes")
        coef = checks.array(arrays, "coef", np.float64, (outputs, encoder.width), finite=True)
        intercept = checks.array(arrays, "intercept", np.float64, (outputs,), finite=True)
        return cls(encoder, coef, intercept, checks.number(meta, "probabilistic", bool))
