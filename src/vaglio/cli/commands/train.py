"""``vaglio train TABLE --target NAME --learner c45 --out model.vaglio``"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._command_lines import Recipe, Source, call
from vaglio.cli._options import (
    REJECTED,
    Accept,
    Jobs,
    LearnerOrDefault,
    RepeatedEvaluationOptions,
    Seed,
    Settings,
    TableFile,
    Textbook,
    Threshold,
    UsageError,
    check_options,
    criterion,
    output_option,
    threshold_of,
)
from vaglio.cli._output import Answer, after_model, alarms_data, alarms_shown, locale
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import LongWorkOptions, leak_alarms
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.cli._rows import OpenRows
    from vaglio.evaluation.alarms import Alarm
    from vaglio.evaluation.training import EvaluationPlan, Training
    from vaglio.fitted import Fitted
    from vaglio.model.families import Task

Out = Annotated[Path, output_option("--out", "-o", metavar="FILE", help="The model file.")]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: LearnerOrDefault = None,
    settings: Settings = None,
    textbook: Textbook = False,
    evaluating: RepeatedEvaluationOptions,
    threshold: Threshold = None,
    accept: Accept = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    work: LongWorkOptions,
    out: Out = Path("model.vaglio"),
) -> Answer:
    """Train a model on a table, evaluate it and save it.

    Accuracy is measured on rows that were not used for training (--folds, --holdout or --test). The saved model is
    trained on all rows of the table, except with --holdout. With --cost the model predicts the class of least expected
    cost; a learner without probabilities is trained with the costs as row weights.

    A target of numbers is predicted as a number (--task decides where the values leave that open). --cost then gives
    the costs of a unit of error, as over=1,under=3: a learner with quantiles predicts the one of least cost.

    A table larger than memory is read in chunks, as with --memory; TABLE can then also be a folder or a pattern. The
    model does not depend on the memory, the number of processes or the chunks.
    """
    from vaglio.cli._learners import check_learner, make_learner
    from vaglio.evaluation.training import train_and_evaluate
    from vaglio.learners.registry import DEFAULT
    from vaglio.model.costs import cost_name
    from vaglio.runtime.files import check_writable

    check_writable(out, "model")
    wanted = criterion(accept)
    if wanted is not None and not evaluating.wanted:
        raise UsageError(
            "accept-without-evaluation", "--accept needs an evaluation: add --folds 10, --holdout 0.3 or --test FILE."
        )
    check_learner(learner, settings, textbook, reading.task.value)
    if evaluating.several and work.checkpoint is not None:
        raise UsageError(
            "checkpoint-with-folds",
            "--checkpoint saves the passes of one training and cannot be combined with --folds.",
        )
    data = work.rows(table, reading, evaluating.folds, [learner] if learner else ())
    learner = learner or DEFAULT[data.task]
    estimator = make_learner(learner, settings, seed, jobs, textbook=textbook, task=data.task)
    check_options(wanted, evaluating, data.task)
    plan = evaluating.plan(data.test(evaluating.test), seed)
    limit = None if threshold is None else _limit(threshold, data, evaluating)
    with work.working():
        training = train_and_evaluate(
            estimator, data.rows, None, plan, pos_label=evaluating.positive, cost=evaluating.cost
        )
    fitted = estimator.fitted_
    if limit is not None:
        fitted = fitted.with_threshold(*limit)
        if training.evaluation is not None:
            decided = replace(training.evaluation, positive=limit[1]).at_threshold(limit[0])
            training = replace(training, evaluation=decided)
    evaluation = training.evaluation
    cost = cost_name(evaluating.cost)
    said = {
        "learner": learner,
        "set": [*_textbook(learner, textbook, data.task), *(settings or [])],
        "holdout": plan.held_out,
        "cost": cost,
        "seed": seed,
        "threshold": None if limit is None else f"{limit[1]}={limit[0]:g}",
    }
    if accept is not None:
        said["accept"] = accept
    if accept is not None or data.task == "regression":  # whose model keeps the errors of the evaluation
        said |= {"folds": plan.folds, "repeat": plan.repeat if plan.repeat > 1 else None}
    if data.task == "regression":
        by_repeat = plan.holdout if plan.by_folds else None
        said |= {
            "holdout": plan.held_out or by_repeat,
            "test": _name(evaluating.test),
            "loo": plan.leave_one_out or None,
        }
    recipe = data.recipe("train", said)
    facts: dict[str, Any] = recipe.facts(*_lines(estimator, recipe, plan, cost, limit, _name(evaluating.test)))
    if evaluation is not None:
        facts["scores"] = {"how": training.how, **evaluation.scores_in_brief()}
        if wanted is not None:
            facts["acceptance"] = wanted.decide(evaluation).to_dict()
        if data.task == "regression":
            fitted = fitted.with_residuals(evaluation)
    fitted = fitted.with_target(data.table, data.target).with_provenance(**facts)
    fitted.save(out)
    return _answer(fitted, training, out, table, leak_alarms(data), recipe)


def _textbook(learner: str, textbook: bool, task: Task) -> list[str]:
    """The parameters of the textbook as ``--set`` takes them: the command that is recorded then needs no registry."""
    from vaglio.learners.registry import find

    return [f"{name}={choice.value}" for name, choice in find(learner, task).textbook.items()] if textbook else []


def _limit(threshold: str, data: OpenRows, evaluating: RepeatedEvaluationOptions) -> tuple[float, Any]:
    """The threshold and its class, looked up before the training."""
    from vaglio.evaluation.labels import find_label
    from vaglio.model.costs import CostMatrix

    if evaluating.cost is not None:
        raise UsageError("threshold-and-costs", "Use either --threshold, or --cost and --decide.")
    if data.task == "regression":
        raise UsageError("threshold-of-numbers", "--threshold applies to classes, and numbers are predicted here.")
    labels = data.rows.classes().tolist()
    positive = labels[-1] if evaluating.positive is None else find_label(evaluating.positive, labels)
    limit = threshold_of(threshold, labels, positive)
    CostMatrix.of_threshold(*limit, labels=labels)
    return limit


def _name(test: object) -> str | None:
    """The name of the file of test rows: a recipe names files without their folder."""
    return None if test is None else Path(str(test)).name


def _lines(
    estimator: Any,
    recipe: Recipe,
    plan: EvaluationPlan,
    cost: str | None,
    limit: tuple[float, Any] | None,
    test: str | None,
) -> list[str]:
    """The Python lines that make the same model."""
    from vaglio.learners.provenance import learner_source

    made, save = f"{learner_source(estimator)}", "model.save('model.vaglio')"
    evaluated = test is not None or plan.by_folds or plan.holdout is not None
    if recipe.task == "regression" and evaluated:
        given = {"folds": plan.folds, "holdout": plan.holdout, "repeat": plan.repeat if plan.repeat > 1 else None}
        given |= {
            "leave_one_out": plan.leave_one_out or None,
            "test": None if test is None else Source(recipe.read(test)),
        }
        target = Source("table.target") if recipe.target is None else recipe.target
        return [
            "from vaglio.evaluation import EvaluationPlan, train_and_evaluate",
            f"plan = {call('EvaluationPlan', **given, seed=plan.seed)}",
            f"training = train_and_evaluate({made}, table, {target!r}, plan)",
            "model = training.estimator.fitted_.with_residuals(training.evaluation)",
            save,
        ]
    lines = recipe.training_rows(plan.held_out, plan.seed)
    if cost is not None and recipe.task == "classification":
        lines.insert(0, "from vaglio.evaluation import CostSensitiveClassifier")
        made = f"CostSensitiveClassifier({made}, {cost!r})"
    rule = "" if limit is None else f".with_threshold({limit[0]!r}, {limit[1]!r})"
    return [*lines, f"model = {made}.fit(X, y).fitted_{rule}", save]


def _answer(fitted: Fitted, training: Training, out: Path, table: str, leaks: list[Alarm], recipe: Recipe) -> Answer:
    from vaglio.evaluation.metrics.cost_sensitive import in_words
    from vaglio.messages.sentences import listed
    from vaglio.model.base import size_and_shape, size_in_words

    rows, evaluation = training.n_rows, training.evaluation
    columns = len(fitted.codebook.columns)
    shown: list[str] = [
        text(
            "Trained {learner} on {rows:,} {rows:row|rows} and {columns:,} {columns:column|columns}: {size}.",
            learner=fitted.learner,
            rows=rows,
            columns=columns,
            size=size_in_words(fitted.model),
        )
    ]
    if fitted.ignored_columns:
        shown.append(
            text(
                "Not used: {columns}. They have many distinct values that tell no more about the target than chance.",
                columns=listed(fitted.ignored_columns, quoted=True),
            )
        )
    shown = [*alarms_shown(leaks, recipe.shell), *shown]
    shown += [told] if (told := in_words(fitted)) else []
    notes: list[str] = [text("The model is in {out}.", out=out)]
    if evaluation is None:
        notes.append(
            text("Accuracy was not measured. Add --folds 10, --holdout 0.3 or --test FILE.")
            if fitted.classes is not None
            else text("The error was not measured. Add --folds 10, --holdout 0.3 or --test FILE.")
        )
    else:
        shown += [text("Evaluated {how}:", how=training.how), "", evaluation.to_text(lang=locale())]
    verdict = fitted.provenance.get("acceptance")
    if verdict is not None:
        shown += ["", verdict["text"]]
    notes.append(after_model(fitted, out, table))
    data = {
        "alarms": alarms_data(leaks, recipe.shell),
        "model": str(out),
        "learner": fitted.learner,
        "params": fitted.params,
        "target": fitted.provenance["target"],
        "classes": None if fitted.classes is None else fitted.classes.tolist(),
        "rows": rows,
        "columns": columns,
        "ignored_columns": fitted.ignored_columns,
        "size": size_and_shape(fitted.model),
        "cost": in_words(fitted),
        "evaluation": None if evaluation is None else {"how": training.how, **evaluation.to_dict()},
    }
    if verdict is not None:
        data["acceptance"] = verdict
    return Answer(data, shown, notes, REJECTED if verdict is not None and not verdict["accepted"] else 0)
