"""Trees and forests in passes: bins by a sample, then class sums of open nodes level by level, then the rest in memory.

A table of bins takes a byte or two per cell. Where it fits the memory it is gathered and grown on in one go; else it
stays in its parts, large nodes are split by the sums of all parts, and small ones are finished where their rows have
been gathered. The same functions decide everywhere, so that the way never shows in the model.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from vaglio import _core
from vaglio.engines.passes import Chunk, Gather, Keep, Kept, Pass, TableSummary
from vaglio.errors import NotSupportedError
from vaglio.learners.trees.passes.bins import DEFAULT_BINS, Binning, WeightSummary, are_multiples, sampled_rows

_KEPT = "bins"

Asking = Generator[Any, Any, Any]
# Trees that are grown together, as the growers take them; None: one tree of all rows.
Plan = _core.TreesPlan | None


@dataclass(frozen=True)
class RowsInMemory:
    """Sizes of rows that are in memory."""

    n_rows: int
    threads: int
    memory: int = 1 << 62
    room: int = 1 << 62


def plan_of(
    seeds: Sequence[int],
    features: Sequence[np.ndarray],
    draws: int = 0,
    bags: Sequence[int] | None = None,
    hash_seed: int = 0,
    left_out: Sequence[tuple[int, int]] | None = None,
) -> _core.TreesPlan:
    """Return a plan of trees.

    Parameters
    ----------
    seeds : sequence of int
    features : sequence of ndarray
        The columns of each tree.
    draws : int
        Rows drawn for each tree with replacement; 0: every row once.
    bags : sequence of int, optional
        The key of each tree's draws.
    hash_seed : int
    left_out : sequence of (int, int), optional
        The hashes, first and last, of the rows that each tree leaves out; none are where the first exceeds the last.
    """
    first, last = np.array(left_out or [(1, 0)] * len(seeds), dtype=np.uint64).T
    return _core.TreesPlan(
        draws=draws,
        hash_seed=hash_seed,
        seeds=np.array(seeds, dtype=np.uint64),
        bags=np.array(bags or [0] * len(seeds), dtype=np.uint64),
        first_out=np.ascontiguousarray(first),
        last_out=np.ascontiguousarray(last),
        features=[columns.astype(np.uint32) for columns in features],
        blocks=[],
    )


@dataclass(frozen=True)
class Setup:
    """What is done with the rows of a part; it goes to wherever they are.

    Attributes
    ----------
    binning : Binning
    amounts : WeightSummary
    n_classes : int
        0 for numbers.
    plan : TreesPlan or None
        The rows, columns and random numbers of each tree; None: one tree of all rows.
    kernel : GrowthWeights
        The amounts as the kernels take them.
    of : tuple of str
        What is kept of the rows already, as bins with their targets, and weights if there are any; empty: nothing.
    """

    binning: Binning
    amounts: WeightSummary
    n_classes: int
    plan: Plan
    kernel: _core.GrowthWeights
    of: tuple[str, ...] = ()

    @classmethod
    def made(
        cls, binning: Binning, amounts: WeightSummary, n_classes: int, plan: Plan, of: tuple[str, ...] = ()
    ) -> Setup:
        """Put together what is known."""
        return cls(binning, amounts, n_classes, plan, amounts.for_kernel(plan.draws if plan else 0), of)

    @property
    def drawn(self) -> bool:
        """Whether trees have rows of their own."""
        plan = self.plan
        return plan is not None and bool(plan.draws or (plan.first_out <= plan.last_out).any())

    def block(self, rows: Chunk | Kept) -> Block:
        """Return rows as bins, with their weights as the grower takes them."""
        return self.block_of(self.ready(rows), rows.start)

    def block_of(self, arrays: Mapping[str, np.ndarray], start: int) -> Block:
        """Return arrays that are ready as the growers take them."""
        columns = [arrays[f"x{j}"] for j in range(len(self.binning.features))]
        return Block(columns, arrays["y"], arrays.get("weight"), start)

    def ready(self, rows: Chunk | Kept) -> dict[str, np.ndarray]:
        """Return rows as bins, with their targets, and their weights as the grower takes them."""
        arrays = self.kept(rows) if isinstance(rows, Chunk) else rows.arrays
        named = {name: arrays[name] for name in (*(f"x{j}" for j in range(len(self.binning.features))), "y")}
        weight = self.amounts.weights(arrays.get("weight"))
        return named if weight is None else named | {"weight": weight}

    def kept(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the rows of a chunk as arrays to be kept."""
        columns = {f"x{j}": column for j, column in enumerate(self.binning.columns(chunk.matrix))}
        named = columns | {"y": self.amounts.targets(chunk.y, self.n_classes)}
        return named if chunk.weight is None else named | {"weight": chunk.weight}


