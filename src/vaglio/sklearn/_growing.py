"""Growing trees on rows that many trees share: a forest encodes and sorts its rows once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.fitted import Fitted
from vaglio.learners.ensembles.model.ensemble import Ensemble, Member
from vaglio.learners.inputs import in_whole_proportions
from vaglio.learners.trees.estimators.several_outputs import learn_outputs
from vaglio.sklearn._checks import SHARED_ROWS
from vaglio.sklearn._tree_object import tree_object

Made = TypeVar("Made")


@dataclass(frozen=True)
class Rows:
    """Training rows as vaglio's grower reads them."""

    single: np.ndarray
    complete: np.ndarray
    codebook: Codebook
    matrix: EncodedMatrix


_SAME = 1e-7
# Whole weights up to this are their own proportions.
_MOST_ROWS = 1 << 24
# Bagging hands every member rows of its own: only the last few are kept.
_KEPT = 8
# By the number of an object that was given and by what makes something of it: the object, and what was made.
_shared: dict[tuple[int, Any], tuple[Any, Any]] = {}
_users = 0
_lock = threading.Lock()


@contextmanager
def sharing() -> Iterator[None]:
    """Let all trees that are grown on the same array within this block share what is made of it."""
    global _users
    with _lock:
        _users += 1
        SHARED_ROWS.users += 1
    try:
        yield
    finally:
        with _lock:
            SHARED_ROWS.leave()
            _users -= 1
            if _users == 0:
                _shared.clear()


def made_of(source: Any, make: Callable[[Any], Made], checked: Any) -> Made:
    """Return what is made of an object that the user or a forest gave, checked: within :func:`sharing` made once."""
    if not _users:
        return make(checked)
    key = id(source), make
    with _lock:
        known = _shared.get(key)
        if known is None or known[0] is not source:
            known = source, make(checked)
            if len(_shared) >= _KEPT:
                _shared.pop(next(iter(_shared)))
            _shared[key] = known
        found: Made = known[1]
        return found


def encoded_rows(checked: Any) -> Rows:
    """Encode and sort the rows.

    scikit-learn's trees see single precision; the same numbers in double precision are what vaglio reads.
    """
    single = checked.toarray() if issparse(checked) else checked
    double = single.astype(np.float64)
    # For scikit-learn a column is constant where its values differ by no more than this.
    greatest = np.fmax.reduce(double)
    with np.errstate(invalid="ignore"):
        constant = greatest - np.fmin.reduce(double) <= _SAME
    if constant.any():
        # The greatest value: a threshold that sets missing values apart has all the others on its left.
        double[:, constant] = np.where(np.isnan(double[:, constant]), np.nan, greatest[constant])
    codebook = Codebook.learn(double)
    rows = Rows(single, ~np.isnan(double).any(axis=0), codebook, codebook.encode(double))
    rows.matrix.ranks()
    rows.matrix.reused = _users > 0
    return rows


def grow(estimator: Any, rows: Rows, target: np.ndarray, weight: np.ndarray | None) -> None:
    """Grow a tree by an estimator's parameters and write scikit-learn's attributes.

    Parameters
    ----------
    estimator : TreePreset
    rows : Rows
    target : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Class codes or numbers.
    weight : ndarray of shape (n_samples,), optional
    """
    learner, matrix = estimator._make(), rows.matrix
    classes = estimator.__dict__.get("classes_")
    target = np.ascontiguousarray(target, dtype=np.float64 if classes is None else np.int64)
    n_classes = [] if classes is None else np.atleast_1d(estimator.n_classes_).tolist()
    if target.ndim == 2:
        model = learn_outputs(learner, matrix, target, n_classes, _in_proportion(weight))
    else:
        if classes is not None:
            learner.classes_ = classes
        model = learner._learn(matrix, target, _in_proportion(weight))
        learner.n_features_in_ = matrix.n_features
        if hasattr(estimator, "feature_names_in_"):
            learner.feature_names_in_ = estimator.feature_names_in_
        codebook = with_names(rows.codebook, estimator)
        learner.fitted_ = Fitted(codebook, model, classes, learner._learner_id, {}, {"version": __version__})
    estimator.max_features_ = columns_drawn(estimator.max_features, matrix.n_features)
    means = classes is None and estimator.criterion != "absolute_error"
    estimator.tree_ = tree_object(model, rows.single, rows.complete, target, weight, n_classes, means)
    estimator.learner_ = learner


def _in_proportion(weight: np.ndarray | None) -> np.ndarray | None:
    """Scale weights, so that a common factor changes no bit of the tree; rows may weigh zero.

    Whole numbers stay whole, so that a row of weight 2 is two rows to the last bit.
    """
    if weight is None or not weight.any():
        return weight
    counts = weight > 0
    positive = weight[counts]
    if positive.min() == 1 and (positive == np.rint(positive)).all() and positive.max() < _MOST_ROWS:
        return weight  # the rows of a bootstrap sample, for example: the proportions are these numbers
    found = np.zeros(len(weight))
    found[counts] = in_whole_proportions(positive)
    return found


def with_names(codebook: Codebook, estimator: Any) -> Codebook:
    """Return the codebook with the names of the columns that scikit-learn noted, if any."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return codebook
    features = tuple(replace(feature, name=str(name)) for feature, name in zip(codebook.features, names))
    return replace(codebook, features=features, named=True)


def joined(ensemble: Any, weights: Any = None) -> Fitted:
    """Return an ensemble of vaglio's trees as one model of vaglio, to explain and to save.

    Parameters
    ----------
    ensemble : estimator
        With ``estimators_``, which are trees of vaglio.
    weights : array-like, optional
        How much each vote counts; then votes are counted, else probabilities are averaged.
    """
    classes = getattr(ensemble, "classes_", None)
    members = []
    for number, member in enumerate(ensemble.estimators_):
        known = np.empty(0, dtype=np.int64)
        if classes is not None:
            # Forests and bagging train their members on the numbers of the classes, AdaBoost on the classes.
            labels = member.classes_
            known = np.searchsorted(classes, labels) if weights is not None else labels.astype(np.int64)
        features = getattr(ensemble, "estimators_features_", None)
        chosen = None if features is None else np.asarray(features[number], dtype=np.int64)
        weight = 1.0 if weights is None else float(weights[number])
        members.append(Member(member.learner_.fitted_.model, weight, known, chosen))
    vote = "mean" if classes is None else "soft" if weights is None else "hard"
    model = Ensemble(tuple(members), vote, 0 if classes is None else len(classes))
    codebook = with_names(Codebook.learn(np.empty((0, ensemble.n_features_in_))), ensemble)
    return Fitted(codebook, model, classes, "bagging", {}, {"version": __version__})


def columns_drawn(max_features: Any, width: int) -> int:
    """Return how many columns are drawn for a split, as scikit-learn counts them."""
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(width) if max_features == "sqrt" else np.log2(width)))
    if max_features is None:
        return width
    if isinstance(max_features, (int, np.integer)):
        return int(max_features)
    return max(1, int(max_features * width))
