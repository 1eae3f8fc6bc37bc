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
    """Choose among learners and their parameters, and say how reliable the figure is.

    The winner is trained again on all training rows and saved. Learners that fail are listed and do not stop the
    others; Ctrl-C keeps the best of what was finished. A table that does not fit in memory is read in parts; its rows
    are divided by the hash of their number.
    """
    from vaglio.cli._learners import learner_ids

    outputs = Outputs(out or [searching.MODEL], searching.SUFFIXES)
    ids = learner_ids(learner)
    data = work.rows(table, reading)
    selection = searching.run_search(wanted, data, ids, work)
    recipe = data.recipe("select", {"learner": ids, **wanted.to_options()})
    fitted = searching.keep_model(selection, recipe, wanted, repr(ids))
    return searching.answer(selection, fitted, outputs, table, wanted, [trial.to_row() for trial in selection.trials])
