"""Cells of every column, learned in passes, and the counts of their combinations."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import Any

import numpy as np

from vaglio.engines.passes import Chunk, Facts, Pass
from vaglio.engines.row_samples import Rows, sample_rows
from vaglio.engines.value_counts import SAMPLE_ROWS, ColumnCounts, cells_of, needs_sample
from vaglio.learners.bayes.estimators.intervals import bins_of_counts
from vaglio.learners.bayes.estimators.network_structure import pair_table
from vaglio.learners.bayes.model.bins import Bins, flat_index
from vaglio.learners.bayes.passes.counting import Counted, CountingPlan


def bins_passes(facts: Facts, keep_few_values: bool) -> Generator[Pass, Any, tuple[Bins, np.ndarray]]:
    """Ask for the numbers of every column and class; return the cells and the weight of each class."""
    features = facts.codebook.features
    block = [j for j, feature in enumerate(features) if feature.in_numeric_block]
    numeric = [at for at, j in enumerate(block) if features[j].kind == "numeric"]
    sample: Rows | None = None
    if needs_sample(facts, numeric):
        sample = yield from sample_rows(facts, SAMPLE_ROWS, 0)
    plan = CountingPlan.of(facts, cells_of(facts, numeric, sample))
    found: Counted = yield plan.counting("counts of values")
    counts = {block[at]: triples for at, triples in found.value_counts(plan).items()}
    seen = {j: max(1, int(np.count_nonzero(table.sum(axis=0)))) for j, table in found.tables.items()}
    return bins_of_counts(features, counts, seen, facts.n_classes, keep_few_values), found.class_weight


def combinations_pass(bins: Bins, k: int) -> Pass:
    """Return the pass that counts each combination of cells that occurs; its answer is a ColumnCounts."""
    return Pass("combinations of values", partial(_combinations, bins, k))


def _combinations(bins: Bins, k: int, chunk: Chunk) -> ColumnCounts:
    cells = bins.cells(chunk.matrix)
    complete = (cells >= 0).all(axis=1)
    number, where = np.unique(flat_index(cells[complete], bins.size), return_inverse=True)
    weight = None if chunk.weight is None else chunk.weight[complete]
    flat = np.bincount(where * k + chunk.y[complete], weight, minlength=len(number) * k)
    return ColumnCounts(number, flat.astype(np.float64).reshape(-1, k), True)


def pairs_within(
    pairs: list[tuple[int, int]], size: np.ndarray, k: int, memory: int
) -> Iterator[list[tuple[int, int]]]:
    """Cut pairs of columns into groups whose tables fit in the memory of one pass."""
    group: list[tuple[int, int]] = []
    held = 0
    for i, j in pairs:
        needed = 8 * k * int(size[i]) * int(size[j])
        if group and held + needed > memory:
            yield group
            group, held = [], 0
        group.append((i, j))
        held += needed
    if group:
        yield group


def pairs_pass(bins: Bins, pairs: list[tuple[int, int]], k: int) -> Pass:
    """Return the pass that counts the pairs of cells of some columns with the classes."""
    return Pass("pairs of values", partial(_pairs, bins, pairs, k))


def _pairs(bins: Bins, pairs: list[tuple[int, int]], k: int, chunk: Chunk) -> tuple[np.ndarray, ...]:
    cells, size = bins.cells(chunk.matrix), bins.size
    return tuple(
        pair_table(cells[:, i], cells[:, j], int(size[i]), int(size[j]), chunk.y, chunk.weight, k) for i, j in pairs
    )
