"""Rows that stay on disk or on a cluster.

Rows are divided by the hash of their number in the whole table: nothing is kept or sorted, and it is the same rows
however the table is read. Folds are therefore neither stratified nor of exactly the same size; with the many rows of
such a table both hold nearly. Rows of a group are divided by the hash of its value instead.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio.engines.sources import Labelled, Source, source_of, source_of_table
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.metrics.scoring import Scorer, with_known_predictions
from vaglio.evaluation.predictions import ModelScores, Predictions, predict_with_scores
from vaglio.evaluation.rows import MemoryRows, Predicted, Rows
from vaglio.evaluation.selection.splits import SplitRules, test_share
from vaglio.evaluation.tasks import in_turn
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import listed
from vaglio.runtime.seeds import row_hash
from vaglio.table import Column, Table, decide_task
from vaglio.table.scanned import RowShare, group_folds, group_keys, group_split, joined, numbers
from vaglio.typing import Predictor

if TYPE_CHECKING:
    from vaglio.model.families import Task

__all__ = ["LabelNoise", "MissingValues", "NumberNoise", "OutOfCoreRows"]

# Rows whose numbers stand in for those that noise replaces.
_DRAWN = 1000

Shares = tuple[RowShare, ...]


@dataclass(frozen=True)
class OutOfCoreRows(Rows):
    """Rows of a source; a part is a tuple of shares, and has the rows that are in all of them."""

    X: Any
    y: Any
    weight: Any
    source: Source
    task: Task = "classification"
    told: Message | None = None

    def of_source(self, source: Source) -> OutOfCoreRows:
        """Return other rows of the same task."""
        return replace(self, X=source.X, y=source.y, weight=source.weight, source=source)

    @classmethod
    def of_columns(
        cls, table: Any, target: Any, weight: Any = None, task: str = "auto", able: Task | None = None
    ) -> OutOfCoreRows:
        """Return the rows of a table and the name of its target, or of X and y.

        What is predicted is decided by the first rows, unless it is told.
        """
        if target is None:
            raise InputError("target-missing", "Name the target column.")
        if not isinstance(target, str):
            source = source_of(table, target, weight)
        else:
            source = replace(source_of_table(table, target), weight=weight)
        found = decide_task(_first_targets(source) if task == "auto" else [], task, able)
        return cls(source.X, source.y, source.weight, source, found.task, found.told)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def whole(self) -> Shares:
        """No share, which leaves all rows."""
        return ()

    def take(self, part: Shares) -> OutOfCoreRows:
        """Return the rows that are in all shares."""
        source = self.source
        for share in part:
            source = source.taking(share)
        return self.of_source(source)

    def folds(
        self, n_splits: int, rules: SplitRules, *, repeats: int = 1, within: Shares | None = None
    ) -> list[tuple[Shares, Shares]]:
        """Return shares of training and test rows, by the hash of the row number or of the group."""
        self.refuse(rules)
        if n_splits < 2:
            raise InputError(
                "too-few-folds",
                "{n_splits} {n_splits:fold leaves|folds leave} no rows to learn from. Use at least 2 folds.",
                n_splits=n_splits,
            )
        outer = within or ()
        # Each level of a division has a seed of its own: by the same hashes all rows would be in one fold.
        seeds = range(rules.seed + len(outer), rules.seed + len(outer) + repeats)
        shares = [share for seed in seeds for share in self._shares(n_splits, seed, outer)]
        return [((*outer, replace(share, inside=False)), (*outer, share)) for share in shares]

    def split(self, share: float | str, rules: SplitRules, within: Shares | None = None) -> tuple[Shares, Shares]:
        """Divide the rows in two, by the hash of the row number or of the group."""
        self.refuse(rules)
        outer = within or ()
        seed = rules.seed + len(outer)
        held = RowShare(0.0, test_share(share), seed)
        if self.source.group is not None:
            held = group_split(_among(self._keys, outer), test_share(share), seed)
        return (*outer, replace(held, inside=False)), (*outer, held)

    def _shares(self, n_splits: int, seed: int, outer: Shares) -> list[RowShare]:
        if self.source.group is not None:
            return group_folds(_among(self._keys, outer), n_splits, seed)
        edges = [fold / n_splits for fold in range(n_splits + 1)]
        return [RowShare(*ends, seed) for ends in pairwise(edges)]

    @cached_property
    def _keys(self) -> np.ndarray:
        """The number of the group of each row."""
        return self.source.group_keys()

    def in_order(self, part: Shares) -> Shares:
        """Rows out of core are always in the order of the table."""
        return part

    def positions(self, part: Shares) -> np.ndarray:
        """Return the positions among the rows whose class is known, which one look at the target finds."""
        taken = np.ones(len(self._known), dtype=bool)
        for share in part:
            taken &= share.takes(self._known)
        return np.flatnonzero(taken)

    @cached_property
    def _known(self) -> np.ndarray:
        """The numbers that divide the rows whose class is known: in the whole table, or of their groups."""
        numbered = self.source.select([]).changing(_Numbered(self.source.target, self.source.group))
        found = [np.empty(0, dtype=np.int64), *numbered.labelled(_row_numbers, regression=True)]
        return np.concatenate(found)

    def describe(self, rules: SplitRules) -> dict[str, str]:
        """Say where the rows are and how they are divided."""
        by_group = text("by a hash of the group, groups kept together")
        divided = text("by a hash of the row number") if self.source.group is None else by_group
        return {"held": self.source.place, "divided": divided}

    def refuse(self, rules: SplitRules, search: str = "none") -> None:
        """Raise an error if the positions of all rows would be needed."""
        asked = {"groups": rules.groups is not None, "time_ordered": rules.time_ordered, "search": search == "halving"}
        unsuited = [name for name, wanted in asked.items() if wanted]
        if unsuited:
            raise NotSupportedError(
                "split-needs-memory",
                "{unsuited} cannot be used with rows out of core, which are divided by the hash of "
                "their number: use the random or grid search, or take a sample of the rows.",
                unsuited=listed(unsuited),
            )

    def sample(self, most: int, rng: np.random.Generator | None = None) -> MemoryRows:
        """Return at most so many of the rows whose class is known, in memory; those with the smallest hashes."""
        held: list[tuple[np.ndarray, MemoryRows]] = []
        start = 0
        for inputs, true, weight in self._labelled(_itself):
            hashes = row_hash(np.arange(start, start + len(true)), 0)
            start += len(true)
            rows = np.sort(np.argsort(hashes, kind="stable")[:most])
            held = _smallest([*held, (hashes[rows], MemoryRows(inputs, true, weight, self.task).take(rows))], most)
        if not held:
            raise InputError("no-target-values", "The target is missing in every row.")
        parts = [rows for _, rows in held]
        weights = [part.weight for part in parts if part.weight is not None]
        return MemoryRows(
            joined([part.X for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate(weights) if weights else None,
            self.task,
        )

    def _labelled(self, function: Callable[[Labelled], Any]) -> Iterator[Any]:
        """Yield what a function returns for the rows whose target is known, chunk by chunk."""
        return self.source.labelled(function, regression=self.task == "regression")

    def classes(self) -> np.ndarray:
        """Return the class labels, sorted: one look at the target."""
        found: set[Any] = set()
        for labels in self.source.select([]).labelled(_labels):
            found |= set(labels.tolist())
        if not found:
            raise InputError(
                "target-all-missing",
                "The target {target!r} is missing in every row.",
                target=self.source.target,
            )
        return np.unique(np.array(sorted(found)))

    @property
    def columns(self) -> list[str]:
        """Names of the input columns."""
        return self.source.columns

    @property
    def key(self) -> str:
        """What tells these rows from others, in a checkpoint."""
        return self.source.key

    def like(self, table: Any, target: Any = None) -> Rows:
        """Return the rows of another table, with the input columns that these have."""
        name = target if isinstance(target, str) else self.source.target
        return Rows.of(table, name, task=self.task).select(self.columns)

    def select(self, names: list[str]) -> OutOfCoreRows:
        """Return the rows with these input columns only."""
        return self.of_source(self.source.select(names))

    def with_weights(self, weight: Any) -> Rows:
        """Weights are a column of the same table, not an array."""
        raise NotSupportedError(
            "row-costs-need-memory",
            "A cost for each row needs the rows in memory: put it into a column and pass that as the "
            "weight, or take a sample.",
        )

    def with_groups(self, groups: Any) -> OutOfCoreRows:
        """Return the rows, divided by the groups that a column of the same table has."""
        if isinstance(groups, np.ndarray) or not (isinstance(groups, str) or hasattr(groups, "name")):
            raise NotSupportedError(
                "groups-of-other-holder",
                "The groups of rows out of core must be a column of their table. Pass its name.",
            )
        return self.of_source(self.source.grouped(groups))

    def with_class_weights(self, weights: Mapping[Any, float]) -> Rows:
        """Weights are a column of the same table."""
        raise NotSupportedError(
            "cost-weights-need-memory",
            "A learner without probabilities takes costs as weights of the rows, which needs the rows "
            "in memory: read the table into memory, or take a sample.",
        )

    def with_noise(self, share: float, key: Sequence[int]) -> Rows:
        """Return the rows with the class, or number, of a share of them changed, by the hash of the row number."""
        noise: LabelNoise | NumberNoise
        if self.task == "regression":
            drawn = tuple(np.sort(self.sample(_DRAWN).y).tolist())
            noise = NumberNoise(self.source.target, drawn, share, _one_seed(key))
            return self.of_source(self.source.changing(noise))
        noise = LabelNoise(self.source.target, tuple(self.classes().tolist()), share, _one_seed(key))
        return self.of_source(self.source.changing(noise))

    def with_missing(self, share: float, key: Sequence[int]) -> Rows:
        """Return the rows with a share of the values missing, by the hash of row and column."""
        gone = MissingValues(self.source.target, share, _one_seed(key))
        return self.of_source(self.source.changing(gone))

    def growing(self, shares: Sequence[float], seed: int) -> list[Rows]:
        """Return parts of these shares of the rows from the beginning, so that the others are not read."""
        parts = (self.of_source(self.source.leading(share)) for share in shares)
        by_size = {len(part): part for part in parts}
        if self.task == "regression":
            return [part for part in by_size.values() if len(part) > 1]
        return [part for part in by_size.values() if len(part.classes()) > 1]

    def learned(self, model: Any) -> int:
        """Return the rows that the model says it has learned from: those whose class is known."""
        shape = model.fitted_.training_shape
        return 0 if shape is None else int(shape[0])

    def predict(self, model: Predictor, *, seen: bool = False) -> Predicted:
        """Predict chunk by chunk.

        The class, the scores and the true class of each row stay, so that every measure and curve is exact: 8 bytes
        times (number of classes + 2) per row.
        """
        parts: list[Predictions] = []
        true: list[np.ndarray] = []
        weights: list[np.ndarray] = []
        for found, labels, counts in self._labelled(partial(_predicted, model, seen)):
            parts.append(found)
            true.append(labels)
            if counts is not None:
                weights.append(counts)
        if not parts:
            raise InputError("no-target-values", "The target is missing in every row.")
        first = parts[0]
        scores = None
        if first.scores is not None:
            values = np.concatenate([part.scores.values for part in parts if part.scores is not None])
            scores = ModelScores(values, first.scores.classes, first.scores.probability)
        counts_seen = [part.seen for part in parts if part.seen is not None]
        found_seen = (sum(n for n, _ in counts_seen), sum(n for _, n in counts_seen)) if counts_seen else None
        whole = Predictions(np.concatenate([part.labels for part in parts]), scores, first.cost, found_seen)
        return Predicted(whole, np.concatenate(true), np.concatenate(weights) if weights else None)

    def predict_all(self, model: Predictor) -> None:
        """Predict every row and forget the predictions."""
        for _ in self._labelled(partial(_forgotten, model)):
            pass

    def labels(self, model: Predictor) -> Predicted:
        """Predict the classes (or numbers)."""
        return self.predict(model)

    def score(self, scorer: Scorer, model: Predictor, predicted: Predicted | None = None) -> float:
        """Score a fitted model; rows without a class are left out."""
        found = self.predict(model) if predicted is None else predicted
        known = with_known_predictions(model, found.predictions)
        if found.weight is None:
            return float(scorer(known, self.X, found.true))
        return float(scorer(known, self.X, found.true, sample_weight=found.weight))

    def results(self, tasks: Iterator[Any], n_jobs: int | None, *, long: bool = False) -> Iterator[Any]:
        """Yield results one after the other, or a few beside each other on a cluster; a checkpoint keeps them."""
        return in_turn(tasks)


def _among(keys: np.ndarray, shares: Shares) -> np.ndarray:
    """Return the numbers that are in all shares."""
    for share in shares:
        keys = keys[share.takes(keys)]
    return keys


def _first_targets(source: Source) -> Any:
    """Return the target of the first rows that are read."""
    whole, target, _ = source.select([]).together()
    return next(whole.tables(partial(_column, target)), [])


def _column(target: str, table: Table) -> Column:
    return table.column(target)


def _itself(rows: Labelled) -> Labelled:
    return rows


def _labels(rows: Labelled) -> np.ndarray:
    return np.unique(rows[1])


def _row_numbers(rows: Labelled) -> np.ndarray:
    return rows[1].astype(np.int64)


def _predicted(model: Predictor, seen: bool, rows: Labelled) -> tuple[Predictions, np.ndarray, np.ndarray | None]:
    inputs, true, weights = rows
    return predict_with_scores(model, inputs, seen=seen), true, weights


def _forgotten(model: Predictor, rows: Labelled) -> None:
    model.predict(rows[0])


def _smallest(held: list[tuple[np.ndarray, MemoryRows]], most: int) -> list[tuple[np.ndarray, MemoryRows]]:
    """Return of each chunk the rows that are among those with the smallest hashes of all."""
    hashes = np.concatenate([each for each, _ in held])
    if len(hashes) <= most:
        return held
    bound = np.partition(hashes, most - 1)[most - 1]
    kept = [(each[each <= bound], rows.take(np.flatnonzero(each <= bound))) for each, rows in held]
    return [(each, rows) for each, rows in kept if len(each)]


def _one_seed(key: Sequence[int]) -> int:
    return int(np.random.default_rng(key).integers(1 << 62))


@dataclass(frozen=True)
class LabelNoise:
    """Changes the class of a share of the rows to another one, by the hash of the row: the same rows however read.

    Attributes
    ----------
    target : str
    classes : tuple
    share : float
    seed : int
    """

    target: str
    classes: tuple[Any, ...]
    share: float
    seed: int

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        if self.target not in table or len(self.classes) < 2:
            return table
        column = table.column(self.target)
        k = len(self.classes)
        codes = self._codes(column)
        moved = (codes + 1 + (row_hash(index, self.seed + 1) % np.uint64(k - 1)).astype(np.int64)) % k
        codes = np.where((_uniform(index, self.seed) < self.share) & (codes >= 0), moved, codes)
        if column.kind == "numeric":
            return table.with_column(column.replace(data=np.append(np.array(self.classes, float), np.nan)[codes]))
        changed = column.replace(data=codes.astype(np.int32), categories=self.classes, kind="nominal")
        return table.with_column(changed)

    def _codes(self, column: Column) -> np.ndarray:
        code_of = {str(label): code for code, label in enumerate(self.classes)}
        if column.kind == "nominal":
            own = [code_of.get(str(value), -1) for value in column.categories]
            codes: np.ndarray = np.array([*own, -1])[column.data]
            return codes
        known = np.searchsorted(np.array(self.classes, float), column.data)
        return np.where(column.missing, -1, known)


@dataclass(frozen=True)
class NumberNoise:
    """Replaces the number of a share of the rows by one of others, by the hash of the row: the same rows however read.

    Attributes
    ----------
    target : str
    drawn : tuple of float
        Numbers that other rows have.
    share : float
    seed : int
    """

    target: str
    drawn: tuple[float, ...]
    share: float
    seed: int

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        if self.target not in table:
            return table
        column = table.column(self.target)
        true = numbers(column, whole=False)
        other = np.array(self.drawn)[(row_hash(index, self.seed + 1) % np.uint64(len(self.drawn))).astype(np.int64)]
        changed = np.where((_uniform(index, self.seed) < self.share) & ~column.missing, other, true)
        return table.with_column(Column.numeric(self.target, changed, role=column.role))


@dataclass(frozen=True)
class MissingValues:
    """Makes a share of the values of all columns but one missing, by the hash of row and column.

    Attributes
    ----------
    target : str
        The column that is left as it is.
    share : float
    seed : int
    """

    target: str
    share: float
    seed: int

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        columns = []
        for name in table.columns:
            column = table.column(name)
            if name == self.target:
                continue
            gone = _uniform(index, self.seed + zlib.crc32(name.encode())) < self.share
            data = np.where(gone, np.nan if column.kind == "numeric" else -1, column.data)
            columns.append(column.replace(data=data))
        return table.with_columns(columns)


@dataclass(frozen=True)
class _Numbered:
    """Puts the number of each row, or that of its group, in place of its class, where that is known."""

    target: str
    group: str | None = None

    def __call__(self, table: Table, index: np.ndarray) -> Table:
        missing = table.column(self.target).missing
        found = index if self.group is None else group_keys(table.column(self.group), index)
        return table.with_column(Column.numeric(self.target, np.where(missing, np.nan, found)))


def _uniform(index: np.ndarray, seed: int) -> np.ndarray:
    """Return a number from 0 to 1 for each row."""
    drawn: np.ndarray = np.ldexp((row_hash(index, seed) >> np.uint64(11)).astype(np.float64), -53)
    return drawn
