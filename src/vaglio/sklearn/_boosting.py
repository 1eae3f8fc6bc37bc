"""Gradient boosting as scikit-learn does it: it checks and prepares the rows, vaglio's learner adds its rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d, compute_sample_weight

from vaglio.learn.ensembles.boosting_rounds import BoostingTask, Chosen
from vaglio.learn.ensembles.gradient_boosting import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from vaglio.sklearn._boosting_objects import predictors
from vaglio.sklearn._growing import with_names
from vaglio.table import Column, Table

INFINITE = "infinite numbers in X"
ONE_CLASS = "y of one class"
# So many rows show scikit-learn all that it has to prepare, where no column has categories.
_FEW = 1000


class _ScikitLearnsRounds:
    """Placed before a learner of gradient boosting: its bins, thresholds and last round are then those of scikit-learn.

    Attributes
    ----------
    rows_ : tuple of ndarray
        Numbers of the rows to learn from and of the rows to watch.
    gains_ : ndarray
        The gain of every node of all trees.
    """

    _middle_of_gaps: ClassVar[bool] = False
    _scales_weights: ClassVar[bool] = False

    early_stopping: bool | str
    max_iter: int
    n_iter_no_change: int
    tol: float
    rows_: tuple[np.ndarray, np.ndarray]
    gains_: np.ndarray

    def _binning(self, weight: np.ndarray | None) -> dict[str, Any]:
        return {"among": self.rows_[0].astype(np.uint32), "weight": weight}

    def _config(self, *args: Any) -> dict[str, Any]:
        return {**super()._config(*args), "like_scikit_learn": True}  # type: ignore[misc]

    def _rounds(self, task: BoostingTask, seed: int, threads: int) -> Chosen:
        """Add rounds until the loss falls no more; none is taken back."""
        stop = bool(self.early_stopping)
        task.config["track_loss"] = stop
        trainer = task.trainer(*self.rows_)
        watched = len(self.rows_[1]) > 0
        for done in range(self.max_iter):
            losses = trainer.validation_losses if watched else trainer.training_losses
            if stop and done and self._stops(losses):
                break
            trainer.advance(1 if stop else self.max_iter)
            if not stop:
                break
        arrays = trainer.trees()
        self.gains_ = arrays["gains"]
        rounds = (len(arrays["starts"]) - 1) // task.outputs
        none = np.empty(0)
        if not stop:
            return Chosen(rounds, none, none, trainer)
        return Chosen(rounds, trainer.training_losses, trainer.validation_losses if watched else none, trainer)

    def _stops(self, losses: np.ndarray) -> bool:
        """Whether none of the last rounds is better than the one before them."""
        if len(losses) <= self.n_iter_no_change:
            return False
        before, last = losses[-self.n_iter_no_change - 1], losses[-self.n_iter_no_change :]
        return not bool((last < before - self.tol).any())


class BoostedClassifier(_ScikitLearnsRounds, HistGradientBoostingClassifier):
    """vaglio's gradient boosting for classes with scikit-learn's rounds."""


class BoostedRegressor(_ScikitLearnsRounds, HistGradientBoostingRegressor):
    """vaglio's gradient boosting for numbers with scikit-learn's rounds."""


def fit_boosting(estimator: Any, X: Any, y: Any, sample_weight: Any, watched: dict[str, Any]) -> str | None:
    """Train by vaglio's learner and write scikit-learn's attributes; return the case that is left to scikit-learn.

    Parameters
    ----------
    estimator : preset of gradient boosting
    X, y, sample_weight
        What the user gave.
    watched : dict
        ``X_val``, ``y_val`` and ``sample_weight_val``: rows to stop by, or None.
    """
    params = estimator.get_params(deep=False)
    prepared = _prepared(estimator, params, X, y, sample_weight, watched)
    vars(estimator).update({name: value for name, value in vars(prepared).items() if name not in params})
    rows, target = estimator._preprocess_X(X, reset=False), column_or_1d(y)
    n, weight = len(rows), _weights(estimator, target, sample_weight)
    stop = estimator.do_early_stopping_ = estimator._stops_early(n)
    training, validation = np.arange(n), np.empty(0, dtype=np.int64)
    if watched["X_val"] is not None:
        more = estimator._preprocess_X(watched["X_val"], reset=False)
        rows, target = np.concatenate([rows, more]), np.concatenate([target, column_or_1d(watched["y_val"])])
        weight = _with_weights_of(weight, n, watched["sample_weight_val"], len(more))
        validation = np.arange(n, len(rows))
    elif stop and estimator.validation_fraction is not None:
        training, validation = train_test_split(
            training,
            test_size=estimator.validation_fraction,
            stratify=target if is_classifier(estimator) else None,
            random_state=estimator._random_seed,
        )
    if np.isinf(rows).any():
        return INFINITE
    if is_classifier(estimator) and len(estimator.classes_) < 2:
        return ONE_CLASS
    learner, order = estimator._make(), _places(estimator)
    learner.early_stopping, learner.rows_, learner.random_state = stop, (training, validation), 0
    if estimator.max_features < 1.0:
        learner.random_state = int(estimator._random_seed % 2**32)
    table = rows if estimator.is_categorical_ is None else _table(estimator, rows, order)
    learner.fit(table, target, sample_weight=weight)
    _publish(estimator, learner, table, training, order, weight is not None)
    return None


def _prepared(estimator: Any, params: dict[str, Any], X: Any, y: Any, weight: Any, watched: dict[str, Any]) -> Any:
    """Return scikit-learn's class after one split of few rows: it has checked the rows and encoded the categories."""
    params = {**params, "max_iter": 1, "max_leaf_nodes": 2}
    check_consistent_length(X, y)
    if all(value is None for value in watched.values()):
        params["early_stopping"], watched = False, {}
        plain = isinstance(X, np.ndarray) and estimator.categorical_features in (None, "from_dtype")
        if plain and X.ndim == 2 and len(X) > _FEW:
            target = column_or_1d(y, warn=True)
            # The first rows, and those that show every class and the smallest and largest number.
            few = np.unique(np.concatenate([np.arange(_FEW), np.unique(target, return_index=True)[1][:_FEW]]))
            if target.dtype.kind in "iuf":
                few = np.union1d(few, [np.argmin(target), np.argmax(target)])
            X, y = X[few], target[few]
            weight = None if weight is None else _safe_indexing(weight, few)
    return estimator._theirs(**params).fit(X, y, sample_weight=weight, **watched)


