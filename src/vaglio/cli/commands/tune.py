"""``vaglio tune TABLE --target NAME --learner c45 [--try max_depth=2,4,8]``"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli import _searching as searching
from vaglio.cli import _session
from vaglio.cli._outputs import Outputs
from vaglio.cli._recipe import Recipe, learner_source
from vaglio.cli._searching import Search
from vaglio.cli._session import Answer

Try = Annotated[
    list[str] | None,
    typer.Option(
        "--try",
        metavar="NAME=A,B,…",
        help="Values of a parameter to try, e.g. max_depth=2,4,none; may be repeated. By default the learner's own.",
        rich_help_panel=options.LEARNING,
    ),
]


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: options.Learner = "c45",
    tried: Try = None,
    settings: options.Settings = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    strategy: options.Strategy = "cross-validation",
    folds: searching.Folds = 10,
    holdout: searching.Holdout = None,
    test: options.TestFile = None,
    scoring: searching.Scoring = "accuracy",
    cost: options.Cost = None,
    search: searching.SearchKind = Search.random,
    trials: searching.Trials = 10,
    budget: searching.Budget = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    out: searching.Out = None,
) -> Answer:
    """Search the parameters of one learner.

    The defaults are always tried first. What --set fixes is not searched. The best setting is trained again on all
    training rows and saved; the rows that judge it chose nothing.
    """
    from vaglio.cli import _settings

    outputs = Outputs(out or [searching.MODEL], searching.SUFFIXES)
    wanted = searching.Searching(strategy, search, trials, budget, folds, holdout, test, scoring, cost, seed)
    estimator = _settings.make_learner(learner, settings, seed, None)
    space = _settings.search_space(learner, tried, settings, estimator)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target)
    selection = searching.run_search(wanted, data, {learner: (estimator, space)}, jobs, reading)
    said = {"learner": learner, "set": settings or [], "try": tried or []}
    recipe = Recipe("tune", table, data.target, reading, {**said, **wanted.to_options()})
    source = f"{{{learner!r}: ({learner_source(estimator)}, {space!r})}}"
    fitted = searching.keep_model(selection, recipe, wanted, source)
    return searching.answer(selection, fitted, outputs, table, wanted, _ranked(selection), _summary(selection))


def _summary(selection: Any) -> str:
    """The choice in a few sentences, and the best settings (all of them with -v)."""
    from vaglio.text.listing import text_table

    rows = [{k: v for k, v in row.items() if k not in ("learner", "error")} for row in _ranked(selection)]
    settings = text_table(rows, max_rows=None if _session.verbose() else 12)
    return "\n\n".join([selection.headline(), "\n".join(f"- {line}" for line in selection.notes()), settings])


def _ranked(selection: Any) -> list[dict[str, Any]]:
    """Every setting, best first."""
    rows = [trial.to_row() for trial in selection.trials]
    return sorted(rows, key=lambda row: -row["score"] if row["score"] == row["score"] else float("inf"))
