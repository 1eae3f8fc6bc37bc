"""The names of ``sklearn.neighbors``; classification and regression by the k nearest rows are vaglio's."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import neighbors as theirs
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from vaglio.errors import NotSupportedError, warn
from vaglio.sklearn._checks import DENSE_LIMIT, class_codes, one_column, shared_case, shared_cases, validate_data
from vaglio.sklearn._names import forward
from vaglio.sklearn._preset import Preset
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ("KNeighborsClassifier", "KNeighborsRegressor")

__all__, __getattr__, __dir__ = forward(__name__, OWN)

_METRIC = "a metric that is not Minkowski's, cosine or Hamming's"
_SPARSE = "a sparse X of more than 16 million cells"
_TREE = "a tree or an estimator in place of X"
_SMALL_P = "p below 1"
# scikit-learn's names of the metrics that vaglio's search has.
_METRICS = {
    "minkowski": "minkowski",
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "cosine": "cosine",
    "hamming": "hamming",
}
# Held here: while scikit-learn is patched, its module has vaglio's class under this name.
_TheirClassifier = theirs.KNeighborsClassifier
_TREES = ("kd_tree", "ball_tree")
_NAMED_POWERS = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}


class NeighborsPreset(Preset):
    """What the classifier and the regressor share: the search is vaglio's, the votes are counted here."""

    n_neighbors: int
    weights: Any
    algorithm: str
    metric: Any
    metric_params: dict[str, Any] | None
    p: float

    _fixed: ClassVar[dict[str, Any]] = {"preprocess": None, "weights": "uniform", "random_state": 0}
    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.KNeighborsClassifier),
        _METRIC: "vaglio's search has no kernel for it",
        _SPARSE: "vaglio writes a sparse matrix out in full",
        _TREE: "it is scikit-learn's own",
        _SMALL_P: "it is no metric, and scikit-learn warns of it or refuses it",
    }

    def fit(self, X: TableLike, y: ColumnLike) -> Self:  # type: ignore[override]
        """Keep the training rows and their targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or a KDTree or BallTree
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        self
        """
        for name in ("_tree", "_fit_method"):
            self.__dict__.pop(name, None)
        return self._fit_ours(X, y) or self._fit_theirs(X, y)

    def _case(self, X: Any, y: Any, sample_weight: Any) -> str | None:
        if hasattr(X, "query") or hasattr(X, "kneighbors"):
            return _TREE
        if issparse(X) and X.shape[0] * X.shape[1] > DENSE_LIMIT:
            return _SPARSE
        refused = self.algorithm in theirs.VALID_METRICS and self.metric not in theirs.VALID_METRICS[self.algorithm]
        if not isinstance(self.metric, str) or self.metric not in _METRICS or self.metric_params or refused:
            return _METRIC
        if self.metric == "minkowski" and self.p < 1:
            return _SMALL_P
        # scikit-learn refuses other metrics of a sparse X.
        if issparse(X) and self._named_metric() not in ("euclidean", "l2", "manhattan", "l1", "cityblock", "cosine"):
            return _METRIC
        return shared_case(self, None)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        X, y = validate_data(self, X, y, multi_output=True, order="C", accept_sparse="csr")
        self._fit_X = X.copy() if issparse(X) else X
        if issparse(X):
            if self.algorithm in _TREES:
                warn("cannot use tree with sparse input: using brute force")
            X = X.toarray()
        if isinstance(self, ClassifierMixin):
            self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
            y = y if self.outputs_2d_ else one_column(y)
            if self.outputs_2d_:
                check_classification_targets(y)
                found = [np.unique(column, return_inverse=True) for column in y.T]
            else:
                found = [class_codes(y)]
            self.classes_ = [labels for labels, _ in found] if self.outputs_2d_ else found[0][0]
            self._y = np.column_stack([codes for _, codes in found]) if self.outputs_2d_ else found[0][1]
        else:
            self._y = y
        return X, y, None

    def _settings(self) -> dict[str, Any]:
        algorithm = "auto" if self.algorithm == "ball_tree" else self.algorithm
        return super()._settings() | {"metric": _METRICS[self.metric], "algorithm": algorithm, "p": float(self.p)}

    def _train(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        learner.fit(X, y if np.ndim(y) == 1 else np.asarray(y)[:, 0])

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.n_samples_fit_ = len(X)
        named = self._named_metric()
        self.effective_metric_ = named or "minkowski"
        self.effective_metric_params_ = {} if named else {"p": self.p, "w": None}

    def _named_metric(self) -> str | None:
        """Return scikit-learn's name of the metric; None for a power of Minkowski's that has none."""
        return _NAMED_POWERS.get(self.p) if self.metric == "minkowski" else self.metric

    @cached_property
    def _tree(self) -> Any:
        """The tree of scikit-learn's search; None where it would have none. vaglio's search does without."""
        return self._their_search()._tree

    @cached_property
    def _fit_method(self) -> str:
        """The search that scikit-learn would choose."""
        return str(self._their_search()._fit_method)

    def _their_search(self) -> Any:
        names = ("n_neighbors", "algorithm", "leaf_size", "metric", "p", "metric_params")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        return theirs.NearestNeighbors(**given).fit(self._fit_X)

    def _trained(self) -> Any:
        learner = super()._trained()
        if self._y.ndim == 2 and self._y.shape[1] > 1:
            raise NotSupportedError(
                "several-targets-of-neighbours",
                "vaglio explains and saves neighbours with one target. Fit one estimator per column.",
            )
        return learner

    def kneighbors(self, X: TableLike | None = None, n_neighbors: Any = None, return_distance: bool = True) -> Any:
        """Find the nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), optional
            Without it the training rows, of which none is its own neighbour.
        n_neighbors : int, optional
            By default that of the estimator.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only with ``return_distance=True``.
        rows : ndarray of shape (n_queries, n_neighbors)
            Nearest first; equal distances in the order of the rows.
        """
        if not self._ours:
            return super().kneighbors(X, n_neighbors, return_distance)  # type: ignore[misc]
        k: Any = self.n_neighbors if n_neighbors is None else n_neighbors
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        if not hasattr(k, "__index__"):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        X = None if X is None else self._queries(X)
        n = self.n_samples_fit_
        if k > n - (X is None):
            raise ValueError(
                f"Expected n_neighbors {'<' if X is None else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {n}, n_samples = {n if X is None else len(X)}: ask for fewer neighbours."
            )
        return self.learner_.kneighbors(X, k, return_distance)

    def _queries(self, X: TableLike) -> np.ndarray:
        rows: Any = validate_data(self, X, reset=False, order="C", accept_sparse="csr")
        if not issparse(rows):
            return np.asarray(rows)
        if self.algorithm in _TREES and not issparse(self._fit_X):
            raise ValueError(f"{self.algorithm} does not work with sparse matrices: give a dense X, or use 'brute'.")
        return np.asarray(rows.toarray())

    def predict(self, X: TableLike) -> np.ndarray:
        """Return the class of most votes for each row of X, or the mean of its neighbours weighted by their votes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None
            None stands for the training rows, none of which is its own neighbour.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        return self._predict(X) if self._ours else np.asarray(super().predict(X))  # type: ignore[misc]

    def _predict(self, X: TableLike) -> np.ndarray:
        raise NotImplementedError

    def _voters(self, X: TableLike) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the neighbours of each row and their weights, None for all one."""
        if self.weights in ("uniform", None):
            return self.kneighbors(X, return_distance=False), None
        distances, rows = self.kneighbors(X)
        if callable(self.weights):
            return rows, self.weights(distances)
        with np.errstate(divide="ignore"):
            weights = 1.0 / distances
        same = np.isinf(weights)
        decided = same.any(axis=1)
        weights[decided] = same[decided]
        return rows, weights


class KNeighborsClassifier(NeighborsPreset, theirs.KNeighborsClassifier):
    __doc__ = theirs.KNeighborsClassifier.__doc__
    _learner = "vaglio.learners.neighbors.estimators:KNeighborsClassifier"

    def _predict(self, X: TableLike) -> np.ndarray:
        found = self.predict_proba(X)
        if not self.outputs_2d_:
            return np.asarray(self.classes_[np.argmax(found, axis=1)])
        labels = [classes[np.argmax(votes, axis=1)] for classes, votes in zip(self.classes_, found)]
        return np.column_stack(labels).astype(self.classes_[0].dtype, copy=False)

    def predict_proba(self, X: TableLike) -> Any:
        """Return the share of the votes that each class has, for each row of X.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or None
            None stands for the training rows, none of which is its own neighbour.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them for several outputs
        """
        from vaglio.learners.neighbors.model import class_sums, shares

        if not self._ours:
            return super().predict_proba(X)
        rows, weights = self._voters(X)
        if weights is not None and (np.asarray(weights) == 0).all(axis=1).any():
            _let_scikit_learn_refuse_zero_weights()
        votes = np.ones(rows.shape) if weights is None else np.asarray(weights, dtype=np.float64)
        every = [self.classes_] if not self.outputs_2d_ else self.classes_
        found = [
            shares(class_sums(codes[rows], votes, len(labels)))
            for codes, labels in zip(np.atleast_2d(self._y.T), every)
        ]
        return found if self.outputs_2d_ else found[0]


class KNeighborsRegressor(NeighborsPreset, theirs.KNeighborsRegressor):
    __doc__ = theirs.KNeighborsRegressor.__doc__
    _learner = "vaglio.learners.neighbors.estimators:KNeighborsRegressor"

    def _predict(self, X: TableLike) -> np.ndarray:
        rows, weights = self._voters(X)
        targets = self._y[rows]
        if weights is None:
            return np.asarray(targets.mean(axis=1))
        votes = np.asarray(weights, dtype=np.float64)
        weighted = np.einsum("nk,nk...->n...", votes / votes.sum(axis=1, keepdims=True), targets)
        return np.asarray(weighted)


def _let_scikit_learn_refuse_zero_weights() -> None:
    """Raise the error that scikit-learn has for rows none of whose neighbours has a vote."""
    _TheirClassifier(1, weights=np.zeros_like).fit([[0.0]], [0]).predict([[0.0]])
