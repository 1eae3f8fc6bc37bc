"""What boosted trees and additive models share: scores that are sums, learned by the gradient of a loss."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.passes import Chunk, Pass, Passes, TableSummary
from vaglio.engines.raw import on_grid
from vaglio.engines.row_samples import bytes_of_rows
from vaglio.engines.survey import unit_of
from vaglio.errors import InputError
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learners.inputs import gathered_rows
from vaglio.model.base import Model
from vaglio.typing import TableLike


class SummedModel(Model, Protocol):
    """A model whose scores are sums: boosted trees, or the terms of an additive model."""

    @property
    def is_bounded(self) -> bool:
        """Whether no score can overflow."""

    def shifted(self, amount: float) -> Self:
        """Return the model with every score moved by an amount."""


Summed = TypeVar("Summed", bound=SummedModel)


class SummedEstimator(VaglioEstimator):
    """Learns a model whose scores are sums."""

    # What the numbers that are predicted are divided by while they are learned.
    _unit = 1.0

    def _kernel_loss(self) -> tuple[str, str, int]:
        """Return the loss in the kernel's words, the link, and the number of scores per row."""
        raise NotImplementedError

    def _boost(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> SummedModel:
        """Return the model, whatever has become of its scores."""
        raise NotImplementedError

    def _is_small(self, n: int) -> bool:
        """Return whether so many rows are gathered, wherever they are."""
        raise NotImplementedError

    def _boost_in_passes(self, facts: TableSummary) -> Passes:
        """Ask for passes over rows that do not fit in memory; return the model likewise."""
        raise NotImplementedError

    def _passes(self, facts: TableSummary) -> Passes:
        self._check_range(*facts.y_range)
        if self._is_small(facts.n_rows) or bytes_of_rows(facts) <= self._gathered_share * facts.memory:
            rows = yield from gathered_rows(facts)
            return self._learn(rows.matrix, rows.y, rows.weight)
        try:
            found: Any = yield from self._boost_in_passes(facts)
            model: Model = bounded(found)
            return model
        except OverflowError:
            return bounded(None)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> SummedModel:
        try:
            return bounded(self._boost(matrix, y, weight))
        except OverflowError:
            return bounded(None)

    def _check_range(self, low: float, high: float) -> None:
        """Raise an error if the loss cannot take numbers in this range."""

    def _has_unit(self) -> bool:
        """Return whether the numbers that are predicted are divided by their mean."""
        return False


class SummedClassifier(VaglioClassifier, SummedEstimator):
    """Of two classes the score is the log-odds of the second; of more, each class has one."""

    def _kernel_loss(self) -> tuple[str, str, int]:
        k = len(self.classes_)
        return ("binomial", "logit", 1) if k == 2 else ("multinomial", "softmax", k)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Return the scores before they become probabilities.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the log-odds of the second.
        """
        matrix = self._encode(X)
        model: Any = self.fitted_.model
        return flat(model.raw(matrix))


class SummedRegressor(VaglioRegressor, SummedEstimator):
    """Refuses numbers that the loss is not made for."""

    # What the parameter with the loss is called.
    _loss_name: ClassVar[str] = "loss"
    # Whether numbers that are predicted by their logarithm are divided by their mean, so that their unit is no matter.
    _divides: ClassVar[bool] = True

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> SummedModel:
        self._check_range(float(y.min()), float(y.max()))
        self._unit = 1.0
        if not self._has_unit():
            return super()._learn(matrix, y, weight)
        largest = float(y.max())
        self._unit = mean_target(target_sums(largest, y, on_grid_of(weight)), largest)
        return super()._learn(matrix, y / self._unit, weight).shifted(np.log(self._unit))

    def _has_unit(self) -> bool:
        return self._divides and self._kernel_loss()[1] == "log"

    def _check_range(self, low: float, high: float) -> None:
        loss = getattr(self, self._loss_name)
        if loss == "gamma" and low <= 0:
            raise InputError(
                "gamma-needs-positive-target",
                "The {parameter} 'gamma' needs positive targets, but y has a value that is 0 or less.",
                parameter=self._loss_name,
            )
        if loss == "poisson" and (low < 0 or high <= 0):
            raise InputError(
                "poisson-needs-counts",
                "The {parameter} 'poisson' needs targets that are at least 0 and not all 0.",
                parameter=self._loss_name,
            )


def bounded(model: Summed | None) -> Summed:
    """Return the model, or raise an error if its scores are no numbers."""
    if model is None or not model.is_bounded:
        raise InputError(
            "diverging-scores",
            "The scores diverge. Choose a smaller learning_rate, or divide the targets or the "
            "weights by a large number.",
        )
    return model


def on_grid_of(weight: np.ndarray | None) -> np.ndarray | None:
    """Return weights whose sums are exact, as they are for rows that are learned from in passes."""
    return None if weight is None else on_grid(weight, unit_of(float(weight.max()), len(weight)))


def target_sums(largest: float, y: np.ndarray, weight: np.ndarray | None) -> tuple[ExactSum, ExactSum]:
    """Return the sums of weighted targets, of which this is the largest, and of weights; they are the same in parts."""
    given = np.ones(len(y)) if weight is None else weight
    return ExactSum.of(given * (y / largest)), ExactSum.of(given)


def unit_in_passes(estimator: SummedEstimator, facts: TableSummary) -> Generator[Pass, Any, float]:
    """Return what numbers are divided by, as it would be found in memory."""
    if not estimator._has_unit():
        return 1.0
    largest = facts.y_range[1]
    sums = yield Pass("mean of the numbers", partial(_sums_of_chunk, largest))
    return mean_target(sums, largest)


def _sums_of_chunk(largest: float, chunk: Chunk) -> tuple[ExactSum, ExactSum]:
    return target_sums(largest, np.asarray(chunk.y, dtype=np.float64), chunk.weight)


def mean_target(sums: tuple[ExactSum, ExactSum], largest: float) -> float:
    """Return the mean of positive targets."""
    return largest * (sums[0].value / sums[1].value)


def finite_losses(losses: np.ndarray) -> np.ndarray:
    """Return losses after each round; one that is infinite from the start says nothing of any round.

    Without rows kept out there are no losses, which is NaN.
    """
    if len(losses) and np.isinf(losses[0]):
        raise OverflowError
    return losses


def flat(raw: np.ndarray) -> np.ndarray:
    """Return scores of one column as a list."""
    return raw[:, 0] if raw.shape[1] == 1 else raw
