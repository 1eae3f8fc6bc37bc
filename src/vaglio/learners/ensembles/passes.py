"""AdaBoost of trees in passes: rows stay where they are, as bins with their weights, and trees go to them.

Weights are multiples of a power of two, so that their sums have no order, and what a round does to them depends on the
row alone: the members are those of a training in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, TableSummary, run_in_memory
from vaglio.learners.category_reliability import reliability_passes
from vaglio.learners.ensembles.estimators.members import finish_member, make_member, members_codebook
from vaglio.learners.ensembles.model import Member
from vaglio.learners.trees.estimators.growing import TableShape, tree_config
from vaglio.learners.trees.passes.bins import DEFAULT_BINS, Binning, WeightSummary, both_looks, weight_look
from vaglio.learners.trees.passes.tree_passes import (
    Asking,
    Setup,
    binning_in_passes,
    bytes_as_bins,
    grow_trees,
    plan_of,
)

_BINS, _WEIGHTS = "bins", "weights"
# What a row takes besides its bins: factor, weight, and both once more while they change.
_WEIGHING_BYTES = 32
# Rows that are decided at a time: as numbers they take eight times the memory of their bins.
_DECIDED = 1 << 16


def weight_sum(terms: np.ndarray, counted: bool) -> float | ExactSum:
    """Return the sum of boosting weights, in any order; ``counted``: rows have weights of their own.

    Without those the weights are multiples of one power of two, and add without rounding.
    """
    return ExactSum.of(terms) if counted else float(terms.sum())


def as_number(total: float | ExactSum) -> float:
    """Return a sum of boosting weights as a number."""
    return total.value if isinstance(total, ExactSum) else total


@dataclass(frozen=True)
class Steps:
    """What a round makes of the factors by which rows weigh more or less.

    Attributes
    ----------
    wrong, right : float
        What a factor is multiplied by.
    grid : float
        Factors are multiples of 1 / grid.
    """

    wrong: float
    right: float
    grid: float

    @classmethod
    def of(cls, alpha: float, sums: tuple[float, float], total: float) -> Steps:
        """Return the steps after which weights sum to ``total`` again; ``sums``: of rows predicted wrong, and right.

        On a grid that leaves 26 bits for the sum of all weights, sums and their squares are exact in any order: rows
        repeated and rows weighted give the same trees, and no tie between splits is broken by rounding.
        """
        grid = float(2.0 ** max(12, 26 - np.ceil(np.log2(total))))
        up, down = float(np.exp(alpha)), float(np.exp(-alpha))
        scale = total / (up * sums[0] + down * sums[1])
        return cls(up * scale, down * scale, grid)

    def taken(self, factors: np.ndarray, wrong: np.ndarray) -> np.ndarray:
        """Return the factors of the next round."""
        rounded: np.ndarray = np.rint(factors * np.where(wrong, self.wrong, self.right) * self.grid)
        taken: np.ndarray = np.maximum(rounded, 1.0) / self.grid
        return taken


@dataclass(frozen=True)
class TreesOfRounds:
    """Rows in passes, as the rounds of :class:`~vaglio.AdaBoostClassifier` ask for them.

    Attributes
    ----------
    facts : TableSummary
    prototype : TreeEstimator
    binning : Binning
    columns : ndarray of int64, or None
        Those that are believed; None: all.
    """

    facts: TableSummary
    prototype: Any
    binning: Binning
    columns: np.ndarray | None

    @property
    def counted(self) -> bool:
        """Whether rows have weights of their own."""
        return self.facts.weighted

    def kept(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return rows as bins."""
        named = {f"x{j}": column for j, column in enumerate(self.binning.columns(chunk.matrix))}
        named["y"] = chunk.y.astype(np.uint16)
        return named if chunk.weight is None else named | {"count": chunk.weight}

    def total(self) -> Asking:
        """Ask for the weight of all rows."""
        yield from self.reset()
        return as_number((yield Pass("weight of all rows", partial(_total, self.counted), of=(_WEIGHTS,))))

    def reset(self) -> Asking:
        """Let all rows weigh what they did at first."""
        yield Keep(_WEIGHTS, _first_weights, of=(_BINS,))

    def fit(self, random: np.random.Generator) -> Asking:
        """Fit a member to the rows as they weigh now."""
        facts, of = self.facts, (_BINS, _WEIGHTS)
        ends = yield Pass("least and largest weight", _ends, _outer, of=(_WEIGHTS,))
        look = yield Pass("proportions of weights", partial(_look, ends, facts.n_rows), both_looks, of=(_WEIGHTS,))
        amounts = WeightSummary(facts.n_rows, float(facts.n_rows)).with_weights(ends, look)
        estimator = make_member(self.prototype, int(random.integers(2**31)))
        estimator._validate_params()
        codebook = members_codebook(facts.codebook, self.columns)
        config = tree_config(estimator, TableShape(codebook.features, facts.n_rows), facts.n_classes)
        setup = Setup.made(self.binning, amounts, facts.n_classes, self._plan(config.seed), of)
        arrays = yield from grow_trees(facts, setup, config)
        tree = estimator._finished_by_counts(arrays[0], facts.n_classes)
        finish_member(estimator, codebook, tree, facts.classes)
        return estimator, Member(tree, 1.0, np.arange(facts.n_classes, dtype=np.int64), self.columns)

    def sums(self, member: Member) -> Asking:
        """Ask for the weight of the rows that a member predicts wrong, and of those it predicts right."""
        given = partial(_sums, self.binning, member, self.counted)
        wrong, right = yield Pass("errors of the round", given, of=(_BINS, _WEIGHTS))
        return as_number(wrong), as_number(right)

    def weigh(self, member: Member, steps: Steps) -> Asking:
        """Give more weight to the rows that a member predicts wrong."""
        yield Keep(_WEIGHTS, partial(_weighed, self.binning, member, steps), of=(_BINS, _WEIGHTS))

    def _plan(self, seed: int) -> _core.TreesPlan | None:
        """Return a tree of all rows and some columns."""
        if self.columns is None:
            return None
        return plan_of([seed], [self.columns])


