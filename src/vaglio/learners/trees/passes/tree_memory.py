"""How much memory growing on bins takes, and so which way of growing is possible.

What is counted is what the growers hold: per row of a tree under way its number, its class and what it counts, and as
much again for the rows that leave their place when a node is divided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from vaglio import _core
    from vaglio.learners.trees.passes.tree_passes import Setup


class Sizes(Protocol):
    """What growing is planned by: the :class:`~vaglio.engines.passes.Facts`, or those of rows in memory."""

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
    plan = setup.growth["trees"]
    return -math.expm1(-plan["draws"] / n_rows) if plan is not None and plan["draws"] else 1.0


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
    plan = setup.growth["trees"]
    most = 1 if plan is None else min(sizes.threads, len(plan["seeds"]))
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
    holds : int
        Bytes that either takes.
    """

    cells: int
    rows: float
    holds: int

    @classmethod
    def of(cls, sizes: Sizes, setup: Setup, config: _core.TreeConfig) -> PassSize:
        """Share out what the chunks under way leave."""
        holds = sizes.room - sizes.room // 3
        # Every chunk that is worked on has sums of its own, whose memory is not at once free for others.
        cells = max(1, holds // 16 // (2 + sizes.threads))
        arrived = bytes_as_bins(setup) + bytes_of_weights(setup, config)
        # They arrive in parts and are put in order; a node has a quarter of them at most.
        rows = holds / (2 * arrived + 4 + _bytes_of_growing(setup, config) / 4)
        plan = setup.growth["trees"]
        again = plan["draws"] / sizes.n_rows / _share_of_rows(setup, sizes.n_rows) if plan and plan["draws"] else 1.0
        return cls(cells, max(1.0, rows * max(1.0, again)), holds)
