"""Trees and forests in passes: bins by a sample, then class sums of open nodes level by level, then the rest in memory.

A table of bins takes a byte or two per cell. Where it fits the memory it is gathered and grown on in one go; else it
stays in its parts, large nodes are split by the sums of all parts, and small ones are finished where their rows have
been gathered. The same functions decide everywhere, so that the way never shows in the model.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from vaglio import _core
from vaglio.errors import NotSupportedError
from vaglio.learn.trees.amounts import Amounts, are_multiples
from vaglio.learn.trees.tree_bins import DEFAULT_BINS, Binning, sampled_rows
from vaglio.scale.passes import Chunk, Facts, Keep, Kept, Pass

# What growing takes per row besides the table: lists of rows, and what is moved when they are divided.
_WORKING_BYTES = 20
# What a row that is gathered for a small node takes besides: slot, order, weight and count, twice.
_ARRIVING_BYTES = 80
_KEPT = "bins"

Asking = Generator[Any, Any, Any]
# Trees that are grown together, as the growers take them; None: one tree of all rows.
Plan = dict[str, Any] | None


class Sizes(Protocol):
    """What growing is planned by: the :class:`~vaglio.scale.passes.Facts`, or those of rows in memory."""

    @property
    def n_rows(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def memory(self) -> int: ...


@dataclass(frozen=True)
class RowsInMemory:
    """Sizes of rows that are in memory."""

    n_rows: int
    threads: int
    memory: int = 1 << 62


def plan_of(seeds: Sequence[int], features: Sequence[np.ndarray]) -> dict[str, Any]:
    """Return a plan of trees with these seeds and columns, each of all rows."""
    n = len(seeds)
    return {
        "draws": 0,  # rows drawn for each tree, by the keys in `bags`
        "bags": np.zeros(n, dtype=np.uint64),
        "hash_seed": 0,  # rows are left out whose hash lies between `first_out` and `last_out`
        "first_out": np.ones(n, dtype=np.uint64),
        "last_out": np.zeros(n, dtype=np.uint64),
        "seeds": np.array(seeds, dtype=np.uint64),
        "features": [columns.astype(np.uint32) for columns in features],
    }


@dataclass(frozen=True)
class Setup:
    """What is done with the rows of a part; it goes to wherever they are.

    Attributes
    ----------
    binning : Binning
    amounts : Amounts
    n_classes : int
        0 for numbers.
    growth : dict
        Number of rows, the rows of each tree, and what else the sums of a part depend on.
    kernel : dict
        The amounts as the kernels take them.
    of : tuple of str
        What is kept of the rows already, as bins with their targets, and weights if there are any; empty: nothing.
    """

    binning: Binning
    amounts: Amounts
    n_classes: int
    growth: dict[str, Any]
    kernel: dict[str, Any]
    of: tuple[str, ...] = ()

    @classmethod
    def made(cls, binning: Binning, amounts: Amounts, n_classes: int, plan: Plan, of: tuple[str, ...] = ()) -> Setup:
        """Put together what is known."""
        growth = {"rows": amounts.rows, "trees": plan, "weighted": amounts.weighted}
        return cls(binning, amounts, n_classes, growth, amounts.for_kernel(plan["draws"] if plan else 0), of)

    @property
    def drawn(self) -> bool:
        """Whether trees have rows of their own."""
        plan = self.growth["trees"]
        return plan is not None and bool(plan["draws"] or (plan["first_out"] <= plan["last_out"]).any())

    def block(self, rows: Chunk | Kept) -> Block:
        """Return rows as bins, with their weights as the grower takes them."""
        if isinstance(rows, Chunk):
            columns, y, weight = self.binning.columns(rows.matrix), self._targets(rows), rows.weight
        else:
            arrays = rows.arrays
            columns = [arrays[f"x{j}"] for j in range(len(self.binning.features))]
            y, weight = arrays["y"], arrays.get("weight")
        return Block(columns, y, self.amounts.weights(weight), rows.start)

    def kept(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the rows of a chunk as arrays to be kept."""
        columns = {f"x{j}": column for j, column in enumerate(self.binning.columns(chunk.matrix))}
        named = columns | {"y": self._targets(chunk)}
        return named if chunk.weight is None else named | {"weight": chunk.weight}

    def _targets(self, chunk: Chunk) -> np.ndarray:
        return self.amounts.targets(chunk.y, self.n_classes)


@dataclass
class Block:
    """Rows as bins: codes by feature, what is to be predicted, weights if there are any."""

    columns: list[np.ndarray]
    y: np.ndarray
    weight: np.ndarray | None
    start: int


