"""The costs of errors, given once and used for training weights, predictions, thresholds and measures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.errors import InputError, ReadError, as_own_errors
from vaglio.messages.listing import html_table, text_table
from vaglio.messages.message import Option, text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.runtime.arguments import checked
from vaglio.typing import CostLike

__all__ = ["CostMatrix", "UnitCost", "are_words", "cost_name", "row_costs_decision"]

# What the costs of two classes are called in words: of a row of the class that is missed, of a false alarm, of a right
# one, and which class it is.
_WORDS = ("missed", "alarm", "right", "of")
TRUE_BY_PREDICTED = text("true \\ predicted")


@dataclass(frozen=True, repr=False, eq=False)
class CostMatrix:
    """Cost of predicting class j (column) for a row of class i (row). Gains are negative costs.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
    labels : tuple
        The classes, in the order of rows and columns.
    limit : tuple of (class, float), optional
        Of costs that stand for a threshold: the class that is predicted from this probability.

    Examples
    --------
    A missed illness costs ten times a false alarm:

    >>> cost = CostMatrix.from_any({("ill", "well"): 10, ("well", "ill"): 1}, labels=("ill", "well"))
    >>> cost.decide(np.array([[0.15, 0.85], [0.05, 0.95]])).tolist()
    [0, 1]
    >>> round(cost.threshold("ill"), 4)
    0.0909
    """

    matrix: np.ndarray
    labels: tuple[Any, ...]
    limit: tuple[Any, float] | None = None

    def __post_init__(self) -> None:
        k = len(self.labels)
        if self.matrix.shape != (k, k):
            raise InputError(
                "cost-matrix-shape",
                "A cost matrix for {k} classes must have the shape {k}×{k}, not {shape}.",
                k=k,
                shape="×".join(map(str, self.matrix.shape)),
            )
        bad = np.argwhere(~np.isfinite(self.matrix))
        if bad.size:
            true, predicted = (self.labels[i] for i in bad[0])
            raise InputError(
                "cost-not-finite",
                "Costs must be finite: predicting {predicted!r} for {true!r} costs {cost}.",
                predicted=predicted,
                true=true,
                cost=self.matrix[tuple(bad[0])],
            )
        names = [str(label) for label in self.labels]
        if len(set(names)) < k:
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError("cost-matrix-class-twice", "The cost matrix has the class {label!r} twice.", label=twice)

    @classmethod
    @checked
    def from_any(cls, cost: CostLike, *, labels: Sequence[Any]) -> CostMatrix:
        """Make costs from a matrix, a dict of (true, predicted) pairs, words, or a CSV file with classes as headers.

        In words, costs of two classes are "missed=500,alarm=20" or ``{"missed": 500, "alarm": 20}``: what a row costs
        whose class is missed, and a false alarm. "right" is the cost of a right alarm, 0 by default, and "of" the class
        to find, by default the last.

        Classes are put into the order of ``labels``; pairs that a dict leaves out cost nothing, and classes of a matrix
        or a file that are not among ``labels`` are left out. A class that the costs do not know is an error. Costs of
        correct predictions (the diagonal) and gains (negative costs) count like all others.

        Parameters
        ----------
        cost : CostMatrix, array, dict, path or str
        labels : sequence

        Examples
        --------
        >>> CostMatrix.from_any("missed=500, alarm=20, of=yes", labels=("no", "yes")).matrix.tolist()
        [[0.0, 20.0], [500.0, 0.0]]
        """
        if isinstance(cost, CostMatrix):
            return cost.ordered(labels)
        if are_words(cost):
            return cls._from_words(_words(cost), tuple(labels))
        if isinstance(cost, (str, os.PathLike)):
            return cls.read_csv(cost).ordered(labels)
        if isinstance(cost, UnitCost):
            raise InputError(
                "unit-cost-of-classes",
                "Costs of over- and under-prediction are for numbers; classes are predicted here. Pass a cost matrix.",
            )
        if isinstance(cost, Mapping):
            return cls._from_pairs(cost, tuple(labels))
        numbers: Any = cost
        try:
            matrix = np.array(numbers, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                "cost-matrix-not-numbers", "A cost matrix must be a square array of numbers, not {cost!r}.", cost=cost
            ) from error
        return cls(matrix, tuple(labels))

    @classmethod
    @checked
    def from_profit(cls, profit: Any, *, labels: Sequence[Any]) -> CostMatrix:
        """Make costs from the profit of each prediction.

        Parameters
        ----------
        profit : array, dict or path
        labels : sequence
        """
        gains = cls.from_any(profit, labels=labels)
        return cls(-gains.matrix, gains.labels)

    @classmethod
    @checked
    def of_threshold(cls, threshold: float, positive: Any, *, labels: Sequence[Any]) -> CostMatrix:
        """Make the costs by which one of two classes is predicted from this probability.

        Parameters
        ----------
        threshold : float
            Between 0 and 1; a row with just this probability is predicted positive.
        positive : object
            The class.
        labels : sequence

        Examples
        --------
        >>> cost = CostMatrix.of_threshold(0.3, "ill", labels=["ill", "well"])
        >>> cost.decide(np.array([[0.3, 0.7], [0.2, 0.8]])).tolist()
        [0, 1]
        """
        if len(labels) != 2:
            raise InputError(
                "threshold-needs-two-classes", "A threshold needs two classes; there are {n:,}.", n=len(labels)
            )
        if not 0 < threshold < 1:
            raise InputError(
                "threshold-not-between",
                "The threshold is {threshold:g}; it must be a probability between 0 and 1, for example 0.3.",
                threshold=threshold,
            )
        p = _position(positive, labels)
        # Rounding must not decide rows whose probability is the threshold itself.
        false_alarm = threshold * (1 - 1e-9)
        matrix = np.zeros((2, 2))
        matrix[1 - p, p], matrix[p, 1 - p] = false_alarm, 1 - false_alarm
        return cls(matrix, tuple(labels), (positive, float(threshold)))

    @classmethod
    def _from_words(cls, words: Mapping[str, Any], labels: tuple[Any, ...]) -> CostMatrix:
        if len(labels) != 2:
            raise InputError(
                "cost-words-need-two-classes",
                "Costs of missed rows and false alarms need two classes; there are {n:,}. Pass a cost matrix.",
                n=len(labels),
            )
        names = [str(label) for label in labels]
        wanted = str(words.get("of", names[-1]))
        if wanted not in names:
            hint = did_you_mean(wanted, names, otherwise=text("there are"), quoted=True)
            raise InputError(
                "class-of-costs-unknown", "The costs are of the class {label!r}: {hint}", label=wanted, hint=hint
            )
        costs = {}
        for name in ("missed", "alarm", "right"):
            try:
                costs[name] = float(words.get(name, 0.0))
            except (TypeError, ValueError):
                raise InputError(
                    "cost-word-not-number", "The cost {name}={cost!r} is not a number.", name=name, cost=words[name]
                ) from None
        p = names.index(wanted)
        matrix = np.zeros((2, 2))
        matrix[p, 1 - p], matrix[1 - p, p], matrix[p, p] = costs["missed"], costs["alarm"], costs["right"]
        return cls(matrix, labels)

    @classmethod
    def _from_pairs(cls, cost: Mapping[Any, float], labels: tuple[Any, ...]) -> CostMatrix:
        matrix = np.zeros((len(labels), len(labels)))
        for pair, value in cost.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in labels and pair[1] in labels):
                raise InputError(
                    "cost-of-unknown-pair",
                    "The cost of {pair!r} is not a (true, predicted) pair of the classes {labels}.",
                    pair=pair,
                    labels=listed(labels, quoted=True),
                )
            try:
                matrix[labels.index(pair[0]), labels.index(pair[1])] = value
            except (TypeError, ValueError) as error:
                raise InputError(
                    "cost-not-number", "The cost of {pair!r} is {cost!r}, which is not a number.", pair=pair, cost=value
                ) from error
        return cls(matrix, labels)

    @classmethod
    @checked
    def read_csv(cls, path: str | os.PathLike[str]) -> CostMatrix:
        """Read costs from a CSV file: first an empty cell and the predicted classes, then one line per true class.

        Parameters
        ----------
        path : path-like
        """
        # A model with costs is loaded without the readers of tables.
        from vaglio.table import read_words, words_as_numbers

        try:
            Path(path).open("rb").close()
            lines, decimal = read_words(path)
        except OSError as error:
            raise InputError(
                "costs-not-readable", "The costs in {path} cannot be read: {reason}.", path=path, reason=error.strerror
            ) from error
        except (ValueError, ReadError):  # no text, or no name of a file
            raise InputError("costs-not-csv", "{path} is not a CSV file of costs.", path=path) from None
        heads = lines[0][1:] if lines else []
        square = sorted(heads) == sorted(line[0] for line in lines[1:]) and len({len(line) for line in lines}) == 1
        if not heads or not square:
            raise InputError(
                "cost-file-not-square",
                "{path}: a cost file must have the same classes in its first line and in its first column.",
                path=path,
            )
        cells = [cell for line in lines[1:] for cell in line[1:]]
        numbers = words_as_numbers(cells, decimal)
        if np.isnan(numbers).any():
            raise InputError(
                "cost-in-file-not-number",
                "{path}: the cost {cost!r} is not a number.",
                path=path,
                cost=cells[int(np.argmax(np.isnan(numbers)))],
            )
        values = {line[0]: costs for line, costs in zip(lines[1:], numbers.reshape(len(heads), -1), strict=True)}
        return cls(np.array([values[name] for name in heads], dtype=np.float64), tuple(heads))

    @checked
    def ordered(self, labels: Sequence[Any]) -> CostMatrix:
        """Return the same costs with the classes in another order, matched by how they are written.

        Parameters
        ----------
        labels : sequence
        """
        names = {str(label): i for i, label in enumerate(self.labels)}
        unknown = [label for label in labels if str(label) not in names]
        if unknown:
            near = did_you_mean(str(unknown[0]), names, otherwise=text("it has"), quoted=True)
            raise InputError(
                "cost-matrix-without-class",
                "The cost matrix has no class {label!r}: {hint}",
                label=unknown[0],
                hint=near,
            )
        order = [names[str(label)] for label in labels]
        return CostMatrix(self.matrix[np.ix_(order, order)], tuple(labels), self.limit)

    def expected(self, probability: np.ndarray) -> np.ndarray:
        """Return the expected cost of each row for each class that could be predicted."""
        # Added up class by class, not by a matrix product: its rounding would depend on how many rows come together.
        total = np.zeros(probability.shape)
        for of_class, costs in zip(probability.T, self.matrix, strict=True):
            total += of_class[:, None] * costs
        return total

    def decide(self, probability: np.ndarray | None) -> np.ndarray:
        """Return the class with the least expected cost, the first among equals."""
        if probability is None:
            raise InputError("costs-without-probabilities", "Deciding by expected cost needs probabilities.")
        return np.asarray(np.argmin(self.expected(probability), axis=1))

    def decide_one(self, probability: Sequence[float]) -> int:
        """Return the class with the least expected cost for one row."""
        return int(self.decide(np.asarray(probability, dtype=np.float64)[None, :])[0])

    @checked
    def threshold(self, positive: Any = None) -> float:
        """For two classes, return the probability of ``positive`` from which predicting it costs less."""
        if len(self.labels) != 2:
            raise InputError(
                "threshold-needs-two-classes",
                "A threshold needs two classes; there are {n:,}.",
                n=len(self.labels),
            )
        p = 1 if positive is None else _position(positive, self.labels)
        n = 1 - p
        false_alarm = self.matrix[n, p] - self.matrix[n, n]
        miss = self.matrix[p, n] - self.matrix[p, p]
        if false_alarm + miss <= 0:
            raise InputError(
                "errors-cost-nothing", "Errors cost no more than correct predictions, so no threshold is optimal."
            )
        return float(min(max(false_alarm / (false_alarm + miss), 0.0), 1.0))

    def class_weight(self) -> dict[Any, float]:
        """Return class weights for training: the cost of an error on each class beyond that of a correct prediction.

        With two classes this is exact; with more, a class is weighted by its mean cost of an error. The weights are
        scaled to a mean of 1.
        """
        k = len(self.labels)
        excess = self.matrix - np.diag(self.matrix)[:, None]
        weight = excess.sum(axis=1) / max(k - 1, 1)
        if (weight <= 0).any():
            free = self.labels[int(np.argmin(weight))]
            raise InputError(
                "costs-not-weights",
                "Costs can become weights of the training rows only if errors on every class cost more than correct "
                "predictions. Errors on {label!r} do not.",
                label=free,
            )
        return dict(zip(self.labels, (weight * k / weight.sum()).tolist(), strict=True))

    def mean_cost(self, true: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> float:
        """Return the mean cost per row; classes are given as positions in ``labels``."""
        return float(np.average(self.matrix[true, predicted], weights=weight))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per true class, as data."""
        names = [str(label) for label in self.labels]
        return [
            {TRUE_BY_PREDICTED: name, **dict(zip(names, self.matrix[i].tolist(), strict=True))}
            for i, name in enumerate(names)
        ]

    def __repr__(self) -> str:
        return text_table(self.to_rows())

    def _repr_html_(self) -> str:
        return html_table(self.to_rows(), caption=text("Cost of each prediction"))


