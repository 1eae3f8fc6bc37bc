"""``vaglio.trace``: finds the function that writes the trace of a learner, and calls it on the prepared rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation
from vaglio.document.training import Training, row_frame
from vaglio.engines.sources import refuse_out_of_core
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.rows import MemoryRows
from vaglio.evaluation.selection.candidates import task_asked
from vaglio.learners.inputs import check_labels, check_numbers
from vaglio.learners.provenance import describe_training
from vaglio.learners.registry import LEARNERS, REGRESSORS, find
from vaglio.messages.message import Option
from vaglio.messages.sentences import did_you_mean
from vaglio.model.families import KINDS, Family, Learner, Lookup, Task, family_of
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, Estimator, TableLike, TableSource

# A reader works through a table of this size by hand; more rows or steps are refused or folded.
MAX_ROWS = 200
MAX_STEPS = 40

# Learner id -> the function that writes its trace, by what it predicts.
writers: dict[Task, Lookup[Callable[[Page, Training], None]]] = {
    "classification": Lookup(lambda family: family.trace),
    "regression": Lookup(lambda family: family.trace_numbers),
}


def _registered(learner_id: str, task: Task) -> Learner | None:
    return (LEARNERS if task == "classification" else REGRESSORS).get(learner_id)


def _refuse_with_its_reason(learner_id: str, task: Task) -> None:
    """Refuse a trace for the reason that the kind of the model states, if it does."""
    entry = _registered(learner_id, task)
    reason = None if entry is None else KINDS[entry.kind].without.get("trace")
    if reason is not None:
        raise NotSupportedError(
            "no-trace-of-kind", "There is no trace for {learner!r}: {reason}.", learner=learner_id, reason=reason
        )


def family_of_learner(learner_id: str, task: Task = "classification") -> Family | None:
    """Return the family of a learner; None of one that the registry does not know."""
    entry = _registered(learner_id, task)
    return None if entry is None else family_of(entry.kind)


def learners(task: Task = "classification") -> list[str]:
    """Ids of the learners whose work can be shown, those of the command line first.

    Parameters
    ----------
    task : {"classification", "regression"}
        What they predict.
    """
    known, listed = writers[task].names(), LEARNERS if task == "classification" else REGRESSORS
    return [name for name in listed if name in known] + [name for name in known if name not in listed]


@checked
def trace(
    learner: str | Estimator,
    X: TableSource,
    y: str | int | ColumnLike | None = None,
    *,
    row: Any = None,
    lang: str = "en",
    max_rows: int = MAX_ROWS,
    max_steps: int = MAX_STEPS,
    all_measures: bool = False,
    task: str = "auto",
) -> Trace:
    """Show how a learner works on a small table, step by step, as in a lecture.

    Trees: at every node all attributes with the measure of the learner, every threshold of the chosen attribute, and
    the choice; then each decision of the pruning. Rules: every condition tried with its score. Bayes: counts,
    fractions, densities, dependencies, the product, the normalisation. Perceptron: each update. Logistic regression:
    loss, gradient and weights at every step. Network: layers and the forward pass. Support vector machine:
    multipliers, margin. Neighbours: distances and votes. Ensembles: samples, weights, votes. Of a target of numbers:
    what each test of a tree leaves of the variance, least squares, means of neighbours and members, residuals round by
    round. Numbers are computed again from their definitions. Only what cannot be computed again (multipliers, rows
    drawn, predictions of members) is read from the model.

    Parameters
    ----------
    learner : str, classifier or regressor
        The id of a learner, an estimator, or an estimator fitted to this table.
    X, y : table (or its file) and name of its class column, or X and the labels
    row : dict, sequence or frame of one row, optional
        A row to classify.
    lang : str, default="en"
        The language: "en" or "it".
    max_rows : int, default=200
        A larger table is refused: nobody could follow its trace.
    max_steps : int, default=40
        The largest number of nodes, updates or rounds that are shown; the others are counted.

    all_measures : bool, default=False
        At every node of a tree, show gain, gain ratio and Gini index of every attribute, and every threshold, not only
        the measure that the learner uses.
    task : {"auto", "classification", "regression"}
        What a learner that is given by its id predicts; by default as :func:`vaglio.evaluate` decides by the target.

    Returns
    -------
    Trace
        Prints as text; ``to_html()``, ``to_latex()``, ``to_dict()``.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> work = vaglio.trace(vaglio.NaiveBayesClassifier(alpha=0), X, y, row=["sunny", "cool", "high", "true"])
    >>> {label: f"{share:.1%}" for label, share in work.facts["posterior"].items()}
    {'no': '79.5%', 'yes': '20.5%'}
    """
    refuse_out_of_core(X, "A trace")
    say = Notation(lang)
    if max_rows < 1 or max_steps < 1:
        raise InputError(
            "trace-limits",
            "{rows} and {steps} must be at least 1.",
            rows=Option("max_rows"),
            steps=Option("max_steps"),
        )
    # Not as a command would set it: a trace shows the algorithm of the textbook.
    rows = MemoryRows.of_arrays(X, y, None, *task_asked(task, learner))
    task = rows.task
    estimator = _textbook(learner, task) if isinstance(learner, str) else learner
    learner_id = getattr(estimator, "_learner_id", type(estimator).__name__)
    write = writers[task].find(learner_id, family_of_learner(learner_id, task))
    if write is None:
        _refuse_with_its_reason(learner_id, task)
        raise NotSupportedError(
            "no-trace",
            "There is no trace for {learner!r}: {hint}",
            learner=learner_id,
            hint=did_you_mean(learner_id, learners(task)),
        )
    entry = _registered(learner_id, task)
    with_text = entry is not None and entry.counts_words
    page = Page(say)
    page.facts["learner"] = learner_id
    training = prepare(estimator, rows.X, rows.y, row, max_rows, max_steps, with_text=with_text)
    _say_textbook(page, entry, training.estimator)
    write(page, replace(training, all_measures=all_measures))
    # A learner that was registered from outside is called by its id.
    return page.finish(say("Step by step: {learner}", learner=_name_of(learner_id, task, estimator)))


def _textbook(learner: str, task: Task) -> Any:
    """The learner as the textbook has it; what it draws at random is the same every time."""
    made = find(learner, task).make(textbook=True)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def _say_textbook(page: Page, entry: Learner | None, estimator: Any) -> None:
    """Write which parameters are as the textbook has them and not as by default, and what that changes."""
    given = {} if entry is None else {n: c for n, c in entry.textbook.items() if getattr(estimator, n, None) == c.value}
    if not given:
        return
    say = page.say
    page.section(say("As in the textbook"))
    rows = [
        [name, say.short(choice.value) if type(choice.value) is float else str(choice.value), say.text(choice.why)]
        for name, choice in given.items()
    ]
    page.table([say("parameter"), say("value"), say("what it means")], rows)
    page.facts["textbook"] = {name: choice.value for name, choice in given.items()}


def _name_of(learner_id: str, task: Task, estimator: Any) -> str:
    """What a lecture calls the learner: its name, its id without one, its class outside the registry."""
    known = _registered(learner_id, task)
    return type(estimator).__name__ if known is None else known.name or learner_id


def prepare(
    estimator: Any, X: TableLike, y: Any, row: Any, max_rows: int, most_steps: int, with_text: bool = False
) -> Training:
    """Fit the estimator if needed, encode the rows, and refuse a table that is too large to be read."""
    n = len(y)
    if n > max_rows:
        raise InputError(
            "trace-too-many-rows",
            "The table has {n:,} rows; a trace can be followed up to {max_rows:,}. Take fewer rows or raise {option}.",
            n=n,
            max_rows=max_rows,
            option=Option("max_rows"),
        )
    if not hasattr(estimator, "fitted_"):
        estimator = clone(estimator)
        if "random_state" in estimator.get_params() and estimator.random_state is None:
            estimator.set_params(random_state=0)
        estimator.fit(X, y)
    matrix = estimator._encode(X)
    if matrix.sparse is not None or (matrix.text and not with_text):
        raise NotSupportedError(
            "trace-columns", "A trace shows numeric and categorical columns only. Leave out sparse and text columns."
        )
    numeric = is_regressor(estimator)
    codes = check_numbers(y, estimator) if numeric else check_labels(y, estimator)[1].astype(np.int64)
    known = estimator.fitted_.provenance.get("training", {}).get("fingerprint")
    if known is not None and known != describe_training(matrix, codes)["fingerprint"]:
        raise InputError(
            "fitted-on-other-rows",
            "The estimator was fitted on other rows. Pass its training rows, or an estimator that is not fitted.",
        )
    weight = None if numeric else estimator._with_class_weight(codes, None)
    weight = weight if weight is None or not weight.all() else estimator._scaled(weight)
    encoded = (
        None if row is None else estimator.fitted_.codebook.encode(row_frame(row, estimator.fitted_.codebook.columns))
    )
    weights = np.ones(n) if weight is None else weight
    return Training(estimator, matrix, codes, weights, encoded, X, y, most_steps)
