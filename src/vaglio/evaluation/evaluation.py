"""How good are these predictions? One object that answers every question of V1 to V4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss

from vaglio.errors import InputError
from vaglio.evaluation import _rendering
from vaglio.evaluation.labels import (
    as_labels,
    as_weight,
    class_scores,
    encode_labels,
    label_parts,
    label_universe,
)
from vaglio.evaluation.metrics.advice import evaluation_advice
from vaglio.evaluation.metrics.calibration import CalibrationCurve
from vaglio.evaluation.metrics.costs import CostMatrix
from vaglio.evaluation.metrics.curves import GainCurve, PrecisionRecallCurve, RocCurve, area_intervals
from vaglio.evaluation.metrics.intervals import Estimate, effective_size, wilson_interval
from vaglio.evaluation.metrics.rates import RATES, Rates
from vaglio.evaluation.metrics.thresholds import ThresholdTable, top_rows

__all__ = ["Evaluation"]


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """Predictions set against the truth.

    Make one with :func:`vaglio.evaluate` or :meth:`from_predictions`. Figures are computed when asked for.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of every matrix and list here.
    true, predicted : ndarray of int
        Positions in ``labels``.
    scores : ndarray of shape (n_rows, n_classes) or None
        What the model said of each class, if it said more than a name.
    probability : bool
        Whether the scores are probabilities.
    weight : ndarray or None
    positive
        The class that figures of two classes are about.
    cost : CostMatrix or None
    confidence : float
        Of every interval.
    n_resamples, seed : int
        Of the bootstrap behind the intervals of areas.
    """

    labels: tuple
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
        labels: Sequence | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        cost: Any = None,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> Evaluation:
        """From labels, from scores, or from both.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
            ``y_pred`` may be left out when ``y_score`` is given: then the highest score decides.
        y_score : array-like of shape (n_rows,) or (n_rows, n_classes), optional
            One column a class in the order of ``labels``, or the scores of the positive class.
        labels : sequence, optional
            Classes and their order; by default those that occur, sorted.
        pos_label : optional
            The class that curves of two classes are drawn for; by default the second.

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
            raise InputError("There are no rows to evaluate.")
        if y_pred is None and y_score is None:
            raise InputError("Give the predictions: labels in y_pred, scores in y_score, or both.")
        guess = None if y_pred is None else as_labels(y_pred, "y_pred")
        if guess is not None and len(guess) != len(truth):
            raise InputError(f"y_true has {len(truth)} rows, y_pred {len(guess)}.")
        universe = label_universe(*label_parts(labels, truth, guess))
        scores = None if y_score is None else class_scores(np.asarray(y_score, np.float64), universe, labels, pos_label)
        if scores is not None and len(scores) != len(truth):
            raise InputError(f"y_true has {len(truth)} rows, y_score {len(scores)}.")
        return cls(
            labels=universe,
            true=encode_labels(truth, universe),
            predicted=_decided(guess, scores, universe),
            scores=scores,
            probability=scores is not None and bool((scores >= 0).all() and np.allclose(scores.sum(axis=1), 1)),
            weight=as_weight(sample_weight, len(truth)),
            positive=pos_label,
            cost=None if cost is None else CostMatrix.from_any(cost, labels=universe),
            confidence=confidence,
            seed=seed,
        )

    # ---- counts and rates -------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        return len(self.true)

    @property
    def binary(self) -> bool:
        return len(self.labels) == 2

    @property
    def positive_index(self) -> int:
        """Position of the class that single curves speak of: ``positive``, or the last of two."""
        if self.positive is None:
            return len(self.labels) - 1
        if self.positive not in self.labels:
            raise InputError(f"pos_label {self.positive!r} is not among {list(self.labels)!r}.")
        return self.labels.index(self.positive)

    @cached_property
    def confusion(self) -> np.ndarray:
        """Rows true, columns predicted; weights are summed when there are any."""
        codes = np.arange(len(self.labels))
        if len(codes) == 1:  # scikit-learn warns of a lone label, rightly elsewhere
            return np.array([[self.n_rows if self.weight is None else self.weight.sum()]])
        return confusion_matrix(self.true, self.predicted, labels=codes, sample_weight=self.weight)

    @cached_property
    def rates(self) -> Rates:
        return Rates(self.confusion)

    def _rate_interval(self, top: float, bottom: float) -> Estimate:
        # Weighted counts are scaled to the rows they are worth, so that big weights do not feign certainty.
        scale = 1.0
        if self.weight is not None:
            scale = effective_size(self.weight, self.n_rows) / self.weight.sum()
        return wilson_interval(top * scale, bottom * scale, self.confidence)

    @cached_property
    def accuracy(self) -> Estimate:
        return self._rate_interval(float(np.trace(self.confusion)), float(self.confusion.sum()))

    @property
    def error(self) -> Estimate:
        return self.accuracy.complement()

    @property
    def kappa(self) -> float:
        return self.rates.kappa

    @property
    def matthews(self) -> float:
        return self.rates.matthews

    def rate(self, name: str, label: Any = None) -> Estimate:
        """A rate of one class with its interval: recall, tpr, tnr, fpr, fnr, fdr, precision."""
        if name == "f1":
            raise InputError("F1 is not a share of rows and has no Wilson interval; read it from per_class().")
        k = self._index(label)
        top, bottom = self.rates.parts(name)
        return self._rate_interval(float(top[k]), float(bottom[k]))

    def average(self, name: str, average: str = "macro") -> float:
        """A rate averaged over the classes: macro, micro or weighted."""
        return self.rates.average(name, average, warn=False)

    def per_class(self) -> list[dict[str, Any]]:
        """One row a class: its rows, and every rate."""
        values = {name: self.rates.of(name, warn=False) for name in RATES}
        called = self.confusion.sum(axis=0)
        return [
            {
                "class": label,
                "rows": _plain(self.rates.support[k]),
                "called": _plain(called[k]),
                **{name: float(column[k]) for name, column in values.items()},
            }
            for k, label in enumerate(self.labels)
        ]

    def averages(self) -> list[dict[str, Any]]:
        """One row an average: macro, micro, weighted."""
        return [
            {"average": kind, **{name: self.average(name, kind) for name in RATES}}
            for kind in ("macro", "micro", "weighted")
        ]

    # ---- scores -----------------------------------------------------------------------------

    def _index(self, label: Any) -> int:
        if label is None:
            return self.positive_index
        if label not in self.labels:
            raise InputError(f"{label!r} is not a class here; there are {list(self.labels)!r}.")
        return self.labels.index(label)

    def one_class(self, label: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Truth and score of one class against the rest."""
        if self.scores is None:
            raise InputError("These predictions are bare labels; curves need scores or probabilities.")
        k = self._index(label)
        return self.true == k, self.scores[:, k]

    def roc(self, label: Any = None) -> RocCurve:
        """The ROC curve of a class, by default the positive one."""
        return RocCurve.from_scores(*self.one_class(label), self.weight)

    def precision_recall(self, label: Any = None) -> PrecisionRecallCurve:
        """The precision-recall curve of a class, by default the positive one."""
        return PrecisionRecallCurve.from_scores(*self.one_class(label), self.weight)

    def gains(self, label: Any = None) -> GainCurve:
        """The cumulative gains of a class, by default the positive one."""
        return GainCurve.from_scores(*self.one_class(label), self.weight)

    def thresholds(self, label: Any = None) -> ThresholdTable:
        """Every measure at every threshold, for a class, by default the positive one."""
        return ThresholdTable.from_scores(*self.one_class(label), self.weight)

    def calibration(self, label: Any = None, *, n_bins: int = 10, strategy: str = "uniform") -> CalibrationCurve:
        """Predicted against observed shares of a class, in bins of equal width or ("quantile") of equal weight."""
        return CalibrationCurve.from_scores(*self.one_class(label), self.weight, n_bins=n_bins, strategy=strategy)

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

    def _curve_labels(self) -> tuple:
        return (self.labels[self.positive_index],) if self.binary else self.labels

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve; more than two classes: the mean of each against the rest."""
        return float(np.mean([self.areas[label][0].value for label in self._curve_labels()]))

    @property
    def average_precision(self) -> float:
        return float(np.mean([self.areas[label][1].value for label in self._curve_labels()]))

    @cached_property
    def brier(self) -> float | None:
        """Mean squared error of the probabilities (halved sum over the classes, so that two agree)."""
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
        if not self.probability or len(self.labels) < 2:
            return None
        return float(log_loss(self.true, self.scores, labels=np.arange(len(self.labels)), sample_weight=self.weight))

    # ---- other decisions from the same scores -----------------------------------------------

    def at_threshold(self, threshold: float) -> Evaluation:
        """The same scores, called positive from ``threshold`` on (two classes)."""
        self._need_two()
        return self._called(self.one_class()[1] >= threshold)

    def at_top(self, n: int) -> Evaluation:
        """The same scores, the best ``n`` rows called positive (two classes)."""
        self._need_two()
        return self._called(top_rows(self.one_class()[1], n))

    def at_least_cost(self, cost: Any = None) -> Evaluation:
        """The same probabilities, each row given the class of least expected cost."""
        matrix = self.cost if cost is None else CostMatrix.from_any(cost, labels=self.labels)
        if matrix is None or not self.probability:
            raise InputError("The least expected cost needs a cost matrix and probabilities.")
        return replace(self, predicted=matrix.decide(self.scores), cost=matrix)

    def _need_two(self) -> None:
        if not self.binary:
            raise InputError(f"A threshold divides two classes; here are {len(self.labels)}: argmax decides.")

    def _called(self, called: np.ndarray) -> Evaluation:
        k = self.positive_index
        return replace(self, predicted=np.where(called, k, 1 - k))

    @property
    def mean_cost(self) -> float | None:
        """Cost a row of the decisions made, if a cost matrix was given."""
        if self.cost is None:
            return None
        return self.cost.mean_cost(self.true, self.predicted, self.weight)

    # ---- words and forms --------------------------------------------------------------------

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """Which of these figures to look at, and why."""
        return evaluation_advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        return _rendering.evaluation_dict(self)

    def to_text(self) -> str:
        """The figures, the confusion matrix, rates and advice as plain text."""
        return _rendering.evaluation_text(self)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return _rendering.evaluation_html(self)


def _decided(guess: np.ndarray | None, scores: np.ndarray | None, universe: tuple) -> np.ndarray:
    if guess is not None:
        return encode_labels(guess, universe)
    assert scores is not None
    return scores.argmax(axis=1)


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
