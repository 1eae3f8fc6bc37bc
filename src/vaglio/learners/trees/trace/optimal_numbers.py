"""The greedy and the optimal tree for numbers side by side, and what each leaves of the squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.spread import Group
from vaglio.document.training import Training
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.trace.growth import write_size
from vaglio.learners.trees.trace.optimal_tree import OneTree, write_end
from vaglio.learners.trees.trace.regression import write_row


def trace_optimal_numbers(page: Page, training: Training) -> None:
    """Write both trees with the squared error of every leaf, then the proof."""
    say, estimator = page.say, training.estimator
    write_size(page, training)
    page.text(
        say(
            "Among all trees with at most {depth:,} {depth:test|tests} on a path, this tree leaves the smallest sum of "
            "squared errors on the training rows. A greedy learner (CART) takes at each node the test that leaves the "
            "smallest variance and never revises it.",
            depth=estimator.max_depth,
        )
    )
    page.formula("SSE = Σ (yᵢ − ȳ)²")
    if estimator.max_leaf_nodes is not None:
        page.text(say("The tree may have at most {leaves} leaves.", leaves=estimator.max_leaf_nodes))
    if estimator.ccp_alpha:
        page.text(say("Each leaf adds {price} per row to the sum.", price=say.short(estimator.ccp_alpha)))
    sides = {"greedy": _Side(page, training, estimator.greedy_), "optimal": _Side(page, training, estimator.tree_)}
    for name, side in (
        (say("The greedy tree"), sides["greedy"]),
        (say("The optimal tree"), sides["optimal"]),
    ):
        page.section(name)
        page.table([say("rule"), say("predicts"), say("rows"), "SSE"], side.rules())
    page.section(say("The two trees side by side"))
    lines = [
        [say("test at the root"), *(side.root or say("no test") for side in sides.values())],
        [say("SSE after this test alone"), *(say.figures(side.alone) for side in sides.values())],
        [say("SSE of the whole tree"), *(say.figures(side.error) for side in sides.values())],
        [say("leaves"), *(str(side.tree.n_leaves) for side in sides.values())],
    ]
    page.table(["", say("greedy"), say("optimal")], lines)
    _end(page, training, sides["greedy"].error, sides["optimal"].error)
    page.facts |= {name: side.error for name, side in sides.items()}
    page.facts |= {"greedy_alone": sides["greedy"].alone, "optimal_alone": sides["optimal"].alone}
    write_row(page, training)


def _end(page: Page, training: Training, greedy: float, optimal: float) -> None:
    """Write whether the greedy tree lost, and whether the other is proved optimal."""
    say, estimator, total = page.say, training.estimator, training.weight.sum()
    reason = say("No tree within these limits leaves less than the greedy one: here it is optimal.")
    if estimator.greedy_objective_ > estimator.objective_ * (1 + 1e-9):
        lost, left = say.figures(greedy), say.figures(optimal)
        reason = say("The greedy tree leaves {lost} and the optimal one {left}.", lost=lost, left=left)
    between = say(
        "Not proved: the search reached its limit. The smallest sum is between {low} and {high}.",
        low=say.figures(float(estimator.lower_bound_ * total)),
        high=say.figures(float(estimator.objective_ * total)),
    )
    proved = say("Proved: every other tree within these limits was tried or excluded by a bound, and none leaves less.")
    write_end(page, training, reason, proved, between)


class _Side(OneTree):
    """One of the two trees, with what it leaves of the squared error."""

    def __init__(self, page: Page, training: Training, tree: Tree) -> None:
        super().__init__(page.say, training, tree)
        self.groups = [Group.of(training.y, weight) for weight in self.weight]
        self.alone = sum(map(self._error, self.first))
        self.error = sum(map(self._error, np.flatnonzero(tree.is_leaf).tolist()))

    def rules(self) -> list[list[Any]]:
        """Return the rules of the leaves with what they predict, their weight and their squared error."""
        say, lines = self.say, []
        for leaf, conditions in self.conditions():
            shown = say("IF {conditions}", conditions=conditions) if conditions else say("all rows")
            group = self.groups[leaf]
            if len(group.y):
                predicted = say.short(float(f"{group.mean:.6g}"))
                lines.append([shown, predicted, say.count(group.size), say.figures(self._error(leaf))])
        return lines

    def _error(self, node: int) -> float:
        return self.groups[node].impurity("squared_error") * self.groups[node].size
