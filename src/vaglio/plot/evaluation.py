"""Figures of an evaluation: curves with bands, a confusion matrix, one interval per learner, mean ranks on a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.errors import as_own_errors
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.plot.style import INK, MUTED, PALETTE, axes_for, draws_names, legend_outside, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Curve",
    "draw_band",
    "draw_confusion",
    "draw_curves",
    "draw_densities",
    "draw_intervals",
    "draw_mean_ranks",
    "draw_reference",
]

# Numbers in cells smaller than this cannot be read.
_MAX_WRITTEN = 30


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
    locale: Locale = ENGLISH,
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
    locale : Locale
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
        lines += ax.plot(curve.x, curve.y, label=locale.text(curve.name) or None, clip_on=not unit_square, **style)
    ax.set(xlabel=locale.text(xlabel), ylabel=locale.text(ylabel))
    if unit_square:
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    quiet(ax, locale=locale)
    named = sum(bool(curve.name) for curve in curves)
    if named:
        legend_outside(ax, named, loc=legend) if named <= 6 else legend_outside(ax, named)
    return lines


def draw_reference(
    ax: Axes, x: Sequence[float], y: Sequence[float], name: str = "", *, locale: Locale = ENGLISH
) -> Any:
    """Draw a dashed grey line to compare with."""
    label = locale.text(name) or None
    (line,) = ax.plot(x, y, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1, label=label)
    return line


def draw_band(
    ax: Axes,
    x: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    colour: str,
    name: str = "",
    *,
    locale: Locale = ENGLISH,
) -> None:
    """Shade the area between two curves; a name is shown in the legend."""
    ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, label=locale.text(name) or None)


def draw_densities(
    ax: Axes,
    groups: Sequence[tuple[str, np.ndarray, np.ndarray | None]],
    *,
    threshold: float | None,
    xlabel: str,
    locale: Locale = ENGLISH,
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
    locale : Locale
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
            locale.say("threshold {value:.3g}", value=threshold),
            (threshold, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if side == "right" else 5, -4),
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize=9,
        )
    ax.set(xlabel=locale.text(xlabel), ylabel=locale.say("density"))
    quiet(ax, grid="y", locale=locale)
    legend_outside(ax, len(groups), loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=min(len(groups), 4))


def draw_confusion(
    ax: Axes,
    matrix: np.ndarray,
    labels: Sequence[object],
    *,
    values_format: str | None = None,
    locale: Locale = ENGLISH,
) -> np.ndarray | None:
    """Draw a confusion matrix: one row per true class, one column per predicted class.

    The number is the count, the shade its share of the row: a shade by count would show only the largest class.

    Parameters
    ----------
    ax : Axes
    matrix : ndarray, shape (k, k)
        Counts or weights; rows are true classes.
    labels : sequence
        The classes, in the order of the matrix.
    values_format : str, optional
        Format of the numbers; by default few digits.
    locale : Locale

    Returns
    -------
    ndarray of Text or None
        The texts in the cells; None when there are too many to be read.
    """
    with as_own_errors():
        format(0, values_format or "")
    totals = matrix.sum(axis=1, keepdims=True)
    share = np.divide(matrix, totals, out=np.zeros(matrix.shape), where=totals > 0)
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    names = [str(label) for label in labels]
    k = len(names)
    # Long names of many classes would overlap.
    turn = 45 if max(map(len, names), default=0) * k > 40 else 0
    size = 10 if k <= 8 else max(4, 10 - 0.25 * k)
    ax.set_xticks(
        range(k), names, rotation=turn, ha="right" if turn else "center", rotation_mode="anchor", fontsize=size
    )
    ax.set_yticks(range(k), names, fontsize=size)
    ax.set(xlabel=locale.say("predicted"), ylabel=locale.say("true"))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    # White lines between the cells.
    ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(k + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5 if k <= 15 else 0.5)
    ax.tick_params(which="minor", length=0)
    return None if k > _MAX_WRITTEN else _write_counts(ax, matrix, share, size, values_format, locale)


def _write_counts(
    ax: Axes, matrix: np.ndarray, share: np.ndarray, size: float, values_format: str | None, locale: Locale
) -> np.ndarray:
    texts = np.empty(matrix.shape, dtype=object)
    for i, j in np.ndindex(*matrix.shape):
        value = matrix[i, j].item()
        text = locale.number(value, values_format or ("g" if value < 1e6 else ".2g"))
        # Dark text on a light cell, light text on a dark one; a zero is written, but hardly seen.
        colour = "white" if share[i, j] > 0.55 else INK if value else "#BBBBBB"
        texts[i, j] = ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size + 1)
    return texts


@draws_names
def draw_intervals(
    ax: Axes | None,
    rows: Sequence[tuple[str, float, float, float]],
    *,
    xlabel: str,
    sign: int = 1,
    locale: Locale = ENGLISH,
) -> Axes:
    """Draw a value and its interval per name, the best on top.

    Parameters
    ----------
    ax : Axes or None
        None makes a new figure.
    rows : sequence of (name, value, low, high)
    xlabel : str
        What the value is.
    sign : {1, -1}, default=1
        -1 where less is better.
    locale : Locale
    """
    ordered = sorted(rows, key=lambda row: sign * row[1])
    ax = axes_for(ax, size=(6, 0.9 + 0.36 * len(ordered)))
    for i, (_, value, low, high) in enumerate(ordered):
        ax.plot([low, high], [i, i], color=PALETTE[0], linewidth=2.2, alpha=0.45, solid_capstyle="butt")
        ax.plot([value], [i], "o", color=PALETTE[0], markersize=6)
    ax.set_yticks(range(len(ordered)), [name for name, *_ in ordered])
    ax.set(xlabel=locale.text(xlabel), ylim=(-0.6, len(ordered) - 0.4))
    return quiet(ax, grid="x", locale=locale)


@draws_names
def draw_mean_ranks(
    ax: Axes | None, names: Sequence[str], ranks: np.ndarray, critical: float, *, locale: Locale = ENGLISH
) -> Axes:
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
    locale : Locale
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
            f"{name} ({locale.number(rank, '.2f')})",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
        )
    for k, (low, high) in enumerate(bars):
        height = -0.22 - 0.25 * k
        ax.plot([low - 0.03, high + 0.03], [height, height], color=PALETTE[1], linewidth=3.2, solid_capstyle="butt")
    ax.plot([best, best + critical], [0.75, 0.75], color=INK, linewidth=1.6, marker="|")
    shown = locale.say("critical difference {value:.2f}", value=critical)
    ax.text(best + critical / 2, 0.82, shown, ha="center", va="bottom", fontsize=8)
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
