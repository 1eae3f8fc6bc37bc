"""The MAP classifier with one table per class over all combinations of values."""

from __future__ import annotations

import math
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Chunk, Pass, Passes, TableSummary
from vaglio.engines.value_counts import ColumnCounts
from vaglio.errors import DataWarning, NotSupportedError, warn
from vaglio.learners.bayes.estimators.generative import Generative, in_order_of, resolve_priors
from vaglio.learners.bayes.estimators.intervals import learn_bins
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.model.joint_bayes import JointBayesModel
from vaglio.learners.bayes.passes import bins_passes
from vaglio.learners.parameters import NOT_NEGATIVE, estimator
from vaglio.typing import ClassWeight, Priors


@estimator
class JointBayesClassifier(Generative):
    """argmax P(x|c)·P(c) with P(x|c) from one table per class: (rows of c in the cell + α) / (rows of c + α·cells).

    No independence is assumed, but the number of cells grows exponentially with the columns: more cells than rows give
    a warning, more than ``max_cells`` an error. Numbers are cut into intervals where the class changes (Fayyad and
    Irani). Rows with a missing value are left out of the table; at prediction a missing value is summed over.

    Parameters
    ----------
    alpha : float
        Added to every cell. With 0 a combination never seen with a class rules it out.
    max_cells : int
        Largest number of cells of the table; a larger one is an error.

    Attributes
    ----------
    class_prior_ : ndarray of shape (n_classes,)
        Prior of each class.
    n_cells_ : int
        Combinations of values, seen or not.

    Examples
    --------
    >>> import pandas as pd
    >>> from vaglio import JointBayesClassifier
    >>> X = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]})
    >>> model = JointBayesClassifier().fit(X, ["same", "other", "other", "same"])
    >>> model.predict(X).tolist()  # naive Bayes cannot learn this
    ['same', 'other', 'other', 'same']
    """

    _learner_id = "joint-bayes"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": NOT_NEGATIVE,
        "max_cells": [Interval(Integral, 1, 1 << 40, closed="both")],
    }

    alpha: float = 1.0
    max_cells: int = 1_000_000
    priors: Priors = None
    class_weight: ClassWeight = None
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> JointBayesModel:
        if self._counts_on_bins(matrix):
            learned = self._learn_by_passes(matrix, y, weight)
            assert isinstance(learned, JointBayesModel)
            return learned
        k = len(self.classes_)
        bins = learn_bins(matrix, y, weight, k, self._threads(), keep_few_values=False)
        self.n_cells_ = math.prod(int(size) for size in bins.n_values)
        self._refuse_too_many_cells(bins, matrix.n_rows)
        class_count = np.bincount(y, weight, minlength=k).astype(np.float64)
        self.class_prior_ = resolve_priors(in_order_of(self.classes_, self.priors), class_count)
        cells = bins.cells(matrix)
        complete = (cells >= 0).all(axis=1)
        _, first, where = np.unique(flat_index(cells[complete], bins.size), return_index=True, return_inverse=True)
        seen = cells[complete][first]
        w = None if weight is None else weight[complete]
        flat = np.bincount(y[complete] * len(seen) + where, w, minlength=k * len(seen))
        count = flat.astype(np.float64).reshape(k, len(seen))
        return JointBayesModel(
            bins, class_count, self.class_prior_, np.ascontiguousarray(seen), count, float(self.alpha)
        )

    def _passes(self, facts: TableSummary) -> Passes:
        bins, class_count = yield from bins_passes(facts, keep_few_values=False)
        self.n_cells_ = math.prod(int(size) for size in bins.n_values)
        self._refuse_too_many_cells(bins, facts.n_rows)
        self.class_prior_ = resolve_priors(in_order_of(self.classes_, self.priors), class_count)
        found = yield Pass("combinations of values", partial(_count_combinations, bins, facts.n_classes))
        seen = np.empty((len(found.points), len(bins.size)), dtype=np.int64)
        number = found.points.astype(np.int64)
        for j in reversed(range(len(bins.size))):
            number, seen[:, j] = np.divmod(number, int(bins.size[j]))
        count = np.ascontiguousarray(found.table.T)
        return JointBayesModel(bins, class_count, self.class_prior_, seen, count, float(self.alpha))

    def _refuse_too_many_cells(self, bins: Bins, rows: int) -> None:
        widest = ", ".join(f"{bins.features[j].name!r} {bins.size[j]}" for j in np.argsort(-bins.size)[:4])
        declared = math.prod(int(size) for size in bins.size)
        if self.n_cells_ > self.max_cells or declared >= 1 << 62:
            raise NotSupportedError(
                "joint-table-too-large",
                "The joint table would have {n_cells:.3g} cells per class, more than "
                "max_cells={max_cells} (largest columns: {widest}). Leave columns out, or use "
                "NaiveBayesClassifier or BayesianNetworkClassifier.",
                n_cells=max(self.n_cells_, declared),
                max_cells=self.max_cells,
                widest=widest,
            )
        if self.n_cells_ > rows:
            warn(
                DataWarning(
                    "sparse-joint-table",
                    "The joint table has {n_cells:,} cells per class for {rows:,} rows, so most cells stay "
                    "empty (largest columns: {widest}). Fewer columns or naive Bayes may be more accurate.",
                    n_cells=self.n_cells_,
                    rows=rows,
                    widest=widest,
                )
            )


def _count_combinations(bins: Bins, k: int, chunk: Chunk) -> ColumnCounts:
    """Count each combination of cells that occurs, by class."""
    cells = bins.cells(chunk.matrix)
    complete = (cells >= 0).all(axis=1)
    number, where = np.unique(flat_index(cells[complete], bins.size), return_inverse=True)
    weight = None if chunk.weight is None else chunk.weight[complete]
    flat = np.bincount(where * k + chunk.y[complete], weight, minlength=len(number) * k)
    return ColumnCounts(number, flat.astype(np.float64).reshape(-1, k), True)
