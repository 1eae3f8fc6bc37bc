"""Figures in the plane of two columns: regions, densities, margins, the line of a perceptron, distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from vaglio.errors import InputError
from vaglio.fitted import Fitted
from vaglio.learners.registry import find
from vaglio.messages.locale import ENGLISH, Locale
from vaglio.messages.message import Message, join, text
from vaglio.model.families import Task
from vaglio.plot.decision_region import DecisionRegionDisplay, PerceptronPathDisplay, grid_lines
from vaglio.plot.style import INK, MUTED, axes_grid, class_colours, legend_outside, panel_grid, quiet
from vaglio.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Pictures side by side, and grid lines of each: more would be too small, or slow to predict.
_MOST_PANELS, _RESOLUTION = 12, 120
# Passes of a perceptron that are drawn, unless others are asked for.
_PASSES = 20
# Standard deviations at which the ellipse of a Gaussian is drawn.
_DEVIATIONS = (1.0, 2.0)


@dataclass(frozen=True)
class Subject:
    """What a figure shows.

    Attributes
    ----------
    model : estimator, Fitted or None
        A learner to be trained, or a model.
    table : Table or None
    target : str or None
        The class column.
    columns : (str, str) or None
        The columns of a plane.
    fixed : dict of str to list
        Values of the other columns.
    settings : dict of str to list
        Values of parameters of the learner; each gets a picture.
    options : dict
        What only this figure has.
    seed : int
    locale : Locale
    default : str
        The learner of the figure, if there is no model.
    task : {"classification", "regression"}
        Whether the target has classes or numbers.
    """

    model: Any = None
    table: Table | None = None
    target: str | None = None
    columns: tuple[str, str] | None = None
    fixed: Mapping[str, list[Any]] = field(default_factory=dict)
    settings: Mapping[str, list[Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    locale: Locale = ENGLISH
    default: str = ""
    task: Task = "classification"

    @property
    def data(self) -> Table:
        """The table; a figure that needs none does not ask."""
        assert self.table is not None
        return self.table

    @property
    def y(self) -> np.ndarray:
        """The class, or the number, of every row."""
        assert self.target is not None
        return np.asarray(self.data.xy(self.target, task=self.task)[1])

    @property
    def X(self) -> Table:
        """The other columns."""
        if self.target is None or self.target not in self.data:
            return self.data
        inputs: Table = self.data.xy(self.target, task=self.task)[0]
        return inputs

    def plane(self, *, numeric: bool = False) -> tuple[str, str]:
        """Return the two columns to draw: those named, else the two that tell most about the class."""
        names = [name for name in self.X.columns if self.data.column(name).kind != "text"]
        numbers = [name for name in names if self.data.column(name).kind == "numeric"]
        if self.columns is not None:
            if numeric and (wrong := [name for name in self.columns if name not in numbers]):
                raise InputError(
                    "figure-needs-numbers", "This figure needs two numeric columns; {column!r} is not.", column=wrong[0]
                )
            return self.columns
        candidates = numbers if numeric or len(numbers) >= 2 else names
        if len(candidates) < 2:
            raise InputError("figure-needs-columns", "This figure needs two columns to draw.")
        if len(candidates) > 2 and self.target is not None:
            from vaglio.quality import rank_attributes

            ranked = [score.attribute for score in rank_attributes(self.data, self.target, seed=self.seed)]
            candidates = [name for name in ranked if name in candidates] or candidates
        return candidates[0], candidates[1]

    def learner(self) -> Any:
        """Return the learner, not fitted: of a model, one with the same parameters."""
        if isinstance(self.model, Fitted):
            return find(self.model.learner, self.task).cls(**self.model.params)
        return find(self.default, self.task).make() if self.model is None else clone(self.model)

    @property
    def is_fitted(self) -> bool:
        """Whether there is a model, which is drawn as it is."""
        return (isinstance(self.model, Fitted) or is_trained(self.model)) and not self.settings

    def set_learner(self) -> Any:
        """Return the learner with the first value of every setting."""
        params = {name: values[0] for name, values in self.settings.items()}
        return seeded(self.learner().set_params(**params), self.seed)

    def fitted(self, columns: tuple[str, str], **params: Any) -> tuple[Any, Table]:
        """Return a fitted model, and the rows as it takes them.

        A model keeps its columns. A learner is trained on the two columns, or on all if values are given for others.
        """
        if self.is_fitted:
            return self.model, self.X
        keeps_columns = bool(self.fixed) or isinstance(self.model, Fitted) or is_trained(self.model)
        X = self.X if keeps_columns else self.X.select(list(columns))
        return seeded(self.learner().set_params(**params), self.seed).fit(X, self.y), X

    def whole_model(self) -> Any:
        """Return the model, or the learner trained on all columns."""
        return self.model if self.is_fitted else self.set_learner().fit(self.X, self.y)

    def panels(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield parameters and fixed values of every picture."""
        parameters = [[(name, value) for value in values] for name, values in self.settings.items()]
        others = [[(name, value) for value in values] for name, values in self.fixed.items()]
        every = list(product(*parameters, *others))
        if len(every) > _MOST_PANELS:
            raise InputError(
                "too-many-pictures",
                "These settings make {n:,} pictures; at most {most} fit side by side.",
                n=len(every),
                most=_MOST_PANELS,
            )
        for combination in every:
            yield dict(combination[: len(parameters)]), dict(combination[len(parameters) :])


