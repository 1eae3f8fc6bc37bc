"""A model as plain tables of numbers that any language can compute with.

A part takes one number per column: a number itself, a date as days since 1970, a category as its code, an ordered one
as its rank; NaN is missing. The writers of this room turn parts into C, JavaScript, SQL and ONNX, each with a small
interpreter for every kind of part; what the tables mean stands here once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.model.families import Lookup

__all__ = ["Part", "build_part", "obstacle", "parts"]

# Kinds of parts that become programs and SQL, and those that only ONNX has.
PROGRAMS = ("trees", "rules", "linear", "bayes", "mix", "boosted")
EVERY = (*PROGRAMS, "network", "machine", "neighbors", "gaussian")
_KINDS = {"naive-bayes": "bayes", "mlp": "network", "svm": "machine", "neighbors": "neighbors"}
_KINDS["gaussian-mixture"] = "gaussian"

# Tests of a node: a number (<= or <), a category, a sum of numbers.
AT_MOST, BELOW, CATEGORY, SUM_AT_MOST = range(4)
# Conditions of a rule.
RANGE, SET, MISSING, SUM = range(4)
# How rules are combined: each takes of what those before left, all count by their share, or all vote.
IN_TURN, SHARED, VOTE = range(3)
# Terms of naive Bayes; the first four are those of the model.
GAUSSIAN, TABLE, INTERVAL, VALUE, KERNEL, POISSON, EXPONENTIAL, LOGNORMAL = range(8)
# From the values of a linear model to its outputs.
DECIDE, LOGISTIC, SOFTMAX, CALIBRATED = range(4)
# From the scores of boosted trees to their outputs.
LOGIT, SOFTMAX_OF_SCORES, IDENTITY, EXPONENTIAL_OF_SCORE = range(4)


@dataclass(frozen=True)
class Part:
    """One model, or one member of an ensemble.

    Attributes
    ----------
    kind : str
        Which interpreter takes it: one of ``EVERY``.
    outputs : int
        Number of classes; 1 for a number.
    fields : dict
        Numbers and flat arrays by name.
    members : tuple of Part
        Of a mix; of boosted trees, the trees of each score.
    """

    kind: str
    outputs: int
    fields: dict[str, Any] = field(default_factory=dict)
    members: tuple[Part, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers it is made of."""
        own = sum(np.size(value) for value in self.fields.values())
        return own + sum(member.size for member in self.members)


# Kind of model -> its part, given the model, the columns it sees and the number of classes (0 for numbers).
parts: Lookup[Callable[[Any, tuple[Feature, ...], int], Part]] = Lookup(lambda family: family.export)


def build_part(model: Any, features: tuple[Feature, ...], n_classes: int) -> Part:
    """Return the part of a model that has no :func:`obstacle`.

    Parameters
    ----------
    model : Model
    features : tuple of Feature
        The columns it sees.
    n_classes : int
        0 for a model that predicts numbers.
    """
    build = parts.find(model.kind)
    assert build is not None, model.kind
    return build(model, features, n_classes)


def obstacle(model: Any, features: tuple[Feature, ...], kinds: Collection[str] = PROGRAMS) -> str | None:
    """Return why a model has no part of these kinds, as a clause; None if it has one. Nothing is built for this.

    Parameters
    ----------
    model : Model
    features : tuple of Feature
    kinds : collection of str
        The kinds of parts that a writer knows.
    """
    for member in getattr(model, "members", ()):
        seen = features if member.features is None else tuple(features[j] for j in member.features)
        if found := obstacle(member.model, seen, kinds):
            return f"{found} (a member)" if not found.endswith("(a member)") else found
    if model.kind in ("ensemble", "voting", "tree", "forest", "boosted", "additive", "rules", "linear"):
        return None
    words: Any = getattr(model, "naive", model).words if model.kind in ("naive-bayes", "gaussian-mixture") else ()
    if len(words):
        return f"it counts the words of column {features[int(words.feature[0])].name!r}"
    for what in ("phi", "metric", "vote"):
        if callable(getattr(model, what, None)):
            return f"its {what} is a function of Python"
    if model.kind == "svm" and (model.kernel.function is not None or model.kernel.name == "precomputed"):
        return "its kernel is a function or a table of Python"
    kind = "linear" if model.kind == "svm" and model.coef is not None else _KINDS.get(model.kind)
    if kind in kinds:
        return None
    if model.kind == "svm":
        return "its kernel is not linear, and so it is no sum over the columns"
    return f"a model of the kind {model.kind!r} is no tree, no list of rules and no sum over the columns"
