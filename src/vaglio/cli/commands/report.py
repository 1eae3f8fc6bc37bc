"""``vaglio report TABLE --target NAME [--out report.html]``"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._command_lines import Recipe
from vaglio.cli._options import (
    REJECTED,
    Accept,
    EvaluationOptions,
    Jobs,
    Seed,
    TableFile,
    UsageError,
    criterion,
    learner_option,
    output_option,
    pair,
    settings_option,
)
from vaglio.cli._output import Answer, Outputs, after_model, next_line, with_table
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._searching import (
    SEPARATE_TEST,
    Search,
    SearchKind,
    Strategy,
    Trials,
    check_cost_file,
    check_strategy,
)

if TYPE_CHECKING:
    from vaglio.evaluation import Evaluation
    from vaglio.evaluation.acceptance import Acceptance
    from vaglio.runtime.progress import Report
    from vaglio.study import Study
    from vaglio.table import Table

Learners = Annotated[
    list[str] | None,
    learner_option(
        help="A learner to try; may be repeated, and 'all' names all of them. "
        "By default c45, ripper, naive-bayes, logistic, random-forest and gradient-boosting.",
    ),
]
Settings = Annotated[
    list[str] | None,
    settings_option(help="A parameter of every learner that has it, e.g. min_samples_leaf=5; may be repeated."),
]
Out = Annotated[Path, output_option("--out", "-o", metavar="FILE", help="The page.")]
Model = Annotated[Path | None, output_option("--model", metavar="FILE", help="Save the chosen model as well.")]


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
    out: Out = Path("report.html"),
    model: Model = None,
) -> Answer:
    """Write one HTML page about a table and a model of it: data, learners, figures, model, examples, how to repeat it.

    Learners are compared by five-fold cross-validation with their default parameters (--search tunes them); from
    200,000 cells on by three-fold, where a learner that is clearly behind after a fold is not tried on the others. On a
    small table the choice is evaluated by repeating it in ten outer folds (--folds), on a larger one by a fifth of the
    rows kept apart (--holdout), or on another table (--test). The page is one file and stays below 3 MB.
    """
    from vaglio.evaluation.training import learning_rows
    from vaglio.report.method import python_lines

    _check(evaluating, strategy)
    wanted = criterion(accept)
    outputs = Outputs([out], (".html", ".htm"))
    saved = Outputs([model] if model else [], (".vaglio",))
    estimators = _estimators(learner, settings, seed, jobs)
    data = reading.read(table)
    X, _ = learning_rows(data)
    test, cost = evaluating.test, evaluating.cost
    further = reading.read_test(test, data.target, X.columns)
    study = _study(data, estimators, strategy, search, trials, evaluating, further, seed)
    chosen = {"learner": learner, "set": settings, "strategy": _unless(strategy, "cross-validation")}
    chosen |= {"search": _unless(search.value, "none"), "trials": _unless(trials, 10)}
    chosen |= {"positive": evaluating.positive, "test": test and Path(test).name, "folds": evaluating.folds}
    chosen |= {"holdout": evaluating.holdout, "cost": cost and cost.name, "accept": accept}
    recipe = Recipe("report", table, data.target, reading, {**chosen, "seed": seed})
    evaluation = _write(study, out, recipe, evaluating.positive)
    verdict = None if wanted is None else wanted.decide(evaluation)
    facts = {"command": recipe.shell, "python": python_lines(study, recipe.read())}
    for path in saved.paths:
        study.fitted.noting(**facts, **({} if verdict is None else {"acceptance": verdict.to_dict()})).save(path)
    return _answer(study, evaluation, verdict, outputs, saved, table)


def _check(evaluating: EvaluationOptions, strategy: str) -> None:
    """Refuse what does not go together before a table is read."""
    check_strategy(strategy)
    check_cost_file(evaluating.cost)
    if evaluating.folds is not None and strategy != "cross-validation":
        raise UsageError(
            "folds-repeats-choice-cross",
            "--folds repeats the choice by cross-validation: it needs --strategy cross-validation.",
        )
    if evaluating.test is not None and strategy not in SEPARATE_TEST:
        raise UsageError(
            "test-evaluates-after-choice-2",
            "--test evaluates after the choice, but the strategy {strategy} chooses and evaluates on the same rows.",
            strategy=strategy,
        )


def _unless(value: Any, default: Any) -> Any:
    """None for the default, which the repeated command need not name."""
    return None if value == default else value


def _estimators(learner: list[str] | None, settings: list[str] | None, seed: int, jobs: int) -> dict[str, Any]:
    """The learners by id; each takes the settings it has a parameter for, and every setting must fit one."""
    from vaglio.cli._learners import learner_ids, make_learner
    from vaglio.report.limits import DEFAULT_LEARNERS

    ids = learner_ids(learner) if learner else list(DEFAULT_LEARNERS)
    names = {text: pair(text, "--set")[0].replace("-", "_") for text in settings or []}
    known = {one: make_learner(one, None, seed, jobs).get_params() for one in ids}
    for name in names.values():
        if not any(name in params for params in known.values()):
            raise UsageError(
                "set-none-has-parameter",
                "--set {name}: none of {ids} has this parameter.",
                name=name,
                ids=", ".join(ids),
            )
    fitting = {one: [text for text, name in names.items() if name in known[one]] for one in ids}
    return {one: make_learner(one, fitting[one], seed, jobs) for one in ids}


def _study(
    data: Table,
    estimators: dict[str, Any],
    strategy: str,
    search: Search,
    trials: int,
    evaluating: EvaluationOptions,
    further: Table | None,
    seed: int,
) -> Study:
    from vaglio.report.limits import judging_options
    from vaglio.study import Study

    folds, holdout, cost = evaluating.folds, evaluating.holdout, evaluating.cost
    judging = judging_options(*data.shape, strategy=strategy, folds=folds, holdout=holdout, test=further)
    tuning = {"search": search.value} | ({} if search is Search.none else {"n_iter": trials})
    return Study(
        data,
        data.target,
        learners=estimators,
        strategy=strategy,
        cost=None if cost is None else str(cost),
        seed=seed,
        selection_options={**tuning, **judging},
    )


def _write(study: Study, out: Path, recipe: Recipe, positive: str | None) -> Evaluation:
    """Run the study and write the page, saying what is being done."""
    from vaglio.report import write_report
    from vaglio.report.performance import study_evaluation
    from vaglio.runtime.progress import reporting

    with reporting(None) as report:
        report(0, 1, "auditing the table")
        rounds = 1 + study.selection_options.get("outer_folds", 0)
        study.run(progress=_Overall(report, rounds))
        evaluation = study_evaluation(study, positive)
        report(0, 1, "drawing the report")
        name = Path(recipe.table).name if recipe.table != "-" else "standard input"
        write_report(study, out, name=name, positive=positive, command=recipe.shell, source=recipe.read())
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
    study: Study, evaluation: Evaluation, verdict: Acceptance | None, outputs: Outputs, saved: Outputs, table: str
) -> Answer:
    from vaglio.report.performance import performance_sentences

    accuracy, support = evaluation.accuracy, evaluation.rates.support
    size = outputs.paths[0].stat().st_size
    data = {
        "report": str(outputs.paths[0]),
        "bytes": size,
        "model": [str(path) for path in saved.paths],
        "learner": study.selection.best.learner,
        "accuracy": accuracy.to_dict(),
        "guessing": float(support.max() / support.sum()),
        "reliability": study.selection.strategy.reliability,
        "rows_judged": evaluation.n_rows,
        "learners": study.selection.by_learner(),
    }
    notes = [f"The model is in {path}." for path in saved.paths]
    notes.append(f"The report is in {outputs.paths[0]} ({size / 1000:,.0f} kB): open it in a browser.")
    if saved.paths:
        notes.append(after_model(study.fitted, saved.paths[0], table))
    else:
        notes.append(
            next_line(
                with_table("train", table, str(study.target), "--learner", study.selection.best.learner),
                with_table("audit", table, str(study.target)),
            )
        )
    shown = performance_sentences(study, evaluation)
    if verdict is not None:
        data["acceptance"] = verdict.to_dict()
        shown = [*shown, str(verdict)]
    return Answer(data, shown, notes, REJECTED if verdict is not None and not verdict else 0)
