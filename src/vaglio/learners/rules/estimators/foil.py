"""FOIL: one rule after the other, each grown by the condition of highest information gain."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from vaglio.learners.parameters import FROM_0_TO_1, NOT_NEGATIVE, estimator
from vaglio.learners.rules.estimators.condition_scorer import ConditionScorer, KernelCondition
from vaglio.learners.rules.estimators.constraints import RuleConstraints
from vaglio.learners.rules.estimators.rule_learner import FoundRule, RuleLearner

__all__ = ["FOILClassifier"]


@estimator
class FOILClassifier(RuleLearner):
    """First-order inductive learner (Quinlan 1990) on the conditions of one table.

    For each class against the rest, a rule starts empty and gets the condition with the highest
    gain = pos'·[log2(pos'/(pos'+neg')) − log2(pos/(pos+neg))], until it covers no row of another class, nothing gains,
    or it would take more bits to write than the rows it covers (``encoding_limit``). A rule that is right often enough
    (``min_accuracy``) is kept and the rows of the class it covers are set aside; otherwise the class gets no more
    rules.

    Parameters
    ----------
    min_accuracy : float
        Smallest share of the class among the rows a rule covers; a rule with less is dropped.
    min_gain : float
        Smallest gain of a condition, in bits.
    encoding_limit : bool
        Whether a rule must take no more bits than naming the rows it covers.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import FOILClassifier
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> print(FOILClassifier().fit(X, (X[:, 0] > 25).astype(int)).rules())
    IF x0 <= 25.5 THEN 0  [26 of 26]
    IF x0 > 25.5 THEN 1  [14 of 14]
    ELSE 0
    """

    _learner_id = "foil"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_accuracy": FROM_0_TO_1,
        "min_gain": NOT_NEGATIVE,
        "encoding_limit": ["boolean"],
    }

    min_accuracy: float = 0.8
    min_gain: float = 0.01
    min_positive: float = 1.0
    encoding_limit: bool = True
    value_sets: bool | str = "auto"
    resolution: str = "quality"

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        return [
            FoundRule(code, conditions)
            for code in range(scorer.n_classes)
            for conditions in self._cover_class(scorer, constraints, code)
        ]

    def _cover_class(
        self, scorer: ConditionScorer, constraints: RuleConstraints, code: int
    ) -> list[tuple[KernelCondition, ...]]:
        """Rules until the class is covered or no further one is good enough."""
        rules: list[tuple[KernelCondition, ...]] = []
        rows = scorer.all_rows()
        while len(rules) < self._limit(self.max_rules) and (scorer.y[rows] == code).any():
            conditions, covered = self._grow(scorer, constraints, code, rows)
            weights = scorer.class_weights(covered)
            if not conditions or weights[code] < self.min_accuracy * weights.sum():
                break
            rules.append(tuple(conditions))
            rows = np.setdiff1d(rows, covered[scorer.y[covered] == code], assume_unique=True)
        return rules

    def _grow(
        self, scorer: ConditionScorer, constraints: RuleConstraints, code: int, rows: np.ndarray
    ) -> tuple[list[KernelCondition], np.ndarray]:
        conditions: list[KernelCondition] = []
        start, allowed = scorer.class_weights(rows), constraints.allowed[code]
        while len(conditions) < self._limit(self.max_conditions) and (scorer.y[rows] != code).any():
            best = scorer.best(
                rows,
                "foil_gain",
                target=code,
                min_positive=float(self.min_positive),
                allowed=constraints.allowed_next(code, len(conditions)),
            )
            if not best or best[0].score <= self.min_gain:
                break
            longer = [*conditions, best[0].condition]
            bits = rule_bits(scorer, allowed, len(longer))
            if self.encoding_limit and bits > covering_bits(start.sum(), best[0].positive):
                break
            conditions, rows = longer, scorer.meeting(rows, best[0].condition)
        return conditions, rows


def rule_bits(scorer: ConditionScorer, allowed: np.ndarray, length: int) -> float:
    """Bits to write a rule: each condition one of all possible on the columns that it may test, their order free."""
    tests = [2 * len(values) for values in scorer.matrix.ranks().values] + scorer.matrix.n_categories.tolist()
    possible = sum(count for count, may in zip(tests, allowed.tolist()) if may)
    return length * (1 + math.log2(max(possible, 1))) - math.lgamma(length + 1) / math.log(2)


def covering_bits(all_rows: float, positives: float) -> float:
    """Bits to name the rows a rule covers: how many of all, and which."""
    choose = math.lgamma(all_rows + 1) - math.lgamma(positives + 1) - math.lgamma(max(all_rows - positives, 0) + 1)
    return math.log2(max(all_rows, 1)) + choose / math.log(2)
