"""The plane of two columns: the class predicted at each point, the line of a perceptron after each pass, labellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from vaglio.errors import ColumnError, InputError, NotSupportedError
from vaglio.messages.locale import ENGLISH, Locale, locale_of
from vaglio.messages.message import text
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.plot.style import (
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
from vaglio.runtime.arguments import checked
from vaglio.table import Table
from vaglio.typing import ColumnLike, Estimator, Predictor, TableLike

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

# Strips of a nominal axis, the longest name beside one, and how far rows lie from the middle of their strip.
_MOST_CATEGORIES, _LONGEST_NAME, _JITTER = 30, 14, 0.22
# How far from its margin the line of a slack may end.
_STRAIGHT = 0.2
# Slacks that are written as numbers.
_SLACKS_WRITTEN = 6


@dataclass
class DecisionRegionDisplay:
    """Decision regions over a grid, and the training rows.

    Attributes
    ----------
    x, y : ndarray
        Grid lines; the positions of the categories on an axis of a nominal column.
    codes : ndarray of int, shape (len(y), len(x))
        The predicted class at each point of the grid.
    classes : sequence
        The class of each code.
    points : ndarray, shape (n, 2)
        The rows that have a value in both columns; beside the position of their category on a nominal axis.
    point_codes : ndarray of int
        The true class of each row; -1 for a class that the model does not know.
    values : ndarray or None, shape (len(y), len(x))
        Decision values of a two-class model: 0 on the hyperplane, ±1 on the margins.
    support : ndarray of int or None
        Which points are support vectors.
    names : (str, str)
        Names of the two columns.
    categories : (tuple of str, tuple of str)
        The categories on each axis; empty for numbers.
    fixed : dict of str to object
        The value of every other column at the points of the grid.
    slack : ndarray or None
        Of a support vector machine, how far each row is on the wrong side of its margin: max(0, 1 − y·f(x)).
    n_hidden : int
        Rows with a missing value in one of the two columns, which are not drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import DecisionRegionDisplay, SVC
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
    categories: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    fixed: Mapping[str, Any] = field(default_factory=dict)
    slack: np.ndarray | None = None
    n_hidden: int = 0

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Predictor,
        X: TableLike,
        y: ColumnLike,
        resolution: int = 200,
        *,
        columns: Sequence[str | int] | None = None,
        fixed: Mapping[str, Any] | None = None,
    ) -> Self:
        """Predict the class at every point of a grid with a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier with ``predict``, or its Fitted
            Its decision values and support vectors are drawn where it has them.
        X : array, frame or Table
            The rows to draw; the grid spans their range.
        y : array-like
            The classes of the rows.
        resolution : int, default=200
            Grid lines on each side of a numeric column.
        columns : sequence of two names or positions, optional
            The columns of the axes, if X has more than two. A nominal column has one strip per category.
        fixed : dict, optional
            Values of the other columns; by default the median of a numeric and the mode of a nominal column.
        """
        rows = _Rows.of(X)
        at = rows.positions(columns)
        axes = tuple(rows.axis(j, resolution) for j in at)
        others = rows.fixed_values(at, fixed or {})
        grid = rows.like_source(at, _grid(*(axis.values for axis in axes)), others)
        given = getattr(estimator, "classes_", None)
        classes = np.asarray(getattr(estimator, "classes", None) if given is None else given)
        code = {str(label): k for k, label in enumerate(classes.tolist())}
        shape = len(axes[1].lines), len(axes[0].lines)
        codes = np.array([code[str(label)] for label in np.asarray(estimator.predict(grid)).tolist()]).reshape(shape)
        points = np.column_stack([axis.places for axis in axes])
        shown = np.flatnonzero(~np.isnan(points).any(axis=1))
        display = cls(
            axes[0].lines,
            axes[1].lines,
            codes,
            classes,
            points[shown],
            np.array([code.get(str(label), -1) for label in np.asarray(y).tolist()])[shown],
            names=(axes[0].name, axes[1].name),
            categories=(axes[0].categories, axes[1].categories),
            fixed=others,
            n_hidden=len(points) - len(shown),
        )
        display._take_values(estimator, grid, X, shown)
        return display

    def _take_values(self, estimator: Any, grid: Any, X: Any, shown: np.ndarray) -> None:
        """Keep the decision values of a model with two classes and two numeric axes, and what a machine adds."""
        if len(self.classes) != 2 or any(self.categories):
            return
        try:
            self.values = np.asarray(estimator.decision_function(grid)).reshape(self.codes.shape)
        except (AttributeError, NotSupportedError):  # the learner has probabilities only
            return
        model = getattr(getattr(estimator, "fitted_", estimator), "model", None)
        if not hasattr(estimator, "support_") and getattr(model, "kind", "") != "svm":
            return
        side = np.where(self.point_codes == 1, 1.0, -1.0)
        reached = side * np.asarray(estimator.decision_function(X))[shown]
        # Rows on the margin reach 1 up to the tolerance of the solver.
        self.support, self.slack = np.flatnonzero(reached <= 1 + 1e-2), np.maximum(0.0, 1 - reached)

    @checked
    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en", slack: bool = False) -> Axes:
        """Draw regions, rows, hyperplane and margins; support vectors have a ring.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.
        slack : bool, default=False
            Of a support vector machine, draw how far each row is from its margin, with the largest slacks as numbers.
        """
        locale, ax = locale_of(lang), axes_for(ax)
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
            ax.scatter(x, y, s=90, facecolor="none", edgecolor=INK, linewidth=1.0, label=locale.say("support vectors"))
            if slack:
                self._draw_slack(ax, locale)
                # A long slack ends beyond the regions; the plane is not made larger for it.
                ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        quiet(ax, grid=None, locale=locale)
        for axis, names in zip((ax.xaxis, ax.yaxis), self.categories):
            if names:
                axis.set_ticks(range(len(names)), [clip(name, _LONGEST_NAME) for name in names], fontsize=8)
        legend_outside(ax, len(colours) + (self.support is not None))
        return ax

    def _draw_slack(self, ax: Axes, locale: Locale) -> None:
        """Join the rows inside the margin with it, along the steepest way."""
        assert self.slack is not None
        assert self.values is not None
        up, right = np.gradient(self.values, self.y, self.x)
        label: str | None = locale.say("slack ξ")
        largest = set(np.argsort(-self.slack, kind="stable")[:_SLACKS_WRITTEN].tolist())
        for i in np.flatnonzero(self.slack > 1e-2).tolist():
            x, y = self.points[i]
            column, row = int(np.argmin(np.abs(self.x - x))), int(np.argmin(np.abs(self.y - y)))
            slope = np.array([right[row, column], up[row, column]])
            step = (1.0 if self.point_codes[i] == 1 else -1.0) * self.slack[i] * slope / max(slope @ slope, 1e-12)
            at = [int(np.argmin(np.abs(line - end))) for line, end in zip((self.x, self.y), (x + step[0], y + step[1]))]
            # On a curved boundary the steepest way need not end on the margin: only the number is written there.
            if abs(abs(self.values[at[1], at[0]]) - 1) < _STRAIGHT:
                ax.plot([x, x + step[0]], [y, y + step[1]], color=WARN, linewidth=1.0, zorder=2, label=label)
                label = None
            if i in largest:
                ax.annotate(
                    locale.number(float(self.slack[i]), ".2f"),
                    (x, y),
                    xytext=(5, 5),
                    textcoords="offset points",
                    fontsize=8,
                    color=WARN,
                )


