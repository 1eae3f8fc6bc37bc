"""Growing trees on rows that many trees share, and each tree as scikit-learn's own tree object.

A forest encodes and sorts its rows once. What ``tree_`` is, and what ``export_text`` or shap read, is of the class of
the installed scikit-learn and filled as unpickling fills it; its class and the fields of its nodes are taken from a
tree that the installed version fits, so that no private name of one version stands here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse

from vaglio import _core
from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.ensembles.estimators.bagging import BaggingClassifier, BaggingRegressor
from vaglio.learners.ensembles.model import Ensemble, Member
from vaglio.learners.inputs import in_whole_proportions
from vaglio.learners.trees.estimators.growing import learn_outputs
from vaglio.learners.trees.model.tree import LEAF, THRESHOLD, Tree
from vaglio.sklearn._checks import SHARED_ROWS
from vaglio.sklearn.tree import SCIKIT_LEARNS

Made = TypeVar("Made")


@dataclass(frozen=True)
class PresetRows:
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


def made_of(source: object, make: Callable[[Any], Made], checked: Any) -> Made:
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


def encoded_rows(checked: Any) -> PresetRows:
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
    rows = PresetRows(single, ~np.isnan(double).any(axis=0), codebook, codebook.encode(double))
    rows.matrix.ranks()
    rows.matrix.reused = _users > 0
    return rows


def grow(estimator: Any, rows: PresetRows, target: np.ndarray, weight: np.ndarray | None) -> None:
    """Grow a tree by an estimator's parameters and write scikit-learn's attributes.

    Parameters
    ----------
    estimator : TreePreset
    rows : PresetRows
    target : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Class codes or numbers.
    weight : ndarray of shape (n_samples,), optional
    """
    learner, matrix = estimator._make(), rows.matrix
    learner._draws_ties = learner._clips_values = True
    classes = estimator.__dict__.get("classes_")
    target = np.ascontiguousarray(target, dtype=np.float64 if classes is None else np.int64)
    n_classes = [] if classes is None else np.atleast_1d(estimator.n_classes_).tolist()
    bounds = None
    if target.ndim == 2:
        model = learn_outputs(learner, matrix, target, n_classes, _in_proportion(weight))
    else:
        if classes is not None:
            learner.classes_ = classes
        model = learner._learn(matrix, target, _in_proportion(weight))
        if estimator.monotonic_cst is not None:
            bounds = _bounds(model, np.asarray(estimator.monotonic_cst))
            model = _clipped(model, bounds)
        learner.n_features_in_ = matrix.n_features
        if hasattr(estimator, "feature_names_in_"):
            learner.feature_names_in_ = estimator.feature_names_in_
        codebook = with_names(rows.codebook, estimator)
        learner.fitted_ = Fitted(codebook, model, classes, learner._learner_id, {}, {"version": __version__})
    estimator.max_features_ = columns_drawn(estimator.max_features, matrix.n_features)
    means = classes is None and estimator.criterion != "absolute_error"
    estimator.tree_ = tree_object(model, rows.single, rows.complete, target, weight, n_classes, means, bounds)
    estimator.learner_ = learner


def _bounds(tree: Tree, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the value of each node: below a monotonic test none crosses the middle of its branches."""
    lower, upper = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        left, right = tree.children(node)
        lower[[left, right]], upper[[left, right]] = lower[node], upper[node]
        middle = (tree.says[left, -1] + tree.says[right, -1]) / 2
        direction = directions[tree.feature[node]]
        if direction > 0:
            upper[left] = lower[right] = middle
        elif direction < 0:
            lower[left] = upper[right] = middle
    return lower, upper


def _clipped(tree: Tree, bounds: tuple[np.ndarray, np.ndarray]) -> Tree:
    """Return the tree with the value of each node, of classes the share of the second, brought into its bounds."""
    value = np.clip(tree.says[:, -1], *bounds)
    if tree.regression:
        return replace(tree, value=value[:, None])
    kept = (value == tree.says[:, -1])[:, None]
    total = tree.value.sum(axis=1)
    return replace(tree, value=np.where(kept, tree.value, np.column_stack([total * (1 - value), total * value])))


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


def joined(ensemble: Any) -> Any:
    """Return an ensemble of vaglio's trees as a bag of vaglio's: probabilities are averaged, weighted votes counted.

    Parameters
    ----------
    ensemble : estimator
        With ``estimators_``, which are trees of vaglio, and with ``estimator_weights_``, if their votes have weights.
    """
    classes, weights = getattr(ensemble, "classes_", None), getattr(ensemble, "estimator_weights_", None)
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
    learner: Any = (BaggingRegressor if classes is None else BaggingClassifier)(n_estimators=len(members))
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        if hasattr(ensemble, name):
            setattr(learner, name, getattr(ensemble, name))
    learner.fitted_ = Fitted(codebook, model, classes, learner._learner_id, {}, {"version": __version__})
    return learner


