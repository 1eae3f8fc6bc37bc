"""A tree that grows test by test, in the order in which its trace tells the nodes."""

from __future__ import annotations

from vaglio.document.animation import MAX_SHOTS, Scene, Shot
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_outline import outline
from vaglio.learners.trees.trace.tree import growing_and_validation, preorder
from vaglio.plot.tree_drawing import Box


def film_tree(scene: Scene) -> list[Shot]:
    """Make one picture per test, and one of the finished tree."""
    part, _ = growing_and_validation(scene.training)
    weight = None if (part.weight == 1).all() else part.weight
    classes = scene.estimator.classes_
    grown = grow(scene.estimator, part.matrix, part.y, weight, len(classes))
    inner = [node for node in preorder(grown) if not grown.is_leaf[node]]
    features = part.features
    said = [scene.say("film_root"), *(_said(scene, n + 1) for n in range(len(inner)))]
    shots = [
        Shot(said[known], tree=_folded(grown, outline(grown, features, classes), set(inner[:known])))
        for known in range(min(len(inner), MAX_SHOTS - 1) + 1)
    ]
    finished = Shot(scene.say("film_finished"), tree=outline(scene.estimator.tree_, features, classes))
    # The first test is chosen in the first step of the trace: its picture has that test already.
    return [*shots, finished]


def _said(scene: Scene, n: int) -> str:
    return scene.say("film_one_test") if n == 1 else scene.say("film_tests", n=n)


def _folded(tree: Tree, root: Box, known: set[int]) -> Box:
    """Cut the tree below nodes whose test is not known yet; there the most frequent class stands."""
    stack = [(0, root)]
    while stack:
        node, box = stack.pop()
        if tree.is_leaf[node]:
            continue
        if node not in known:
            box.title, box.children, box.leaf = "?", [], True
            continue
        stack.extend(zip(tree.children(node), box.children))
    return root
