"""``vaglio tune TABLE --target NAME --learner c45 [--try max_depth=2,4,8]``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli import _searching as searching
from vaglio.cli._options import LearnerOrDefault, Settings, TableFile, learning_option
from vaglio.cli._output import Answer, Outputs, locale, verbose
from vaglio.cli._reading import ReadingOptions
from vaglio.cli._rows import LongWorkOptions
from vaglio.messages.message import join

if TYPE_CHECKING:
    from vaglio.evaluation import Selection

# Settings that are printed without -v: one screen.
_MOST_SETTINGS = 12

Try = Annotated[
    list[str] | None,
    learning_option(
        "--try",
        metavar="NAME=A,B,…",
        help=(
            "Values of a parameter to try, e.g. max_depth=2,4,none; may be repeated. Default: the "
            "learner's own search space."
        ),
    ),
]


def run(
    table: TableFile,
    *,
    reading: ReadingOptions,
    learner: LearnerOrDefault = None,
    tried: Try = None,
    settings: Settings = None,
    wanted: searching.SearchOptions,
    work: LongWorkOptions,
    out: searching.Out = None,
) -> Answer:
    """Tune the parameters of one learner.

    The defaults are always tried first. Parameters fixed with --set are not searched. The best setting is trained again
    on all training rows and saved; it is evaluated on rows that played no part in the selection. A table larger than
    memory is read in chunks; its rows are split by a hash of their number.
    """
    from vaglio.cli._learners import check_learner, make_learner, search_space
    from vaglio.learners.provenance import learner_source
    from vaglio.learners.registry import DEFAULT

    outputs = Outputs(out or [searching.MODEL], searching.SUFFIXES)
    check_learner(learner, settings, False, reading.task.value)
    data = work.rows(table, reading, learners=[learner] if learner else ())
    learner = learner or DEFAULT[data.task]
    estimator = make_learner(learner, settings, wanted.seed, None, task=data.task)
    space = search_space(learner, tried, settings, estimator, data.task)
    selection = searching.run_search(wanted, data, {learner: (estimator, space)}, work)
    said = {"learner": learner, "set": settings or [], "try": tried or []}
    recipe = data.recipe("tune", {**said, **wanted.to_options()})
    source = f"{{{learner!r}: ({learner_source(estimator)}, {space!r})}}"
    fitted = searching.keep_model(selection, data, recipe, wanted, source)
    return searching.answer(
        selection, fitted, data, recipe, outputs, table, wanted, _ranked(selection), _summary(selection)
    )


def _summary(selection: Selection) -> str:
    """The choice in a few sentences, and the best settings (all of them with -v)."""
    from vaglio.messages.listing import text_table

    rows = [{k: v for k, v in row.items() if k not in ("learner", "error")} for row in _ranked(selection)]
    settings = text_table(rows, max_rows=None if verbose() else _MOST_SETTINGS, locale=locale())
    notes = join("\n", [join("", ["- ", line]) for line in selection.notes()])
    return join("\n\n", [selection.headline(), notes, settings])


def _ranked(selection: Selection) -> list[dict[str, Any]]:
    """Every setting, best first."""
    trials = sorted(selection.trials, key=lambda trial: -trial.score if trial.score == trial.score else float("inf"))
    return [trial.to_row(selection.sign) for trial in trials]
