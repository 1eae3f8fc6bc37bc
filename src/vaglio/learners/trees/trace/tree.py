"""How a decision tree grows: at every node the table of all attributes, and the choice with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.impurity import MEASURES, after, entropy, entropy_formula, gini, gini_formula
from vaglio.document.notation import count, fixed, fraction, percent
from vaglio.document.training import Training
from vaglio.learners.inner_split import inner_split
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.model.binary_nodes import LINEAR
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_outline import branch_text
from vaglio.learners.trees.model.tree_rules import branch_condition
from vaglio.learners.trees.trace.best_tests import NodeSplits, Split
from vaglio.learners.trees.trace.oblique import combination_branch, rule_texts, write_combination
from vaglio.learners.trees.trace.pruning import trace_pruning
from vaglio.messages.numbers import short_number

# With other values than these a test is random, constrained or rounded: the table of attributes is exact, but the tree
# may choose otherwise.
_NOT_EXACT = {"splitter": "best", "max_features": None, "monotonic_cst": None, "max_bins": None}


def trace_tree(page: Page, training: Training) -> None:
    """Write the growth, then the pruning, then the rules of the tree."""
    estimator, say = training.estimator, page.say
    part, validation = growing_and_validation(training)
    weight = None if (part.weight == 1).all() else part.weight
    tree = grow(estimator, part.matrix, part.y, weight, len(training.classes))
    _introduction(page, training)
    if validation is not None:
        page.text(say("reduced_parts", growing=len(part.y), validation=len(validation.y)))
    growth = Growth(page, part, tree)
    growth.write()
    trace_pruning(page, part, tree, growth.names, validation)
    page.section(say("tree_result"))
    shape = {what: short_number(round(value, 2)) for what, value in estimator.tree_.mean_shape().items()}
    page.text(say("tree_size", leaves=_reached_leaves(estimator.tree_), depth=estimator.tree_.depth, **shape))
    rules = [rule for rule in estimator.rules() if rule.positives + rule.negatives > 0]
    page.table([say("rule")], [[text] for text in rule_texts(rules, growth)])
    page.facts["leaves"] = _reached_leaves(estimator.tree_)


def growing_and_validation(training: Training) -> tuple[Training, Training | None]:
    """The rows that grow the tree, and those that reduced-error pruning keeps apart."""
    if training.estimator.pruning != "reduced_error":
        return training, None
    growing, validation = inner_split(training.estimator, training.y, len(training.classes))
    if not validation.size:
        return training, None
    return training.take(growing), training.take(validation)


def _introduction(page: Page, training: Training) -> None:
    say, estimator = page.say, training.estimator
    page.section(say("data"))
    page.text(say("data_is", rows=len(training.y), columns=len(training.features), k=len(training.classes)))
    page.text(say("tree_rule_" + _criterion(estimator)))
    page.text(say("tree_" + estimator.nominal_split))
    if estimator._oblique:
        page.text(say("tree_oblique"))


def _criterion(estimator: Any) -> str:
    name: str = estimator.criterion
    return {"log_loss": "entropy"}.get(name, name)


def _reached_leaves(tree: Tree) -> int:
    return int((tree.is_leaf & (tree.weight > 0)).sum())


class Growth:
    """The growth of a tree, written node by node from the root to the leaves."""

    def __init__(self, page: Page, training: Training, tree: Tree) -> None:
        self.page, self.say, self.training, self.tree = page, page.say, training, tree
        self.splits = NodeSplits(training)
        self.exact = all(getattr(training.estimator, name) == value for name, value in _NOT_EXACT.items())
        self.weight = node_weights(training, tree)
        inner = [node for node in preorder(tree) if not tree.is_leaf[node]]
        self.number = {node: at for at, node in enumerate(inner, start=1)}
        self.path = self._paths()
        self.names = {node: self.say("node_name", n=at, path=self.path[node]) for node, at in self.number.items()}

    def write(self) -> None:
        page, say = self.page, self.say
        page.section(say("growth"))
        if not self.exact:
            page.text(say("not_exact"))
        if self.tree.is_leaf[0]:
            page.text(say("root_leaf", why=self._why_leaf(0)))
        facts: list[dict[str, Any]] = []
        for node, at in self.number.items():
            if at > self.training.most_steps:
                break
            facts.append(self._node(node))
        folded = len(self.number) - len(facts)
        if folded:
            page.text(say("folded_nodes", n=folded))
        page.facts["nodes"] = facts

    # -- one node ----------------------------------------------------------------------------------------------------
    def _node(self, node: int) -> dict[str, Any]:
        page, say, classes = self.page, self.say, self.training.classes
        counts = self.training.class_weights(weight=self.weight[node])
        page.section(self.names[node], level=2)
        each = ", ".join(f"{label} {count(n)}" for label, n in zip(classes, counts) if n > 0)
        page.text(say("node_counts", rows=count(counts.sum()), each=each))
        page.formula(f"{say('entropy')} = {entropy_formula(counts)}")
        page.formula(f"{say('gini')} = {gini_formula(counts)}")
        splits = self.splits.all(self.weight[node], self._used_above(node))
        best, remarks = self.splits.choose(splits)
        chosen = int(self.tree.feature[node])
        self._attributes(splits, remarks, chosen)
        if self.tree.node_kind[node] == LINEAR:
            return {"node": self.path[node], **write_combination(self, node, splits, best)}
        split = next(split for split in splits if split.feature == chosen)
        self._reason(split, splits, remarks)
        if len(best) > 1 and split in best:
            page.text(say("tie", names=", ".join(self.training.features[s.feature].name for s in best)))
        self._branches(node, split)
        name, found = self.training.features[chosen].name, self._found(best, chosen)
        if self.exact and found != name:
            page.text(say("other_choice", tree=name))
        return {
            "node": self.path[node],
            "entropy": float(entropy(counts)),
            "gini": float(gini(counts)),
            "chosen": name if not self.exact else found,
            "tree": name,
            "attributes": {self.training.features[s.feature].name: self._facts(s) for s in splits},
        }

    def _found(self, best: list[Split], chosen: int) -> str | None:
        """The attribute that these numbers choose; among equals that of the tree, which rounding may decide."""
        if not best:
            return None
        feature = chosen if any(split.feature == chosen for split in best) else best[0].feature
        return self.training.features[feature].name

    def _facts(self, split: Split) -> dict[str, Any]:
        return {
            "test": split.test,
            "entropy": split.impurity_after("entropy"),
            "gain": split.gain,
            "split_information": split.split_information,
            "gain_ratio": split.ratio,
            "gini": split.impurity_after("gini"),
            "gini_binary": split.binary[0],
            "binary_test": split.binary[1],
            "remark": split.remark,
        }

    def _attributes(self, splits: list[Split], remarks: dict[int, str], chosen: int) -> None:
        say, by_error = self.say, self.splits.measure == "error"
        columns = ["attribute", "test", "entropy_after", "gain", "split_info", "gain_ratio", "gini_after"]
        columns += ["gini_binary", "binary_test", *(["error_after"] if by_error else []), "remark"]
        rows, marked = [], []
        for i, split in enumerate(splits):
            if split.feature == chosen:
                marked.append(i)
            remark = say("chosen") if split.feature == chosen else ""
            if split.feature in remarks:
                remark = say("remark_" + remarks[split.feature])
            elif split.reliable < 1:
                part = say("remark_part", part=fixed(split.reliable))
                remark = f"{remark}; {part}" if remark else part
            rows.append([self.training.features[split.feature].name, split.test or say("each_value")])
            rows[-1] += [fixed(split.impurity_after("entropy")), fixed(split.gain), fixed(split.split_information)]
            rows[-1] += [fixed(split.ratio), fixed(split.impurity_after("gini")), fixed(split.binary[0])]
            rows[-1] += [split.binary[1], *([fixed(split.impurity_after("error"))] if by_error else []), remark]
        self.page.table([say("col_" + column) for column in columns], rows, say("attributes_table"), marked)

    def _reason(self, split: Split, splits: list[Split], remarks: dict[int, str]) -> None:
        page, say = self.page, self.say
        name = self.training.features[split.feature].name
        criterion = _criterion(self.training.estimator)
        if criterion == "gain_ratio" and "below_average" in remarks.values():
            compared = [s for s in splits if remarks.get(s.feature, "below_average") == "below_average"]
            page.text(say("average_gain", average=fixed(self.splits.average_of(compared))))
        if split.penalty:
            page.text(say("c45_penalty", penalty=fixed(split.penalty)))
        worth = self.splits.worth(split)
        left = split.impurity_after("gini" if criterion == "gini" else "error")
        page.text(say(f"choice_{criterion}", name=name, worth=fixed(worth), after=fixed(left)))

    def _branches(self, node: int, split: Split) -> None:
        """Write the branches of the chosen test, and the calculation of its measure."""
        page, say, classes = self.page, self.say, self.training.classes
        rows, tables = [], []
        for branch, child in enumerate(self.tree.children(node)):
            counts = self.training.class_weights(weight=self.weight[child])
            if counts.sum() <= 0:
                continue
            tables.append(counts)
            label = self.branch_name(node, branch)
            rows.append([label, count(counts.sum()), *map(count, counts), fixed(float(entropy(counts)))])
            rows[-1] += [fixed(float(gini(counts))), self.fate(child)]
        head = [say("col_branch"), say("rows"), *classes, say("entropy"), say("gini"), say("col_then")]
        page.table(head, rows, say("branches_of", name=self.training.features[split.feature].name))
        if split.known > 1 - 1e-9 and len(tables) > 1:
            self._work_out(np.array(tables), split)
        elif split.known <= 1 - 1e-9:
            self._work_out_known(split)

    def _work_out(self, branches: np.ndarray, split: Split) -> None:
        page, say, sizes = self.page, self.say, branches.sum(axis=1)
        total, whole = float(sizes.sum()), branches.sum(axis=0)
        if self.splits.measure == "entropy":
            terms = [f"{fraction(n, total)}·{fixed(float(entropy(b)))}" for n, b in zip(sizes, branches)]
            gain = float(entropy(whole)) - after("entropy", branches)
            less = f" − {fixed(split.penalty)}" if split.penalty else ""
            start = fixed(float(entropy(whole)))
            page.formula(f"{say('gain')} = {start} − ({' + '.join(terms)}){less} = {fixed(gain - split.penalty)}")
            page.formula(f"{say('split_info')} = {entropy_formula(sizes)}")
            shown = f"{fixed(split.gain)} / {fixed(split.split_information)} = {fixed(split.ratio)}"
            page.formula(f"{say('gain_ratio')} = {shown}")
        elif self.splits.measure == "gini":
            terms = [f"{fraction(n, total)}·{fixed(float(gini(b)))}" for n, b in zip(sizes, branches)]
            left = after("gini", branches)
            page.formula(f"{say('gini_after')} = {' + '.join(terms)} = {fixed(left)}")
            drop = float(gini(whole)) - left
            page.formula(f"{say('gini_decrease')} = {fixed(float(gini(whole)))} − {fixed(left)} = {fixed(drop)}")

    def _work_out_known(self, split: Split) -> None:
        """With missing values spread over the branches, the gain is that of the known rows times their share."""
        page, say, measure = self.page, self.say, self.splits.measure
        page.text(say("known_rows", share=percent(split.known)))
        before, left = MEASURES[measure](split.branches.sum(axis=0)), split.impurity_after(measure)
        less = f" − {fixed(split.penalty)}" if split.penalty else ""
        worked = (
            f"{fixed(split.known)}·({fixed(float(before))} − {fixed(left)}){less} = {fixed(split.decrease(measure))}"
        )
        page.formula(f"{say('gain')} = {worked}")
        if self.splits.by_ratio:
            shown = f"{fixed(split.gain)} / {fixed(split.split_information)} = {fixed(split.ratio)}"
            page.formula(f"{say('gain_ratio')} = {shown}")

    def test_name(self, node: int) -> str:
        """What a node tests: a column, or its combination, which is named s and the number of the node."""
        if self.tree.node_kind[node] == LINEAR:
            return f"s{self.number[node]}"
        return self.training.features[int(self.tree.feature[node])].name

    def branch_name(self, node: int, branch: int) -> str:
        if self.tree.node_kind[node] == LINEAR:
            return combination_branch(self.tree, node, branch, self.training.features)
        return branch_text(self.tree, node, branch, self.training.features)

    # -- the end of a branch -----------------------------------------------------------------------------------------
    def fate(self, child: int) -> str:
        """Where a branch leads: to the next node, or to a leaf and why."""
        if child in self.number:
            return self.say("go_to_node", n=self.number[child])
        label = self.training.classes[int(np.argmax(self.tree.value[child]))]
        return self.say("leaf_of", label=label, why=self._why_leaf(child))

    def _why_leaf(self, node: int) -> str:
        counts = self.training.class_weights(weight=self.weight[node])
        estimator, splits = self.training.estimator, self.splits
        if (counts > 0).sum() == 1:
            return self.say("why_pure")
        if estimator.max_depth is not None and self.tree.depth_of[node] >= estimator.max_depth:
            return self.say("why_depth")
        if splits.rows(counts) < splits.min_split - 1e-9 or not splits.enough(counts / 2):
            return self.say("why_small")
        return self.say("why_nothing")

    def _used_above(self, node: int) -> frozenset[int]:
        above = []
        while (node := int(self.tree.parent[node])) >= 0:
            above.append(int(self.tree.feature[node]))
        return frozenset(above)

    def _paths(self) -> list[str]:
        paths = [self.say("all_rows")] * self.tree.n_nodes
        for node in preorder(self.tree):
            for branch, child in enumerate(self.tree.children(node) if not self.tree.is_leaf[node] else ()):
                step = self.test_name(node) + " " + self.branch_name(node, branch)
                paths[child] = step if node == 0 else f"{paths[node]}, {step}"
        return paths


def preorder(tree: Tree) -> list[int]:
    """Nodes from the root down, each before its children, branches from left to right."""
    order, stack = [], [0]
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
