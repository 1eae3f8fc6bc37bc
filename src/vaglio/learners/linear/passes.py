"""Linear models and networks in passes over rows out of core: the encoding, the logistic loss, mini-batches."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import DenseEncoder
from vaglio.engines.exact_sums import Grid
from vaglio.engines.moments import MomentPlan
from vaglio.engines.passes import Chunk, Pass, SequentialPass, TableSummary
from vaglio.errors import InputError
from vaglio.learners.category_reliability import reliability_passes
from vaglio.learners.inputs import note_reliability, refuse_numbers_without_squares
from vaglio.learners.linear.estimators.logistic_solver import LogisticProblem
from vaglio.runtime.interrupts import noticing_interrupts

# Loss and slopes in units of their grids, and the number of rows that are not on the right side.
SlopeSums = tuple[np.ndarray, np.ndarray, int]
# Batches that scikit-learn is given in one call, which checks its input: that takes longer than a small batch.
_BATCHES = 16


def encoder_passes(
    estimator: Any, facts: TableSummary, whole: bool = False, **how: bool
) -> Generator[Pass, Any, DenseEncoder]:
    """Ask for means, deviations and tables of nominal columns; return the encoder.

    Parameters
    ----------
    estimator : LinearClassifier or network
    facts : TableSummary
    whole : bool
        Whether a nominal column is believed wholly or not at all.
    **how : bool
        ``drop_first`` of the encoder.
    """
    features, p = facts.codebook.features, len(facts.low)
    if estimator.preprocess is None:
        for feature in features:
            if feature.is_nominal:
                raise InputError(
                    "nominal-as-is",
                    "Column {column!r} is nominal, and preprocess=None uses X as it is. Encode the column as "
                    "numbers first, or use preprocess='auto'.",
                    column=feature.name,
                )
        if facts.missing.any():
            raise InputError(
                "missing-values-as-is",
                "X contains NaN, and preprocess=None imputes nothing. Fill the missing values first, or "
                "use preprocess='auto'.",
            )
        note_reliability(estimator, features, {})
        return DenseEncoder(features, np.zeros(p), np.ones(p), np.full(p, np.nan), as_is=True)
    believed = yield from reliability_passes(estimator, facts, whole)
    names = [feature.name for feature in features if feature.in_numeric_block]
    refuse_numbers_without_squares(names, facts.low, facts.high)
    plan = MomentPlan.of(facts, range(p), 1)
    weight, mean, deviation = plan.moments((yield Pass("means and deviations", plan.summarize)))
    variance = np.divide(deviation[0], weight[0], out=np.zeros(p), where=weight[0] > 0)
    spread = np.sqrt(variance)
    scale = np.where(np.isfinite(spread) & (spread > 0), spread, 1.0)
    centre = mean[0]
    shown = None if (believed == 1).all() else believed
    return DenseEncoder(features, centre, scale, centre.copy(), bool(how.get("drop_first")), reliability=shown)


@dataclass(frozen=True, kw_only=True)
class PassedProblem(LogisticProblem):
    """The problem on all rows; ``rows`` are evenly spaced ones of them, at the positions ``places``.

    Attributes
    ----------
    encoder : DenseEncoder
    ask : callable
        Answers a :class:`~vaglio.engines.passes.Pass`.
    places : ndarray
        Global index of each of the rows.
    reach : ndarray
        Largest size of each encoded column.
    whole : tuple of (int, float, float)
        Number of all rows, the sum and the largest of their weights.
    """

    encoder: DenseEncoder
    ask: Callable[[Any], Any]
    places: np.ndarray
    reach: np.ndarray
    whole: tuple[int, float, float]

    @property
    def n_rows(self) -> int:
        return self.whole[0]

    @property
    def total(self) -> float:
        return self.whole[1]

    def subset(self, rows: np.ndarray) -> LogisticProblem:
        """Return the problem on some of the rows that are held, given by their global index."""
        at = np.searchsorted(self.places, rows)
        weight = None if self.weight is None else self.weight[at]
        fixed = (self.outputs, self.l1, self.l2, self.fit_intercept, self.threads, self.intercept_penalty)
        return LogisticProblem(self.rows[at], self.labels[at], weight, *fixed)

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean loss with the squared penalty, and its gradient, in one pass over all rows."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        loss, gradient = slopes.values(self.ask(Pass("loss and slopes", slopes.summarize)))
        return self._penalised(theta, loss, gradient)

    def all_right(self, theta: np.ndarray) -> bool:
        """Return whether every row is on the right side."""
        slopes = LossSlopes(self.encoder, theta, self.reach, self.whole[2])
        return not self.ask(Pass("rows on the wrong side", slopes.summarize))[2]


@dataclass(frozen=True)
class LossSlopes:
    """What is needed to add up the loss and its slopes at some coefficients.

    What a row adds depends on the row alone: the kernel adds products column by column, and not by a matrix product,
    whose order of additions depends on the rows around. The sums over rows have the same bits in any order.

    Attributes
    ----------
    encoder : DenseEncoder
    theta : ndarray, shape (outputs, width + 1)
    reach : ndarray, shape (width,)
        Largest size of each encoded column.
    largest : float
        Largest weight of a row.
    """

    encoder: DenseEncoder
    theta: np.ndarray
    reach: np.ndarray
    largest: float

    @property
    def loss_grid(self) -> Grid:
        farthest = float((np.abs(self.theta[:, :-1]) @ self.reach + np.abs(self.theta[:, -1])).max())
        return Grid.for_bound([self.largest * (2 * farthest + np.log(len(self.theta) + 1) + 1)])

    @property
    def slope_grid(self) -> Grid:
        """One exponent per encoded column, and that of the intercept."""
        return Grid.for_bound(self.largest * np.append(np.maximum(self.reach, 1e-300), 1.0))

    def values(self, found: SlopeSums) -> tuple[float, np.ndarray]:
        """Return loss and slopes from their sums."""
        return float(self.loss_grid.value(found[0])[0]), self.slope_grid.value(found[1])

    def summarize(self, chunk: Chunk) -> SlopeSums:
        """Return the sums of the rows of a chunk."""
        encoder = self.encoder
        encoding = _core.SlopeEncoding(
            columns=encoder.numeric_columns,
            centre=encoder.centre,
            scale=encoder.scale,
            fill=encoder.fill,
            of_codes=encoder.columns_of_codes,
            heights=encoder.heights_of_codes,
        )
        numeric, codes = np.ascontiguousarray(chunk.matrix.numeric.T), np.ascontiguousarray(chunk.matrix.codes.T)
        given = (numeric, codes, chunk.y, chunk.weight, encoding, np.ascontiguousarray(self.theta))
        return _core.slope_sums(*given, int(self.loss_grid.exponent[0]), self.slope_grid.exponent)


def reach_of(encoder: DenseEncoder, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the largest size of each encoded column, given the ranges of the numbers."""
    reach = encoder.heights.copy()
    ends = np.fmax(np.abs(low - encoder.centre), np.abs(high - encoder.centre)) / encoder.scale
    reach[encoder.numeric_columns] = np.nan_to_num(ends, nan=0.0) * (1 + 1e-12)
    return reach


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
    network: Any, encoder: DenseEncoder, facts: TableSummary, batch: int, max_iter: int, tol: float, patience: int
) -> Generator[SequentialPass, Any, tuple[Any, list[float]]]:
    """SequentialPass over the rows until the loss stops falling; return the network and the loss of every pass."""
    nothing = np.empty((0, encoder.width)), np.empty(0, dtype=np.int64)
    training = Training(network, batch, np.arange(facts.n_classes), *nothing)
    curve: list[float] = []
    best, waited = np.inf, 0
    while len(curve) < max_iter and waited <= patience:
        training = yield SequentialPass(
            f"batches in order, pass {len(curve) + 1}", training, partial(_visit_chunk, encoder)
        )
        curve.append(training.finish() / facts.n_rows)
        waited = waited + 1 if curve[-1] > best - tol else 0
        best = min(best, curve[-1])
    return training.network, curve


def _visit_chunk(encoder: DenseEncoder, training: Training, chunk: Chunk) -> Training:
    rows: Any = encoder.transform(chunk.matrix)
    return training.take(rows, chunk.y, chunk.weight)
