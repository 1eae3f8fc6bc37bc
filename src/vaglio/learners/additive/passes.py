"""Additive models in passes: rows stay where they are, as bins with the scores of every bag, and steps go to them.

A pass adds up the gradients of the rows in the slots of a few terms, for all bags. Steps are taken by these sums alone;
all of them are whole numbers or exact, so that the model is the one of a training in memory.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio import _core
from vaglio.encode import Feature
from vaglio.engines.passes import Chunk, Keep, Kept, Pass, TableSummary
from vaglio.learners.additive.estimators.bags import hashed_bags
from vaglio.learners.additive.estimators.pairs import PairPlan, best_pairs, group_columns, rows_to_screen
from vaglio.learners.boosting.estimators.summed import finite_losses, unit_in_passes
from vaglio.learners.boosting.passes import believed_in_passes, bins_in_passes
from vaglio.learners.trees.model.tree import kernel_features
from vaglio.runtime.seeds import seed_of

if TYPE_CHECKING:
    from vaglio.learners.additive.estimators.additive import AdditiveEstimator

Asking = Generator[Any, Any, Any]
# What is kept of the rows: bins, targets with weights, scores of the bags, cells of pairs.
_BINS, _TARGET, _SCORES, _CELLS = "bins", "target", "scores", "cells"
_NO_STEPS = (*(np.zeros(0, np.uint32) for _ in range(3)), np.zeros(0))


@dataclass(frozen=True)
class Setup:
    """What is done with the rows of a part; it goes to wherever they are.

    Attributes
    ----------
    layout : BoostingLayout
        The bins of all features.
    features : tuple of Feature
    loss : str
        In the kernel's words.
    outputs : int
        Scores per row.
    rows : int
        Of the whole table.
    bags : tuple of (int, float, int)
        Number of bags, share of the rows that each keeps out, seed.
    alone : ndarray of int64
        Classes of one row, which is kept out nowhere.
    cells : tuple of int
        Cells of each pair that has a term.
    unit : float
        What numbers that are predicted are divided by.
    """

    layout: _core.BoostingLayout
    features: tuple[Feature, ...]
    loss: str
    outputs: int
    rows: int
    bags: tuple[int, float, int]
    alone: np.ndarray
    cells: tuple[int, ...] = ()
    unit: float = 1.0

    @property
    def log_loss(self) -> bool:
        """Whether derivatives have one bound, whatever the scores are."""
        return self.loss in ("binomial", "multinomial")

    @property
    def of(self) -> tuple[str, ...]:
        """What a look at the rows needs."""
        return (_BINS, _TARGET, _SCORES, _CELLS) if self.cells else (_BINS, _TARGET, _SCORES)

    def bins(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the rows of a chunk as bins, column by column."""
        kernel = kernel_features(self.features)
        narrow, wide = _core.additive_columns(self.layout, chunk.matrix.numeric, chunk.matrix.codes, *kernel)
        return {"bytes": narrow.T, "words": wide.T}

    def target(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return what is to be predicted, weights, and which rows each bag keeps out."""
        held = hashed_bags(chunk.index, np.isin(chunk.y, self.alone), *self.bags)
        found = {"y": np.asarray(chunk.y, dtype=np.float64) / self.unit, "held": held.T}
        return found if chunk.weight is None else found | {"weight": chunk.weight}

    def part(self, kept: Kept) -> _core.AdditivePart:
        """Return the rows that were kept as the kernel takes them."""
        arrays = kept.arrays
        cells = arrays["cells"].T if self.cells else np.zeros((0, 0), np.uint16)
        given = (arrays["bytes"].T, arrays["words"].T, cells, list(self.cells))
        of_rows = (arrays["y"], arrays.get("weight"), arrays["held"].T)
        raw = arrays["raw"].T if "raw" in arrays else None
        return _core.AdditivePart(self.layout, *given, self.loss, self.outputs, *of_rows, raw)

    def slot_weights(self, kept: Kept) -> np.ndarray:
        """Return the weight of the rows in each slot of all columns."""
        arrays, found = kept.arrays, []
        narrow, wide = iter(arrays["bytes"].T), iter(arrays["words"].T)
        for bins in self.layout.bins.tolist():
            column = next(narrow if bins < 256 else wide)
            found.append(np.bincount(column, arrays.get("weight"), minlength=bins + 1).astype(np.float64))
        return np.concatenate(found)

    def cell_weights(self, kept: Kept) -> np.ndarray:
        """Return the weight of the rows in each cell of all pairs."""
        weight, columns = kept.arrays.get("weight"), kept.arrays["cells"].T
        found = [np.bincount(own, weight, minlength=n) for own, n in zip(columns, self.cells)]
        return np.concatenate(found).astype(np.float64)

    def start_sums(self, least: float, kept: Kept) -> Any:
        """Return the sums that each bag starts by."""
        return self.part(kept).start_sums(least)

    def training_rows(self, first: int, kept: Kept) -> np.ndarray:
        """Return how many rows each bag learns from in the slots of the terms from ``first`` on."""
        return self.part(kept).training_rows(first)

    def started(self, starts: np.ndarray, steps: Any, kept: Kept) -> dict[str, np.ndarray]:
        """Return the scores after some steps from the start."""
        return {"raw": self.part(kept).started(starts, steps).T}

    def stepped(self, steps: Any, kept: Kept) -> dict[str, np.ndarray]:
        """Return the scores after further steps."""
        return {"raw": self.part(kept).stepped(steps).T}

    def bounds(self, kept: Kept) -> np.ndarray:
        """Return how large the derivatives are."""
        return self.part(kept).bounds()

    def losses(self, kept: Kept) -> Any:
        """Return the losses of the rows that each bag keeps out."""
        return self.part(kept).losses()

    def sums(self, terms: list[int], bounds: np.ndarray, guarded: bool, kept: Kept) -> Any:
        """Return the sums of gradients of some terms."""
        return self.part(kept).sums(terms, self.rows, bounds, guarded)

    def screen_bounds(self, kept: Kept) -> np.ndarray:
        """Return how large the derivatives are by which pairs are compared."""
        return self.part(kept).screen_bounds()

    def screened(
        self, groups: list[np.ndarray], pairs: np.ndarray, compared: int, bounds: np.ndarray, kept: Kept
    ) -> np.ndarray:
        """Return the sums by which pairs are compared, of some of the rows."""
        rows = rows_to_screen(compared, self.rows, kept.start, kept.start + kept.n_rows)
        return self.part(kept).screen(groups, pairs, rows, self.rows, bounds)

    def cells_of(self, groups: list[np.ndarray], pairs: np.ndarray, kept: Kept) -> dict[str, np.ndarray]:
        """Return the cell of each row in each pair."""
        return {"cells": self.part(kept).cells(groups, pairs).T}


def _start_in_passes(setup: Setup, facts: TableSummary) -> Asking:
    """Return where each bag starts, (bags, outputs)."""
    least = facts.y_range[0] / setup.unit
    limbs, beyond = yield Pass("start", partial(setup.start_sums, least), of=(_BINS, _TARGET))
    own = np.split(limbs, setup.bags[0])
    starts = [
        _core.boosting_baseline(setup.loss, setup.outputs, sums, bool(mark), least) for sums, mark in zip(own, beyond)
    ]
    return np.array(starts)


def _rounds(setup: Setup, booster: _core.AdditivePasses, stopping: _core.AdditiveStopping, what: str) -> Asking:
    """Take steps of all open terms until the rows kept out gain no more; scores and tables come back to the best."""
    of, starts = setup.of, booster.baseline[:, :, 0]
    ask_bounds = Pass(f"bounds of {what}", setup.bounds, np.maximum, of)
    ask_losses = Pass(f"loss of {what}", setup.losses, of=of)
    booster.begin(stopping)
    bounds = yield ask_bounds
    booster.look(*(yield ask_losses))
    while booster.is_unfinished():
        for steps in booster.visits():
            for group, terms in enumerate(booster.groups):
                if not setup.log_loss:
                    bounds = yield ask_bounds
                ask = partial(setup.sums, terms, bounds, booster.guarded)
                sums, squares = yield Pass(f"sums of {what}", ask, of=of)
                taken = booster.take(group, sums, squares, bounds, steps)
                if len(taken[0]):
                    yield Keep(_SCORES, partial(setup.stepped, taken), of=of)
        if booster.watched:
            booster.look(*(yield ask_losses))
    booster.end()
    yield Keep(_SCORES, partial(setup.started, starts, booster.all_steps()), of=of)


def _found_pairs(
    setup: Setup, booster: _core.AdditivePasses, plan: PairPlan, groups: list[np.ndarray], facts: TableSummary
) -> Asking:
    """Return the pairs that gain most beyond their columns; so many are compared at a time as memory allows."""
    if not plan.compared:
        return []
    bounds = yield Pass("bounds of pairs", setup.screen_bounds, np.maximum, setup.of)
    sizes = np.array([int(own[-1]) + 1 for own in groups])
    pairs = plan.array
    bytes_of = np.cumsum(16 * setup.outputs * sizes[pairs[:, 0]] * sizes[pairs[:, 1]])
    turn = bytes_of // max(1, facts.memory // (2 + facts.threads))
    gains = []
    for some in np.split(pairs, np.flatnonzero(np.diff(turn)) + 1):
        ask = partial(setup.screened, groups, some, len(pairs), bounds)
        gains.append(booster.gains(some, (yield Pass("gains of pairs", ask, of=setup.of)), bounds))
    return best_pairs(plan.compared, np.concatenate(gains), plan.wanted)


def boost_in_passes(estimator: AdditiveEstimator, facts: TableSummary) -> Asking:
    """Boost rows that do not fit in memory; return the model that all of them in memory would give."""
    loss, _, outputs = estimator._kernel_loss()
    n, features, seed = facts.n_rows, facts.codebook.features, seed_of(estimator.random_state)
    believed = yield from believed_in_passes(estimator, facts)
    layout = yield from bins_in_passes(facts, None, None, estimator.max_bins, seed)
    bags = (estimator.outer_bags, estimator.validation_size, seed % 2**32)
    unit = yield from unit_in_passes(estimator, facts)
    setup = Setup(layout, features, loss, outputs, n, bags, np.flatnonzero(facts.class_counts == 1), unit=unit)
    yield Keep(_BINS, setup.bins)
    yield Keep(_TARGET, setup.target)
    flat = yield Pass("weight of slots", setup.slot_weights, of=(_BINS, _TARGET))
    weights = np.split(flat, np.cumsum(layout.bins.astype(np.int64) + 1)[:-1])
    config = estimator._config(features, n, believed, loss, weights)
    starts = yield from _start_in_passes(setup, facts)
    booster = _core.AdditivePasses(layout, config, n, starts)
    booster.open((yield Pass("rows of slots", partial(setup.training_rows, 0), of=(_BINS, _TARGET))))
    yield Keep(_SCORES, partial(setup.started, starts, _NO_STEPS), of=(_BINS, _TARGET))
    stopping = estimator._stopping(estimator.validation_size > 0, facts.n_classes or None)
    yield from _rounds(setup, booster, stopping, "columns")
    estimator.validation_score_, estimator.n_iter_ = -finite_losses(booster.losses), booster.rounds
    groups = group_columns(features, weights, estimator.max_interaction_bins, n)
    booster.set_sides(groups)
    pairs, joint = yield from _boosted_pairs(estimator, setup, booster, groups, (config, stopping, facts))
    of = (groups, weights, pairs, joint)
    return estimator._mean_model(booster, features, layout.thresholds, config, of).shifted(np.log(unit))


def _boosted_pairs(
    estimator: AdditiveEstimator, setup: Setup, booster: _core.AdditivePasses, groups: list[np.ndarray], given: Any
) -> Asking:
    """Boost the pairs worth a term; return them with the weights of their cells, none if the loss gains nothing."""
    config, stopping, facts = given
    plan = estimator._pair_plan(setup.features, config)
    pairs = plan.given
    if pairs is None:
        pairs = yield from _found_pairs(setup, booster, plan, groups, facts)
    estimator.best_iteration_ = (estimator.n_iter_, 0)
    if not pairs or stopping.max_rounds == 0:
        return [], []
    chosen = np.array(pairs, dtype=np.uint32)
    yield Keep(_CELLS, partial(setup.cells_of, groups, chosen), of=(_BINS, _TARGET))
    shapes = [(int(groups[a][-1]) + 1, int(groups[b][-1]) + 1) for a, b in pairs]
    setup = replace(setup, cells=tuple(a * b for a, b in shapes))
    booster.open_pairs(chosen)
    booster.open((yield Pass("rows of cells", partial(setup.training_rows, len(setup.features)), of=setup.of)))
    yield from _rounds(setup, booster, stopping, "pairs")
    estimator.best_iteration_ = (estimator.n_iter_, booster.rounds)
    if not booster.rounds:
        return [], []
    flat = yield Pass("weight of cells", setup.cell_weights, of=setup.of)
    parts = np.split(flat, np.cumsum(setup.cells)[:-1])
    return pairs, [own.reshape(shape) for own, shape in zip(parts, shapes)]
