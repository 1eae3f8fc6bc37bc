"""``vaglio report TABLE --target NAME [--out report.html]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._command_lines import Recipe
from vaglio.cli._options import (
    REJECTED,
    Accept,
    CostOptions,
    EvaluationOptions,
    Jobs,
    Seed,
    TableFile,
    UsageError,
    check_options,
    criterion,
    learner_option,
    output_option,
    pair,
    settings_option,
)
from vaglio.cli._output import Answer, Outputs, after_model, alarms_data, alarms_shown, locale, next_line, with_table
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import OpenRows, WorkOptions
from vaglio.cli._searching import (
    SEPARATE_TEST,
    Search,
    SearchKind,
    Strategy,
    Trials,
    check_cost_file,
    check_strategy,
)
from vaglio.messages.message import text

if TYPE_CHECKING:
    from vaglio.evaluation.acceptance import Acceptance
    from vaglio.model.families import Task
    from vaglio.runtime.progress import Report
    from vaglio.study import Study

Learners = Annotated[
    list[str] | None,
    learner_option(
        help=(
            "A learner to try; may be repeated; 'all' for all learners. Default: c45, ripper, "
            "naive-bayes, logistic, random-forest and gradient-boosting; for numbers cart, linear, knn, random-forest "
            "and gradient-boosting."
        ),
    ),
]
Settings = Annotated[
    list[str] | None,
    settings_option(help="A parameter of every learner that has it, e.g. min_samples_leaf=5; may be repeated."),
]
Out = Annotated[Path, output_option("--out", "-o", metavar="FILE", help="The HTML file.")]
Model = Annotated[Path | None, output_option("--model", metavar="FILE", help="Also save the selected model.")]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: Learners = None,
    settings: Settings = None,
    strategy: Strategy = "cross-validation",
    search: SearchKind = Search.none,
    trials: Trials = 10,
    evaluating: EvaluationOptions,
    accept: Accept = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    work: WorkOptions,
    out: Out = Path("report.html"),
    model: Model = None,
) -> Answer:
    """Write an HTML page about a table and its best model: data, learners, figures, model, examples, how to repeat it.

    Learners are compared by five-fold cross-validation with default parameters (--search tunes them); from 200,000
    cells on by three-fold, where a learner that is clearly behind after one fold is dropped. On a small table the
    selection is evaluated by nested cross-validation with ten outer folds (--folds), on a larger one on a hold-out set
    of 20% (--holdout), or on another table (--test). The page is one file of less than 3 MB. A table larger than memory
    is read in chunks, and its columns are summarized one by one on disk.
    """
    from vaglio.cli._learners import named_learners
    from vaglio.model.costs import cost_name
    from vaglio.report.method import python_lines

    _check(evaluating, strategy)
    wanted = criterion(accept)
    outputs = Outputs([out], (".html", ".htm"))
    saved = Outputs([model] if model else [], (".vaglio",))
    named = named_learners(learner)
    test, cost = evaluating.test, evaluating.cost
    chosen = {"learner": learner, "set": settings, "strategy": _unless(strategy, "cross-validation")}
    chosen |= {"search": _unless(search.value, "none"), "trials": _unless(trials, 10)}
    chosen |= {"positive": evaluating.positive, "test": test and Path(test).name, "folds": evaluating.folds}
    chosen |= {"holdout": evaluating.holdout, "cost": cost_name(cost), "accept": accept}
    with work.working():
        opened = work.rows(table, reading, learners=named)
        check_options(wanted, evaluating, opened.task)
        estimators = _estimators(learner, settings, seed, jobs, opened.task)
        study = _study(opened, estimators, strategy, search, trials, evaluating, seed)
        recipe = opened.recipe("report", {**chosen, "seed": seed})
        evaluation = _write(study, out, recipe, evaluating.positive)
    verdict = None if wanted is None else wanted.decide(evaluation)
    facts = {"command": recipe.shell, "python": python_lines(study, recipe.read())}
    for path in saved.paths:
        study.fitted.with_provenance(**facts, **({} if verdict is None else {"acceptance": verdict.to_dict()})).save(
            path
        )
    return _answer(study, evaluation, verdict, outputs, saved, table, recipe, evaluating)


def _check(evaluating: EvaluationOptions, strategy: str) -> None:
    """Refuse what does not go together before a table is read."""
    check_strategy(strategy)
    check_cost_file(evaluating.cost)
    if evaluating.folds is not None and strategy != "cross-validation":
        raise UsageError(
            "folds-need-strategy",
            "--folds needs --strategy cross-validation.",
        )
    if evaluating.test is not None and strategy not in SEPARATE_TEST:
        raise UsageError(
            "test-with-strategy",
            (
                "--test evaluates after the selection, but the strategy {strategy} selects and evaluates on "
                "the same rows."
            ),
            strategy=strategy,
        )


def _unless(value: Any, default: Any) -> Any:
    """None for the default, which the repeated command need not name."""
    return None if value == default else value


def _estimators(
    learner: list[str] | None, settings: list[str] | None, seed: int, jobs: int, task: Task
) -> dict[str, Any]:
    """The learners by id; each takes the settings it has a parameter for, and every setting must fit one."""
    from vaglio.cli._learners import learner_ids, make_learner
    from vaglio.report.limits import DEFAULT_LEARNERS

    ids = learner_ids(learner, task) if learner else list(DEFAULT_LEARNERS[task])
    names = {given: pair(given, "--set")[0].replace("-", "_") for given in settings or []}
    known = {one: make_learner(one, None, seed, jobs, task=task).get_params() for one in ids}
    for name in names.values():
        if not any(name in params for params in known.values()):
            raise UsageError(
                "parameter-of-none",
                "--set {name}: none of {ids} has this parameter.",
                name=name,
                ids=", ".join(ids),
            )
    fitting = {one: [given for given, name in names.items() if name in known[one]] for one in ids}
    return {one: make_learner(one, fitting[one], seed, jobs, task=task) for one in ids}


def _study(
    opened: OpenRows,
    estimators: dict[str, Any],
    strategy: str,
    search: Search,
    trials: int,
    evaluating: EvaluationOptions,
    seed: int,
) -> Study:
    from vaglio.report.limits import judging_options
    from vaglio.study import Study

    folds, holdout, cost = evaluating.folds, evaluating.holdout, evaluating.cost
    further = opened.test(evaluating.test)
    size = (len(opened.table), len(opened.table.columns))
    judging = judging_options(*size, strategy=strategy, folds=folds, holdout=holdout, test=further)
    tuning = {"search": search.value} | ({} if search is Search.none else {"n_iter": trials})
    return Study(
        opened.table,
        opened.target,
        learners=estimators,
        strategy=strategy,
        cost=cost,
        seed=seed,
        selection_options={**tuning, **judging},
        task=opened.task,
    )


def _write(study: Study, out: Path, recipe: Recipe, positive: str | None) -> Any:
    """Run the study and write the page, saying what is being done."""
    from vaglio.report import write_report
    from vaglio.report.performance import study_evaluation
    from vaglio.runtime.progress import reporting

    with reporting(None) as report:
        report(0, 1, text("checking the table"))
        rounds = 1 + study.selection_options.get("outer_folds", 0)
        study.run(progress=_Overall(report, rounds))
        evaluation = study_evaluation(study, positive)
        report(0, 1, text("writing the report"))
        name = Path(recipe.table).name if recipe.table != "-" else text("standard input")
        write_report(
            study, out, name=name, positive=positive, command=recipe.shell, source=recipe.read(), lang=locale()
        )
    return evaluation


class _Overall:
    """Progress over several rounds of the same trials, as one bar."""

    def __init__(self, report: Report, rounds: int) -> None:
        self.report, self.rounds = report, rounds
        self.before, self.last = 0, 0

    def __call__(self, done: int, total: int, what: str) -> None:
        if done <= self.last:
            self.before += total
        self.last = done
        self.report(self.before + done, self.rounds * total, what)


def _answer(
    study: Study,
    evaluation: Any,
    verdict: Acceptance | None,
    outputs: Outputs,
    saved: Outputs,
    table: str,
    recipe: Recipe,
    costs: CostOptions,
) -> Answer:
    from vaglio.report.numbers import numbers_sentences
    from vaglio.report.performance import performance_sentences

    numbers = evaluation.task == "regression"
    size = outputs.paths[0].stat().st_size
    data = {
        "alarms": alarms_data(study.alarms, recipe.shell),
        "report": str(outputs.paths[0]),
        "bytes": size,
        "model": [str(path) for path in saved.paths],
        "learner": study.selection.best.learner,
        **(_of_numbers if numbers else _of_classes)(evaluation),
        "reliability": study.selection.strategy.reliability,
        "rows_judged": evaluation.n_rows,
        "learners": study.selection.by_learner(),
    }
    notes: list[str] = [text("The model is in {path}.", path=path) for path in saved.paths]
    notes.append(
        text("The report is in {path} ({size:,.0f} kB). Open it in a browser.", path=outputs.paths[0], size=size / 1000)
    )
    if saved.paths:
        notes.append(after_model(study.fitted, saved.paths[0], table))
    else:
        notes.append(
            next_line(
                with_table("train", table, str(study.target), "--learner", study.selection.best.learner, *costs.said()),
                with_table("audit", table, str(study.target)),
            )
        )
    if not numbers and evaluation.savings is not None:
        data["savings"] = evaluation.savings.to_dict()
    sentences = numbers_sentences if numbers else performance_sentences
    shown = [*alarms_shown(study.alarms, recipe.shell), *sentences(study, evaluation)]
    if verdict is not None:
        data["acceptance"] = verdict.to_dict()
        shown = [*shown, verdict.in_words()]
    return Answer(data, shown, notes, REJECTED if verdict is not None and not verdict else 0)


def _of_classes(evaluation: Any) -> dict[str, Any]:
    support = evaluation.rates.support
    return {"accuracy": evaluation.accuracy.to_dict(), "guessing": float(support.max() / support.sum())}


def _of_numbers(evaluation: Any) -> dict[str, Any]:
    return {"rmse": evaluation.estimate("rmse").to_dict(), "r2": evaluation.r2, "guessing": evaluation.of_mean.rmse}
