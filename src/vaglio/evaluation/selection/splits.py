"""Splits of rows into training, validation and test rows, and advice on how to split a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.labels import as_labels
from vaglio.learners.registry import find, tasks_of
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Option, join, text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.arguments import checked
from vaglio.table import decide_task
from vaglio.table.scanned import refuse_few_groups
from vaglio.typing import Estimator

if TYPE_CHECKING:
    from vaglio.model.families import Task

__all__ = [
    "PRESETS",
    "SplitAdvice",
    "SplitRules",
    "advise_split",
    "make_folds",
    "make_holdout",
    "make_random_splits",
    "make_three_way",
]

# Kinds of models with few numbers to learn: they learn them from few rows, so that more are left to test on.
_SIMPLE = ("linear", "naive-bayes", "multinomial-nb", "bernoulli-nb")
# Kinds that fit almost any training rows: they need many, and differ much from sample to sample.
_COMPLEX = ("forest", "boosted", "ensemble", "mlp", "svm", "neighbors", "gaussian-mixture")
# Folds of a cross-validation, unless there is no time for so many.
_FOLDS = 10
# Groups of numbers by size that every part has in equal proportions.
_MOST_STRATA = 10

# The usual proportions by name -> share of the test rows.
PRESETS = {"80-20": 0.2, "67-33": 0.33, "50-50": 0.5}

Fold = tuple[np.ndarray, np.ndarray]


class LeaveOneOutFolds(LeaveOneOut):
    """Folds of one row each, made one by one: all at once they would take the square of the rows.

    They can be iterated, counted and indexed, and are a splitter of scikit-learn.

    Parameters
    ----------
    n_rows : int
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, index: int) -> Fold:
        row = range(self.n_rows)[index]
        rows = np.arange(self.n_rows)
        return np.delete(rows, row), rows[row : row + 1]

    def __iter__(self) -> Iterator[Fold]:
        return (self[row] for row in range(self.n_rows))


