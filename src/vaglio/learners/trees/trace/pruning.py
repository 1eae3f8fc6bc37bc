"""How a grown tree is pruned: every decision, with the numbers of the subtree and of the leaf."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri

from vaglio.document.document import Page
from vaglio.document.impurity import MEASURES
from vaglio.document.spread import Group
from vaglio.document.training import Training
from vaglio.learners.trees.model.rules import branch_condition
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import text

# C4.5 prefers a leaf to a subtree if the leaf has at most a tenth of an expected error more.
TOLERANCE = 0.1
_DECISIONS = {
    "leaf": text("becomes a leaf"),
    "branch": text("replaced by its largest branch"),
    "subtree": text("kept"),
}


@dataclass
class Branch:
    """A node that pruning may change: its rows with their weights, and the conditions that lead to its children."""

    name: str
    row_numbers: np.ndarray
    weight: np.ndarray
    counts: np.ndarray
    conditions: list[Any] = field(default_factory=list)
    children: list[Branch] = field(default_factory=list)
    estimate: float = 0.0
    # Of the measure by which a tree is pruned by cost and complexity, and what a leaf of numbers predicts.
    impurity: float = 0.0
    centre: float = 0.0

    @property
    def short(self) -> str:
        """Its number, without the path."""
        return self.name.partition(":")[0]

    @property
    def rows(self) -> float:
        return float(self.counts.sum())

    @property
    def errors(self) -> float:
        return max(0.0, self.rows - float(self.counts.max(initial=0.0)))

    def leaves(self) -> list[Branch]:
        """Leaves that hold rows."""
        if not self.children:
            return [self] if self.rows > 0 else []
        return [leaf for child in self.children for leaf in child.leaves()]

    def inner(self) -> list[Branch]:
        """Inner nodes, children before their parents."""
        below = [node for child in self.children for node in child.inner()]
        return [*below, self] if self.children else []

    def make_leaf(self) -> None:
        self.children, self.conditions = [], []


def trace_pruning(
    page: Page,
    training: Training,
    tree: Tree,
    names: dict[int, str],
    validation: Training | None = None,
    measure: str = "",
) -> None:
    """Write the pruning that the parameters of the estimator choose; ``validation`` is for reduced-error pruning.

    ``measure`` is what the tests of a tree for numbers are chosen by.
    """
    estimator, say = training.estimator, page.say
    measure = measure or _charged(estimator)
    root = grown(training, tree, names, measure)
    page.section(say("Pruning"))
    if estimator.pruning == "pessimistic":
        _pessimistic(page, root, float(estimator.epsilon))
    elif estimator.pruning == "error_based":
        _error_based(page, training, root)
    elif validation is not None:
        if validation.is_numeric:
            _reduced_squares(page, root, validation)
        else:
            _reduced_error(page, root, validation)
    if estimator.ccp_alpha != 0.0:
        _cost_complexity(page, training, root)
    elif estimator.pruning is None or (estimator.pruning == "reduced_error" and validation is None):
        page.text(say("The tree is not pruned."))
        return
    page.facts.setdefault("pruned_leaves", len(root.leaves()))


def _charged(estimator: Any) -> str:
    """The measure of the impurity that pruning charges a tree of classes for."""
    charged = "error" if estimator.ccp_risk == "error" else estimator.criterion
    return {"gini": "gini", "error": "error"}.get(charged, "entropy")


def grown(
    training: Training, tree: Tree, names: dict[int, str], measure: str, node: int = 0, weight: Any = None
) -> Branch:
    """The grown tree in a form that can be pruned."""
    weight = training.weight if weight is None else weight
    rows = training.row_numbers[weight > 0]
    if training.is_numeric:
        group = Group.of(training.y, weight)
        branch = Branch(names.get(node, ""), rows, weight, np.array([group.size]))
        branch.impurity, branch.centre = group.impurity(measure), group.centre(measure)
    else:
        branch = Branch(names.get(node, ""), rows, weight, training.class_weights(weight=weight))
        branch.impurity = float(MEASURES[measure](branch.counts))
    if not tree.is_leaf[node]:
        for at, child in enumerate(tree.children(node)):
            condition = branch_condition(tree, node, at, training.features)
            branch.conditions.append(condition)
            below = weight * condition.match(training.matrix)
            branch.children.append(grown(training, tree, names, measure, child, below))
    return branch


# -- pessimistic -------------------------------------------------------------------------------------------------------
def _pessimistic(page: Page, root: Branch, epsilon: float) -> None:
    say, facts = page.say, []
    page.text(
        say(
            "Pessimistic pruning, from the leaves to the root: each leaf is charged ε = {epsilon} errors in "
            "addition to its own. A subtree becomes a leaf when (Σ errors of its k leaves + k·ε)/N is larger "
            "than (its errors as a leaf + ε)/N. A leaf predicts its own majority class.",
            epsilon=say.fixed(epsilon),
        )
    )
    for node in root.inner():
        leaves = node.leaves()
        below, k, own, n = sum(leaf.errors for leaf in leaves), len(leaves), node.errors, say.count(node.rows)
        as_tree, as_leaf = below + k * epsilon, own + epsilon
        prune = as_tree > as_leaf + 1e-9 * (1 + own)
        tie = abs(as_tree - as_leaf) <= 1e-9 * (1 + own)
        page.section(node.name, level=2)
        page.about_rows(node.row_numbers)
        e = say.count(epsilon)
        page.formula(
            f"{say('subtree')}: ({say.count(below)} + {k}·{e})/{n} = {say.count(as_tree)}/{n} "
            f"= {say.fixed(as_tree / node.rows)}"
        )
        page.formula(
            f"{say('leaf')}: ({say.count(own)} + {e})/{n} = {say.count(as_leaf)}/{n} = {say.fixed(as_leaf / node.rows)}"
        )
        page.text(
            say("The subtree is worse: it becomes a leaf.")
            if prune
            else say("Tie: the subtree is kept.")
            if tie
            else say("The subtree is better: it is kept.")
        )
        facts.append({"node": node.name, "subtree": as_tree, "leaf": as_leaf, "rows": node.rows, "pruned": prune})
        if prune:
            node.make_leaf()
    page.facts["pruning"] = facts


# -- reduced error -----------------------------------------------------------------------------------------------------
def _reduced_error(page: Page, root: Branch, validation: Training) -> None:
    say, lines, facts = page.say, list[list[str]](), list[dict[str, Any]]()
    page.text(
        say(
            "Reduced-error pruning, from the leaves to the root: a node becomes a leaf when the leaf makes no"
            " more errors on the held-out rows than the subtree."
        )
    )

    def prune(node: Branch, weight: np.ndarray, majority: int) -> float:
        """Return the errors of the node's subtree on the validation rows, after pruning it."""
        majority = int(np.argmax(node.counts)) if node.rows > 0 else majority
        own = float(weight[validation.y != majority].sum())
        if not node.children:
            return own
        below = [
            prune(child, weight * condition.match(validation.matrix), majority)
            for child, condition in zip(node.children, node.conditions)
        ]
        cut = own <= sum(below) + 1e-9 * (1 + sum(below))
        decision = say("becomes a leaf") if cut else say("kept")
        lines.append([node.short, say.count(weight.sum()), say.count(own), say.count(sum(below)), decision])
        facts.append({"node": node.name, "leaf": own, "subtree": sum(below), "pruned": cut})
        if cut:
            node.make_leaf()
        return own if cut else sum(below)

    prune(root, validation.weight, 0)
    columns = [say("node"), say("rows"), say("as a leaf"), say("as a subtree"), say("decision")]
    page.table(columns, lines, say("Errors on the held-out rows"))
    page.facts["pruning"] = facts


