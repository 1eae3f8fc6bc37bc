"""How a perceptron learns: its weights as they move from row to row, what each pass came to, and when it ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
from sklearn.metrics import accuracy_score

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learners.linear.estimators.linear_classifier import as_labels

# The least progress in a number of errors.
ONE_ERROR = 1


class Penalty(NamedTuple):
    """What draws the weights towards zero: alpha · ((1 - l1_ratio) / 2 · |w|² + l1_ratio · |w|₁)."""

    alpha: float
    l1_ratio: float

    @classmethod
    def of(cls, estimator: Any) -> Penalty | None:
        """Return the penalty that the parameters of an estimator ask for, if any."""
        if estimator.penalty is None or estimator.alpha == 0:
            return None
        ratio = {"l2": 0.0, "l1": 1.0}.get(estimator.penalty, estimator.l1_ratio)
        return cls(float(estimator.alpha), float(ratio))


class PerceptronRun(NamedTuple):
    """Rows as the kernel of a pass takes them."""

    encoder: DenseEncoder
    matrix: EncodedMatrix
    kernel: Callable[..., Any]
    rows: tuple[np.ndarray, ...]
    labels: np.ndarray
    weight: np.ndarray | None

    @classmethod
    def over(
        cls,
        encoder: DenseEncoder,
        matrix: EncodedMatrix,
        codes: np.ndarray,
        weight: np.ndarray | None,
        look: bool = False,
    ) -> PerceptronRun:
        """Take encoded rows; ``look`` refuses numbers that are not finite, which only passes without penalty notice."""
        rows = encoder.transform(matrix, look=look or matrix.sparse is not None)
        if isinstance(rows, np.ndarray):
            return cls(encoder, matrix, _core.perceptron_passes, (rows,), as_labels(codes), weight)
        csr = (rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr.astype(np.int64))
        return cls(encoder, matrix, _core.perceptron_passes_sparse, csr, as_labels(codes), weight)


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
    loss : float
        The sum of losses and penalties; without a penalty it is counted with ``at_zero`` alone.
    """

    weights: np.ndarray
    errors: np.ndarray
    sound: bool
    loss: float


class MovingWeights(Protocol):
    """The weights of all outputs, (K, width + 1), the bias last: as the passes store them, and as they are."""

    @property
    def stored(self) -> np.ndarray: ...

    @property
    def weights(self) -> np.ndarray: ...

    def visit(self, walk: PerceptronRun, order: np.ndarray | None, rates: Rates, limits: Limits = ONCE) -> Moved: ...


@dataclass
class FreeWeights:
    """Weights that only wrong rows move."""

    stored: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        return self.stored

    def visit(self, walk: PerceptronRun, order: np.ndarray | None, rates: Rates, limits: Limits = ONCE) -> Moved:
        """Pass over the rows until the limits end it."""
        given = (*walk.rows, walk.labels, self.stored, order, rates.rate, rates.intercept, walk.weight)
        how = {"at_zero": rates.at_zero, "bias_rate": rates.bias_rate, **limits._asdict()}
        passed, errors, sound, loss = walk.kernel(*given, **how)
        self.stored = passed[-1]
        return Moved(passed, errors, sound, float(loss.sum()) if rates.at_zero else 0.0)


