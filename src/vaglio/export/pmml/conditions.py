"""Trees and rules as TreeModel, and the shares of a row that is missing values as sums.

A row of unknown value goes to the child that a node names, or is shared out over its children. PMML has a strategy for
the latter that not every program applies to the end. So the rows that lack nothing are scored by the tree; the shares
of the others are derived fields, of which a RegressionModel takes the mean of the leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from vaglio.export.export_node import BELOW, CATEGORY, IN_TURN, MISSING, SET, SHARED, SUM, SUM_AT_MOST, ExportNode
from vaglio.export.pmml.elements import Scope, apply, combined, data_type, element, field_ref, number, text_of

__all__ = ["Labels", "one_tree", "rules", "spreads", "tested_fields", "tree_of_shares"]

_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,;:/+*#@&%$()[]{}=<>!?|~^'")


class Labels:
    """The classes of a model, and the position of the classes of a member among them.

    Parameters
    ----------
    labels : list
        All classes; none for numbers.
    place : list of int
        Which of them the member knows, in the order of its outputs.
    """

    def __init__(self, labels: list[Any], place: list[int]) -> None:
        self.labels, self.place = labels, place

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return outputs with a column for every class."""
        found = np.zeros((len(values), len(self.labels)))
        found[:, self.place] = values
        return found

    def node(self, attributes: dict[str, Any], values: np.ndarray) -> Element:
        """Return a leaf that says these outputs."""
        if not self.labels:
            return element("Node", {**attributes, "score": number(float(values[0]))})
        shares = self.spread(values[None])[0]
        spread = [
            element("ScoreDistribution", {"value": label, "recordCount": float(share)})
            for label, share in zip(self.labels, shares)
        ]
        return element("Node", {**attributes, "score": self.labels[int(np.argmax(shares))]}, *spread)


# -- predicates ------------------------------------------------------------------------------------------------------
def _simple(name: str, operator: str, value: object = None) -> Element:
    return element("SimplePredicate", {"field": name, "operator": operator, "value": value})


def _together(operator: str, predicates: list[Element]) -> Element:
    if not predicates:
        return element("True" if operator == "and" else "False")
    return (
        predicates[0]
        if len(predicates) == 1
        else element("CompoundPredicate", {"booleanOperator": operator}, *predicates)
    )


def _one_of(scope: Scope, column: int, codes: Any) -> Element:
    """Whether a column has one of these categories; unknown where it is missing."""
    feature, name = scope.features[column], scope.use(column)
    values = [feature.categories[int(code)] for code in codes]
    texts = [text_of(value) for value in values]
    if len(values) < 3 or not all(text and set(text) <= _PLAIN for text in texts):
        # An array separates its entries by spaces and has quotes of its own; attributes have no such rules.
        return _together("or", [_simple(name, "equal", value) for value in values])
    kind = "int" if data_type(feature.categories) == "integer" else "string"
    array = element("Array", {"type": kind, "n": len(values)})
    array.text = " ".join(f'"{text}"' for text in texts) if kind == "string" else " ".join(texts)
    return element("SimpleSetPredicate", {"field": name, "booleanOperator": "isIn"}, array)


def _range(scope: Scope, column: int, low: float, high: float, low_closed: bool, high_closed: bool) -> Element:
    """Whether a number, or the rank of an ordered category, is in a range; unknown where it is missing."""
    feature, name = scope.features[column], scope.use(column)
    if feature.categories:
        ranks = np.arange(len(feature.categories))
        inside = (ranks >= low if low_closed else ranks > low) & (ranks <= high if high_closed else ranks < high)
        return _one_of(scope, column, ranks[inside])
    return _between(name, low, high, low_closed, high_closed)


def _between(name: str, low: float, high: float, low_closed: bool, high_closed: bool) -> Element:
    tests = []
    if low != -np.inf:
        tests.append(_simple(name, "greaterOrEqual" if low_closed else "greaterThan", low))
    if high != np.inf:
        tests.append(_simple(name, "lessOrEqual" if high_closed else "lessThan", high))
    return _together("and", tests) if tests else _simple(name, "isNotMissing")