def _reduced_squares(page: Page, root: Branch, validation: Training) -> None:
    """The same for numbers: squared errors instead of wrong classes."""
    say, lines, facts = page.say, list[list[str]](), list[dict[str, Any]]()
    page.text(
        say(
            "Reduced-error pruning, from the leaves to the root: a node becomes a leaf when the squared error on the "
            "held-out rows is no larger than that of the subtree."
        )
    )

    def prune(node: Branch, weight: np.ndarray, centre: float) -> float:
        centre = node.centre if node.rows > 0 else centre
        own = float(weight @ (validation.y - centre) ** 2)
        if not node.children:
            return own
        below = sum(
            prune(child, weight * condition.match(validation.matrix), centre)
            for child, condition in zip(node.children, node.conditions)
        )
        cut = own <= below * (1 + 1e-9)
        decision = say("becomes a leaf") if cut else say("kept")
        lines.append([node.short, say.count(weight.sum()), say.fixed(own), say.fixed(below), decision])
        facts.append({"node": node.name, "leaf": own, "subtree": below, "pruned": cut})
        if cut:
            node.make_leaf()
        return own if cut else below

    prune(root, validation.weight, root.centre)
    columns = [say("node"), say("rows"), say("as a leaf"), say("as a subtree"), say("decision")]
    page.table(columns, lines, say("Squared errors on the held-out rows"))
    page.facts["pruning"] = facts