@dataclass(frozen=True)
class _Axis:
    """One column as an axis: its grid lines, the value at each, and the place of every row."""

    name: str
    lines: np.ndarray
    values: np.ndarray
    places: np.ndarray
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Rows:
    """The rows of a figure column by column, and points of the plane as rows of the same kind."""

    frame: Any
    is_array: bool

    @classmethod
    def of(cls, X: Any) -> _Rows:
        """Take an array of numbers, a frame, or a Table."""
        import narwhals as nw
        import pandas as pd

        if isinstance(X, Mapping):
            X = Table.from_any(X)
        if isinstance(X, Table):
            X = X.to_frame()  # of the library that it came from
        if nw.dependencies.is_into_dataframe(X):
            return cls(nw.from_native(X, eager_only=True).to_pandas(), False)
        try:
            values = np.asarray(X)
        except ValueError as error:  # rows of different lengths
            raise InputError("ragged-rows", "X must be a table: its rows differ in length.") from error
        if values.ndim != 2:
            raise InputError(
                "two-columns-expected",
                "Decision regions are drawn for two columns; X has the shape {shape}.",
                shape=values.shape,
            )
        return cls(pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])]), True)

    def positions(self, columns: Sequence[str | int] | None) -> tuple[int, int]:
        """Return which columns are drawn."""
        names = [str(name) for name in self.frame.columns]
        asked: Sequence[str | int] = range(len(names)) if columns is None else columns
        found = []
        for column in asked:
            if isinstance(column, str) and column not in names:
                raise ColumnError(
                    "no-such-column",
                    "There is no column {column!r}: {hint}",
                    column=column,
                    hint=did_you_mean(column, names, otherwise=text("there are")),
                )
            found.append(names.index(column) if isinstance(column, str) else column)
        places = [j for j in found if isinstance(j, (int, np.integer)) and 0 <= j < len(names)]
        if len(found) != 2 or len(set(places)) != 2:
            raise InputError(
                "two-columns-to-draw",
                "Decision regions are drawn for two columns. X has {n:,}: name two different ones with columns=.",
                n=len(names),
            )
        return places[0], places[1]

    def _is_numeric(self, j: int) -> bool:
        import pandas as pd

        kind = self.frame.dtypes.iloc[j]
        return bool(pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind))

    def axis(self, j: int, resolution: int) -> _Axis:
        """Return a column as an axis; one with too many categories cannot be read."""
        column, name = self.frame.iloc[:, j], str(self.frame.columns[j])
        known = column.notna().to_numpy()
        if not known.any():
            raise InputError("column-without-values", "Column {column!r} has no values to draw.", column=name)
        if self._is_numeric(j):
            values = column.to_numpy(dtype=float, na_value=np.nan)
            lines = grid_lines(values[known], resolution)
            return _Axis(name, lines, lines, values)
        kept = [value for value in getattr(column.dtype, "categories", []) if (column == value).any()]
        different = kept or sorted(set(column[known].tolist()), key=str)
        if len(different) > _MOST_CATEGORIES:
            raise InputError(
                "axis-with-many-categories",
                "Column {column!r} has {n:,} categories; an axis shows at most {most}.",
                column=name,
                n=len(different),
                most=_MOST_CATEGORIES,
            )
        code = {value: k for k, value in enumerate(different)}
        # Rows of one category would lie on one line: each is moved a little, always in the same way.
        apart = np.random.default_rng(j).uniform(-_JITTER, _JITTER, len(column))
        places = np.array([code[value] if ok else np.nan for value, ok in zip(column.tolist(), known)]) + apart
        values = np.empty(len(different), dtype=object)
        values[:] = different
        return _Axis(name, np.arange(len(different), dtype=float), values, places, tuple(map(str, different)))

    def fixed_values(self, at: tuple[int, int], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every other column: what was given, else the median or the mode."""
        names = [str(name) for name in self.frame.columns]
        if unknown := [name for name in given if name not in names]:
            raise ColumnError(
                "no-such-column",
                "There is no column {column!r}: {hint}",
                column=unknown[0],
                hint=did_you_mean(unknown[0], names, otherwise=text("there are")),
            )
        fixed: dict[str, Any] = {}
        for j, name in enumerate(names):
            if j in at:
                continue
            column = self.frame.iloc[:, j].dropna()
            if self._is_numeric(j):
                fixed[name] = float(column.median()) if len(column) else None
                if name in given:
                    fixed[name] = _number(given[name], name)
                continue
            modes = column.mode()
            fixed[name] = modes.iloc[0] if len(modes) else None
            if name in given:
                by_text = {str(value): value for value in column.unique().tolist()}
                if str(given[name]) not in by_text:
                    raise InputError(
                        "value-not-in-column",
                        "No row has {value!r} in column {column!r}: {hint}",
                        value=str(given[name]),
                        column=name,
                        hint=did_you_mean(str(given[name]), sorted(by_text), otherwise=text("its values are")),
                    )
                fixed[name] = by_text[str(given[name])]
        return fixed

    def like_source(self, at: tuple[int, int], grid: np.ndarray, fixed: Mapping[str, Any]) -> Any:
        """Return points of the plane as rows of the table."""
        import pandas as pd

        columns = {}
        for j, name in enumerate(self.frame.columns):
            kind = self.frame.dtypes.iloc[j]
            values = grid[:, at.index(j)] if j in at else [fixed[str(name)]] * len(grid)
            if self._is_numeric(j):
                columns[name] = np.array(values, dtype=float)
            else:
                columns[name] = pd.Series(list(values), dtype=kind)
        filled = pd.DataFrame(columns)
        return filled.to_numpy() if self.is_array else filled


def _number(given: Any, column: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise InputError(
            "fixed-not-number",
            "Column {column!r} is numeric and cannot be fixed at {value!r}.",
            column=column,
            value=str(given),
        ) from None


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


def _edges(lines: np.ndarray) -> np.ndarray:
    """Return the borders of the cells around the grid lines."""
    if len(lines) == 1:
        return np.array([lines[0] - 0.5, lines[0] + 0.5])
    middles = (lines[:-1] + lines[1:]) / 2
    return np.concatenate([[2 * lines[0] - middles[0]], middles, [2 * lines[-1] - middles[-1]]])


def _shade(ax: Axes, x: np.ndarray, y: np.ndarray, codes: np.ndarray, colours: Sequence[str]) -> None:
    """Colour the plane by the class at each crossing of the grid lines."""
    from matplotlib.colors import ListedColormap

    ax.pcolormesh(
        _edges(x),
        _edges(y),
        codes,
        cmap=ListedColormap(list(colours)),
        vmin=0,
        vmax=max(len(colours) - 1, 1),
        alpha=0.18,
        shading="flat",
        rasterized=True,  # thousands of cells as paths would take megabytes
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
    @checked
    def from_estimator(cls, estimator: Estimator, X: TableLike, y: ColumnLike) -> Self:
        """Take the lines from the ``history_`` of a fitted perceptron.

        Parameters
        ----------
        estimator : Perceptron
            Fitted to two numeric columns and two classes.
        X : array or frame of two numeric columns
        y : array-like
            The classes of the rows.
        """
        perceptron: Any = estimator
        try:
            points = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                "numbers-expected-in-path", "The path of a perceptron is drawn for two columns of numbers."
            ) from error
        if getattr(perceptron, "degree", 1) > 1:
            raise InputError(
                "path-of-curve", "The path of a perceptron is drawn for degree 1: with more it is a curve."
            )
        if points.ndim != 2 or points.shape[1] != 2 or len(perceptron.classes_) != 2:
            raise InputError(
                "two-columns-and-classes-expected",
                "The path of a perceptron is drawn for two columns and two classes only.",
            )
        encoder = perceptron.fitted_.model.encoder
        lines = []
        for epoch in perceptron.history_:
            coef, intercept = encoder.to_original_units(epoch.coef, epoch.intercept)
            lines.append([*coef[0], intercept[0]])
        errors = np.array([int(epoch.errors.sum()) for epoch in perceptron.history_])
        codes = np.searchsorted(np.asarray(perceptron.classes_), np.asarray(y))
        return cls(np.array(lines), errors, points, codes, np.asarray(perceptron.classes_))

    @checked
    @draws_names
    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Axes:
        """Draw the rows and the line of every pass; the last line is dark.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        locale, ax = locale_of(lang), axes_for(ax)
        colours = class_colours([str(label) for label in self.classes])
        _draw_rows(ax, self.points, self.point_codes, colours, zorder=3)
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        room = 0.1 * np.where(high > low, high - low, 1.0)
        (left, bottom), (right, top) = low - room, high + room
        last = len(self.lines) - 1
        for number, line in enumerate(self.lines):
            ends = line_ends(line, left, right, bottom, top)
            # From light to dark: the eye follows the line from pass to pass.
            grey = str(0.85 - 0.4 * number / max(last, 1))
            style: dict[str, Any] = (
                {"color": INK, "linewidth": 2.0} if number == last else {"color": grey, "linewidth": 1.0}
            )
            ax.plot(
                *ends, **style, zorder=2, label=locale.say("after pass {n}", n=number + 1) if number == last else None
            )
        ax.set(xlim=(left, right), ylim=(bottom, top))
        quiet(ax, grid=None, locale=locale)
        legend_outside(ax, len(colours) + 1)
        return ax

    @draws_names
    def plot_errors(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Axes:
        """Draw the number of wrong predictions in each pass.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.
        """
        from matplotlib.ticker import MaxNLocator

        ax = axes_for(ax)
        ax.plot(np.arange(1, len(self.errors) + 1), self.errors, color=INK, marker="o", markersize=3)
        locale = locale_of(lang)
        ax.set(xlabel=locale.say("pass"), ylabel=locale.say("wrong predictions"))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return quiet(ax, locale=locale)


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
    _shade(ax, x, y, codes, PALETTE[:2])


def draw_labellings(
    points: np.ndarray,
    labellings: np.ndarray,
    realised: np.ndarray,
    models: Sequence[Any],
    *,
    max_panels: int,
    locale: Locale = ENGLISH,
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
    locale : Locale
    """
    if points.shape[1] != 2:
        raise InputError(
            "points-not-in-plane",
            "Labellings are drawn in the plane; these points have {n:,} {n:coordinate|coordinates}.",
            n=points.shape[1],
        )
    order = np.argsort(realised, kind="stable")[:max_panels]
    if len(order) == len(labellings):
        order = np.arange(len(labellings))
    figure, panels = panel_grid(len(order), size=(1.9, 1.9))
    for ax, i in zip(panels, order, strict=True):
        _draw_labelling(ax, points, labellings[i], bool(realised[i]), models[i])
    values = {"done": int(realised.sum()), "all": len(labellings), "shown": len(order)}
    if len(order) < len(labellings):
        title = locale.say("{done:,} of {all:,} labellings realised, {shown:,} shown", **values)
    else:
        title = locale.say("{done:,} of {all:,} labellings realised", **values)
    figure.suptitle(title, fontsize=10, color=INK)
    return figure


def _draw_labelling(ax: Axes, points: np.ndarray, labels: np.ndarray, realised: bool, model: Predictor) -> None:
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
