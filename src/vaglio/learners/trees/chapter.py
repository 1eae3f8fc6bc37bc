"""A tree as boxes, cut at the depth that still fits a page, and as rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.rules.chapter import rules_part
from vaglio.learners.trees.model.formulas import leaf_formulas
from vaglio.learners.trees.model.model_tree import ModelTree
from vaglio.learners.trees.model.rules import outline
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.figures import count
from vaglio.messages.message import join, text
from vaglio.messages.sentences import clip
from vaglio.model.condition import condition_text
from vaglio.plot.style import PALETTE
from vaglio.plot.tree_drawing import Box

__all__ = ["tree_drawing"]


def tree_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    tree = fitted.model
    assert isinstance(tree, Tree)
    part, cut = tree_drawing(tree, fitted, limits)
    parts = [part]
    if tree.n_leaves > 1:
        parts.append(rules_part(fitted.rules(), limits, folded=True))
    said = []
    if tree.n_leaves == 1:
        said.append(
            text("The tree has one leaf: every row gets the same number.")
            if fitted.classes is None
            else text("The tree has one leaf: every row gets the same class.")
        )
    if tree.n_leaves > 1:
        tests, branches = tree.mean_shape().values()
        said.append(
            text(
                "On average a training row passes {tests:.3g} tests, and a test has {branches:.3g} branches.",
                tests=tests,
                branches=branches,
            )
        )
    if not cut and tree.n_leaves > 1:
        said.append(
            text("A row starts at the top and follows the branch whose condition it meets; the leaf gives the number.")
            if fitted.classes is None
            else text(
                "A row starts at the top and follows the branch whose condition it meets; the leaf gives the class."
            )
        )
    return said, parts


# Terms of a linear model that a cell of the report has room for.
_MOST_TERMS = 8


def model_tree_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    """The tree as boxes, and the linear model of each leaf; of very many leaves, of those with most rows."""
    model, features = fitted.model, fitted.codebook.features
    assert isinstance(model, ModelTree)
    found = list(leaf_formulas(model, features, _MOST_TERMS))
    weight = model.tree.weight
    shown = sorted(sorted(range(len(found)), key=lambda i: -weight[found[i][0]])[: limits.rules])
    body = []
    for leaf, conditions, said in (found[i] for i in shown):
        met = join("; ", [clip(condition_text(condition), 90) for condition in conditions[:_MOST_TERMS]])
        body.append([met if conditions else text("every row"), said, count(round(float(weight[leaf]), 1))])
    note = [text("A missing number counts as the mean of its column, a missing category as none.")]
    if len(found) > len(shown):
        left = len(found) - len(shown)
        note.append(text("{n:,} further {n:leaf is|leaves are} not shown.", n=left))
    table = {
        "type": "table",
        "title": text("The linear models"),
        "head": [text("conditions"), text("prediction"), text("rows")],
        "rows": body,
        "texts": [1],
        "note": join(" ", note),
    }
    told = text(
        "A row follows the tree to a leaf, whose linear model gives the number. The models are smoothed with those "
        "further up; the boxes show the means of the rows."
    )
    drawing = [] if model.tree.n_leaves == 1 else [tree_drawing(model.tree, fitted, limits)[0]]
    return [told], [*drawing, table]


def tree_drawing(
    tree: Tree, fitted: Fitted, limits: ChapterLimits, address: Callable[[int], str] | None = None
) -> tuple[dict[str, Any], bool]:
    """Draw the tree as nested boxes down to the depth that still fits; return the part, and whether it was cut.

    Parameters
    ----------
    tree : Tree
    fitted : Fitted
        The model that the tree belongs to.
    limits : Limits
    address : callable, optional
        From a node to where a click on it leads.
    """
    nodes_by_depth = np.bincount(tree.depth_of)
    drawn = np.cumsum(nodes_by_depth)
    depth = max(1, int(np.searchsorted(drawn, limits.tree_nodes, side="right")) - 1)
    cut = depth < len(nodes_by_depth) - 1
    root = outline(tree, fitted.codebook.features, fitted.classes, depth if cut else None, address=address)
    # With more classes than colours the bars could not be read: they are left out.
    classes = [] if fitted.classes is None else fitted.classes.tolist()
    coloured = 0 < len(classes) <= len(PALETTE)
    left_out = _trim(root, limits.tree_nodes, coloured)
    note = []
    if cut:
        note.append(
            text(
                "The first {n:,} of {levels:,} levels are drawn; the boxes show how many leaves are below them.",
                n=depth,
                levels=len(nodes_by_depth) - 1,
            )
        )
    if left_out:
        note.append(text("{n:,} further {n:subtree is|subtrees are} not drawn.", n=left_out))
    labels = [clip(label, 30) for label in classes] if coloured else []
    part = {
        "type": "tree",
        "title": text("The tree"),
        "root": asdict(root),
        "classes": labels,
        "note": join(" ", note),
        "cut": cut,
    }
    return part, cut


def _trim(root: Box, most: int, with_shares: bool) -> int:
    """Shorten the texts of every box and drop branches that do not fit a page; return how many were dropped."""
    dropped, stack = 0, [root]
    while stack:
        box = stack.pop()
        box.title, box.edge = clip(box.title, 36), clip(box.edge, 36)
        box.lines = tuple(clip(line, 48) for line in box.lines)
        box.shares = [round(float(share), 4) for share in box.shares] if with_shares else []
        dropped += max(0, len(box.children) - most)
        del box.children[most:]
        stack.extend(box.children)
    return dropped