@dataclass
class Blocks:
    """Blocks from several parts, in any order."""

    blocks: list[Block]

    def merge(self, other: Blocks) -> Blocks:
        """Return the blocks of both."""
        return Blocks(self.blocks + other.blocks)

    def joined(self) -> Block:
        """Return all rows in their order; the blocks are used up column by column."""
        self.blocks.sort(key=lambda block: block.start)
        columns = []
        for j in range(len(self.blocks[0].columns)):
            columns.append(np.concatenate([block.columns[j] for block in self.blocks]))
            for block in self.blocks:
                block.columns[j] = columns[-1][:0]
        weight = None
        if self.blocks[0].weight is not None:
            weight = np.concatenate([block.weight for block in self.blocks if block.weight is not None])
        return Block(columns, np.concatenate([block.y for block in self.blocks]), weight, 0)


def grow_in_passes(
    facts: Facts, config: dict[str, Any], max_bins: int | None, strict: bool, plan: Plan = None, joined: bool = False
) -> Asking:
    """Ask for what trees need and grow them; return a list of the arrays of each, or joined those of a forest."""
    binning = yield from binning_in_passes(facts, max_bins or DEFAULT_BINS, strict)
    amounts = yield from amounts_in_passes(facts)
    setup = Setup.made(binning, amounts, facts.n_classes, plan)
    return (yield from grow_trees(facts, setup, config, joined))


def grow_trees(sizes: Sizes, setup: Setup, config: dict[str, Any], joined: bool = False) -> Asking:
    """Grow on bins that are known; return as :func:`grow_in_passes`."""
    bytes_per_row = bytes_as_bins(setup)
    most_rows = sizes.memory // (bytes_per_row + _WORKING_BYTES)
    if sizes.n_rows <= most_rows:
        return (yield from _grow_gathered(setup, config, joined, sizes.threads))
    if config.get("max_leaf_nodes"):
        need = sizes.n_rows * (bytes_per_row + _WORKING_BYTES) * 4 >> 20
        raise NotSupportedError(
            f"max_leaf_nodes makes the best splits first, for which all rows must fit in memory as bins: allow about "
            f"{need} MB, or bound the tree by max_depth."
        )
    arriving = sizes.memory // (2 * bytes_per_row + _ARRIVING_BYTES)
    return (yield from _grow_by_levels(setup, config, joined, sizes, float(max(arriving, 1))))


def bytes_as_bins(setup: Setup) -> int:
    """Return what a row takes as bins."""
    bins = [len(lowest) for lowest, _ in setup.binning.edges]
    sizes = [*bins, *(len(f.categories) for f in setup.binning.features if f.is_nominal)]
    cells = sum(1 if size < 256 else 2 if size < 65536 else 4 for size in sizes)
    return cells + (2 if setup.n_classes else 8) + (8 if setup.amounts.weighted else 0)


def binning_in_passes(facts: Facts, max_bins: int, strict: bool) -> Generator[Any, Any, Binning]:
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


def amounts_in_passes(facts: Facts) -> Generator[Any, Any, Amounts]:
    """Ask for what is to be known of weights and targets."""
    amounts = Amounts(facts.n_rows, float(facts.n_rows))
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


def _multiples(least: float, facts: Facts, chunk: Chunk) -> tuple[bool, float, float, float]:
    """Return whether weights are multiples of the least, the sum and the largest multiple, and the sum of weights."""
    assert chunk.weight is not None
    multiple = np.rint(chunk.weight / least)
    # The engine has rounded weights to its unit.
    whole = are_multiples(chunk.weight, least, facts.unit * (1.0 + multiple))
    return whole, float(multiple.sum()), float(multiple.max()), float(chunk.weight.sum())


def _both(a: tuple[bool, float, float, float], b: tuple[bool, float, float, float]) -> tuple[bool, float, float, float]:
    return a[0] and b[0], a[1] + b[1], max(a[2], b[2]), a[3] + b[3]


def _grow_gathered(setup: Setup, config: dict[str, Any], joined: bool, threads: int) -> Asking:
    """Gather all rows as bins, and grow in memory."""
    blocks: Blocks = yield Pass("rows as bins", partial(_as_blocks, setup), of=setup.of)
    return grow_block(setup, blocks.joined(), config, joined, threads)


