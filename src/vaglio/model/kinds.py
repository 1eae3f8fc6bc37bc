"""Every kind of model in one record: its name in the file, its class, and the facts that other rooms need about it.

A room that treats kinds differently keeps its functions in a :class:`~vaglio.model.base.Dispatch`. Facts that are
data, not functions, stand here, so that a new kind is described in one place.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vaglio.errors import InputError, ModelFileError
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:  # the command line reads the records before it needs NumPy
    from vaglio.model.base import Model

# The families of models. Every room that has functions by kind has one module or package per family, of that name.
FAMILIES = ("trees", "rules", "bayes", "linear", "svm", "neighbors", "ensembles")

# What can be done with a model. A kind that cannot take part in one of these gives the reason in ``Kind.without``.
ROOMS = ("file", "explanation", "counterfactual", "trace", "chapter", "export")


@dataclass(frozen=True)
class Kind:
    """What the rooms know of a kind of model.

    Attributes
    ----------
    name : str
        As written in the model file.
    family : str
        One of :data:`FAMILIES`. A kind defined outside the package may name a family of its own: then no module is
        imported for it, and its functions are registered directly.
    home : str
        ``"module:Class"``, imported when first needed.
    missing : str or None
        What becomes of a missing value, as the end of the sentence "missing, and so …"; None where the explanation
        itself says it.
    readable : bool
        Whether a person can read the whole model.
    cost : int
        How long a prediction takes, in predictions of a single tree (order of magnitude). It decides how many rows
        the slow procedures try.
    sparse : bool
        Whether it predicts the rows of a sparse matrix.
    without : mapping of str to str
        Room of :data:`ROOMS` -> why it does not apply to this kind, as a clause with subject and verb.
    """

    name: str
    family: str
    home: str
    missing: str | None = None
    readable: bool = False
    cost: int = 1
    sparse: bool = False
    without: Mapping[str, str] = field(default_factory=dict)

    @property
    def cls(self) -> type[Model]:
        """The class of the model."""
        module, name = self.home.split(":")
        found: type[Model] = getattr(importlib.import_module(module), name)
        return found


# Name -> record; filled below, in the order in which kinds are listed.
KINDS: dict[str, Kind] = {}


def add_kind(kind: Kind) -> Kind:
    """Make a kind of model known, so that its files can be read and other rooms can look it up.

    Parameters
    ----------
    kind : Kind

    Returns
    -------
    Kind
        The same record.
    """
    if kind.name in KINDS:
        raise InputError(f"There is a kind of model {kind.name!r} already: choose another name.")
    unknown = set(kind.without) - set(ROOMS)
    if unknown:
        raise InputError(f"The kind {kind.name!r} names the room {min(unknown)!r}: {did_you_mean(min(unknown), ROOMS)}")
    KINDS[kind.name] = kind
    return kind


def model_class(kind: Any) -> type[Model]:
    """Return the class that reads models of this kind. Only what is listed here can be loaded from a file."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelFileError(
            f"The file holds a model of the unknown kind {kind!r}: it may come from a later version of vaglio."
        )
    return KINDS[kind].cls


# Sentences that several kinds share.
_AT_ITS_MEAN = "replaced by the mean of the column (a category: by none)"
# What is said of a model that cannot be written for other programs.
NO_LIST = "it is no list of rules or weights"
_TABLES = "its tables of probabilities have no common form outside vaglio"

for _kind in (
    Kind("tree", "trees", "vaglio.learners.trees.model.tree:Tree", readable=True),
    Kind(
        "rules",
        "rules",
        "vaglio.learners.rules.model.ruleset:RuleSet",
        missing="met only by conditions that allow for it",
        readable=True,
    ),
    Kind(
        "naive-bayes",
        "bayes",
        "vaglio.learners.bayes.model.naive_bayes:NaiveBayesModel",
        missing="left out",
        readable=True,
    ),
    Kind(
        "gaussian-mixture",
        "bayes",
        "vaglio.learners.bayes.model.gaussian_mixture:GaussianMixtureModel",
        missing="left out",
    ),
    Kind(
        "joint-bayes",
        "bayes",
        "vaglio.learners.bayes.model.joint_bayes:JointBayesModel",
        missing="summed over",
        readable=True,
        cost=4,
        without={"export": _TABLES},
    ),
    Kind("bayes-net", "bayes", "vaglio.learners.bayes.model.bayes_net:BayesNetModel", missing="left out"),
    Kind(
        "multinomial-nb",
        "bayes",
        "vaglio.learners.bayes.model.count_bayes:MultinomialModel",
        missing="counted as absent",
        sparse=True,
        without={"export": _TABLES},
    ),
    Kind(
        "bernoulli-nb",
        "bayes",
        "vaglio.learners.bayes.model.count_bayes:BernoulliModel",
        missing="left out",
        sparse=True,
        without={"export": _TABLES},
    ),
    Kind(
        "linear",
        "linear",
        "vaglio.learners.linear.model.linear:LinearModel",
        missing=_AT_ITS_MEAN,
        readable=True,
        sparse=True,
    ),
    Kind(
        "mlp",
        "linear",
        "vaglio.learners.linear.model.mlp:NetworkModel",
        missing=_AT_ITS_MEAN,
    ),
    # A support vector machine and the neighbours compare a row with stored rows: the cost grows with their number.
    Kind("svm", "svm", "vaglio.learners.svm.model.svm:SVMModel", missing=_AT_ITS_MEAN, cost=30, sparse=True),
    Kind(
        "neighbors",
        "neighbors",
        "vaglio.learners.neighbors.model.neighbors:Neighbors",
        missing="counted as a full difference",
        cost=100,
    ),
    Kind(
        "forest",
        "ensembles",
        "vaglio.learners.forest.model.forest:Forest",
        missing="sent down the branch that each tree has for missing values",
        cost=4,
    ),
    Kind(
        "boosted",
        "ensembles",
        "vaglio.learners.boosting.model.boosted:Boosted",
        missing="sent down the branch that each tree has for missing values",
        cost=4,
    ),
    Kind(
        "additive",
        "ensembles",
        "vaglio.learners.additive.model.additive:Additive",
        missing="given the score that each term has for missing values",
        readable=True,
    ),
    Kind(
        "ensemble",
        "ensembles",
        "vaglio.learners.ensembles.model.ensemble:Ensemble",
        missing="left to each member",
        cost=10,
    ),
    Kind(
        "voting",
        "ensembles",
        "vaglio.learners.ensembles.model.voting:Voting",
        missing="left to each member",
        cost=10,
    ),
):
    add_kind(_kind)
