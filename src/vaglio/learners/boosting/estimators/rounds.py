"""How many rounds of boosting: given, by rows held out, or by folds, after which all rows are learned from.

Rounds are judged by the loss, or by any score of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from vaglio import _core
from vaglio.errors import InputError
from vaglio.learners.bases import BaseEstimator, ClassifierMixin, RegressorMixin
from vaglio.learners.boosting.model import numbers_of, probabilities_of
from vaglio.runtime.seeds import row_hash
from vaglio.typing import ColumnLike, TableLike

# Up to so many rows the number of rounds is chosen by folds, and all rows are learned from; above, a tenth is held out.
ROWS_FOR_FOLDS = 10_000
# Of the rows held out, so many at most decide the temperature.
ROWS_FOR_TEMPERATURE = 200_000
# Rounds between two looks at the loss of the rows that are held out.
_STEP = 10
# Of the rows learned from, so many are scored after each round, where the score is not the loss.
_SCORED_ROWS = 10_000
# Rows that are on either side when a share of many is held out, but for once in a billion times.
_FEWEST_ROWS = 20
# Losses in the unit of the numbers that are predicted, or in its square.
_WITH_UNIT = ("squared_error", "absolute_error", "quantile")
_NO_ROWS = np.empty(0, np.uint32)


@dataclass(frozen=True)
class BoostingTask:
    """What is learned, in the form of the kernel.

    Attributes
    ----------
    table_of : callable
        Returns the BinnedTable for rows to learn from: numbers in place of categories depend on them.
    loss : str
        In the kernel's words.
    y : float64 (n,)
        Class codes, or numbers.
    outputs : int
        Scores per row.
    weight : float64 (n,) or None
    config : BoostingConfig
        Options of the trainer.
    quantile : float
    score : RoundScore or None
        What rounds are judged by; None is the loss.
    """

    table_of: Callable[[np.ndarray], Any]
    loss: str
    y: np.ndarray
    outputs: int
    weight: np.ndarray | None
    config: _core.BoostingConfig
    quantile: float = 0.5
    score: RoundScore | None = None

    @property
    def classes(self) -> bool:
        return self.loss in ("binomial", "multinomial")

    def watched(self, **options: Any) -> BoostingTask:
        """Return the task with the losses noted after each round."""
        return replace(self, config=self.config.replaced(track_loss=self.score is None, **options))

    def least_decrease(self, tol: float, losses: np.ndarray) -> float:
        """Return the smallest decrease that counts."""
        return tol if self.score is not None else least_decrease(tol, self.loss, losses)

    def trainer(
        self, training: np.ndarray, validation: np.ndarray = _NO_ROWS, start: np.ndarray | None = None, first: int = 0
    ) -> Any:
        """Return a trainer of some rows that watches others."""
        return _core.BoostingTrainer(
            self.table_of(training),
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
                return self._with_every_class(_spread_by_class(self.y, count, seed))
        return self._with_every_class(splitter.split(rows, self.y if self.classes else None))

    def held_out(self, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return training and validation rows of one split; those of a larger table are chosen by their number."""
        rows = np.arange(len(self.y))
        if is_large(len(rows)):
            held = hashed_rows(rows, seed, held_share(share, len(rows)))
            return np.flatnonzero(~held), np.flatnonzero(held)
        counts = np.bincount(self.y.astype(np.int64)) if self.classes else np.empty(0, np.int64)
        size = max(1, round(share * len(rows)))
        even = self.classes and counts[counts > 0].min() >= 2 and min(size, len(rows) - size) >= (counts > 0).sum()
        training, validation = train_test_split(
            rows, test_size=size, random_state=seed, stratify=self.y if even else None
        )
        return self._with_every_class([(np.sort(training), np.sort(validation))])[0]

    def _with_every_class(self, folds: Iterable[tuple[np.ndarray, np.ndarray]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Learn rows of a class that would be held out altogether: the model of all rows will know the class.

        To a model that does not know it, such a row is all but impossible: one of them outweighs hundreds of others.
        """
        if not self.classes:
            return list(folds)
        found = []
        for training, validation in folds:
            known = np.isin(self.y[validation], self.y[training])
            if known.any():
                training, validation = np.union1d(training, validation[~known]), validation[known]
            found.append((training, validation))
        return found


def is_large(n: int) -> bool:
    """Whether rows are held out instead of folded, and all choices among them are made by the hash of their number."""
    return n > ROWS_FOR_FOLDS


def hashed_rows(index: np.ndarray, seed: int, share: float) -> np.ndarray:
    """Return which rows are among a share that is chosen by their number: the same rows, wherever they are."""
    chosen: np.ndarray = row_hash(index, seed) < np.uint64(min(share, 1.0) * (2**64 - 2**11))
    return chosen


def held_share(share: float, n: int) -> float:
    """Return the share of a larger table that is held out: some rows are on either side."""
    return min(max(share, _FEWEST_ROWS / n), 1 - _FEWEST_ROWS / n)


def _spread_by_class(y: np.ndarray, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Deal the rows of each class out to the folds in turn; a class of fewer rows is in fewer folds."""
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


class Watched:
    """A trainer, the rows it learns from and those it watches, and the losses of both after 0, 1, … rounds.

    ``judged`` are the watched rows that decide the temperature.
    """

    def __init__(self, task: BoostingTask, training: np.ndarray, validation: np.ndarray) -> None:
        self.trainer = task.trainer(training, validation)
        self.training, self.validation, self.judged = training, validation, validation
        self._score = task.score
        self._shown = training[:: max(1, len(training) // _SCORED_ROWS)]
        self._scored: list[tuple[float, float]] = []
        self.look()

    def look(self) -> None:
        """Note the score after the last round, where it is not the loss."""
        if self._score is not None:
            raw = self.trainer.raw
            self._scored.append((self._score.loss(raw, self._shown), self._score.loss(raw, self.validation)))

    @property
    def training_losses(self) -> np.ndarray:
        found: np.ndarray = self.trainer.training_losses if self._score is None else np.array(self._scored)[:, 0]
        return found

    @property
    def validation_losses(self) -> np.ndarray:
        found: np.ndarray = self.trainer.validation_losses if self._score is None else np.array(self._scored)[:, 1]
        return found


@dataclass(frozen=True)
class Chosen:
    """How many rounds, and what they were chosen by.

    Attributes
    ----------
    rounds : int
    training_losses, validation_losses : float64 (rounds + 1,)
        The loss after 0, 1, … rounds.
    trainer : BoostingTrainer or None
        The model is the first rounds of it; None: it has yet to be trained, on all rows.
    watched : tuple of Watched
        The trainers of the folds, or the one of the rows held out.
    """

    rounds: int
    training_losses: np.ndarray
    validation_losses: np.ndarray
    trainer: Any = None
    watched: tuple[Watched, ...] = ()


def by_folds(task: BoostingTask, count: int, most: int, patience: int, tol: float, seed: int, threads: int) -> Chosen:
    """Choose the rounds of the least mean loss over folds; each row is held out once."""
    folds = task.folds(count, seed)
    plain = task.watched(n_threads=1)
    watched = tuple(Watched(plain, training, validation) for training, validation in folds)
    weight = np.ones(len(task.y)) if task.weight is None else task.weight
    share = np.array([weight[validation].sum() for _, validation in folds])

    def mean(curve: str) -> np.ndarray:
        found: np.ndarray = share @ np.stack([getattr(one, curve) for one in watched]) / share.sum()
        return found

    tol = task.least_decrease(tol, mean("validation_losses"))
    done, at_a_time = 0, _STEP if task.score is None else 1
    while done < most and not stops(mean("validation_losses"), patience, tol):
        step = min(at_a_time, most - done)
        _core.advance_together([one.trainer for one in watched], step, n_threads=threads)
        for one in watched:
            one.look()
        done += step
    losses = mean("validation_losses")
    return Chosen(best_round(losses, tol), mean("training_losses"), losses, watched=watched)


def by_holdout(task: BoostingTask, share: float, most: int, patience: int, tol: float, seed: int) -> Chosen:
    """Train until the loss of the rows held out falls no more."""
    watched = Watched(task.watched(), *task.held_out(share, seed))
    tol = task.least_decrease(tol, watched.validation_losses)
    done = 0
    while done < most and not stops(watched.validation_losses, patience, tol):
        watched.trainer.advance(1)
        watched.look()
        done += 1
    losses, rows = watched.validation_losses, watched.validation
    watched.judged = rows[hashed_rows(rows, seed, ROWS_FOR_TEMPERATURE / len(task.y))]
    return Chosen(best_round(losses, tol), watched.training_losses, losses, watched.trainer, (watched,))


def more_trainers(task: BoostingTask, training: np.ndarray, rounds: int, count: int, threads: int) -> list[Any]:
    """Return ``count`` trainers of the same rows after so many rounds; each draws rows and columns of its own."""
    seeds = row_hash(np.arange(1, count + 1), task.config.seed) >> np.uint64(1)
    trainers = [
        replace(task, config=task.config.replaced(seed=int(seed), n_threads=1)).trainer(training) for seed in seeds
    ]
    _core.advance_together(trainers, rounds, n_threads=threads)
    return trainers


def least_decrease(tol: float, loss: str, losses: np.ndarray) -> float:
    """Return the smallest decrease of a loss that counts: numbers in another unit are predicted alike.

    A loss that is no number from the start says nothing of any round: what it is the loss of is too large.
    """
    first = float(losses[0])
    if not np.isfinite(first):
        raise OverflowError
    return tol * first if loss in _WITH_UNIT and first > 0 else tol


def stops(losses: np.ndarray, patience: int, tol: float) -> bool:
    """Whether the last ``patience`` rounds brought nothing."""
    return len(losses) > patience and bool(losses[-patience:].min() > losses[:-patience].min() - tol)


def best_round(losses: np.ndarray, tol: float) -> int:
    """Return the round of least loss, or the first that is within ``tol`` of it; at least one."""
    return max(1, int(np.flatnonzero(losses <= losses.min() + tol)[0]))


class _Predicted(BaseEstimator):
    """Predictions that are there already, as an estimator that a scorer can ask."""

    def __init__(self, raw: np.ndarray, link: str, unit: float = 1.0) -> None:
        self.raw = raw
        self.link = link
        self.unit = unit

    def fit(self, X: TableLike, y: ColumnLike) -> _Predicted:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _PredictedClasses(ClassifierMixin, _Predicted):
    classes_: np.ndarray

    def predict_proba(self, X: TableLike) -> np.ndarray:
        return probabilities_of(self.raw, self.link)

    def decision_function(self, X: TableLike) -> np.ndarray:
        return self.raw[:, 0] if self.raw.shape[1] == 1 else self.raw

    def predict(self, X: TableLike) -> np.ndarray:
        found: np.ndarray = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return found


class _PredictedNumbers(RegressorMixin, _Predicted):
    def predict(self, X: TableLike) -> np.ndarray:
        return self.unit * numbers_of(self.raw, self.link)


@dataclass(frozen=True)
class RoundScore:
    """A score of scikit-learn, as a loss of raw predictions: the smaller, the better.

    Attributes
    ----------
    scoring : str or callable
        The name of a score, or a function of (estimator, X, y).
    link : str
        How raw predictions become answers.
    y : ndarray
        Labels or numbers of all rows, as the user gave them.
    classes : ndarray or None
    weight : float64 (n,) or None
    unit : float
        What predicted numbers are multiplied by.
    """

    scoring: Any
    link: str
    y: np.ndarray
    classes: np.ndarray | None
    weight: np.ndarray | None
    unit: float = 1.0

    def loss(self, raw: np.ndarray, rows: np.ndarray) -> float:
        """Return the negative score of some rows; raw has shape (outputs, n)."""
        own: Any
        if self.classes is None:
            own = _PredictedNumbers(raw[:, rows].T, self.link, self.unit)
        else:
            own = _PredictedClasses(raw[:, rows].T, self.link)
            own.classes_ = self.classes
        try:
            scorer = check_scoring(own, self.scoring)
        except ValueError:
            raise InputError(
                "scoring-not-a-score",
                "scoring={scoring!r} is not a score. Give 'loss', a name from "
                "sklearn.metrics.get_scorer_names(), or a function of (estimator, X, y).",
                scoring=self.scoring,
            ) from None
        # Some scores ask how many rows there are; none needs to see them.
        absent = np.zeros((len(rows), 1))
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        try:
            found = float(scorer(own, absent, self.y[rows], **weights))
        except (ValueError, TypeError) as problem:
            if not isinstance(self.scoring, str):
                raise  # the user's own function
            raise InputError(
                "failed-score",
                "scoring={scoring!r} cannot be computed here: {problem}. Choose another score, or 'loss'.",
                scoring=self.scoring,
                problem=str(problem).rstrip("."),
            ) from None
        if np.isnan(found):
            raise InputError(
                "undefined-score",
                "scoring={scoring!r} is undefined on some of the rows that select the number of rounds, "
                "for example because a class is missing there. Choose another score, or 'loss'.",
                scoring=self.scoring,
            )
        return -found
