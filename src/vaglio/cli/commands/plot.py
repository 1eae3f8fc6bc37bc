"""``vaglio plot MODEL TABLE --out regions.svg [--figure regions] [--x COLUMN --y COLUMN] [--set k=1,5,15]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import (
    Seed,
    UsageError,
    learner_option,
    learning_option,
    option_help,
    out_option,
    output_option,
    pair,
)
from vaglio.cli._output import FIGURES as SUFFIXES
from vaglio.cli._output import Answer, Outputs, as_figure, as_page, locale, next_line
from vaglio.cli._reading import ReadingOptions
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.model.families import Task
    from vaglio.table import Table

# What the notes call a parameter -> what learners call it.
_SHORT = {"k": "n_neighbors", "depth": "max_depth"}

First = Annotated[
    str | None, typer.Argument(metavar="MODEL|TABLE", help="A model file followed by a table, or a table alone.")
]
Second = Annotated[str | None, typer.Argument(metavar="TABLE", help="The table whose rows are drawn.")]
Name = Annotated[
    str, output_option("--figure", "-f", metavar="NAME", help="The figure; without --out, all figures are listed.")
]
Column = Annotated[str | None, output_option(metavar="COLUMN", help="The column across.")]
Up = Annotated[str | None, output_option(metavar="COLUMN", help="The column upwards.")]
Fixed = Annotated[
    list[str] | None,
    output_option(
        "--fix",
        metavar="COLUMN=VALUE",
        help="The value of another column; several with commas make one picture each; may be repeated.",
    ),
]
Setting = Annotated[
    list[str] | None,
    learning_option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the learner, or of the figure; several values with commas make one picture each.",
    ),
]
ALearner = Annotated[str | None, learner_option(help=option_help("The learner; by default that of the figure."))]
Out = Annotated[list[Path] | None, out_option(".svg, .png, .pdf or .html")]


def run(
    model_or_table: First = None,
    table: Second = None,
    *,
    reading: ReadingOptions,
    figure: Name = "regions",
    learner: ALearner = None,
    settings: Setting = None,
    x: Column = None,
    y: Up = None,
    fix: Fixed = None,
    seed: Seed = 0,
    out: Out = None,
) -> Answer:
    """Draw a figure: decision regions, margins, densities, a neuron, ROC curves, entropy and others.

    With a model and a table the figure shows the model; its other columns stay at their median or mode, or at the
    values of --fix. With a table alone, a learner (--learner) is trained. Several values of a parameter make several
    pictures: --set k=1,5,15. Some figures need no table: impurity, means, threshold.
    """
    from vaglio.figures import FIGURES, draw
    from vaglio.figures.drawing import task_of_figure

    outputs = Outputs(out, (*SUFFIXES, ".html"))
    if figure not in FIGURES:
        _refuse(figure, FIGURES)
    if not outputs.paths:
        return _listed(FIGURES)
    model = model_or_table
    if table is None and (model is None or Path(model).suffix != ".vaglio"):
        model, table = None, model  # one name alone is a table, but for a model file
    if model is not None and learner is not None:
        raise UsageError("learner-and-model", "Use either a model or --learner, not both.")
    shown, rows = _read(model, table, reading, FIGURES[figure].needs)
    target = None if rows is None or rows.target is None else rows.column(rows.target)
    task = task_of_figure(figure, learner or shown, target, reading.task.value)
    given, options = _settings(settings, learner, shown, FIGURES[figure], task)
    if (x is None) != (y is None):
        raise UsageError("x-and-y", "Give both columns, --x and --y, or none of them.")

    def picture() -> Any:
        return draw(
            figure,
            learner or shown,
            rows,
            columns=None if x is None or y is None else (x, y),
            fixed={name: value.split(",") for name, value in (pair(each, "--fix") for each in fix or [])},
            settings=given,
            seed=seed,
            lang=locale(),
            task=task,
            **options,
        )

    notes = outputs.write({**as_figure(picture), ".html": as_page(FIGURES[figure].title, lambda: _inline(picture()))})
    return Answer(lambda: {"figure": figure, **outputs.to_data()}, [], notes)


def _inline(picture: Any) -> str:
    from vaglio.plot.style import figure_svg

    return figure_svg(picture, "figure")


def _refuse(figure: str, known: Any) -> None:
    from vaglio.messages.sentences import did_you_mean

    raise UsageError(
        "no-such-figure",
        "There is no figure {figure!r}: {hint}",
        figure=figure,
        hint=did_you_mean(figure, list(known), otherwise=text("there are"), most=len(known)),
    )


def _listed(known: Any) -> Answer:
    """Name all figures."""
    lines = [text("Figures (--figure NAME --out FILE):")]
    lines += [text("  {name:<18}{title}", name=name, title=kind.title) for name, kind in known.items()]
    following = next_line("vaglio plot penguins --figure regions --learner knn --set k=1,5,15 --out regions.svg")
    return Answer({"figures": {name: str(kind.title) for name, kind in known.items()}}, lines, [following])


def _read(model: str | None, table: str | None, reading: ReadingOptions, needs: str) -> tuple[Any, Table | None]:
    """The model, if one is named, and the rows, read as the model reads them."""
    from vaglio.fitted import load

    fitted = None if model is None else load(Path(model))
    if table is None:
        return fitted, None
    if fitted is None:
        return None, reading.read(table, target_needed=needs in ("classes", "model"))
    target = reading.target or fitted.target
    return fitted, reading.file.read_for_model(table, fitted, target)


def _settings(
    settings: list[str] | None, learner: str | None, model: Any, kind: Any, task: Task
) -> tuple[Any, dict[str, Any]]:
    """The values of --set: those of the learner, and those of the figure."""
    from vaglio.cli._learners import values_of, wrong_use
    from vaglio.learners.parameter_text import check_parameters, known_parameter, parse_value
    from vaglio.learners.registry import find

    given: dict[str, list[Any]] = {}
    options: dict[str, Any] = {}
    with wrong_use():
        if learner is not None:
            find(learner, task)
        name_of = learner or (model.learner if model is not None else kind.learner)
        known = find(name_of, task).make().get_params() if name_of else {}
        for each in settings or []:
            typed, value = pair(each, "--set")
            if typed in kind.options:
                options[typed] = parse_value(value)
                continue
            name = known_parameter(_SHORT.get(typed, typed), known, name_of or typed)
            given[name] = values_of(value)
            for one in given[name]:
                check_parameters(find(name_of, task).make().set_params(**{name: one}))
    return given, options
