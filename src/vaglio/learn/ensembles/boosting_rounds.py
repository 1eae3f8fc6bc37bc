"""How many rounds of boosting: given, by rows held out, or by folds, after which all rows are learned from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from vaglio import _core

# Rounds between two looks at the loss of the rows that are held out.
_STEP = 10
_NO_ROWS = np.empty(0, np.uint32)


@dataclass(frozen=True)
class BoostingTask:
    """What is learned, in the form of the kernel.

    Attributes
    ----------
    table : BinnedTable
    loss : str
        In the kernel's words.
    y : float64 (n,)
        Class codes, or numbers.
    outputs : int
        Trees per round.
    weight : float64 (n,) or None
    config : dict
        Options of the trainer.
    quantile : float
    """

    table: Any
    loss: str
    y: np.ndarray
    outputs: int
    weight: np.ndarray | None
    config: dict[str, Any]
    quantile: float = 0.5

    @property
    def classes(self) -> bool:
        return self.loss in ("binomial", "multinomial")

    def trainer(
        self, training: np.ndarray, validation: np.ndarray = _NO_ROWS, start: np.ndarray | None = None, first: int = 0
    ) -> Any:
        """Return a trainer of some rows that watches others."""
        return _core.BoostingTrainer(
            self.table,
            self.loss,
            self.y,
            self.outputs,
            self.weight,
            training.astype(np.uint32),
            validation.astype(np.uint32),
            self.config,
            quantile=self.quantile,
            start=None if start is None else np.ascontiguousarray(start),
            first_round=first,
        )

    def folds(self, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return training and validation rows; classes are spread evenly where each has enough rows."""
        rows = np.arange(len(self.y))
        splitter: Any = KFold(count, shuffle=True, random_state=seed)
        if self.classes and np.bincount(self.y.astype(np.int64)).max() >= count:
            splitter = StratifiedKFold(count, shuffle=True, random_state=seed)
            rare = np.bincount(self.y.astype(np.int64))
            if rare[rare > 0].min() < count:
                return _spread_by_class(self.y, count, seed)
        return list(splitter.split(rows, self.y if self.classes else None))

    def held_out(self, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return training and validation rows of one split."""
        rows = np.arange(len(self.y))
        counts = np.bincount(self.y.astype(np.int64)) if self.classes else np.empty(0, np.int64)
        held = max(1, round(share * len(rows)))
        even = self.classes and counts[counts > 0].min() >= 2 and min(held, len(rows) - held) >= (counts > 0).sum()
        training, validation = train_test_split(
            rows, test_size=held, random_state=seed, stratify=self.y if even else None
        )
        return np.sort(training), np.sort(validation)


def _spread_by_class(y: np.ndarray, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Deal the rows of each class out to the folds in turn; a class of fewer rows is in fewer folds."""
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


@dataclass(frozen=True)
class Chosen:
    """How many rounds, and the curves they were chosen by: the loss after 0, 1, … rounds."""

    rounds: int
    training_losses: np.ndarray
    validation_losses: np.ndarray
    trainer: Any = None


def by_folds(task: BoostingTask, count: int, most: int, patience: int, tol: float, seed: int, threads: int) -> Chosen:
    """Choose the rounds of the least mean loss over folds; each row is held out once."""
    folds = task.folds(count, seed)
    inner = {**task.config, "n_threads": 1, "track_loss": True}
    plain = BoostingTask(task.table, task.loss, task.y, task.outputs, task.weight, inner, task.quantile)
    trainers = [plain.trainer(training, validation) for training, validation in folds]
    share = np.array([_total(task.weight, validation) for _, validation in folds])

    def mean(curve: str) -> np.ndarray:
        found: np.ndarray = share @ np.stack([getattr(trainer, curve) for trainer in trainers]) / share.sum()
        return found

    done = 0
    while done < most and not stops(mean("validation_losses"), patience, tol):
        step = min(_STEP, most - done)
        _core.advance_together(trainers, step, n_threads=threads)
        done += step
    losses = mean("validation_losses")
    return Chosen(best_round(losses, tol), mean("training_losses"), losses)


def by_holdout(task: BoostingTask, share: float, most: int, patience: int, tol: float, seed: int) -> Chosen:
    """Train until the loss of the rows held out falls no more."""
    trainer = BoostingTask(
        task.table, task.loss, task.y, task.outputs, task.weight, {**task.config, "track_loss": True}, task.quantile
    ).trainer(*task.held_out(share, seed))
    done = 0
    while done < most and not stops(trainer.validation_losses, patience, tol):
        trainer.advance(1)
        done += 1
    losses = trainer.validation_losses
    return Chosen(best_round(losses, tol), trainer.training_losses, losses, trainer)


def stops(losses: np.ndarray, patience: int, tol: float) -> bool:
    """Whether the last ``patience`` rounds brought nothing."""
    return len(losses) > patience and bool(losses[-patience:].min() > losses[:-patience].min() - tol)


def best_round(losses: np.ndarray, tol: float) -> int:
    """Return the round of least loss, or the first that is within ``tol`` of it; at least one."""
    return max(1, int(np.flatnonzero(losses <= losses.min() + tol)[0]))


def _total(weight: np.ndarray | None, rows: np.ndarray) -> float:
    return float(len(rows)) if weight is None else float(weight[rows].sum())
