"""``vaglio select TABLE --target NAME [--learner c45 --learner knn] [--strategy cross-validation]``"""

from __future__ import annotations

from vaglio.cli import _options as options
from vaglio.cli import _searching as searching
from vaglio.cli._outputs import Outputs
from vaglio.cli._recipe import Recipe
from vaglio.cli._searching import Search
from vaglio.cli._session import Answer


def run(
    table: options.TableFile,
    target: options.Target = None,
    learner: options.Learners = None,
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
    """Choose among learners and their parameters, and say how far the figure can be trusted.

    The winner is trained again on all training rows and saved. Learners that fail are listed and do not stop the
    others; Ctrl-C keeps the best of what was finished.
    """
    from vaglio.cli import _settings

    outputs = Outputs(out or [searching.MODEL], searching.SUFFIXES)
    wanted = searching.Searching(strategy, search, trials, budget, folds, holdout, test, scoring, cost, seed)
    ids = _settings.learner_ids(learner)
    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    data = reading.read(table, target)
    selection = searching.run_search(wanted, data, ids, jobs, reading)
    recipe = Recipe("select", table, data.target, reading, {"learner": ids, **wanted.to_options()})
    fitted = searching.keep_model(selection, recipe, wanted, repr(ids))
    return searching.answer(selection, fitted, outputs, table, wanted, [trial.to_row() for trial in selection.trials])
