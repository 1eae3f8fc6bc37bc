"""Forests as one table of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.export.part import Part
from vaglio.learners.trees.export import part_of_trees


def part_of_forest(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    return part_of_some_trees(model, range(model.n_trees), features, n_classes)


def part_of_some_trees(forest: Any, which: range, features: tuple[Feature, ...], n_classes: int) -> Part:
    """Some of the trees of a forest, with exactly what its leaves say."""
    link = [forest.nodes["link"][forest.starts[i] : forest.starts[i + 1]] for i in which]
    said = [forest.leaf_values[np.where(each < 0, ~each, 0)] for each in link]
    return part_of_trees([forest.tree(i, features) for i in which], features, n_classes, said)


def compile_forest(model: Any, features: tuple[Feature, ...]) -> Any:
    """Return the forest compiled for single rows."""
    return _core.forest_scorer(model.packed(features), model.leaf_values)
