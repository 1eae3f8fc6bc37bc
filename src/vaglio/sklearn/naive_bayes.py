"""The names of ``sklearn.naive_bayes``; the multinomial, Bernoulli, Gaussian and categorical ones are vaglio's."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn import naive_bayes as theirs
from sklearn.utils.validation import _check_sample_weight, check_non_negative
from sklearn.utils.validation import validate_data as in_full

from vaglio.sklearn._checks import (
    X_is_sound,
    class_codes,
    one_column,
    shared_case,
    shared_cases,
    sound_targets,
    validate_data,
    whole_rows,
)
from vaglio.sklearn._names import forward
from vaglio.sklearn._preset import LearnsInParts
from vaglio.typing import ColumnLike, TableLike

# What is vaglio's; every other name is scikit-learn's.
OWN: tuple[str, ...] = ("BernoulliNB", "CategoricalNB", "GaussianNB", "MultinomialNB")

__all__, __getattr__, __dir__ = forward(__name__, OWN)

_ALPHAS = "an alpha of each column, of 0 or below 1e-10"
_PRIORS = "a class_prior that does not add up to 1"
_NOTHING = "sample weights that are all 0"
# Squared distances of small tables are computed at once: numbers of rows, columns and classes.
_AT_ONCE = 1 << 14
_GAPS = "categories that do not occur in the training rows, or min_categories"


class BayesPreset(LearnsInParts):
    """What the naive Bayes classifiers share: vaglio counts; scikit-learn's methods predict from the counts.

    Rows that are plainly sound are not looked at again, which spares two thirds of a prediction of 150 rows.
    """

    alpha: Any
    class_prior: Any
    classes_: Any

    _cases: ClassVar[dict[str, str]] = {
        **shared_cases(theirs.GaussianNB, theirs.MultinomialNB),
        **LearnsInParts._cases,
        _PRIORS: "vaglio's priors are probabilities",
        _NOTHING: "vaglio refuses them",
    }

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        given = self._given_priors()
        if given is not None and (np.ndim(given) != 1 or np.min(given) < 0 or not np.isclose(np.sum(given), 1)):
            return _PRIORS
        if sample_weight is not None and not np.any(np.asarray(sample_weight)):
            return _NOTHING
        return shared_case(self, sample_weight)

    def _check(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> tuple[Any, Any, Any]:
        X, y = self._rows(X, y)
        y = one_column(y)
        self.classes_, _ = class_codes(y)
        given = self._given_priors()
        if given is not None and len(given) != len(self.classes_):
            raise ValueError("Number of priors must match number of classes.")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return X, y, sample_weight

    def _given_priors(self) -> Any:
        return self.class_prior

    def _rows(self, X: TableLike, y: ColumnLike) -> tuple[Any, Any]:
        rows, targets = validate_data(self, X, y, accept_sparse="csr")
        return rows, targets

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


class CountPreset(BayesPreset):
    """The multinomial and the Bernoulli one."""

    _cases: ClassVar[dict[str, str]] = {**BayesPreset._cases, _ALPHAS: "vaglio adds one number to all counts"}

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        if not isinstance(self.alpha, Real) or self.alpha < 1e-10:
            return _ALPHAS
        return super()._case(X, y, sample_weight)

    def _publish(self, learner: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> None:
        for name in ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"):
            setattr(self, name, getattr(learner, name))


class MultinomialNB(CountPreset, theirs.MultinomialNB):
    __doc__ = theirs.MultinomialNB.__doc__
    _learner = "vaglio.learners.bayes.estimators.count_bayes:MultinomialNB"


class BernoulliNB(CountPreset, theirs.BernoulliNB):
    __doc__ = theirs.BernoulliNB.__doc__
    _learner = "vaglio.learners.bayes.estimators.count_bayes:BernoulliNB"

    def _as_asked(self, X: np.ndarray) -> np.ndarray:
        return X if self.binarize is None else np.greater(X, self.binarize).astype(np.float64)


class GaussianNB(BayesPreset, theirs.GaussianNB):
    __doc__ = theirs.GaussianNB.__doc__
    _learner = "vaglio.learners.bayes.estimators.naive_bayes:NaiveBayesClassifier"
    _fixed: ClassVar[dict[str, Any]] = {"likelihood": "gaussian", "var_smoothing": 0.0}

    def _given_priors(self) -> Any:
        return self.priors

    def _rows(self, X: TableLike, y: ColumnLike) -> tuple[Any, Any]:
        rows, targets = validate_data(self, X, y)
        return rows, targets

    def _train(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        learner.fit(X.astype(np.float64, copy=False), y, sample_weight=sample_weight)
        moments = learner._statistics.moments
        # What scikit-learn adds: a share of the largest variance of any column, to every variance.
        self.epsilon_ = self.var_smoothing * np.var(X, axis=0).max()
        weight = moments.weight
        variance = np.divide(moments.deviation, weight, out=np.zeros_like(weight), where=weight > 0) + self.epsilon_
        model = learner.fitted_.model
        smoothed = replace(model.gaussian, mean=np.nan_to_num(moments.mean).T.copy(), variance=variance.T.copy())
        learner.fitted_ = replace(learner.fitted_, model=replace(model, gaussian=smoothed))

    def _joint_log_likelihood(self, X: TableLike) -> Any:
        if type(X) is not np.ndarray or X.dtype != np.float64 or X.size * len(self.theta_) > _AT_ONCE:
            return super()._joint_log_likelihood(X)
        # All classes at once, the numbers of a row added up as in scikit-learn's loop over the classes.
        mean, variance = np.ascontiguousarray(self.theta_), np.ascontiguousarray(self.var_)
        distances = ((X - mean[:, None, :]) ** 2) / variance[:, None, :]
        constant = -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
        return (np.log(self.class_prior_)[:, None] + (constant[:, None] - 0.5 * distances.sum(axis=2))).T

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.class_count_, self.class_prior_ = learner.class_count_, learner.class_prior_
        density, kind = learner.fitted_.model.gaussian, X.dtype if X.dtype.kind == "f" else np.float64
        self.theta_, self.var_ = density.mean.T.astype(kind), density.variance.T.astype(kind)


class CategoricalNB(BayesPreset, theirs.CategoricalNB):
    __doc__ = theirs.CategoricalNB.__doc__
    _learner = "vaglio.learners.bayes.estimators.naive_bayes:NaiveBayesClassifier"
    _cases: ClassVar[dict[str, str]] = {
        **BayesPreset._cases,
        _ALPHAS: "scikit-learn has its own rules for it",
        _GAPS: "vaglio smooths over the categories that occur, scikit-learn over all numbers up to the largest",
    }

    def _case(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None) -> str | None:
        if self.alpha < 1e-10:
            return _ALPHAS
        lost = sample_weight is not None and not np.all(np.asarray(sample_weight, dtype=np.float64) > 0)
        if self.min_categories is not None or lost or not _without_gaps(X):
            return _GAPS
        return super()._case(X, y, sample_weight)

    def _check_X(self, X: Any) -> Any:
        return self._as_asked(X) if whole_rows(self, X) else super()._check_X(X)

    def _as_asked(self, X: np.ndarray) -> np.ndarray:
        rows = X.astype(int)
        if rows.min() < 0:
            check_non_negative(rows, "CategoricalNB (input X)")
        return rows

    def _settings(self) -> dict[str, Any]:
        priors = self.class_prior if self.class_prior is not None else None if self.fit_prior else "equal"
        return super()._settings() | {"priors": priors}

    def _rows(self, X: Any, y: Any) -> tuple[Any, Any]:
        if sound_targets(y) and whole_rows(self, X, len(y)):
            return self._as_asked(X), y
        X, y = in_full(self, X, y, dtype="int")
        check_non_negative(X, "CategoricalNB (input X)")
        return X, y

    def _train(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        from vaglio.table import Column, Table

        columns = [
            Column.nominal(f"x{j}", codes.astype(np.int32), [str(c) for c in range(codes.max() + 1)])
            for j, codes in enumerate(X.T)
        ]
        learner.fit(Table(columns), y, sample_weight=sample_weight)

    def _publish(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.class_count_ = learner.class_count_
        self.class_log_prior_ = learner.fitted_.model.log_prior
        tables = learner._statistics.tables
        self.category_count_ = [tables[j] for j in range(X.shape[1])]
        self.n_categories_ = X.max(axis=0) + 1
        weights = learner.fitted_.model.linear_weights()
        self.feature_log_prob_ = [weights[j] for j in range(X.shape[1])]


def _without_gaps(X: TableLike) -> bool:
    """Whether every column has all whole numbers from 0 to its largest."""
    try:
        rows = np.asarray(X).astype(np.int64)
    except (TypeError, ValueError):
        return False
    if rows.ndim != 2 or rows.size == 0 or rows.min() < 0 or rows.max() >= len(rows):
        return False
    return all(np.bincount(column).all() for column in rows.T)