# -- error-based (C4.5) ------------------------------------------------------------------------------------------------
def added_errors(n: float, e: float, confidence: float) -> float:
    """Errors expected in addition to the e observed in n rows: the upper limit of a binomial share, as in C4.5."""
    if e < 1:
        none = float(n * (1 - confidence ** (1 / n)))
        return none + e * (added_errors(n, 1.0, confidence) - none) if e > 0 else none
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    z = -float(ndtri(confidence))
    f = (e + 0.5) / n
    limit = (f + z * z / (2 * n) + z * np.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return float(limit * n - e)


def _limit(node: Branch, confidence: float) -> float:
    return node.errors + added_errors(node.rows, node.errors, confidence) if node.rows > 0 else 0.0


def _error_based(page: Page, training: Training, root: Branch) -> None:
    say, confidence = page.say, float(training.estimator.confidence_factor)
    page.text(
        say(
            "Error-based pruning, from the leaves to the root: the expected number of errors is the upper "
            "confidence limit of a binomial with confidence factor {confidence}. A node becomes a leaf, is "
            "replaced by its largest branch, or stays, whichever has the fewest expected errors (the smaller "
            "tree may have up to {tolerance} errors more).",
            confidence=say.fixed(confidence),
            tolerance=TOLERANCE,
        )
    )
    for node in root.inner():
        if sum(leaf.errors for leaf in node.leaves()) >= node.errors - 1e-3:
            page.text(
                say(
                    "{node}: its subtree makes no fewer errors on the training rows than a leaf, so it becomes a leaf"
                    " at once.",
                    node=node.name,
                )
            )
            node.make_leaf()
    work = ErrorBased(page, training, confidence)
    work.prune(root)
    columns = [say("node"), say("rows"), say("errors"), say("as a leaf"), say("as a subtree")]
    columns += [say("as its largest branch"), say("decision")]
    page.table(columns, work.lines, say("Upper limits of the errors"))
    page.facts["pruning"] = work.facts


class ErrorBased:
    """Bottom-up: each node becomes what has the fewest expected errors: a leaf, its subtree or its largest branch."""

    def __init__(self, page: Page, training: Training, confidence: float) -> None:
        self.say, self.training, self.confidence = page.say, training, confidence
        self.raising = bool(training.estimator.subtree_raising)
        self.lines: list[list[str]] = []
        self.facts: list[dict[str, Any]] = []

    def prune(self, node: Branch) -> None:
        for child in node.children:
            self.prune(child)
        as_leaf = _limit(node, self.confidence)
        if not node.children:
            node.estimate = as_leaf
            return
        as_tree = sum(child.estimate for child in node.children)
        most = max(child.rows for child in node.children)
        largest = next(child for child in node.children if child.rows >= most / (1 + 1e-10))
        moved = self._with_rows(largest, node.weight) if self.raising else None
        leaves = [] if moved is None else moved.leaves()
        as_branch = float("inf") if moved is None else sum(_limit(leaf, self.confidence) for leaf in leaves)
        if as_leaf <= as_tree + TOLERANCE and as_leaf <= as_branch + TOLERANCE:
            decision = "leaf"
        elif as_branch <= as_tree + TOLERANCE:
            decision = "branch"
        else:
            decision = "subtree"
        branch = self.say.fixed(as_branch) if np.isfinite(as_branch) else "–"
        self.lines.append(
            [
                node.short,
                self.say.count(node.rows),
                self.say.count(node.errors),
                self.say.fixed(as_leaf),
                self.say.fixed(as_tree),
                branch,
            ]
        )
        self.lines[-1].append(self.say.text(_DECISIONS[decision]))
        numbers = {"leaf": as_leaf, "subtree": as_tree, "branch": as_branch}
        self.facts.append({"node": node.name, "decision": decision, **numbers})
        node.estimate = as_leaf if decision == "leaf" else as_tree
        if decision == "leaf":
            node.make_leaf()
        elif decision == "branch" and moved is not None:
            node.children, node.conditions = moved.children, moved.conditions
            self.prune(node)

    def _with_rows(self, branch: Branch, weight: np.ndarray) -> Branch:
        """The branch as it would be with all rows of its parent."""
        moved = Branch(
            branch.name,
            self.training.row_numbers[weight > 0],
            weight,
            self.training.class_weights(weight=weight),
            list(branch.conditions),
        )
        moved.children = [
            self._with_rows(child, weight * condition.match(self.training.matrix))
            for child, condition in zip(branch.children, branch.conditions)
        ]
        return moved


# -- cost and complexity -----------------------------------------------------------------------------------------------
def _cost_complexity(page: Page, training: Training, root: Branch) -> None:
    say, estimator = page.say, training.estimator
    total, tiny = root.rows, 1e-12 * max(1.0, root.impurity)
    price = float(getattr(estimator, "ccp_alpha_", 0.0) if estimator.ccp_alpha == "cv" else estimator.ccp_alpha)

    def risk(node: Branch) -> float:
        return node.rows * node.impurity / total

    def strength(node: Branch) -> float:
        leaves = node.leaves()
        return (risk(node) - sum(map(risk, leaves))) / max(len(leaves) - 1, 1)

    page.text(
        say(
            "Cost-complexity pruning: cutting below a node t costs α = (R(t) − R(leaves of t))/(leaves − 1) "
            "for each leaf removed. The node with the smallest cost is cut first, one in each step, up to the "
            "root. The result is a sequence of nested trees; steps of equal cost lead to the same tree in the end."
        )
    )
    lines = [["0", "0", str(len(root.leaves())), say.fixed(sum(map(risk, root.leaves()))), ""]]
    chosen, facts = 0, [0.0]
    while root.children:
        weakest = min(strength(node) for node in root.inner())
        # Of equal ones the smallest: what is cut later contains what was cut before.
        equal = [node for node in root.inner() if strength(node) <= weakest + tiny]
        cut = min(equal, key=lambda node: len(node.leaves()))
        cut.make_leaf()
        alpha = max(weakest, facts[-1])
        if alpha > facts[-1] + tiny or len(facts) == 1:
            facts.append(alpha)
        lines.append(
            [str(len(lines)), say.fixed(alpha), str(len(root.leaves())), say.fixed(sum(map(risk, root.leaves())))]
        )
        lines[-1].append(cut.short)
        chosen = len(lines) - 1 if alpha <= price + tiny else chosen
    columns = [say("step"), "α", say("leaves"), "R(T)", say("cut at")]
    page.table(columns, lines, say("The sequence of trees"), [chosen])
    page.text(
        say(
            "With α = {alpha} the tree with {leaves} leaves is chosen.", alpha=say.fixed(price), leaves=lines[chosen][2]
        )
    )
    page.facts["ccp_alphas"] = facts
    page.facts["pruned_leaves"] = int(lines[chosen][2])
