"""How values are distributed: box plots, histograms, bars of categories, scatter plots of pairs, a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.sentences import clip
from vaglio.plot.style import (
    INK,
    MUTED,
    PALETTE,
    WARN,
    axes_for,
    axes_grid,
    class_legend,
    draws_names,
    quiet,
    translate_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BoxStatistics", "draw_boxes", "draw_counts", "draw_density", "draw_histogram", "draw_matrix", "draw_pairs"]

# Names under more bars than this cannot be read in a small panel.
_MAX_BARS = 12
_LONGEST_NAME = 14
# Characters of a line below or beside a panel of pairs, and lines; numbers below a small panel.
_LINE, _LINES, _TICKS = 12, 4, 4


def _shortened(name: str) -> str:
    """A long name without its middle: names of one table often begin alike."""
    ends = (_LONGEST_NAME - 1) // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:ends]}…{name[-ends:]}"


def _in_lines(name: str) -> str:
    """A name over several short lines."""
    name = clip(name, _LINE * _LINES)
    return "\n".join(name[i : i + _LINE] for i in range(0, len(name), _LINE))


@dataclass(frozen=True)
class BoxStatistics:
    """The numbers of one box of a box plot.

    Attributes
    ----------
    name : str
        What stands below the box.
    low, high : float
        Ends of the whiskers.
    q1, median, q3 : float
        Quartiles.
    outliers : ndarray
        Values beyond the whiskers.
    fences : (float, float) or None
        Q1 − 1.5·IQR and Q3 + 1.5·IQR: values outside are outliers.
    """

    name: str
    low: float
    q1: float
    median: float
    q3: float
    high: float
    outliers: np.ndarray = field(default_factory=lambda: np.empty(0))
    fences: tuple[float, float] | None = None


def draw_boxes(
    ax: Axes, boxes: Sequence[BoxStatistics], *, title: str = "", fences: bool = False, locale: Locale = ENGLISH
) -> None:
    """Draw one box per group.

    Parameters
    ----------
    ax : Axes
    boxes : sequence of BoxStatistics
    title : str
    fences : bool, default=False
        Draw the fences beyond which values are outliers.
    locale : Locale
    """
    stats: list[dict[str, Any]] = [
        {
            "med": b.median,
            "q1": b.q1,
            "q3": b.q3,
            "whislo": b.low,
            "whishi": b.high,
            "fliers": b.outliers,
            "label": _shortened(b.name),
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
    if fences:
        for k, box in enumerate(boxes, start=1):
            if box.fences is not None:
                ax.hlines(box.fences, k - 0.4, k + 0.4, color=WARN, linewidth=1.0, linestyle=(0, (3, 2)))
    quiet(ax, grid="y", locale=locale)
    ax.set_title(locale.text(title), fontsize=10)
    # Names that would overlap are turned.
    if any(len(box.name) * len(boxes) > 28 for box in boxes):
        ax.tick_params(axis="x", labelsize=8)
        for label in ax.get_xticklabels():
            label.set(rotation=30, ha="right", rotation_mode="anchor")


def draw_histogram(ax: Axes, parts: Sequence[np.ndarray], *, title: str = "", locale: Locale = ENGLISH) -> None:
    """Draw a histogram of numbers, stacked by class.

    Parameters
    ----------
    ax : Axes
    parts : sequence of ndarray
        The values of each class, without missing ones.
    title : str
    locale : Locale
    """
    together = np.concatenate(list(parts))
    # As many bins as the square root of the rows, within what can be seen in a small panel.
    edges = np.histogram_bin_edges(together, bins=min(40, max(8, int(np.sqrt(len(together))))))
    heights = np.array([np.histogram(part, edges)[0] for part in parts])
    _stack(ax, (edges[:-1] + edges[1:]) / 2, heights, float(edges[1] - edges[0]), locale)
    ax.locator_params(axis="x", nbins=_TICKS)
    if edges[-1] - edges[0] < 10 and (together == np.floor(together)).all():
        ax.locator_params(axis="x", integer=True)  # no tick between integers, such as half a year
    ax.set_title(locale.text(title), fontsize=10)


def draw_density(ax: Axes, values: np.ndarray, x: np.ndarray, colour: str, *, label: str | None = None) -> None:
    """Draw a kernel density of numbers (Gaussian, Scott's bandwidth) over the places ``x``.

    Parameters
    ----------
    ax : Axes
    values : ndarray
        Without missing ones; at least two different.
    x : ndarray
    colour : str
    label : str, optional
        The name in the legend.
    """
    from scipy.stats import gaussian_kde

    density = gaussian_kde(values)(x)
    ax.plot(x, density, color=colour, linewidth=1.6, label=label)
    ax.fill_between(x, density, color=colour, alpha=0.15, linewidth=0)


def draw_counts(
    ax: Axes, counts: np.ndarray, categories: Sequence[object], *, title: str = "", locale: Locale = ENGLISH
) -> None:
    """Draw bars of categories, the most frequent first, stacked by class; the rarest together as one bar.

    Parameters
    ----------
    ax : Axes
    counts : ndarray, shape (classes, categories)
    categories : sequence
    title : str
    locale : Locale
    """
    order = np.argsort(-counts.sum(axis=0), kind="stable")
    names = [str(categories[i]) for i in order]
    heights = counts[:, order]
    if len(names) > _MAX_BARS:
        rest = heights[:, _MAX_BARS - 1 :].sum(axis=1, keepdims=True)
        heights = np.hstack([heights[:, : _MAX_BARS - 1], rest])
        names = [*names[: _MAX_BARS - 1], locale.say("{n:,} more", n=len(names) - _MAX_BARS + 1)]
    _stack(ax, np.arange(len(names), dtype=float), heights, 0.8, locale)
    turn = sum(map(len, names)) > 24
    shown = [_shortened(name) for name in names]
    ax.set_xticks(range(len(names)), shown, rotation=40 if turn else 0, ha="right" if turn else "center", fontsize=8)
    ax.set_title(locale.text(title), fontsize=10)


def _stack(ax: Axes, places: np.ndarray, heights: np.ndarray, width: float, locale: Locale) -> None:
    bottom = np.zeros(heights.shape[1])
    for k, part in enumerate(heights):
        ax.bar(places, part, width, bottom=bottom, color=PALETTE[k % len(PALETTE)], alpha=0.8, linewidth=0)
        bottom += part
    quiet(ax, grid="y", locale=locale)


def draw_pairs(
    values: np.ndarray,
    names: Sequence[str],
    codes: np.ndarray,
    labels: Sequence[object],
    *,
    note: str = "",
    diag: Literal["hist", "kde"] = "hist",
    locale: Locale = ENGLISH,
) -> Any:
    """Draw a scatter plot per pair of columns, histograms or densities on the diagonal, one colour per class.

    Parameters
    ----------
    values : ndarray, shape (rows, columns)
    names : sequence of str
        Names of the columns.
    codes : ndarray of int
        The class of each row.
    labels : sequence
        The classes; empty for one colour and no legend.
    note : str
        Written below the figure.
    diag : {"hist", "kde"}, default="hist"
        What is on the diagonal: histograms, or kernel densities.
    locale : Locale
    """
    p = len(names)
    figure, axes = axes_grid(p, p, (1.9 * p, 1.9 * p))
    colours = np.array([PALETTE[k % len(PALETTE)] for k in range(max(len(labels), 1))])
    shuffled = np.random.default_rng(0).permutation(len(values))  # in table order the last class would cover the others
    for i in range(p):
        for j in range(p):
            ax = axes[i, j]
            if i == j:
                column = values[:, i]
                parts = [column[(codes == k) & ~np.isnan(column)] for k in range(len(colours))]
                if diag == "kde":
                    x = np.linspace(np.nanmin(column), np.nanmax(column), 101)
                    for part, colour in zip(parts, colours):
                        if len(part) > 1 and part.std() > 0:
                            draw_density(ax, part, x, str(colour))
                    quiet(ax, grid="y", locale=locale)
                else:
                    draw_histogram(ax, parts, locale=locale)
                ax.set_yticks([])
            else:
                ax.scatter(
                    values[shuffled, j], values[shuffled, i], s=7, c=colours[codes[shuffled]], alpha=0.55, linewidths=0
                )
                quiet(ax, locale=locale)
                ax.locator_params(nbins=_TICKS)
            ax.tick_params(labelsize=7, labelleft=j == 0 and i != 0, labelbottom=i == p - 1)
            if i == p - 1:
                ax.set_xlabel(_in_lines(names[j]), fontsize=8)
            if j == 0:
                ax.set_ylabel(_in_lines(names[i]), fontsize=8)
    class_legend(figure, labels, note, locale=locale)
    return figure


@draws_names
def draw_matrix(ax: Axes | None, matrix: np.ndarray, names: Sequence[str], *, locale: Locale = ENGLISH) -> Axes:
    """Draw strengths between 0 and 1 as a heat map, with the numbers while they can be read."""
    side = min(2.5 + 0.42 * len(names), 13)
    ax = axes_for(ax, size=(side + 0.6, side))
    image = ax.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, label=locale.say("strength"))
    translate_ticks(bar.ax, locale)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if len(names) <= 15:
        for i, j in np.ndindex(*matrix.shape):
            if i != j and np.isfinite(matrix[i, j]):
                colour = "white" if matrix[i, j] > 0.55 else INK
                ax.text(
                    j,
                    i,
                    locale.marks(f"{matrix[i, j]:.2f}".lstrip("0")),
                    ha="center",
                    va="center",
                    color=colour,
                    fontsize=7,
                )
    return ax