@dataclass
class PenalizedWeights:
    """Weights that every row draws towards zero.

    Attributes
    ----------
    stored : ndarray of shape (K, width + 1)
        The weights without the common scale of their output, the bias last.
    penalty : Penalty
    paid : ndarray of shape (K, width)
        By how much the absolute norm has moved each weight so far.
    sums : ndarray of shape (K, 4)
        The scale, what the absolute norm would have taken from a weight met by every row, |w|² and |w|₁.
    """

    stored: np.ndarray
    penalty: Penalty
    paid: np.ndarray
    sums: np.ndarray

    @classmethod
    def start(cls, weights: np.ndarray, penalty: Penalty) -> PenalizedWeights:
        sums = np.array([[1.0, 0.0, free @ free, np.abs(free).sum()] for free in weights[:, :-1]])
        return cls(weights.copy(), penalty, np.zeros_like(weights[:, :-1]), sums)

    @property
    def weights(self) -> np.ndarray:
        return np.column_stack([self.stored[:, :-1] * self.sums[:, :1], self.stored[:, -1]])

    def visit(self, walk: PerceptronRun, order: np.ndarray | None, rates: Rates, limits: Limits = ONCE) -> Moved:
        """Pass over the rows once: the caller counts the passes."""
        kernel: Any = _core.penalized_pass if len(walk.rows) == 1 else _core.penalized_pass_sparse
        given = (order, rates.rate, rates.intercept, walk.weight, *self.penalty)
        how = {"at_zero": rates.at_zero, "bias_rate": rates.bias_rate}
        sought = [1] if len(self.stored) == 1 else range(len(self.stored))
        errors, sound, total = np.zeros((1, len(self.stored)), dtype=np.int64), True, 0.0
        for k, code in enumerate(sought):
            labels = (walk.labels == code).astype(np.int32)
            moving = (self.stored[k : k + 1], self.paid[k], self.sums[k])
            self.stored[k], self.paid[k], self.sums[k], errors[0, k], finite, loss = kernel(
                *walk.rows, labels, *moving, *given, **how
            )
            sound, total = sound and finite, total + loss
        return Moved(self.weights[None], errors, sound, total)


def moving_weights(weights: np.ndarray, penalty: Penalty | None) -> MovingWeights:
    """Return the weights of all outputs, (K, width + 1), ready to move."""
    weights = np.ascontiguousarray(weights)
    return FreeWeights(weights) if penalty is None else PenalizedWeights.start(weights, penalty)


@dataclass(frozen=True)
class Epoch:
    """One pass over the rows.

    Attributes
    ----------
    errors : ndarray of int
        Wrong predictions of each output, counted before the weights moved.
    mean_error : float
        Largest share of wrong predictions of any output.
    coef, intercept : ndarray
        The weights after the pass, in the encoded space.
    """

    errors: np.ndarray
    mean_error: float
    coef: np.ndarray
    intercept: np.ndarray


class History(Sequence[Epoch]):
    """The passes in their order; an :class:`Epoch` is made when it is asked for, since there may be thousands."""

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, int]] = []
        self._ends: list[int] = []

    def add(self, weights: np.ndarray, errors: np.ndarray, rows: int) -> None:
        """Append passes over so many rows: the weights after each, (passes, K, width + 1), and the errors."""
        self._parts.append((weights, errors, rows))
        self._ends.append(len(self) + len(errors))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, at: int) -> Epoch: ...
    @overload
    def __getitem__(self, at: slice) -> list[Epoch]: ...
    def __getitem__(self, at: int | slice) -> Epoch | list[Epoch]:
        if isinstance(at, slice):
            return [self[i] for i in range(len(self))[at]]
        place = range(len(self))[at]
        part = bisect_right(self._ends, place)
        weights, errors, rows = self._parts[part]
        t = place - self._ends[part]  # counted from the end of the part
        return Epoch(errors[t], float(errors[t].max() / rows), weights[t, :, :-1], weights[t, :, -1])


class HeldOut(NamedTuple):
    """Rows that are not learned from, in the encoded space.

    Attributes
    ----------
    rows : ndarray or sparse matrix
    codes : ndarray of int
        The class of each; of one output, 1 for the class to find.
    weight : ndarray or None
    """

    rows: Any
    codes: np.ndarray
    weight: np.ndarray | None

    def accuracy(self, weights: np.ndarray) -> float:
        """Return the share predicted correctly by the weights of all outputs, (K, width + 1), the bias last."""
        values = np.column_stack([self.rows @ output[:-1] + output[-1] for output in weights])
        predicted = values[:, 0] > 0 if len(weights) == 1 else values.argmax(axis=1)
        return float(accuracy_score(self.codes, predicted.astype(self.codes.dtype), sample_weight=self.weight))


class Progress:
    """Counts passes without progress.

    Parameters
    ----------
    tol : float or None
        How much is progress; None goes on to the last pass.
    """

    def __init__(self, tol: float | None) -> None:
        self.tol, self.best, self.waited = tol, np.inf, 0

    def look(self, worse: float) -> int:
        """Take a number that falls while there is progress; return how many passes made none."""
        self.waited = self.waited + 1 if self.tol is not None and worse > self.best - self.tol else 0
        self.best = min(self.best, worse)
        return self.waited
