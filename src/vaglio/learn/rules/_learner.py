"""What the rule learners share: constraints in, rules found by a strategy, a RuleSet out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import EncodedMatrix
from vaglio.learn._base import HasRules, VaglioClassifier
from vaglio.learn.rules._condition_scorer import ConditionScorer, KernelCondition
from vaglio.learn.rules._constraints import RuleConstraints, read_constraints
from vaglio.model.rules.condition import merge_conditions
from vaglio.model.rules.rule import Rule
from vaglio.model.rules.ruleset import RuleSet
from vaglio.model.rules.simplify import settled
from vaglio.model.smoothing import Smoothing

UNBOUNDED = (1 << 31) - 1


@dataclass(frozen=True)
class FoundRule:
    """What a strategy finds: a class and conditions in the kernel's terms."""

    code: int
    conditions: tuple[KernelCondition, ...]


class RuleLearner(HasRules, VaglioClassifier):
    """Base of FOIL, CN2, AQ and RIPPER; each writes ``_find_rules``."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "negation": ["boolean"],
        "forbid": [list, tuple, None],
        "require": [list, tuple, None],
        "monotone": [Mapping, None],
        "resolution": [StrOptions({"first", "vote", "specific", "quality"})],
        "smoothing": [StrOptions({"none", "laplace", "m-estimate"})],
        "m": [Interval(Real, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [Integral, None],
    }

    max_rules: int | None
    max_conditions: int | None
    negation: bool
    forbid: Sequence[str] | None
    require: Sequence[str] | None
    monotone: Mapping[str, int] | None
    resolution: str | None
    smoothing: str
    m: float

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        raise NotImplementedError

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> RuleSet:
        order = np.concatenate([matrix.numeric_features, matrix.nominal_features]).astype(np.int64)
        constraints = read_constraints(
            matrix.features,
            order,
            len(self.classes_),
            self.forbid,
            self.require,
            self.monotone,
            self.negation,
            getattr(self, "value_sets", False),
        )
        scorer = self._scorer(matrix, y, weight, constraints)
        found = self._find_rules(scorer, constraints) if scorer.n_rows else []
        return self._ruleset(found, scorer, constraints, matrix, y, weight)

    def _scorer(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, constraints: RuleConstraints
    ) -> ConditionScorer:
        """Rules that all start with the required conditions are learnt from the rows that meet these."""
        if constraints.conditions:
            meets = np.all([condition.match(matrix) == 1 for condition in constraints.conditions], axis=0)
            matrix, y, weight = matrix.take(meets), y[meets], None if weight is None else weight[meets]
        return ConditionScorer(matrix, y, weight, len(self.classes_), self._threads())

    def _ruleset(
        self,
        found: list[FoundRule],
        scorer: ConditionScorer,
        constraints: RuleConstraints,
        matrix: EncodedMatrix,
        y: np.ndarray,
        weight: np.ndarray | None,
    ) -> RuleSet:
        labels = tuple(label.item() if hasattr(label, "item") else label for label in self.classes_)
        nothing = (0.0,) * len(labels)
        entries = []
        for rule in found:
            conditions = merge_conditions([*constraints.conditions, *map(scorer.condition, rule.conditions)])
            if conditions is not None:
                entries.append(Rule(conditions, labels[rule.code], rule.code, nothing, nothing, nothing))
        smoothing = Smoothing(self.smoothing, float(self.m))
        draft = RuleSet(tuple(entries), matrix.features, labels, nothing, nothing, self._resolution(), smoothing)
        return settled(draft, matrix, y, weight)

    def _resolution(self) -> str:
        return self.resolution or "first"

    def _limit(self, value: int | None) -> int:
        return UNBOUNDED if value is None else int(value)
