"""Linear models and the multi-layer perceptron as arrays, predicted by plain matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from vaglio.encode import DenseEncoder, EncodedMatrix, Feature, within_reach
from vaglio.errors import NotSupportedError
from vaglio.model import checks
from vaglio.model.base import State

# The functions scikit-learn trains with, by its names.
ACTIVATIONS = {
    "identity": lambda z: z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
}
# What a layer of a network puts out for the rows that are looked at together: half a megabyte, and no fewer rows.
_CACHED_NUMBERS = 1 << 16
_LEAST_ROWS = 64


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A perceptron, a logistic or a linear regression after training.

    Attributes
    ----------
    encoder : DenseEncoder
    coef : ndarray, shape (outputs, width)
        In the encoded space; one output for two classes (a positive value favours the second), else one per class; for
        numbers the only output is the prediction.
    intercept : ndarray, shape (outputs,)
    probabilistic : bool
        Whether the values are log-odds; a perceptron's are not, and neither are predicted numbers.
    """

    kind: ClassVar[str] = "linear"

    encoder: DenseEncoder
    coef: np.ndarray
    intercept: np.ndarray
    probabilistic: bool = True

    def decision_function(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return w·x + b: shape (n,) for two classes, else (n, n_classes)."""
        values = within_reach(self.encoder.compact(matrix), self._values)
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
            raise NotSupportedError(
                "no-probabilities-of-perceptron",
                "A perceptron has no probabilities. Use decision_function or predict.",
            )
        values = self.decision_function(matrix)
        if values.ndim == 2:
            probability: np.ndarray = softmax(values, axis=1)
            return probability
        second = expit(values)
        return np.column_stack([expit(-values), second])

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number, where numbers are predicted."""
        return self.decision_function(matrix)

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
        outputs = n_classes if n_classes > 2 else 1
        checks.need(n_classes != 1, "a linear model needs two classes")
        coef = checks.array(arrays, "coef", np.float64, (outputs, encoder.width), finite=True)
        intercept = checks.array(arrays, "intercept", np.float64, (outputs,), finite=True)
        probabilistic = checks.number(meta, "probabilistic", bool)
        checks.need(n_classes > 0 or not probabilistic, "numbers have no log-odds")
        return cls(encoder, coef, intercept, probabilistic)


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A multi-layer perceptron after training.

    Attributes
    ----------
    encoder : DenseEncoder
    weights : tuple of ndarray, shapes (width, units), …
    biases : tuple of ndarray
    activation : {"identity", "logistic", "tanh", "relu"}
        Of the hidden layers; the output is a logistic unit for two classes, else a softmax; a number as it is.
    """

    kind: ClassVar[str] = "mlp"

    encoder: DenseEncoder
    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    activation: str

    def log_odds(self, rows: Any) -> np.ndarray:
        """Return the last layer for encoded rows: one column for two classes, else one per class."""
        found = np.empty((rows.shape[0], len(self.biases[-1])))
        # So many rows at a time that what the layers put out stays in the cache.
        step = max(_LEAST_ROWS, _CACHED_NUMBERS // max(len(bias) for bias in self.biases))
        for first in range(0, len(found), step):
            found[first : first + step] = self._last_layer(rows[first : first + step])
        return found

    def _last_layer(self, rows: Any) -> np.ndarray:
        *hidden, (weight, bias) = zip(self.weights, self.biases)
        activate = ACTIVATIONS[self.activation]
        for inner, shift in hidden:
            rows = rows @ inner
            rows += shift
            rows = activate(rows)
        values: np.ndarray = rows @ weight
        values += bias
        return values

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        values = within_reach(self.encoder.transform(matrix), self.log_odds)
        if values.shape[1] > 1:
            probability: np.ndarray = softmax(values, axis=1)
            return probability
        return np.column_stack([expit(-values[:, 0]), expit(values[:, 0])])

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number, where numbers are predicted."""
        return within_reach(self.encoder.transform(matrix), self.log_odds)[:, 0]

    def size(self) -> dict[str, int]:
        count = sum(array.size for array in (*self.weights, *self.biases))
        return {"weights": int(count), "layers": len(self.weights)}

    def state(self) -> State:
        arrays, meta = self.encoder.to_state()
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            arrays[f"weight_{layer}"], arrays[f"bias_{layer}"] = weight, bias
        return arrays, {"encoder": meta, "activation": self.activation, "layers": len(self.weights)}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> NetworkModel:
        encoder = DenseEncoder.from_state(arrays, meta.get("encoder"), features)
        layers = checks.number(meta, "layers", int)
        checks.need(0 < layers <= 1000, "the number of layers is impossible")
        checks.need(n_classes != 1, "a network needs two classes")
        activation = checks.number(meta, "activation", str)
        checks.need(activation in ACTIVATIONS, "the activation is unknown")
        weights, biases, width = [], [], encoder.width
        for layer in range(layers):
            last = layer + 1 == layers
            units = (n_classes if n_classes > 2 else 1) if last else None
            weight = checks.array(arrays, f"weight_{layer}", np.float64, (width, units), finite=True)
            width = weight.shape[1]
            weights.append(weight)
            biases.append(checks.array(arrays, f"bias_{layer}", np.float64, (width,), finite=True))
        return cls(encoder, tuple(weights), tuple(biases), activation)
