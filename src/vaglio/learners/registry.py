"""Every learner by task and command-line id: class, what it is in one line, and what to try when tuning it.

A search space is plain data: parameter -> list of values. An estimator is imported only when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping

from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.families import KINDS, Learner, Task, families

# What a command trains if no learner is named: a tree that people can read, takes the table as it is and prunes itself.
DEFAULT: dict[Task, str] = {"classification": "c45", "regression": "cart"}
# What a command chooses from if no learner is named: one of each family.
ONE_PER_FAMILY: dict[Task, tuple[str, ...]] = {
    "classification": ("c45", "ripper", "naive-bayes", "logistic", "svm", "knn", "random-forest", "gradient-boosting"),
    "regression": ("cart", "linear", "svm", "knn", "random-forest", "gradient-boosting"),
}

# What a lecture shows if no learner is named: one of each idea that can be worked out by hand.
FOR_A_LECTURE = ("id3", "foil", "naive-bayes", "adaboost")

# Id -> record of the learners that predict classes; filled below, in the order in which they are listed and tried.
LEARNERS: dict[str, Learner] = {}
# Id -> record of those that predict numbers.
REGRESSORS: dict[str, Learner] = {}
_BY_TASK: dict[Task, dict[str, Learner]] = {"classification": LEARNERS, "regression": REGRESSORS}


def add_learner(learner: Learner) -> Learner:
    """Make a learner known by its id, to the command line, the selection and the traces.

    Parameters
    ----------
    learner : Learner

    Returns
    -------
    Learner
        The same record.
    """
    known = _BY_TASK[learner.task]
    if learner.id in known:
        raise InputError(
            "learner-exists", "There is already a learner {learner!r}. Choose another id.", learner=learner.id
        )
    if learner.kind not in KINDS:
        raise InputError(
            "unknown-kind-of-learner",
            "The learner {learner!r} has the unknown kind of model {kind!r}. Add the kind first.",
            learner=learner.id,
            kind=learner.kind,
        )
    known[learner.id] = learner
    return learner


# The order in which learners are listed and tried; others follow family by family.
_ORDER = (
    "id3",
    "naive-bayes",
    "multinomial-nb",
    "bernoulli-nb",
    "gaussian-map",
    "gaussian-mixture",
    "joint-bayes",
    "bayes-net",
    "c45",
    "cart",
    "optimal-tree",
    "oblique",
    "perceptron",
    "logistic",
    "mlp",
    "svm",
    "knn",
    "bagging",
    "random-forest",
    "adaboost",
    "gradient-boosting",
    "additive",
    "voting",
    "foil",
    "cn2",
    "aq",
    "ripper",
)

_REGRESSION_ORDER = (
    "linear",
    "cart",
    "optimal-tree",
    "model-tree",
    "oblique",
    "svm",
    "mlp",
    "knn",
    "bagging",
    "random-forest",
    "adaboost",
    "gradient-boosting",
    "additive",
    "voting",
)

_all = [learner for family in families().values() for learner in family.learners]
for _known, _order, _task in ((LEARNERS, _ORDER, "classification"), (REGRESSORS, _REGRESSION_ORDER, "regression")):
    _found = {learner.id: learner for learner in _all if learner.task == _task}
    _known |= {learner_id: _found[learner_id] for learner_id in _order if learner_id in _found} | _found


def learners_of(task: Task) -> Mapping[str, Learner]:
    """Return the learners that predict classes, or those that predict numbers, by id.

    Parameters
    ----------
    task : {"classification", "regression"}
    """
    return _BY_TASK[task]


def tasks_of(learner_id: str) -> tuple[Task, ...]:
    """Return what the learner with this id predicts: classes, numbers or both; nothing if there is none.

    Parameters
    ----------
    learner_id : str

    Examples
    --------
    >>> tasks_of("c45"), tasks_of("cart")
    (('classification',), ('classification', 'regression'))
    """
    return tuple(task for task, known in _BY_TASK.items() if learner_id in known)


def find(learner_id: str, task: Task = "classification") -> Learner:
    """Return the learner with this id, or say what is near it, or what it predicts instead.

    Parameters
    ----------
    learner_id : str
    task : {"classification", "regression"}
        What it is to predict.
    """
    known = _BY_TASK[task]
    if learner_id in known:
        return known[learner_id]
    if learner_id in LEARNERS:
        raise InputError(
            "learner-without-numbers",
            "The learner {learner!r} predicts classes, not numbers. These learners predict numbers: {learners}.",
            learner=learner_id,
            learners=listed(REGRESSORS, most=len(REGRESSORS)),
        )
    if learner_id in REGRESSORS:
        raise InputError(
            "learner-without-classes",
            "The learner {learner!r} predicts numbers, not classes. These learners predict classes: {learners}.",
            learner=learner_id,
            learners=listed(LEARNERS, most=len(LEARNERS)),
        )
    everything = [*known, *(name for name in (*LEARNERS, *REGRESSORS) if name not in known)]
    hint = did_you_mean(learner_id, list(dict.fromkeys(everything)), most=len(everything))
    raise InputError("unknown-learner", "There is no learner {learner!r}: {hint}", learner=learner_id, hint=hint)
