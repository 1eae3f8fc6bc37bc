"""Trees and rules as nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.export.export_node import BELOW, CATEGORY, IN_TURN, MISSING, SET, SUM, SUM_AT_MOST, VOTE, ExportNode
from vaglio.export.onnx.graph import Graph

__all__ = ["rules", "trees"]

# Modes of the nodes of an ONNX tree.
_LEQ, _LT, _MEMBER = 0, 1, 6


def trees(graph: Graph, exported: ExportNode, x: str) -> str:
    """Add trees; the mean of what they say is the result (n, outputs)."""
    fields = exported.fields
    inner = fields["count"] > 0
    if (fields["missing"][inner] < 0).any() or (fields["test"][inner] == SUM_AT_MOST).any():
        sums = [_shared(graph, exported, x, int(root)) for root in fields["root"]]
        total = sums[0] if len(sums) == 1 else graph("Sum", *sums)
        return str(total if len(sums) == 1 else graph("Div", total, float(len(sums))))
    if exported.outputs == 1:
        return str(graph("Div", graph.trees(x, **_Ensemble(exported).options(graph)), float(len(fields["root"]))))
    # Each tree gives the row of `values` that its leaf holds: a leaf of ONNX holds a single number.
    found = graph.trees(x, **_Ensemble(exported).options(graph))
    said = graph("Gather", fields["values"], graph.whole(graph("Round", found)), axis=0)
    return str(graph("ReduceMean", said, np.array([1]), keepdims=0))


class _Ensemble:
    """The nodes of all trees as ONNX lists them: a node has two sides, each a node or a leaf."""

    def __init__(self, exported: ExportNode) -> None:
        self.fields = exported.fields
        self.single = exported.outputs == 1  # the trees add up to one number
        self.nodes: list[list[Any]] = []
        # Where the table of branches that begins at a place ends.
        starts = np.unique(self.fields["table"][(self.fields["test"] == CATEGORY) & (self.fields["count"] > 0)])
        self.ends = dict(zip(starts.tolist(), [*starts[1:].tolist(), len(self.fields["branch"])]))
        self.leaves: list[tuple[int, float]] = []
        self.roots = [self._root(tree, int(root)) for tree, root in enumerate(self.fields["root"])]

    def options(self, graph: Graph) -> dict[str, Any]:
        feature, mode, split, true, true_leaf, false, false_leaf, missing, members = zip(*self.nodes)
        values = [value for each in members for value in each]
        options = {
            "n_targets": 1 if self.single else len(self.roots),
            "aggregate_function": 1,
            "post_transform": 0,
            "tree_roots": self.roots,
            "nodes_featureids": feature,
            "nodes_modes": graph.tensor(mode, np.uint8),
            "nodes_splits": graph.tensor(split, np.float64),
            "nodes_truenodeids": true,
            "nodes_trueleafs": true_leaf,
            "nodes_falsenodeids": false,
            "nodes_falseleafs": false_leaf,
            "nodes_missing_value_tracks_true": missing,
            "leaf_targetids": [tree for tree, _ in self.leaves],
            "leaf_weights": graph.tensor([value for _, value in self.leaves], np.float64),
        }
        return options if not values else {**options, "membership_values": graph.tensor(values, np.float64)}

    def _root(self, tree: int, root: int) -> int:
        """Add a tree, without recursion since it may be deep, and return the position of its first node."""
        first = len(self.nodes)
        if self.fields["count"][root] == 0:
            at = self._leaf(tree, root)
            self.nodes.append([0, _LEQ, 0.0, at, 1, at, 1, 1, []])
            return first
        waiting: list[tuple[int, int, int]] = []
        self._test(root, waiting)
        while waiting:
            node, side, child = waiting.pop()
            entry = self.nodes[node]
            if self.fields["count"][child] == 0:
                entry[side], entry[side + 1] = self._leaf(tree, child), 1
            else:
                entry[side] = len(self.nodes)
                self._test(child, waiting)
        return first

    def _leaf(self, tree: int, node: int) -> int:
        row = int(self.fields["child"][node])
        self.leaves.append((0, float(self.fields["values"][row, 0])) if self.single else (tree, float(row)))
        return len(self.leaves) - 1

    def _test(self, node: int, waiting: list[tuple[int, int, int]]) -> None:
        """Add the test of a node: one with more than two branches becomes several, one after the other."""
        fields = self.fields
        feature, child, missing = (int(fields[name][node]) for name in ("feature", "child", "missing"))
        tests = self._branches(node)
        for i, (branch, mode, split, members) in enumerate(tests):
            at = len(self.nodes)
            last = i + 1 == len(tests)
            self.nodes.append([feature, mode, split, 0, 0, 0 if last else at + 1, 0, int(branch == missing), members])
            waiting.append((at, 3, child + branch))
            if last:
                rest = set(range(int(fields["count"][node]))) - {each[0] for each in tests}
                waiting.append((at, 5, child + rest.pop()))

    def _branches(self, node: int) -> list[tuple[int, int, float, list[float]]]:
        """Branch, mode, threshold and set of each test of a node; the last branch is what is left."""
        fields = self.fields
        count, missing = int(fields["count"][node]), int(fields["missing"][node])
        if fields["test"][node] != CATEGORY:
            mode = _LT if fields["test"][node] == BELOW else _LEQ
            test: tuple[int, int, float, list[float]] = (0, mode, float(fields["threshold"][node]), [])
            # A third branch is for missing values alone: a number is never above infinity.
            return [test] if count == 2 else [(missing, _LT, -np.inf, []), test]
        start = int(fields["table"][node])
        branch = fields["branch"][start : self.ends[start]]
        # NaN ends the set of a node. A set must not be empty, as it would be where a branch is
        # for missing values alone: it gets a code that no category has.
        members = [list(map(float, np.flatnonzero(branch == b))) or [float(len(branch))] for b in range(count - 1)]
        return [(b, _MEMBER, 0.0, [*codes, np.nan]) for b, codes in enumerate(members)]


def _shared(graph: Graph, exported: ExportNode, x: str, root: int) -> str:
    """Add one tree that shares a row of unknown value out over its branches, level by level."""
    fields = exported.fields
    levels = [np.array([root])]
    parents: list[np.ndarray] = []
    while (inner := levels[-1][fields["count"][levels[-1]] > 0]).size:
        counts = fields["count"][inner]
        levels.append(np.concatenate([fields["child"][node] + np.arange(n) for node, n in zip(inner, counts)]))
        parents.append(np.repeat(np.flatnonzero(fields["count"][levels[-2]] > 0), counts))
    weight: str = graph("Expand", np.ones((1, 1)), graph("Concat", _rows(graph, x), np.array([1]), axis=0))
    leaves, values = [], []
    for depth, nodes in enumerate(levels):
        if depth:
            weight = graph(
                "Mul",
                graph.columns(weight, parents[depth - 1]),
                _passed(graph, exported, x, levels[depth - 1][parents[depth - 1]], nodes),
            )
        ends = np.flatnonzero(fields["count"][nodes] == 0)
        if ends.size:
            leaves.append(graph.columns(weight, ends))
            values.append(fields["values"][fields["child"][nodes[ends]]])
    said: str = graph("MatMul", graph("Concat", *leaves, axis=1), np.concatenate(values))
    return said


def _rows(graph: Graph, x: str) -> str:
    """The number of rows, as a shape of one entry."""
    found: str = graph("Slice", graph("Shape", x), np.array([0]), np.array([1]))
    return found


def _passed(graph: Graph, exported: ExportNode, x: str, above: np.ndarray, nodes: np.ndarray) -> str:
    """The share of a row at each parent that goes on to each node."""
    fields = exported.fields
    ordinal = nodes - fields["child"][above]
    sums = fields["test"][above] == SUM_AT_MOST
    value = _values(graph, x, fields["feature"][above], sums, fields["table"][above], fields["terms"][above], fields)
    threshold = fields["threshold"][above]
    strict = fields["test"][above] == BELOW
    left = graph.either(strict, graph("Less", value, threshold), graph("LessOrEqual", value, threshold))
    branch = graph("Sub", 1.0, left)
    nominal = fields["test"][above] == CATEGORY
    if nominal.any():
        branch = graph("Where", nominal, _looked_up(graph, value, np.where(nominal, fields["table"][above], 0),
                                                     fields["branch"]), branch)  # fmt: skip
    known = graph.number(graph("Equal", branch, ordinal.astype(np.float64)))
    missing = fields["missing"][above]
    unknown = np.where(missing < 0, fields["share"][nodes], missing == ordinal).astype(np.float64)
    found: str = graph("Where", graph("IsNaN", value), unknown, known)
    return found


def _looked_up(graph: Graph, value: str, start: np.ndarray, table: np.ndarray) -> str:
    """Entries of a table at each start plus a code; any entry where the code is missing."""
    code = graph("Where", graph("IsNaN", value), 0.0, value)
    place = graph(
        "Clip", graph("Add", graph.whole(code), start.astype(np.int64)), np.array(0), np.array(len(table) - 1)
    )
    found: str = graph("Gather", table.astype(np.float64), place, axis=0)
    return found


def _values(
    graph: Graph, x: str, feature: np.ndarray, sums: np.ndarray, start: np.ndarray, terms: np.ndarray, fields: Any
) -> str:
    """The tested value of each condition: a column, or a sum of columns."""
    value = graph.columns(x, feature)
    if not sums.any():
        return value
    width = int(fields["term_feature"].max()) + 1
    coef = np.zeros((width, len(feature)))
    for at in np.flatnonzero(sums):
        span = slice(int(start[at]), int(start[at] + terms[at]))
        coef[fields["term_feature"][span], at] += fields["term_coef"][span]
    numbers = graph.columns(x, np.arange(width))
    holes = graph("IsNaN", numbers)
    total = graph("MatMul", graph("Where", holes, 0.0, numbers), coef)
    lacking = graph("Greater", graph("MatMul", graph.number(holes), (coef != 0).astype(np.float64)), 0.0)
    found: str = graph("Where", sums, graph("Where", lacking, np.nan, total), value)
    return found


def rules(graph: Graph, exported: ExportNode, x: str) -> str:
    """Add rules; the result is (n, outputs)."""
    fields = exported.fields
    n, otherwise = fields["n_rules"], fields["otherwise"][None, :]
    shape = graph("Concat", _rows(graph, x), np.array([1]), axis=0)
    if n == 0:
        return str(graph("Expand", otherwise, graph("Concat", _rows(graph, x), np.array([otherwise.size]), axis=0)))
    ones = graph("Expand", np.ones((1, 1)), shape)
    met = graph("Concat", _met(graph, exported, x), ones, axis=1) if len(fields["test"]) else ones
    # One row of conditions per rule, filled up with the column of ones.
    most = max(1, int(np.diff(fields["first"]).max()))
    which = np.full((n, most), len(fields["test"]))
    for rule in range(n):
        span = np.arange(fields["first"][rule], fields["first"][rule + 1])
        which[rule, : len(span)] = span
    share = graph("ReduceProd", graph.columns(met, which), np.array([2]), keepdims=0)
    if fields["mode"] == IN_TURN:
        before = graph("CumSum", graph("Log", graph("Sub", 1.0, share)), np.array(1), exclusive=1)
        share = graph("Mul", share, graph("Exp", before))
    said = graph("MatMul", share, fields["said"])
    if fields["mode"] == VOTE:
        total = graph.total(said)
        some = graph("Greater", total, 0.0)
        return str(graph("Where", some, graph("Div", said, graph("Where", some, total, 1.0)), otherwise))
    left = graph("Sub", 1.0, graph.total(share))
    rest = graph("Where", graph("Greater", left, 1e-9), left, 0.0)
    several = graph("Where", graph("Less", left, -1e-9), graph("Sub", 1.0, left), 1.0)
    return str(graph("Div", graph("Add", said, graph("Mul", rest, otherwise)), several))


def _met(graph: Graph, exported: ExportNode, x: str) -> str:
    """The share of a row that meets each condition."""
    fields = exported.fields
    test = fields["test"]
    value = _values(graph, x, fields["feature"], test == SUM, fields["term_start"], fields["terms"], fields)
    low, high = fields["low"], fields["high"]
    above = graph.either(fields["low_closed"] > 0, graph("GreaterOrEqual", value, low), graph("Greater", value, low))
    below = graph.either(fields["high_closed"] > 0, graph("LessOrEqual", value, high), graph("Less", value, high))
    known = graph("Mul", above, below)
    if (test == SET).any():
        start = np.where(test == SET, fields["table"], 0)
        known = graph("Where", test == SET, _looked_up(graph, value, start, fields["accept"]), known)
    known = graph("Where", test == MISSING, 0.0, known)
    found: str = graph("Where", graph("IsNaN", value), fields["share"], known)
    return found
