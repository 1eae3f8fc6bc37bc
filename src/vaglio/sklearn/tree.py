"""The names of ``sklearn.tree``; the trees are vaglio's."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn import tree as theirs
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from vaglio.errors import NotSupportedError
from vaglio.runtime.scikit_learn import check_sample_weight
from vaglio.sklearn._checks import DENSE_LIMIT, SHARED_ROWS, class_codes, single_precision, sound_targets
from vaglio.sklearn._names import forward
from vaglio.sklearn._preset import Preset
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")

__all__, __getattr__, __dir__ = forward(__name__, OWN)

# Kept, because the name in scikit-learn's module may be given to vaglio's class later.
SCIKIT_LEARNS = theirs.DecisionTreeRegressor


class TreePreset(Preset):
    """What the trees share."""

    _fixed: ClassVar[dict[str, Any]] = {"high_cardinality": None}
    _cases: ClassVar[dict[str, str]] = {
        "negative sample weights": "vaglio refuses them",
        "a sparse X of more than 16 million cells": "vaglio writes a sparse matrix out in full",
        "criterion or splitter is an object": "it is made for scikit-learn's own grower",
    }

    # Parameters of scikit-learn's class.
    class_weight: Any = None
    classes_: Any
    n_classes_: Any
    n_outputs_: int
    tree_: Any
    criterion: Any
    max_features: Any
    monotonic_cst: Any
    splitter: Any

    def fit(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None, check_input: bool = True
    ) -> Self:
        """Grow a tree, as scikit-learn's class of this name does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
        check_input : bool, default=True
            False where X is a checked array of single precision, and y an array.

        Returns
        -------
        self
        """
        ours = self._fit_ours(X, y, sample_weight, check_input)
        return ours or self._fit_theirs(X, y, sample_weight=sample_weight, check_input=check_input)

    def _fit(
        self,
        X: TableLike,
        y: ColumnLike,
        sample_weight: ColumnLike | None = None,
        check_input: bool = True,
        **other: Any,
    ) -> Self:
        """Grow a tree of a forest: scikit-learn's forests call this with rows they have checked."""
        self.__dict__.pop("_handed", []).extend([X, y])  # for the forest that asked for them
        if self._case(X, y, sample_weight) is None:
            return self._grow(X, y, sample_weight, check_input)
        super()._fit(X, y, sample_weight=sample_weight, check_input=check_input, **other)  # type: ignore[misc]
        return self

    def _fit_ours(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None, check_input: bool = True
    ) -> Self | None:
        self._begin()
        if self._left_to_scikit_learn(X, y, sample_weight):
            return None
        return self._grow(X, y, sample_weight, check_input)

    def _case(self, X: Any, y: Any, sample_weight: Any) -> str | None:
        if not isinstance(self.criterion, str) or not isinstance(self.splitter, str):
            return "criterion or splitter is an object"
        if sample_weight is not None and np.any(np.asarray(sample_weight) < 0):
            return "negative sample weights"
        if issparse(X) and X.shape[0] * X.shape[1] > DENSE_LIMIT:
            return "a sparse X of more than 16 million cells"
        return None

    def _grow(self, X: Any, y: Any, sample_weight: Any, check_input: bool) -> Self:
        from vaglio.sklearn._growing import encoded_rows, grow, made_of

        checked, given = X, y
        if check_input:
            checked, y = self._checked(X, y)
        y = np.atleast_1d(y)
        self._check_counts(y)
        if len(y) != checked.shape[0]:
            raise ValueError(f"Number of labels={len(y)} does not match number of samples={checked.shape[0]}")
        y = y.reshape(len(y), -1)
        self.n_features_in_, self.n_outputs_ = checked.shape[1], y.shape[1]
        y = y if self.n_outputs_ > 1 else y.ravel()
        target = y
        if isinstance(self, ClassifierMixin):
            self.classes_, self.n_classes_, target = made_of(given, _classes_and_codes, y)
        self._check_monotonic()
        rows = made_of(X, encoded_rows, checked)
        grow(self, rows, target, self._weight(checked, y, sample_weight))
        return self

    def _checked(self, X: TableLike, y: ColumnLike) -> tuple[Any, Any]:
        """Return the rows in single precision and the targets."""
        if sound_targets(y) or SHARED_ROWS.knows_targets(y):
            rows = single_precision(self, X, reset=True)
            if rows is not None:
                return rows, y
        finite = True if issparse(X) else "allow-nan"
        options = {"dtype": np.float32, "accept_sparse": "csc", "ensure_all_finite": finite}
        both = validate_data(self, X, y, validate_separately=(options, {"ensure_2d": False, "dtype": None}))
        if both[1] is y and y.ndim == 1:
            SHARED_ROWS.keep_targets(y)
        return both[0], both[1]

    # An array that is plainly sound is answered from ``tree_``: one row in an eighth of the time that scikit-learn's
    # methods take, 1,000 rows in a third. Everything else goes to these methods.
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

    def _trained(self) -> Any:
        learner = super()._trained()
        if self.n_outputs_ > 1:
            raise NotSupportedError(
                "several-targets-of-tree",
                "vaglio explains and saves trees with one target. Fit one estimator per column.",
            )
        return learner

    def _check_counts(self, y: np.ndarray) -> None:
        """Refuse what Poisson's deviance is not made for, in scikit-learn's words."""
        if self.criterion != "poisson":
            return
        if np.any(y < 0):
            raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
        if np.sum(y) <= 0:
            raise ValueError("Sum of y is not positive which is necessary for Poisson regression.")

    def _check_monotonic(self) -> None:
        """Refuse impossible constraints in scikit-learn's words."""
        if self.monotonic_cst is None:
            return
        if self.n_outputs_ > 1:
            raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
        signs = np.asarray(self.monotonic_cst)
        if len(signs) != self.n_features_in_:
            raise ValueError(
                f"monotonic_cst has shape {len(signs)} but the input data X has {self.n_features_in_} features."
            )
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}")
        if isinstance(self, ClassifierMixin) and self.n_classes_ > 2:
            raise ValueError("Monotonicity constraints are not supported with multiclass classification")

    def _weight(self, X: Any, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
        """Return what the rows weigh, with the weights of their classes."""
        weight: np.ndarray | None = sample_weight
        if weight is not None and sound_targets(weight, X.shape[0]) and weight.any():
            weight = weight.astype(np.float64, copy=False)
        elif weight is not None:
            weight = check_sample_weight(sample_weight, X, dtype=np.float64)
        if self.class_weight is None:
            return weight
        factors: np.ndarray = compute_sample_weight(self.class_weight, y)
        return factors if weight is None else weight * factors


def _classes_and_codes(y: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    """Return the classes, their number and the codes of the targets; of several outputs those of each."""
    if y.ndim == 1:
        classes, codes = class_codes(y)
        return classes, len(classes), codes
    check_classification_targets(y)
    found = [np.unique(column, return_inverse=True) for column in y.T]
    every = [labels for labels, _ in found]
    return every, np.array([len(labels) for labels in every], dtype=np.intp), np.column_stack([c for _, c in found])


class DecisionTreeClassifier(TreePreset, theirs.DecisionTreeClassifier):
    __doc__ = theirs.DecisionTreeClassifier.__doc__
    _learner = "vaglio.learners.trees.estimators.decision_tree:DecisionTreeClassifier"

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
        return super().predict_proba(X, check_input) if said is None else said


class DecisionTreeRegressor(TreePreset, theirs.DecisionTreeRegressor):
    __doc__ = theirs.DecisionTreeRegressor.__doc__
    _learner = "vaglio.learners.trees.estimators.decision_tree:DecisionTreeRegressor"


class ExtraTreeClassifier(DecisionTreeClassifier, theirs.ExtraTreeClassifier):
    __doc__ = theirs.ExtraTreeClassifier.__doc__


class ExtraTreeRegressor(DecisionTreeRegressor, theirs.ExtraTreeRegressor):
    __doc__ = theirs.ExtraTreeRegressor.__doc__
