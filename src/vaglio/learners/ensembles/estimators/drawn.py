"""Exact trees of bagging: all are grown on one table, sorted once, by how often each row was drawn.

A tree is the same as on a table of its own with the drawn rows alone: rows that were not drawn weigh nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.learners.ensembles.estimators.members import finish_member, learns_encoded
from vaglio.learners.ensembles.model.ensemble import Member
from vaglio.learners.ensembles.passes.bagged import Sample
from vaglio.learners.trees.estimators.cost_complexity import prune_to
from vaglio.learners.trees.estimators.decision_tree import TreeEstimator
from vaglio.learners.trees.estimators.growing import TableShape, check_counts, set_pruning, tree_config, tree_of
from vaglio.learners.trees.model.grower import training_table


def share_a_table(prototype: Any, samples: Sequence[Sample], matrix: EncodedMatrix) -> bool:
    """Return whether members are trees that need no more of their rows than how often each was drawn."""
    if not isinstance(prototype, TreeEstimator) or not learns_encoded(prototype) or prototype.max_bins is not None:
        return False
    if getattr(prototype, "class_weight", None) is not None or "cv" in (prototype.ccp_alpha, prototype.shrinkage):
        return False
    if prototype.pruning == "reduced_error" or prototype.missing == "learnt":
        return False
    # A small sample is worth a table of its own.
    large = all(sample.features is None and 4 * sample.draws >= sample.n_rows for sample in samples)
    return large and not matrix.text


def grow_drawn(
    member: Any,
    sample: Sample,
    codebook: Codebook,
    rows: tuple[EncodedMatrix, np.ndarray, np.ndarray | None],
    classes: np.ndarray | None,
) -> Member | None:
    """Grow a tree on the rows of a sample; None where these lack a class."""
    matrix, y, weight = rows
    k, counts = 0 if classes is None else len(classes), sample.counts
    drawn = counts > 0
    if k and not np.bincount(y, drawn, k).all():
        return None
    member._validate_params()
    check_counts(member, y[drawn])
    config = set_pruning(tree_config(member, TableShape(matrix.features, int(drawn.sum())), k), member)
    given = training_table(matrix), y, k, _weight(member, counts, drawn, weight)
    tree = tree_of(member, _core.grow_tree(*given, config=config), k)
    if member.ccp_alpha:
        tree = prune_to(member, tree, float(member.ccp_alpha), k)
    if member.shrinkage:
        tree = tree.with_shrinkage(float(member.shrinkage))
    finish_member(member, codebook, tree, classes)
    return Member(tree, 1.0, np.arange(k, dtype=np.int64))


def _weight(member: Any, counts: np.ndarray, drawn: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return what the rows weigh, in proportions as ``fit`` would take them from the drawn rows alone."""
    own: np.ndarray = counts.astype(np.float64)
    if weight is not None:
        scaled = member._scaled(member._near_one((own * weight)[drawn]))
        own[drawn] = 1.0 if scaled is None else scaled
    return own
