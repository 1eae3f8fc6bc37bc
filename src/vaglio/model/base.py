"""What every model is."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError

State = tuple[dict[str, np.ndarray], dict[str, Any]]


@runtime_checkable
class Model(Protocol):
    """A fitted, frozen, data-only object.

    ``state`` gives arrays and JSON-able data; ``from_state`` takes them back and trusts nothing: every index, size
    and number is checked before use, since the file may be damaged or hostile.
    """

    kind: ClassVar[str]

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray: ...

    def state(self) -> State: ...

    @classmethod
    def from_state(
        cls,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        features: tuple[Feature, ...],
        n_classes: int,
    ) -> Model: ...

    def size(self) -> dict[str, int]: ...


def class_codes(model: Any, matrix: EncodedMatrix) -> np.ndarray:
    """Return the code of the class a model decides for, ties to the first class."""
    decide = getattr(model, "predict_codes", None)
    if decide is not None:
        return decide(matrix)
    return np.argmax(model.predict_proba(matrix), axis=1)


def codes_and_proba(model: Any, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray | None]:
    """Return class codes and, where the model has them, probabilities, without computing the same thing twice."""
    both = getattr(model, "predict_codes_and_proba", None)
    try:
        if both is not None:
            codes, probabilities = both(matrix)
            return codes, probabilities
        probabilities = model.predict_proba(matrix)
    except NotSupportedError:  # a perceptron, or a support vector machine without calibration
        return class_codes(model, matrix), None
    if hasattr(model, "predict_codes"):
        return class_codes(model, matrix), probabilities
    return np.argmax(probabilities, axis=1), probabilities