# -- trees -----------------------------------------------------------------------------------------------------------
class _Nodes:
    """The tests of the trees of an export node."""

    def __init__(self, exported: ExportNode, scope: Scope) -> None:
        self.fields, self.scope = exported.fields, scope

    def branch(self, node: int, branch: int) -> Element:
        """The predicate of a branch; unknown where the value is missing, true in a branch for missing values alone."""
        fields = self.fields
        column, test, t = int(fields["feature"][node]), int(fields["test"][node]), float(fields["threshold"][node])
        if test == CATEGORY:
            codes = np.flatnonzero(self._branches(node, column) == branch)
            return _one_of(self.scope, column, codes) if codes.size else self._empty(node, branch)
        if branch > 1 or (np.isinf(t) and (branch == 0) != (t > 0)):
            return self._empty(node, branch)
        strict = test == BELOW
        ends = (-np.inf, t, False, not strict) if branch == 0 else (t, np.inf, strict, False)
        if np.isinf(t) and fields["missing"][node] == branch:
            return element("True")
        if test == SUM_AT_MOST:
            return _between(self._sum(node), *ends)
        return _range(self.scope, column, *ends)

    def _branches(self, node: int, column: int) -> np.ndarray:
        start = int(self.fields["table"][node])
        found: np.ndarray = self.fields["branch"][start : start + len(self.scope.features[column].categories)]
        return found

    def _sum(self, node: int) -> str:
        start, count = int(self.fields["table"][node]), int(self.fields["terms"][node])
        span = slice(start, start + count)
        return self.scope.linear(self.fields["term_feature"][span].tolist(), self.fields["term_coef"][span].tolist())

    def value(self, node: int) -> str:
        """The name of what a node tests."""
        if self.fields["test"][node] == SUM_AT_MOST:
            return self._sum(node)
        return self.scope.use(int(self.fields["feature"][node]))

    def _empty(self, node: int, branch: int) -> Element:
        """The predicate of a branch that no known value takes."""
        if self.fields["missing"][node] == branch:
            return _simple(self.value(node), "isMissing")
        return element("False")

    def met(self, node: int, branch: int) -> Element:
        """Whether a known value takes a branch, as an expression."""
        fields = self.fields
        column, test, t = int(fields["feature"][node]), int(fields["test"][node]), float(fields["threshold"][node])
        if test == CATEGORY:
            codes = np.flatnonzero(self._branches(node, column) == branch)
            return _member(self.scope.number(column), codes)
        name = self._sum(node) if test == SUM_AT_MOST else self.scope.number(column)
        if t in (np.inf, -np.inf):
            return apply("equal", 0.0, float((branch == 0) != (t > 0)))
        strict = test == BELOW
        below = "lessThan" if strict else "lessOrEqual"
        above = "greaterOrEqual" if strict else "greaterThan"
        return apply(below if branch == 0 else above, field_ref(name), t)

    def children(self, node: int) -> range:
        first = int(self.fields["child"][node])
        return range(first, first + int(self.fields["count"][node]))


def _member(name: str, codes: Any) -> Element:
    tests = [apply("equal", field_ref(name), float(code)) for code in codes]
    if not tests:
        return apply("equal", 0.0, 1.0)
    return tests[0] if len(tests) == 1 else apply("or", *tests)


def spreads(exported: ExportNode) -> bool:
    """Whether some node shares a row of unknown value out over its children."""
    inner = exported.fields["count"] > 0
    return bool((exported.fields["missing"][inner] < 0).any())


def one_tree(scope: Scope, exported: ExportNode, tree: int, labels: Labels, output: Element | None) -> Element:
    """Return one of the trees as a TreeModel."""
    nodes, fields = _Nodes(exported, scope), exported.fields
    made: dict[int, Element] = {}
    root = int(fields["root"][tree])
    order = [root]
    for node in order:  # grows as it goes
        order.extend(nodes.children(node) if fields["count"][node] else ())
    inner = [node for node in order if fields["count"][node]]
    above = {child: (node, branch) for node in inner for branch, child in enumerate(nodes.children(node))}
    default = bool((fields["missing"][inner] >= 0).all())
    for node in order:
        name = {"id": node - root}
        predicate = element("True") if node == root else nodes.branch(*above[node])
        if fields["count"][node] == 0:
            made[node] = labels.node(name, fields["values"][int(fields["child"][node])])
        else:
            chosen = int(fields["child"][node] + fields["missing"][node]) - root
            made[node] = element("Node", {**name, "defaultChild": chosen if default else None})
        made[node].insert(0, predicate)
        if node != root:
            made[above[node][0]].append(made[node])
    attributes = {"missingValueStrategy": "defaultChild" if default else None, "splitCharacteristic": "multiSplit"}
    return scope.model("TreeModel", labels.labels, attributes, [made[root]], output)


