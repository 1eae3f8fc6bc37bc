"""Predicted numbers compared with the true ones: every measure and table in one object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import _number_rendering
from vaglio.evaluation._evaluated_rows import EvaluatedRows
from vaglio.evaluation.labels import as_numbers, as_weight
from vaglio.evaluation.metrics.number_advice import number_advice
from vaglio.evaluation.metrics.numbers import MEANS, Errors, binary_size, near_zero, weighted_median
from vaglio.evaluation.overlap import Overlap
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.base import one_per_row
from vaglio.model.costs import UnitCost
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike

__all__ = ["RegressionEvaluation"]


@dataclass(frozen=True, repr=False, eq=False)
class RegressionEvaluation(EvaluatedRows):
    """Predicted numbers compared with the true ones.

    Make one with :func:`vaglio.evaluate` or :meth:`from_predictions`. Every measure is computed on first use.

    Attributes
    ----------
    true, predicted : ndarray of float
    weight : ndarray or None
        Weight of each row.
    cost : UnitCost or None
        What a unit of error costs.
    confidence : float
        Confidence level of every interval.
    n_resamples, seed : int
        Number and seed of the draws of the rows behind the intervals.
    folds : ndarray of int or None
        The fold that each row was predicted in, if models of several folds predicted them.
    test_ratio : float or None
        Test rows per training row of these folds; None for k folds that test every row once: 1/(k - 1).
    about : {"model", "learner", "selection"}
        What the intervals are about: one model on further rows; the models of a learner on tables like this; or models
        that are selected on tables like this.
    overlap : Overlap or None
        The rows that the model was trained on, if there are any and the model keeps hashes of its training rows.
    on_training_rows : ndarray or None
        What the model itself predicts for some of its training rows; a server compares later predictions with it.
    """

    true: np.ndarray
    predicted: np.ndarray
    weight: np.ndarray | None = None
    cost: UnitCost | None = None
    confidence: float = 0.95
    n_resamples: int = 1000
    seed: int = 0
    folds: np.ndarray | None = None
    about: str = "model"
    overlap: Overlap | None = None
    test_ratio: float | None = None
    on_training_rows: np.ndarray | None = None
    task: ClassVar[Task] = "regression"

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: ColumnLike | None = None,
        cost: Any = None,
        confidence: float = 0.95,
        seed: int = 0,
        folds: np.ndarray | None = None,
        about: str = "",
    ) -> RegressionEvaluation:
        """Make an evaluation from true and predicted numbers.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
        sample_weight : array-like, optional
            How much each row counts in every measure.
        cost : UnitCost, mapping or str, optional
            What a unit of error costs, for example ``{"over": 1, "under": 3}``.
        confidence : float, default=0.95
            Confidence level of every interval.
        seed : int, default=0
            Seed of the draws behind the intervals.
        folds : array-like of int, optional
            The fold that each row was predicted in, if several models predicted them; the intervals allow for it.
        about : {"model", "learner", "selection"}, optional
            What the intervals are about; by default the model, or with folds the learner.

        Returns
        -------
        RegressionEvaluation

        Examples
        --------
        >>> from vaglio.evaluation import RegressionEvaluation
        >>> e = RegressionEvaluation.from_predictions([10, 12, 15, 20], [11, 12, 14, 18])
        >>> round(e.mae, 2), round(e.rmse, 3), round(e.r2, 3), round(e.bias, 2)
        (1.0, 1.225, 0.894, -0.5)
        """
        true, predicted = as_numbers(y_true, "y_true"), as_numbers(y_pred, "y_pred")
        if len(true) == 0:
            raise InputError("no-rows-to-evaluate", "There are no rows to evaluate.")
        if len(predicted) != len(true):
            raise InputError(
                "row-counts-differ",
                "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
                first="y_true",
                n=len(true),
                second="y_pred",
                m=len(predicted),
            )
        return cls(
            true=true,
            predicted=predicted,
            weight=as_weight(sample_weight, len(true)),
            cost=None if cost is None else UnitCost.from_any(cost),
            confidence=confidence,
            seed=seed,
            folds=None if folds is None else one_per_row("folds", folds, len(true), None),
            about=about or ("model" if folds is None else "learner"),
        )

    # ---- errors ---------------------------------------------------------------------------------

    @property
    def residuals(self) -> np.ndarray:
        """True minus predicted number of each row."""
        residuals: np.ndarray = self.true - self.predicted
        return residuals

    @cached_property
    def errors(self) -> Errors:
        """The errors of the rows that count, with what their figures need."""
        counts = slice(None) if self.weight is None else self.weight > 0
        true, predicted = self.true[counts], self.predicted[counts]
        return Errors(
            true=true,
            error=predicted - true,
            cost=None if self.cost is None else self.cost.of_rows(true, predicted),
            weight=None if self.weight is None else self.weight[counts],
            folds=None if self.folds is None else self.folds[counts],
            effect=self.design_effect,
            confidence=self.confidence,
            n_draws=self.n_resamples,
            seed=self.seed,
        )

    @cached_property
    def near_zero(self) -> int:
        """Number of true numbers that are too near to zero for errors in percent."""
        return near_zero(self.true)

    # ---- figures --------------------------------------------------------------------------------

    def _value(self, name: str) -> float | None:
        """Return a measure without its interval, which takes longer than the measure."""
        if name not in MEANS or (name == "cost" and self.cost is None) or (name == "mape" and self.near_zero):
            return super()._value(name)
        return self.errors.value(name)

    def _known(self, name: str) -> float:
        found = self._value(name)
        assert found is not None  # of every row there is an error
        return found

    @property
    def rmse(self) -> float:
        """Root of the mean squared error, in the unit of the target."""
        return self._known("rmse")

    @property
    def mae(self) -> float:
        """Mean absolute error, in the unit of the target."""
        return self._known("mae")

    @property
    def median_ae(self) -> float:
        """Median absolute error, in the unit of the target."""
        return self._known("median_ae")

    @property
    def r2(self) -> float | None:
        """Share of the variance of the target that is explained; None if the target does not vary."""
        return self._value("r2")

    @property
    def explained_variance(self) -> float | None:
        """The same without the bias: the share that a constant correction would leave explained."""
        return self._value("explained_variance")

    @property
    def mape(self) -> float | None:
        """Mean absolute error as a share of the true number; None if some of these are near zero."""
        return self._value("mape")

    @property
    def bias(self) -> float:
        """Mean error, predicted minus true: above zero where the predictions are too high on average."""
        return self._known("bias")

    def scores_in_brief(self) -> dict[str, float]:
        """RMSE, MAE, R² and, where there are costs, the mean cost: what a model file keeps."""
        found = {"rmse": self.rmse, "mae": self.mae, "r2": self.r2, "mean_cost": self.mean_cost}
        return {name: value for name, value in found.items() if value is not None}

    @cached_property
    def of_mean(self) -> RegressionEvaluation:
        """What always predicting the mean of these rows would give."""
        return replace(self, predicted=np.full(self.n_rows, np.average(self.true, weights=self.weight)))

    @cached_property
    def of_median(self) -> RegressionEvaluation:
        """What always predicting the median of these rows would give."""
        return replace(self, predicted=np.full(self.n_rows, weighted_median(self.true, self.weight)))

    def measures(self) -> list[dict[str, Any]]:
        """Return every measure with its interval, for a table."""
        return _number_rendering.headline(self)

    def baselines(self) -> list[dict[str, Any]]:
        """Return the errors beside those of always predicting the mean, or the median, of these rows, for a table."""
        rows: dict[str, RegressionEvaluation] = {
            text("these predictions"): self,
            text("the mean"): self.of_mean,
            text("the median"): self.of_median,
        }
        found: list[dict[str, Any]] = []
        for name, each in rows.items():
            figures: dict[str, Any] = {text("prediction"): name, text("RMSE"): each.rmse, text("MAE"): each.mae}
            costs: dict[str, Any] = {} if self.cost is None else {text("mean cost per row"): each.mean_cost}
            found.append({**figures, **costs})
        return found

    def per_fold(self) -> list[dict[str, Any]]:
        """RMSE, MAE and R² of each fold, for a table; none without folds, and no R² of single rows.

        Examples
        --------
        >>> import vaglio
        >>> from vaglio.evaluation import evaluate_by_folds
        >>> table = vaglio.datasets.load("penguins")
        >>> found = evaluate_by_folds(vaglio.LinearRegression(), table, "body_mass_g", n_splits=3)
        >>> found.per_fold()[0]["rows"]
        114
        """
        if self.folds is None:
            return []
        numbers, counts = np.unique(self.folds, return_counts=True)
        found = []
        for fold in numbers.tolist():
            at = self.folds == fold
            weight = None if self.weight is None else self.weight[at]
            # In a unit of their own size, of which squares are still numbers.
            power = binary_size(self.true[at], self.predicted[at])
            true, guessed = np.ldexp(self.true[at], -power), np.ldexp(self.predicted[at], -power)
            error = guessed - true
            square = float(np.average(np.square(error), weights=weight))
            row: dict[str, Any] = {text("fold"): fold + 1, text("rows"): int(at.sum())}
            figures: dict[str, Any] = {text("MAE"): float(np.ldexp(np.average(np.abs(error), weights=weight), power))}
            if counts.min() > 1:
                spread = float(np.average(np.square(true - np.average(true, weights=weight)), weights=weight))
                share = 1 - square / spread if spread > 0 else float("nan")
                figures = {text("RMSE"): float(np.ldexp(np.sqrt(square), power)), **figures, text("R²"): share}
            found.append({**row, **figures})
        return found

    # ---- text, HTML and data --------------------------------------------------------------------

    @cached_property
    def advice(self) -> tuple[Message, ...]:
        """What these measures say, and which of them to look at."""
        return number_advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return _number_rendering.evaluation_dict(self)

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the measures, the baselines, the folds and advice as plain text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return _number_rendering.evaluation_text(self, locale_of(lang))

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the same as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return _number_rendering.evaluation_html(self, locale_of(lang))
