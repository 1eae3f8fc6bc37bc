"""Points in the plane, their labels, and the regions a classifier cuts it into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import INK, PALETTE, WARN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_labellings", "draw_regions"]


def draw_regions(ax: Axes, points: np.ndarray, predict: Any, *, steps: int = 120) -> None:
    """Shade the plane around the points by the class (0 or 1) that ``predict`` gives."""
    from matplotlib.colors import ListedColormap

    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.25 * np.maximum(high - low, 1e-9)
    xs, ys = (np.linspace(a, b, steps) for a, b in zip(low - margin, high + margin, strict=True))
    grid = np.column_stack([g.ravel() for g in np.meshgrid(xs, ys)])
    shade = np.asarray(predict(grid)).reshape(steps, steps)
    colours = ListedColormap([PALETTE[0], PALETTE[1]])
    ax.pcolormesh(xs, ys, shade, cmap=colours, vmin=0, vmax=1, alpha=0.18, rasterized=True)


def draw_labellings(
    points: np.ndarray, labellings: np.ndarray, realised: np.ndarray, models: Sequence[Any], *, max_panels: int
) -> Any:
    """A small picture of each labelling; those that were not realised come first and have a red frame."""
    import matplotlib.pyplot as plt

    if points.shape[1] != 2:
        raise InputError(f"Labellings are drawn in the plane; these points have {points.shape[1]} attributes.")
    order = np.argsort(realised, kind="stable")[:max_panels]
    if len(order) == len(labellings):
        order = np.arange(len(labellings))
    columns = min(4, len(order))
    lines = -(-len(order) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(1.9 * columns, 1.9 * lines), squeeze=False, layout="constrained"
    )
    for ax in axes.ravel()[len(order) :]:
        ax.set_visible(False)
    for ax, i in zip(axes.ravel(), order, strict=False):
        _draw_labelling(ax, points, labellings[i], bool(realised[i]), models[i])
    left = f", {len(order)} shown" if len(order) < len(labellings) else ""
    figure.suptitle(f"{int(realised.sum())} of {len(labellings)} labellings realised{left}", fontsize=10, color=INK)
    return figure


def _draw_labelling(ax: Axes, points: np.ndarray, labels: np.ndarray, realised: bool, model: Any) -> None:
    predict = model.predict if model is not None else lambda grid: np.full(len(grid), labels[0])
    draw_regions(ax, points, predict)
    for label, marker in ((0, "o"), (1, "s")):
        mask = labels == label
        xs, ys = points[mask].T
        ax.scatter(xs, ys, c=PALETTE[label], marker=marker, s=42, edgecolors="white", linewidths=0.8, zorder=3)
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_color("#CCCCCC" if realised else WARN)
        spine.set_linewidth(1 if realised else 2.5)
