"""One look for every figure: a palette that colour-blind readers can tell apart, quiet axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GRID", "INK", "MUTED", "PALETTE", "WARN", "axes_for", "class_colours", "legend_outside", "quiet"]

# Okabe and Ito's colours, the strongest first; yellow is left out because it vanishes on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5D3A9B", "#8C510A")
INK = "#222222"
MUTED = "#8A8A8A"
GRID = "#E4E4E4"
WARN = "#B22222"


def axes_for(ax: Axes | None, *, size: tuple[float, float] = (5.2, 4.4)) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def class_colours(labels: Sequence[object]) -> dict[object, str]:
    """A colour for each class, the same wherever the classes come in the same order."""
    return {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(labels)}


def quiet(ax: Axes, *, grid: Literal["both", "x", "y"] | None = "both") -> Axes:
    """Take the frame away, keep thin lines to read values by."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
    ax.tick_params(colors=INK, labelsize=9)
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(True, axis=grid, color=GRID, linewidth=0.8)
    return ax


def legend_outside(ax: Axes, n_entries: int, **kwargs: Any) -> None:
    """A legend inside the axes while it is short, beside them when it would cover the lines."""
    if n_entries > 6:
        kwargs = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), **kwargs}
    ax.legend(frameon=False, fontsize=9, **kwargs)