def tested_fields(scope: Scope) -> Element:
    """Return whether none of the fields of a tree is missing."""
    return _together("and", [_simple(name, "isNotMissing") for name in scope.used])


def tree_of_shares(scope: Scope, exported: ExportNode, tree: int, labels: Labels, output: Element | None) -> Element:
    """Return one of the trees as a mean over its leaves, each with the share of the row that it gets."""
    nodes, fields = _Nodes(exported, scope), exported.fields
    waiting: list[tuple[int, str | None]] = [(int(fields["root"][tree]), None)]
    leaves: list[tuple[str | None, int]] = []
    while waiting:
        node, share = waiting.pop()
        if fields["count"][node] == 0:
            leaves.append((share, int(fields["child"][node])))
            continue
        missing = int(fields["missing"][node])
        for branch, child in enumerate(nodes.children(node)):
            unknown = float(fields["share"][child]) if missing < 0 else float(missing == branch)
            whole: Element | float = 1.0 if share is None else field_ref(share)
            known = apply("if", nodes.met(node, branch), whole, 0.0)
            part_of = unknown if share is None else apply("*", unknown, field_ref(share))
            absent = apply("isMissing", field_ref(nodes.value(node)))
            waiting.append((child, scope.derive(apply("if", absent, part_of, known))))
    said = np.array([fields["values"][row] for _, row in leaves])
    return _weighed(scope, [share for share, _ in leaves], said, labels, output)


def _weighed(
    scope: Scope, shares: Sequence[str | None], said: np.ndarray, labels: Labels, output: Element | None
) -> Element:
    """Return the mean of what several things say, by their shares; None is a share of 1."""
    columns = labels.spread(said) if labels.labels else said
    tables = []
    for c in range(columns.shape[1]):
        intercept = sum(float(value) for share, value in zip(shares, columns[:, c]) if share is None)
        terms = [
            element("NumericPredictor", {"name": share, "coefficient": float(value)})
            for share, value in zip(shares, columns[:, c])
            if share is not None and value != 0
        ]
        category = labels.labels[c] if labels.labels else None
        tables.append(element("RegressionTable", {"intercept": intercept, "targetCategory": category}, *terms))
    attributes = {"normalizationMethod": "simplemax" if labels.labels else "none"}
    return scope.model("RegressionModel", labels.labels, attributes, tables, output)


# -- rules -----------------------------------------------------------------------------------------------------------
def rules(scope: Scope, exported: ExportNode, labels: Labels, output: Element | None) -> Element:
    """Return rules as a tree of one level if each row meets one of them wholly, else as a mean by their shares."""
    fields = exported.fields
    if fields["mode"] == IN_TURN and np.isin(fields["share"], (0, 1)).all():
        nodes = []
        for i in range(fields["n_rules"]):
            node = labels.node({"id": i + 1}, fields["said"][i])
            node.insert(0, _together("and", [_condition(scope, fields, j) for j in _conditions(fields, i)]))
            nodes.append(node)
        last = labels.node({"id": 0}, fields["otherwise"])
        last.insert(0, element("True"))
        root = element("Node", None, element("True"), *nodes, last)
        return scope.model("TreeModel", labels.labels, {"splitCharacteristic": "multiSplit"}, [root], output)
    return _rules_of_shares(scope, exported, labels, output)


def _conditions(fields: dict[str, Any], rule: int) -> range:
    return range(int(fields["first"][rule]), int(fields["first"][rule + 1]))


