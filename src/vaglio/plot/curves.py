"""Line charts: named curves, a reference line, a band of uncertainty, densities of a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.plot.style import INK, MUTED, PALETTE, legend_outside, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Curve", "draw_band", "draw_curves", "draw_densities", "draw_reference"]


@dataclass(frozen=True)
class Curve:
    """The points of a line and its name in the legend."""

    x: np.ndarray
    y: np.ndarray
    name: str = ""


def draw_curves(
    ax: Axes,
    curves: Sequence[Curve],
    *,
    xlabel: str,
    ylabel: str,
    steps: bool = False,
    unit_square: bool = False,
    legend: str = "best",
    **line_kwargs: Any,
) -> list[Any]:
    """Draw curves.

    Parameters
    ----------
    ax : Axes
    curves : sequence of Curve
    xlabel, ylabel : str
        Names of the axes.
    steps : bool, default=False
        Keep a value until the next point instead of joining the points.
    unit_square : bool, default=False
        Both axes go from 0 to 1.
    legend : str, default="best"
        Where a short legend is placed, as matplotlib names places.
    **line_kwargs
        Passed on to matplotlib.
    """
    lines = []
    for k, curve in enumerate(curves):
        style: dict[str, Any] = {"color": PALETTE[k % len(PALETTE)], "linewidth": 1.8, **line_kwargs}
        if k >= len(PALETTE):
            style.setdefault("linestyle", "--")  # a colour that comes again
        if steps:
            style.setdefault("drawstyle", "steps-post")
        lines += ax.plot(curve.x, curve.y, label=curve.name or None, clip_on=not unit_square, **style)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if unit_square:
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    quiet(ax)
    named = sum(bool(curve.name) for curve in curves)
    if named:
        legend_outside(ax, named, loc=legend) if named <= 6 else legend_outside(ax, named)
    return lines


def draw_reference(ax: Axes, x: Sequence[float], y: Sequence[float], name: str = "") -> Any:
    """Draw a dashed grey line to compare with."""
    (line,) = ax.plot(x, y, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1, label=name or None)
    return line


def draw_band(ax: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    """Shade the area between two curves."""
    ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)


def draw_densities(
    ax: Axes, groups: Sequence[tuple[str, np.ndarray, np.ndarray | None]], *, threshold: float | None, xlabel: str
) -> None:
    """Draw the histogram of a score for each class, as densities, and the threshold as a line.

    Parameters
    ----------
    ax : Axes
    groups : sequence of (str, ndarray, ndarray or None)
        Per class its name, the scores of its rows and their weights.
    threshold : float or None
    xlabel : str
        What the score is.
    """
    values = np.concatenate([scores for _, scores, _ in groups])
    low, high = (0.0, 1.0) if values.min() >= 0 and values.max() <= 1 else (values.min(), values.max())
    bins = np.linspace(low, high if high > low else low + 1, 31).tolist()
    for k, (name, scores, weight) in enumerate(groups):
        if len(scores):
            colour = PALETTE[k % len(PALETTE)]
            ax.hist(scores, bins, weights=weight, density=True, color=colour, alpha=0.35, label=name)
            ax.hist(scores, bins, weights=weight, density=True, color=colour, histtype="step", linewidth=1.4)
    if threshold is not None and np.isfinite(threshold):
        ax.axvline(threshold, color=INK, linewidth=1.2)
        side = "right" if threshold > (low + high) / 2 else "left"
        ax.annotate(
            f"threshold {threshold:.3g}",
            (threshold, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if side == "right" else 5, -4),
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize=9,
        )
    ax.set(xlabel=xlabel, ylabel="density")
    quiet(ax, grid="y")
    legend_outside(ax, len(groups), loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=min(len(groups), 4))
