"""Trees of bagging: the sample of each member, and trees that share one table instead of a copy per sample.

Exact trees grow on one table, sorted once, by how often each row was drawn: rows that were not drawn weigh nothing, so
that a tree is the same as on a table of its own. Trees on bins grow together: numbers are binned once, by all rows, and
every part of the rows finds out alone how often each was drawn, so that they are the same in memory and in passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.engines.passes import Chunk, TableSummary
from vaglio.learners.ensembles.estimators.members import finish_member, learns_encoded, members_codebook
from vaglio.learners.ensembles.model import Member
from vaglio.learners.trees.estimators.decision_tree import TreeEstimator
from vaglio.learners.trees.estimators.growing import (
    TableShape,
    check_counts,
    on_bins,
    prune_to,
    set_pruning,
    tree_config,
    tree_of,
)
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import WeightSummary, binning_of
from vaglio.learners.trees.passes.tree_passes import Asking, Setup, grow_block, grow_in_passes, plan_of
from vaglio.runtime.seeds import seed_of


@dataclass(frozen=True)
class Sample:
    """The rows and columns of a member; they depend on the ensemble's seed and the number of the member alone.

    Attributes
    ----------
    origin : tuple of int
        Seed of the ensemble, number of the member.
    seed : int
        Of the member's own random numbers.
    n_rows, draws : int
        Rows of the table, and how many are drawn.
    key : int or None
        Of the draws with replacement; None: without.
    features : ndarray of int64, or None
        The columns, ascending; None: all.
    groups : int
        Into how many disjoint groups the rows are divided, of which the member has one; 0: they are not.
    """

    origin: tuple[int, int]
    seed: int
    n_rows: int
    draws: int
    key: int | None
    features: np.ndarray | None
    groups: int = 0

    @classmethod
    def drawn(
        cls,
        origin: tuple[int, int],
        n_rows: int,
        draws: int,
        bootstrap: bool,
        wanted: int,
        width: int,
        again: bool,
        groups: int = 0,
    ) -> Sample:
        """Draw for one member; ``wanted`` of ``width`` columns, with replacement if ``again``."""
        random = np.random.default_rng(list(origin))
        seed = int(random.integers(2**31))
        key = int(random.integers(2**63)) if bootstrap else None
        if key is None and draws < n_rows:
            random.choice(n_rows, draws, replace=False)  # as `rows` does: columns are drawn after the rows
        features = None
        if wanted < width or again:
            # A column drawn twice is the same column: it is kept once.
            features = np.unique(random.choice(width, wanted, replace=again))
        return cls(origin, seed, n_rows, draws, key, features, groups)

    @property
    def counts(self) -> np.ndarray:
        """How often each row was drawn."""
        if self.key is not None:
            return _core.draw_counts(self.key, self.n_rows, self.draws)
        return np.bincount(self.rows, minlength=self.n_rows)

    @property
    def rows(self) -> np.ndarray:
        """The numbers of the rows, ascending, each as often as it was drawn."""
        if self.key is not None:
            return np.repeat(np.arange(self.n_rows), self.counts)
        if self.groups:
            seed, number = self.origin
            # The same permutation for every member: no row is in two groups, and every row is in one.
            mixed = np.random.default_rng(seed).permutation(self.n_rows)
            return np.sort(np.array_split(mixed, self.groups)[number])
        if self.draws == self.n_rows:
            return np.arange(self.n_rows)
        random = np.random.default_rng(list(self.origin))
        random.integers(2**31)
        return np.sort(random.choice(self.n_rows, self.draws, replace=False))

    @property
    def by_parts(self) -> bool:
        """Whether any part of the rows can draw for itself."""
        return self.key is not None or (self.draws == self.n_rows and not self.groups)


def _needs_only_counts(prototype: Any) -> bool:
    """Return whether members are trees that need no more of their rows than how often each was drawn."""
    if not isinstance(prototype, TreeEstimator) or not learns_encoded(prototype):
        return False
    if getattr(prototype, "class_weight", None) is not None or "cv" in (prototype.ccp_alpha, prototype.shrinkage):
        return False
    return prototype.pruning != "reduced_error"


def grow_together(prototype: Any, samples: Sequence[Sample]) -> bool:
    """Return whether members are trees on bins that need nothing but counts after they are grown."""
    if not (_needs_only_counts(prototype) and on_bins(prototype) and all(sample.by_parts for sample in samples)):
        return False
    if prototype.pruning == "error_based" and getattr(prototype, "subtree_raising", False):
        return False
    if any(sample.features is not None for sample in samples):
        # These count the columns of a member.
        return prototype.monotonic_cst is None and prototype.max_features is None
    return True


def share_a_table(prototype: Any, samples: Sequence[Sample], matrix: EncodedMatrix) -> bool:
    """Return whether members are exact trees that grow on one table."""
    if not _needs_only_counts(prototype) or prototype.max_bins is not None:
        return False
    # A small sample is worth a table of its own.
    large = all(sample.features is None and 4 * sample.draws >= sample.n_rows for sample in samples)
    return large and not matrix.text


def without_rows(prototype: Any) -> tuple[Any, dict[str, Any]]:
    """Return a tree as rows out of core allow it, and what was changed; other learners as they are."""
    if not isinstance(prototype, TreeEstimator) or not learns_encoded(prototype):
        return prototype, {}
    changed = prototype._changed_out_of_core()
    own = clone(prototype).set_params(**changed)
    return (own, changed) if on_bins(own) else (prototype, {})


def _plan(members: Sequence[Any], samples: Sequence[Sample], width: int) -> _core.TreesPlan:
    seeds = [seed_of(member.random_state) for member in members]
    every = np.arange(width)
    columns = [every if sample.features is None else sample.features for sample in samples]
    if samples[0].key is None:
        return plan_of(seeds, columns)
    return plan_of(seeds, columns, samples[0].draws, [int(sample.key or 0) for sample in samples])


def grow_members(
    members: Sequence[Any],
    samples: Sequence[Sample],
    codebook: Codebook,
    rows: tuple[EncodedMatrix, np.ndarray, np.ndarray | None],
    classes: np.ndarray | None,
) -> list[Member]:
    """Grow trees on rows in memory."""
    matrix, y, weight = rows
    first, k = members[0], 0 if classes is None else len(classes)
    for member in members:
        member._validate_params()
    config = tree_config(first, matrix, k)
    binning, amounts = binning_of(matrix, first.max_bins, first._strict), WeightSummary.of(y, weight, k)
    setup = Setup.made(binning, amounts, k, _plan(members, samples, matrix.n_features))
    arrays = grow_block(setup, setup.block(Chunk(matrix, y, weight, 0)), config, False, matrix.threads)
    return _finished(members, samples, codebook, arrays, classes)


def grow_members_in_passes(members: Sequence[Any], samples: Sequence[Sample], facts: TableSummary) -> Asking:
    """Grow trees on rows that are not in memory."""
    first = members[0]
    for member in members:
        member._validate_params()
    features = facts.codebook.features
    config = tree_config(first, TableShape(features, facts.n_rows), facts.n_classes)
    plan = _plan(members, samples, len(features))
    arrays = yield from grow_in_passes(facts, config, first.max_bins, first._strict, plan)
    return _finished(members, samples, facts.codebook, arrays, facts.classes)


def _finished(
    members: Sequence[Any],
    samples: Sequence[Sample],
    codebook: Codebook,
    grown: list[_core.TreeArrays],
    classes: np.ndarray | None,
) -> list[Member]:
    k = 0 if classes is None else len(classes)
    found = []
    for member, sample, arrays in zip(members, samples, grown):
        tree: Tree = member._finished_by_counts(arrays, k)
        finish_member(member, members_codebook(codebook, sample.features), tree, classes)
        found.append(Member(tree, 1.0, np.arange(k, dtype=np.int64), sample.features))
    return found


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
    # What the rows weigh, in proportions as `fit` would take them from the drawn rows alone.
    own: np.ndarray = counts.astype(np.float64)
    if weight is not None:
        scaled = member._scaled(member._near_one((own * weight)[drawn]))
        own[drawn] = 1.0 if scaled is None else scaled
    tree = tree_of(member, _core.grow_tree(training_table(matrix), y, k, own, config=config), k)
    if member.ccp_alpha:
        tree = prune_to(member, tree, float(member.ccp_alpha), k)
    if member.shrinkage:
        tree = tree.with_shrinkage(float(member.shrinkage))
    finish_member(member, codebook, tree, classes)
    return Member(tree, 1.0, np.arange(k, dtype=np.int64))
