"""``vaglio.trace``: finds who can tell how a learner works, and lets it write."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from vaglio.errors import InputError, NotSupportedError
from vaglio.learn.registry import find
from vaglio.tracing.catalogue import Words
from vaglio.tracing.document import Page, Trace
from vaglio.tracing.training import Training, prepare

MAX_ROWS = 200
MAX_STEPS = 40

# Learner id -> who writes its trace.
_WRITERS = {
    "id3": "trees.tree:trace_tree",
    "c45": "trees.tree:trace_tree",
    "cart": "trees.tree:trace_tree",
    "tree": "trees.tree:trace_tree",
    "oblique": "trees.tree:trace_tree",
    "naive-bayes": "bayes.naive_bayes:trace_naive_bayes",
    "multinomial-nb": "bayes.count_bayes:trace_multinomial_nb",
    "bernoulli-nb": "bayes.count_bayes:trace_bernoulli_nb",
    "joint-bayes": "bayes.joint_bayes:trace_joint_bayes",
    "gaussian-map": "bayes.densities:trace_gaussian_map",
    "gaussian-mixture": "bayes.densities:trace_gaussian_mixture",
    "bayes-net": "bayes.bayes_net:trace_bayes_net",
    "foil": "rules.covering:trace_foil",
    "cn2": "rules.covering:trace_rules",
    "aq": "rules.covering:trace_rules",
    "ripper": "rules.covering:trace_rules",
    "perceptron": "linear.perceptron:trace_perceptron",
    "logistic": "linear.logistic:trace_logistic",
    "mlp": "linear.mlp:trace_mlp",
    "svm": "svm.svm:trace_svm",
    "knn": "neighbors.neighbors:trace_knn",
    "bagging": "ensembles.ensembles:trace_bagging",
    "random-forest": "ensembles.ensembles:trace_random_forest",
    "adaboost": "ensembles.ensembles:trace_adaboost",
}
# Learners that count words: for them text is the work itself.
_WITH_TEXT = ("multinomial-nb", "bernoulli-nb")


def learners() -> list[str]:
    """Ids of the learners whose work can be shown."""
    return list(_WRITERS)


def trace(
    learner: Any,
    X: Any,
    y: Any,
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
        raise InputError("max_rows and max_steps are at least 1.")
    estimator = find(learner).make() if isinstance(learner, str) else learner
    learner_id = getattr(estimator, "_learner_id", type(estimator).__name__)
    write = _writer(learner_id)
    page = Page(say)
    page.facts["learner"] = learner_id
    write(page, prepare(estimator, X, y, row, max_rows, max_steps, with_text=learner_id in _WITH_TEXT))
    return page.finish(say("title", learner=say(f"name_{learner_id}")))


def _writer(learner_id: str) -> Callable[[Page, Training], None]:
    if learner_id not in _WRITERS:
        raise NotSupportedError(
            f"There is no trace of {learner_id!r}, which is not a learner of this library: there is one of "
            f"{', '.join(_WRITERS)}."
        )
    module, name = _WRITERS[learner_id].split(":")
    return getattr(import_module(f"vaglio.tracing.{module}"), name)
