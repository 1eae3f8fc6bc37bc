"""The line of a perceptron after each pass, and the number of errors in each pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import GRID, INK, axes_for, class_colours, draws_names, legend_outside, quiet
from vaglio.typing import ColumnLike, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PerceptronPathDisplay", "line_ends"]


@dataclass
class PerceptronPathDisplay:
    """The line w·x + b = 0 after each pass, over the rows.

    Attributes
    ----------
    lines : ndarray, shape (n_passes, 3)
        w1, w2 and b after each pass, in the units of the points.
    errors : ndarray, shape (n_passes,)
        Wrong predictions in each pass.
    points : ndarray, shape (n, 2)
        The rows.
    point_codes : ndarray of int
        The true class of each row.
    classes : sequence
        The class of each code.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import Perceptron
    >>> from vaglio.plot.perceptron_path import PerceptronPathDisplay
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    >>> path = PerceptronPathDisplay.from_estimator(Perceptron(preprocess=None).fit(X, y), X, y)
    >>> int(path.errors[-1])
    0
    """

    lines: np.ndarray
    errors: np.ndarray
    points: np.ndarray
    point_codes: np.ndarray
    classes: Any

    @classmethod
    def from_estimator(cls, estimator: Any, X: TableLike, y: ColumnLike) -> Self:
        """Take the lines from the ``history_`` of a fitted perceptron.

        Parameters
        ----------
        estimator : Perceptron
            Fitted to two numeric columns and two classes.
        X : array or frame of two numeric columns
        y : array-like
            The classes of the rows.
        """
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(estimator.classes_) != 2:
            raise InputError("The path of a perceptron is drawn for two columns and two classes only.")
        encoder = estimator.fitted_.model.encoder
        lines = []
        for epoch in estimator.history_:
            coef, intercept = encoder.to_original_units(epoch.coef, epoch.intercept)
            lines.append([*coef[0], intercept[0]])
        errors = np.array([int(epoch.errors.sum()) for epoch in estimator.history_])
        codes = np.searchsorted(np.asarray(estimator.classes_), np.asarray(y))
        return cls(np.array(lines), errors, points, codes, np.asarray(estimator.classes_))

    @draws_names
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rows and the line of every pass; the last line is dark.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        """
        ax = axes_for(ax)
        colours = class_colours([str(label) for label in self.classes])
        for code, (label, colour) in enumerate(colours.items()):
            x, y = self.points[self.point_codes == code].T
            ax.scatter(x, y, s=24, color=colour, label=label, zorder=3)
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        room = 0.1 * np.where(high > low, high - low, 1.0)
        (left, bottom), (right, top) = low - room, high + room
        last = len(self.lines) - 1
        for number, line in enumerate(self.lines):
            ends = line_ends(line, left, right, bottom, top)
            style: dict[str, Any] = (
                {"color": INK, "linewidth": 2.0} if number == last else {"color": GRID, "linewidth": 1.0}
            )
            ax.plot(*ends, **style, zorder=2, label=f"after pass {number + 1}" if number == last else None)
        ax.set(xlim=(left, right), ylim=(bottom, top))
        quiet(ax, grid=None)
        legend_outside(ax, len(colours) + 1)
        return ax

    @draws_names
    def plot_errors(self, ax: Axes | None = None) -> Axes:
        """Draw the number of wrong predictions in each pass.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        """
        ax = axes_for(ax)
        ax.plot(np.arange(1, len(self.errors) + 1), self.errors, color=INK, marker="o", markersize=3)
        ax.set(xlabel="pass", ylabel="wrong predictions")
        return quiet(ax)


def line_ends(line: np.ndarray, left: float, right: float, bottom: float, top: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two points of the line w1·x + w2·y + b = 0 that span the window; none for w = 0."""
    w1, w2, b = line
    # Divide by the larger weight: a nearly vertical line would need a huge y.
    if abs(w2) > abs(w1):
        x = np.array([left, right])
        return x, -(w1 * x + b) / w2
    if w1 == 0:
        return np.empty(0), np.empty(0)
    y = np.array([bottom, top])
    return -(w2 * y + b) / w1, y