def boost_in_passes(boosting: Any, prototype: Any, facts: TableSummary) -> Asking:
    """Learn trees round by round from rows that are not in memory."""
    belief = yield from reliability_passes(boosting, facts, whole=True)
    features = facts.codebook.features
    nominal = np.array([j for j, feature in enumerate(features) if feature.is_nominal], dtype=np.int64)
    kept = np.setdiff1d(np.arange(len(features)), nominal[belief == 0])
    columns = None if len(kept) == len(features) else kept
    binning = yield from binning_in_passes(facts, prototype.max_bins or DEFAULT_BINS, prototype._strict)
    rows = TreesOfRounds(facts, prototype, binning, columns)
    rounds = boosting._rounds(rows)
    setup = Setup.made(binning, WeightSummary(facts.n_rows, float(facts.n_rows)), facts.n_classes, None)
    # As much again is taken by the weights and the lists of rows of a tree under way.
    holds = facts.n_rows * (bytes_as_bins(setup) + _WEIGHING_BYTES) * 2
    if holds > facts.room:
        yield Keep(_BINS, rows.kept)
        return (yield from rounds)
    # They fit in memory: they are gathered once, and looked at here.
    arrays = yield Gather("rows as bins", rows.kept, holds)
    empty = EncodedMatrix(features, np.empty((0, 0)), np.empty((0, 0), dtype=np.int32))
    return run_in_memory(rounds, [Chunk(empty, arrays["y"], None, 0)], {_BINS: [arrays]})


def _first_weights(kept: Kept) -> dict[str, np.ndarray]:
    factor = np.ones(kept.n_rows)
    return {"factor": factor, "weight": kept.arrays.get("count", factor)}


def _total(counted: bool, kept: Kept) -> Any:
    return weight_sum(kept.arrays["weight"], counted)


def _ends(kept: Kept) -> tuple[float, float]:
    weight = kept.arrays["weight"]
    return float(weight.min()), float(weight.max())


def _outer(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


def _look(ends: tuple[float, float], rows: int, kept: Kept) -> tuple[bool, float, float]:
    return weight_look(ends, rows, kept.arrays["weight"])


def _wrong(binning: Binning, member: Member, kept: Kept) -> np.ndarray:
    """Return which rows a member predicts wrong."""
    columns = [kept.arrays[f"x{j}"] for j in range(len(binning.features))]
    wrong = np.empty(kept.n_rows, dtype=bool)
    for first in range(0, kept.n_rows, _DECIDED):
        part = slice(first, min(first + _DECIDED, kept.n_rows))
        decided = member.decide(binning.matrix([column[part] for column in columns]))
        wrong[part] = decided != kept.arrays["y"][part]
    return wrong


def _sums(binning: Binning, member: Member, counted: bool, kept: Kept) -> tuple[Any, Any]:
    weight, wrong = kept.arrays["weight"], _wrong(binning, member, kept)
    return weight_sum(weight[wrong], counted), weight_sum(weight[~wrong], counted)


def _weighed(binning: Binning, member: Member, steps: Steps, kept: Kept) -> dict[str, np.ndarray]:
    factor = steps.taken(kept.arrays["factor"], _wrong(binning, member, kept))
    count = kept.arrays.get("count")
    return {"factor": factor, "weight": factor if count is None else count * factor}
