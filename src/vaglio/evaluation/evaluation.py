"""Predictions compared with the true classes: every measure, curve and table in one object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vaglio.errors import DataWarning, InputError, warn
from vaglio.evaluation import _rendering
from vaglio.evaluation._label_measures import LabelMeasures
from vaglio.evaluation.figures import area_interval
from vaglio.evaluation.labels import (
    as_labels,
    as_weight,
    class_scores,
    encode_labels,
    label_parts,
    label_universe,
)
from vaglio.evaluation.metrics.advice import evaluation_advice
from vaglio.evaluation.metrics.areas import Area, precision_area, roc_area
from vaglio.evaluation.metrics.cells import draw_cells
from vaglio.evaluation.metrics.curves import CalibrationCurve, GainCurve, PrecisionRecallCurve, RocCurve
from vaglio.evaluation.metrics.intervals import Estimate
from vaglio.evaluation.metrics.savings import Savings, savings_of
from vaglio.evaluation.metrics.thresholds import ChosenThreshold, ThresholdTable, top_rows
from vaglio.evaluation.overlap import Overlap
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.model.base import one_per_row
from vaglio.model.costs import CostMatrix
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, CostLike

if TYPE_CHECKING:
    from vaglio.model.families import Task

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
        Number and seed of the draws of the confusion matrix, from which kappa and the like have their intervals.
    folds : ndarray of int or None
        The fold that each row was predicted in, if models of several folds predicted them.
    test_ratio : float or None
        Test rows per training row of these folds; None for k folds that test every row once: 1/(k - 1).
    about : {"model", "learner", "selection"}
        What the intervals are about: one model on further rows; the models of a learner on tables like this; or models
        that are selected on tables like this.
    overlap : Overlap or None
        The rows that the model was trained on, if there are any and the model keeps hashes of its training rows.
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
    n_resamples: int = 2000
    seed: int = 0
    folds: np.ndarray | None = None
    about: str = "model"
    overlap: Overlap | None = None
    test_ratio: float | None = None
    task: ClassVar[Task] = "classification"

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        labels: ColumnLike | None = None,
        pos_label: object = None,
        sample_weight: ColumnLike | None = None,
        cost: CostLike | None = None,
        confidence: float = 0.95,
        seed: int = 0,
        folds: np.ndarray | None = None,
        about: str = "",
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
            Seed of the draws behind the intervals of kappa, costs and the like.
        folds : array-like of int, optional
            The fold that each row was predicted in, if several models predicted them; the intervals allow for it.
        about : {"model", "learner", "selection"}, optional
            What the intervals are about; by default the model, or with folds the learner.

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
        scores = None if y_score is None else class_scores(y_score, universe, labels, pos_label)
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
            folds=None if folds is None else one_per_row("folds", folds, len(truth), None),
            about=about or ("model" if folds is None else "learner"),
        )

    # ---- scores -----------------------------------------------------------------------------

    @checked
    def one_class(self, label: object = None) -> tuple[np.ndarray, np.ndarray]:
        """For one class against the rest: which rows belong to it, and their scores."""
        if self.scores is None:
            raise InputError(
                "no-scores",
                "Curves need scores or probabilities, and these predictions are labels only.",
            )
        k = self._index(label)
        return self.true == k, self.scores[:, k]

    @checked
    def roc(self, label: object = None) -> RocCurve:
        """The ROC curve of a class, by default the positive one."""
        return RocCurve.from_scores(*self.one_class(label), self.weight)

    @checked
    def precision_recall(self, label: object = None) -> PrecisionRecallCurve:
        """The precision-recall curve of a class, by default the positive one."""
        return PrecisionRecallCurve.from_scores(*self.one_class(label), self.weight)

    @checked
    def gains(self, label: object = None) -> GainCurve:
        """The cumulative gains of a class, by default the positive one."""
        return GainCurve.from_scores(*self.one_class(label), self.weight)

    @checked
    def thresholds(self, label: object = None) -> ThresholdTable:
        """Every measure at every threshold, for a class, by default the positive one."""
        return ThresholdTable.from_scores(*self.one_class(label), self.weight)

    @checked
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

    @checked
    def calibration(self, label: object = None, *, n_bins: int = 10, strategy: str = "uniform") -> CalibrationCurve:
        """Predicted probability against observed frequency, in bins of equal width or ("quantile") of equal size."""
        return CalibrationCurve.from_scores(
            *self.one_class(label),
            self.weight,
            n_bins=n_bins,
            strategy=strategy,
            effect=self.design_effect,
            confidence=self.confidence,
        )

    @checked
    def areas_of(self, label: object = None) -> tuple[Area, Area]:
        """ROC area and average precision of a class against the rest, with what each row contributes to them."""
        positive, score = self.one_class(label)
        return roc_area(positive, score, self.weight, self.folds), precision_area(positive, score, self.weight)

    @cached_property
    def class_areas(self) -> dict[Any, tuple[Area, Area]]:
        """The areas of every class that has a curve."""
        return {label: self.areas_of(label) for label in self._curve_labels()}

    @property
    def confidence_curve(self) -> CalibrationCurve:
        """Probability of the most probable class against how often it is the true one."""
        assert self.scores is not None
        likeliest = np.argmax(self.scores, axis=1)
        return CalibrationCurve.from_scores(self.true == likeliest, self.scores.max(axis=1).clip(0, 1), self.weight)

    @cached_property
    def areas(self) -> dict[Any, tuple[Estimate, Estimate]]:
        """ROC area and average precision of each class against the rest, with their intervals."""
        return {
            label: (area_interval(roc, 0, self), area_interval(precision, 1, self))
            for label, (roc, precision) in self.class_areas.items()
        }

    def _curve_labels(self) -> tuple[Any, ...]:
        return (self.labels[self.positive_index],) if self.binary else self.labels

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve; more than two classes: the mean of each against the rest.

        Of rows that were predicted in folds, the share of pairs of rows of one fold that are ranked rightly.
        """
        return self._area("roc_auc")

    @property
    def average_precision(self) -> float:
        """Area under the precision-recall curve; more than two classes: the mean of each against the rest."""
        return self._area("average_precision")

    @property
    def brier(self) -> float | None:
        """Mean squared error of the probabilities; summed over the classes and halved, as usual for two classes."""
        return self._value("brier")

    @property
    def log_loss(self) -> float | None:
        """Mean of −log(probability of the true class)."""
        return self._value("log_loss")

    def _area(self, name: str) -> float:
        """An area without its interval; an error without scores, NaN with one class."""
        self.one_class()
        found = self._value(name)
        return float("nan") if found is None else found

    # ---- folds ----------------------------------------------------------------------------------

    def per_fold(self) -> list[dict[str, Any]]:
        """Accuracy, kappa and F1 (macro) of each fold, for a table; none without folds.

        Examples
        --------
        >>> import vaglio
        >>> from vaglio.evaluation import evaluate_by_folds
        >>> iris = vaglio.datasets.load("iris")
        >>> evaluate_by_folds(vaglio.C45Classifier(), iris, "species", n_splits=3).per_fold()[0]["rows"]
        50
        """
        if self.folds is None:
            return []
        numbers, counts = np.unique(self.folds, return_counts=True)
        found = []
        for fold in numbers.tolist():
            at = self.folds == fold
            weight = None if self.weight is None else self.weight[at]
            part = replace(self, true=self.true[at], predicted=self.predicted[at], weight=weight, scores=None)
            figures: dict[str, Any] = part._of_a_fold() if counts.min() > 1 else {text("accuracy"): part._share_right()}
            found.append({text("fold"): fold + 1, text("rows"): part.n_rows, **figures})
        return found

    def _share_right(self) -> float:
        return float(np.average(self.true == self.predicted, weights=self.weight))

    def _of_a_fold(self) -> dict[str, Any]:
        occur = np.union1d(self.true, self.predicted)
        return {
            text("accuracy"): self._share_right(),
            text("Cohen's kappa"): self.kappa,
            text("F1, macro"): float(self.rates.of("f1", warn=False)[occur].mean()),
        }

    # ---- intervals ----------------------------------------------------------------------------

    @cached_property
    def drawn_cells(self) -> np.ndarray:
        """Draws of the confusion matrix, as shares of the rows."""
        return draw_cells(self.confusion, self.rows_per_count, self.n_resamples, self.seed)

    # ---- other predictions from the same scores -----------------------------------------------

    @checked
    def at_threshold(self, threshold: float) -> Evaluation:
        """The same scores; rows with a score of ``threshold`` or more are predicted positive (two classes)."""
        self._need_two()
        return self._with_positive(self.one_class()[1] >= threshold)

    @checked
    def at_top(self, n: int) -> Evaluation:
        """The same scores; the ``n`` rows with the highest scores are predicted positive (two classes)."""
        self._need_two()
        return self._with_positive(top_rows(self.one_class()[1], n))

    @checked
    def at_least_cost(self, cost: CostLike | None = None) -> Evaluation:
        """The same probabilities; the class with the least expected cost is predicted."""
        matrix = self.cost if cost is None else CostMatrix.from_any(cost, labels=self.labels)
        if matrix is None or not self.probability:
            raise InputError(
                "no-costs-or-probabilities",
                "Predicting the class of least expected cost needs a cost matrix and probabilities.",
            )
        return replace(self, predicted=matrix.decide(self.scores), cost=matrix)

    @checked
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
            warn(told)
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

    def scores_in_brief(self) -> dict[str, float]:
        """Accuracy, kappa and, where there are costs, the mean cost: what a model file keeps."""
        brief = {"accuracy": float(self.accuracy), "kappa": float(self.kappa)}
        return brief if self.mean_cost is None else {**brief, "mean_cost": self.mean_cost}

    # ---- text, HTML and data --------------------------------------------------------------------

    @cached_property
    def advice(self) -> tuple[Message, ...]:
        """Which of these measures to look at, and why."""
        return evaluation_advice(self)

    @cached_property
    def savings(self) -> Savings | None:
        """What the predictions save against giving every row the same class; None without costs."""
        return savings_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
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


def _codes(predicted: np.ndarray | None, scores: np.ndarray | None, universe: tuple[Any, ...]) -> np.ndarray:
    if predicted is not None:
        return encode_labels(predicted, universe)
    assert scores is not None
    return np.asarray(np.argmax(scores, axis=1))
