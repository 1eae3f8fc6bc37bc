"""``vaglio select TABLE --target NAME [--learner c45 --learner knn] [--strategy cross-validation]``"""

from __future__ import annotations

from vaglio.cli import _searching as searching
from vaglio.cli._options import Learners, TableFile
from vaglio.cli._output import Answer, Outputs
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import LongWorkOptions


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: Learners = None,
    wanted: searching.SearchOptions,
    work: LongWorkOptions,
    out: searching.Out = None,
) -> Answer:
    """Select the best of several learners and parameters, with an estimate of how good it is.

    The best model is trained again on all training rows and saved. Learners that fail are listed and do not stop the
    others; Ctrl-C keeps the best so far. A table larger than memory is read in chunks; its rows are split by a hash of
    their number.
    """
    from vaglio.cli._learners import learner_ids, named_learners

    outputs = Outputs(out or [searching.MODEL], searching.SUFFIXES)
    data = work.rows(table, reading, learners=named_learners(learner))
    ids = learner_ids(learner, data.task)
    selection = searching.run_search(wanted, data, ids, work)
    recipe = data.recipe("select", {"learner": ids, **wanted.to_options()})
    fitted = searching.keep_model(selection, data, recipe, wanted, repr(ids))
    rows = [trial.to_row(selection.sign) for trial in selection.trials]
    return searching.answer(selection, fitted, data, recipe, outputs, table, wanted, rows)