def is_trained(model: Any) -> bool:
    """Return whether an estimator is fitted: of which library, and of classes or numbers, does not matter."""
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return True


def seeded(learner: Any, seed: int) -> Any:
    """Return the learner with this seed, unless it has one."""
    if "random_state" in learner.get_params() and learner.random_state is None:
        learner.set_params(random_state=seed)
    return learner


def _titled(locale: Locale, values: Mapping[str, Any]) -> str:
    written = (locale.number(v, "g") if isinstance(v, float) else str(v) for v in values.values())
    return ", ".join(f"{name} = {value}" for name, value in zip(values, written))


def _note(locale: Locale, display: DecisionRegionDisplay, varied: Mapping[str, Any]) -> Message | str:
    """What the picture does not show: the values of the other columns, and rows without a value."""
    parts: list[Message | str] = []
    held = {name: value for name, value in display.fixed.items() if name not in varied}
    if held:
        parts.append(text("Other columns: {values}.", values=_titled(locale, held)))
    if display.n_hidden:
        parts.append(
            text(
                "{n:,} {n:row|rows} with a missing value {n:is|are} not drawn.",
                n=display.n_hidden,
            )
        )
    return join(" ", parts)


def draw_regions(subject: Subject, *, slack: bool = False) -> Any:
    """Draw the class predicted at every point of the plane, one picture per setting."""
    columns, locale = subject.plane(numeric=slack), subject.locale
    every = list(subject.panels())
    figure, axes = _figure(len(every))
    note: Message | str = ""
    for ax, (params, fixed) in zip(axes, every, strict=True):
        model, X = subject.fitted(columns, **params)
        display = DecisionRegionDisplay.from_estimator(
            model, X, subject.y, _RESOLUTION if len(every) > 1 else 200, columns=columns, fixed=fixed
        )
        display.plot(ax, lang=locale, slack=slack)
        if len(every) > 1:
            ax.set_title(_titled(locale, {**params, **fixed}), fontsize=10)
            handles = _without_legend(ax)
        note = _note(locale, display, subject.fixed)
    if len(every) > 1:  # one legend for all panels
        across = min(len(handles[0]), 3 * min(len(every), 2))
        figure.legend(*handles, loc="outside upper center", ncols=across, frameon=False, fontsize=9)
    if note:
        figure.supxlabel(_wrapped(locale.text(note), 60 * min(len(every), 4)), fontsize=8, color=MUTED)
    return figure


def _without_legend(ax: Axes) -> tuple[list[Any], list[Any]]:
    """Remove the legend of a panel; return what it said."""
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    return ax.get_legend_handles_labels()


def _legend_above(figure: Any, handles: tuple[list[Any], list[Any]]) -> None:
    """Add one legend for all panels, where it covers no line."""
    figure.legend(*handles, loc="outside upper center", ncols=min(len(handles[0]), 6), frameon=False, fontsize=9)


def _figure(n: int) -> tuple[Any, list[Axes]]:
    """Return a figure with so many planes."""
    return panel_grid(n, size=(5.6, 4.4) if n == 1 else (3.4, 3.1))


def _wrapped(words: str, width: int) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(words, max(width, 80))[:4])


def draw_margin(subject: Subject) -> Any:
    """Draw hyperplane, margins, support vectors and slacks of a support vector machine."""
    if len(set(subject.y.tolist())) != 2:
        raise InputError("margin-needs-two-classes", "A margin lies between two classes. Pass a table with two.")
    return draw_regions(subject, slack=True)


# -- densities -------------------------------------------------------------------------------------------------------
def _moments(points: np.ndarray, labels: np.ndarray) -> dict[Any, tuple[np.ndarray, np.ndarray]]:
    """Mean and covariance of every class with enough rows."""
    found = {}
    for label in sorted(set(labels.tolist()), key=str):
        mine = points[labels == label]
        if len(mine) > 2:
            found[label] = mine.mean(axis=0), np.cov(mine.T)
    return found


