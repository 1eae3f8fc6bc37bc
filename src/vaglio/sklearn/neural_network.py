"""The names of ``sklearn.neural_network``; vaglio's network is trained by scikit-learn's in both namespaces."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import neural_network as theirs
from sklearn.utils.metaestimators import available_if

from vaglio.sklearn._names import count_case, forward
from vaglio.sklearn._preset import PARTS, Preset
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ("MLPClassifier",)

__all__, __getattr__, __dir__ = forward(__name__, OWN)

_ALWAYS = "training"


class MLPClassifier(Preset, theirs.MLPClassifier):
    __doc__ = theirs.MLPClassifier.__doc__
    _learner = "vaglio.learners.linear.estimators.mlp:MLPClassifier"
    _fixed: ClassVar[dict[str, Any]] = {"preprocess": None, "warm_start": False, "verbose": False, "class_weight": None}
    _cases: ClassVar[dict[str, str]] = dict.fromkeys(
        (_ALWAYS, PARTS), "vaglio's own MLPClassifier is trained by it as well"
    )

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        count_case(self, _ALWAYS)
        self._fit_theirs(X, y, sample_weight=sample_weight)
        labels = np.asarray(y)
        if labels.ndim == 1:
            rows = X if issparse(X) else np.asarray(X, dtype=np.float64)
            # A copy: the learner would hold this estimator, which holds the learner.
            network = copy(self)
            del network.learner_
            self.learner_ = self._make().adopt(network, rows, labels)
        return self

    @available_if(lambda self: hasattr(super(), "partial_fit"))
    def partial_fit(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None, classes: ColumnLike | None = None
    ) -> Self:
        """Train for one pass over some rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        classes : array-like, optional
            All classes; needed on the first call.

        Returns
        -------
        self
        """
        return self._fit_part(X, y, sample_weight=sample_weight, classes=classes)
