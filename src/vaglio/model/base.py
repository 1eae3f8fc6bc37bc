"""What every model is, and how its class codes and labels are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import NotSupportedError

State = tuple[dict[str, np.ndarray], dict[str, Any]]


@runtime_checkable
class Model(Protocol):
    """A fitted, frozen, data-only object.

    ``state`` gives arrays and JSON-able data; ``from_state`` takes them back and checks everything: every index, size
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
    codes: np.ndarray = np.argmax(model.predict_proba(matrix), axis=1) if decide is None else decide(matrix)
    return codes


def plain_label(label: Any) -> Any:
    """Return a class label as a plain Python value."""
    return label.item() if hasattr(label, "item") else label


def label_array(labels: Sequence[Any]) -> np.ndarray:
    """Return labels as an array that keeps their types: NumPy would make text of mixed ones."""
    if len({type(label) for label in labels}) == 1:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


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
