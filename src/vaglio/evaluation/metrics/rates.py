"""Every rate that follows from a confusion matrix, per class and averaged."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from vaglio.errors import InputError
from vaglio.errors import warn as warn_caller
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import did_you_mean

__all__ = ["AVERAGES", "RATES", "RATE_HEADINGS", "Rates"]

# Measures that have a name in every language; the others are abbreviations.
RATE_HEADINGS = {"precision": text("precision"), "accuracy": text("accuracy"), "predicted": text("predicted")}
# Name -> (numerator, denominator) as sums of the four counts of one class against the rest.
RATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "tpr": (("tp",), ("tp", "fn")),
    "tnr": (("tn",), ("tn", "fp")),
    "fpr": (("fp",), ("fp", "tn")),
    "fnr": (("fn",), ("fn", "tp")),
    "fdr": (("fp",), ("fp", "tp")),
    "precision": (("tp",), ("tp", "fp")),
    "f1": (("tp", "tp"), ("tp", "tp", "fp", "fn")),
}
AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True)
class Rates:
    """Rates of a confusion matrix: rows true, columns predicted.

    A rate whose denominator is zero is undefined: it warns and gives ``zero_division``.

    Parameters
    ----------
    confusion : ndarray of shape (n_classes, n_classes)
        Counts or sums of weights.
    zero_division : float, default=0.0
        The value of an undefined rate.

    Examples
    --------
    50 rows, 25 of them positive; 5 rows are predicted positive, all of them correctly:

    >>> rates = Rates(np.array([[25, 0], [20, 5]]))
    >>> float(rates.of("tpr")[1]), float(rates.of("precision")[1])
    (0.2, 1.0)
    """

    confusion: np.ndarray
    zero_division: float = 0.0

    @cached_property
    def counts(self) -> dict[str, np.ndarray]:
        """tp, fp, fn, tn of each class against the rest."""
        matrix = np.asarray(self.confusion, dtype=np.float64)
        tp = np.diag(matrix)
        fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
        # Clipped because rounding of weights may leave a value slightly below zero.
        return {"tp": tp, "fp": fp, "fn": fn, "tn": np.maximum(matrix.sum() - tp - fp - fn, 0.0)}

    @property
    def support(self) -> np.ndarray:
        """Weight of the rows of each class."""
        return np.asarray(self.counts["tp"] + self.counts["fn"])

    def parts(self, rate: str) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator of a rate for each class."""
        key = {"recall": "tpr"}.get(rate, rate)
        if key not in RATES:
            raise InputError(
                "unknown-rate",
                "There is no rate {rate!r}; {hint}",
                rate=rate,
                hint=did_you_mean(rate, ["recall", *RATES]),
            )
        top, bottom = RATES[key]
        return np.sum([self.counts[c] for c in top], axis=0), np.sum([self.counts[c] for c in bottom], axis=0)

    def undefined(self, rate: str) -> np.ndarray:
        """Mask of the classes for which the rate is undefined."""
        return np.asarray(self.parts(rate)[1] <= 0)

    def of(self, rate: str, *, warn: bool = True) -> np.ndarray:
        """The rate for each class."""
        top, bottom = self.parts(rate)
        undefined = bottom <= 0
        if warn and undefined.any():
            warn_caller(
                UndefinedMetricWarning(
                    Message(
                        "undefined-rate",
                        "{rate} is undefined for {n} of {total} {total:class|classes} (division by zero) and "
                        "reported as "
                        "{value:g}.",
                        rate=rate,
                        n=int(undefined.sum()),
                        total=len(undefined),
                        value=self.zero_division,
                    )
                )
            )
        return np.where(undefined, self.zero_division, top / np.where(undefined, 1.0, bottom))

    def average(self, rate: str, average: str, *, warn: bool = True) -> float:
        """Average a rate. Macro: classes count equally. Weighted: by their rows. Micro: the counts are summed first."""
        if average == "micro":
            top, bottom = (part.sum() for part in self.parts(rate))
            return float(top / bottom) if bottom > 0 else self.zero_division
        if average not in AVERAGES:
            raise InputError(
                "unknown-average",
                "There is no average {average!r}; {hint}",
                average=average,
                hint=did_you_mean(average, AVERAGES),
            )
        values = self.of(rate, warn=warn)
        if average == "macro":
            return float(values.mean())
        return float(values @ self.support / self.support.sum())

    @cached_property
    def accuracy(self) -> float:
        """Share of the weight on the diagonal."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @cached_property
    def kappa(self) -> float:
        """Cohen's κ: agreement beyond chance; 0 when only one class occurs."""
        return self._from_cells(cohen_kappa_score)

    @cached_property
    def matthews(self) -> float:
        """Matthews correlation coefficient; 0 when only one class occurs."""
        return self._from_cells(matthews_corrcoef)

    def _from_cells(self, measure: Callable[..., float]) -> float:
        # A confusion matrix stands for labels: each cell is one pair of classes with its count as weight.
        true, predicted = np.indices(self.confusion.shape).reshape(2, -1)
        weight = np.asarray(self.confusion, dtype=np.float64).ravel()
        used = weight > 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with np.errstate(all="ignore"):
                value = measure(true[used], predicted[used], sample_weight=weight[used])
        return float(value) if np.isfinite(value) else 0.0
