"""Box plots, histograms, pairs of attributes, matrices of strengths: figures of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Box", "draw_boxes", "draw_counts", "draw_histogram", "draw_matrix", "draw_pairs", "panel_grid"]

_MAX_BARS = 12


@dataclass(frozen=True)
class Box:
    """The five numbers of a box plot and the points outside."""

    name: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    outliers: np.ndarray = field(default_factory=lambda: np.empty(0))
    n: int = 0


def panel_grid(n_panels: int, note: str = "", *, legend: Sequence[object] = ()) -> tuple[Any, list[Axes]]:
    """A figure of small panels, as square as it gets."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    if n_panels < 1:
        raise InputError("There is no column to draw.")
    columns = min(4, n_panels)
    lines = -(-n_panels // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(2.9 * columns, 2.3 * lines + 0.3), squeeze=False, layout="constrained"
    )
    panels = axes.ravel().tolist()
    for ax in panels[n_panels:]:
        ax.set_visible(False)
    if legend:
        patches = [Patch(color=PALETTE[k % len(PALETTE)], label=str(name)) for k, name in enumerate(legend)]
        figure.legend(
            handles=patches, loc="outside upper center", ncols=min(len(patches), 6), frameon=False, fontsize=9
        )
    if note:
        figure.supxlabel(note, fontsize=8, color=MUTED)
    return figure, panels[:n_panels]


def draw_boxes(ax: Axes, boxes: Sequence[Box], *, title: str = "") -> None:
    """One box a group; whiskers end at the last datum inside the fences."""
    stats: list[dict[str, Any]] = [
        {
            "med": b.median,
            "q1": b.q1,
            "q3": b.q3,
            "whislo": b.low,
            "whishi": b.high,
            "fliers": b.outliers,
            "label": b.name,
        }
        for b in boxes
    ]
    drawn = ax.bxp(
        stats,
        patch_artist=True,
        widths=0.55,
        medianprops={"color": INK, "linewidth": 1.4},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": MUTED, "markeredgecolor": "none"},
        whiskerprops={"color": MUTED},
        capprops={"color": MUTED},
    )
    for k, patch in enumerate(drawn["boxes"]):
        patch.set(facecolor=PALETTE[k % len(PALETTE)], alpha=0.45, edgecolor=PALETTE[k % len(PALETTE)])
    quiet(ax, grid="y")
    ax.set_title(title, fontsize=10)
    if any(len(box.name) * len(boxes) > 28 for box in boxes):
        ax.tick_params(axis="x", rotation=30, labelsize=8)


def draw_histogram(ax: Axes, parts: Sequence[np.ndarray], *, title: str = "") -> None:
    """Bins of numbers, stacked by class."""
    together = np.concatenate(list(parts))
    edges = np.histogram_bin_edges(together, bins=min(40, max(8, int(np.sqrt(len(together))))))
    heights = np.array([np.histogram(part, edges)[0] for part in parts])
    _stack(ax, (edges[:-1] + edges[1:]) / 2, heights, float(edges[1] - edges[0]))
    if edges[-1] - edges[0] < 10 and (together == np.floor(together)).all():
        ax.locator_params(axis="x", integer=True)  # no half years
    ax.set_title(title, fontsize=10)


def draw_counts(ax: Axes, counts: np.ndarray, categories: Sequence[object], *, title: str = "") -> None:
    """Bars of categories, commonest first, stacked by class; the rarest together as one bar."""
    order = np.argsort(-counts.sum(axis=0), kind="stable")
    names = [str(categories[i]) for i in order]
    heights = counts[:, order]
    if len(names) > _MAX_BARS:
        rest = heights[:, _MAX_BARS - 1 :].sum(axis=1, keepdims=True)
        heights = np.hstack([heights[:, : _MAX_BARS - 1], rest])
        names = [*names[: _MAX_BARS - 1], f"{len(names) - _MAX_BARS + 1} more"]
    _stack(ax, np.arange(len(names), dtype=float), heights, 0.8)
    turn = sum(map(len, names)) > 24
    shown = [name if len(name) <= 14 else name[:13] + "…" for name in names]
    ax.set_xticks(range(len(names)), shown, rotation=40 if turn else 0, ha="right" if turn else "center", fontsize=8)
    ax.set_title(title, fontsize=10)


def _stack(ax: Axes, places: np.ndarray, heights: np.ndarray, width: float) -> None:
    bottom = np.zeros(heights.shape[1])
    for k, part in enumerate(heights):
        ax.bar(places, part, width, bottom=bottom, color=PALETTE[k % len(PALETTE)], alpha=0.8, linewidth=0)
        bottom += part
    quiet(ax, grid="y")


def draw_pairs(
    values: np.ndarray, names: Sequence[str], codes: np.ndarray, labels: Sequence[object], *, note: str = ""
) -> Any:
    """Scatter plots of every pair, histograms on the diagonal, one colour a class."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    p = len(names)
    figure, axes = plt.subplots(p, p, figsize=(1.9 * p, 1.9 * p), squeeze=False, layout="constrained")
    colours = np.array([PALETTE[k % len(PALETTE)] for k in range(max(len(labels), 1))])
    shuffled = np.random.default_rng(0).permutation(len(values))  # so that no class covers the others
    for i in range(p):
        for j in range(p):
            ax = axes[i, j]
            if i == j:
                column = values[:, i]
                parts = [column[(codes == k) & ~np.isnan(column)] for k in range(len(colours))]
                draw_histogram(ax, parts)
                ax.set_yticks([])
            else:
                ax.scatter(
                    values[shuffled, j], values[shuffled, i], s=7, c=colours[codes[shuffled]], alpha=0.55, linewidths=0
                )
                quiet(ax)
            ax.tick_params(labelsize=7, labelleft=j == 0 and i != 0, labelbottom=i == p - 1)
            if i == p - 1:
                ax.set_xlabel(names[j], fontsize=9)
            if j == 0:
                ax.set_ylabel(names[i], fontsize=9)
    if labels:
        patches = [Patch(color=colours[k], label=str(label)) for k, label in enumerate(labels)]
        figure.legend(
            handles=patches, loc="outside upper center", ncols=min(len(patches), 6), frameon=False, fontsize=9
        )
    if note:
        figure.supxlabel(note, fontsize=8, color=MUTED)
    return figure


def draw_matrix(ax: Axes | None, matrix: np.ndarray, names: Sequence[str]) -> Axes:
    """Strengths between 0 and 1 as a heat map, with the numbers while they can be read."""
    side = min(2.5 + 0.42 * len(names), 13)
    ax = axes_for(ax, size=(side + 0.6, side))
    image = ax.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
    ax.figure.colorbar(image, ax=ax, shrink=0.7, label="strength")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if len(names) <= 15:
        for i, j in np.ndindex(*matrix.shape):
            if i != j and np.isfinite(matrix[i, j]):
                colour = "white" if matrix[i, j] > 0.55 else INK
                ax.text(j, i, f"{matrix[i, j]:.2f}".lstrip("0"), ha="center", va="center", color=colour, fontsize=7)
    return ax
