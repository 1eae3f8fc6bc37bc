"""The greedy tree and the optimal one side by side, and why the greedy one lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio.document.document import Page
from vaglio.document.impurity import after
from vaglio.document.notation import Notation
from vaglio.document.training import Training
from vaglio.learners.rules.trace import all_of
from vaglio.learners.trees.model.rules import branch_text, leaf_conditions
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.trace.growth import node_weights


def trace_optimal_tree(page: Page, training: Training) -> None:
    """Write both trees, then what their first tests led to."""
    say, estimator, costs = page.say, training.estimator, _has_costs(training)
    page.section(say("The data"))
    page.text(
        say(
            "{rows:,} {rows:row|rows}, {columns:,} {columns:attribute|attributes}, {k:,} {k:class|classes}.",
            rows=len(training.y),
            columns=len(training.features),
            k=len(training.classes),
        )
    )
    page.text(_rule(say, estimator.max_depth, costs))
    if estimator.max_leaf_nodes is not None:
        page.text(say("The tree may have at most {leaves} leaves.", leaves=estimator.max_leaf_nodes))
    if estimator.ccp_alpha:
        price = say.short(estimator.ccp_alpha)
        page.text(say("Each leaf costs an additional {price} of the weight of all rows.", price=price))
    greedy, optimal = Side(say, training, estimator.greedy_), Side(say, training, estimator.tree_)
    for side, name in ((greedy, say("The greedy tree")), (optimal, say("The optimal tree"))):
        page.section(name)
        page.table([say("rule"), say("rows"), say("cost") if costs else say("errors")], side.rules())
    page.section(say("The two trees side by side"))
    page.table(["", say("greedy"), say("optimal")], _comparison(page, greedy, optimal))
    write_end(page, training, _reason(page, greedy, optimal), _proved(say, costs), _between(say, training, costs))
    page.facts |= {"greedy": greedy.cost, "optimal": optimal.cost}
    page.facts |= {"greedy_below": greedy.below, "optimal_below": optimal.below}


def write_end(page: Page, training: Training, reason: str, proved: str, between: str) -> None:
    """Write why the greedy tree lost, and that the other is proved optimal, or between which bounds the optimum lies.

    Parameters
    ----------
    page : Page
    training : Training
    reason : str
    proved, between : str
        What is said of a search that ended, and of one that reached its limit.
    """
    page.text(reason)
    page.text(proved if training.estimator.proved_ else between)
    page.facts["proved"] = bool(training.estimator.proved_)


def _has_costs(training: Training) -> bool:
    """Return whether costs are minimised, those of the user or the price of a leaf; else errors are."""
    return training.estimator.cost is not None or bool(training.estimator.ccp_alpha)


def _rule(say: Notation, depth: int, costs: bool) -> str:
    """Return what the optimal tree minimises, and how a greedy learner chooses."""
    if costs:
        return say(
            "Among all trees with at most {depth:,} {depth:test|tests} on a path, this tree has the lowest cost on the "
            "training rows. An error costs what the cost matrix says or, without one, the weight of its row. A greedy "
            "learner (CART) takes at each node the test that leaves the smallest Gini index and never revises it.",
            depth=depth,
        )
    return say(
        "Among all trees with at most {depth:,} {depth:test|tests} on a path, this tree makes the fewest errors on the "
        "training rows; with weights, an error counts as the weight of its row. A greedy learner (CART) takes at each "
        "node the test that leaves the smallest Gini index and never revises it.",
        depth=depth,
    )


def _comparison(page: Page, greedy: Side, optimal: Side) -> list[list[str]]:
    say, costs, both = page.say, _has_costs(greedy.training), (greedy, optimal)
    alone = say("cost after this test alone") if costs else say("errors after this test alone")
    below = say("cost with the best tests below it") if costs else say("errors with the best tests below it")
    whole = say("cost of the whole tree") if costs else say("errors of the whole tree")
    share = say("cost per row") if costs else say("errors per row")
    lines = [[say("test at the root"), *(side.root or say("no test") for side in both)]]
    lines += [[say("Gini index after this test"), *(say.fixed(side.gini) for side in both)]]
    lines += [[alone, *(say.count(side.alone) for side in both)]]
    if greedy.below is not None and optimal.below is not None:
        lines += [[below, say.count(greedy.below), say.count(optimal.below)]]
    lines += [[whole, *(say.count(side.cost) for side in both)]]
    lines += [[share, *(say.fixed(side.cost / side.training.weight.sum()) for side in both)]]
    lines += [[say("leaves"), *(str(side.tree.n_leaves) for side in both)]]
    return lines


def _reason(page: Page, greedy: Side, optimal: Side) -> str:
    """Return why the greedy tree lost, as far as the first tests tell."""
    costs, tiny = _has_costs(optimal.training), 1e-9 * optimal.training.weight.sum()
    if greedy.cost <= optimal.cost + tiny:
        return _no_better(page.say, costs)
    # With a limit or a price of leaves, what is best below a test depends on the other branch.
    if greedy.below is None:
        return _difference(page.say, greedy, optimal, costs)
    if greedy.below > optimal.cost + tiny and greedy.gini < optimal.gini:
        return _lost_at_root(page.say, greedy, optimal, costs)
    return _lost_below_root(page.say, greedy, costs)


def _no_better(say: Notation, costs: bool) -> str:
    if costs:
        return say("No tree within these limits costs less than the greedy one: here it is optimal.")
    return say("No tree within these limits makes fewer errors than the greedy one: here it is optimal.")


def _difference(say: Notation, greedy: Side, optimal: Side, costs: bool) -> str:
    values = {
        "lost": say.count(greedy.cost),
        "cost": say.count(optimal.cost),
        "less": say.count(greedy.cost - optimal.cost),
    }
    if costs:
        return say("The greedy tree costs {lost} and the optimal one {cost}: {less} less.", **values)
    return say("The greedy tree makes {lost} errors and the optimal one {cost}: {less} fewer.", **values)


def _lost_at_root(say: Notation, greedy: Side, optimal: Side, costs: bool) -> str:
    values = {
        "greedy": greedy.root,
        "optimal": optimal.root,
        "gini": say.fixed(greedy.gini),
        "other": say.fixed(optimal.gini),
        "below": say.count(greedy.below or 0.0),
        "cost": say.count(optimal.cost),
    }
    if costs:
        return say(
            "The greedy tree loses at the root. Its test {greedy} leaves a Gini index of {gini}, the smallest; but "
            "whatever is tested below it, a cost of {below} remains. The test {optimal} leaves a larger Gini index of "
            "{other}, and with the best tests below it a cost of {cost}.",
            **values,
        )
    return say(
        "The greedy tree loses at the root. Its test {greedy} leaves a Gini index of {gini}, the smallest; but "
        "whatever is tested below it, {below} errors remain. The test {optimal} leaves a larger Gini index of {other}, "
        "and with the best tests below it {cost} errors.",
        **values,
    )


def _lost_below_root(say: Notation, greedy: Side, costs: bool) -> str:
    values = {"below": say.count(greedy.below or 0.0), "lost": say.count(greedy.cost)}
    if costs:
        return say(
            "The greedy tree loses below the root. With its own test at the root a cost of {below} would be possible, "
            "but a later choice by the Gini index leaves {lost}.",
            **values,
        )
    return say(
        "The greedy tree loses below the root. With its own test at the root {below} errors would be possible, but a "
        "later choice by the Gini index leaves {lost}.",
        **values,
    )


def _proved(say: Notation, costs: bool) -> str:
    if costs:
        return say(
            "Proved: every other tree within these limits was tried or excluded by a bound, and none costs less."
        )
    return say(
        "Proved: every other tree within these limits was tried or excluded by a bound, and none makes fewer errors."
    )


def _between(say: Notation, training: Training, costs: bool) -> str:
    estimator, total = training.estimator, training.weight.sum()
    bounds = {"low": say.count(estimator.lower_bound_ * total), "cost": say.count(estimator.objective_ * total)}
    if costs:
        return say("Not proved: the search reached its limit. The lowest cost is between {low} and {cost}.", **bounds)
    return say(
        "Not proved: the search reached its limit. The smallest number of errors is between {low} and {cost}.", **bounds
    )


class OneTree:
    """One of the two trees: its leaves, their rules and the test at its root.

    Parameters
    ----------
    say : Notation
    training : Training
    tree : Tree
    """

    def __init__(self, say: Notation, training: Training, tree: Tree) -> None:
        self.say, self.training, self.tree = say, training, tree
        self.weight = node_weights(training, tree)
        self.first = list(tree.children(0)) if not tree.is_leaf[0] else [0]
        features, tested = training.features, int(tree.feature[0])
        self.root = "" if tree.is_leaf[0] else f"{features[tested].name} {say.text(branch_text(tree, 0, 0, features))}"

    def conditions(self) -> list[tuple[int, str]]:
        """The leaves from left to right, each with the conditions of its rule."""
        found = leaf_conditions(self.tree, self.training.features)
        return [(leaf, all_of(self.say, conditions)) for leaf, conditions in found]


class Side(OneTree):
    """One of the two trees, with what it costs on the training rows."""

    def __init__(self, say: Notation, training: Training, tree: Tree) -> None:
        super().__init__(say, training, tree)
        estimator, k = training.estimator, len(training.classes)
        self.costs = 1.0 - np.eye(k) if estimator.cost is None else estimator.fitted_.cost.matrix
        self.cost = sum(self._leaf_cost(leaf) for leaf in np.flatnonzero(tree.is_leaf).tolist())
        self.alone = sum(map(self._leaf_cost, self.first))
        self.gini = after("gini", np.array([self._counts(node) for node in self.first]))
        self.below = self._least_below(self.first)

    def rules(self) -> list[list[Any]]:
        """Return the rules of the leaves that rows reach, each with their weight and cost."""
        say, lines = self.say, []
        for leaf, conditions in self.conditions():
            counts = self._counts(leaf)
            if counts.sum() > 0:
                label = self.training.classes[int(np.argmin(counts @ self.costs))]
                shown = say("IF {conditions} THEN {label}", conditions=conditions, label=label) if conditions else label
                lines.append([shown, say.count(counts.sum()), say.count(self._leaf_cost(leaf))])
        return lines

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
