"""What follows from true and predicted classes alone, without scores: the confusion matrix and its rates."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix

from vaglio.errors import InputError
from vaglio.evaluation._evaluated_rows import EvaluatedRows
from vaglio.evaluation.figures import rate_interval
from vaglio.evaluation.metrics.intervals import Estimate, effective_size, overdispersion, wilson_interval
from vaglio.evaluation.metrics.rates import AVERAGES, RATE_HEADINGS, RATES, Rates
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.arguments import checked

__all__ = ["LabelMeasures"]

_AVERAGES = {"macro": text("macro"), "micro": text("micro"), "weighted": text("weighted")}


class LabelMeasures(EvaluatedRows):
    """The part of :class:`~vaglio.evaluation.Evaluation` that needs no scores; that class has the fields."""

    labels: tuple[Any, ...]
    positive: Any

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
                "unknown-class",
                "There is no class {label!r}; {hint}",
                label=str(self.positive),
                hint=did_you_mean(str(self.positive), map(str, self.labels), quoted=True),
            )
        return self.labels.index(self.positive)

    def _index(self, label: object) -> int:
        if label is None:
            return self.positive_index
        if label not in self.labels:
            near = did_you_mean(str(label), map(str, self.labels), quoted=True)
            raise InputError("unknown-class", "There is no class {label!r}; {hint}", label=str(label), hint=near)
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

    @property
    def rows_per_count(self) -> float:
        """How many independent rows a unit of the confusion matrix stands for.

        Weighted counts are scaled to the effective number of rows, so that large weights do not narrow the interval.
        """
        total = self.n_rows if self.weight is None else self.weight.sum()
        return effective_size(self.weight, self.n_rows) / float(total) / self.design_effect

    @cached_property
    def accuracy(self) -> Estimate:
        """Share of the rows predicted correctly, with its interval."""
        scale = self.rows_per_count / self._overdispersion(self.true == self.predicted, np.ones(self.n_rows, bool))
        return wilson_interval(np.trace(self.confusion) * scale, self.confusion.sum() * scale, self.confidence)

    def _overdispersion(self, hits: np.ndarray, rows: np.ndarray) -> float:
        """How much more a share varies between the folds than their rows explain; 1 without folds."""
        if self.folds is None:
            return 1.0
        weight = rows if self.weight is None else rows * self.weight
        by_fold = np.unique(self.folds, return_inverse=True)[1]
        return overdispersion(*(np.bincount(by_fold, weights=each) for each in (hits * weight, weight)))

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

    @checked
    def rate(self, name: str, label: object = None) -> Estimate:
        """A rate of one class with its interval: recall, tpr, tnr, fpr, fnr, fdr, precision, f1."""
        k = self._index(label)
        top, bottom = self.rates.parts(name)
        scale = self.rows_per_count / self._overdispersion(*self._rows_of(name, k))
        return rate_interval(float(top[k]) * scale, float(bottom[k]) * scale, name, self.confidence)

    def _rows_of(self, rate: str, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the rows that the numerator and the denominator of a rate count."""
        true, predicted = self.true == k, self.predicted == k
        kinds = {"tp": true & predicted, "fp": ~true & predicted, "fn": true & ~predicted, "tn": ~true & ~predicted}
        top, bottom = RATES[{"recall": "tpr"}.get(rate, rate)]
        return tuple(np.any([kinds[kind] for kind in part], axis=0) for part in (top, bottom))

    @checked
    def average(self, name: str, average: str = "macro") -> float:
        """A rate averaged over the classes: macro, micro or weighted."""
        return self.rates.average(name, average, warn=False)

    def per_class(self) -> list[dict[str, Any]]:
        """One row per class: how many rows have it, for how many it is predicted, and every rate."""
        values = {name: self.rates.of(name, warn=False) for name in RATES}
        predicted = self.confusion.sum(axis=0)
        return [
            {
                text("class"): label,
                text("rows"): _plain(self.rates.support[k]),
                text("predicted"): _plain(predicted[k]),
                **{RATE_HEADINGS.get(name, name): float(column[k]) for name, column in values.items()},
            }
            for k, label in enumerate(self.labels)
        ]

    def averages(self) -> list[dict[str, Any]]:
        """One row per kind of average: macro, micro, weighted."""
        return [
            {
                text("average"): _AVERAGES[kind],
                **{RATE_HEADINGS.get(name, name): self.average(name, kind) for name in RATES},
            }
            for kind in AVERAGES
        ]

    @checked
    def worst_confusions(self, limit: int = 10) -> list[dict[str, Any]]:
        """The most frequent errors: true class, predicted class and rows, at most ``limit`` of them."""
        matrix = np.array(self.confusion, dtype=np.float64)
        np.fill_diagonal(matrix, 0)
        order = np.argsort(-matrix, axis=None, kind="stable")[:limit]
        rows, columns = np.unravel_index(order, matrix.shape)
        return [
            {text("true"): self.labels[i], text("predicted"): self.labels[j], text("rows"): float(matrix[i, j])}
            for i, j in zip(rows, columns)
            if matrix[i, j] > 0
        ]


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
