"""What all models share: their form, how class codes and labels are read, how class weights become probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError, NotSupportedError, as_own_errors
from vaglio.messages.message import Message, Number, join, text
from vaglio.messages.sentences import did_you_mean
from vaglio.model.calibration import Calibration, calibrated

if TYPE_CHECKING:
    from vaglio.model.costs import CostMatrix

# What a model gives for a row, as messages call it.
PROBABILITIES, PREDICTIONS, DECISION_VALUES = text("probabilities"), text("predictions"), text("decision values")

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


def size_and_shape(model: Model) -> dict[str, float]:
    """Return the size of a model, and of a tree how long its paths are and how it branches."""
    shape: dict[str, float] = model.mean_shape() if hasattr(model, "mean_shape") else {}
    return {**model.size(), **{what: round(value, 4) for what, value in shape.items()}}


def size_in_words(model: Model) -> Message:
    """Return the same as text."""
    shape = [(what, value) for what, value in size_and_shape(model).items() if what not in model.size()]
    return join(", ", size_words(model.size()) + [_counted(what, value) for what, value in shape])


def size_words(size: Mapping[str, int]) -> list[Message]:
    """Return what a size counts, as text: of averaged models the rounds of each, and the trees of all."""
    averaged = "averaged_models" in size
    return [_counted(f"averaged_{what}" if averaged else what, count, what) for what, count in size.items()]


def _counted(what: str, count: float, plain: str = "") -> Message:
    known = _COUNTED.get(what) or _COUNTED.get(plain)
    if known is not None:
        return Message("", known.template, n=count)
    # A kind of model from outside this package counts what it likes.
    return join(" ", [Number(f"{count:,}"), (plain or what).replace("_", " ")])


# What a model consists of; the numbers here stand for any.
_COUNTED = {
    "attributes": text("{n:,} {n:attribute|attributes}", n=2),
    "averaged_models": text("{n:,} averaged {n:model|models}", n=2),
    "averaged_rounds": text("{n:,} {n:round|rounds} each", n=2),
    "averaged_trees": text("{n:,} {n:tree|trees} in total", n=2),
    "branching": text("branching {n:.3g}", n=2),
    "cells": text("{n:,} {n:cell|cells}", n=2),
    "classes": text("{n:,} {n:class|classes}", n=2),
    "columns": text("{n:,} {n:column|columns}", n=2),
    "components": text("{n:,} {n:component|components}", n=2),
    "conditions": text("{n:,} {n:condition|conditions}", n=2),
    "depth": text("depth {n:,}", n=2),
    "edges": text("{n:,} {n:edge|edges}", n=2),
    "estimators": text("{n:,} {n:estimator|estimators}", n=2),
    "layers": text("{n:,} {n:layer|layers}", n=2),
    "leaves": text("{n:,} {n:leaf|leaves}", n=2),
    "machines": text("{n:,} {n:machine|machines}", n=2),
    "mean_path": text("mean path {n:.3g}", n=2),
    "members": text("{n:,} {n:member|members}", n=2),
    "nodes": text("{n:,} {n:node|nodes}", n=2),
    "numbers": text("{n:,} {n:number|numbers}", n=2),
    "pairs": text("{n:,} {n:pair|pairs}", n=2),
    "rounds": text("{n:,} {n:round|rounds}", n=2),
    "rows": text("{n:,} {n:row|rows}", n=2),
    "rules": text("{n:,} {n:rule|rules}", n=2),
    "support_vectors": text("{n:,} support {n:vector|vectors}", n=2),
    "terms": text("{n:,} {n:term|terms}", n=2),
    "trees": text("{n:,} {n:tree|trees}", n=2),
    "weights": text("{n:,} {n:weight|weights}", n=2),
}

# Probabilities held at a time where only the classes are wanted (256 MB), in models of more classes than a table has.
_MOST_CELLS = 1 << 25
_MANY_CLASSES = 256


def class_codes(
    model: Model,
    matrix: EncodedMatrix,
    cost: CostMatrix | None = None,
    n_classes: int = 0,
    calibration: Calibration | None = None,
) -> np.ndarray:
    """Return the code of the class a model decides for, by itself or by least expected cost, ties to the first.

    With very many classes the rows are decided part by part: a small file can name more classes than memory holds
    probabilities for.
    """
    step = max(1, _MOST_CELLS // n_classes) if n_classes > _MANY_CLASSES else matrix.n_rows
    if matrix.n_rows <= step:
        return _decided(model, matrix, cost, calibration)
    parts = (matrix.take(slice(start, start + step)) for start in range(0, matrix.n_rows, step))
    return np.concatenate([_decided(model, part, cost, calibration) for part in parts])


def _decided(
    model: Model, matrix: EncodedMatrix, cost: CostMatrix | None, calibration: Calibration | None
) -> np.ndarray:
    if cost is not None:
        return cost.decide(class_proba(model, matrix, calibration))
    decide = getattr(model, "predict_codes", None)
    codes: np.ndarray = np.argmax(class_proba(model, matrix), axis=1) if decide is None else decide(matrix)
    return codes


def class_proba(model: Model, matrix: EncodedMatrix, calibration: Calibration | None = None) -> np.ndarray:
    """Return the probabilities that a model gives the classes of each row; they are numbers, or the row is refused."""
    given = check_finite(model.predict_proba(matrix), PROBABILITIES)
    return calibrated(given, calibration)


def one_per_row(name: str, values: Any, n_rows: int, dtype: DTypeLike | None = np.float64) -> np.ndarray:
    """Return values given beside rows as an array; one that has not a value for each row is an error.

    Parameters
    ----------
    name : str
        Of the parameter.
    values : array-like
    n_rows : int
    dtype : dtype, optional
    """
    with as_own_errors():
        found = np.asarray(values, dtype=dtype)
    if found.shape != (n_rows,):
        raise InputError(
            "one-value-per-row",
            "{name} has the shape {shape}; there are {n_rows:,} rows.",
            name=name,
            shape=found.shape,
            n_rows=n_rows,
        )
    return found


def check_finite(values: np.ndarray, what: str) -> np.ndarray:
    """Refuse rows with results that are no numbers: their values, or the model's own, are too large to compute with."""
    with np.errstate(over="ignore", invalid="ignore"):
        # If the sum is finite, so are its terms; only if it is not are they checked one by one.
        if not np.isfinite(values.sum()) and not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[0])
            raise InputError(
                "prediction-not-finite",
                "Row {row:,} has values that are too large, or too far from the training rows, for this model: its "
                "{quantity} are not finite. Correct the row or leave it out.",
                row=row + 1,
                quantity=what,
            )
    return values


