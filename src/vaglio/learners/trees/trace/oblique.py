"""A node that tests a linear combination of columns: its impurity beside that of the best single columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.document.impurity import MEASURES, after, entropy, gini
from vaglio.document.notation import count, fixed, fraction
from vaglio.encode import Feature
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.trees.model.binary_nodes import LINEAR
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_rules import branch_condition
from vaglio.learners.trees.trace.best_tests import Split
from vaglio.model.condition import Condition, LinearCondition

if TYPE_CHECKING:
    from vaglio.learners.trees.trace.tree import Growth


def write_combination(growth: Growth, node: int, splits: list[Split], best: list[Split]) -> dict[str, Any]:
    """Write the test of a node, its branches and their impurity; return it, with that of the single columns."""
    page, say, tree = growth.page, growth.say, growth.tree
    measure, features = growth.splits.measure, growth.training.features
    span = slice(int(tree.linear_start[node]), int(tree.linear_start[node + 1]))
    terms = [
        f"{fixed(coef)}·{features[j].name}"
        for j, coef in zip(tree.linear_feature[span].tolist(), tree.linear_coef[span].tolist())
    ]
    page.text(say("oblique_choice"))
    name = growth.test_name(node)
    page.formula(f"{name} = {' + '.join(terms)}".replace("+ −", "− "))
    rows, tables = [], []
    for branch, child in enumerate(tree.children(node)):
        counts = growth.training.class_weights(weight=growth.weight[child])
        if counts.sum() <= 0:
            continue
        tables.append(counts)
        label = f"{name} {combination_branch(tree, node, branch, features)}"
        rows.append([label, count(counts.sum()), *map(count, counts), fixed(float(entropy(counts)))])
        rows[-1] += [fixed(float(gini(counts))), growth.fate(child)]
    head = [say("col_branch"), say("rows"), *growth.training.classes, say("entropy"), say("gini"), say("col_then")]
    page.table(head, rows, say("branches_of", name=name))
    left = _worked_out(growth, np.array(tables), measure)
    single = {features[s.feature].name: s.impurity_after(measure) for s in splits if s in best}
    if single:
        names = ", ".join(f"{name} {fixed(value)}" for name, value in single.items())
        page.text(say("oblique_better", names=names, after=fixed(left)))
    return {"combination": left, "single": single, "terms": len(terms)}


def combination_branch(tree: Tree, node: int, branch: int, features: tuple[Feature, ...]) -> str:
    """The side of the threshold on which a branch lies."""
    condition = branch_condition(tree, node, branch, features)
    assert isinstance(condition, LinearCondition)
    sign = {"<=": "≤", ">=": "≥"}.get(condition.operator, condition.operator)
    return f"{sign} {fixed(condition.threshold)}"


def rule_texts(rules: Iterable[Rule], growth: Growth) -> list[str]:
    """Rules in which every combination is written by its name."""
    tree, named = growth.tree, dict[Condition, str]()
    for node in (node for node in growth.number if tree.node_kind[node] == LINEAR):
        for branch in range(int(tree.n_children[node])):
            condition = branch_condition(tree, node, branch, growth.training.features)
            named[replace(condition, missing=0.0)] = f"{growth.test_name(node)} {growth.branch_name(node, branch)}"
    texts = []
    for rule in rules:
        conditions = [named.get(replace(condition, missing=0.0), str(condition)) for condition in rule.conditions]
        texts.append(f"IF {' AND '.join(conditions)} THEN {rule.label}" if named and conditions else str(rule))
    return texts


def _worked_out(growth: Growth, branches: np.ndarray, measure: str) -> float:
    """Write the impurity after the test: that of the branches, weighted by their share of the rows."""
    sizes = branches.sum(axis=1)
    impurity = [float(MEASURES[measure](branch)) for branch in branches]
    parts = [f"{fraction(n, sizes.sum())}·{fixed(value)}" for n, value in zip(sizes, impurity)]
    left = after(measure, branches)
    growth.page.formula(f"{growth.say('left_after')} = {' + '.join(parts)} = {fixed(left)}")
    return float(left)