def _position(label: Any, labels: Sequence[Any]) -> int:
    known = list(labels)
    with as_own_errors():  # a class is one value
        found = label in known
    if not found:
        raise InputError("no-such-class", "There is no class {label!r} among {labels!r}.", label=label, labels=known)
    return known.index(label)


def are_words(cost: Any) -> bool:
    """Return whether costs of two classes are given in words, as text or mapping.

    Parameters
    ----------
    cost : object
    """
    if isinstance(cost, (str, os.PathLike)):
        names = [word.partition("=")[0].strip() for word in os.fspath(cost).split(",")]
        return "=" in os.fspath(cost) and set(names) <= set(_WORDS)
    return isinstance(cost, Mapping) and bool(cost) and set(cost) <= set(_WORDS)


def _words(cost: Any) -> Mapping[str, Any]:
    if isinstance(cost, Mapping):
        return cost
    pairs = (word.partition("=") for word in os.fspath(cost).split(","))
    return {name.strip(): value.strip() for name, _, value in pairs}


def cost_name(cost: str | None) -> str | None:
    """Return the costs of a command line as a command repeats them: a file by its name alone, words as they are.

    Parameters
    ----------
    cost : str or None
    """
    return cost if cost is None or "=" in cost else Path(cost).name


def row_costs_decision(probability: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Predict by costs that differ by row: ``costs[r, i, j]`` is the cost of predicting j for row r of class i."""
    if costs.shape != (*probability.shape, probability.shape[1]):
        raise InputError(
            "row-costs-shape",
            "Costs by row must have the shape (rows, classes, classes), not {shape}.",
            shape=costs.shape,
        )
    return np.asarray(np.argmin(np.einsum("ri,rij->rj", probability, costs), axis=1))


@dataclass(frozen=True)
class UnitCost:
    """What a unit of error costs where numbers are predicted: too much predicted, or too little.

    Parameters
    ----------
    over, under : float, default=1
        Cost of each unit by which a prediction is above the true number, and below it.

    Examples
    --------
    >>> cost = UnitCost.from_any("over=1, under=3")
    >>> cost.of_rows(np.array([10.0, 10.0]), np.array([12.0, 8.0])).tolist(), cost.quantile
    ([2.0, 6.0], 0.75)
    """

    over: float = 1.0
    under: float = 1.0

    def __post_init__(self) -> None:
        if not (
            np.isfinite([self.over, self.under]).all() and min(self.over, self.under) >= 0 < self.over + self.under
        ):
            raise InputError(
                "unit-cost-values",
                "The costs of a unit of error must be finite and not negative, and one of them positive; got "
                "over={over:g} and under={under:g}.",
                over=self.over,
                under=self.under,
            )

    @classmethod
    def from_any(cls, cost: Any) -> UnitCost:
        """Make costs from a mapping of "over" and "under" to numbers, or from text such as "over=1,under=3".

        Parameters
        ----------
        cost : UnitCost, mapping or str
        """
        if isinstance(cost, UnitCost):
            return cost
        given: Any = cost
        if isinstance(cost, (str, os.PathLike)):
            given = dict(word.partition("=")[::2] for word in os.fspath(cost).replace(" ", "").split(","))
        if isinstance(given, Mapping) and given and set(given) <= {"over", "under"}:
            try:
                return cls(**{name: float(value) for name, value in given.items()})
            except (TypeError, ValueError):
                pass
        raise InputError(
            "unit-cost-form",
            "Numbers are predicted, so the cost is that of a unit of error: pass over and under, as in {example}, not "
            "{cost!r}.",
            example=Option("cost", {"over": 1, "under": 3}, flag="--cost over=1,under=3"),
            cost=str(cost),
        )

    @property
    def quantile(self) -> float:
        """The quantile of the true numbers whose prediction costs least."""
        return self.under / (self.over + self.under)

    def of_rows(self, true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Return what each prediction costs.

        Parameters
        ----------
        true, predicted : ndarray
        """
        error = predicted - true
        costs: np.ndarray = np.where(error > 0, self.over * error, -self.under * error)
        return costs
