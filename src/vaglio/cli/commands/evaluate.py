"""``vaglio evaluate MODEL TABLE`` or ``vaglio evaluate TABLE --target NAME --learner ID [--folds 10]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli import _next, _session
from vaglio.cli import _options as options
from vaglio.cli._outputs import FIGURES, Outputs, as_csv, as_figure, as_json, as_page
from vaglio.cli._plan import check_plan
from vaglio.cli._session import Answer, UsageError

if TYPE_CHECKING:
    from vaglio.evaluation.training import EvaluationPlan

First = Annotated[str, typer.Argument(metavar="MODEL|TABLE", help="A model file and then a table; or a table alone.")]
Second = Annotated[str | None, typer.Argument(metavar="TABLE", help="The table a model is judged on.")]
LearnerOrNone = Annotated[
    str | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="ID",
        help="Judge a learner instead of a model, on a table alone (by default c45).",
        autocompletion=options.complete_learner,
        rich_help_panel=options.LEARNING,
    ),
]
Out = Annotated[
    list[Path] | None,
    options.out_option(".json, .csv (a line a class), .html, or .svg, .png, .pdf (matrix and curves)"),
]


def run(
    model_or_table: First,
    table: Second = None,
    target: options.Target = None,
    learner: LearnerOrNone = None,
    settings: options.Settings = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    test: options.TestFile = None,
    folds: options.Folds = None,
    holdout: options.Holdout = None,
    cost: options.Cost = None,
    positive: options.Positive = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = None,
) -> Answer:
    """Say how good a model, or a learner, is on a table.

    A MODEL is judged on the rows of TABLE, which it should not have learnt from. A TABLE alone judges a learner: by
    ten folds, or as --folds, --holdout or --test say; no model is kept.
    """
    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    check_plan(test, folds, holdout)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    if table is not None:
        _no_learning(learner, settings, test, folds, holdout)
        evaluation, target = _evaluated_model(Path(model_or_table), table, target, reading, positive, cost)
        how, what = f"on {table}", f"{model_or_table}"
        following = [_next.with_model("explain", model_or_table, table, "--wrong")]
    else:
        table, learner = _lone_table(model_or_table), learner or "c45"
        from vaglio.cli import _settings
        from vaglio.evaluation.training import evaluate_learner

        estimator = _settings.make_learner(learner, settings, seed, jobs)
        rows, plan = _planned(table, target, reading, test, folds, holdout, seed)
        X, y = rows.xy()
        evaluation = evaluate_learner(estimator, X, y, plan, pos_label=positive, cost=cost)
        target, how, what = rows.target, str(plan), learner
        following = [
            _next.with_table("train", table, target, "--learner", learner),
            _next.with_table("compare", table, target, "--learner", learner, "--learner", _another(learner)),
        ]

    def data() -> dict[str, Any]:
        return {"what": what, "how": how, **evaluation.to_dict(), **outputs.to_data()}

    notes = outputs.write(
        {
            ".json": as_json(data),
            ".csv": as_csv(evaluation.per_class),
            ".html": as_page(f"Evaluation of {what} {how}", lambda: _page(evaluation)),
            **as_figure(lambda: _drawn(evaluation)),
        }
    )
    if not outputs.paths:
        again = _next.with_table("evaluate", table, target, "--learner", learner) if learner else None
        picture = again or _next.with_model("evaluate", model_or_table, table)
        following.append(f"{picture} --out evaluation.svg")
    shown = [f"{what}, {how}:", "", evaluation.to_text()]
    return Answer(data, [*shown, *_more(evaluation)], [*notes, _next.next_line(*following)])


def _evaluated_model(
    path: Path, table: str, target: str | None, reading: Any, positive: str | None, cost: Path | None
) -> Any:
    from vaglio import evaluate, load
    from vaglio.evaluation.labels import find_label, labels_like

    fitted = load(path)
    if fitted.classes is None:
        raise UsageError(f"{path} predicts numbers; evaluate takes models that predict classes.")
    target = target if target is not None else options.target_of(fitted)
    if target is None:
        raise UsageError(f"{path} does not say which column is the class: add --target.")
    data = reading.read_as(table, fitted, target)
    X, y = data.xy()
    labels = fitted.classes.tolist()
    pos_label = None if positive is None else find_label(positive, labels)
    return evaluate(fitted, X, labels_like(y, labels), pos_label=pos_label, cost=cost), data.target


def _planned(
    table: str,
    target: str | None,
    reading: Any,
    test: str | None,
    folds: int | None,
    holdout: float | None,
    seed: int,
) -> tuple[Any, EvaluationPlan]:
    """The table, and how a learner is evaluated on it: by ten folds unless the options say otherwise."""
    from vaglio.evaluation.training import EvaluationPlan, learning_rows

    if test is None and holdout is None and folds is None:
        folds = 10
    data = reading.read(table, target)
    X, _ = learning_rows(data, folds)
    further = None if test is None else reading.read_for(test, data.target, X.columns)
    return data, EvaluationPlan(folds, holdout, further, seed)


def _no_learning(
    learner: str | None, settings: list[str] | None, test: str | None, folds: int | None, holdout: float | None
) -> None:
    if learner is not None or settings or any(value is not None for value in (test, folds, holdout)):
        raise UsageError(
            "a model is evaluated as it is: --learner, --set, --test, --folds and --holdout go with a table alone."
        )


def _lone_table(path: str) -> str:
    if Path(path).suffix == ".vaglio":
        raise UsageError(f"{path} is a model: give the table too, as in vaglio evaluate {path} TABLE.")
    return path


def _another(learner: str) -> str:
    return "random-forest" if learner != "random-forest" else "c45"


def _page(evaluation: Any) -> str:
    from vaglio.plot.page import figure_svg

    return evaluation._repr_html_() + figure_svg(_drawn(evaluation), "Confusion matrix and curves")


def _drawn(evaluation: Any) -> Any:
    from vaglio.evaluation.displays import draw_overview

    return draw_overview(evaluation)


def _more(evaluation: Any) -> list[str]:
    """With -v, every measure at a few thresholds (two classes)."""
    if not _session.verbose() or not evaluation.binary or evaluation.scores is None:
        return []
    return ["", repr(evaluation.thresholds())]
