"""What ``tune`` and ``select`` share: the options of a search, and what is said of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _next, _session
from vaglio.cli import _options as options
from vaglio.cli._outputs import Outputs, as_csv, as_json, as_page
from vaglio.cli._plan import check_plan
from vaglio.cli._recipe import Recipe, Source, call, shell
from vaglio.cli._session import Answer, UsageError
from vaglio.text.sentences import did_you_mean

MODEL = Path("model.vaglio")
SUFFIXES = (".vaglio", ".json", ".csv", ".html")
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help=f"The model (.vaglio, by default {MODEL}); what was tried as .json, .csv or .html; may be repeated.",
        rich_help_panel=options.OUTPUT,
    ),
]


class Search(StrEnum):
    """How parameters are searched."""

    random = "random"
    grid = "grid"
    halving = "halving"
    none = "none"


SearchKind = Annotated[
    Search,
    typer.Option(
        "--search", help="How parameters are searched, where the strategy tunes.", rich_help_panel=options.LEARNING
    ),
]
Trials = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="Settings of each learner beside its defaults.", rich_help_panel=options.LEARNING
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Stop trying after so long; each learner is tried once in any case.",
        rich_help_panel=options.LEARNING,
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        min=2, metavar="N", help="Folds that choose, in the strategy cross-validation.", rich_help_panel=options.JUDGING
    ),
]
Holdout = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the rows that judge and choose nothing; 0.2 unless there is --test.",
        rich_help_panel=options.JUDGING,
    ),
]
Scoring = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="The score to choose by, as scikit-learn names it.", rich_help_panel=options.JUDGING
    ),
]


@dataclass(frozen=True)
class Searching:
    """The options of a search, checked before a table is read."""

    strategy: str
    search: Search
    trials: int
    budget: float | None
    folds: int
    holdout: float | None
    test: str | None
    scoring: str
    cost: Path | None
    seed: int

    def __post_init__(self) -> None:
        if self.strategy not in options.STRATEGIES:
            hint = did_you_mean(self.strategy, options.STRATEGIES)
            raise UsageError(f"there is no strategy {self.strategy!r}: {hint}")
        check_plan(test=self.test, holdout=self.holdout)
        if self.test is not None and self.strategy not in ("validation", "cross-validation"):
            raise UsageError("--test judges after the choice: it goes with --strategy validation or cross-validation.")
        if self.budget is not None and self.budget <= 0:
            raise UsageError(f"--budget is a number of seconds above 0, not {self.budget:g}.")
        if self.cost is not None and not self.cost.is_file():
            raise UsageError(f"--cost {self.cost}: there is no such file.")

    def keywords(self) -> dict[str, Any]:
        """The arguments of :func:`vaglio.select`."""
        return {
            "strategy": self.strategy,
            "scoring": self.scoring,
            "cost": None if self.cost is None else str(self.cost),
            "search": self.search.value,
            "n_iter": self.trials,
            "folds": self.folds,
            "test_size": 0.2 if self.holdout is None else self.holdout,
            "seed": self.seed,
            "time_budget": self.budget,
        }

    def to_options(self) -> dict[str, Any]:
        """The options that say the same, for the command that is kept in the model."""
        return {
            "strategy": self.strategy,
            "scoring": self.scoring,
            "cost": None if self.cost is None else self.cost.name,
            "search": self.search.value,
            "trials": self.trials,
            "folds": self.folds,
            "holdout": self.holdout,
            "test": None if self.test is None else Path(self.test).name,
            "seed": self.seed,
            "budget": self.budget,
        }


def run_search(searching: Searching, data: Any, learners: Any, jobs: int, reading: options.Reading) -> Any:
    """Choose; an unknown score is wrong use of the command."""
    from vaglio import select
    from vaglio.evaluation.metrics.scoring import resolve_scorer
    from vaglio.evaluation.training import learning_rows

    try:
        resolve_scorer(searching.scoring, None)
    except ValueError as error:
        raise UsageError(f"--scoring: {error}") from None
    inputs = learning_rows(data)[0].columns
    test = None if searching.test is None else reading.read_for(searching.test, data.target, inputs)
    return select(data, data.target, learners=learners, test=test, n_jobs=jobs, **searching.keywords())


def keep_model(selection: Any, recipe: Recipe, searching: Searching, learners_source: str) -> Any:
    """The chosen model, with how it was made."""
    given = searching.keywords() | {"cost": None if searching.cost is None else searching.cost.name}
    lines = []
    if selection.out_of_time or selection.interrupted:
        lines.append("# The search was ended early, by its budget or by Ctrl-C: the next one may choose otherwise.")
    if searching.test is not None:
        lines.append(f"test = {call('vaglio.read', Path(searching.test).name, recipe.target, **recipe.keywords())}")
        given |= {"test": Source("test")}
    made = call("vaglio.select", Source("table"), recipe.target, learners=Source(learners_source), **given)
    accuracy = selection.evaluation
    scores = {
        "how": f"by the strategy {selection.strategy.name} ({selection.strategy.reliability})",
        "accuracy": float(accuracy.accuracy),
        "kappa": float(accuracy.kappa),
    }
    facts = recipe.facts(*lines, f"selection = {made}", "model = selection.fitted", f"model.save({str(MODEL)!r})")
    return selection.fitted.noting(target=recipe.target, scores=scores, **facts)


def answer(
    selection: Any,
    fitted: Any,
    outputs: Outputs,
    table: str,
    searching: Searching,
    rows: Sequence[Mapping[str, Any]],
    summary: str | None = None,
) -> Answer:
    """Save the model, write what was tried, and say what came out: in the selection's own words, or in others."""
    models = outputs.having(".vaglio")
    for path in models:
        fitted.save(path)
    notes = [f"The model is in {' and '.join(map(str, models))}."] if models else []
    data = {**selection.to_dict(), "trials": rows, "model": [str(path) for path in models]}
    notes += outputs.write(
        {
            ".json": as_json(lambda: data),
            ".csv": as_csv(lambda: rows),
            ".html": as_page(f"Choice of a model for {Path(table).name}", selection._repr_html_),
        }
    )
    shown = [repr(selection) if summary is None else summary]
    shown += ["", selection.evaluation.to_text()] if _session.verbose() else []
    if models:
        notes.append(_next.after_model(fitted, models[0], table))
        if searching.cost is not None:
            decide = shell("vaglio", "predict", models[0], table, "--cost", searching.cost)
            notes.append(f"The model gives probabilities; to decide by the costs: {decide}")
    return Answer(data, shown, notes)
