"""What programs that walk a binary tree read: the two children of each node, by the names scikit-learn has for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.errors import NotSupportedError

# What a node is, by the numbers the grower gives.
LEAF, THRESHOLD, SUBSET, MULTIWAY, LINEAR = range(5)
_TESTS = {SUBSET: "a set of categories", MULTIWAY: "one branch per category", LINEAR: "a sum of several columns"}


class BinaryNodes:
    """Names of scikit-learn's trees for a :class:`Tree`; nodes that test no single number are refused."""

    node_kind: np.ndarray
    first_child: np.ndarray
    weight: np.ndarray
    depth: Any

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.node_kind)

    @property
    def max_depth(self) -> int:
        """Number of tests on the longest path."""
        return int(self.depth)

    @property
    def weighted_n_node_samples(self) -> np.ndarray:
        """Training weight of each node."""
        return self.weight

    @property
    def children_left(self) -> np.ndarray:
        """The child of rows up to the threshold; -1 in a leaf."""
        return self._child(0)

    @property
    def children_right(self) -> np.ndarray:
        """The child of rows above the threshold; -1 in a leaf."""
        return self._child(1)

    def _child(self, side: int) -> np.ndarray:
        other = np.flatnonzero((self.node_kind != LEAF) & (self.node_kind != THRESHOLD))
        if other.size:
            test = _TESTS[int(self.node_kind[other[0]])]
            raise NotSupportedError(
                f"Node {other[0]} of this tree tests {test}, and has no left and right child by a threshold: read "
                "first_child and n_children, or use rules() or to_text()."
            )
        inner = self.node_kind == THRESHOLD
        return np.where(inner, self.first_child.astype(np.int64) + side, -1)
