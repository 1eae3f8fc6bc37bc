"""What follows from true and predicted classes alone, without scores: the confusion matrix and its rates."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix

from vaglio.errors import InputError
from vaglio.evaluation.metrics.intervals import Estimate, effective_size, wilson_interval
from vaglio.evaluation.metrics.rates import AVERAGES, RATES, Rates
from vaglio.messages.sentences import did_you_mean

__all__ = ["LabelMeasures"]


class LabelMeasures:
    """The part of :class:`~vaglio.evaluation.Evaluation` that needs no scores; that class has the fields."""

    labels: tuple[Any, ...]
    true: np.ndarray
    predicted: np.ndarray
    weight: np.ndarray | None
    positive: Any
    confidence: float

    @property
    def n_rows(self) -> int:
        """Number of rows evaluated."""
        return len(self.true)

    @property
    def binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.labels) == 2

    @property
    def positive_index(self) -> int:
        """Position of the class that single curves refer to: ``positive``, or the last class."""
        if self.positive is None:
            return len(self.labels) - 1
        if self.positive not in self.labels:
            raise InputError(
                "pos-label-among",
                "pos_label {positive!r} is not among {labels!r}.",
                positive=self.positive,
                labels=list(self.labels),
            )
        return self.labels.index(self.positive)

    def _index(self, label: object) -> int:
        if label is None:
            return self.positive_index
        if label not in self.labels:
            near = did_you_mean(str(label), map(str, self.labels), quoted=True)
            raise InputError("there-class", "There is no class {label!r}: {near}", label=label, near=near)
        return self.labels.index(label)

    @cached_property
    def confusion(self) -> np.ndarray:
        """Rows are true classes, columns predicted classes; with weights, the sum of the weights."""
        codes = np.arange(len(self.labels))
        if len(codes) == 1:  # scikit-learn warns of a single label, which is right elsewhere
            return np.array([[self.n_rows if self.weight is None else self.weight.sum()]])
        return np.asarray(confusion_matrix(self.true, self.predicted, labels=codes, sample_weight=self.weight))

    @cached_property
    def rates(self) -> Rates:
        """The rates of the confusion matrix."""
        return Rates(self.confusion)

    def _rate_interval(self, top: float, bottom: float) -> Estimate:
        # Weighted counts are scaled to the effective number of rows, so that large weights do not narrow the interval.
        scale = 1.0
        if self.weight is not None:
            scale = effective_size(self.weight, self.n_rows) / self.weight.sum()
        return wilson_interval(top * scale, bottom * scale, self.confidence)

    @cached_property
    def accuracy(self) -> Estimate:
        """Share of the rows predicted correctly, with its interval."""
        return self._rate_interval(float(np.trace(self.confusion)), float(self.confusion.sum()))

    @property
    def error(self) -> Estimate:
        """Share of the rows predicted wrongly, with its interval."""
        return self.accuracy.complement()

    @property
    def kappa(self) -> float:
        """Cohen's kappa."""
        return self.rates.kappa

    @property
    def matthews(self) -> float:
        """Matthews correlation coefficient."""
        return self.rates.matthews

    def rate(self, name: str, label: object = None) -> Estimate:
        """A rate of one class with its interval: recall, tpr, tnr, fpr, fnr, fdr, precision."""
        if name == "f1":
            raise InputError(
                "f-share-rows-has", "F1 is not a share of rows and has no Wilson interval; read it from per_class()."
            )
        k = self._index(label)
        top, bottom = self.rates.parts(name)
        return self._rate_interval(float(top[k]), float(bottom[k]))

    def average(self, name: str, average: str = "macro") -> float:
        """A rate averaged over the classes: macro, micro or weighted."""
        return self.rates.average(name, average, warn=False)

    def per_class(self) -> list[dict[str, Any]]:
        """One row per class: how many rows have it, for how many it is predicted, and every rate."""
        values = {name: self.rates.of(name, warn=False) for name in RATES}
        predicted = self.confusion.sum(axis=0)
        return [
            {
                "class": label,
                "rows": _plain(self.rates.support[k]),
                "predicted": _plain(predicted[k]),
                **{name: float(column[k]) for name, column in values.items()},
            }
            for k, label in enumerate(self.labels)
        ]

    def averages(self) -> list[dict[str, Any]]:
        """One row per kind of average: macro, micro, weighted."""
        return [{"average": kind, **{name: self.average(name, kind) for name in RATES}} for kind in AVERAGES]

    def worst_confusions(self, limit: int = 10) -> list[dict[str, Any]]:
        """The most frequent errors: true class, predicted class and rows, at most ``limit`` of them."""
        matrix = np.array(self.confusion, dtype=np.float64)
        np.fill_diagonal(matrix, 0)
        order = np.argsort(-matrix, axis=None, kind="stable")[:limit]
        rows, columns = np.unravel_index(order, matrix.shape)
        return [
            {"true": self.labels[i], "predicted": self.labels[j], "rows": float(matrix[i, j])}
            for i, j in zip(rows, columns)
            if matrix[i, j] > 0
        ]


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
