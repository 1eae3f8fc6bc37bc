"""The weights of a perceptron while they move from row to row, with a penalty or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from vaglio import _core
from vaglio.learners.linear.estimators.penalty import Penalty

if TYPE_CHECKING:
    from vaglio.learners.linear.estimators.perceptron import Walk


class Rates(NamedTuple):
    """How far a wrong row moves the weights.

    Attributes
    ----------
    rate : float
        The learning rate.
    intercept : bool
        Whether the bias moves.
    at_zero : bool
        Whether an answer of exactly zero is wrong for either class.
    bias_rate : float
        Factor of the steps of the bias.
    """

    rate: float
    intercept: bool
    at_zero: bool = False
    bias_rate: float = 1.0


class Passed(NamedTuple):
    """What a pass over the rows came to.

    Attributes
    ----------
    errors : int
        Wrong answers.
    sound : bool
        Whether all numbers are finite.
    loss : float
        The sum of losses and penalties; without a penalty it is counted with ``at_zero`` alone.
    """

    errors: int
    sound: bool
    loss: float


class MovingWeights(Protocol):
    """Weights of one output, the bias last: ``stored`` as the passes keep them, ``weights`` as they are."""

    @property
    def stored(self) -> np.ndarray: ...

    @property
    def weights(self) -> np.ndarray: ...

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates) -> Passed: ...


@dataclass
class FreeWeights:
    """Weights that only wrong rows move."""

    stored: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        return self.stored

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates) -> Passed:
        passed, errors, sound, loss = walk.kernel(
            *walk.rows,
            walk.labels,
            self.stored[None],
            order,
            rates.rate,
            rates.intercept,
            walk.weight,
            at_zero=rates.at_zero,
            bias_rate=rates.bias_rate,
        )
        self.stored = passed[-1, 0]
        return Passed(int(errors[-1, 0]), sound, float(loss[0]) if rates.at_zero else 0.0)


@dataclass
class PenalizedWeights:
    """Weights that every row draws towards zero.

    Attributes
    ----------
    stored : ndarray
        The weights without their common scale, the bias last.
    penalty : Penalty
    paid : ndarray
        By how much the absolute norm has moved each weight so far.
    sums : ndarray
        The scale, what the absolute norm would have taken from a weight met by every row, |w|² and |w|₁.
    """

    stored: np.ndarray
    penalty: Penalty
    paid: np.ndarray
    sums: np.ndarray

    @classmethod
    def start(cls, weights: np.ndarray, penalty: Penalty) -> PenalizedWeights:
        free = weights[:-1]
        return cls(weights, penalty, np.zeros(len(free)), np.array([1.0, 0.0, free @ free, np.abs(free).sum()]))

    @property
    def weights(self) -> np.ndarray:
        return np.append(self.stored[:-1] * self.sums[0], self.stored[-1])

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates) -> Passed:
        kernel: Any = _core.penalized_pass if len(walk.rows) == 1 else _core.penalized_pass_sparse
        self.stored, self.paid, self.sums, *passed = kernel(
            *walk.rows,
            walk.labels,
            self.stored[None],
            self.paid,
            self.sums,
            order,
            rates.rate,
            rates.intercept,
            walk.weight,
            *self.penalty,
            at_zero=rates.at_zero,
            bias_rate=rates.bias_rate,
        )
        return Passed(*passed)


def moving(weights: np.ndarray, penalty: Penalty | None) -> MovingWeights:
    """Return the weights of one output, the bias last, ready to move."""
    weights = np.ascontiguousarray(weights)
    return FreeWeights(weights) if penalty is None else PenalizedWeights.start(weights, penalty)


class Limits(NamedTuple):
    """When passes over the rows end.

    Attributes
    ----------
    passes : int
        Largest number.
    tolerance : float
        They end when the share of wrong answers is below it.
    patience : int
        They end when so many in a row made no fewer errors than one before them; 0 is any number.
    """

    passes: int
    tolerance: float
    patience: int


ONCE = Limits(1, 0.0, 0)


class Moved(NamedTuple):
    """What passes over the rows came to.

    Attributes
    ----------
    weights : ndarray of shape (passes, K, width + 1)
        The weights of all outputs after each pass.
    errors : ndarray of shape (passes, K)
        Wrong answers in each pass.
    sound : bool
        Whether all numbers are finite.
    """

    weights: np.ndarray
    errors: np.ndarray
    sound: bool


class MovingOutputs(Protocol):
    """The weights of all outputs, which visit the rows in one order."""

    @property
    def weights(self) -> np.ndarray: ...

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates, limits: Limits) -> Moved: ...


@dataclass
class FreeOutputs:
    """Weights of all outputs, (K, width + 1), that only wrong rows move."""

    weights: np.ndarray

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates, limits: Limits = ONCE) -> Moved:
        """Pass over the rows until the limits end it."""
        given = (*walk.rows, walk.labels, self.weights, order, rates.rate, rates.intercept, walk.weight)
        passed, errors, sound, _ = walk.kernel(*given, **limits._asdict())
        self.weights = passed[-1]
        return Moved(passed, errors, sound)


@dataclass
class PenalizedOutputs:
    """Weights of all outputs that every row draws towards zero."""

    outputs: list[PenalizedWeights]

    @property
    def weights(self) -> np.ndarray:
        return np.stack([output.weights for output in self.outputs])

    def visit(self, walk: Walk, order: np.ndarray | None, rates: Rates, limits: Limits = ONCE) -> Moved:
        """Pass over the rows once: the caller counts the passes."""
        sought = [1] if len(self.outputs) == 1 else range(len(self.outputs))
        passed = [
            output.visit(walk._replace(labels=(walk.labels == code).astype(np.int32)), order, rates)
            for code, output in zip(sought, self.outputs)
        ]
        errors = np.array([[part.errors for part in passed]], dtype=np.int64)
        return Moved(self.weights[None], errors, all(part.sound for part in passed))


def moving_outputs(weights: np.ndarray, penalty: Penalty | None) -> MovingOutputs:
    """Return the weights of all outputs, (K, width + 1), ready to move."""
    weights = np.ascontiguousarray(weights)
    if penalty is None:
        return FreeOutputs(weights)
    return PenalizedOutputs([PenalizedWeights.start(output, penalty) for output in weights])
