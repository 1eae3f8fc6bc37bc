"""Gradient boosting as scikit-learn does it: it checks and prepares the rows, vaglio's learner adds its rounds.

The trees are given back as scikit-learn's own objects, which prediction, partial dependence and shap read.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils import check_consistent_length, column_or_1d, compute_sample_weight
from threadpoolctl import ThreadpoolController

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.learners.boosting.estimators.columns import BoostingColumns
from vaglio.learners.boosting.estimators.gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from vaglio.learners.boosting.estimators.rounds import BoostingTask, Chosen
from vaglio.learners.boosting.model import Boosted, forest_of, joined
from vaglio.learners.trees.model.packed import MISSING_RIGHT
from vaglio.runtime.scikit_learn import effective_n_threads, safe_indexing
from vaglio.sklearn._growing import with_names
from vaglio.sklearn.ensemble import INFINITE, ONE_CLASS, WEIGHTLESS
from vaglio.table import Column, Table
from vaglio.typing import ColumnLike, TableLike

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
    _divides: ClassVar[bool] = False

    early_stopping: bool | Literal["auto", "folds"]
    max_iter: int
    n_iter_no_change: int
    tol: float
    rows_: tuple[np.ndarray, np.ndarray]
    gains_: np.ndarray

    def _binning(self, weight: np.ndarray | None) -> dict[str, Any]:
        return {"among": self.rows_[0].astype(np.uint32), "weight": weight}

    def _config(self, *args: Any) -> _core.BoostingConfig:
        config: _core.BoostingConfig = super()._config(*args)  # type: ignore[misc]
        config.like_scikit_learn = True
        return config

    def _rounds(self, task: BoostingTask, seed: int, threads: int) -> Chosen:
        """Add rounds until the loss falls no more; none is taken back."""
        stop = bool(self.early_stopping)
        task.config.track_loss = stop
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
        self.gains_ = arrays.gains
        rounds = (len(arrays.starts) - 1) // task.outputs
        none = np.empty(0)
        if not stop:
            return Chosen(rounds, none, none, trainer)
        return Chosen(rounds, trainer.training_losses, trainer.validation_losses if watched else none, trainer)

    def _go_on(self, task: BoostingTask, before: Boosted, matrix: EncodedMatrix, columns: BoostingColumns) -> Boosted:
        """Add the rounds that are still to come."""
        if self.max_iter == before.rounds:
            return before
        trainer = task.trainer(self.rows_[0], start=before.raw(matrix).T, first=before.rounds)
        trainer.advance(self.max_iter - before.rounds)
        self.gains_ = np.concatenate([self.gains_[: before.forest.n_nodes], trainer.trees().gains])
        more = forest_of(trainer, matrix.features, sources=columns.sources_of(None))
        return replace(before, forest=joined(before.forest, more, matrix.features))

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


def fit_boosting(
    estimator: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, watched: dict[str, Any]
) -> str | None:
    """Train by vaglio's learner and write scikit-learn's attributes; return the case that is left to scikit-learn.

    Parameters
    ----------
    estimator : preset of gradient boosting
    X, y, sample_weight
        What the user gave.
    watched : dict
        ``X_val``, ``y_val`` and ``sample_weight_val``: rows to stop by, or None.
    """
    before = _to_go_on_from(estimator)
    params = estimator._given_params()
    prepared = _prepared(estimator, params, X, y, sample_weight, watched)
    kept = {*params, "_random_seed"} if before is not None else params
    vars(estimator).update({name: value for name, value in vars(prepared).items() if name not in kept})
    rows = rows_of(estimator, X, y, sample_weight, watched)
    if np.isinf(rows.X).any():
        return INFINITE
    if is_classifier(estimator) and len(estimator.classes_) < 2:
        return ONE_CLASS
    learned = rows if rows.weight is None else by_weight(estimator, rows, rows.weight)
    if learned is None:
        return WEIGHTLESS
    learner, order = estimator._make(), _places(estimator)
    learner.early_stopping, learner.random_state = estimator.do_early_stopping_, 0
    learner.monotonic_cst = _directions(estimator)
    learner.rows_ = learned.training, learned.validation
    # scikit-learn's class has no n_jobs: it takes the threads that OpenMP has.
    learner.n_jobs = effective_n_threads()
    if estimator.max_features < 1.0:
        learner.random_state = int(estimator._random_seed % 2**32)
    if before is not None:
        learner.fitted_, learner.gains_ = before.fitted_, before.gains_
        learner.train_score_, learner.validation_score_ = before.train_score_, before.validation_score_
    learner.fit(_table(estimator, learned.X, order), learned.y, sample_weight=learned.weight)
    _publish(estimator, learner, rows, order)
    return None


def _directions(estimator: Any) -> list[int] | None:
    """Return the constraint of each column: names are those of the columns that scikit-learn was given."""
    given = estimator.monotonic_cst
    if not isinstance(given, dict):
        return given  # type: ignore[no-any-return]
    return [int(given.get(name, 0)) for name in estimator.feature_names_in_]


def _to_go_on_from(estimator: Any) -> Any:
    """Return the learner of the fit before, if its rounds are to be added to."""
    before = estimator.__dict__.get("learner_")
    if not estimator.warm_start or before is None:
        return None
    if estimator.max_iter < estimator.n_iter_:
        raise ValueError(
            f"max_iter={estimator.max_iter} must be larger than or equal to n_iter_={estimator.n_iter_} when "
            "warm_start==True"
        )
    return before


def _prepared(
    estimator: Any,
    params: dict[str, Any],
    X: TableLike,
    y: ColumnLike,
    weight: ColumnLike | None,
    watched: dict[str, Any],
) -> Any:
    """Return scikit-learn's class after one split of few rows: it has checked the rows and encoded the categories."""
    params = {**params, "max_iter": 1, "max_leaf_nodes": 2}
    check_consistent_length(X, y)
    if all(value is None for value in watched.values()):
        params["early_stopping"], watched = False, {}
        categorical = estimator.categorical_features
        # Whether only the type of a column can say that it has categories.
        by_dtype = categorical is None or (isinstance(categorical, str) and categorical == "from_dtype")
        if by_dtype and isinstance(X, np.ndarray) and X.ndim == 2 and len(X) > _FEW:
            target = column_or_1d(y, warn=True)
            # The first rows, and those that show every class and the smallest and largest number.
            few = np.unique(np.concatenate([np.arange(_FEW), np.unique(target, return_index=True)[1][:_FEW]]))
            if target.dtype.kind in "iuf":
                few = np.union1d(few, [np.argmin(target), np.argmax(target)])
            X, y = X[few], target[few]
            weight = None if weight is None else safe_indexing(weight, few)
    # For so little, threads cost more than they give.
    with _libraries().limit(limits=1, user_api="openmp"):
        return estimator._theirs(**params).fit(X, y, sample_weight=weight, **watched)


