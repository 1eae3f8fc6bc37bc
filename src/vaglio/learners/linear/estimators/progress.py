"""When a perceptron makes no more progress: in its loss, or in the accuracy on rows held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import accuracy_score

# The least progress in a number of errors.
ONE_ERROR = 1


class HeldOut(NamedTuple):
    """Rows that are not learned from, in the encoded space.

    Attributes
    ----------
    rows : ndarray or sparse matrix
    codes : ndarray of int
        The class of each; of one output, 1 for the class to find.
    weight : ndarray or None
    """

    rows: Any
    codes: np.ndarray
    weight: np.ndarray | None

    def accuracy(self, weights: np.ndarray) -> float:
        """Return the share predicted correctly by the weights of all outputs, (K, width + 1), the bias last."""
        values = np.column_stack([self.rows @ output[:-1] + output[-1] for output in weights])
        predicted = values[:, 0] > 0 if len(weights) == 1 else values.argmax(axis=1)
        return float(accuracy_score(self.codes, predicted.astype(self.codes.dtype), sample_weight=self.weight))


class Progress:
    """Counts passes without progress.

    Parameters
    ----------
    tol : float or None
        How much is progress; None goes on to the last pass.
    """

    def __init__(self, tol: float | None) -> None:
        self.tol, self.best, self.waited = tol, np.inf, 0

    def look(self, worse: float) -> int:
        """Take a number that falls while there is progress; return how many passes made none."""
        self.waited = self.waited + 1 if self.tol is not None and worse > self.best - self.tol else 0
        self.best = min(self.best, worse)
        return self.waited
