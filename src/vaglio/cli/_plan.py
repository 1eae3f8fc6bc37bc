"""How a model is to be evaluated, as the options of a command say."""

from __future__ import annotations

from dataclasses import dataclass

from vaglio.cli._options import UsageError


@dataclass(frozen=True)
class Plan:
    """How to evaluate: at most one of a test table, folds, or a share held out."""

    test: str | None = None
    folds: int | None = None
    holdout: float | None = None

    def __post_init__(self) -> None:
        if sum(value is not None for value in (self.test, self.folds, self.holdout)) > 1:
            raise UsageError("choose one of --test, --folds and --holdout.")
        if self.holdout is not None and not 0 < self.holdout < 1:
            raise UsageError(f"--holdout is a share between 0 and 1, e.g. 0.3, not {self.holdout:g}.")

    @property
    def wanted(self) -> bool:
        return self != Plan()

    def __str__(self) -> str:
        if self.test is not None:
            return "on the test table"
        if self.folds is not None:
            return f"by {self.folds}-fold cross-validation"
        return f"on {self.holdout:.0%} of the rows, held out"
