"""What ``tune`` and ``select`` share: the options of a search, the search, and what is said about its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._command_lines import Recipe, Source, call
from vaglio.cli._options import (
    REJECTED,
    Accept,
    CostOptions,
    Jobs,
    Seed,
    Split,
    TestFile,
    UsageError,
    check_criterion,
    check_test_rows,
    criterion,
    evaluation_option,
    holdout_of,
    learning_option,
    option_help,
    output_option,
)
from vaglio.cli._output import (
    Answer,
    Outputs,
    after_model,
    alarms_data,
    alarms_shown,
    as_csv,
    as_json,
    as_page,
    file_list,
    locale,
    verbose,
)
from vaglio.cli._rows import OpenRows, WorkOptions, leak_alarms
from vaglio.messages.message import join, text
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:
    from vaglio.evaluation.selection.selection_result import Selection
    from vaglio.fitted import Fitted
    from vaglio.model.families import Task

# The strategies and how reliable each is, as vaglio.evaluation has them; written again here because importing that is
# slow and --help must be fast. A test compares the two.
STRATEGIES = {
    "zero": text("very poor"),
    "quick": text("fair"),
    "standard": text("poor"),
    "validation": text("good"),
    "cross-validation": text("very good"),
}
# Strategies that keep rows apart for the evaluation, so that another table can take their place.
SEPARATE_TEST = ("validation", "cross-validation")

MODEL = Path("model.vaglio")
SUFFIXES = (".vaglio", ".json", ".csv", ".html")
Out = Annotated[
    list[Path] | None,
    output_option(
        "--out",
        "-o",
        metavar="FILE",
        help=option_help(
            "The model (.vaglio, default {model}); the trials as .json, .csv or .html; may be repeated.", model=MODEL
        ),
    ),
]


class Search(StrEnum):
    """How parameters are searched."""

    random = "random"
    grid = "grid"
    halving = "halving"
    none = "none"


def complete_strategy(incomplete: str) -> list[tuple[str, str]]:
    """Names of strategies for the shell, with how reliable each is."""
    return [(name, trust) for name, trust in STRATEGIES.items() if name.startswith(incomplete)]


Strategy = Annotated[
    str,
    evaluation_option(
        "--strategy",
        "-s",
        metavar="NAME",
        help=option_help(
            "How the model is selected and evaluated, and how reliable the estimate is: {strategies}.",
            strategies=join(", ", [text("{name} ({trust})", name=n, trust=trust) for n, trust in STRATEGIES.items()]),
        ),
        autocompletion=complete_strategy,
    ),
]
SearchKind = Annotated[
    Search, learning_option("--search", help="How parameters are searched, if the strategy tunes them.")
]
Trials = Annotated[
    int,
    learning_option(min=1, metavar="N", help="Number of parameter settings tried per learner, besides its defaults."),
]


def check_strategy(strategy: str) -> None:
    """Refuse a strategy that does not exist."""
    if strategy not in STRATEGIES:
        raise UsageError(
            "unknown-strategy",
            "There is no strategy {strategy!r}: {hint}",
            strategy=strategy,
            hint=did_you_mean(strategy, tuple(STRATEGIES)),
        )


def check_cost_file(cost: str | None) -> None:
    """Refuse a file of costs that is not there; costs in words are no file."""
    if cost is not None and "=" not in cost and not Path(cost).is_file():
        raise UsageError("no-cost-file", "--cost {cost}: no such file.", cost=cost)


@dataclass(frozen=True)
class SearchOptions(CostOptions):
    """The options of a search, checked before a table is read."""

    strategy: Strategy = "cross-validation"
    folds: Annotated[
        int,
        evaluation_option(min=2, metavar="N", help="Folds used for the selection, with the strategy cross-validation."),
    ] = 10
    outer_folds: Annotated[
        int | None,
        evaluation_option(
            min=2,
            metavar="N",
            help=(
                "Nested cross-validation: the selection is repeated in N outer folds and scored there; "
                "the model uses all rows."
            ),
        ),
    ] = None
    holdout: Annotated[
        float | None,
        evaluation_option(
            metavar="SHARE",
            help="Share of the rows held out for the evaluation; 0.2 unless --test is given.",
        ),
    ] = None
    split: Split = None
    test: TestFile = None
    scoring: Annotated[
        str | None,
        evaluation_option(
            metavar="NAME",
            help=(
                "The score used for the selection, by its scikit-learn name; for numbers also rmse, mae, median_ae, "
                "mape. Default: accuracy, or r2 for numbers."
            ),
        ),
    ] = None
    accept: Accept = None
    search: SearchKind = Search.random
    trials: Trials = 10
    budget: Annotated[
        float | None,
        learning_option(metavar="SECONDS", help="Stop after this many seconds; each learner is tried at least once."),
    ] = None
    seed: Seed = 0
    jobs: Jobs = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_strategy(self.strategy)
        object.__setattr__(self, "holdout", holdout_of(self.holdout, self.split))
        check_test_rows(self.test, None, self.holdout)
        check_cost_file(self.cost)
        criterion(self.accept)
        if self.test is not None and self.strategy not in SEPARATE_TEST:
            raise UsageError(
                "test-needs-strategy",
                "--test evaluates after the selection and needs --strategy {separate_test}.",
                separate_test=" or ".join(SEPARATE_TEST),
            )
        if self.outer_folds is not None:
            self._check_nested()
        if self.budget is not None and self.budget <= 0:
            raise UsageError(
                "budget-not-positive",
                "--budget must be a positive number of seconds; got {budget:g}.",
                budget=self.budget,
            )

    def _check_nested(self) -> None:
        if self.strategy != "cross-validation":
            raise UsageError(
                "outer-folds-need-strategy",
                "--outer-folds needs --strategy cross-validation.",
            )
        if self.holdout is not None or self.test is not None:
            raise UsageError(
                "outer-folds-and-holdout",
                "--outer-folds evaluates on all rows: remove --holdout, --split and --test.",
            )

    def keywords(self) -> dict[str, Any]:
        """The arguments of :func:`vaglio.select`."""
        return {
            "strategy": self.strategy,
            "scoring": self.scoring,
            "cost": self.cost,
            "search": self.search.value,
            "n_iter": self.trials,
            "folds": self.folds,
            "outer_folds": self.outer_folds,
            "test_size": 0.2 if self.holdout is None else self.holdout,
            "seed": self.seed,
            "time_budget": self.budget,
        }

    def to_options(self) -> dict[str, Any]:
        """The options that say the same, for the command that is kept in the model."""
        from vaglio.model.costs import cost_name

        return {
            "strategy": self.strategy,
            "scoring": self.scoring,
            "cost": cost_name(self.cost),
            "accept": self.accept,
            "search": self.search.value,
            "trials": self.trials,
            "folds": self.folds,
            "outer-folds": self.outer_folds,
            "holdout": self.holdout,
            "test": None if self.test is None else Path(self.test).name,
            "seed": self.seed,
            "budget": self.budget,
        }


def _check_scoring(scoring: str | None, task: Task) -> None:
    from vaglio.evaluation.metrics.scoring import resolve_scorer

    try:
        resolve_scorer(scoring, None, task)
    except ValueError as error:
        raise UsageError("invalid-scoring", "--scoring: {error}", error=error) from None


def run_search(searching: SearchOptions, data: OpenRows, learners: Any, work: WorkOptions) -> Selection:
    """Choose; an unknown score, or a search that these rows do not allow, is wrong use of the command."""
    from vaglio.errors import NotSupportedError
    from vaglio.evaluation import SplitRules, select

    _check_scoring(searching.scoring, data.task)
    check_criterion(criterion(searching.accept), data.task)
    try:
        data.rows.refuse(SplitRules(), searching.search.value)
    except NotSupportedError as error:
        raise UsageError(
            "invalid-search", "--search {value}: {error}", value=searching.search.value, error=error
        ) from None
    test = data.test(searching.test)
    with work.working():
        return select(data.rows, learners=learners, test=test, n_jobs=searching.jobs, **searching.keywords())


def keep_model(
    selection: Selection, data: OpenRows, recipe: Recipe, searching: SearchOptions, learners_source: str
) -> Fitted:
    """The chosen model with how it was made, how it was chosen, and how good it is."""
    from vaglio.model.costs import cost_name

    given = searching.keywords() | {"cost": cost_name(searching.cost)}
    lines = []
    if selection.out_of_time or selection.interrupted:
        lines.append("# The search was ended early, by its budget or by Ctrl-C: the next one may choose otherwise.")
    if searching.test is not None:
        lines.append(f"test = {recipe.read(searching.test)}")
        given |= {"test": Source("test")}
    if data.reading.task.value != "auto":
        given["task"] = data.task
    made = call("vaglio.select", Source("table"), recipe.target, learners=Source(learners_source), **given)
    facts = recipe.facts(*lines, f"selection = {made}", "model = selection.fitted", f"model.save({str(MODEL)!r})")
    how = text(
        "by the strategy {name} (estimate: {reliability})",
        name=selection.strategy.name,
        reliability=selection.strategy.reliability,
    )
    scores = {"how": how, **selection.evaluation.scores_in_brief()}
    fitted: Fitted = selection.fitted.with_target(data.table, data.target)
    wanted = criterion(searching.accept)
    if wanted is not None:
        fitted = fitted.with_provenance(acceptance=wanted.decide(selection.evaluation).to_dict())
    return fitted.with_provenance(scores=scores, **facts)


def answer(
    selection: Selection,
    fitted: Fitted,
    data: OpenRows,
    recipe: Recipe,
    outputs: Outputs,
    table: str,
    searching: SearchOptions,
    rows: Sequence[Mapping[str, Any]],
    summary: str | None = None,
) -> Answer:
    """Save the model, write what was tried, and show the summary, or else the selection as it prints itself."""
    from vaglio.evaluation.metrics.cost_sensitive import in_words

    models = outputs.having(".vaglio")
    for path in models:
        fitted.save(path)
    notes: list[str] = [text("The model is in {files}.", files=file_list(models))] if models else []
    leaks = leak_alarms(data)
    known = selection.to_dict()
    told = {
        **known,
        "alarms": [*alarms_data(leaks, recipe.shell), *known["alarms"]],
        "trials": rows,
        "model": [str(path) for path in models],
    }
    if "acceptance" in fitted.provenance:
        told["acceptance"] = fitted.provenance["acceptance"]
    notes += outputs.write(
        {
            ".json": as_json(lambda: told),
            ".csv": as_csv(lambda: rows),
            ".html": as_page(
                text("Model selection for {name}", name=Path(table).name), lambda: selection.to_html(lang=locale())
            ),
        }
    )
    shown = alarms_shown(leaks, recipe.shell)
    if summary is None:
        shown.append(selection.to_text(lang=locale()))
    else:
        shown += [*alarms_shown(selection.alarms, recipe.shell), summary]
    shown += ["", selection.evaluation.to_text(lang=locale())] if verbose() else []
    verdict = fitted.provenance.get("acceptance")
    shown += [] if verdict is None else ["", verdict["text"]]
    if models:
        notes += [decision] if (decision := in_words(fitted)) else []
        notes.append(after_model(fitted, models[0], table))
    return Answer(told, shown, notes, REJECTED if verdict is not None and not verdict["accepted"] else 0)
