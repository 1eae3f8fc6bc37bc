"""``vaglio evaluate MODEL TABLE`` or ``vaglio evaluate TABLE --target NAME --learner ID [--folds 10]``"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import (
    REJECTED,
    Accept,
    Decide,
    Deciding,
    ForSpreadsheet,
    Jobs,
    LearnerOrDefault,
    RepeatedEvaluationOptions,
    Seed,
    Settings,
    Textbook,
    UsageError,
    check_options,
    criterion,
    evaluation_option,
    out_option,
)
from vaglio.cli._output import (
    FIGURES,
    Answer,
    Outputs,
    alarms_data,
    alarms_shown,
    as_csv,
    as_figure,
    as_json,
    as_page,
    locale,
    next_line,
    verbose,
    with_model,
    with_table,
)
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import WorkOptions, leak_alarms
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.evaluation import Criterion, Evaluation, RegressionEvaluation
    from vaglio.evaluation.alarms import Alarm
    from vaglio.model.families import Task

First = Annotated[
    str, typer.Argument(metavar="MODEL|TABLE", help="A model file followed by a table, or a table alone.")
]
Second = Annotated[str | None, typer.Argument(metavar="TABLE", help="The table to evaluate the model on.")]
Out = Annotated[
    list[Path] | None,
    out_option(".json, .csv (one line per class, or per measure), .html, or .svg, .png, .pdf (figures)"),
]
BiasVariance = Annotated[
    bool,
    evaluation_option(
        "--bias-variance", help="Also divide the error of the learner into bias, variance and noise (50 models)."
    ),
]


def run(
    model_or_table: First,
    table: Second = None,
    *,
    reading: ReadingOptions,
    learner: LearnerOrDefault = None,
    settings: Settings = None,
    textbook: Textbook = False,
    evaluating: RepeatedEvaluationOptions,
    decide: Decide = None,
    accept: Accept = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    work: WorkOptions,
    bias_variance: BiasVariance = False,
    for_spreadsheet: ForSpreadsheet = False,
    out: Out = None,
) -> Answer:
    """Evaluate a model or a learner on a table.

    A MODEL is evaluated on the rows of TABLE, which should not be among its training rows. With a TABLE alone, a
    learner is evaluated by ten-fold cross-validation, or as --folds, --holdout or --test say; no model is kept. A table
    larger than memory is read in chunks, as with --memory.
    """
    outputs = Outputs(out, (".json", ".csv", ".html", *FIGURES))
    wanted = criterion(accept)
    how: str
    parts = None
    leaks: list[Alarm] = []
    if table is not None:
        _no_learning(learner, settings or (["--textbook"] if textbook or bias_variance else None), evaluating)
        evaluation = _evaluated_model(Path(model_or_table), table, reading, evaluating, decide, wanted, work)
        how, what = text("on {table}", table=table), model_or_table
        again = with_model("evaluate", model_or_table, table)
        following = [with_model("explain", model_or_table, table, "--wrong")]
    else:
        table = _lone_table(model_or_table)
        if decide is not None:
            raise UsageError(
                "decide-without-model",
                "--decide applies to a model with costs. A learner uses the costs given with --cost.",
            )
        from vaglio.cli._learners import check_learner, make_learner
        from vaglio.evaluation.training import evaluate_learner
        from vaglio.learners.registry import DEFAULT

        check_learner(learner, settings, textbook, reading.task.value)
        evaluating = evaluating if evaluating.wanted else replace(evaluating, folds=10)
        opened = work.rows(table, reading, evaluating.folds, [learner] if learner else ())
        what = learner or DEFAULT[opened.task]
        estimator = make_learner(what, settings, seed, jobs, textbook=textbook, task=opened.task)
        check_options(wanted, evaluating, opened.task)
        plan = evaluating.plan(opened.test(evaluating.test), seed)
        with work.working():
            evaluation = evaluate_learner(
                estimator, opened.rows, None, plan, pos_label=evaluating.positive, cost=evaluating.cost
            )
        how, target, leaks = plan.how(opened.rows), opened.target, leak_alarms(opened)
        again = with_table("evaluate", table, target, "--learner", what)
        two = ["--learner", what, "--learner", _another(what, opened.task)]
        following = [
            with_table("train", table, target, "--learner", what, *evaluating.said()),
            with_table("compare", table, target, *two, *evaluating.said()),
        ]

        parts = _parts(estimator, opened.rows, seed) if bias_variance else None

    verdict = None if wanted is None else wanted.decide(evaluation)

    def data() -> dict[str, Any]:
        accepted = {} if verdict is None else {"acceptance": verdict.to_dict()}
        found = evaluation.to_dict()
        found["alarms"] = [*alarms_data(leaks, again), *found["alarms"]]
        divided = {} if parts is None else {"bias_variance": parts.to_dict()}
        return {"what": what, "how": how, **found, **divided, **accepted, **outputs.to_data()}

    notes = outputs.write(
        {
            ".json": as_json(data),
            ".csv": as_csv(lambda: _lines(evaluation), for_spreadsheet),
            ".html": as_page(text("Evaluation of {what} {how}", what=what, how=how), lambda: _page(evaluation)),
            **as_figure(lambda: _drawn(evaluation)),
        }
    )
    if not outputs.paths:
        following.append(f"{again} --out evaluation.svg")
    shown: list[str] = [text("{what}, {how}:", what=what, how=how), "", evaluation.to_text(lang=locale())]
    shown = [*alarms_shown(leaks, again), *shown]
    shown += [] if parts is None else ["", parts.in_words()]
    shown += _more(evaluation) + ([] if verdict is None else ["", verdict.in_words()])
    code = REJECTED if verdict is not None and not verdict else 0
    return Answer(data, shown, [*notes, next_line(*following)], code)


def _parts(estimator: Any, rows: Any, seed: int) -> Any:
    """Bias, variance and noise of the learner on these rows."""
    from vaglio.evaluation import bias_variance
    from vaglio.evaluation.rows import MemoryRows

    if not isinstance(rows, MemoryRows):
        raise UsageError("bias-variance-in-memory", "--bias-variance needs all rows in memory. Add --sample N.")
    return bias_variance(estimator, rows.X, rows.y, random_state=seed)


def _evaluated_model(
    path: Path,
    table: str,
    reading: ReadingOptions,
    evaluating: RepeatedEvaluationOptions,
    decide: Deciding | None,
    wanted: Criterion | None,
    work: WorkOptions,
) -> Evaluation | RegressionEvaluation:
    from vaglio.evaluation import evaluate
    from vaglio.evaluation.labels import find_label
    from vaglio.fitted import load

    fitted = load(path)
    target = reading.target if reading.target is not None else fitted.target
    if target is None:
        raise UsageError("model-without-target", "{path} does not record the target. Add --target COLUMN.", path=path)
    check_options(wanted, evaluating, fitted.task)
    if fitted.classes is None and decide is not None:
        raise UsageError("decide-of-numbers", "--decide applies to a model with costs of classes.")
    labels = [] if fitted.classes is None else fitted.classes.tolist()
    positive = None if evaluating.positive is None else find_label(evaluating.positive, labels)
    way = Deciding.cost if decide is None else decide
    rows = work.rows_for_model(table, reading, fitted, target)
    with work.working():
        found: Evaluation | RegressionEvaluation = evaluate(
            fitted, rows, pos_label=positive, cost=evaluating.cost, decide=way.value
        )
    return found


def _no_learning(learner: str | None, settings: list[str] | None, evaluating: RepeatedEvaluationOptions) -> None:
    if learner is not None or settings or evaluating.wanted:
        raise UsageError(
            "learner-options-with-model",
            (
                "--learner, --set, --test, --folds, --holdout, --loo and --bias-variance evaluate a learner on a "
                "table; they do not apply to a model."
            ),
        )


def _lone_table(path: str) -> str:
    if Path(path).suffix == ".vaglio":
        raise UsageError(
            "model-without-table",
            "{path} is a model. Add the table: vaglio evaluate {path} TABLE.",
            path=path,
        )
    return path


def _another(learner: str, task: Task) -> str:
    """A learner to compare with: the most accurate one as a rule, and a readable one beside it."""
    from vaglio.learners.registry import DEFAULT

    return "random-forest" if learner != "random-forest" else DEFAULT[task]


def _lines(evaluation: Any) -> list[dict[str, Any]]:
    """One line per class; of numbers, one line per measure."""
    lines: list[dict[str, Any]] = (
        evaluation.per_class() if evaluation.task == "classification" else evaluation.measures()
    )
    return lines


def _page(evaluation: Evaluation | RegressionEvaluation) -> str:
    from vaglio.plot.style import figure_svg

    title = (
        text("Confusion matrix and curves")
        if evaluation.task == "classification"
        else text("Predicted and true numbers, and residuals")
    )
    return evaluation.to_html(lang=locale()) + figure_svg(_drawn(evaluation), title)


def _drawn(evaluation: Evaluation | RegressionEvaluation) -> Any:
    from vaglio.evaluation.displays import draw_overview

    return draw_overview(evaluation, locale())


def _more(evaluation: Any) -> list[str]:
    """With -v, every measure at a few thresholds (two classes)."""
    if evaluation.task == "regression" or not verbose() or not evaluation.binary or evaluation.scores is None:
        return []
    return ["", evaluation.thresholds().to_text(lang=locale())]
