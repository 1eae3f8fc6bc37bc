"""``vaglio.trace``: finds the function that writes the trace of a learner, and calls it on the prepared rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.training import Training, row_frame
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.inputs import check_labels
from vaglio.learners.provenance import describe_training
from vaglio.learners.registry import LEARNERS, find
from vaglio.messages.sentences import did_you_mean
from vaglio.model.families import Family, Lookup, family_of
from vaglio.typing import ColumnLike, TableLike

if TYPE_CHECKING:
    pass

# A reader works through a table of this size by hand; more rows or steps are refused or folded.
MAX_ROWS = 200
MAX_STEPS = 40


# Learner id -> the function that writes its trace.
writers: Lookup[Callable[[Page, Training], None]] = Lookup(lambda family: family.trace)


def family_of_learner(learner_id: str) -> Family | None:
    """Return the family of a learner; None of one that the registry does not know."""
    return family_of(LEARNERS[learner_id].kind) if learner_id in LEARNERS else None


def learners() -> list[str]:
    """Ids of the learners whose work can be shown, those of the command line first."""
    known = writers.names()
    return [name for name in LEARNERS if name in known] + [name for name in known if name not in LEARNERS]


def trace(
    learner: Any,
    X: TableLike,
    y: ColumnLike,
    *,
    row: Any = None,
    lang: str = "en",
    max_rows: int = MAX_ROWS,
    max_steps: int = MAX_STEPS,
) -> Trace:
    """Show how a learner works on a small table, step by step, as in a lecture.

    Trees: at every node all attributes with entropy, gain, split information, gain ratio and Gini index, and the
    choice; then each decision of the pruning. Rules: every condition tried with its score. Bayes: counts, fractions,
    densities, dependencies, the product, the normalisation. Perceptron: each update. Logistic regression: loss,
    gradient and weights at every Newton step. Network: layers and the forward pass. Support vector machine:
    multipliers, margin. Neighbours: distances and votes. Ensembles: samples, weights, votes. Numbers are computed again
    from their definitions. Only what cannot be computed again (multipliers, rows drawn, predictions of members) is read
    from the model.

    Parameters
    ----------
    learner : str or classifier
        The id of a learner, an estimator, or an estimator fitted to this table.
    X : frame, Table or array of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    row : dict, sequence or frame of one row, optional
        A row to classify.
    lang : {"en", "it"}
        English or Italian.
    max_rows : int, default=200
        A larger table is refused: nobody could follow its trace.
    max_steps : int, default=40
        The largest number of nodes, updates or rounds that are shown; the others are counted.

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
    say = Words(lang)
    if max_rows < 1 or max_steps < 1:
        raise InputError("max-rows-max-steps", "max_rows and max_steps are at least 1.")
    # The class as it is, not as a command would set it: a trace shows the algorithm of the textbook.
    estimator = find(learner).cls(**find(learner).textbook) if isinstance(learner, str) else learner
    learner_id = getattr(estimator, "_learner_id", type(estimator).__name__)
    write = writers.find(learner_id, family_of_learner(learner_id))
    if write is None:
        raise NotSupportedError(
            "there-trace-which-learner",
            "There is no trace of {learner_id!r}, which is not a learner of this library: {hint}",
            learner_id=learner_id,
            hint=did_you_mean(learner_id, learners(), otherwise="there is one of"),
        )
    entry = LEARNERS.get(learner_id)
    with_text = entry is not None and entry.counts_words
    page = Page(say)
    page.facts["learner"] = learner_id
    write(page, prepare(estimator, X, y, row, max_rows, max_steps, with_text=with_text))
    try:
        name = say(f"name_{learner_id}")
    except KeyError:  # a learner that was registered from outside has its id only
        name = learner_id
    return page.finish(say("title", learner=name))


def prepare(
    estimator: Any, X: TableLike, y: Any, row: Any, max_rows: int, most_steps: int, with_text: bool = False
) -> Training:
    """Fit the estimator if needed, encode the rows, and refuse a table that is too large to be read."""
    if not is_classifier(estimator):
        raise NotSupportedError(
            "trace-shows-how-classes", "A trace shows how classes are learned, not numbers: give a classifier."
        )
    n = len(y)
    if n > max_rows:
        raise InputError(
            "trace-table-can-worked",
            "A trace is for a table that can be worked through by hand; this one has {n} rows, more "
            "than {max_rows}: take fewer rows, or raise max_rows.",
            n=n,
            max_rows=max_rows,
        )
    if not hasattr(estimator, "fitted_"):
        estimator = clone(estimator)
        if "random_state" in estimator.get_params() and estimator.random_state is None:
            estimator.set_params(random_state=0)
        estimator.fit(X, y)
    matrix = estimator._encode(X)
    if matrix.sparse is not None or (matrix.text and not with_text):
        raise NotSupportedError(
            "trace-shows-numbers-categories", "A trace shows numbers and categories: leave out sparse and text columns."
        )
    _, codes = check_labels(y, estimator)
    codes = codes.astype(np.int64)
    known = estimator.fitted_.provenance.get("training", {}).get("fingerprint")
    if known is not None and known != describe_training(matrix, codes)["fingerprint"]:
        raise InputError(
            "estimator-fitted-other-rows",
            "The estimator was fitted to other rows: give its training rows, or an estimator that is not fitted.",
        )
    weight = estimator._with_class_weight(codes, None)
    weight = weight if weight is None or not weight.all() else estimator._scaled(weight)
    encoded = (
        None if row is None else estimator.fitted_.codebook.encode(row_frame(row, estimator.fitted_.codebook.columns))
    )
    weights = np.ones(n) if weight is None else weight
    return Training(estimator, matrix, codes, weights, encoded, X, y, most_steps)