def _condition(scope: Scope, fields: dict[str, Any], j: int) -> Element:
    """A condition that a missing value meets wholly or not at all."""
    test, column = int(fields["test"][j]), int(fields["feature"][j])
    if test == SUM:
        name = _sum_of(scope, fields, j)
        known = _between(name, *_ends(fields, j))
    elif test == MISSING:
        return _simple(scope.use(column), "isMissing") if fields["share"][j] else element("False")
    else:
        name = scope.use(column)
        known = (
            _one_of(scope, column, _accepted(scope, fields, j))
            if test == SET
            else _range(scope, column, *_ends(fields, j))
        )
    return _together("or", [known, _simple(name, "isMissing")]) if fields["share"][j] else known


def _ends(fields: dict[str, Any], j: int) -> tuple[float, float, bool, bool]:
    return (
        float(fields["low"][j]),
        float(fields["high"][j]),
        bool(fields["low_closed"][j]),
        bool(fields["high_closed"][j]),
    )


def _accepted(scope: Scope, fields: dict[str, Any], j: int) -> np.ndarray:
    start = int(fields["table"][j])
    count = len(scope.features[int(fields["feature"][j])].categories)
    return np.flatnonzero(fields["accept"][start : start + count])


def _sum_of(scope: Scope, fields: dict[str, Any], j: int) -> str:
    span = slice(int(fields["term_start"][j]), int(fields["term_start"][j] + fields["terms"][j]))
    return scope.linear(fields["term_feature"][span].tolist(), fields["term_coef"][span].tolist())


def _met(scope: Scope, fields: dict[str, Any], j: int) -> str:
    """The share of a row that meets a condition."""
    test, column = int(fields["test"][j]), int(fields["feature"][j])
    name = _sum_of(scope, fields, j) if test == SUM else scope.number(column)
    if test == SET:
        known = _member(name, _accepted(scope, fields, j))
    elif test == MISSING:
        known = apply("equal", 0.0, 1.0)
    else:
        low, high, low_closed, high_closed = _ends(fields, j)
        tests = []
        if low != -np.inf:
            tests.append(apply("greaterOrEqual" if low_closed else "greaterThan", field_ref(name), low))
        if high != np.inf:
            tests.append(apply("lessOrEqual" if high_closed else "lessThan", field_ref(name), high))
        known = apply("and", *tests) if len(tests) > 1 else tests[0] if tests else apply("equal", 0.0, 0.0)
    absent = apply("isMissing", field_ref(name))
    key = (test, column, name, *_ends(fields, j), float(fields["share"][j]))
    key = (*key, *_accepted(scope, fields, j).tolist()) if test == SET else key
    return scope.derive(apply("if", absent, float(fields["share"][j]), apply("if", known, 1.0, 0.0)), key)


def _rules_of_shares(scope: Scope, exported: ExportNode, labels: Labels, output: Element | None) -> Element:
    fields = exported.fields
    shares: list[str] = []
    left: str | None = None  # what the rules before left of a row
    for i in range(fields["n_rules"]):
        factors = [field_ref(_met(scope, fields, j)) for j in _conditions(fields, i)]
        if fields["mode"] == IN_TURN and left is not None:
            factors.append(field_ref(left))
        taken = combined("*", factors) if factors else apply("+", 1.0, 0.0)
        shares.append(scope.derive(taken))
        if fields["mode"] == IN_TURN:
            whole: Element | float = 1.0 if left is None else field_ref(left)
            left = scope.derive(apply("-", whole, field_ref(shares[-1])))
    said = fields["said"]
    weight = said.sum(axis=1) if fields["mode"] not in (IN_TURN, SHARED) else np.ones(len(said))
    sums = [apply("*", float(w), field_ref(share)) for w, share in zip(weight, shares)]
    every = scope.derive(combined("+", sums) if sums else apply("+", 0.0, 0.0))
    if fields["mode"] in (IN_TURN, SHARED):
        over = apply("-", 1.0, field_ref(every))
        rest = scope.derive(apply("if", apply("greaterThan", field_ref(every), 1.0 - 1e-9), 0.0, over))
    else:
        rest = scope.derive(apply("if", apply("greaterThan", field_ref(every), 0.0), 0.0, 1.0))
    names = [*shares, rest]
    values = np.vstack([said, fields["otherwise"][None]])
    if not labels.labels:  # numbers of several rules: their mean counts
        most = apply("max", 1.0, field_ref(every))
        names = [scope.derive(apply("/", field_ref(name), most)) for name in names]
    return _weighed(scope, names, values, labels, output)
