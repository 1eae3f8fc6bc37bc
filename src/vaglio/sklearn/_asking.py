"""Asking models of few rows: what scikit-learn's methods compute, without most of what they look at before.

Placed before scikit-learn's classes. An array that is plainly sound is answered from the fitted attributes, with the
operations of scikit-learn and so with its bits; everything else goes to scikit-learn's own method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.sklearn._checks import X_is_sound, single_precision
from vaglio.typing import TableLike

# scikit-learn asks the trees of a forest on several threads: that pays for more rows than these.
_FEW = 1000


class AsksDirections:
    """Linear models: a product with ``coef_``."""

    classes_: Any
    coef_: Any
    intercept_: Any

    def decision_function(self, X: TableLike) -> Any:
        """Return the decision values of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if not self._is_plain(X):
            return super().decision_function(X)  # type: ignore[misc]
        scores = X @ self.coef_.T + self.intercept_
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> Any:
        """Return the class of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if not self._is_plain(X):
            return super().predict(X)  # type: ignore[misc]
        scores = self.decision_function(X)
        return self.classes_.take((scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1))

    def _is_plain(self, X: TableLike) -> bool:
        coef = self.__dict__.get("coef_")
        return type(coef) is np.ndarray and coef.ndim == 2 and X_is_sound(self, X)


class AsksLikelihoods:
    """Naive Bayes: the class of the largest joint likelihood."""

    classes_: Any

    def predict(self, X: TableLike) -> Any:
        """Return the class of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if "classes_" not in self.__dict__:
            return super().predict(X)  # type: ignore[misc]
        asked: Any = self
        return self.classes_[asked._joint_log_likelihood(asked._check_X(X)).argmax(axis=1)]

    def _check_X(self, X: Any) -> Any:
        """Return the rows as the likelihoods take them."""
        return self._as_asked(X) if X_is_sound(self, X) else super()._check_X(X)  # type: ignore[misc]

    def _as_asked(self, X: np.ndarray) -> np.ndarray:
        return X


class AsksTree:
    """A tree: what the leaf of a row says."""

    classes_: Any
    n_outputs_: int
    tree_: Any

    def predict(self, X: TableLike, check_input: bool = True) -> Any:
        """Return the class or the number of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        check_input : bool, default=True
            False where X is a checked array of single precision.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        said = self._said(X)
        return super().predict(X, check_input) if said is None else self._answer(said)  # type: ignore[misc]

    def _answer(self, said: np.ndarray) -> Any:
        return said[:, 0]

    def _said(self, X: TableLike) -> np.ndarray | None:
        """Return what the leaves of the rows say; None where scikit-learn's method has to look at the rows."""
        if "tree_" not in self.__dict__ or self.n_outputs_ > 1:
            return None
        rows = single_precision(self, X)
        return None if rows is None else self.tree_.predict(rows)


class AsksProbableTree(AsksTree):
    """A tree of classes."""

    def _answer(self, said: np.ndarray) -> Any:
        return self.classes_.take(said.argmax(axis=1))

    def predict_proba(self, X: TableLike, check_input: bool = True) -> Any:
        """Return the probability of each class for each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        check_input : bool, default=True
            False where X is a checked array of single precision.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        said = self._said(X)
        return super().predict_proba(X, check_input) if said is None else said  # type: ignore[misc]


class AsksForest:
    """A forest asked of few rows: one tree after the other."""

    estimators_: list[Any]
    n_outputs_: int

    def _mean_said(self, X: TableLike) -> np.ndarray | None:
        """Return the mean of what the trees say; None where scikit-learn's method is to be asked."""
        if "estimators_" not in self.__dict__ or self.n_outputs_ > 1 or getattr(X, "shape", (_FEW + 1,))[0] > _FEW:
            return None
        rows = single_precision(self, X)
        if rows is None:
            return None
        trees = [member.tree_ for member in self.estimators_]
        total = np.zeros((len(rows), getattr(self, "n_classes_", 1)))
        for tree in trees:
            total += tree.predict(rows)
        total /= len(trees)
        return total


class AsksClassForest(AsksForest):
    """A forest of classes."""

    def predict_proba(self, X: TableLike) -> Any:
        """Return the mean of the probabilities of each class that the trees give to each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        found = self._mean_said(X)
        return super().predict_proba(X) if found is None else found  # type: ignore[misc]


class AsksNumberForest(AsksForest):
    """A forest of numbers."""

    def predict(self, X: TableLike) -> Any:
        """Return the mean of the numbers that the trees give to each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        found = self._mean_said(X)
        return super().predict(X) if found is None else found[:, 0]  # type: ignore[misc]
