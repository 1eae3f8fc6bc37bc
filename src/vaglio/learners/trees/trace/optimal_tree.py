"""The greedy tree and the optimal one side by side, and why the greedy one lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.document import Page
from vaglio.document.impurity import after
from vaglio.document.notation import count, fixed
from vaglio.document.training import Training
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_outline import branch_text
from vaglio.learners.trees.model.tree_rules import leaf_rules
from vaglio.learners.trees.trace.tree import node_weights
from vaglio.messages.numbers import short_number


def trace_optimal_tree(page: Page, training: Training) -> None:
    """Write both trees, then what their first tests led to."""
    say, estimator, tell = page.say, training.estimator, _words(page, training)
    page.section(say("data"))
    page.text(say("data_is", rows=len(training.y), columns=len(training.features), k=len(training.classes)))
    page.text(tell("optimal_rule", depth=estimator.max_depth))
    if estimator.max_leaf_nodes is not None:
        page.text(say("optimal_leaves", leaves=estimator.max_leaf_nodes))
    if estimator.ccp_alpha:
        page.text(say("optimal_price", price=short_number(estimator.ccp_alpha)))
    greedy, optimal = Side(training, estimator.greedy_), Side(training, estimator.tree_)
    for side, name in ((greedy, "optimal_greedy"), (optimal, "optimal_optimal")):
        page.section(say(name))
        page.table([say("rule"), say("rows"), tell("optimal_col_cost")], side.rules())
    page.section(say("optimal_beside"))
    page.table(["", say("optimal_col_greedy"), say("optimal_col_optimal")], _comparison(page, greedy, optimal))
    _reason(page, greedy, optimal)
    low, total = estimator.lower_bound_ * training.weight.sum(), training.weight.sum()
    if estimator.proved_:
        page.text(tell("optimal_proved"))
    else:
        page.text(tell("optimal_gap", low=count(low), cost=count(estimator.objective_ * total)))
    page.facts |= {
        "greedy": greedy.cost,
        "optimal": optimal.cost,
        "greedy_below": greedy.below,
        "optimal_below": optimal.below,
        "proved": bool(estimator.proved_),
    }


def _words(page: Page, training: Training) -> Callable[..., str]:
    """What is minimised is called errors, unless there are costs: those of the user, or the price of a leaf."""
    ending = "" if training.estimator.cost is not None or training.estimator.ccp_alpha else "_errors"
    return lambda key, **values: page.say(key + ending, **values)


def _comparison(page: Page, greedy: Side, optimal: Side) -> list[list[str]]:
    say, tell, both = page.say, _words(page, greedy.training), (greedy, optimal)
    lines = [[say("optimal_root"), *(side.root or say("optimal_none") for side in both)]]
    lines += [[say("optimal_gini"), *(fixed(side.gini) for side in both)]]
    lines += [[tell("optimal_alone"), *(count(side.alone) for side in both)]]
    if greedy.below is not None and optimal.below is not None:
        lines += [[tell("optimal_below"), count(greedy.below), count(optimal.below)]]
    lines += [[tell("optimal_cost"), *(count(side.cost) for side in both)]]
    lines += [[tell("optimal_share"), *(fixed(side.cost / side.training.weight.sum()) for side in both)]]
    lines += [[say("optimal_size"), *(str(side.tree.n_leaves) for side in both)]]
    return lines


def _reason(page: Page, greedy: Side, optimal: Side) -> None:
    """Say why the greedy tree lost, as far as the first tests tell."""
    tell, tiny = _words(page, optimal.training), 1e-9 * optimal.training.weight.sum()
    if greedy.cost <= optimal.cost + tiny:
        page.text(tell("optimal_same"))
        return
    if greedy.below is None:  # leaves have a limit or a price: what is best below a test depends on the other branch
        less = count(greedy.cost - optimal.cost)
        page.text(tell("optimal_why", lost=count(greedy.cost), cost=count(optimal.cost), less=less))
    elif greedy.below > optimal.cost + tiny and greedy.gini < optimal.gini:
        numbers = {"gini": fixed(greedy.gini), "other": fixed(optimal.gini)}
        costs = {"below": count(greedy.below), "cost": count(optimal.cost)}
        page.text(tell("optimal_why_root", greedy=greedy.root, optimal=optimal.root, **numbers, **costs))
    else:
        page.text(tell("optimal_why_below", below=count(greedy.below), lost=count(greedy.cost)))


class Side:
    """One of the two trees, with what it costs on the training rows."""

    def __init__(self, training: Training, tree: Tree) -> None:
        self.training, self.tree = training, tree
        estimator, k = training.estimator, len(training.classes)
        self.costs = 1.0 - np.eye(k) if estimator.cost is None else estimator.fitted_.cost.matrix
        self.weight = node_weights(training, tree)
        self.cost = sum(self._leaf_cost(leaf) for leaf in np.flatnonzero(tree.is_leaf).tolist())
        first = list(tree.children(0)) if not tree.is_leaf[0] else [0]
        self.alone = sum(map(self._leaf_cost, first))
        self.gini = after("gini", np.array([self._counts(node) for node in first]))
        self.root = "" if tree.is_leaf[0] else f"{self._name(0)} {branch_text(tree, 0, 0, training.features)}"
        self.below = self._least_below(first)

    def rules(self) -> list[list[Any]]:
        """Return the rules of the leaves that rows reach, each with their weight and cost."""
        leaves = [node for node in self._leaves() if self._counts(node).sum() > 0]
        texts = {}
        for leaf, rule in zip(self._leaves(), leaf_rules(self.tree, self.training.features, self._labels())):
            label = self.training.classes[int(np.argmin(self._counts(leaf) @ self.costs))]
            conditions = " AND ".join(map(str, rule.conditions))
            texts[leaf] = f"IF {conditions} THEN {label}" if conditions else str(label)
        return [[texts[leaf], count(self._counts(leaf).sum()), count(self._leaf_cost(leaf))] for leaf in leaves]

    def _leaves(self) -> list[int]:
        """The leaves from left to right, as their rules are written."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            if self.tree.is_leaf[node]:
                found.append(node)
            else:
                stack.extend(reversed(self.tree.children(node)))
        return found

    def _labels(self) -> np.ndarray:
        return np.array(self.training.classes, dtype=object)

    def _name(self, node: int) -> str:
        return self.training.features[int(self.tree.feature[node])].name

    def _counts(self, node: int) -> np.ndarray:
        return self.training.class_weights(weight=self.weight[node])

    def _leaf_cost(self, node: int) -> float:
        return float((self._counts(node) @ self.costs).min())

    def _least_below(self, branches: list[int]) -> float | None:
        """What remains at least with this test at the root; None if the leaves have a limit or a price."""
        estimator = self.training.estimator
        if estimator.max_leaf_nodes is not None or estimator.ccp_alpha or not estimator.proved_:
            return None
        return self.alone if branches == [0] else sum(map(self._least_cost, branches))

    def _least_cost(self, node: int) -> float:
        training, rows = self.training, np.flatnonzero(self.weight[node] > 0)
        if training.estimator.max_depth == 1 or not rows.size:
            return self._leaf_cost(node)
        depth = training.estimator.max_depth - 1
        below = clone(training.estimator).set_params(max_depth=depth, work_limit=None, time_limit=None)
        below.classes_ = training.estimator.classes_
        weight = self.weight[node][rows]
        below._learn(training.matrix.take(rows), training.y[rows], None if (weight == weight[0]).all() else weight)
        return float(below.objective_ * weight.sum())