@cache
def _libraries() -> ThreadpoolController:
    # Looking for the libraries of the process takes milliseconds: done once, not once per fit.
    return ThreadpoolController()


def _places(estimator: Any) -> np.ndarray:
    """Return where scikit-learn has each column: those with categories come first."""
    categorical = estimator.is_categorical_
    if categorical is None:
        return np.arange(estimator.n_features_in_)
    return np.argsort(np.argsort(~categorical, kind="stable"), kind="stable")


def _table(estimator: Any, rows: np.ndarray, order: np.ndarray) -> Any:
    """Return the prepared rows in the order of the user's columns: a table, where one has categories."""
    if estimator.is_categorical_ is None:
        return rows
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(len(order))])
    columns = []
    for name, place, labels in zip(names, order, _labels(estimator)):
        values = rows[:, place]
        if labels is None:
            columns.append(Column.numeric(str(name), values))
            continue
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        columns.append(Column.nominal(str(name), codes, labels))
    return Table(columns)


def _labels(estimator: Any) -> list[list[str] | None]:
    """Return the categories of each column in scikit-learn's order, as words; None for a column of numbers."""
    categorical = estimator.is_categorical_
    if categorical is None:
        return [None] * estimator.n_features_in_
    known = iter(estimator._preprocessor.named_transformers_["encoder"].categories_)
    return [
        [str(label) for label in next(known) if label == label and label is not None] if has else None
        for has in categorical
    ]


