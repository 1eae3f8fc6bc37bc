"""Splits of rows into training, validation and test rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

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

from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean

__all__ = [
    "PRESETS",
    "SplitRules",
    "make_folds",
    "make_holdout",
    "make_random_splits",
    "make_three_way",
]

# The usual proportions by name -> share of the test rows.
PRESETS = {"80-20": 0.2, "67-33": 0.33, "50-50": 0.5}

Fold = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class SplitRules:
    """Rules that every split of one study follows.

    Parameters
    ----------
    stratify : bool
        Keep the class proportions in every part.
    groups : ndarray, optional
        Rows of one group (a patient, a customer) are never divided between training and test.
    time_ordered : bool
        The rows are in order of time: train on the past, test on the future.
    seed : int
        Seed of every split.
    """

    stratify: bool = True
    groups: np.ndarray | None = None
    time_ordered: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.groups is not None and self.time_ordered:
            raise InputError("Rows can be split by groups or by time, not by both: choose one.")

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
            f"There is no split {test_size!r}, which may also be a share or percentages of training and test rows that "
            f"sum to 100: {did_you_mean(test_size, PRESETS)}"
        )
    if not 0 < test_size < 1:
        raise InputError(f"The share of test rows is {test_size}; it must lie between 0 and 1.")
    return float(test_size)


# pytest would run a function of this name as a test when a test module imports it.
test_share.__test__ = False  # type: ignore[attr-defined]


def make_holdout(y: np.ndarray, test_size: float | str = 0.2, rules: SplitRules | None = None) -> Fold:
    """Two parts: training rows and test rows.

    If stratified, a class with a single row goes to training: a class that is only in the test cannot be learned.

    Parameters
    ----------
    y : array of labels
    test_size : float or str, default=0.2
        Share of the test rows, or a split such as "80-20", "67-33", "50-50".
    rules : SplitRules, optional
        Stratified with seed 0 by default.

    Examples
    --------
    >>> train, test = make_holdout(np.array(["a"] * 8 + ["b"] * 2), "50-50")
    >>> len(train), len(test)
    (5, 5)
    """
    rules = rules or SplitRules()
    share, n = test_share(test_size), len(y)
    if n < 2:
        raise InputError(f"{n} rows cannot be split in two.")
    rows = np.arange(n)
    if rules.time_ordered:
        cut = min(max(round(n * (1 - share)), 1), n - 1)
        return rows[:cut], rows[cut:]
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


def _stratified(y: np.ndarray, share: float, seed: int) -> Fold | None:
    """Both parts with the same class proportions, or None if there are too few rows."""
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    single = counts[codes] < 2
    rest = np.flatnonzero(~single)
    n_test, n_classes = round(len(y) * share), int((counts >= 2).sum())
    if n_test < n_classes or len(rest) - n_test < n_classes:
        return None
    splitter = StratifiedShuffleSplit(1, test_size=n_test, random_state=seed)
    train, test = next(splitter.split(rest, codes[rest]))
    return np.sort(np.append(rest[train], np.flatnonzero(single))), np.sort(rest[test])


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
    rules = rules or SplitRules()
    if len(shares) != 3 or min(shares) <= 0 or not np.isclose(sum(shares), 1):
        raise InputError(f"Three shares that sum to 1 are needed, not {tuple(shares)}.")
    rest, test = make_holdout(y, shares[2], rules)
    train, validation = make_holdout(y[rest], shares[1] / (shares[0] + shares[1]), rules.part(rest))
    return rest[train], rest[validation], test


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
        raise InputError("Rows in order of time cannot be sampled at random: past and future would be mixed.")
    return [make_holdout(y, test_size, replace(rules, seed=rules.seed + i)) for i in range(n_splits)]


def make_folds(
    y: np.ndarray,
    n_splits: int = 10,
    *,
    n_repeats: int = 1,
    leave_one_out: bool = False,
    rules: SplitRules | None = None,
) -> list[Fold] | LeaveOneOut:
    """Cross-validation folds: each row is a test row once per repetition. The result can be passed as ``cv``.

    Parameters
    ----------
    y : array of labels
    n_splits : int, default=10
        Number of folds.
    n_repeats : int, default=1
        How often the folds are drawn.
    leave_one_out : bool, default=False
        As many folds as rows.
    rules : SplitRules, optional
        Stratified with seed 0 by default.
    """
    rules = rules or SplitRules()
    rows = np.arange(len(y))
    if leave_one_out:
        return LeaveOneOut()
    if not 2 <= n_splits <= len(y):
        raise InputError(f"{len(y)} rows cannot be divided into {n_splits} folds.")
    if rules.time_ordered:
        return list(TimeSeriesSplit(n_splits).split(rows))
    return [fold for repeat in range(n_repeats) for fold in _one_round(y, n_splits, rules, rules.seed + repeat)]


def _one_round(y: np.ndarray, n_splits: int, rules: SplitRules, seed: int) -> list[Fold]:
    rows = np.arange(len(y))
    common: dict[str, Any] = {"n_splits": n_splits, "shuffle": True, "random_state": seed}
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