def columns_drawn(max_features: Any, width: int) -> int:
    """Return how many columns are drawn for a split, as scikit-learn counts them."""
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(width) if max_features == "sqrt" else np.log2(width)))
    if max_features is None:
        return width
    if isinstance(max_features, (int, np.integer)):
        return int(max_features)
    return max(1, int(max_features * width))


# scikit-learn's mark for the test that a leaf does not have.
_NO_FEATURE = -2


@cache
def _pattern() -> tuple[type, np.dtype[Any]]:
    """Return the class of the installed scikit-learn's trees and the type of their nodes."""
    tree = SCIKIT_LEARNS().fit([[0.0], [1.0]], [0.0, 1.0]).tree_
    return type(tree), tree.__getstate__()["nodes"].dtype


def tree_object(
    tree: Tree,
    X: np.ndarray,
    complete: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: list[int],
    means: bool,
    bounds: tuple[np.ndarray, np.ndarray] | None = None,
) -> Any:
    """Return the tree as an object of scikit-learn, the nodes in its order.

    Parameters
    ----------
    tree : Tree
        With tests of one number against a threshold.
    X : ndarray of float32, shape (n_samples, n_features)
        The training rows.
    complete : ndarray of bool, shape (n_features,)
        Whether a column has no missing value.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Class codes or numbers.
    weight : ndarray of shape (n_samples,), optional
        What they weigh.
    n_classes : list of int
        The number of classes of each output; empty for numbers.
    means : bool
        Whether nodes predict the mean of their rows.
    bounds : tuple of ndarray, optional
        The least and greatest value of each node, by monotonic constraints.
    """
    if not ((tree.node_kind == LEAF) | (tree.node_kind == THRESHOLD)).all():
        raise NotSupportedError(
            "no-threshold-tree",
            "scikit-learn's trees compare one number with a threshold, but this tree has nominal, "
            "multiway or linear tests. Use rules() or to_text().",
        )
    kind, fields = _pattern()
    y = y.reshape(len(y), -1)
    tests = (tree.feature, tree.threshold, tree.first_child, tree.missing_branch)
    # The grower counts weights; the numbers of rows come from sending the rows through the tree.
    found = _core.preorder_nodes(*tests, X, complete, weight, y if means else None)
    order, left, right, rows, missing_left, weights, sums, depth = found
    leaf = left < 0
    nodes = np.zeros(len(order), dtype=fields)
    nodes["left_child"], nodes["right_child"] = left, right
    nodes["feature"] = np.where(leaf, _NO_FEATURE, tree.feature[order])
    nodes["threshold"] = np.where(leaf, _NO_FEATURE, tree.threshold[order])
    nodes["impurity"] = tree.impurity[order]
    nodes["n_node_samples"] = rows
    total = len(X) if weight is None else weight.sum()
    nodes["weighted_n_node_samples"] = tree.weight[order] * (total / tree.weight[0])
    nodes["missing_go_to_left"] = missing_left
    values = _values(tree.says[order], y.shape[1], n_classes)
    if means:
        # The grower subtracts the mean of all rows for the sake of precision; scikit-learn's mean of ones is one.
        values[:, :, 0] = (sums / weights).T
        if bounds is not None:
            values[:, 0, 0] = np.clip(values[:, 0, 0], *(bound[order] for bound in bounds))
    made = kind(X.shape[1], np.array(n_classes or [1] * y.shape[1], dtype=np.intp), y.shape[1])
    made.__setstate__({"max_depth": depth, "node_count": len(order), "nodes": nodes, "values": values})
    return made


def _values(says: np.ndarray, n_outputs: int, n_classes: list[int]) -> np.ndarray:
    """Return what each node predicts as scikit-learn lays it out: (nodes, outputs, most classes)."""
    if n_outputs == 1:
        return np.ascontiguousarray(says)[:, None, :]
    if not n_classes:
        return np.ascontiguousarray(says)[:, :, None]
    values = np.zeros((len(says), n_outputs, max(n_classes)))
    for output, weights in enumerate(np.split(says, np.cumsum(n_classes)[:-1], axis=1)):
        values[:, output, : n_classes[output]] = weights / weights.sum(axis=1, keepdims=True)
    return values
