"""A tree as boxes, cut where it grows past a page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from vaglio.fitted import Fitted
from vaglio.model.trees.tree import Tree
from vaglio.model.trees.tree_outline import outline
from vaglio.plot.tree_drawing import Box
from vaglio.report.inside._chapter import chapters
from vaglio.report.inside.rules import rules_part
from vaglio.report.limits import Limits
from vaglio.study import Study
from vaglio.text.sentences import clip, plural

__all__ = ["drawing"]


@chapters.register("tree")
def tree_parts(fitted: Fitted, study: Study, limits: Limits) -> tuple[list[str], list[dict[str, Any]]]:
    tree = fitted.model
    assert isinstance(tree, Tree)
    part, cut = drawing(tree, fitted, limits)
    parts = [part]
    if tree.n_leaves > 1:
        parts.append(rules_part(fitted.rules(), limits, folded=True))
    said = []
    if tree.n_leaves == 1:
        said.append("It asks nothing: every row gets the same class.")
    if not cut and tree.n_leaves > 1:
        said.append("A row starts at the top and follows the branch its values meet; the leaf gives the class.")
    return said, parts


def drawing(tree: Tree, fitted: Fitted, limits: Limits) -> tuple[dict[str, Any], bool]:
    """The tree as nested boxes, down to the depth at which it still fits; and whether it was cut there."""
    nodes_by_depth = np.bincount(_depths(tree))
    drawn = np.cumsum(nodes_by_depth)
    depth = max(1, int(np.searchsorted(drawn, limits.tree_nodes, side="right")) - 1)
    cut = depth < len(nodes_by_depth) - 1
    root = outline(tree, fitted.codebook.features, fitted.classes, depth if cut else None)
    left_out = _trim(root, limits.tree_nodes)
    note = ""
    if cut:
        note = f"The first {plural(depth, 'level')} of {len(nodes_by_depth) - 1}; boxes say how many leaves lie below."
    if left_out:
        note = f"{note} {plural(left_out, 'further branch')} not drawn.".replace("branchs", "branches").strip()
    assert fitted.classes is not None
    labels = [clip(label, 30) for label in fitted.classes.tolist()]
    part = {"type": "tree", "title": "The tree", "root": asdict(root), "classes": labels, "note": note, "cut": cut}
    return part, cut


def _depths(tree: Tree) -> np.ndarray:
    depth = np.zeros(tree.n_nodes, dtype=np.int64)
    # Children are stored after their parents.
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            depth[node] = depth[parent] + 1
    return depth


def _trim(root: Box, most: int) -> int:
    """Shorten the words of every box, and drop branches beyond what a page holds; how many were dropped."""
    dropped, stack = 0, [root]
    while stack:
        box = stack.pop()
        box.title, box.edge = clip(box.title, 36), clip(box.edge, 36)
        box.lines = tuple(clip(line, 48) for line in box.lines)
        box.shares = [round(float(share), 4) for share in box.shares]
        dropped += max(0, len(box.children) - most)
        del box.children[most:]
        stack.extend(box.children)
    return dropped
