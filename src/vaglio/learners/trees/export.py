"""Trees and forests as one table of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.export_node import AT_MOST, BELOW, CATEGORY, SUM_AT_MOST, Exporter, ExportNode
from vaglio.export.source import RuleList
from vaglio.fitted import Fitted
from vaglio.fitted.show import PAPER
from vaglio.learners.trees.model.formulas import formulas_text
from vaglio.learners.trees.model.model_tree import ModelTree
from vaglio.learners.trees.model.rules import branch_of_category, leaf_conditions, outline
from vaglio.learners.trees.model.tree import LINEAR, MULTIWAY, SUBSET
from vaglio.plot.tree_drawing import Box, draw_tree_svg, draw_tree_text


def node_of_tree(model: Any, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    return node_of_trees([model], features, n_classes)


def node_of_trees(
    trees: list[Any], features: tuple[Feature, ...], n_classes: int, said: list[np.ndarray] | None = None
) -> ExportNode:
    """All nodes of all trees in one table; the mean of the trees counts. Without ``said``, nodes say what trees say."""
    starts = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    said = said or [tree.says for tree in trees]
    leaf = np.concatenate([tree.is_leaf for tree in trees])
    values, row = np.unique(np.concatenate(said)[leaf], axis=0, return_inverse=True)
    child = np.concatenate([tree.first_child.astype(np.int64) + start for tree, start in zip(trees, starts)])
    child[leaf] = row.ravel()
    branch: list[np.ndarray] = []
    table = np.concatenate([_branches(tree, features, branch) for tree in trees])
    numbers = [BELOW if tree.strict else AT_MOST for tree in trees]
    test = np.concatenate(
        [np.choose(tree.node_kind, [AT_MOST, n, CATEGORY, CATEGORY, SUM_AT_MOST]) for tree, n in zip(trees, numbers)]
    )
    # The share of a row of unknown value that each node gets from its parent.
    share = np.ones(len(leaf))
    for tree, start in zip(trees, starts):
        for node in np.flatnonzero(~tree.is_leaf & (tree.missing_branch < 0)).tolist():
            for at, below in enumerate(tree.children(node)):
                share[start + below] = tree.missing_share(node, at)
    terms, term_feature, term_coef = _terms(trees, table)
    fields = {
        "n_trees": len(trees),
        "root": starts[:-1],
        "test": test,
        "feature": np.maximum(np.concatenate([tree.feature for tree in trees]), 0),
        "threshold": np.concatenate([tree.threshold for tree in trees]),
        "child": child,
        "count": np.concatenate([tree.n_children for tree in trees]),
        "missing": np.concatenate([tree.missing_branch for tree in trees]),
        "share": share,
        "table": table,
        "branch": np.concatenate(branch) if branch else np.zeros(0, np.int64),
        "terms": terms,
        "term_feature": term_feature,
        "term_coef": term_coef,
        "values": values,
    }
    return ExportNode("trees", max(n_classes, 1), fields)


def _branches(tree: Any, features: tuple[Feature, ...], branch: list[np.ndarray]) -> np.ndarray:
    """Where the branch of each category of a node begins in one list of all of them."""
    table = np.zeros(tree.n_nodes, np.int64)
    length = sum(map(len, branch))
    for node in np.flatnonzero((tree.node_kind == SUBSET) | (tree.node_kind == MULTIWAY)).tolist():
        found = branch_of_category(tree, node, len(features[int(tree.feature[node])].categories))
        table[node] = length
        branch.append(found.astype(np.int64))
        length += len(found)
    return table


def _terms(trees: list[Any], table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of terms of each linear test, and the terms; where they begin is written into ``table``."""
    counts, columns, coefs = np.zeros(len(table), np.int64), [np.zeros(0, np.int64)], [np.zeros(0)]
    node = length = 0
    for tree in trees:
        if len(tree.linear_start):
            inner = tree.node_kind == LINEAR
            size = np.diff(tree.linear_start)
            at = slice(node, node + tree.n_nodes)
            counts[at] = np.where(inner, size, 0)
            table[at] = np.where(inner, tree.linear_start[:-1] + length, table[at])
            columns.append(tree.linear_feature.astype(np.int64))
            coefs.append(tree.linear_coef)
            length += len(tree.linear_coef)
        node += tree.n_nodes
    return counts, np.concatenate(columns), np.concatenate(coefs)