def _known(subject: Subject, columns: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """The rows that have a value in both columns, and their classes."""
    points = np.column_stack([np.asarray(subject.data.column(name).values, dtype=float) for name in columns])
    complete = ~np.isnan(points).any(axis=1)
    return points[complete], subject.y[complete]


def _ellipse(mean: np.ndarray, covariance: np.ndarray, deviations: float) -> np.ndarray:
    """The points at so many standard deviations from the mean, in every direction."""
    sizes, axes = np.linalg.eigh(covariance)
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    line: np.ndarray = mean[:, None] + axes @ (deviations * np.sqrt(np.maximum(sizes, 0))[:, None] * circle)
    return line


def draw_ellipses(subject: Subject) -> Any:
    """Draw the rows of each class with the ellipses of its Gaussian, and of one with independent columns."""
    columns, locale = subject.plane(numeric=True), subject.locale
    points, labels = _known(subject, columns)
    colours = class_colours(sorted(set(labels.tolist()), key=str))
    figure, (ax,) = _figure(1)
    for label, colour in colours.items():
        mine = points[labels == label]
        ax.scatter(mine[:, 0], mine[:, 1], s=14, color=colour, alpha=0.5, linewidths=0, label=str(label))
    for label, (mean, covariance) in _moments(points, labels).items():
        for deviations in _DEVIATIONS:
            ax.plot(*_ellipse(mean, covariance, deviations), color=colours[label], linewidth=1.6)
            independent = np.diag(np.diag(covariance))
            ax.plot(*_ellipse(mean, independent, deviations), color=colours[label], linewidth=0.9, linestyle=":")
        ax.plot(*mean, "+", color=INK, markersize=9)
    ax.plot([], [], color=MUTED, linewidth=1.6, label=locale.say("Gaussian, 1 and 2 deviations"))
    ax.plot([], [], color=MUTED, linewidth=0.9, linestyle=":", label=locale.say("independent columns"))
    ax.set(xlabel=columns[0], ylabel=columns[1])
    quiet(ax, grid=None, locale=locale)
    legend_outside(ax, len(colours) + 2)
    return figure


def draw_class_densities(subject: Subject) -> Any:
    """Draw the density of a column in each class: of the rows, and as a Gaussian."""
    from vaglio.plot.distributions import draw_density

    columns, locale = subject.plane(numeric=True), subject.locale
    figure, axes = panel_grid(2, size=(4.2, 3.4))
    labels = subject.y
    colours = class_colours(sorted(set(labels.tolist()), key=str))
    for ax, name in zip(axes, columns, strict=True):
        values = np.asarray(subject.data.column(name).values, dtype=float)
        known = ~np.isnan(values)
        x = grid_lines(values[known], 201)
        for label, colour in colours.items():
            mine = values[known & (labels == label)]
            if len(mine) < 2 or mine.std() == 0:
                continue
            draw_density(ax, mine, x, colour, label=str(label))
            gaussian = np.exp(-0.5 * ((x - mine.mean()) / mine.std(ddof=1)) ** 2) / (
                mine.std(ddof=1) * np.sqrt(2 * np.pi)
            )
            ax.plot(x, gaussian, color=colour, linewidth=1.0, linestyle="--")
        ax.set(xlabel=name, ylabel=locale.say("density"), ylim=(0, None))
        quiet(ax, grid="y", locale=locale)
    axes[0].plot([], [], color=MUTED, linestyle="--", label=locale.say("as a Gaussian"))
    _legend_above(figure, axes[0].get_legend_handles_labels())
    return figure


def draw_generative(subject: Subject) -> Any:
    """Draw a discriminative model, which has a boundary, beside a generative one, which has densities."""
    columns, locale = subject.plane(numeric=True), subject.locale
    points, labels = _known(subject, columns)
    X = _frame(columns, points)
    figure, axes = panel_grid(2, size=(4.4, 3.9))
    models = (
        (find("logistic").cls(), text("Discriminative: logistic regression, P(c|x)")),
        (find("gaussian-map").cls(), text("Generative: a Gaussian per class, p(x|c)")),
    )
    for ax, (model, title) in zip(axes, models, strict=True):
        display = DecisionRegionDisplay.from_estimator(model.fit(X, labels), X, labels, _RESOLUTION)
        display.values = None  # the boundary of all classes is drawn instead
        display.plot(ax, lang=locale)
        _draw_borders(ax, model, columns, display)
        ax.set_title(locale.text(title), fontsize=10)
    right = axes[1]
    colours = class_colours(sorted(set(labels.tolist()), key=str))
    for label, (mean, covariance) in _moments(points, labels).items():
        for deviations in (0.5, 1.0, 1.5, 2.0):
            right.plot(*_ellipse(mean, covariance, deviations), color=colours[label], linewidth=1.0)
    for ax in axes:
        ax.set(xlim=(display.x[0], display.x[-1]), ylim=(display.y[0], display.y[-1]))
        handles = _without_legend(ax)
    _legend_above(figure, handles)
    return figure


def _draw_borders(ax: Axes, model: Any, columns: tuple[str, str], display: DecisionRegionDisplay) -> None:
    """Draw where two classes are equally probable: from probabilities a smooth line, unlike from the classes."""
    across, up = np.meshgrid(display.x, display.y)
    probability = model.predict_proba(_frame(columns, np.column_stack([across.ravel(), up.ravel()])))
    for k in range(1, probability.shape[1]):  # the first class shares each of its borders with another one
        lead = probability[:, k] - np.delete(probability, k, axis=1).max(axis=1)
        ax.contour(display.x, display.y, lead.reshape(across.shape), levels=[0.0], colors=INK, linewidths=1.2)


# -- the perceptron --------------------------------------------------------------------------------------------------
def draw_path(subject: Subject) -> Any:
    """Draw the line of a perceptron after each pass, and the errors of each pass."""
    columns, locale = subject.plane(numeric=True), subject.locale
    points, labels = _known(subject, columns)
    X = Table.from_any(dict(zip(columns, points.T)))
    learner = subject.set_learner()
    if getattr(learner, "_learner_id", "") != "perceptron":
        raise InputError("path-needs-perceptron", "This figure shows a perceptron. Choose the learner perceptron.")
    if "max_iter" not in subject.settings and not isinstance(subject.model, Fitted):
        learner.set_params(max_iter=_PASSES)  # a line of a thousand passes is a grey surface
    path = PerceptronPathDisplay.from_estimator(learner.fit(X, labels), points, labels)
    figure, axes = panel_grid(2, size=(4.4, 3.8))
    path.plot(axes[0], lang=locale)
    axes[0].set(xlabel=columns[0], ylabel=columns[1])
    path.plot_errors(axes[1], lang=locale)
    return figure


# -- distances -------------------------------------------------------------------------------------------------------
def draw_distance(subject: Subject) -> Any:
    """Colour the plane by the distance from a point: Euclidean, and that of a forest."""
    from vaglio.plot.style import translate_ticks

    columns, locale = subject.plane(numeric=True), subject.locale
    points, labels = _known(subject, columns)
    given = subject.options.get("point")
    point = np.median(points, axis=0) if given is None else np.asarray(given, dtype=float)
    if point.shape != (2,):
        raise InputError("point-of-two", "Give the point as two numbers, one per column.")
    lines = [grid_lines(points[:, j], _RESOLUTION) for j in range(2)]
    grid = np.column_stack([np.tile(lines[0], _RESOLUTION), np.repeat(lines[1], _RESOLUTION)])
    euclid = np.sqrt((((grid - point) / points.std(axis=0)) ** 2).sum(axis=1))
    learner = clone(subject.model) if hasattr(subject.model, "similarity") else find("random-forest").make()
    forest = seeded(learner, subject.seed).fit(_frame(columns, points), labels)
    shared = forest.similarity(_frame(columns, grid), _frame(columns, point[None])).toarray().ravel()
    figure, axes = axes_grid(1, 2, (9.0, 4.2))
    titles = (text("Euclidean distance"), text("Distance of the forest"))
    colours = class_colours(sorted(set(labels.tolist()), key=str))
    for ax, distance, title in zip(axes[0], (euclid, 1 - shared), titles):
        image = ax.pcolormesh(*lines, distance.reshape(_RESOLUTION, _RESOLUTION), cmap="viridis", rasterized=True)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label=locale.say("distance from the point"))
        translate_ticks(bar.ax, locale)
        for label, colour in colours.items():
            mine = points[labels == label]
            ax.scatter(mine[:, 0], mine[:, 1], s=12, color=colour, edgecolor="white", linewidth=0.4, label=str(label))
        ax.plot(*point, "*", color="white", markeredgecolor=INK, markersize=15, label=locale.say("the point"))
        ax.set(xlabel=columns[0], ylabel=columns[1])
        ax.set_title(locale.text(title), fontsize=11, color=INK)
        quiet(ax, grid=None, locale=locale)
    _legend_above(figure, axes[0][0].get_legend_handles_labels())
    return figure


def _frame(columns: tuple[str, str], points: np.ndarray) -> Table:
    table: Table = Table.from_any(dict(zip(columns, points.T)))
    return table


__all__ = [
    "Subject",
    "draw_class_densities",
    "draw_distance",
    "draw_ellipses",
    "draw_generative",
    "draw_margin",
    "draw_path",
    "draw_regions",
    "seeded",
]