@dataclass
class Block:
    """Rows as bins: codes by feature, what is to be predicted, weights if there are any."""

    columns: list[np.ndarray]
    y: np.ndarray
    weight: np.ndarray | None
    start: int


def grow_in_passes(
    facts: TableSummary,
    config: _core.TreeConfig,
    max_bins: int | None,
    strict: bool,
    plan: Plan = None,
    joined: bool = False,
) -> Asking:
    """Ask for what trees need and grow them; return a list of the arrays of each, or joined those of a forest."""
    binning = yield from binning_in_passes(facts, max_bins or DEFAULT_BINS, strict)
    amounts = yield from amounts_in_passes(facts)
    setup = Setup.made(binning, amounts, facts.n_classes, plan)
    return (yield from grow_trees(facts, setup, config, joined))


def grow_trees(sizes: Sizes, setup: Setup, config: _core.TreeConfig, joined: bool = False) -> Asking:
    """Grow on bins that are known; return as :func:`grow_in_passes`."""
    beside = trees_beside(sizes, setup, config)
    if beside:
        holds = bytes_gathered(setup, config, sizes.n_rows, beside)
        arrays = yield Gather("rows as bins", setup.ready, holds, of=setup.of)
        return grow_block(setup, setup.block_of(arrays, 0), config, joined, sizes.threads, beside)
    if config.max_leaf_nodes:
        lacking = bytes_gathered(setup, config, sizes.n_rows, 1) - sizes.room
        raise NotSupportedError(
            "best-first-memory",
            "max_leaf_nodes makes the best splits first, which needs all rows in memory as bins. "
            "Allow about {lacking:,} MB more, or limit the tree by max_depth.",
            lacking=(lacking >> 20) + 1,
        )
    return (yield from _grow_by_levels(setup, config, joined, sizes))


def binning_in_passes(facts: TableSummary, max_bins: int, strict: bool) -> Generator[Any, Any, Binning]:
    """Ask for the rows that bins are cut by, and cut them."""
    features = facts.codebook.features
    sample = np.empty((0, len(facts.values)))
    if any(values is None or len(values) > max_bins for values in facts.values):
        choose = partial(_sampled, facts.n_rows)
        sample = np.concatenate((yield Pass("sample of rows", _numbers, choose=choose)))
    return Binning.cut(features, sample, facts.values, max_bins, strict)


def _sampled(n_rows: int, start: int, rows: int) -> np.ndarray:
    return np.flatnonzero(sampled_rows(np.arange(start, start + rows), n_rows))


def _numbers(chunk: Chunk) -> list[np.ndarray]:
    return [chunk.matrix.numeric]


def amounts_in_passes(facts: TableSummary) -> Generator[Any, Any, WeightSummary]:
    """Ask for what is to be known of weights and targets."""
    amounts = WeightSummary(facts.n_rows, float(facts.n_rows))
    if not facts.n_classes:
        amounts = amounts.with_range(*facts.y_range)
    if not facts.weighted:
        return amounts
    least = yield Pass("least weight", _least, min)
    whole, multiples, largest, total = yield Pass("proportions of weights", partial(_multiples, least, facts), _both)
    if whole:
        return amounts.with_whole(least, multiples, largest)
    return amounts.with_grid(facts.unit, facts.largest_weight, total)


def _least(chunk: Chunk) -> float:
    assert chunk.weight is not None
    return float(chunk.weight.min())


def _multiples(least: float, facts: TableSummary, chunk: Chunk) -> tuple[bool, float, float, float]:
    """Return whether weights are multiples of the least, the sum and the largest multiple, and the sum of weights."""
    assert chunk.weight is not None
    multiple = np.rint(chunk.weight / least)
    # The engine has rounded weights to its unit.
    whole = are_multiples(chunk.weight, least, facts.unit * (1.0 + multiple))
    return whole, float(multiple.sum()), float(multiple.max()), float(chunk.weight.sum())


