"""The mean of several boosted models, as one: its trees are those of all of them, with smaller values."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.boosting.model.boosted import Boosted
from vaglio.learners.boosting.model.boosted_trees import joined
from vaglio.learners.forest.model.forest import Forest


def mean_of(models: list[Boosted], features: tuple[Feature, ...]) -> Boosted:
    """Return the model whose outputs are the means of those of the given ones, which have as many rounds each.

    The models take turns, round by round, so that a part of its rounds is the mean of a part of theirs.

    Parameters
    ----------
    models : list of Boosted
    features : tuple of Feature
    """
    if len(models) == 1:
        return models[0]
    parts = [model.scaled(1 / len(models)) for model in models]
    forest = reduce(lambda first, second: joined(first, second, features), [part.forest for part in parts])
    places = np.arange(forest.n_trees).reshape(len(parts), -1, parts[0].outputs)
    baseline = np.sum([part.baseline for part in parts], axis=0)
    return Boosted(_in_order(forest, places.transpose(1, 0, 2).ravel()), baseline, models[0].link, len(models))


def _in_order(forest: Forest, trees: np.ndarray) -> Forest:
    """Return the given trees of a forest in the given order, each leaf with an entry of its own."""
    nodes = np.concatenate([forest.nodes[forest.starts[t] : forest.starts[t + 1]] for t in trees])
    is_leaf = nodes["link"] < 0
    leaves = forest.leaves[~nodes["link"][is_leaf]]
    nodes["link"][is_leaf] = ~np.arange(len(leaves), dtype=nodes["link"].dtype)
    ends = np.cumsum(np.diff(forest.starts)[trees])
    return replace(forest, nodes=nodes, starts=np.concatenate([[0], ends]).astype(forest.starts.dtype), leaves=leaves)
