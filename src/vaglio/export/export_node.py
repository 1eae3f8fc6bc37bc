"""A model as plain tables of numbers that any language can compute with.

A node takes one number per column: a number itself, a date as days since 1970, a category as its code, an ordered one
as its rank; NaN is missing. The writers of this package turn nodes into C, JavaScript, SQL, ONNX and PMML, each by the
kind of node; which node a model becomes is known to its family, and what the tables mean stands here once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from vaglio.encode import Feature
from vaglio.messages.message import Message, text
from vaglio.model.base import Model
from vaglio.model.families import Lookup

__all__ = ["COMMON", "EVERY", "ExportNode", "Exporter", "build_node", "exporter_of", "factors", "unsupported_reason"]

# Kinds of nodes that every writer knows, and those that ONNX has.
COMMON = ("trees", "rules", "linear", "bayes", "mix", "boosted", "lines")
EVERY = (*COMMON, "network", "machine", "neighbors", "gaussian")

# Tests of a node: a number (<= or <), a category, a sum of numbers.
AT_MOST, BELOW, CATEGORY, SUM_AT_MOST = range(4)
# Conditions of a rule.
RANGE, SET, MISSING, SUM = range(4)
# How rules are combined: each takes of what those before left, all count by their share, or all vote.
IN_TURN, SHARED, VOTE = range(3)
# Terms of naive Bayes; the first four are those of the model.
GAUSSIAN, TABLE, INTERVAL, VALUE, KERNEL, POISSON, EXPONENTIAL, LOGNORMAL = range(8)
# From the values of a linear model to its outputs.
DECIDE, LOGISTIC, SOFTMAX, CALIBRATED, AS_IT_IS = range(5)
# From the scores of boosted trees to their outputs.
LOGIT, SOFTMAX_OF_SCORES, IDENTITY, EXPONENTIAL_OF_SCORE = range(4)


def factors(fields: dict[str, Any], i: int) -> list[int]:
    """Return the columns whose product is a number of a linear node."""
    found: list[int] = fields["factor"][fields["factor_start"][i] : fields["factor_start"][i + 1]].tolist()
    return found


@dataclass(frozen=True)
class ExportNode:
    """One model, or one member of an ensemble.

    Attributes
    ----------
    kind : str
        Which interpreter takes it: one of ``EVERY``.
    outputs : int
        Number of classes; 1 for a number.
    fields : dict
        Numbers and flat arrays by name.
    members : tuple of ExportNode
        Of a mix; of boosted trees, the trees of each score; of lines, the tree that says which of them counts.
    """

    kind: str
    outputs: int
    fields: dict[str, Any] = field(default_factory=dict)
    members: tuple[ExportNode, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers it is made of."""
        own = sum(np.size(value) for value in self.fields.values())
        return own + sum(member.size for member in self.members)


# Makes the node of a model, given the columns it sees and the number of classes (0 for numbers).
Build = Callable[[Any, tuple[Feature, ...], int], ExportNode]


class Exporter(NamedTuple):
    """How a family exports models of one kind.

    Attributes
    ----------
    kind : str or callable
        The kind of node; or a function of the model that gives it, without building the node.
    build : callable
        The node of a model, given the columns it sees and the number of classes (0 for numbers).
    unsupported_reason : callable, optional
        Why this model has no node, as a clause, given the model and its columns; None if it has one.
    build_sums : callable, optional
        The node of a model whose trees a database adds up, although the model could be written as rules; or where
        other trees suit a database better than those of ``build``.
    """

    kind: str | Callable[[Any], str]
    build: Build
    unsupported_reason: Callable[[Any, tuple[Feature, ...]], str | None] | None = None
    build_sums: Build | None = None

    def node_kind(self, model: Model) -> str:
        """Return the kind of node that a model becomes."""
        return self.kind if isinstance(self.kind, str) else self.kind(model)


_exporters: Lookup[Exporter] = Lookup(lambda family: family.export)


def exporter_of(model: Model) -> Exporter | None:
    """Return how models of this kind are exported; None if they are not."""
    return _exporters.find(model.kind)


def build_node(model: Model, features: tuple[Feature, ...], n_classes: int) -> ExportNode:
    """Return the node of a model that has no :func:`unsupported_reason`.

    Parameters
    ----------
    model : Model
    features : tuple of Feature
        The columns it sees.
    n_classes : int
        0 for a model that predicts numbers.
    """
    exporter = exporter_of(model)
    assert exporter is not None, model.kind
    return exporter.build(model, features, n_classes)


def unsupported_reason(model: Model, features: tuple[Feature, ...], kinds: Collection[str] = COMMON) -> str | None:
    """Return why a model has no node of these kinds, as a clause; None if it has one. Nothing is built for this.

    Parameters
    ----------
    model : Model
    features : tuple of Feature
    kinds : collection of str
        The kinds of nodes that a writer knows.
    """
    for member in getattr(model, "members", ()):
        seen = features if member.features is None else tuple(features[j] for j in member.features)
        if found := unsupported_reason(member.model, seen, kinds):
            nested = isinstance(found, Message) and "reason" in found.values
            return found if nested else text("{reason} (a member)", reason=found)
    exporter = exporter_of(model)
    if exporter is not None:
        if exporter.unsupported_reason is not None and (found := exporter.unsupported_reason(model, features)):
            return found
        kind = exporter.node_kind(model)
        if kind in kinds:
            return None
        if kind == "machine":
            return text("its kernel is not linear, so it is not a sum over the columns")
    return text("models of kind {kind!r} are not trees, rules or sums over the columns", kind=model.kind)