def _weights(estimator: Any, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
    weight = None if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    if estimator.class_weight is None:
        return weight
    factors: np.ndarray = compute_sample_weight(estimator.class_weight, y)
    return factors if weight is None else factors * weight


def _with_weights_of(weight: np.ndarray | None, n: int, given: Any, more: int) -> np.ndarray | None:
    """Return the weights of the training rows and of the rows to watch; None where all weigh one."""
    if weight is None and given is None:
        return None
    both = (weight, n), (None if given is None else np.asarray(given, dtype=np.float64), more)
    return np.concatenate([np.ones(count) if part is None else part for part, count in both])


def _places(estimator: Any) -> np.ndarray:
    """Return where scikit-learn has each column: those with categories come first."""
    categorical = estimator.is_categorical_
    if categorical is None:
        return np.arange(estimator.n_features_in_)
    return np.argsort(np.argsort(~categorical, kind="stable"), kind="stable")


def _table(estimator: Any, rows: np.ndarray, order: np.ndarray) -> Table:
    """Return the prepared rows as a table in the order of the user's columns."""
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(len(order))])
    labels = iter(estimator._preprocessor.named_transformers_["encoder"].categories_)
    columns = []
    for j, name in enumerate(names):
        values = rows[:, order[j]]
        if not estimator.is_categorical_[j]:
            columns.append(Column.numeric(str(name), values))
            continue
        known = [str(label) for label in next(labels) if label == label and label is not None]
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        columns.append(Column.nominal(str(name), codes, known))
    return Table(columns)


def _publish(estimator: Any, learner: Any, table: Any, training: np.ndarray, order: np.ndarray, weighted: bool) -> None:
    """Write scikit-learn's fitted attributes from the learner's model."""
    if not isinstance(table, Table):
        learner.fitted_ = replace(learner.fitted_, codebook=with_names(learner.fitted_.codebook, estimator))
        if hasattr(estimator, "feature_names_in_"):
            learner.feature_names_in_ = estimator.feature_names_in_
    model = learner.fitted_.model
    link = model.forest.nodes["link"]
    counts = np.where(link < 0, model.forest.leaves[np.where(link < 0, ~link, 0), 1], 0)
    if weighted:
        leaves = model.apply(learner.fitted_.codebook.encode(table))[training]
        counts = np.bincount(leaves.ravel(), minlength=len(link))
    like = estimator._predictors[0][0]
    features = learner.fitted_.codebook.features
    estimator._predictors = predictors(model, features, order, learner.gains_, counts, like)
    estimator._baseline_prediction = model.baseline.reshape(1, -1)
    estimator.train_score_, estimator.validation_score_ = learner.train_score_, learner.validation_score_
    estimator.learner_ = learner
