"""Every learner by its command-line id: class, what it is in one line, and what to try when tuning it.

A search space is plain data: parameter -> list of values. An estimator is imported only when it is needed.
"""

from __future__ import annotations

from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean
from vaglio.model.families import KINDS, Learner, families

# What a command chooses from if no learner is named.
ONE_PER_FAMILY = ("c45", "ripper", "naive-bayes", "logistic", "svm", "knn", "random-forest", "gradient-boosting")

# Id -> record; filled below, in the order in which learners are listed and tried.
LEARNERS: dict[str, Learner] = {}


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
    if learner.id in LEARNERS:
        raise InputError(
            "there-learner-already-choose", "There is a learner {id!r} already: choose another id.", id=learner.id
        )
    if learner.kind not in KINDS:
        raise InputError(
            "learner-names-unknown-kind",
            "The learner {id!r} names the unknown kind of model {kind!r}: add it first.",
            id=learner.id,
            kind=learner.kind,
        )
    LEARNERS[learner.id] = learner
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

_found = {learner.id: learner for family in families().values() for learner in family.learners}
LEARNERS |= {learner_id: _found[learner_id] for learner_id in _ORDER} | _found


def find(learner_id: str) -> Learner:
    """Return the learner with this id, or say what is near it.

    Parameters
    ----------
    learner_id : str
    """
    if learner_id in LEARNERS:
        return LEARNERS[learner_id]
    hint = did_you_mean(learner_id, LEARNERS, most=len(LEARNERS))
    raise InputError("there-learner", "There is no learner {learner_id!r}: {hint}", learner_id=learner_id, hint=hint)
