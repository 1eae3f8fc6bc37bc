"""The names of ``sklearn.tree``; the decision trees are vaglio's."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import tree as theirs
from sklearn.base import is_classifier
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from vaglio.sklearn._forward import forward
from vaglio.sklearn._preset import Preset

# What is vaglio's; every other name is scikit-learn's.
OWN = ("DecisionTreeClassifier", "DecisionTreeRegressor")

__all__, __getattr__, __dir__ = forward(__name__, OWN)

# A sparse matrix is written out in full up to this many numbers: 128 MB.
_DENSE_LIMIT = 1 << 24


class TreePreset(Preset):
    """What the trees share."""

    _fixed: ClassVar[dict[str, Any]] = {"class_weight": None, "nominal_guard": None}
    _cases: ClassVar[dict[str, str]] = {
        "y of several columns": "vaglio's trees predict one target",
        "negative sample weights": "vaglio refuses them",
        "a large sparse X": "vaglio writes a sparse matrix out in full, up to 16 million numbers",
    }

    # Parameters of scikit-learn's class.
    class_weight: Any = None
    max_features: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow a tree, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
        check_input : bool, default=True
            Taken for the sake of scikit-learn's signature; rows are always checked.

        Returns
        -------
        self
        """
        ours = self._fit_ours(X, y, sample_weight)
        return ours or self._fit_theirs(X, y, sample_weight=sample_weight, check_input=check_input)

    def _case(self, X: Any, y: Any, sample_weight: Any) -> str | None:
        if np.ndim(y) == 2 and np.shape(y)[1] > 1:
            return "y of several columns"
        if sample_weight is not None and np.any(np.asarray(sample_weight) < 0):
            return "negative sample weights"
        if issparse(X) and X.shape[0] * X.shape[1] > _DENSE_LIMIT:
            return "a large sparse X"
        return None

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        rows = {"dtype": np.float32, "accept_sparse": "csc", "ensure_all_finite": "allow-nan"}
        X, y = validate_data(self, X, y, validate_separately=(rows, {"ensure_2d": False, "dtype": None}))
        y = np.atleast_1d(y)
        if len(y) != X.shape[0]:
            raise ValueError(f"Number of labels={len(y)} does not match number of samples={X.shape[0]}")
        if is_classifier(self):
            check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if self.class_weight is not None:
            factors = compute_sample_weight(self.class_weight, y)
            sample_weight = factors if sample_weight is None else sample_weight * factors
        # scikit-learn's trees see single precision; the same numbers in double precision are what vaglio reads.
        dense = X.toarray() if issparse(X) else X
        return dense.astype(np.float64), y.ravel(), sample_weight

    def _publish(self, learner: Any, X: Any, y: Any, weight: Any) -> None:
        from vaglio.sklearn._tree_object import rows_per_node, tree_object

        self.n_outputs_ = 1
        if is_classifier(self):
            self.classes_ = learner.classes_
            self.n_classes_ = len(learner.classes_)
        self.max_features_ = columns_drawn(self.max_features, X.shape[1])
        counted, total = (X, len(X)) if weight is None else (X[weight > 0], weight.sum())
        rows = rows_per_node(learner.tree_, learner.fitted_.codebook.encode(counted))
        self.tree_ = tree_object(learner.tree_, X.shape[1], rows, float(total))


class DecisionTreeClassifier(TreePreset, theirs.DecisionTreeClassifier):
    __doc__ = theirs.DecisionTreeClassifier.__doc__
    _learner = "vaglio.learn.trees.decision_tree:DecisionTreeClassifier"


class DecisionTreeRegressor(TreePreset, theirs.DecisionTreeRegressor):
    __doc__ = theirs.DecisionTreeRegressor.__doc__
    _learner = "vaglio.learn.trees.decision_tree:DecisionTreeRegressor"
    _fixed: ClassVar[dict[str, Any]] = {"nominal_guard": None}
    _cases: ClassVar[dict[str, str]] = {
        **TreePreset._cases,
        'criterion="absolute_error" or "poisson"': "vaglio's trees for numbers split by the squared error",
    }

    def _case(self, X: Any, y: Any, sample_weight: Any) -> str | None:
        if self.criterion not in ("squared_error", "friedman_mse"):
            return 'criterion="absolute_error" or "poisson"'
        return super()._case(X, y, sample_weight)

    def _settings(self) -> dict[str, Any]:
        # "friedman_mse" is another name of the squared error.
        return super()._settings() | {"criterion": "squared_error"}


def columns_drawn(max_features: Any, width: int) -> int:
    """Return how many columns are drawn for a split, as scikit-learn counts them."""
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(width) if max_features == "sqrt" else np.log2(width)))
    if max_features is None:
        return width
    if isinstance(max_features, (int, np.integer)):
        return int(max_features)
    return max(1, int(max_features * width))
