"""The perceptron with scikit-learn's visits: its order of the rows, its rule at zero and its end of training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from vaglio import _core
from vaglio.encode import DenseEncoder, EncodedMatrix
from vaglio.learners.linear.estimators.moving_weights import Rates, moving
from vaglio.learners.linear.estimators.penalty import Penalty
from vaglio.learners.linear.estimators.perceptron import Perceptron, Walk
from vaglio.learners.linear.estimators.progress import HeldOut, Progress
from vaglio.learners.linear.model.linear import LinearModel
from vaglio.learners.parameters import estimator
from vaglio.runtime.seeds import lent_generator

_LARGEST_SEED = np.iinfo(np.int32).max
# The bias learns more slowly from sparse rows, most of which leave most weights unchanged.
_SPARSE_BIAS_RATE = 0.01


class Division:
    """The rows that are learned from, and those held out.

    Parameters
    ----------
    encoder : DenseEncoder
    matrix : EncodedMatrix
        All rows.
    held : ndarray of int
        The rows held out; may be none.
    """

    def __init__(self, encoder: DenseEncoder, matrix: EncodedMatrix, held: np.ndarray) -> None:
        n = matrix.n_rows
        self.held, self.learned = held, np.setdiff1d(np.arange(n), held)
        # Where a row is among those that are learned from; -1 for the others.
        self.place = np.full(n, -1)
        self.place[self.learned] = np.arange(len(self.learned))
        part = matrix.take(self.learned) if len(held) else matrix
        self.walk = Walk.over(encoder, part, np.zeros(len(self.learned), dtype=np.int64), None)
        self.held_rows = encoder.transform(matrix.take(held)) if len(held) else None


class Order:
    """The orders in which an output visits the rows, as scikit-learn draws them."""

    def __init__(self, seed: Any) -> None:
        self.random = lent_generator(seed)
        self.random.randint(
            1, _LARGEST_SEED
        )  # scikit-learn draws a number that it does not use before that of the order

    def of(self, n: int, shuffle: bool) -> Iterator[np.ndarray]:
        """Yield the order of each pass over n rows."""
        moved = _core.visiting_order(n, int(self.random.randint(_LARGEST_SEED)))
        order = np.arange(n)
        while True:
            order = order[moved] if shuffle else order
            yield order


@dataclass(frozen=True)
class Output:
    """What one output learns: 1 where a row is of its class, what the rows weigh, and what the two sides do."""

    labels: np.ndarray
    weight: np.ndarray
    factors: np.ndarray

    def walk(self, division: Division) -> Walk:
        """Return the rows that are learned from, with their labels and weights."""
        labels, weight = self.labels[division.learned], self.weight[division.learned]
        return division.walk._replace(labels=labels, weight=self.factors[labels] * weight)

    def held_out(self, division: Division) -> HeldOut | None:
        """Return the rows held out, if there are any."""
        held = division.held
        return HeldOut(division.held_rows, self.labels[held], self.weight[held]) if len(held) else None


@estimator
class VisitingPerceptron(Perceptron):
    """A perceptron whose outputs each visit the rows in their own order, and end when they make no more progress.

    Parameters
    ----------
    n_iter_no_change : int
        Passes without progress by ``tol`` after which an output has learned.
    tol : float or None
        How far the mean loss must fall, or the accuracy on rows held out must rise; None goes on to the last pass.
    early_stopping : bool
        Whether rows are held out, by whose accuracy an output ends.
    """

    _scales_weights = False
    # scikit-learn's class has checked them.
    _parameter_constraints = {"tol": [object], "l1_ratio": [object]}

    tol: Any = 1e-3
    n_iter_no_change: int = 5

    # Where the learning starts, if not at zero; the weight of each class, and of each row (also 0: it is visited).
    start_: Any = field(init=False)
    factors_: np.ndarray = field(init=False)
    row_weights_: Any = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> LinearModel:
        encoder = DenseEncoder.learn(matrix, None, None)
        weight = np.ones(len(y)) if self.row_weights_ is None else self.row_weights_
        k = self._outputs()
        weights = np.zeros((k, encoder.width + 1))
        if self.__dict__.get("start_") is not None:
            weights[:] = self.start_
        passes = []
        if k == 1:
            order = Order(self.random_state)  # scikit-learn draws a first number before it holds rows out
            division = Division(encoder, matrix, self._draw_held_out(y, weight))
            output = Output(y.astype(np.int32), weight, self.factors_)
            weights[0], steps = self._visit(output, division, weights[0], order)
            passes.append(steps)
        else:
            # All outputs hold out the same rows, by all classes.
            division = Division(encoder, matrix, self._draw_held_out(y, weight))
            seeds = lent_generator(self.random_state).randint(_LARGEST_SEED, size=k)
            for at, seed in enumerate(seeds):
                # Against the rest only the class itself is weighed.
                factors = np.array([1.0, self.factors_[at]])
                output = Output((y == at).astype(np.int32), weight, factors)
                weights[at], steps = self._visit(output, division, weights[at], Order(seed))
                passes.append(steps)
        self.n_iter_ = max(passes)
        return self._publish(self._as_model(encoder, weights))

    def _draw_held_out(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the rows that are held out, as scikit-learn draws them."""
        if not self.early_stopping:
            return np.empty(0, dtype=np.int64)
        split = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        _, held = next(split.split(np.zeros((len(y), 1)), y))
        if not weight[held].any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different random state."
            )
        return np.asarray(held)

    def _visit(self, output: Output, division: Division, weights: np.ndarray, order: Order) -> tuple[np.ndarray, int]:
        """Pass over the rows until there is no more progress; return the weights and the number of passes."""
        walk, held, progress = output.walk(division), output.held_out(division), Progress(self.tol)
        bias_rate = 1.0 if walk.matrix.sparse is None else _SPARSE_BIAS_RATE
        rates = Rates(float(self.eta0), bool(self.fit_intercept), at_zero=True, bias_rate=bias_rate)
        orders, moved = order.of(len(output.labels), self.shuffle), moving(weights, Penalty.of(self))
        for step in range(1, self.max_iter + 1):
            visited = division.place[next(orders)]
            passed = moved.visit(walk, visited[visited >= 0], rates)
            if not passed.sound:
                raise ValueError(
                    f"Floating-point under-/overflow occurred at epoch #{step}: scale the columns, for example with "
                    "StandardScaler."
                )
            # scikit-learn asks the rows held out by the weights without their common scale.
            worse = passed.loss / len(walk.labels) if held is None else -held.accuracy(moved.stored[None])
            if progress.look(worse) >= self.n_iter_no_change:
                return moved.weights, step
        return moved.weights, self.max_iter