def _publish(estimator: Any, learner: Any, rows: BoostingRows, order: np.ndarray) -> None:
    """Write scikit-learn's fitted attributes from the learner's model."""
    if estimator.is_categorical_ is None:
        learner.fitted_ = replace(learner.fitted_, codebook=with_names(learner.fitted_.codebook, estimator))
        if hasattr(estimator, "feature_names_in_"):
            learner.feature_names_in_ = estimator.feature_names_in_
    model = learner.fitted_.model
    link = model.forest.nodes["link"]
    counts = np.where(link < 0, model.forest.leaves[np.where(link < 0, ~link, 0), 1], 0)
    if rows.weight is not None:
        table = _table(estimator, rows.X, order)
        leaves = model.apply(learner.fitted_.codebook.encode(table))[rows.training]
        counts = np.bincount(leaves.ravel(), minlength=len(link))
    like = estimator._predictors[0][0]
    codes: list[np.ndarray | None] = []
    for feature, labels in zip(learner.fitted_.codebook.features, _labels(estimator)):
        place = {label: code for code, label in enumerate(labels or ())}
        codes.append(None if labels is None else np.array([place[label] for label in feature.categories], dtype=int))
    estimator._predictors = predictors(model, codes, order, learner.gains_, counts, like)
    estimator._baseline_prediction = model.baseline.reshape(1, -1)
    estimator.train_score_, estimator.validation_score_ = learner.train_score_, learner.validation_score_
    estimator.learner_ = learner


# Rows that weigh whole numbers are repeated up to so many rows for one.
_MOST_COPIES = 10