# -- scoring ---------------------------------------------------------------------------------------------------------
def compile_tree(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the tree compiled for single rows."""
    return _core.tree_scorer(model.predictor(features), np.ascontiguousarray(model.says))


def node_of_model_tree(model: ModelTree, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    """The sums of the leaves, and the tree as one that says their numbers."""
    encoder, tree = model.encoder, model.tree
    leaves = np.flatnonzero(tree.is_leaf)
    number = np.zeros((tree.n_nodes, 1))
    number[leaves, 0] = np.arange(len(leaves))
    origin = np.array(encoder.origin, dtype=np.int64).reshape(-1, 2)[model.column]
    numeric = np.full(encoder.width, -1, dtype=np.int64)
    numeric[encoder.numeric_columns] = np.arange(len(encoder.numeric_columns))
    place = numeric[model.column]
    # A category has no scale; the number at the end of each list stands for it.
    scaled = {
        name: np.append(getattr(encoder, name), plain)[place]
        for name, plain in (("centre", 0.0), ("scale", 1.0), ("fill", 0.0))
    }
    fields = {
        "start": np.append(0, model.start[leaves + 1]),
        "column": origin[:, 0],
        "category": origin[:, 1],
        **scaled,
        "coef": model.coef * encoder.heights[model.column],
        "intercept": model.intercept[leaves],
        "bounds": model.bounds,
    }
    return ExportNode("lines", 1, fields, (node_of_trees([tree], features, n_classes, [number]),))


def compile_model_tree(model: ModelTree, features: tuple[Feature, ...]) -> Any:
    """Return the tree and the linear models of its leaves compiled for single rows."""
    encoder = model.encoder
    if (np.abs(encoder.centre) > 1e100).any():
        return None
    place, category = np.zeros(encoder.width, np.int64), np.full(encoder.width, -1, dtype=np.int64)
    place[encoder.numeric_columns] = np.arange(len(encoder.numeric_columns))
    for q, columns in enumerate(encoder.columns_of_codes):
        codes = np.flatnonzero(columns[:-1] >= 0)
        place[columns[codes]], category[columns[codes]] = q, codes
    return _core.model_tree_scorer(
        model.tree.predictor(features),
        encoder.centre,
        encoder.scale,
        encoder.fill,
        model.start,
        place[model.column],
        category[model.column],
        model.coef * encoder.heights[model.column],
        model.intercept,
        model.bounds,
    )


def model_tree_python(model: ModelTree, features: tuple[Feature, ...]) -> str:
    """Return the source of a function ``classify`` that needs nothing but itself."""
    from vaglio.export.python import lines_python

    found, tree = list(leaf_conditions(model.tree, features)), model.tree
    number = np.cumsum(tree.is_leaf) - 1.0  # of the linear models, as node_of_model_tree counts them
    said = number[[leaf for leaf, _ in found]][:, None]
    rules = RuleList(features, None, [conditions for _, conditions in found], [*said[:, 0]], said, 0.0, said[-1])
    return lines_python(rules, node_of_model_tree(model, features, 0).fields)


def model_tree_formats(fitted: Fitted) -> dict[str, Callable[[], Any]]:
    """Return the leaves with their linear models as text and as a Python function, and the tree drawn."""
    model: Any = fitted.model
    formats = {
        "text": lambda: formulas_text(model, fitted.codebook.features),
        "python": lambda: model_tree_python(model, fitted.codebook.features),
    }
    return formats | tree_formats(replace(fitted, model=model.tree))


def tree_formats(fitted: Fitted) -> dict[str, Callable[[], Any]]:
    """Return the tree drawn with box characters and as SVG, each made when it is asked for."""
    return {"tree": lambda: draw_tree_text(_outline(fitted, None)), "svg": lambda: tree_svg(fitted)}


def tree_svg(fitted: Fitted, depth: int | None = None) -> str:
    """The tree as a drawing, down to a depth or whole."""
    classes = [] if fitted.classes is None else [str(label) for label in fitted.classes]
    title = f"Decision tree with {fitted.model.size()['leaves']} leaves"
    return draw_tree_svg(_outline(fitted, depth), classes, title=title)


def _outline(fitted: Fitted, depth: int | None) -> Box:
    tree: Any = fitted.model
    told = depth, fitted.decision_cost
    return outline(tree, fitted.codebook.features, fitted.classes, *told, calibration=fitted.calibration)


# Deeper nodes are folded: a notebook shows a model, the export writes it out.
_DEPTH_ON_SCREEN = 6


def show_tree(fitted: Fitted) -> str:
    """Return the upper levels of the tree as HTML."""
    return PAPER.format(tree_svg(fitted, _DEPTH_ON_SCREEN))


EXPORTERS = {"tree": Exporter("trees", node_of_tree), "model-tree": Exporter("lines", node_of_model_tree)}
