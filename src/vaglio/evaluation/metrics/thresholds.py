"""Every measure as a function of the threshold of a binary classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.metrics.rates import RATE_HEADINGS
from vaglio.messages.listing import html_table, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.arguments import checked
from vaglio.runtime.seeds import dealt_by_class

__all__ = ["ThresholdTable", "top_rows"]

# Folds in which a threshold is chosen again, to see what it costs on other rows.
_FOLDS = 10


@dataclass(frozen=True)
class ThresholdTable:
    """Counts at each distinct score: a row is predicted positive if its score is at least the threshold.

    With a higher threshold fewer rows are predicted positive, so both the true and the false positive rate fall.

    Attributes
    ----------
    thresholds : ndarray
        In falling order, beginning with infinity.
    tp, fp, fn, tn : ndarray
        Weight of the rows at each threshold.
    """

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray

    @classmethod
    def from_scores(cls, positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> ThresholdTable:
        """Count the rows at every distinct score; ``positive`` is true for the rows of the class."""
        weight = np.ones(len(score)) if weight is None else weight
        distinct, level = np.unique(score, return_inverse=True)
        n = len(distinct)
        true = np.bincount(level, weights=weight * positive, minlength=n)[::-1].cumsum()
        false = np.bincount(level, weights=weight * ~positive, minlength=n)[::-1].cumsum()
        # With a threshold above every score no row is predicted positive: the curve starts there.
        tp, fp = np.append(0.0, true), np.append(0.0, false)
        return cls(np.append(np.inf, distinct[::-1]), tp, fp, tp[-1] - tp, fp[-1] - fp)

    def __len__(self) -> int:
        return len(self.thresholds)

    @staticmethod
    def _ratio(top: np.ndarray, bottom: np.ndarray, undefined: float) -> np.ndarray:
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), undefined)

    def measures(self) -> dict[str, np.ndarray]:
        """Each measure at each threshold; precision is 1 where no row is predicted positive."""
        tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
        total = tp + fp + fn + tn
        return {
            "predicted": self._ratio(tp + fp, total, 0.0),
            "accuracy": self._ratio(tp + tn, total, 0.0),
            "tpr": self._ratio(tp, tp + fn, 0.0),
            "tnr": self._ratio(tn, tn + fp, 0.0),
            "fpr": self._ratio(fp, fp + tn, 0.0),
            "fnr": self._ratio(fn, fn + tp, 0.0),
            "fdr": self._ratio(fp, fp + tp, 0.0),
            "precision": self._ratio(tp, tp + fp, 1.0),
            "f1": self._ratio(2 * tp, 2 * tp + fp + fn, 0.0),
        }

    @checked
    def best(self, measure: str = "f1") -> float:
        """The threshold with the highest value of a measure; among equals the highest threshold.

        The measure is too high on the rows that the threshold was chosen on: choose it on validation rows.

        Parameters
        ----------
        measure : str, default="f1"
            One of :meth:`measures`.
        """
        measures = self.measures()
        if measure not in measures:
            raise InputError(
                "unknown-measure",
                "There is no measure {measure!r}; {hint}",
                measure=measure,
                hint=did_you_mean(measure, measures),
            )
        return float(self.thresholds[int(np.argmax(measures[measure]))])

    @checked
    def cost(self, cost: np.ndarray) -> np.ndarray:
        """Mean cost per row at each threshold; ``cost`` is [[tn, fp], [fn, tp]]."""
        with as_own_errors():
            cost = np.asarray(cost, dtype=np.float64)
        if cost.shape != (2, 2):
            raise InputError("cost-of-two-classes", "cost must be [[tn, fp], [fn, tp]]; got {shape}.", shape=cost.shape)
        total = self.tp + self.fp + self.fn + self.tn
        parts = cost[0][0] * self.tn + cost[0][1] * self.fp + cost[1][0] * self.fn + cost[1][1] * self.tp
        return np.asarray(parts / total)

    @checked
    def rows(self, max_rows: int = 20) -> list[dict[str, object]]:
        """Rows to print: all of them, or ``max_rows`` spread evenly."""
        shown = np.unique(np.linspace(0, len(self) - 1, min(max(max_rows, 0), len(self))).round().astype(int))
        counts: dict[str, Any] = {text("TP"): self.tp, text("FP"): self.fp, text("TN"): self.tn, text("FN"): self.fn}
        columns = {text("threshold"): self.thresholds, **counts, **self.measures()}
        return [{RATE_HEADINGS.get(name, name): float(values[i]) for name, values in columns.items()} for i in shown]

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return some thresholds with their measures as a table.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        return text_table(self.rows(), locale=locale_of(lang))

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return html_table(self.rows())


@dataclass(frozen=True)
class ChosenThreshold:
    """The threshold that costs least on some rows, and what deciding by it costs.

    Attributes
    ----------
    threshold : float
        Infinite where predicting no row costs least.
    cost : float
        Mean cost of the rows it was chosen on: too low.
    expected : float
        Mean cost of rows that it was not chosen on; NaN where a class has only one row.
    """

    threshold: float
    cost: float
    expected: float

    @classmethod
    def of_least_cost(
        cls, positive: np.ndarray, score: np.ndarray, weight: np.ndarray | None, cost: np.ndarray
    ) -> ChosenThreshold:
        """Choose on all rows; for what it costs, choose on nine folds and decide the rows of the tenth, for each.

        Parameters
        ----------
        positive : ndarray of bool
            Which rows belong to the positive class.
        score : ndarray
        weight : ndarray or None
        cost : ndarray of shape (2, 2)
            [[tn, fp], [fn, tp]].
        """
        table = ThresholdTable.from_scores(positive, score, weight)
        costs = table.cost(cost)
        best = int(np.argmin(costs))
        if np.bincount(positive.astype(np.int64), minlength=2).min() < 2:
            return cls(float(table.thresholds[best]), float(costs[best]), float("nan"))
        fold = dealt_by_class(positive.astype(np.int64), _FOLDS)
        predicted = np.zeros(len(score), dtype=bool)
        for number in np.unique(fold):
            rest = fold != number
            other = ThresholdTable.from_scores(positive[rest], score[rest], None if weight is None else weight[rest])
            predicted[~rest] = score[~rest] >= other.thresholds[int(np.argmin(other.cost(cost)))]
        paid = cost[positive.astype(np.int64), predicted.astype(np.int64)]
        return cls(float(table.thresholds[best]), float(costs[best]), float(np.average(paid, weights=weight)))


def top_rows(score: np.ndarray, n: int) -> np.ndarray:
    """Mask of the ``n`` best scores; among equals the first rows.

    >>> top_rows(np.array([0.2, 0.9, 0.9, 0.1]), 1).tolist()
    [False, True, False, False]
    """
    if not 0 <= n <= len(score):
        raise InputError("too-many-rows-taken", "There are {total:,} rows; cannot take {n:,}.", total=len(score), n=n)
    mask = np.zeros(len(score), dtype=bool)
    mask[np.argsort(-score, kind="stable")[:n]] = True
    return mask
