"""Which likelihood each numeric attribute gets in naive Bayes.

The choice behind ``"auto"`` looks at the training rows alone:

1. at most ten distinct values, with three rows or more per value on average: each value has its own frequency, as a
   category has;
2. otherwise the column is cut where Fayyad and Irani's description length says that the class changes, and every
   interval has its own frequency; a column that is not cut does not distinguish the classes and has no effect;
3. if no column at all is cut, those columns are Gaussian: otherwise no numeric column would have an effect;
4. a density takes the place of the intervals if cross-validation says so.

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
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import DataWarning, InputError, warn
from vaglio.learners.bayes.estimators.generative import resolve_priors
from vaglio.learners.bayes.estimators.intervals import FEW_VALUES, counts_in_rows, has_few_values, numeric_columns
from vaglio.learners.bayes.estimators.likelihoods import Strengths
from vaglio.learners.bayes.model.likelihood import DISTRIBUTIONS
from vaglio.learners.bayes.model.posterior import log_of
from vaglio.learners.inputs import without_squares
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.runtime.seeds import row_hash

LIKELIHOODS = ("auto", "gaussian", "kde", "mdl", "discrete", *DISTRIBUTIONS)
# Rows that show, of most columns with many values, that they are many.
_FIRST_ROWS = 64

FOLDS = 5
# More rows are not looked at: a sample decides.
SAMPLE = 2000
# With more rows than this, intervals follow a density closely, and the choice would cost more than it gives.
MOST_ROWS = 20_000
# With more numeric columns than this, too.
MOST_COLUMNS = 500
# In the order of the kernel's answer. A kernel density keeps every training value, and a prediction looks at them: not
# for more rows than the sample.
LIKELIHOODS_TO_CHOOSE = ("auto", "gaussian", "kde")


@dataclass(frozen=True)
class HeldOutScores:
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
Others = Callable[[EncodedMatrix, np.ndarray, np.ndarray | None, EncodedMatrix], HeldOutScores]


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
        if n > MOST_ROWS:
            return "auto"
        beyond = without_squares(matrix.ranges.low[self.columns], matrix.ranges.high[self.columns])
        if beyond.any():
            names = [feature.name for feature in matrix.features if feature.in_numeric_block]
            warn(
                DataWarning(
                    "numbers-without-density",
                    "Column {column!r} has numbers whose squares are beyond what can be computed with, so numeric "
                    "columns were cut into intervals. Multiply the column by a constant to allow for densities.",
                    column=names[int(self.columns[np.flatnonzero(beyond)[0]])],
                )
            )
            return "auto"
        # The choice depends neither on the order of the rows or columns, nor on a name or a unit of measure, nor on
        # whether a row is repeated or has a larger weight.
        keys = content_keys(matrix)
        if n > SAMPLE:
            rows = np.sort(np.lexsort((keys, y))[np.linspace(0, n - 1, SAMPLE).astype(np.int64)])
            matrix, y, weight = matrix.take(rows), y[rows], None if weight is None else weight[rows]
            keys = keys[rows]
        fold = content_folds(keys, y, FOLDS)
        if len(np.unique(fold)) < FOLDS or y.min(initial=0) == y.max(initial=0):
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


def content_keys(matrix: EncodedMatrix) -> np.ndarray:
    """Return a number for each row that depends on the ranks of its numbers alone, and on no order.

    The least number of a column adds nothing, so that a constant column has no effect.
    """
    keys = np.zeros(matrix.n_rows, dtype=np.uint64)
    for ranks in matrix.ranks().ranks.T:
        keys += row_hash(ranks.astype(np.int64), 0)
    return keys


def content_folds(keys: np.ndarray, y: np.ndarray, folds: int) -> np.ndarray:
    """Deal the rows of each class out to folds in the order of their keys; rows of one key share a fold."""
    order = np.lexsort((keys, y))
    key, label = keys[order], y[order]
    new_class = np.diff(label, prepend=-1) != 0
    turn = np.cumsum(new_class | (np.diff(key, prepend=key[:1]) != 0))
    start = np.flatnonzero(new_class)[np.cumsum(new_class) - 1]
    # Classes begin in different folds, by what their rows hold and not by their names.
    first = (key[start] % np.uint64(folds)).astype(np.int64)
    fold = np.empty(len(y), dtype=np.int32)
    fold[order] = (turn - turn[start] + first) % folds
    return fold


def resolve_likelihoods(likelihood: Any, features: tuple[Feature, ...]) -> dict[int, str]:
    """Return the likelihood asked for each numeric feature, by its index."""
    numeric = {feature.name: j for j, feature in enumerate(features) if feature.kind == "numeric"}
    if isinstance(likelihood, str):
        return dict.fromkeys(numeric.values(), likelihood)
    asked = dict.fromkeys(numeric.values(), "auto")
    for name, kind in likelihood.items():
        if name not in numeric:
            raise InputError(
                "likelihood-of-other-column",
                "likelihood contains {column!r}, which is not a numeric column of X. Numeric columns: {numeric}.",
                column=name,
                numeric=listed(numeric, quoted=True),
            )
        if kind not in LIKELIHOODS:
            raise InputError(
                "unknown-likelihood",
                "There is no likelihood {likelihood!r} (given for column {column!r}): {hint}",
                likelihood=kind,
                column=name,
                hint=did_you_mean(kind, LIKELIHOODS),
            )
        asked[numeric[name]] = kind
    return asked


def split_auto(
    asked: dict[int, str], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, k: int, threads: int
) -> tuple[list[int], list[int]]:
    """Return the "auto" columns of few values, and those of many if the table is small enough for a choice."""
    index = [j for j, kind in asked.items() if kind == "auto"]
    if not 0 < len(index) <= MOST_COLUMNS or matrix.n_rows > MOST_ROWS:
        return [], []
    # Columns with more than a few values among their first rows already need not be counted.
    first = np.sort(numeric_columns(matrix, index)[:_FIRST_ROWS], axis=0)
    new = (first[1:] != first[:-1]) & ~np.isnan(first[1:])
    possible = [j for j, values in zip(index, np.count_nonzero(new, axis=0)) if values < FEW_VALUES]
    counts = _core.value_counts(numeric_columns(matrix, possible), y, weight, k, threads) if possible else []
    few = [j for j, column in zip(possible, counts_in_rows(counts, y, weight)) if has_few_values(column)]
    return few, [j for j in index if j not in few]
