"""Figures that compare learners: one interval per learner, and mean ranks on a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, draws_names, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_intervals", "draw_mean_ranks"]


@draws_names
def draw_intervals(ax: Axes | None, rows: Sequence[tuple[str, float, float, float]], *, xlabel: str) -> Axes:
    """Draw a value and its interval per name, the highest on top.

    Parameters
    ----------
    ax : Axes or None
        None makes a new figure.
    rows : sequence of (name, value, low, high)
    xlabel : str
        What the value is.
    """
    ordered = sorted(rows, key=lambda row: row[1])
    ax = axes_for(ax, size=(6, 0.9 + 0.36 * len(ordered)))
    for i, (_, value, low, high) in enumerate(ordered):
        ax.plot([low, high], [i, i], color=PALETTE[0], linewidth=2.2, alpha=0.45, solid_capstyle="butt")
        ax.plot([value], [i], "o", color=PALETTE[0], markersize=6)
    ax.set_yticks(range(len(ordered)), [name for name, *_ in ordered])
    ax.set(xlabel=xlabel, ylim=(-0.6, len(ordered) - 0.4))
    return quiet(ax, grid="x")


@draws_names
def draw_mean_ranks(ax: Axes | None, names: Sequence[str], ranks: np.ndarray, critical: float) -> Axes:
    """Draw mean ranks on a line, the best at the left (the diagram of Demšar).

    A bar joins learners whose ranks differ by less than the critical difference: the data do not show which is better.

    Parameters
    ----------
    ax : Axes or None
        None makes a new figure.
    names : sequence of str
    ranks : ndarray
        Mean rank of each name; 1 is the best.
    critical : float
        The critical difference.
    """
    order = np.argsort(ranks, kind="stable")
    ranks, names = ranks[order], [names[i] for i in order]
    bars = _alike(ranks, critical)
    lines = -(-len(names) // 2)
    ax = axes_for(ax, size=(7, 1.3 + 0.16 * len(bars) + 0.28 * lines))
    best, worst = 1, max(len(names), 2)
    ax.plot([best, worst], [0, 0], color=INK, linewidth=1)
    for tick in range(best, worst + 1):
        ax.plot([tick, tick], [0, 0.12], color=INK, linewidth=1)
        ax.text(tick, 0.2, str(tick), ha="center", va="bottom", fontsize=9)
    floor = -0.35 - 0.25 * len(bars)
    # Names of the better half stand at the left, the others at the right, so that their lines do not cross.
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        left = i < lines
        depth = floor - 0.42 * (i if left else len(names) - 1 - i)
        edge = best - 0.15 if left else worst + 0.15
        ax.plot([rank, rank, edge], [0, depth, depth], color=MUTED, linewidth=0.9, zorder=1)
        ax.text(
            edge + (-0.05 if left else 0.05),
            depth,
            f"{name} ({rank:.2f})",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
        )
    for k, (low, high) in enumerate(bars):
        height = -0.22 - 0.25 * k
        ax.plot([low - 0.03, high + 0.03], [height, height], color=PALETTE[1], linewidth=3.2, solid_capstyle="butt")
    ax.plot([best, best + critical], [0.75, 0.75], color=INK, linewidth=1.6, marker="|")
    ax.text(best + critical / 2, 0.82, f"critical difference {critical:.2f}", ha="center", va="bottom", fontsize=8)
    reach = 0.33 * (worst - best) + 0.6
    ax.set(xlim=(best - reach, worst + reach), ylim=(floor - 0.42 * lines - 0.1, 1.2))
    ax.axis("off")
    return ax


def _alike(ranks: np.ndarray, critical: float) -> list[tuple[float, float]]:
    """Return the longest runs of ranks that lie within the critical difference."""
    runs: list[tuple[float, float]] = []
    last = -1
    for i, low in enumerate(ranks):
        j = int(np.searchsorted(ranks, low + critical, side="right")) - 1
        if j > i and j > last:
            runs.append((float(low), float(ranks[j])))
            last = j
    return runs
