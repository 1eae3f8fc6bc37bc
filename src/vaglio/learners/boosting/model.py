"""Trees whose values add up to a score: what boosting by gradient leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.trees.model.packed import MISSING_RIGHT, NODE
from vaglio.model import checks
from vaglio.model.base import State

# How scores become predictions: two classes by the log-odds of the second, more by one score each, a number as it is or
# by its logarithm.
LINKS = ("logit", "softmax", "identity", "log")
# Scores of a model that was learned stay far below; more would overflow in sums.
LARGEST_SUM = 1e300


def checked_link(meta: dict[str, Any], n_classes: int) -> tuple[str, int]:
    """Return the link that a model file names, and how many scores a row has by it."""
    link = checks.number(meta, "link", str)
    checks.need(link in LINKS, "the link of its scores is unknown")
    checks.need((n_classes == 0) == (link in ("identity", "log")), "its link and its classes do not fit each other")
    checks.need(link != "logit" or n_classes == 2, "its link and its classes do not fit each other")
    return link, n_classes if link == "softmax" else 1


def probabilities_of(raw: np.ndarray, link: str) -> np.ndarray:
    """Return the class probabilities of outputs, by the link "logit" or "softmax"."""
    if link == "logit":
        second = expit(raw[:, 0])
        return np.column_stack([1.0 - second, second])
    found: np.ndarray = softmax(raw, axis=1)
    return found


def numbers_of(raw: np.ndarray, link: str) -> np.ndarray:
    """Return the numbers that outputs stand for, by the link "identity" or "log"."""
    return np.exp(np.minimum(raw[:, 0], 700.0)) if link == "log" else raw[:, 0]


@dataclass(frozen=True, eq=False)
class Boosted:
    """Trees in rounds: each round has one tree per output, and the outputs are sums over the rounds.

    Attributes
    ----------
    forest : Forest
        The trees of the first round, then those of the second, and so on; a leaf holds its value and the weight of its
        training rows. The importances are shares in the gain of all splits.
    baseline : float64 (K,)
        Where each output starts.
    link : {"logit", "softmax", "identity", "log"}
    models : int
        Of how many models these are the trees, round by round: the outputs are the means of theirs.
    """

    kind: ClassVar[str] = "boosted"

    forest: Forest
    baseline: np.ndarray
    link: str
    models: int = 1

    @property
    def outputs(self) -> int:
        return len(self.baseline)

    @property
    def rounds(self) -> int:
        """Rounds of all models together."""
        return self.forest.n_trees // self.outputs

    @property
    def importances(self) -> np.ndarray:
        return self.forest.importances

    def size(self) -> dict[str, int]:
        averaged = {"averaged_models": self.models} if self.models > 1 else {}
        return {**averaged, "rounds": self.rounds // self.models, **self.forest.size()}

    @property
    def is_bounded(self) -> bool:
        """Whether no sum over its trees can overflow."""
        with np.errstate(over="ignore"):
            reached = np.abs(self.forest.leaves[:, 0]).max(initial=0.0) * self.forest.n_trees
        return bool(max(np.abs(self.baseline).max(), reached) < LARGEST_SUM)

    # -- use ---------------------------------------------------------------------------------------------------------
    def raw(self, matrix: EncodedMatrix, first: int = 0, last: int | None = None) -> np.ndarray:
        """Return the outputs, shape (n, K): the baseline and the trees of the rounds ``first`` up to ``last``."""
        found: np.ndarray = self.forest.packed(matrix.features).predict_raw(
            matrix.given_rows,
            matrix.code_rows,
            self.forest.leaf_values[:, 0],
            self.baseline if first == 0 else np.zeros(self.outputs),
            first * self.outputs,
            (self.rounds if last is None else last) * self.outputs,
            n_threads=matrix.threads,
        )
        return found

    def staged_raw(self, matrix: EncodedMatrix, step: int = 1) -> Iterator[np.ndarray]:
        """Yield the outputs after each round, or after every ``step`` of them."""
        total = self.raw(matrix, 0, 0)
        for i in range(0, self.rounds, step):
            total = total + self.raw(matrix, i, i + step) - (self.baseline if i == 0 else 0.0)
            yield total

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self.probabilities(self.raw(matrix))

    def probabilities(self, raw: np.ndarray) -> np.ndarray:
        """Return class probabilities of outputs."""
        return probabilities_of(raw, self.link)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number, where numbers are predicted."""
        return self.numbers(self.raw(matrix))

    def numbers(self, raw: np.ndarray) -> np.ndarray:
        """Return the predicted numbers of outputs."""
        return numbers_of(raw, self.link)

    def scaled(self, factor: float) -> Boosted:
        """Return the model whose outputs are so many times as large."""
        if factor == 1.0:
            return self
        leaves = self.forest.leaves * np.array([factor, 1.0])
        return replace(self, forest=replace(self.forest, leaves=leaves), baseline=self.baseline * factor)

    def shifted(self, amount: float) -> Boosted:
        """Return the model whose outputs are larger by so much."""
        return replace(self, baseline=self.baseline + amount) if amount else self

    def apply(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the leaf of each row in each tree, int32 (n, trees), numbered through all trees."""
        return self.forest.apply(matrix)

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays, _ = self.forest.state()
        averaged = {"models": self.models} if self.models > 1 else {}
        return {**arrays, "baseline": self.baseline}, {"link": self.link, **averaged}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Boosted:
        link, outputs = checked_link(meta, n_classes)
        baseline = checks.array(arrays, "baseline", np.float64, (outputs,), finite=True)
        own = {name: array for name, array in arrays.items() if name != "baseline"}
        forest = Forest.from_state(own, {"regression": True}, features, 0)
        checks.need(forest.n_trees % outputs == 0, "its rounds have trees of different numbers")
        checks.sound_weights(forest.leaves[:, 1], "a leaf has an impossible weight")
        models = checks.number(meta, "models", int) if "models" in meta else 1
        even = models > 0 and forest.n_trees % (models * outputs) == 0
        checks.need(even, "its models have rounds of different numbers")
        model = cls(forest, baseline, link, models)
        checks.need(model.is_bounded, "the values of its leaves are impossible")
        return model


@dataclass(frozen=True)
class CategoryNumbers:
    """A column of numbers that stands for a nominal one while trees grow.

    Attributes
    ----------
    feature : int
        The nominal column.
    numbers : float64 (n_categories + 1,)
        The number of each category, and last that of missing values.
    """

    feature: int
    numbers: np.ndarray


def forest_of(
    trainer: Any,
    features: tuple[Feature, ...],
    n_trees: int | None = None,
    sources: tuple[CategoryNumbers, ...] = (),
) -> Forest:
    """Return the first trees of a trainer.

    Parameters
    ----------
    trainer : BoostingTrainer
    features : tuple of Feature
    n_trees : int or None
        None for all.
    sources : tuple of CategoryNumbers
        What the columns behind those of the table stand for.
    """
    arrays = trainer.trees()  # what the model keeps is copied, and the rest is freed
    starts = arrays.starts[: None if n_trees is None else n_trees + 1].copy()
    nodes = arrays.nodes.reshape(-1).view(NODE)[: starts[-1]].copy()
    n_leaves = int((nodes["link"] < 0).sum())
    inner = nodes["link"] >= 0
    tables = _with_sets(nodes, arrays.tables, len(features), sources)
    # Of an ordered column, "any value that is there" is the last of its ranks.
    ranks = np.array([len(f.categories) - 1 if f.kind == "ordinal" else np.inf for f in features])
    tested = nodes["feature"][inner] & ~MISSING_RIGHT
    nodes["threshold"][inner] = np.minimum(nodes["threshold"][inner], ranks[tested])
    # Gains are squares, and may be infinite where the numbers that are predicted are huge.
    gain = np.minimum(arrays.gains[: len(nodes)][inner], np.finfo(np.float64).max / len(nodes))
    gains = np.bincount(tested, weights=gain, minlength=len(features))
    gains = gains.astype(np.float64)  # of no split at all NumPy counts whole numbers
    return Forest(
        nodes=nodes,
        starts=starts,
        tables=tables,
        leaves=arrays.leaves[:n_leaves].copy(),
        importances=gains / gains.sum() if gains.sum() > 0 else gains,
        regression=True,
    )


def _with_sets(
    nodes: np.ndarray, tables: np.ndarray, n_features: int, sources: tuple[CategoryNumbers, ...]
) -> np.ndarray:
    """Turn thresholds on the numbers of categories into sets of categories, in place; return the bits of all sets."""
    tested = nodes["feature"] & ~MISSING_RIGHT
    parts, end = [tables], len(tables)
    for node in np.flatnonzero((nodes["link"] >= 0) & (tested >= n_features)).tolist():
        source = sources[int(tested[node]) - n_features]
        right = source.numbers > nodes["threshold"][node]
        words = words_of(right[:-1])
        nodes["feature"][node] = source.feature | (MISSING_RIGHT if right[-1] else np.uint32(0))
        nodes["threshold"][node] = end
        parts.append(words)
        end += len(words)
    return np.concatenate(parts)


def words_of(right: np.ndarray) -> np.ndarray:
    """Return the bits of a set of categories as a forest keeps them: which of them go right."""
    bits = np.zeros((len(right) + 31) // 32 * 32, dtype=np.uint8)
    bits[: len(right)] = right
    return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)


def joined(first: Forest, second: Forest, features: tuple[Feature, ...]) -> Forest:
    """Return the trees of both, one after the other.

    Parameters
    ----------
    first, second : Forest
    features : tuple of Feature
    """
    nodes = second.nodes.copy()
    inner = nodes["link"] >= 0
    nodes["link"][~inner] -= len(first.leaves)
    nominal = np.array([f.is_nominal for f in features])[nodes["feature"] & ~MISSING_RIGHT] & inner
    nodes["threshold"][nominal] += len(first.tables)
    share = first.n_trees / (first.n_trees + second.n_trees)
    return replace(
        first,
        nodes=np.concatenate([first.nodes, nodes]),
        starts=np.concatenate([first.starts, first.n_nodes + second.starts[1:]]),
        tables=np.concatenate([first.tables, second.tables]),
        leaves=np.concatenate([first.leaves, second.leaves]),
        importances=share * first.importances + (1 - share) * second.importances,
    )


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