@dataclass(frozen=True)
class BoostingRows:
    """Rows as scikit-learn prepares them, and which of them are to learn from and to watch."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    training: np.ndarray
    validation: np.ndarray


def rows_of(
    estimator: Any, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None, watched: dict[str, Any]
) -> BoostingRows:
    """Return the prepared rows; those to watch are given, or drawn as scikit-learn draws them."""
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
        # In the order of the draw, as scikit-learn copies them: trees then read rows that lie one after the other, and
        # sums in this order are its sums.
        order = np.concatenate([training, validation])
        rows, target, weight = rows[order], target[order], None if weight is None else weight[order]
        training, validation = np.split(np.arange(n), [len(training)])
    return BoostingRows(rows, target, weight, training, validation)


def by_weight(estimator: Any, rows: BoostingRows, weight: np.ndarray) -> BoostingRows | None:
    """Return the rows that count, those of whole weights so many times; None where scikit-learn counts others too.

    It counts a row once where ``min_samples_leaf`` asks for rows, whatever it weighs: only a leaf of one row is the
    same either way. Repeated rows leave no doubt which of two splits gains more: their sums are exact.
    """
    single = estimator.min_samples_leaf <= 1
    whole = bool((weight == np.rint(weight)).all()) and weight.sum() <= _MOST_COPIES * len(weight)
    if weight.all() and not (single and whole):
        return rows
    copies = weight.astype(np.int64) if whole else (weight > 0).astype(np.int64)
    if not single or (is_classifier(estimator) and len(np.unique(rows.y[copies > 0])) < len(estimator.classes_)):
        return None
    taken = np.repeat(np.arange(len(weight)), copies)
    watches = np.isin(taken, rows.validation)
    return BoostingRows(
        rows.X[taken], rows.y[taken], None if whole else weight[taken], *map(np.flatnonzero, (~watches, watches))
    )


def _weights(estimator: Any, y: np.ndarray, sample_weight: ColumnLike | None) -> np.ndarray | None:
    weight = None if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    if estimator.class_weight is None:
        return weight
    factors: np.ndarray = compute_sample_weight(estimator.class_weight, y)
    return factors if weight is None else factors * weight


def _with_weights_of(weight: np.ndarray | None, n: int, given: object, more: int) -> np.ndarray | None:
    """Return the weights of the training rows and of the rows to watch; None where all weigh one."""
    if weight is None and given is None:
        return None
    both = (weight, n), (None if given is None else np.asarray(given, dtype=np.float64), more)
    return np.concatenate([np.ones(count) if part is None else part for part, count in both])


def predictors(
    model: Boosted, codes: list[np.ndarray | None], order: np.ndarray, gains: np.ndarray, counts: np.ndarray, like: Any
) -> list[list[Any]]:
    """Return the trees as objects of scikit-learn, the trees of a round in one list.

    Parameters
    ----------
    model : Boosted
    codes : list of ndarray or None
        For each column with categories, scikit-learn's number of each category; None for a column of numbers.
    order : ndarray of int
        Where scikit-learn has each column.
    gains : ndarray
        The gain of every node.
    counts : ndarray
        The number of training rows in every node that is a leaf; 0 elsewhere.
    like : object
        A tree that the installed scikit-learn made: its class and the fields of its nodes are taken.
    """
    forest = model.forest
    link, leaf = forest.nodes["link"].astype(np.int64), forest.nodes["link"] < 0
    feature = np.where(leaf, 0, forest.nodes["feature"] & ~MISSING_RIGHT).astype(np.int64)
    nominal = np.array([known is not None for known in codes])[feature] & ~leaf
    nodes = np.zeros(len(link), dtype=like.nodes.dtype)
    nodes["is_leaf"] = leaf
    nodes["value"][leaf] = forest.leaf_values[~link[leaf], 0]
    nodes["left"], nodes["right"] = np.where(leaf, 0, link), np.where(leaf, 0, link + 1)
    nodes["feature_idx"] = np.where(leaf, 0, order[feature])
    nodes["num_threshold"] = np.where(leaf | nominal, 0.0, forest.nodes["threshold"])
    nodes["missing_go_to_left"] = ~leaf & (forest.nodes["feature"] & MISSING_RIGHT == 0)
    nodes["gain"] = np.where(leaf, -1.0, gains[: len(link)])
    nodes["is_categorical"] = nominal
    _count_and_measure(nodes, forest.starts, counts)
    made = []
    for first, last in zip(forest.starts[:-1], forest.starts[1:]):
        tree, tests = copy(like), first + np.flatnonzero(nominal[first:last])
        nodes["bitset_idx"][tests] = np.arange(len(tests))
        starts = forest.nodes["threshold"][tests].astype(np.int64)
        bits = [_left_bits(forest.tables[start:], codes[f]) for start, f in zip(starts, feature[tests])]
        tree.nodes = nodes[first:last].copy()
        tree.binned_left_cat_bitsets = tree.raw_left_cat_bitsets = np.array(bits, dtype=np.uint32).reshape(-1, 8)
        made.append(tree)
    return [made[i : i + model.outputs] for i in range(0, len(made), model.outputs)]


def _left_bits(right: np.ndarray, codes: Any) -> np.ndarray:
    """Return which of scikit-learn's categories go left, as 256 bits; vaglio notes those of its own that go right."""
    left = np.zeros(256, dtype=np.uint8)
    own = np.arange(len(codes))
    left[codes] = (right[own // 32] >> (own % 32).astype(np.uint32)) & 1 == 0
    return np.packbits(left, bitorder="little").view("<u4").astype(np.uint32)


def _count_and_measure(nodes: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """Write the depth of each node and the number of its rows: level by level down, and up again."""
    nodes["count"] = counts
    base, level = starts[:-1].astype(np.int64), starts[:-1].astype(np.int64)
    levels = []
    while len(level):
        inner = nodes["is_leaf"][level] == 0
        parent, base = level[inner], base[inner]
        left, right = base + nodes["left"][parent], base + nodes["right"][parent]
        nodes["depth"][left] = nodes["depth"][right] = nodes["depth"][parent] + 1
        levels.append((parent, left, right))
        level, base = np.concatenate([left, right]), np.concatenate([base, base])
    for parent, left, right in reversed(levels):
        nodes["count"][parent] = nodes["count"][left] + nodes["count"][right]
