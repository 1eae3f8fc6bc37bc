"""Is this really a forest? What a file claims is checked before any kernel follows its indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.trees.model.tree_check import check_ranks
from vaglio.model.checks import need, sound_weights, within

if TYPE_CHECKING:
    from vaglio.learners.forest.model.forest import Forest


def check_links(forest: Forest) -> None:
    """Check that the links form trees and that every leaf has a content."""
    starts, link, n = forest.starts, forest.nodes["link"].astype(np.int64), forest.n_nodes
    need(0 < n < 1 << 31 and len(starts) >= 2, "the forest has no trees")
    need(starts[0] == 0 and starts[-1] == n and (np.diff(starts) > 0).all(), "the trees do not fill the forest")
    within(~link[link < 0], 0, len(forest.leaves), "the content of a leaf")
    if not forest.regression:
        sound_weights(forest.leaves, "a leaf has impossible class weights")
        need((forest.leaves.sum(axis=1) > 0).all(), "a leaf has impossible class weights")
    if forest.shrinkage:
        own = np.sort(~link[link < 0])
        need(
            len(own) == len(forest.leaves) and (np.diff(own) == 1).all(), "leaves of a shrunken forest share a content"
        )
        sound_weights(forest.leaves[:, -1], "a leaf has an impossible weight")
    inner = np.flatnonzero(link >= 0)
    tree = np.searchsorted(starts, inner, side="right") - 1
    need((link[inner] < n).all(), "the children of a node are impossible")
    first = starts[tree] + link[inner]
    need((first > inner).all() and (first + 1 < starts[tree + 1]).all(), "the children of a node are impossible")
    # Each node but the roots is the child of exactly one node that comes before it: no cycle, nothing unreachable.
    parents = np.bincount(np.concatenate([first, first + 1]), minlength=n)
    expected = np.ones(n, dtype=np.int64)
    expected[starts[:-1]] = 0
    need((parents == expected).all(), "the children of the nodes do not form trees")


def check_tests(forest: Forest, features: tuple[Feature, ...]) -> None:
    """Check that every test asks for something the columns have."""
    inner = forest.nodes["link"] >= 0
    tested = forest.nodes["feature"][inner] & np.uint32(0x7FFFFFFF)
    threshold = forest.nodes["threshold"][inner]
    usable = np.array([feature.in_numeric_block or feature.is_nominal for feature in features])
    need(usable[tested].all(), "a test is set on a column without order or categories")
    need(not np.isnan(threshold).any(), "a threshold is not a number")
    check_ranks(tested, threshold, features)
    arity = np.array([len(feature.categories) if feature.is_nominal else 0 for feature in features])
    nominal = np.array([feature.is_nominal for feature in features])[tested]
    start, words = threshold[nominal], (arity[tested[nominal]] + 31) // 32
    need((start == np.floor(start)).all() and (start >= 0).all(), "a category table is out of range")
    need((start + words <= len(forest.tables)).all(), "a category table is out of range")