@dataclass(frozen=True)
class SplitRules:
    """Rules that every split of one study follows.

    Parameters
    ----------
    stratify : bool
        Keep the class proportions in every part.
    groups : ndarray, optional
        Rows of one group (a patient, a customer) are never divided between training and test. Of rows out of core a
        column of their table, or its name.
    time_ordered : bool
        The rows are in order of time: train on the past, test on the future.
    seed : int
        Seed of every split.
    """

    stratify: bool = True
    groups: Any = None
    time_ordered: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.groups is not None and self.time_ordered:
            raise InputError("groups-and-time", "Rows can be split by groups or by time, not by both.")

    @property
    def division(self) -> str:
        """How rows with classes are divided, in words."""
        return self.division_of("classification")

    def division_of(self, task: Task) -> str:
        """Return how rows are divided, in words.

        Parameters
        ----------
        task : {"classification", "regression"}
        """
        if self.time_ordered:
            return text("in time order")
        if not self.stratify:
            return text("at random") if self.groups is None else text("at random, groups kept together")
        if task == "regression":
            return (
                text("stratified by quantiles of the target")
                if self.groups is None
                else text("stratified by quantiles of the target, groups kept together")
            )
        return text("stratified by class") if self.groups is None else text("stratified by class, groups kept together")

    def part(self, rows: np.ndarray) -> SplitRules:
        """The same rules for some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return SplitRules(self.stratify, groups, self.time_ordered, self.seed)


def test_share(test_size: float | str) -> float:
    """A share, from a number, the name of a preset, or any two percentages as 90-10.

    >>> test_share("67-33"), test_share("90-10"), test_share(0.25)
    (0.33, 0.1, 0.25)
    """
    if isinstance(test_size, str):
        if test_size in PRESETS:
            return PRESETS[test_size]
        training, _, test = test_size.partition("-")
        if training.isdigit() and test.isdigit() and int(training) + int(test) == 100 and 0 < int(test) < 100:
            return int(test) / 100
        raise InputError(
            "unknown-split",
            "There is no split {test_size!r}, which may also be a share or percentages of training and "
            "test rows that sum to 100: {hint}",
            test_size=test_size,
            hint=did_you_mean(test_size, PRESETS),
        )
    if not 0 < test_size < 1:
        raise InputError(
            "share-out-of-range",
            "{option} is {share:g}; it must be a share between 0 and 1, for example 0.3.",
            option=Option("test_size"),
            share=test_size,
        )
    return float(test_size)


# pytest would run a function of this name as a test when a test module imports it.
test_share.__test__ = False  # type: ignore[attr-defined]


@checked
def make_holdout(
    y: np.ndarray, test_size: float | str = 0.2, rules: SplitRules | None = None, *, task: str = "auto"
) -> Fold:
    """Two parts: training rows and test rows.

    If stratified, a class with a single row goes to training: a class that is only in the test cannot be learned.
    Numbers are stratified by their quantiles.

    Parameters
    ----------
    y : array of labels or numbers
    test_size : float or str, default=0.2
        Share of the test rows, or a split such as "80-20", "67-33", "50-50".
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    task : {"auto", "classification", "regression"}
        Whether y holds classes or numbers; "auto" decides by the values.

    Examples
    --------
    >>> train, test = make_holdout(np.array(["a"] * 8 + ["b"] * 2), "50-50")
    >>> len(train), len(test)
    (5, 5)
    """
    rules, y = rules or SplitRules(), as_labels(y)
    share, n = test_share(test_size), len(y)
    if n < 2:
        raise InputError(
            "too-few-rows-to-split", "{n:,} {n:row|rows} cannot be split into training and test rows.", n=n
        )
    rows, y = np.arange(n), strata(y, n * min(share, 1 - share), task)
    if rules.time_ordered:
        cut = min(max(round(n * (1 - share)), 1), n - 1)
        return rows[:cut], rows[cut:]
    _check_groups(rules, 2)
    if rules.groups is not None:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=rules.seed)
        train, test = next(splitter.split(rows, y, rules.groups))
        return train, test
    if rules.stratify:
        parts = _stratified(y, share, rules.seed)
        if parts is not None:
            return parts
    train, test = next(ShuffleSplit(1, test_size=share, random_state=rules.seed).split(rows))
    return train, test


def strata(y: np.ndarray, most: float, task: str = "auto") -> np.ndarray:
    """Return what a split has in equal proportions in every part: classes, or groups of numbers of similar size.

    Parameters
    ----------
    y : array of labels or numbers
    most : float
        Groups of numbers at most, so that each part can have rows of every group.
    task : {"auto", "classification", "regression"}

    Examples
    --------
    >>> strata(np.array([1.5, 70.0, 3.0, 80.0]), 2).tolist(), strata(np.array(["a", "b"]), 2).tolist()
    ([0, 1, 0, 1], ['a', 'b'])
    """
    found = decide_task(y, task)
    if found.task == "classification" or found.open:  # codes of very many classes are whole numbers, too
        return y
    numbers = np.asarray(y, dtype=np.float64)
    groups = int(max(1, min(_MOST_STRATA, most)))
    edges = np.unique(np.quantile(numbers, np.arange(1, groups) / groups))
    groups_of_rows: np.ndarray = np.searchsorted(edges, numbers, side="right")
    return groups_of_rows


def _stratified(y: np.ndarray, share: float, seed: int) -> Fold | None:
    """Both parts with the same class proportions, or None if there are too few rows."""
    with as_own_errors():  # text among numbers
        _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    single = counts[codes] < 2
    rest = np.flatnonzero(~single)
    n_test, n_classes = round(len(y) * share), int((counts >= 2).sum())
    if not n_classes or n_test < n_classes or len(rest) - n_test < n_classes:
        return None
    splitter = StratifiedShuffleSplit(1, test_size=n_test, random_state=seed)
    train, test = next(splitter.split(rest, codes[rest]))
    return np.sort(np.append(rest[train], np.flatnonzero(single))), np.sort(rest[test])


@checked
def make_three_way(
    y: np.ndarray, shares: Sequence[float] = (0.6, 0.2, 0.2), rules: SplitRules | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training, validation and test rows.

    Parameters
    ----------
    y : array of labels
    shares : sequence of float, default=(0.6, 0.2, 0.2)
        Shares of training, validation and test rows.
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    """
    rules, y = rules or SplitRules(), as_labels(y)
    if len(shares) != 3 or min(shares) <= 0 or not np.isclose(sum(shares), 1):
        raise InputError("wrong-shares", "Pass three shares that sum to 1, not {shares}.", shares=tuple(shares))
    rest, test = make_holdout(y, shares[2], rules)
    train, validation = make_holdout(y[rest], shares[1] / (shares[0] + shares[1]), rules.part(rest))
    return rest[train], rest[validation], test


@checked
def make_random_splits(
    y: np.ndarray, n_splits: int = 10, test_size: float | str = 0.2, rules: SplitRules | None = None
) -> list[Fold]:
    """Repeated random holdouts: a row may be a test row several times or never.

    Parameters
    ----------
    y : array of labels
    n_splits : int, default=10
        Number of holdouts.
    test_size : float or str, default=0.2
        Share of the test rows, or a split such as "80-20", "67-33", "50-50".
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    """
    rules = rules or SplitRules()
    if rules.time_ordered:
        raise InputError(
            "time-sampled",
            "Rows in time order cannot be sampled at random: past and future would be mixed.",
        )
    return [make_holdout(y, test_size, replace(rules, seed=rules.seed + i)) for i in range(n_splits)]


