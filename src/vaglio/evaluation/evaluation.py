"""Predictions compared with the true classes: every measure, curve and table in one object."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss

from vaglio.errors import DataWarning, InputError
from vaglio.evaluation import _rendering
from vaglio.evaluation._label_measures import LabelMeasures
from vaglio.evaluation.acceptance import Acceptance, Criterion
from vaglio.evaluation.labels import (
    as_labels,
    as_weight,
    class_scores,
    encode_labels,
    label_parts,
    label_universe,
)
from vaglio.evaluation.metrics.advice import evaluation_advice
from vaglio.evaluation.metrics.curves import CalibrationCurve, GainCurve, PrecisionRecallCurve, RocCurve, area_intervals
from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.evaluation.metrics.thresholds import ChosenThreshold, ThresholdTable, top_rows
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message
from vaglio.model.costs import CostMatrix
from vaglio.typing import ColumnLike, CostLike

__all__ = ["Evaluation"]


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(LabelMeasures):
    """Predictions compared with the true classes.

    Make one with :func:`vaglio.evaluate` or :meth:`from_predictions`. Every measure is computed on first use.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of every matrix and list here.
    true, predicted : ndarray of int
        Positions in ``labels``.
    scores : ndarray of shape (n_rows, n_classes) or None
        The score of each class, if the model gives scores.
    probability : bool
        Whether the scores are probabilities.
    weight : ndarray or None
        Weight of each row.
    positive
        The class that measures of two classes refer to.
    cost : CostMatrix or None
        Costs of errors.
    confidence : float
        Confidence level of every interval.
    n_resamples, seed : int
        Number of samples and seed of the bootstrap behind the intervals of areas.
    """

    labels: tuple[Any, ...]
    true: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray | None = None
    probability: bool = False
    weight: np.ndarray | None = None
    positive: Any = None
    cost: CostMatrix | None = None
    confidence: float = 0.95
    n_resamples: int = 500
    seed: int = 0

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        labels: Sequence[Any] | None = None,
        pos_label: object = None,
        sample_weight: ColumnLike | None = None,
        cost: CostLike | None = None,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> Evaluation:
        """Make an evaluation from predicted labels, from scores, or from both.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
            ``y_pred`` may be left out when ``y_score`` is given: then the class with the highest score is predicted.
        y_score : array-like of shape (n_rows,) or (n_rows, n_classes), optional
            One column per class in the order of ``labels``, or the scores of the positive class.
        labels : sequence, optional
            Classes and their order; by default those that occur, sorted.
        pos_label : optional
            The class that curves of two classes are drawn for; by default the second.
        sample_weight : array-like, optional
            How much each row counts in every measure.
        cost : CostMatrix, array, dict or path of a CSV file, optional
            Costs of errors, to be reported; they do not change the predictions.
        confidence : float, default=0.95
            Confidence level of every interval.
        seed : int, default=0
            Seed of the bootstrap behind the intervals of areas.

        Returns
        -------
        Evaluation

        Examples
        --------
        >>> from vaglio.evaluation import Evaluation
        >>> e = Evaluation.from_predictions(["a", "a", "b", "b"], ["a", "b", "b", "b"])
        >>> e.confusion.tolist()
        [[1, 1], [0, 2]]
        >>> e.accuracy.value
        0.75
        """
        truth = as_labels(y_true, "y_true")
        if len(truth) == 0:
            raise InputError("no-rows-to-evaluate", "There are no rows to evaluate.")
        if y_pred is None and y_score is None:
            raise InputError("no-predictions", "Pass predictions: labels in y_pred, scores in y_score, or both.")
        predicted = None if y_pred is None else as_labels(y_pred, "y_pred")
        if predicted is not None and len(predicted) != len(truth):
            raise InputError(
                "row-counts-differ",
                "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
                first="y_true",
                n=len(truth),
                second="y_pred",
                m=len(predicted),
            )
        universe = label_universe(*label_parts(labels, truth, predicted))
        scores = None if y_score is None else class_scores(np.asarray(y_score, np.float64), universe, labels, pos_label)
        if scores is not None and len(scores) != len(truth):
            raise InputError(
                "row-counts-differ",
                "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
                first="y_true",
                n=len(truth),
                second="y_score",
                m=len(scores),
            )
        return cls(
            labels=universe,
            true=encode_labels(truth, universe),
            predicted=_codes(predicted, scores, universe),
            scores=scores,
            probability=scores is not None and bool((scores >= 0).all() and np.allclose(scores.sum(axis=1), 1)),
            weight=as_weight(sample_weight, len(truth)),
            positive=pos_label,
            cost=None if cost is None else CostMatrix.from_any(cost, labels=universe),
            confidence=confidence,
            seed=seed,
        )

    # ---- scores -----------------------------------------------------------------------------

    def one_class(self, label: object = None) -> tuple[np.ndarray, np.ndarray]:
        """For one class against the rest: which rows belong to it, and their scores."""
        if self.scores is None:
            raise InputError(
                "no-scores",
                "Curves need scores or probabilities, and these predictions are labels only.",
            )
        k = self._index(label)
        return self.true == k, self.scores[:, k]

    def roc(self, label: object = None) -> RocCurve:
        """The ROC curve of a class, by default the positive one."""
        return RocCurve.from_scores(*self.one_class(label), self.weight)

    def precision_recall(self, label: object = None) -> PrecisionRecallCurve:
        """The precision-recall curve of a class, by default the positive one."""
        return PrecisionRecallCurve.from_scores(*self.one_class(label), self.weight)

    def gains(self, label: object = None) -> GainCurve:
        """The cumulative gains of a class, by default the positive one."""
        return GainCurve.from_scores(*self.one_class(label), self.weight)

    def thresholds(self, label: object = None) -> ThresholdTable:
        """Every measure at every threshold, for a class, by default the positive one."""
        return ThresholdTable.from_scores(*self.one_class(label), self.weight)

    def least_cost_threshold(self, cost: CostLike | None = None) -> ChosenThreshold:
        """The threshold that costs least on these rows, with what it costs on rows that it was not chosen on.

        Parameters
        ----------
        cost : CostMatrix, array, dict or path of a CSV file, optional
            By default the costs of the evaluation, or 1 per error.

        Examples
        --------
        >>> from vaglio.evaluation import Evaluation
        >>> e = Evaluation.from_predictions([0, 0, 0, 1, 1, 1], y_score=[0.1, 0.2, 0.6, 0.5, 0.8, 0.9])
        >>> e.least_cost_threshold({(1, 0): 5, (0, 1): 1}).threshold
        0.5
        """
        self._need_two()
        if cost is None:
            cost = 1 - np.eye(2) if self.cost is None else self.cost
        matrix = CostMatrix.from_any(cost, labels=self.labels).matrix
        if self.positive_index == 0:
            matrix = matrix[::-1, ::-1]
        return ChosenThreshold.of_least_cost(*self.one_class(), self.weight, matrix)

    def calibration(self, label: object = None, *, n_bins: int = 10, strategy: str = "uniform") -> CalibrationCurve:
        """Predicted probability against observed frequency, in bins of equal width or ("quantile") of equal size."""
        return CalibrationCurve.from_scores(*self.one_class(label), self.weight, n_bins=n_bins, strategy=strategy)

    @property
    def confidence_curve(self) -> CalibrationCurve:
        """Probability of the most probable class against how often it is the true one."""
        assert self.scores is not None
        likeliest = np.argmax(self.scores, axis=1)
        return CalibrationCurve.from_scores(self.true == likeliest, self.scores.max(axis=1).clip(0, 1), self.weight)

    @cached_property
    def areas(self) -> dict[Any, tuple[Estimate, Estimate]]:
        """ROC area and average precision of each class against the rest, with bootstrap intervals."""
        return {
            label: area_intervals(
                *self.one_class(label),
                self.weight,
                n_resamples=self.n_resamples,
                confidence=self.confidence,
                seed=self.seed,
            )
            for label in self._curve_labels()
        }

    def _curve_labels(self) -> tuple[Any, ...]:
        return (self.labels[self.positive_index],) if self.binary else self.labels

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve; more than two classes: the mean of each against the rest."""
        return float(np.mean([self.areas[label][0].value for label in self._curve_labels()]))

    @property
    def average_precision(self) -> float:
        """Area under the precision-recall curve; more than two classes: the mean of each against the rest."""
        return float(np.mean([self.areas[label][1].value for label in self._curve_labels()]))

    @cached_property
    def brier(self) -> float | None:
        """Mean squared error of the probabilities; summed over the classes and halved, as usual for two classes."""
        if not self.probability:
            return None
        return float(
            brier_score_loss(
                self.true,
                self.scores,
                labels=np.arange(len(self.labels)),
                sample_weight=self.weight,
                scale_by_half=True,
            )
        )

    @cached_property
    def log_loss(self) -> float | None:
        """Mean of −log(probability of the true class)."""
        if not self.probability or len(self.labels) < 2:
            return None
        return float(log_loss(self.true, self.scores, labels=np.arange(len(self.labels)), sample_weight=self.weight))

    # ---- other predictions from the same scores -----------------------------------------------

    def at_threshold(self, threshold: float) -> Evaluation:
        """The same scores; rows with a score of ``threshold`` or more are predicted positive (two classes)."""
        self._need_two()
        return self._with_positive(self.one_class()[1] >= threshold)

    def at_top(self, n: int) -> Evaluation:
        """The same scores; the ``n`` rows with the highest scores are predicted positive (two classes)."""
        self._need_two()
        return self._with_positive(top_rows(self.one_class()[1], n))

    def at_least_cost(self, cost: CostLike | None = None) -> Evaluation:
        """The same probabilities; the class with the least expected cost is predicted."""
        matrix = self.cost if cost is None else CostMatrix.from_any(cost, labels=self.labels)
        if matrix is None or not self.probability:
            raise InputError(
                "no-costs-or-probabilities",
                "Predicting the class of least expected cost needs a cost matrix and probabilities.",
            )
        return replace(self, predicted=matrix.decide(self.scores), cost=matrix)

    def with_cost(self, cost: CostMatrix) -> Evaluation:
        """The same predictions with these costs reported; without a mean cost if a class has none."""
        known = {str(label) for label in cost.labels}
        unknown = [label for label in self.labels if str(label) not in known]
        if unknown:
            told = DataWarning(
                "class-without-cost",
                "The costs do not include the class {label!r}, so there is no mean cost.",
                label=str(unknown[0]),
            )
            warnings.warn(told, stacklevel=2)
            return self
        return replace(self, cost=cost.ordered(self.labels))

    def _need_two(self) -> None:
        if not self.binary:
            raise InputError(
                "threshold-needs-two-classes",
                "A threshold needs two classes; there are {n:,}.",
                n=len(self.labels),
            )

    def _with_positive(self, rows: np.ndarray) -> Evaluation:
        k = self.positive_index
        return replace(self, predicted=np.where(rows, k, 1 - k))

    @property
    def mean_cost(self) -> float | None:
        """Mean cost per row of the predictions, if a cost matrix was given."""
        if self.cost is None:
            return None
        return self.cost.mean_cost(self.true, self.predicted, self.weight)

    def scores_in_brief(self) -> dict[str, float]:
        """Accuracy, kappa and, where there are costs, the mean cost: what a model file keeps."""
        brief = {"accuracy": float(self.accuracy), "kappa": float(self.kappa)}
        return brief if self.mean_cost is None else {**brief, "mean_cost": self.mean_cost}

    def accept(self, criterion: str) -> Acceptance:
        """Accept or reject the predictions by a criterion on their measures.

        Parameters
        ----------
        criterion : str
            For example ``"f1 >= 0.8 and cost <= 0.5"``; see :class:`~vaglio.evaluation.Criterion`.
        """
        return Criterion(criterion).decide(self)

    # ---- text, HTML and data --------------------------------------------------------------------

    @cached_property
    def advice(self) -> tuple[Message, ...]:
        """Which of these measures to look at, and why."""
        return evaluation_advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return _rendering.evaluation_dict(self)

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the measures, the confusion matrix, rates and advice as plain text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return _rendering.evaluation_text(self, locale_of(lang))

    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the same as a fragment of HTML.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return _rendering.evaluation_html(self, locale_of(lang))

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def _codes(predicted: np.ndarray | None, scores: np.ndarray | None, universe: tuple[Any, ...]) -> np.ndarray:
    if predicted is not None:
        return encode_labels(predicted, universe)
    assert scores is not None
    return np.asarray(np.argmax(scores, axis=1))
