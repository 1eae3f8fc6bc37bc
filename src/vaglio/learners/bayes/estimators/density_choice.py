"""Intervals or a density for the numbers of a table: cross-validation on the training rows decides.

Intervals follow any shape but are coarse where rows are few; a normal density needs few rows but has one shape; a
kernel density lies between. A density replaces the intervals of the whole table if it makes no more errors than they do
and has no larger log-loss: one that is better by one of the two measures alone was as often worse on new rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Ranges
from vaglio.learners.bayes.estimators.generative import resolve_priors
from vaglio.learners.bayes.estimators.named import Strengths
from vaglio.learners.bayes.model.posterior import log_of

FOLDS = 5
# More rows are not looked at: a sample of evenly spaced ones decides.
SAMPLE = 2000
# With more rows than this, intervals follow a density closely, and the choice would cost more than it gives.
MOST_ROWS = 20_000
# With more numeric columns than this, too.
MOST_COLUMNS = 500
# In the order of the kernel's answer. A kernel density keeps every training value, and a prediction looks at them: not
# for more rows than the sample.
LIKELIHOODS_TO_CHOOSE = ("auto", "gaussian", "kde")

# Numbers of which a sum of squares can overflow have no density.
LARGEST_NUMBER = 1e145


@dataclass(frozen=True)
class Spoken:
    """What the columns that have a likelihood already say about rows kept out.

    Attributes
    ----------
    joint : ndarray (n, K)
        Log P(c) and their log-likelihood.
    cut : bool
        Whether one of them was cut into intervals.
    """

    joint: np.ndarray
    cut: bool


# (training rows, their classes, their weights, rows kept out) -> what the other columns say about these.
Others = Callable[[EncodedMatrix, np.ndarray, np.ndarray | None, EncodedMatrix], Spoken]


@dataclass(frozen=True)
class DensityChoice:
    """The choice of one likelihood for some numeric columns together.

    Attributes
    ----------
    columns : ndarray of int
        These columns of the numeric block.
    others : callable or None
        Asked for what the other columns say; None if there are none.
    """

    columns: np.ndarray
    others: Others | None
    strengths: Strengths
    priors: Any
    classes: int
    threads: int

    def choose(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> str:
        """Return "auto" (intervals), "gaussian" or "kde"."""
        n = matrix.n_rows
        # Intervals take any number; the squares of these are none.
        if n > MOST_ROWS or _reach(matrix.ranges) > LARGEST_NUMBER:
            return "auto"
        if n > SAMPLE:
            rows = np.linspace(0, n - 1, SAMPLE).astype(np.int64)
            matrix, y, weight = matrix.take(rows), y[rows], None if weight is None else weight[rows]
        # The choice depends neither on the order of the rows nor on whether a row is repeated or has a larger weight.
        fold = _core.content_folds(matrix.numeric, matrix.codes, y, FOLDS)
        if fold.max(initial=0) < FOLDS - 1 or y.min(initial=0) == y.max(initial=0):
            return "auto"
        loss = self._losses(matrix, y, weight, fold, kernels=n <= SAMPLE)
        # Sums in another order may differ in their last digits.
        near = 1e-9 * float(n if weight is None else weight.sum())
        better = [name for name, found in loss.items() if (found <= loss["auto"] + near).all() and name != "auto"]
        return min(better, key=lambda name: loss[name][1], default="auto")

    def _losses(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, fold: np.ndarray, kernels: bool
    ) -> dict[str, np.ndarray]:
        """Return errors and log-loss under each likelihood, summed over the rows of all folds."""
        of_fold = np.bincount(fold * self.classes + y, weight, minlength=FOLDS * self.classes)
        of_fold = of_fold.reshape(FOLDS, self.classes)
        kept = (1 - np.eye(FOLDS)) @ of_fold  # added, not subtracted: a class that is not there has exactly 0
        log_prior = log_of(np.array([resolve_priors(self.priors, row) for row in kept]))
        joint, cut = log_prior[fold], np.zeros(FOLDS, dtype=np.uint8)
        if self.others is not None:
            for number in range(FOLDS):
                train, test = fold != number, fold == number
                w = None if weight is None else weight[train]
                said = self.others(matrix.take(train), y[train], w, matrix.take(test))
                joint[test], cut[number] = said.joint, said.cut
        x = matrix.numeric if len(self.columns) == matrix.numeric.shape[1] else matrix.numeric[:, self.columns]
        alpha, smoothing = self.strengths.alpha, self.strengths.var_smoothing
        found = _core.kept_out_losses(
            x, y, weight, fold, log_prior, joint, cut, alpha, smoothing, kernels, self.threads
        )
        return dict(zip(LIKELIHOODS_TO_CHOOSE if kernels else LIKELIHOODS_TO_CHOOSE[:2], found))


def _reach(ranges: Ranges) -> float:
    """Return the largest absolute value of all columns."""
    return float(np.fmax.reduce(np.fmax(-ranges.low, ranges.high), initial=0.0))