def _both(a: tuple[bool, float, float, float], b: tuple[bool, float, float, float]) -> tuple[bool, float, float, float]:
    return a[0] and b[0], a[1] + b[1], max(a[2], b[2]), a[3] + b[3]


def grow_block(
    setup: Setup, table: Block, config: _core.TreeConfig, joined: bool, threads: int, beside: int | None = None
) -> Any:
    """Grow on rows in memory, so many trees beside each other at most; return as :func:`grow_in_passes`."""
    given = (setup.binning.layout(), table.columns, table.y, setup.n_classes, table.weight, config)
    if setup.plan is None:
        return [_core.grow_binned_tree(*given, amounts=setup.kernel, n_threads=threads)]
    grow = _core.grow_binned_forest if joined else _core.grow_binned_trees
    return grow(*given, amounts=setup.kernel, trees=setup.plan, beside=beside, n_threads=threads)


def _grow_by_levels(setup: Setup, config: _core.TreeConfig, joined: bool, sizes: Sizes) -> Asking:
    """Split large nodes by the sums of all parts, and finish small ones with their rows."""
    plan, rows = setup.plan, setup.amounts.rows
    if plan is not None and plan.draws:
        # Every part would share out all draws from the beginning, in every pass.
        plan = plan.with_blocks(rows, sizes.threads)
    grower = _core.LevelGrower(setup.binning.layout(), setup.n_classes, config, setup.kernel, plan)
    growth = _core.TableGrowth(rows=rows, weighted=setup.amounts.weighted, trees=plan, squares=grower.squares())
    of = setup.of or (_KEPT,)
    if not setup.of:
        yield Keep(_KEPT, setup.kept)
    most = PassSize.of(sizes, setup, config)
    spread = config.missing == "fractional"
    level = 0
    while not grower.done():
        level += 1
        frontier = grower.ask_sums(most.cells, most.rows)
        if len(frontier.totals):
            sums = yield Pass(
                f"sums of level {level}", partial(_sums, setup, growth, frontier), of=of, max_bytes=most.max_bytes
            )
            grower.take_sums(sums)
            continue
        frontier = grower.ask_rows(most.cells, most.rows)
        given_rows = partial(_rows, setup, growth, spread, frontier)
        arrived: Arrived = yield Pass("rows of small nodes", given_rows, of=of, max_bytes=most.max_bytes)
        starts, arrays = arrived.joined()
        block = setup.block_of(arrays, 0)
        told = {name: arrays.get(name) for name in ("weights", "counts", "drawn")}
        grower.take_rows(starts, block.columns, block.y, **told, n_threads=sizes.threads)
    return grower.take_forest() if joined else grower.take_trees()


def _sums(setup: Setup, growth: _core.TableGrowth, frontier: _core.Frontier, kept: Kept) -> np.ndarray:
    return _core.sum_part(frontier, *_part(setup, kept), growth, setup.kernel)


def _part(
    setup: Setup, kept: Kept
) -> tuple[_core.BinnedLayout, list[np.ndarray], np.ndarray, int, np.ndarray | None, int]:
    block = setup.block(kept)
    return setup.binning.layout(), block.columns, block.y, setup.n_classes, block.weight, block.start


def _rows(setup: Setup, growth: _core.TableGrowth, spread: bool, frontier: _core.Frontier, kept: Kept) -> Arrived:
    starts, row, weight, count = _core.gather_part(frontier, *_part(setup, kept), growth, setup.kernel)
    arrays = {name: array[row] for name, array in setup.ready(kept).items() if name != "weight"}
    if setup.amounts.weighted:
        arrays |= {"weights": weight, "counts": count}
    elif spread:
        arrays["weights"] = weight
    if setup.drawn and not setup.amounts.weighted:
        arrays["drawn"] = count.astype(np.uint16)
    return Arrived([(starts, arrays)])


