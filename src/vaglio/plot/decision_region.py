"""The plane of two columns: the class predicted at each point, the line of a perceptron after each pass, labellings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from vaglio.errors import InputError
from vaglio.plot.style import (
    GRID,
    INK,
    PALETTE,
    WARN,
    axes_for,
    class_colours,
    draws_names,
    legend_outside,
    panel_grid,
    quiet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "DecisionRegionDisplay",
    "PerceptronPathDisplay",
    "draw_labellings",
    "draw_regions",
    "grid_lines",
    "line_ends",
]


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
            raise InputError(
                "decision-regions-drawn-two",
                "Decision regions are drawn for two columns; X has the shape {shape}.",
                shape=points.shape,
            )
        x, y_lines = (grid_lines(points[:, j], resolution) for j in range(2))
        grid = _grid(x, y_lines)
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
        ax = axes_for(ax)
        colours = class_colours([str(label) for label in self.classes])
        _shade(ax, self.x, self.y, self.codes, list(colours.values()))
        if self.values is not None:
            ax.contour(self.x, self.y, self.values, levels=[0.0], colors=INK, linewidths=1.6)
            if self.support is not None:
                ax.contour(
                    self.x, self.y, self.values, levels=[-1.0, 1.0], colors=INK, linewidths=1.0, linestyles="dashed"
                )
        _draw_rows(ax, self.points, self.point_codes, colours)
        if self.support is not None:
            x, y = self.points[self.support].T
            ax.scatter(x, y, s=90, facecolor="none", edgecolor=INK, linewidth=1.0, label="support vectors")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        quiet(ax, grid=None)
        legend_outside(ax, len(colours) + (self.support is not None))
        return ax


def grid_lines(values: np.ndarray, resolution: int, margin: float = 0.08) -> np.ndarray:
    """Return so many places from just below the smallest value to just above the largest.

    Parameters
    ----------
    values : ndarray
    resolution : int
    margin : float, default=0.08
        Share of the range on each side, so that no row lies on the frame; a constant column has the range 1.
    """
    low, high = float(values.min()), float(values.max())
    room = margin * (high - low or 1.0)
    return np.linspace(low - room, high + room, resolution)


def _grid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the crossings of the grid lines, one per row, along x first."""
    return np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))])


def _shade(
    ax: Axes, x: np.ndarray, y: np.ndarray, codes: np.ndarray, colours: Sequence[str], *, rasterized: bool = False
) -> None:
    """Colour the plane by the class at each crossing of the grid lines."""
    from matplotlib.colors import ListedColormap

    ax.pcolormesh(
        x,
        y,
        codes,
        cmap=ListedColormap(list(colours)),
        vmin=0,
        vmax=max(len(colours) - 1, 1),
        alpha=0.18,
        shading="nearest",
        rasterized=rasterized,
    )


def _draw_rows(ax: Axes, points: np.ndarray, codes: np.ndarray, colours: dict[Any, str], zorder: float = 1) -> None:
    """Draw the rows as dots in the colour of their class."""
    for code, (label, colour) in enumerate(colours.items()):
        x, y = points[codes == code].T
        ax.scatter(x, y, s=22, color=colour, edgecolor="white", linewidth=0.6, label=label, zorder=zorder)


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
    >>> from vaglio.plot.decision_region import PerceptronPathDisplay
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
    def from_estimator(cls, estimator: Any, X: Any, y: Any) -> Self:
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
            raise InputError(
                "path-perceptron-drawn-two", "The path of a perceptron is drawn for two columns and two classes only."
            )
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
        _draw_rows(ax, self.points, self.point_codes, colours, zorder=3)
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
    x, y = (grid_lines(points[:, j], steps, margin=0.25) for j in range(2))
    codes = np.asarray(predict(_grid(x, y))).reshape(steps, steps)
    _shade(ax, x, y, codes, PALETTE[:2], rasterized=True)


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
        raise InputError(
            "labellings-drawn-plane-these",
            "Labellings are drawn in the plane; these points have {shape} attributes.",
            shape=points.shape[1],
        )
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
