"""Advice how to evaluate a model: which strategy, which shares, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.learners.registry import LEARNERS, find

__all__ = ["SplitAdvice", "advise_split"]

# Kinds of models with few numbers to learn: they learn them from few rows, so that more are left to test on.
_SIMPLE = ("linear", "naive-bayes", "multinomial-nb", "bernoulli-nb")
# Kinds that fit almost any training rows: they need many, and differ much from sample to sample.
_COMPLEX = ("forest", "boosted", "ensemble", "mlp", "svm", "neighbors", "gaussian-mixture")
# Folds of a cross-validation, unless there is no time for so many.
_FOLDS = 10


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
    reasons : tuple of str
    folds : int
        Folds of a cross-validation.
    """

    strategy: str
    test_size: float
    stratify: bool
    reasons: tuple[str, ...] = field(default=())
    folds: int = _FOLDS

    def __str__(self) -> str:
        how = f"{1 - self.test_size:.0%} for training, {self.test_size:.0%} for test"
        folds = f" with {self.folds} folds" if self.strategy == "cross-validation" and self.folds != _FOLDS else ""
        head = f"Strategy {self.strategy}{folds}; {how}{', stratified' if self.stratify else ''}."
        return "\n".join([head, *(f"- {reason}" for reason in self.reasons)])


def advise_split(
    y: np.ndarray,
    *,
    learner: Any = None,
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
    y : array of labels
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
    Strategy cross-validation; 80% for training, 20% for test, stratified.
    - 200 rows are few: use most of them for training, and use each row for training and test by cross-validation.
    >>> print(advise_split(np.repeat(["a", "b"], 5000), learner="naive-bayes", seconds_per_fit=2, time_budget=13))
    Strategy cross-validation with 5 folds; 70% for training, 30% for test, stratified.
    - 10000 rows are enough for the usual split 80-20.
    - Simple learners need fewer training rows: a larger test set measures them better.
    - 13 seconds are enough for 6 trainings of 2 seconds: 5 folds, and the model itself.
    """
    if simple_learner and complex_learner:
        raise InputError("A learner is simple or complex, not both.")
    if learner is not None and not (simple_learner or complex_learner):
        kind = _kind_of(learner)
        simple_learner, complex_learner = kind in _SIMPLE, kind in _COMPLEX
    n = len(y)
    counts = np.unique(y, return_counts=True)[1]
    test, strategy, reasons = _by_rows(n, quick)
    if complex_learner:
        test -= 0.05 if n >= 1000 else 0.1
        reasons.append("Complex learners of high variance need more training rows.")
    if simple_learner:
        test += 0.1
        reasons.append("Simple learners need fewer training rows: a larger test set measures them better.")
    if stable_estimate or critical:
        test += 0.1
        reasons.append("A reliable result needs a larger test set.")
    if n and counts.min() < max(0.05 * n, 30) and len(counts) > 1:
        reasons.append(f"The rarest class has {counts.min()} rows: a stratified split has rows of it in every part.")
    folds = _FOLDS
    if seconds_per_fit is not None and time_budget is not None and not quick:
        strategy, folds, why = _by_time(strategy, seconds_per_fit, time_budget)
        reasons.append(why)
    return SplitAdvice(strategy, round(min(max(test, 0.1), 0.5), 2), len(counts) > 1, tuple(reasons), folds)


def _by_rows(n: int, quick: bool) -> tuple[float, str, list[str]]:
    if n < 1000:
        few = f"{n} rows are few: use most of them for training"
        rest = "." if quick else ", and use each row for training and test by cross-validation."
        return 0.2, "quick" if quick else "cross-validation", [few + rest]
    if n < 50_000:
        usual = f"{n} rows are enough for the usual split 80-20."
        return 0.2, "quick" if quick else "cross-validation", [usual]
    many = f"{n} rows are many: 70 % of them are enough for training, and one validation set is enough."
    return 0.3, "quick" if quick else "validation", [many]


def _by_time(strategy: str, seconds: float, budget: float) -> tuple[str, int, str]:
    """The strategy that the time allows: as many folds as can be paid for, or one validation set, or none."""
    if seconds <= 0 or budget <= 0:
        raise InputError("seconds_per_fit and time_budget are numbers of seconds above 0.")
    fits = int(budget / seconds)
    paid = f"{budget:g} seconds are enough for {fits:,} trainings of {seconds:g} seconds"
    folds = min(_FOLDS, fits - 1)
    if strategy == "cross-validation" and folds >= 3:
        return strategy, folds, f"{paid}: {folds} folds, and the model itself."
    if fits >= 2:
        return "validation", _FOLDS, f"{paid}: one validation set, and the model itself."
    return "quick", _FOLDS, f"{budget:g} seconds are enough for one training of {seconds:g} seconds at most."


def _kind_of(learner: Any) -> str:
    if isinstance(learner, str):
        return find(learner).kind
    known = LEARNERS.get(getattr(learner, "_learner_id", ""))
    return "" if known is None else known.kind
