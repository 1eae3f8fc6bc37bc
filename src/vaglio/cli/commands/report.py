"""``vaglio report TABLE --target NAME [--out report.html]``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _next
from vaglio.cli import _options as options
from vaglio.cli import _searching as searching
from vaglio.cli._outputs import Outputs
from vaglio.cli._plan import check_plan
from vaglio.cli._recipe import Recipe, call
from vaglio.cli._searching import Search
from vaglio.cli._session import Answer, UsageError

Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="ID",
        help="A learner to try; may be repeated, and 'all' is all of them. "
        "By default c45, ripper, naive-bayes, logistic and random-forest.",
        autocompletion=options.complete_learner,
        rich_help_panel=options.LEARNING,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of every learner that has it, e.g. min_samples_leaf=5; may be repeated.",
        rich_help_panel=options.LEARNING,
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page.", rich_help_panel=options.OUTPUT)]
Model = Annotated[
    Path | None,
    typer.Option("--model", metavar="FILE", help="Save the chosen model as well.", rich_help_panel=options.OUTPUT),
]


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: Learners = None,
    settings: Settings = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    strategy: options.Strategy = "cross-validation",
    search: searching.SearchKind = Search.none,
    trials: searching.Trials = 10,
    test: options.TestFile = None,
    folds: options.Folds = None,
    holdout: options.Holdout = None,
    cost: options.Cost = None,
    positive: options.Positive = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: Out = Path("report.html"),
    model: Model = None,
) -> Answer:
    """Write one HTML page about a table and a model of it: data, learners, figures, model, examples, how to repeat it.

    Learners are compared by five-fold cross-validation with their default parameters (--search tunes them). Small
    tables are judged by repeating the whole choice in ten outer folds (--folds), larger ones by a fifth of the rows
    kept aside (--holdout), or another table judges (--test). The page needs nothing else and stays below 3 MB.
    """
    from vaglio.evaluation.training import learning_rows
    from vaglio.report.method import python_lines

    _check(test, folds, holdout, strategy, cost)
    outputs = Outputs([out], (".html", ".htm"))
    saved = Outputs([model] if model else [], (".vaglio",))
    estimators = _estimators(learner, settings, seed, jobs)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target)
    X, _ = learning_rows(data)
    further = None if test is None else reading.read_for(test, data.target, X.columns)
    how = {"folds": folds, "holdout": holdout, "test": further}
    study = _study(data, estimators, strategy, search, trials, how, cost, seed)
    chosen = {"learner": learner, "set": settings, "strategy": _unless(strategy, "cross-validation")}
    chosen |= {"search": _unless(search.value, "none"), "trials": _unless(trials, 10), "positive": positive}
    chosen |= {"test": test and Path(test).name, "folds": folds, "holdout": holdout, "cost": cost and cost.name}
    recipe = Recipe("report", table, data.target, reading, {**chosen, "seed": seed})
    evaluation = _write(study, out, recipe, positive)
    for path in saved.paths:
        study.fitted.noting(command=recipe.shell, python=python_lines(study, _source(recipe))).save(path)
    return _answer(study, evaluation, outputs, saved, table)


def _check(test: str | None, folds: int | None, holdout: float | None, strategy: str, cost: Path | None) -> None:
    """Refuse what does not go together before a table is read."""
    check_plan(test, folds, holdout)
    if strategy not in options.STRATEGIES:
        raise UsageError(f"there is no strategy {strategy!r}: there are {', '.join(options.STRATEGIES)}.")
    if folds is not None and strategy != "cross-validation":
        raise UsageError("--folds repeats the choice by cross-validation: leave --strategy at that.")
    if test is not None and strategy not in ("validation", "cross-validation"):
        raise UsageError(f"--test judges after the choice, which the strategy {strategy} makes on the judging rows.")
    if cost is not None and not cost.is_file():
        raise UsageError(f"--cost {cost}: there is no such file.")


def _unless(value: Any, default: Any) -> Any:
    return None if value == default else value


def _estimators(learner: list[str] | None, settings: list[str] | None, seed: int, jobs: int) -> dict[str, Any]:
    """The learners by id; each takes the settings it has a parameter for, and every setting must fit one."""
    from vaglio.cli import _settings
    from vaglio.report.defaults import DEFAULT_LEARNERS

    ids = _settings.learner_ids(learner) if learner else list(DEFAULT_LEARNERS)
    names = {text: options.pair(text, "--set")[0].replace("-", "_") for text in settings or []}
    known = {one: _settings.make_learner(one, None, seed, jobs).get_params() for one in ids}
    for name in names.values():
        if not any(name in params for params in known.values()):
            raise UsageError(f"--set {name}: none of {', '.join(ids)} has this parameter.")
    fitting = {one: [text for text, name in names.items() if name in known[one]] for one in ids}
    return {one: _settings.make_learner(one, fitting[one], seed, jobs) for one in ids}


def _study(
    data: Any,
    estimators: dict[str, Any],
    strategy: str,
    search: Search,
    trials: int,
    how: dict[str, Any],
    cost: Path | None,
    seed: int,
) -> Any:
    from vaglio import Study
    from vaglio.report.defaults import judging_options

    judging = judging_options(*data.shape, strategy=strategy, **how)
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


def _write(study: Any, out: Path, recipe: Recipe, positive: str | None) -> Any:
    """Run the study and write the page, saying what is being done."""
    from vaglio.report import write_report
    from vaglio.report.performance import study_evaluation
    from vaglio.runtime.progress import reporting

    with reporting(None) as report:
        report(0, 1, "looking the table over")
        rounds = 1 + study.selection_options.get("outer_folds", 0)
        study.run(progress=_Overall(report, rounds))
        evaluation = study_evaluation(study, positive)
        report(0, 1, "drawing the report")
        name = Path(recipe.table).name if recipe.table != "-" else "standard input"
        write_report(study, out, name=name, positive=positive, command=recipe.shell, source=_source(recipe))
    return evaluation


def _source(recipe: Recipe) -> str:
    """The Python expression that reads the table."""
    return call("vaglio.read", Path(recipe.table).name, recipe.target, **recipe.reading.to_keywords())


class _Overall:
    """Progress over several rounds of the same trials, as one bar."""

    def __init__(self, report: Any, rounds: int) -> None:
        self.report, self.rounds = report, rounds
        self.before, self.last = 0, 0

    def __call__(self, done: int, total: int, what: str) -> None:
        if done <= self.last:
            self.before += total
        self.last = done
        self.report(self.before + done, self.rounds * total, what)


def _answer(study: Any, evaluation: Any, outputs: Outputs, saved: Outputs, table: str) -> Answer:
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
        notes.append(_next.after_model(study.fitted, saved.paths[0], table))
    else:
        notes.append(
            _next.next_line(
                _next.with_table("train", table, study.target, "--learner", study.selection.best.learner),
                _next.with_table("audit", table, study.target),
            )
        )
    return Answer(data, performance_sentences(study, evaluation), notes)
