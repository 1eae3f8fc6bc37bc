"""The predicted class at each point of the plane of two columns, with hyperplane, margins and support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import INK, axes_for, class_colours, draws_names, legend_outside, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DecisionRegionDisplay", "grid_lines"]


@dataclass
class DecisionRegionDisplay:
    """Decision regions over a grid, and the training rows.

    Attributes
    ----------
    x, y : ndarray
        Grid lines.
    codes : ndarray of int, shape (len(y), len(x))
        The predicted class at each point of the grid.
    classes : sequence
        The class of each code.
    points : ndarray, shape (n, 2)
        The rows.
    point_codes : ndarray of int
        The true class of each row.
    values : ndarray or None, shape (len(y), len(x))
        Decision values of a two-class model: 0 on the hyperplane, ±1 on the margins.
    support : ndarray of int or None
        Which points are support vectors.
    names : (str, str)
        Names of the two columns.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import SVC
    >>> from vaglio.plot.decision_region import DecisionRegionDisplay
    >>> X, y = np.array([[0.0, 0], [1, 0], [3, 3], [4, 3]]), ["a", "a", "b", "b"]
    >>> display = DecisionRegionDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y, resolution=20)
    >>> display.codes.shape
    (20, 20)
    """

    x: np.ndarray
    y: np.ndarray
    codes: np.ndarray
    classes: Any
    points: np.ndarray
    point_codes: np.ndarray
    values: np.ndarray | None = None
    support: np.ndarray | None = None
    names: tuple[str, str] = ("x0", "x1")

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, resolution: int = 200) -> Self:
        """Predict the class at every point of a grid with a fitted classifier of two numeric columns.

        Parameters
        ----------
        estimator : fitted classifier with ``predict`` and ``classes_``
            Its ``decision_function`` and ``support_`` are drawn where it has them.
        X : array or frame of two numeric columns
            The rows to draw; the grid spans their range.
        y : array-like
            The classes of the rows.
        resolution : int, default=200
            Grid lines on each side.
        """
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise InputError(f"Decision regions are drawn for two columns; X has the shape {points.shape}.")
        x, y_lines = (grid_lines(points[:, j], resolution) for j in range(2))
        grid = np.column_stack([np.tile(x, resolution), np.repeat(y_lines, resolution)])
        grid_like_X = type(X)(grid, columns=X.columns) if hasattr(X, "columns") and hasattr(X, "iloc") else grid
        classes = np.asarray(estimator.classes_)
        codes = np.searchsorted(classes, estimator.predict(grid_like_X)).reshape(resolution, resolution)
        values = None
        if len(classes) == 2 and hasattr(estimator, "decision_function"):
            values = estimator.decision_function(grid_like_X).reshape(resolution, resolution)
        names = tuple(str(name) for name in X.columns) if hasattr(X, "columns") else ("x0", "x1")
        point_codes = np.searchsorted(classes, np.asarray(y))
        support = getattr(estimator, "support_", None)
        return cls(x, y_lines, codes, classes, points, point_codes, values, support, (names[0], names[1]))

    @draws_names
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw regions, rows, hyperplane and margins; support vectors have a ring.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        """
        from matplotlib.colors import ListedColormap

        ax = axes_for(ax)
        colours = class_colours([str(label) for label in self.classes])
        shades = ListedColormap(list(colours.values()))
        ax.pcolormesh(
            self.x,
            self.y,
            self.codes,
            cmap=shades,
            vmin=0,
            vmax=max(len(colours) - 1, 1),
            alpha=0.18,
            shading="nearest",
        )
        if self.values is not None:
            ax.contour(self.x, self.y, self.values, levels=[0.0], colors=INK, linewidths=1.6)
            if self.support is not None:
                ax.contour(
                    self.x, self.y, self.values, levels=[-1.0, 1.0], colors=INK, linewidths=1.0, linestyles="dashed"
                )
        for code, (label, colour) in enumerate(colours.items()):
            x, y = self.points[self.point_codes == code].T
            ax.scatter(x, y, s=22, color=colour, edgecolor="white", linewidth=0.6, label=label)
        if self.support is not None:
            x, y = self.points[self.support].T
            ax.scatter(x, y, s=90, facecolor="none", edgecolor=INK, linewidth=1.0, label="support vectors")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        quiet(ax, grid=None)
        legend_outside(ax, len(colours) + (self.support is not None))
        return ax


def grid_lines(values: np.ndarray, resolution: int) -> np.ndarray:
    """Return so many places from just below the smallest value to just above the largest.

    Parameters
    ----------
    values : ndarray
    resolution : int
    """
    low, high = float(values.min()), float(values.max())
    # A margin, so that no row lies on the frame; a constant column gets one unit.
    room = 0.08 * (high - low or 1.0)
    return np.linspace(low - room, high + room, resolution)
