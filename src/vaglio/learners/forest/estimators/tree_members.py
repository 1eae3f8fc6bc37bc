"""The trees of a forest as estimators: each is made when it is asked for, and takes rows as the forest does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio._version import __version__
from vaglio.fitted import Fitted
from vaglio.learners.forest.estimators.tree_draws import growth_seed
from vaglio.learners.provenance import plain_params
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from vaglio.learners.trees.estimators.growing import columns_drawn, kernel_criterion
from vaglio.learners.trees.model.tree import Tree

# What belongs to the forest as a whole, or is drawn for each tree.
_OWN = {"class_weight", "max_features", "n_jobs", "random_state", "shrinkage"}


class TreeMembers(Sequence[Any]):
    """The trees of a fitted forest, in their order.

    Parameters
    ----------
    forest : estimator
        The fitted forest.
    """

    def __init__(self, forest: Any) -> None:
        self._forest = forest
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return int(self._forest.fitted_.model.n_trees)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._made:
            self._made[number] = _member(self._forest, number)
        return self._made[number]

    def __repr__(self) -> str:
        return f"<{len(self)} fitted trees>"


def _member(forest: Any, index: int) -> Any:
    """Return one tree of a forest as a fitted estimator."""
    fitted, growth = forest.fitted_, forest._growth
    kind: Any = DecisionTreeRegressor if fitted.classes is None else DecisionTreeClassifier
    shared = set(kind._get_param_names()) & set(forest._get_param_names()) - _OWN
    width = len(fitted.codebook.features)
    member = kind(
        **{name: getattr(forest, name) for name in sorted(shared)},
        max_features=columns_drawn(forest.max_features, width) or None,
        random_state=growth_seed(growth.seed, index) & 0xFFFFFFFF,
    )
    tree = _with_impurity(fitted.model.tree(index, fitted.codebook.features), kernel_criterion(forest))
    member.n_features_in_ = forest.n_features_in_
    if hasattr(forest, "feature_names_in_"):
        member.feature_names_in_ = forest.feature_names_in_
    if fitted.classes is not None:
        member.classes_ = forest.classes_
    member._importances = (tree, growth.importances[index])
    provenance = {"version": __version__}
    member.fitted_ = Fitted(fitted.codebook, tree, fitted.classes, member._learner_id, plain_params(member), provenance)
    return member


def _with_impurity(tree: Tree, criterion: str) -> Tree:
    """Return the tree with the impurity of its nodes and the gain of its tests, which the class weights tell."""
    if tree.regression:
        return tree
    share = tree.value / np.maximum(tree.value.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    if criterion == "gini":
        impurity = 1 - (share**2).sum(axis=1)
    elif criterion == "error":
        impurity = 1 - share.max(axis=1)
    else:
        impurity = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], (tree.weight * impurity)[1:])
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(tree.is_leaf, 0.0, impurity - below / tree.weight)
    return replace(tree, impurity=impurity + 0.0, gain=gain)
