"""Intervals or a density for the numbers of a table: cross-validation on the training rows decides.

Intervals follow any shape but are coarse where rows are few; a normal density needs few rows but has one shape; a
kernel density lies between. A density replaces the intervals of the whole table if it makes no more errors than they do
and has no larger log-loss: one that is better by one of the two measures alone was as often worse on new rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.model.bayes.posterior import BayesModel

FOLDS = 5
# More rows are not looked at: a sample of evenly spaced ones decides.
SAMPLE = 2000
# With more rows than this, intervals follow a density closely, and the choice would cost more than it gives.
MOST_ROWS = 20_000
# With more numeric columns than this, too.
MOST_COLUMNS = 500
# A kernel density keeps every training value, and a prediction looks at them: not for more rows than the sample.
DENSITIES = ("gaussian", "kde")
# The log-loss of a row whose class was held to be impossible, as a probability.
LEAST_PROBABILITY = 1e-12

# Numbers of which a sum of squares can overflow have no density.
LARGEST_NUMBER = 1e145

# Training rows -> (likelihood -> model): what all likelihoods need of the rows is counted once.
Fit = Callable[[EncodedMatrix, np.ndarray, np.ndarray | None], Callable[[str], BayesModel]]


def choose_density(matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, fit: Fit) -> str:
    """Return "auto" (intervals), "gaussian" or "kde" for the numeric columns with many values.

    Parameters
    ----------
    fit : callable
        (matrix, y, weight) -> (likelihood -> model).
    """
    n = matrix.n_rows
    densities = DENSITIES if n <= SAMPLE else DENSITIES[:1]
    # Intervals take any number; the squares of these are none.
    if n > MOST_ROWS or np.abs(matrix.numeric).max(where=~np.isnan(matrix.numeric), initial=0.0) > LARGEST_NUMBER:
        return "auto"
    if n > SAMPLE:
        rows = np.linspace(0, n - 1, SAMPLE).astype(np.int64)
        matrix, y, weight = matrix.take(rows), y[rows], None if weight is None else weight[rows]
    fold = content_folds(matrix, y)
    if fold.max(initial=0) < FOLDS - 1 or y.min(initial=0) == y.max(initial=0):
        return "auto"
    loss = {name: np.zeros(2) for name in ("auto", *densities)}
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        model_of = fit(matrix.take(train), y[train], None if weight is None else weight[train])
        unseen, w = matrix.take(test), None if weight is None else weight[test]
        for name, total in loss.items():
            total += _losses(model_of(name), unseen, y[test], w)
    # Sums in another order may differ in their last digits.
    near = 1e-9 * float(n if weight is None else weight.sum())
    better = [name for name in densities if (loss[name] <= loss["auto"] + near).all()]
    return min(better, key=lambda name: loss[name][1], default="auto")


def content_folds(matrix: EncodedMatrix, y: np.ndarray) -> np.ndarray:
    """Return the fold of each row: rows sorted by class and values go to the folds in turn, equal rows to the same one.

    So the choice depends neither on the order of the rows nor on whether a row is repeated or has a larger weight.
    """
    cells = np.column_stack([y, np.nan_to_num(matrix.numeric, nan=np.inf), matrix.codes])
    rank: np.ndarray = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    return rank % FOLDS


def _losses(model: BayesModel, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return the summed errors and log-loss of rows the model was not trained on."""
    probability = model.predict_proba(matrix)
    wrong = probability.argmax(axis=1) != y
    log_loss = -np.log(np.maximum(probability[np.arange(len(y)), y], LEAST_PROBABILITY))
    w = np.ones(len(y)) if weight is None else weight
    return np.array([w @ wrong, w @ log_loss])
