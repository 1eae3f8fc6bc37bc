"""A confusion matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vaglio.plot.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_confusion"]

# Numbers in cells smaller than this cannot be read.
_MAX_WRITTEN = 30


def draw_confusion(
    ax: Axes, matrix: np.ndarray, labels: Sequence[object], *, values_format: str | None = None
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

    Returns
    -------
    ndarray of Text or None
        The texts in the cells; None when there are too many to be read.
    """
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
    ax.set(xlabel="predicted", ylabel="true")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    # White lines between the cells.
    ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(k + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5 if k <= 15 else 0.5)
    ax.tick_params(which="minor", length=0)
    return None if k > _MAX_WRITTEN else _write_counts(ax, matrix, share, size, values_format)


def _write_counts(
    ax: Axes, matrix: np.ndarray, share: np.ndarray, size: float, values_format: str | None
) -> np.ndarray:
    texts = np.empty(matrix.shape, dtype=object)
    for i, j in np.ndindex(*matrix.shape):
        value = matrix[i, j]
        text = format(value, values_format) if values_format else f"{value:g}" if value < 1e6 else f"{value:.2g}"
        # Dark text on a light cell, light text on a dark one; a zero is written, but hardly seen.
        colour = "white" if share[i, j] > 0.55 else INK if value else "#BBBBBB"
        texts[i, j] = ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=size + 1)
    return texts