def plain_label(label: object) -> Any:
    """Return a class label as a plain Python value."""
    return label.item() if hasattr(label, "item") else label


def label_array(labels: Sequence[Any]) -> np.ndarray:
    """Return labels as an array that keeps their types: NumPy would make text of mixed ones."""
    if len({type(label) for label in labels}) == 1:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def codes_and_proba(
    model: Model, matrix: EncodedMatrix, cost: CostMatrix | None = None, calibration: Calibration | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return class codes and, where the model has them, probabilities, without computing the same thing twice."""
    if cost is not None:
        probabilities = class_proba(model, matrix, calibration)
        return cost.decide(probabilities), probabilities
    codes, given = _codes_and_proba(model, matrix)
    return codes, None if given is None else calibrated(given, calibration)


def _codes_and_proba(model: Model, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray | None]:
    both = getattr(model, "predict_codes_and_proba", None)
    try:
        if both is not None:
            codes, probabilities = both(matrix)
            return codes, None if probabilities is None else check_finite(probabilities, PROBABILITIES)
        probabilities = class_proba(model, matrix)
    except NotSupportedError:  # a perceptron, or a support vector machine without calibration
        return class_codes(model, matrix), None
    if hasattr(model, "predict_codes"):
        return class_codes(model, matrix), probabilities
    return np.argmax(probabilities, axis=1), probabilities


# Nothing added, one row per class, or m rows that follow the prior.
SMOOTHINGS = ("none", "laplace", "m-estimate")


@dataclass(frozen=True)
class Smoothing:
    """How probabilities are drawn towards a prior.

    ``none``: w_c / W. ``laplace``: (w_c + 1) / (W + K). ``m-estimate``: (w_c + m·prior_c) / (W + m).

    Examples
    --------
    >>> from vaglio.model.base import Smoothing
    >>> Smoothing("laplace").probabilities([[3.0, 1.0]], [5.0, 5.0])
    array([[0.66666667, 0.33333333]])
    """

    kind: str = "none"
    m: float = 2.0

    def __post_init__(self) -> None:
        if self.kind not in SMOOTHINGS:
            raise InputError(
                "unknown-smoothing",
                "There is no smoothing {smoothing!r}: {hint}",
                smoothing=self.kind,
                hint=did_you_mean(self.kind, SMOOTHINGS),
            )
        if not (np.isfinite(self.m) and self.m >= 0):
            raise InputError("m-not-valid", "The m of the m-estimate must be a finite number >= 0, not {m}.", m=self.m)

    def probabilities(self, weights: np.ndarray, totals: np.ndarray) -> np.ndarray:
        """Row-wise probabilities; a row without any weight gets the prior, and without a prior a uniform one."""
        weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if self.kind != "none":
            weights = weights + self.pseudo_weights(totals)
        total = weights.sum(axis=1, keepdims=True)
        if (total > 0).all():
            shares: np.ndarray = weights / total
            return shares
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), _prior(totals))

    def pseudo_weights(self, totals: np.ndarray) -> np.ndarray:
        """What is added to the weight of each class."""
        if self.kind == "laplace":
            return np.ones(len(totals))
        return self.m * _prior(totals) if self.kind == "m-estimate" else np.zeros(len(totals))


def _prior(totals: np.ndarray) -> np.ndarray:
    prior = np.asarray(totals, dtype=np.float64)
    return prior / prior.sum() if prior.sum() > 0 else np.full(len(prior), 1.0 / len(prior))
