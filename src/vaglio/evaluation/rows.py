"""Rows to learn from and to evaluate on, wherever they are.

``evaluate``, ``select``, ``compare``, ``tune`` and the commands know only :class:`Rows`. Whether rows are in memory, on
disk or on a cluster is decided once, by :meth:`Rows.of`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse as sp
from sklearn.utils.validation import has_fit_parameter

from vaglio.engines.sources import is_out_of_core
from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.labels import as_labels, as_numbers, as_weight
from vaglio.evaluation.metrics.scoring import Scorer, with_known_labels
from vaglio.evaluation.predictions import Predictions, predict_with_scores
from vaglio.evaluation.selection.splits import Fold, SplitRules, make_folds, make_holdout
from vaglio.evaluation.tasks import in_processes
from vaglio.messages.message import Message, text
from vaglio.runtime.scikit_learn import safe_indexing
from vaglio.table import Table, as_table, decide_task
from vaglio.typing import Predictor, TableLike

if TYPE_CHECKING:
    from vaglio.model.families import Task

__all__ = ["MemoryRows", "Part", "Predicted", "Rows", "with_label_noise", "with_missing_values"]

# Some of the rows, as ``folds`` and ``split`` give them to ``take``: positions in memory, shares of the rows elsewhere.
Part = Any


@dataclass(frozen=True)
class Predicted:
    """Predictions of the rows whose target is known, with the true classes (or numbers) and the weights."""

    predictions: Predictions
    true: np.ndarray
    weight: np.ndarray | None


class Rows(ABC):
    """Inputs, targets (classes or numbers) and weights of the same rows.

    Attributes
    ----------
    X : table, array, ScannedTable or Dask frame
    y : array of labels or numbers, or a column of the same holder
    weight : array, column of the same holder, or None
    task : {"classification", "regression"}
        Whether the targets are classes or numbers.
    told : Message or None
        What was assumed about the task, where people may mean the other.
    """

    X: Any
    y: Any
    weight: Any
    task: Task
    told: Message | None

    @staticmethod
    def of(table: Any, target: Any = None, weight: Any = None, *, task: str = "auto", able: Task | None = None) -> Rows:
        """Return the rows of a table and the name of its target, or of any X and the targets.

        Parameters
        ----------
        table : Rows, table or array, ScannedTable, Dask frame
        target : str, int, labels or numbers, or a column of the same holder
            None is the target that the table has.
        weight : array-like, or a column of the same holder, optional
        task, able : optional
            As in :func:`vaglio.table.decide_task`.
        """
        if isinstance(table, Rows):
            if task not in ("auto", table.task):
                raise InputError(
                    "rows-of-other-task",
                    "These rows are read for {task}, and {asked} is asked. Read them again for it.",
                    task=table.task,
                    asked=task,
                )
            return table
        if is_out_of_core(table):
            from vaglio.evaluation.rows_out_of_core import OutOfCoreRows

            return OutOfCoreRows.of_columns(table, target, weight, task, able)
        return MemoryRows.of_arrays(table, target, weight, task, able)

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def whole(self) -> Part:
        """All rows, as :meth:`take` gets them."""

    @abstractmethod
    def take(self, part: Part) -> Rows:
        """Return some of the rows."""

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""
        return len(self.take(part))

    @abstractmethod
    def folds(
        self, n_splits: int, rules: SplitRules, *, repeats: int = 1, within: Part = None
    ) -> Sequence[tuple[Part, Part]]:
        """Return training and test rows of each fold; in memory at most as many folds as rows.

        Parameters
        ----------
        n_splits : int
        rules : SplitRules
        repeats : int, default=1
            How often the folds are drawn.
        within : part, optional
            The rows that are divided; by default all.
        """

    @abstractmethod
    def split(self, share: float | str, rules: SplitRules, within: Part = None) -> tuple[Part, Part]:
        """Divide the rows in two; the second part has (about) this share of them."""

    @abstractmethod
    def in_order(self, part: Part) -> Part:
        """Return a part in the order of the table."""

    @abstractmethod
    def positions(self, part: Part) -> np.ndarray:
        """Return the positions of the rows of a part among all rows whose class is known."""

    @abstractmethod
    def describe(self, rules: SplitRules) -> dict[str, str]:
        """Say where the rows are and how they are divided."""

    @abstractmethod
    def refuse(self, rules: SplitRules, search: str) -> None:
        """Raise an error if the rows cannot be divided, or parameters not be searched, like this."""

    @abstractmethod
    def sample(self, most: int, rng: np.random.Generator | None = None) -> MemoryRows:
        """Return about so many of the rows whose class is known, in memory."""

    @abstractmethod
    def classes(self) -> np.ndarray:
        """Return the class labels, sorted."""

    @property
    @abstractmethod
    def columns(self) -> list[str] | None:
        """Names of the input columns, if they have names."""

    @property
    @abstractmethod
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""

    @abstractmethod
    def like(self, table: Any, target: Any = None) -> Rows:
        """Return the rows of another table, with the input columns that these have."""

    @abstractmethod
    def select(self, names: list[str]) -> Rows:
        """Return the rows with these input columns only."""

    @abstractmethod
    def with_weights(self, weight: Any) -> Rows:
        """Return the rows, each counting so much more."""

    @abstractmethod
    def with_groups(self, groups: Any) -> Rows:
        """Return the rows with the groups that no split divides: a value per row, or a column of the same holder."""

    @abstractmethod
    def with_class_weights(self, weights: Mapping[Any, float]) -> Rows:
        """Return the rows, each counting as much more as its class does."""

    @abstractmethod
    def with_noise(self, share: float, key: Sequence[int]) -> Rows:
        """Return the rows with the class of a share of them changed to another one, or the number to that of a row."""

    @abstractmethod
    def with_missing(self, share: float, key: Sequence[int]) -> Rows:
        """Return the rows with a share of the values missing."""

    @abstractmethod
    def growing(self, shares: Sequence[float], seed: int) -> list[Rows]:
        """Return parts of these shares of the rows, each with two classes or numbers at least."""

    def fit(self, estimator: Any) -> Any:
        """Fit an estimator, with the weights where it takes them; return it."""
        if self.weight is None or not has_fit_parameter(estimator, "sample_weight"):
            return estimator.fit(self.X, self.y)
        return estimator.fit(self.X, self.y, sample_weight=self.weight)

    @abstractmethod
    def learned(self, model: Predictor) -> int:
        """Return how many of the rows a model that was fitted on them has learned from."""

    @abstractmethod
    def predict(self, model: Predictor, *, seen: bool = False) -> Predicted:
        """Predict the rows whose class is known; if asked, look for training rows among them."""

    @abstractmethod
    def predict_all(self, model: Predictor) -> None:
        """Predict every row and forget the predictions: to measure how long it takes."""

    @abstractmethod
    def labels(self, model: Predictor) -> Predicted:
        """Predict the classes (or numbers) alone of the rows whose target is known."""

    @abstractmethod
    def score(self, scorer: Scorer, model: Predictor, predicted: Predicted | None = None) -> float:
        """Score a fitted model; ``predicted`` is what it predicts, if that is known already."""

    @abstractmethod
    def results(self, tasks: Iterator[Any], n_jobs: int | None, *, long: bool = False) -> Iterator[Any]:
        """Yield the results of tasks that train on these rows, in order.

        Parameters
        ----------
        tasks : iterator of (function, arguments, keywords)
            As ``joblib.delayed`` makes them; read as the work goes on.
        n_jobs : int, optional
            Processes; rows out of core are learned from in this one.
        long : bool
            Whether the work is known to take long enough for processes.
        """


@dataclass(frozen=True)
class MemoryRows(Rows):
    """Rows in memory."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None = None
    task: Task = "classification"
    told: Message | None = None
    # Rows of one group are never divided; the rules of a split may name other groups.
    groups: np.ndarray | None = None

    @classmethod
    def of_arrays(
        cls, table: Any, target: Any, weight: Any = None, task: str = "auto", able: Task | None = None
    ) -> MemoryRows:
        """Return the rows of a table and the name of its target, or of any X and the targets."""
        if target is None or isinstance(target, (str, int)):
            whole = as_table(table)
            labelled = whole.labelled(target)
            name = labelled.target if target is None else target
            found = decide_task(labelled.column(name), task, able)  # type: ignore[arg-type]
            # An error names the row of the whole table.
            X, y = whole.xy(target, task=found.task)
            weights = as_weight(labelled.weights if weight is None else weight, len(y))
            return cls(X, y, weights, found.task, found.told, labelled.groups)
        if not isinstance(getattr(table, "shape", None), tuple):
            table = _with_shape(table)
        _check_dimensions(table)
        y = as_labels(target, "target")
        found = decide_task(y, task, able)
        y = as_numbers(y, "target") if found.task == "regression" else y
        if table.shape[0] != len(y):
            raise InputError(
                "row-counts-differ",
                "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
                first=text("the table"),
                n=table.shape[0],
                second=text("the target"),
                m=len(y),
            )
        return cls(table, y, as_weight(weight, len(y)), found.task, found.told)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def whole(self) -> np.ndarray:
        """The positions of all rows."""
        return np.arange(len(self.y))

    def take(self, part: np.ndarray) -> MemoryRows:
        """Return the rows at these positions."""
        weight = None if self.weight is None else self.weight[part]
        groups = None if self.groups is None else self.groups[part]
        return replace(self, X=safe_indexing(self.X, part), y=self.y[part], weight=weight, groups=groups)

    def _rules(self, rules: SplitRules) -> SplitRules:
        return rules if rules.groups is not None or self.groups is None else replace(rules, groups=self.groups)

    def count(self, part: np.ndarray) -> int:
        """Return how many positions there are."""
        return len(part)

    def folds(
        self, n_splits: int, rules: SplitRules, *, repeats: int = 1, within: np.ndarray | None = None
    ) -> Sequence[Fold]:
        """Return positions of training and test rows of each fold, divided as the rules say."""
        rules = self._rules(rules)
        if within is None:
            return make_folds(self.y, min(n_splits, len(self)), n_repeats=repeats, rules=rules, task=self.task)
        part, y = rules.part(within), self.y[within]
        inner = make_folds(y, min(n_splits, len(within)), n_repeats=repeats, rules=part, task=self.task)
        return [(within[train], within[test]) for train, test in inner]

    def split(self, share: float | str, rules: SplitRules, within: np.ndarray | None = None) -> Fold:
        """Divide the rows in two as the rules say."""
        rules = self._rules(rules)
        if within is None:
            return make_holdout(self.y, share, rules, task=self.task)
        rest, held = make_holdout(self.y[within], share, rules.part(within), task=self.task)
        return within[rest], within[held]

    def in_order(self, part: np.ndarray) -> np.ndarray:
        """Return sorted positions."""
        return np.sort(part)

    def positions(self, part: np.ndarray) -> np.ndarray:
        """Return the positions as they are."""
        return part

    def describe(self, rules: SplitRules) -> dict[str, str]:
        """Say where the rows are and how they are divided."""
        return {"held": text("in memory"), "divided": self._rules(rules).division_of(self.task)}

    def refuse(self, rules: SplitRules, search: str) -> None:
        """Rows in memory can be divided and searched in every way."""

    def sample(self, most: int, rng: np.random.Generator | None = None) -> MemoryRows:
        """Return about so many of the rows: at equal distances, or drawn at random."""
        if rng is None:
            return self.take(np.arange(0, len(self), max(1, len(self) // most)))
        return self if len(self) <= most else self.take(np.sort(rng.choice(len(self), most, replace=False)))

    def classes(self) -> np.ndarray:
        """Return the class labels, sorted."""
        return np.unique(self.y)

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns of a table."""
        return list(self.X.columns) if isinstance(self.X, Table) else None

    @property
    def key(self) -> str:
        """The number of rows and the columns: rows in memory last no longer than the process."""
        return f"{len(self)} rows of {self.columns}"

    def like(self, table: Any, target: Any = None) -> Rows:
        """Return the rows of another table, with the input columns that these have."""
        found = Rows.of(table, target, task=self.task)
        return found if self.columns is None or found.columns is None else found.select(self.columns)

    def select(self, names: list[str]) -> MemoryRows:
        """Return the rows with these input columns only."""
        return replace(self, X=self.X.select(names))

    def with_weights(self, weight: Any) -> MemoryRows:
        """Return the rows, each counting so much more."""
        more = as_weight(weight, len(self))
        return replace(self, weight=more if self.weight is None else self.weight * more)

    def with_groups(self, groups: Any) -> MemoryRows:
        """Return the rows with a group each; the name of a column takes it from the inputs."""
        if not isinstance(groups, str):
            given = as_labels(groups, "groups")
            if len(given) != len(self):
                raise InputError(
                    "row-counts-differ",
                    "The numbers of rows differ: {n:,} in {first}, {m:,} in {second}.",
                    first=text("the target"),
                    n=len(self),
                    second=text("the groups"),
                    m=len(given),
                )
            return replace(self, groups=given)
        named = Table.from_any(self.X)
        column = Table([named.column(groups)]).with_roles({groups: "group"})
        return replace(self, X=named.drop([groups]), groups=column.groups)

    def with_class_weights(self, weights: Mapping[Any, float]) -> MemoryRows:
        """Return the rows, each counting as much more as its class does."""
        by_row = np.array([weights[label] for label in self.y.tolist()])
        return replace(self, weight=by_row if self.weight is None else by_row * self.weight)

    def with_noise(self, share: float, key: Sequence[int]) -> MemoryRows:
        """Return the rows with the class of a share of them changed to another one, or the number to that of a row."""
        noisy = with_label_noise if self.task == "classification" else with_number_noise
        return replace(self, y=noisy(self.y, share, np.random.default_rng(key)))

    def with_missing(self, share: float, key: Sequence[int]) -> MemoryRows:
        """Return the rows with a share of the values missing."""
        return replace(self, X=with_missing_values(self.X, share, np.random.default_rng(key)))

    def growing(self, shares: Sequence[float], seed: int) -> list[Rows]:
        """Return random parts of these shares of the rows, in the order of the table."""
        order = np.random.default_rng(seed).permutation(len(self))
        parts = [self.take(np.sort(order[: max(2, round(share * len(self)))])) for share in shares]
        return [part for part in parts if len(np.unique(part.y)) > 1]

    def learned(self, model: Predictor) -> int:
        """Return the number of rows."""
        return len(self)

    def predict(self, model: Predictor, *, seen: bool = False) -> Predicted:
        """Predict all rows at once."""
        return Predicted(predict_with_scores(model, self.X, seen=seen), self.y, self.weight)

    def predict_all(self, model: Predictor) -> None:
        """Predict every row and forget the predictions."""
        model.predict(self.X)

    def labels(self, model: Predictor) -> Predicted:
        """Predict the classes (or numbers) alone."""
        return Predicted(Predictions(np.asarray(model.predict(self.X)), None), self.y, self.weight)

    def score(self, scorer: Scorer, model: Predictor, predicted: Predicted | None = None) -> float:
        """Score a fitted model, with the weights if there are any."""
        if predicted is not None:
            model = with_known_labels(scorer, model, predicted.predictions.labels)
        if self.weight is None:
            return float(scorer(model, self.X, self.y))
        return float(scorer(model, self.X, self.y, sample_weight=self.weight))

    def results(self, tasks: Iterator[Any], n_jobs: int | None, *, long: bool = False) -> Iterator[Any]:
        """Yield results from this process, and from others if the work takes long."""
        return in_processes(tasks, n_jobs, long=long)


def _check_dimensions(X: Any) -> None:
    if len(X.shape) != 2:
        raise InputError(
            "rows-shape", "The table has the shape {shape}; pass rows with one value per column.", shape=X.shape
        )


def _with_shape(X: Any) -> Any:
    """Return rows that are lists, or columns in a mapping, as something with a shape."""
    if isinstance(X, Mapping) or not isinstance(X, Sequence) or (len(X) and isinstance(X[0], Mapping)):
        return Table.from_any(X)
    with as_own_errors():  # ragged lists
        rows = np.asarray(X)
    # As an array of strings, rows of numbers and words would lose which columns are numbers.
    return rows if rows.dtype.kind in "biuf" else np.array(X, dtype=object)


def with_label_noise(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return labels of which a share is changed to another class."""
    classes = np.unique(y)
    noisy = y.copy()
    if len(classes) < 2:
        return noisy
    codes = np.searchsorted(classes, y)
    changed = rng.random(len(y)) < share
    moved = (codes + rng.integers(1, len(classes), len(y))) % len(classes)
    noisy[changed] = classes[moved[changed]]
    return noisy


def with_number_noise(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return numbers of which a share is replaced by those of other rows, drawn at random."""
    changed = rng.random(len(y)) < share
    return np.where(changed, y[rng.integers(0, len(y), len(y))], y)


def with_missing_values(X: TableLike, share: float, rng: np.random.Generator) -> Any:
    """Return inputs of which a random share of the values is missing; sparse inputs are returned unchanged."""
    if sp.issparse(X):
        return X
    if not isinstance(X, Table) and not (isinstance(X, np.ndarray) and X.dtype.kind in "fiub"):
        X = Table.from_any(X)
    if isinstance(X, Table):
        compressed = set() if X.sparse is None else set(X.sparse.names)
        columns = []
        for name in X.columns:
            if name in compressed:  # an absent entry there is a zero, not a missing value
                continue
            column = X.column(name)
            data = column.data.copy()
            data[rng.random(len(data)) < share] = {"numeric": np.nan, "nominal": -1, "text": None}[column.kind]
            columns.append(column.replace(data=data))
        return X.with_columns(columns)
    values = np.array(X, dtype=np.float64)
    values[rng.random(values.shape) < share] = np.nan
    return values