def grow_block(setup: Setup, table: Block, config: dict[str, Any], joined: bool, threads: int) -> Any:
    """Grow on rows in memory; return as :func:`grow_in_passes`."""
    given = (setup.binning.layout(), table.columns, table.y, setup.n_classes, table.weight, config)
    plan = setup.growth["trees"]
    if plan is None:
        return [_core.grow_binned_tree(*given, amounts=setup.kernel, n_threads=threads)]
    return _core.grow_binned_trees(*given, amounts=setup.kernel, trees=plan, joined=joined, n_threads=threads)


def _as_blocks(setup: Setup, rows: Chunk | Kept) -> Blocks:
    return Blocks([setup.block(rows)])


def _grow_by_levels(setup: Setup, config: dict[str, Any], joined: bool, sizes: Sizes, most_rows: float) -> Asking:
    """Split large nodes by the sums of all parts, and finish small ones with their rows."""
    layout = setup.binning.layout()
    plan = setup.growth["trees"]
    if plan is not None and plan["draws"]:
        # Every part would share out all draws from the beginning, in every pass.
        blocks = _core.draw_blocks(plan["bags"], setup.growth["rows"], plan["draws"], sizes.threads)
        setup.growth["trees"] = plan | {"blocks": blocks}
    grower = _core.LevelGrower(layout, setup.n_classes, config, setup.kernel, setup.growth["trees"])
    setup.growth["squares"] = grower.squares()
    of = setup.of or (_KEPT,)
    if not setup.of:
        yield Keep(_KEPT, setup.kept)
    # Every chunk that is worked on has sums of its own.
    most_cells = max(1, sizes.memory // 8 // (2 + sizes.threads))
    level = 0
    while not grower.done():
        level += 1
        frontier = grower.ask_sums(most_cells, most_rows)
        if len(frontier["totals"]):
            sums = yield Pass(f"sums of level {level}", partial(_sums, setup, frontier), of=of)
            grower.take_sums(sums)
            continue
        frontier = grower.ask_rows(most_rows, most_rows)
        rows: Arrived = yield Pass("rows of small nodes", partial(_rows, setup, frontier), of=of)
        rows.hand_over(grower, setup, sizes.threads)
        grower.close_rows()
    return grower.take_trees(joined)


def _sums(setup: Setup, frontier: dict[str, Any], kept: Kept) -> np.ndarray:
    block = setup.block(kept)
    given = (setup.binning.layout(), block.columns, block.y, setup.n_classes, block.weight, block.start)
    return _core.sum_part(frontier, *given, setup.growth, setup.kernel)


def _rows(setup: Setup, frontier: dict[str, Any], kept: Kept) -> Arrived:
    block = setup.block(kept)
    given = (setup.binning.layout(), block.columns, block.y, setup.n_classes, block.weight, block.start)
    slot, row, weight, count = _core.gather_part(frontier, *given, setup.growth, setup.kernel)
    columns = [column[row] for column in block.columns]
    return Arrived([slot], [[column] for column in columns], [block.y[row]], [weight], [count])


@dataclass
class Arrived:
    """Rows of open nodes: the slot of each, and per feature their codes; lists of what came from the parts."""

    slot: list[np.ndarray]
    columns: list[list[np.ndarray]]
    y: list[np.ndarray]
    weight: list[np.ndarray]
    count: list[np.ndarray]

    def merge(self, other: Arrived) -> Arrived:
        """Return the rows of both."""
        columns = [a + b for a, b in zip(self.columns, other.columns)]
        return Arrived(
            self.slot + other.slot, columns, self.y + other.y, self.weight + other.weight, self.count + other.count
        )

    def hand_over(self, grower: _core.LevelGrower, setup: Setup, threads: int) -> None:
        """Give every slot its rows."""
        slot = np.concatenate(self.slot)
        order = np.argsort(slot, kind="stable")
        ends = np.searchsorted(slot[order], np.arange(int(slot.max(initial=-1)) + 2))
        columns = []
        for parts in self.columns:
            columns.append(np.concatenate(parts)[order])
            parts.clear()
        y, weight, count = (np.concatenate(parts)[order] for parts in (self.y, self.weight, self.count))
        for each in range(len(ends) - 1):
            part = slice(ends[each], ends[each + 1])
            given = _given(setup, grower.is_real(each), weight[part], count[part])
            grower.take_rows(each, [column[part] for column in columns], y[part], **given, n_threads=threads)


def _given(setup: Setup, real: bool, weight: np.ndarray, count: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the rows of a node weigh, in the form that its table in memory would have."""
    if setup.amounts.weighted:
        return {"weights": weight, "counts": count}
    if real:
        return {"weights": weight}
    return {"multiplicity": count.astype(np.uint16)} if setup.drawn else {}
