"""How a tree grew, node by node: what the traces of trees for classes and for numbers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.encode import Feature
from vaglio.learners.trees.model.rules import branch_condition, branch_text
from vaglio.learners.trees.model.tree import LINEAR, Tree
from vaglio.model.condition import LinearCondition

# With other values than these a test is random, constrained or rounded: the table of attributes is exact, but the tree
# may choose otherwise.
_NOT_EXACT = {"splitter": "best", "max_features": None, "monotonic_cst": None, "max_bins": None}


class GrowthSteps:
    """The growth of a tree, written node by node from the root to the leaves."""

    def __init__(self, page: Page, training: Training, tree: Tree) -> None:
        self.page, self.say, self.training, self.tree = page, page.say, training, tree
        self.exact = all(getattr(training.estimator, name) == value for name, value in _NOT_EXACT.items())
        self.weight = node_weights(training, tree)
        inner = [node for node in preorder(tree) if not tree.is_leaf[node]]
        self.number = {node: at for at, node in enumerate(inner, start=1)}
        self.path = self._paths()
        self.names = {
            node: self.say("Node {n}: {path}", n=at, path=self.path[node]) for node, at in self.number.items()
        }

    def write(self) -> None:
        page, say = self.page, self.say
        page.section(say("Growing the tree"))
        if not self.exact:
            page.text(
                say(
                    "With these parameters the tree samples, constrains or rounds its tests. The tables show all "
                    "attributes; the choice is the one the tree made."
                )
            )
        if self.tree.is_leaf[0]:
            page.text(say("The root is a leaf: {why}.", why=self._why_leaf(0)))
        facts: list[dict[str, Any]] = []
        for node, at in self.number.items():
            if at > self.training.most_steps:
                break
            facts.append(self._node(node))
        folded = len(self.number) - len(facts)
        if folded:
            page.text(say("{n:,} more {n:node is|nodes are} not shown.", n=folded))
        page.facts["nodes"] = facts

    def _node(self, node: int) -> dict[str, Any]:
        """Write one node; return what the facts of the trace say of it."""
        raise NotImplementedError

    def _why_leaf(self, node: int) -> str:
        """Return why a node was not split."""
        raise NotImplementedError

    def test_name(self, node: int) -> str:
        """What a node tests: a column, or its combination, which is named s and the number of the node."""
        if self.tree.node_kind[node] == LINEAR:
            return f"s{self.number[node]}"
        return self.training.features[int(self.tree.feature[node])].name

    def write_terms(self, node: int) -> int:
        """Write the combination that a node tests; return the number of its terms."""
        say, tree = self.say, self.tree
        span = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1]))
        terms = [
            f"{say.fixed(coef)}·{self.training.features[j].name}"
            for j, coef in zip(tree.linear_feature[span].tolist(), tree.linear_coef[span].tolist())
        ]
        self.page.text(say("Chosen: a linear combination."))
        self.page.formula(f"{self.test_name(node)} = {' + '.join(terms)}".replace("+ −", "− "))
        return len(terms)

    def compare_with_single(self, single: Mapping[str, float], left: float) -> None:
        """Write what the best single columns leave of the impurity beside what the combination leaves."""
        if not single:
            return
        say = self.say
        self.page.text(
            say(
                "The best single column leaves more impurity ({names}); the combination leaves {after}.",
                names=say.series(f"{name} {say.fixed(value)}" for name, value in single.items()),
                after=say.fixed(left),
            )
        )

    def branch_name(self, node: int, branch: int) -> str:
        if self.tree.node_kind[node] == LINEAR:
            return combination_branch(self.say, self.tree, node, branch, self.training.features)
        return self.say.text(branch_text(self.tree, node, branch, self.training.features))

    def _paths(self) -> list[str]:
        paths = [self.say("all rows")] * self.tree.n_nodes
        for node in preorder(self.tree):
            for branch, child in enumerate(self.tree.children(node) if not self.tree.is_leaf[node] else ()):
                step = self.test_name(node) + " " + self.branch_name(node, branch)
                paths[child] = step if node == 0 else f"{paths[node]}, {step}"
        return paths


def write_size(page: Page, training: Training) -> None:
    """Write how many rows and attributes there are, of a target of numbers."""
    page.section(page.say("The data"))
    page.text(
        page.say(
            "{rows:,} {rows:row|rows}, {columns:,} {columns:attribute|attributes}; the target is a number.",
            rows=len(training.y),
            columns=len(training.features),
        )
    )


def write_shape(page: Page, tree: Tree) -> None:
    """Write the size of the finished tree."""
    say = page.say
    page.section(say("The tree"))
    shape = {what: say.short(round(value, 2)) for what, value in tree.mean_shape().items()}
    page.text(
        say(
            "{leaves:,} {leaves:leaf|leaves}, depth {depth}, {mean_path} tests per row on average, "
            "{branching} branches per test.",
            leaves=reached_leaves(tree),
            depth=tree.depth,
            **shape,
        )
    )


def reached_leaves(tree: Tree) -> int:
    """Return the number of leaves that hold training rows."""
    return int((tree.is_leaf & (tree.weight > 0)).sum())


def preorder(tree: Tree, top: int = 0) -> list[int]:
    """Nodes from the root or another node down, each before its children, branches from left to right."""
    order, stack = [], [top]
    while stack:
        node = stack.pop()
        order.append(node)
        if not tree.is_leaf[node]:
            stack.extend(reversed(tree.children(node)))
    return order


def node_weights(training: Training, tree: Tree) -> np.ndarray:
    """The weight of each row in each node: one, zero, or a share where missing values are spread."""
    weight = np.zeros((tree.n_nodes, len(training.y)))
    weight[0] = training.weight
    for node in preorder(tree):
        if tree.is_leaf[node]:
            continue
        for branch, child in enumerate(tree.children(node)):
            match = branch_condition(tree, node, branch, training.features).match(training.matrix)
            weight[child] = weight[node] * match
    return weight


def combination_branch(say: Notation, tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> str:
    """The side of the threshold on which a branch lies."""
    condition = branch_condition(tree, node, branch, features)
    assert isinstance(condition, LinearCondition)
    sign = {"<=": "≤", ">=": "≥"}.get(condition.operator, condition.operator)
    return f"{sign} {say.fixed(condition.threshold)}"