@checked
def make_folds(
    y: np.ndarray,
    n_splits: int = 10,
    *,
    n_repeats: int = 1,
    leave_one_out: bool = False,
    rules: SplitRules | None = None,
    task: str = "auto",
) -> Sequence[Fold] | LeaveOneOutFolds:
    """Cross-validation folds: each row is a test row once per repetition. The result can be passed as ``cv``.

    Parameters
    ----------
    y : array of labels or numbers
    n_splits : int, default=10
        Number of folds.
    n_repeats : int, default=1
        How often the folds are drawn.
    leave_one_out : bool, default=False
        As many folds as rows.
    rules : SplitRules, optional
        Stratified with seed 0 by default: by class, or numbers by their quantiles.
    task : {"auto", "classification", "regression"}
        Whether y holds classes or numbers; "auto" decides by the values.

    Examples
    --------
    >>> folds = make_folds(np.array(["a", "b", "a"]), leave_one_out=True)
    >>> len(folds), [test.tolist() for train, test in folds]
    (3, [[0], [1], [2]])
    """
    rules = rules or SplitRules()
    y = as_labels(y)
    rows = np.arange(len(y))
    if leave_one_out:
        return LeaveOneOutFolds(len(y))
    if not 2 <= n_splits <= len(y):
        raise InputError(
            "too-many-folds",
            "{n:,} rows cannot be divided into {folds:,} folds. Use fewer folds.",
            n=len(y),
            folds=n_splits,
        )
    if rules.time_ordered:
        return list(TimeSeriesSplit(n_splits).split(rows))
    _check_groups(rules, n_splits)
    y = strata(y, len(y) // n_splits, task)
    return [fold for repeat in range(n_repeats) for fold in _one_round(y, n_splits, rules, rules.seed + repeat)]


def _check_groups(rules: SplitRules, parts: int) -> None:
    known = parts if rules.groups is None else len(np.unique(rules.groups))
    refuse_few_groups(known, parts)


def _one_round(y: np.ndarray, n_splits: int, rules: SplitRules, seed: int) -> list[Fold]:
    rows = np.arange(len(y))
    common: dict[str, Any] = {"n_splits": n_splits, "shuffle": True, "random_state": seed}
    with as_own_errors():  # text among numbers
        codes = np.unique(y, return_inverse=True)[1]
    enough = np.bincount(codes).max() >= n_splits
    with warnings.catch_warnings():
        # A class with fewer rows than folds is missing in some test folds; advise_split mentions it.
        warnings.simplefilter("ignore", UserWarning)
        if rules.groups is not None:
            cls = StratifiedGroupKFold if rules.stratify and enough else GroupKFold
            return list(cls(**common).split(rows, codes, rules.groups))
        cls = StratifiedKFold if rules.stratify and enough else KFold
        return list(cls(**common).split(rows, codes))


@dataclass(frozen=True)
class SplitAdvice:
    """A proposal how to evaluate a model on this table, with reasons.

    Attributes
    ----------
    strategy : str
        As in :func:`vaglio.select`.
    test_size : float
        Share of the test rows.
    stratify : bool
    reasons : tuple of Message
    folds : int
        Folds of a cross-validation.
    """

    strategy: str
    test_size: float
    stratify: bool
    reasons: tuple[Message, ...] = field(default=())
    folds: int = _FOLDS

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the advice and its reasons as text.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        parts = [text("Strategy {strategy}", strategy=self.strategy)]
        if self.strategy == "cross-validation" and self.folds != _FOLDS:
            parts = [text("Strategy {strategy} with {folds} folds", strategy=self.strategy, folds=self.folds)]
        parts.append(
            text(
                "{train:.0%} for training, {test:.0%} for testing",
                train=1 - self.test_size,
                test=self.test_size,
            )
        )
        parts += [text("stratified")] if self.stratify else []
        head = locale.text(text("{parts}.", parts=join(", ", parts)))
        return "\n".join([head, *(f"- {locale.text(reason)}" for reason in self.reasons)])


@checked
def advise_split(
    y: np.ndarray,
    *,
    learner: str | Estimator | None = None,
    simple_learner: bool = False,
    complex_learner: bool = False,
    stable_estimate: bool = False,
    critical: bool = False,
    quick: bool = False,
    seconds_per_fit: float | None = None,
    time_budget: float | None = None,
) -> SplitAdvice:
    """Advise how to split these rows.

    Parameters
    ----------
    y : array of labels or numbers
    learner : id or estimator, optional
        Says whether the learner is simple or complex.
    simple_learner : bool
        Learners with few numbers to learn (naive Bayes, linear models) need fewer training rows: more test rows.
    complex_learner : bool
        Flexible learners of high variance (forests, neural networks, kernels) need more training rows.
    stable_estimate, critical : bool
        The result must be reliable, or errors are expensive: more test rows.
    quick : bool
        There is no time for cross-validation.
    seconds_per_fit, time_budget : float, optional
        What training once takes, and the seconds there are in all: they decide how many folds can be paid for.

    Examples
    --------
    >>> print(advise_split(np.repeat(["a", "b"], 100)))
    Strategy cross-validation, 80% for training, 20% for testing, stratified.
    - 200 rows are few: train on most of them, and cross-validate so that every row is used for both.
    >>> print(advise_split(np.repeat(["a", "b"], 5000), learner="naive-bayes", seconds_per_fit=2, time_budget=13))
    Strategy cross-validation with 5 folds, 70% for training, 30% for testing, stratified.
    - 10,000 rows are enough for the usual 80-20 split.
    - Simple learners need fewer training rows, so the test set can be larger.
    - 13 seconds are enough for 6 trainings of 2 seconds: 5 folds and the model itself.
    """
    if simple_learner and complex_learner:
        raise InputError("simple-and-complex", "A learner is simple or complex, not both.")
    if learner is not None and not (simple_learner or complex_learner):
        kind = _kind_of(learner)
        simple_learner, complex_learner = kind in _SIMPLE, kind in _COMPLEX
    y = as_labels(y)
    n = len(y)
    numbers = decide_task(y).task == "regression"
    with as_own_errors():  # text among numbers
        counts = np.unique(strata(y, n / _FOLDS), return_counts=True)[1]
    test, strategy, reasons = _by_rows(n, quick)
    if complex_learner:
        test -= 0.05 if n >= 1000 else 0.1
        reasons.append(text("Complex learners with high variance need more training rows."))
    if simple_learner:
        test += 0.1
        reasons.append(text("Simple learners need fewer training rows, so the test set can be larger."))
    if stable_estimate or critical:
        test += 0.1
        reasons.append(text("A reliable estimate needs a larger test set."))
    if n and not numbers and counts.min() < max(0.05 * n, 30) and len(counts) > 1:
        reasons.append(
            text(
                "The rarest class has {n:,} {n:row|rows}: a stratified split puts some of them into every part.",
                n=int(counts.min()),
            )
        )
    folds = _FOLDS
    if seconds_per_fit is not None and time_budget is not None and not quick:
        strategy, folds, why = _by_time(strategy, seconds_per_fit, time_budget)
        reasons.append(why)
    return SplitAdvice(strategy, round(min(max(test, 0.1), 0.5), 2), len(counts) > 1, tuple(reasons), folds)


def _by_rows(n: int, quick: bool) -> tuple[float, str, list[Message]]:
    if n < 1000:
        if quick:
            return 0.2, "quick", [text("{n:,} rows are few: train on most of them.", n=n)]
        few = text(
            "{n:,} rows are few: train on most of them, and cross-validate so that every row is used for both.", n=n
        )
        return 0.2, "cross-validation", [few]
    if n < 50_000:
        usual = text("{n:,} rows are enough for the usual 80-20 split.", n=n)
        return 0.2, "quick" if quick else "cross-validation", [usual]
    many = text("{n:,} rows are many: 70% are enough for training, and one validation set is enough.", n=n)
    return 0.3, "quick" if quick else "validation", [many]


def _by_time(strategy: str, seconds: float, budget: float) -> tuple[str, int, Message]:
    """The strategy that the time allows: as many folds as can be paid for, or one validation set, or none."""
    if seconds <= 0 or budget <= 0:
        raise InputError("seconds-not-positive", "seconds_per_fit and time_budget must be positive numbers of seconds.")
    fits = int(budget / seconds)
    folds = min(_FOLDS, fits - 1)
    told = {"budget": budget, "n": fits, "seconds": seconds, "folds": folds}
    if strategy == "cross-validation" and folds >= 3:
        paid = text(
            "{budget:g} seconds are enough for {n:,} trainings of {seconds:g} seconds: {folds} folds and the model "
            "itself.",
            **told,
        )
        return strategy, folds, paid
    if fits >= 2:
        paid = text(
            "{budget:g} seconds are enough for {n:,} trainings of {seconds:g} seconds: one validation set and the "
            "model "
            "itself.",
            **told,
        )
        return "validation", _FOLDS, paid
    one = text("{budget:g} seconds are enough for one training of {seconds:g} seconds at most.", **told)
    return "quick", _FOLDS, one


def _kind_of(learner: str | Estimator) -> str:
    learner_id = learner if isinstance(learner, str) else getattr(learner, "_learner_id", "")
    tasks = tasks_of(learner_id)
    if isinstance(learner, str) or tasks:
        return find(learner_id, tasks[0] if tasks else "classification").kind
    return ""