@dataclass
class Arrived:
    """Rows of open nodes from several parts: where those of each node begin, and arrays of them."""

    parts: list[tuple[np.ndarray, dict[str, np.ndarray]]]

    def merge(self, other: Arrived) -> Arrived:
        """Return the rows of both."""
        return Arrived(self.parts + other.parts)

    def joined(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return all rows node by node, and where each node begins; the parts are used up array by array."""
        sizes = np.array([np.diff(starts) for starts, _ in self.parts])
        starts = np.concatenate(([0], np.cumsum(sizes.sum(axis=0))))
        first = starts[:-1] + np.cumsum(sizes, axis=0) - sizes  # of each part and node
        places = []
        for (own, _), to in zip(self.parts, first):
            shift = np.repeat(to - own[:-1], np.diff(own))
            places.append((shift + np.arange(len(shift))).astype(np.uint32))
        joined = {}
        for name in list(self.parts[0][1]):
            joined[name] = np.empty(starts[-1], self.parts[0][1][name].dtype)
            for (_, arrays), place in zip(self.parts, places):
                joined[name][place] = arrays.pop(name)
        return starts, joined


class Sizes(Protocol):
    """What growing is planned by: the :class:`~vaglio.engines.passes.TableSummary`, or those of rows in memory."""

    @property
    def n_rows(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def room(self) -> int: ...


def bytes_as_bins(setup: Setup) -> int:
    """Return what a row takes as bins."""
    bins = [len(lowest) for lowest, _ in setup.binning.edges]
    sizes = [*bins, *(len(f.categories) for f in setup.binning.features if f.is_nominal)]
    cells = sum(1 if size < 256 else 2 if size < 65536 else 4 for size in sizes)
    return cells + (2 if setup.n_classes else 8) + (8 if setup.amounts.weighted else 0)


def bytes_of_weights(setup: Setup, config: _core.TreeConfig) -> int:
    """Return what is held of a row of a node besides its bins and targets: its weight, or how often it counts."""
    if setup.amounts.weighted:
        return 16
    if config.missing == "fractional":
        return 8
    return 2 if setup.drawn else 0


def _bytes_of_growing(setup: Setup, config: _core.TreeConfig) -> int:
    """Return what a row of a tree under way takes besides the table."""
    row = 4 + (2 if setup.n_classes else 0) + bytes_of_weights(setup, config)
    # Targets and their squares, times the weight, are made for the rows of a node.
    return row + (row if setup.n_classes else row + 16)


def _share_of_rows(setup: Setup, n_rows: int) -> float:
    """Return which share of the rows a tree has: of those drawn with replacement, some are drawn again."""
    plan = setup.plan
    return -math.expm1(-plan.draws / n_rows) if plan is not None and plan.draws else 1.0


def bytes_of_tree(setup: Setup, config: _core.TreeConfig, n_rows: int) -> int:
    """Return what a tree under way takes besides the table."""
    return math.ceil(_share_of_rows(setup, n_rows) * n_rows * _bytes_of_growing(setup, config))


def bytes_gathered(setup: Setup, config: _core.TreeConfig, n_rows: int, beside: int) -> int:
    """Return what all rows as bins take, with so many trees under way.

    While rows arrive, half as much again must be there for the chunks that they come from.
    """
    table = n_rows * bytes_as_bins(setup)
    return max(table + table // 2, table + beside * bytes_of_tree(setup, config, n_rows))


def trees_beside(sizes: Sizes, setup: Setup, config: _core.TreeConfig) -> int:
    """Return how many trees may grow beside each other on all rows in memory; 0: the rows do not fit."""
    most = 1 if setup.plan is None else min(sizes.threads, len(setup.plan.seeds))
    for beside in (most, 1):
        if bytes_gathered(setup, config, sizes.n_rows, beside) <= sizes.room:
            return beside
    return 0


@dataclass(frozen=True)
class PassSize:
    """What one pass over rows that do not fit may bring.

    Attributes
    ----------
    cells : int
        Sums.
    rows : float
        Rows of small nodes, as often as they are drawn.
    max_bytes : int
        Bytes that either takes.
    """

    cells: int
    rows: float
    max_bytes: int

    @classmethod
    def of(cls, sizes: Sizes, setup: Setup, config: _core.TreeConfig) -> PassSize:
        """Share out what the chunks under way leave."""
        holds = sizes.room - sizes.room // 3
        # Every chunk that is worked on has sums of its own, whose memory is not at once free for others.
        cells = max(1, holds // 16 // (2 + sizes.threads))
        arrived = bytes_as_bins(setup) + bytes_of_weights(setup, config)
        # They arrive in parts and are put in order; a node has a quarter of them at most.
        rows = holds / (2 * arrived + 4 + _bytes_of_growing(setup, config) / 4)
        draws = setup.plan.draws if setup.plan else 0
        again = draws / sizes.n_rows / _share_of_rows(setup, sizes.n_rows) if draws else 1.0
        return cls(cells, max(1.0, rows * max(1.0, again)), holds)
