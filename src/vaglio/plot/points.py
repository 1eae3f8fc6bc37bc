"""Labelled points in the plane, and the regions of a classifier: one small panel per labelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import INK, PALETTE, WARN, panel_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_labellings", "draw_regions"]


def draw_regions(ax: Axes, points: np.ndarray, predict: Any, *, steps: int = 120) -> None:
    """Shade the plane around the points by the class (0 or 1) that ``predict`` gives.

    Parameters
    ----------
    ax : Axes
    points : ndarray, shape (n, 2)
        The shaded area spans their range.
    predict : callable
        From an array of points to 0 or 1 for each.
    steps : int, default=120
        Grid lines on each side.
    """
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
    """Draw one panel per labelling; those that no model realises come first and have a red frame.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
    labellings : ndarray of 0 and 1, shape (m, n)
        One labelling per row.
    realised : ndarray of bool, shape (m,)
        Whether a model predicts all labels of the labelling.
    models : sequence
        The model of each labelling, or None where all labels are the same.
    max_panels : int
        At most this many labellings are drawn.
    """
    if points.shape[1] != 2:
        raise InputError(f"Labellings are drawn in the plane; these points have {points.shape[1]} attributes.")
    order = np.argsort(realised, kind="stable")[:max_panels]
    if len(order) == len(labellings):
        order = np.arange(len(labellings))
    figure, panels = panel_grid(len(order), size=(1.9, 1.9))
    for ax, i in zip(panels, order, strict=True):
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
