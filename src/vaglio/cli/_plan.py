"""The options that say how a learner is evaluated, checked before a table is read."""

from __future__ import annotations

from vaglio.cli._session import UsageError

__all__ = ["check_plan"]


def check_plan(test: str | None = None, folds: int | None = None, holdout: float | None = None) -> None:
    """Refuse options that contradict each other; ``EvaluationPlan`` says the same in the words of Python."""
    if sum(value is not None for value in (test, folds, holdout)) > 1:
        raise UsageError("choose one of --test, --folds and --holdout.")
    if holdout is not None and not 0 < holdout < 1:
        raise UsageError(f"--holdout is a share between 0 and 1, e.g. 0.3, not {holdout:g}.")
