"""``vaglio.draw``: every figure by its name, from one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vaglio.engines.sources import joined, refuse_out_of_core
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.selection.candidates import task_asked
from vaglio.figures import curves, networks, planes, tables
from vaglio.figures.planes import Subject
from vaglio.fitted import Fitted
from vaglio.learners.registry import find
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.families import Task
from vaglio.runtime.arguments import checked
from vaglio.table import Column, Table, as_table, decide_task
from vaglio.typing import ColumnLike, Estimator, Predictor, TableSource

__all__ = ["FIGURES", "FigureKind", "draw", "task_of_figure"]


@dataclass(frozen=True)
class FigureKind:
    """A figure that can be drawn.

    Attributes
    ----------
    title : Message
        What it shows.
    draw : callable
        From a :class:`Subject` to a matplotlib figure.
    needs : {"nothing", "table", "classes", "model"}
        What must be passed: no table, a table, a table with its class column; or a model, for which a learner and a
        table will do.
    learner : str
        The learner that is trained if none is given.
    options : tuple of str
        What only this figure takes.
    tasks : tuple of {"classification", "regression"}
        What the target of a figure of a model may hold.
    """

    title: Message
    draw: Callable[[Subject], Any]
    needs: Literal["nothing", "table", "classes", "model"] = "classes"
    learner: str = ""
    options: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ("classification",)


_NUMBERS: tuple[Task, ...] = ("regression",)
_BOTH: tuple[Task, ...] = ("classification", "regression")

FIGURES: dict[str, FigureKind] = {
    "regions": FigureKind(text("Decision regions in two columns"), planes.draw_regions, learner="cart"),
    "margin": FigureKind(text("Margin, support vectors and slacks"), planes.draw_margin, learner="svm"),
    "path": FigureKind(text("The line of a perceptron, pass by pass"), planes.draw_path, learner="perceptron"),
    "ellipses": FigureKind(text("Gaussian ellipses of the classes"), planes.draw_ellipses),
    "densities": FigureKind(text("Densities of two columns in each class"), planes.draw_class_densities),
    "generative": FigureKind(text("A discriminative beside a generative model"), planes.draw_generative),
    "distance": FigureKind(
        text("Distance from a point: Euclid beside a forest"), planes.draw_distance, options=("point",)
    ),
    "similarity": FigureKind(text("The rows by the distance of a forest"), tables.draw_similarity),
    "boxes": FigureKind(text("Box plots with fences"), tables.draw_boxes, "table"),
    "pairs": FigureKind(text("Pairs of columns"), tables.draw_pairs, "table", options=("diag",)),
    "neuron": FigureKind(text("The neuron or network with its weights"), networks.draw_neuron, "model", "perceptron"),
    "parameter": FigureKind(
        text("Accuracy or R² against a parameter, such as K"), curves.draw_parameter, learner="knn", tasks=_BOTH
    ),
    "learning": FigureKind(
        text("Accuracy or R² against the number of training rows"), curves.draw_learning, learner="cart", tasks=_BOTH
    ),
    "bias-variance": FigureKind(
        text("Bias, variance and noise against a parameter"), curves.draw_bias_variance, learner="cart", tasks=_BOTH
    ),
    "predicted": FigureKind(
        text("True against predicted numbers"), curves.draw_predicted, learner="linear", tasks=_NUMBERS
    ),
    "residuals": FigureKind(
        text("Residuals against predicted numbers"), curves.draw_residuals, learner="linear", tasks=_NUMBERS
    ),
    "errors": FigureKind(
        text("Errors by range of the predicted number"), curves.draw_errors, learner="linear", tasks=_NUMBERS
    ),
    "roc": FigureKind(text("ROC curve, row by row"), curves.draw_roc, learner="naive-bayes", options=("positive",)),
    "precision-recall": FigureKind(
        text("Precision and recall, row by row"),
        curves.draw_precision_recall,
        learner="naive-bayes",
        options=("positive",),
    ),
    "gains": FigureKind(
        text("Positives found, row by row"), curves.draw_gains, learner="naive-bayes", options=("positive", "counts")
    ),
    "lift": FigureKind(text("Lift, row by row"), curves.draw_lift, learner="naive-bayes", options=("positive",)),
    "scores": FigureKind(
        text("Scores of each class, and a threshold"),
        curves.draw_scores,
        learner="naive-bayes",
        options=("positive", "threshold"),
    ),
    "impurity": FigureKind(text("Entropy, Gini index and error"), curves.draw_impurity, "nothing"),
    "means": FigureKind(text("Harmonic against arithmetic mean"), curves.draw_means, "nothing"),
    "threshold": FigureKind(
        text("A threshold between two normal densities"),
        curves.draw_threshold,
        "nothing",
        options=("mean", "sd", "prior", "threshold"),
    ),
}


@checked
def draw(
    figure: str,
    model: str | Estimator | Predictor | None = None,
    X: TableSource | None = None,
    y: str | int | ColumnLike | None = None,
    *,
    columns: Sequence[str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    lang: str | Locale = "en",
    task: str = "auto",
    **options: Any,
) -> Any:
    """Draw a figure by its name.

    Parameters
    ----------
    figure : str
        One of ``vaglio.figures.FIGURES``, for instance "regions", "margin", "neuron", "pairs", "roc" or "impurity"; of
        a target of numbers "predicted", "residuals", "errors", "parameter", "learning" or "bias-variance".
    model : str, estimator or Fitted, optional
        A learner's id, an estimator, or a fitted model; by default the learner of the figure. A learner is trained on
        the two columns that are drawn (on all, with ``fixed``); a fitted model keeps its columns.
    X : Table, frame, array or path, optional
        The rows.
    y : str, int or array-like, optional
        The target in X, or the class or number of each row; by default the target that X has.
    columns : sequence of two str, optional
        The columns of the axes; by default the two numeric columns that tell most about the class.
    fixed : dict, optional
        Values of the other columns; a list of values makes one picture for each. By default medians and modes.
    settings : dict, optional
        Parameters of the learner; a list of values makes one picture for each, such as ``{"n_neighbors": [1, 5, 15]}``.
    seed : int, default=0
        Seed of learners and samples.
    lang : str or Locale, default="en"
        The language of the words and numbers.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default the figure, the model or the values decide.
    **options
        What only this figure has: ``point`` (distance), ``diag`` (pairs), ``positive`` (roc and others), ``counts``
        (gains: rows and positives in place of shares), ``mean``, ``sd``, ``prior`` (threshold) and ``threshold``
        (threshold, scores).

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import vaglio
    >>> penguins = vaglio.datasets.load("penguins")
    >>> figure = vaglio.draw("regions", "knn", penguins, "species", settings={"n_neighbors": [1, 15]})
    >>> len(figure.axes)
    2
    """
    kind = FIGURES.get(figure)
    if kind is None:
        raise InputError(
            "no-such-figure",
            "There is no figure {figure!r}: {hint}",
            figure=figure,
            hint=did_you_mean(figure, list(FIGURES), otherwise=text("there are"), most=len(FIGURES)),
        )
    if unknown := [name for name in options if name not in kind.options]:
        raise InputError(
            "unknown-figure-option",
            "The figure {figure!r} has no option {name!r}: {hint}",
            figure=figure,
            name=unknown[0],
            hint=did_you_mean(unknown[0], list(kind.options), otherwise=text("it has")),
        )
    table, target = _rows(figure, kind, X, y)
    known = None if table is None or target is None else table.column(target)
    found = task_of_figure(figure, model, known, task)
    if columns is not None and len(columns) != 2 and kind.needs != "table":
        raise InputError("two-columns-named", "Name two columns to draw; got {n:,}.", n=len(columns))
    if table is not None:
        for column in columns or ():
            table.column(column)  # one that is not there is refused by name
    subject = Subject(
        find(model, found).make() if isinstance(model, str) else model,
        table,
        target,
        None if columns is None else tuple(columns),  # type: ignore[arg-type]
        {name: _as_list(value) for name, value in (fixed or {}).items()},
        {name: _as_list(value) for name, value in (settings or {}).items()},
        {name: value for name, value in options.items() if value is not None},
        seed,
        locale_of(lang),
        kind.learner,
        found,
    )
    return kind.draw(subject)


def _rows(figure: str, kind: FigureKind, X: Any, y: Any) -> tuple[Table | None, str | None]:
    """Return the table, and the name of its class column."""
    if kind.needs == "nothing":
        return None, None
    if X is None:
        if kind.needs == "model":
            return None, None
        raise InputError("figure-needs-table", "The figure {figure!r} needs a table.", figure=figure)
    refuse_out_of_core(X, "A figure")
    whole, y = joined(X, y)
    table = as_table(whole)
    target = table.target if y is None else y
    if target is None and kind.needs in ("classes", "model"):
        raise InputError("figure-needs-classes", "The figure {figure!r} needs the class column.", figure=figure)
    return table, None if target is None else table.resolve(target)


def task_of_figure(figure: str, model: Any, target: Column | None, asked: str = "auto") -> Task:
    """Return whether a figure shows classes or numbers; a figure that cannot is refused.

    Parameters
    ----------
    figure : str
    model : str, estimator, Fitted or None
    target : Column or None
    asked : {"auto", "classification", "regression"}
    """
    kind = FIGURES[figure]
    if kind.needs not in ("classes", "model"):
        return "classification"
    learner = model or kind.learner
    ready = isinstance(model, Fitted)
    if ready:
        found: Task = "regression" if model.classes is None else "classification"
    elif target is None:
        found = kind.tasks[0]
    else:
        asked, able = task_asked(asked, [learner] if learner else None)
        told = decide_task(target, asked)
        # A figure of numbers decides only what the values leave open: of classes another figure is named.
        able = "regression" if kind.tasks == _NUMBERS else able
        found = decide_task(target, asked, able).task if told.open else told.task
    if found in kind.tasks:
        return found
    if found == "classification":
        raise NotSupportedError(
            "figure-of-classes",
            "The figure {figure!r} shows predicted numbers, and here classes are predicted. Choose one of {figures}.",
            figure=figure,
            figures=listed(
                [name for name, each in FIGURES.items() if each.tasks != _NUMBERS and each.needs == "classes"]
            ),
        )
    if ready:
        raise NotSupportedError(
            "figure-of-regressor",
            "The model predicts numbers; the figure {figure!r} shows a classifier. Choose one of {figures}.",
            figure=figure,
            figures=listed(_figures_of("regression")),
        )
    raise NotSupportedError(
        "figure-of-numbers",
        "The figure {figure!r} shows classes, and the target {target!r} holds numbers. Choose one of {figures}, or "
        "declare the target nominal.",
        figure=figure,
        target="" if target is None else target.name,
        figures=listed(_figures_of("regression")),
    )


def _figures_of(task: Task) -> list[str]:
    """The figures that show a target with classes, or with numbers."""
    return [name for name, each in FIGURES.items() if task in each.tasks and each.needs == "classes"]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
