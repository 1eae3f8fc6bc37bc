"""The multi-layer perceptron by mini-batches of rows in the order of their global index."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder
from vaglio.engines.passes import Chunk, Facts, Walk
from vaglio.runtime.interrupts import noticing_interrupts

# Batches that scikit-learn is given in one call, which checks its input: that takes longer than a small batch.
_BATCHES = 16


@dataclass
class Training:
    """A network on its way through the rows, and the rows of the batches that are not full yet.

    Attributes
    ----------
    network : sklearn.neural_network.MLPClassifier
    size : int
        Rows of a batch.
    classes : ndarray
        All class codes.
    rows, y, weight : ndarray
        Of the unfinished batches; ``weight`` is None where all rows count alike.
    loss : float
        Sum of the losses met since the first row.
    """

    network: Any
    size: int
    classes: np.ndarray
    rows: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None
    loss: float = 0.0

    def take(self, rows: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Training:
        """Add rows, and step where several batches are full: at fixed numbers of rows, wherever chunks end."""
        rows = np.concatenate([self.rows, rows])
        y = np.concatenate([self.y, y])
        held = np.empty(0) if self.weight is None else self.weight
        weight = None if weight is None else np.concatenate([held, weight])
        size = _BATCHES * self.size
        full = len(y) - len(y) % size
        for first in range(0, full, size):
            these = slice(first, first + size)
            self._step(rows[these], y[these], None if weight is None else weight[these])
        self.rows, self.y = rows[full:].copy(), y[full:].copy()
        self.weight = None if weight is None else weight[full:].copy()
        return self

    def finish(self) -> float:
        """Step for the last batches; return the sum of the losses, and begin anew."""
        if len(self.y):
            self._step(self.rows, self.y, self.weight)
        self.rows, self.y, self.weight = self.rows[:0], self.y[:0], None
        loss, self.loss = self.loss, 0.0
        return loss

    def _step(self, rows: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> None:
        self.network.batch_size = min(self.size, len(y))
        with noticing_interrupts() as interrupts:  # scikit-learn would return as if it had seen all rows
            self.network.partial_fit(np.ascontiguousarray(rows), y, sample_weight=weight, classes=self.classes)
        interrupts.check()
        self.loss += self.network.loss_ * len(y)


def network_passes(
    network: Any, encoder: DenseEncoder, facts: Facts, batch: int, max_iter: int, tol: float, patience: int
) -> Generator[Walk, Any, tuple[Any, list[float]]]:
    """Walk over the rows until the loss stops falling; return the network and the loss of every pass."""
    nothing = np.empty((0, encoder.width)), np.empty(0, dtype=np.int64)
    training = Training(network, batch, np.arange(facts.n_classes), *nothing)
    curve: list[float] = []
    best, waited = np.inf, 0
    while len(curve) < max_iter and waited <= patience:
        training = yield Walk(f"batches in order, pass {len(curve) + 1}", training, partial(_visit, encoder))
        curve.append(training.finish() / facts.n_rows)
        waited = waited + 1 if curve[-1] > best - tol else 0
        best = min(best, curve[-1])
    return training.network, curve


def _visit(encoder: DenseEncoder, training: Training, chunk: Chunk) -> Training:
    rows: Any = encoder.transform(chunk.matrix)
    return training.take(rows, chunk.y, chunk.weight)
