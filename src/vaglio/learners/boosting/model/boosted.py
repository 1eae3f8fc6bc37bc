"""Trees whose values add up to a score: what boosting by gradient leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.forest.model.forest import Forest
from vaglio.model import checks
from vaglio.model.base import State

# How scores become predictions: two classes by the log-odds of the second, more by one score each, a number as it is or
# by its logarithm.
LINKS = ("logit", "softmax", "identity", "log")


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
        return bool(max(np.abs(self.baseline).max(), reached) < _LARGEST_SUM)

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
        link = checks.number(meta, "link", str)
        checks.need(link in LINKS, "the link of its scores is unknown")
        checks.need((n_classes == 0) == (link in ("identity", "log")), "its link and its classes do not fit each other")
        outputs = n_classes if link == "softmax" else 1
        checks.need(link != "logit" or n_classes == 2, "its link and its classes do not fit each other")
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


# Scores of a model that was learned stay far below; more would overflow in sums.
_LARGEST_SUM = 1e300
