"""What the rule learners share: constraints in, rules found by a strategy, a RuleSet out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from vaglio.encode import EncodedMatrix, guarded_from
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.has_rules import HasRules
from vaglio.learners.inputs import learn_whole_belief
from vaglio.learners.parameters import COUNT, NOT_NEGATIVE, estimator
from vaglio.learners.rules.estimators.condition_scorer import EQUAL, ONE_OF, ConditionScorer, KernelCondition
from vaglio.learners.rules.estimators.constraints import RuleConstraints, read_constraints
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.rules.model.simplify import settled
from vaglio.model.base import Smoothing
from vaglio.model.condition import merge_conditions

# The largest int32, which the kernel takes for "no limit".
UNBOUNDED = (1 << 31) - 1
# With fewer rows, what a rule tells about a single value does not pay for the bits of the rule.
_ROWS_FOR_A_RULE = 30


@dataclass(frozen=True)
class FoundRule:
    """What a strategy finds: a class and conditions in the kernel's terms."""

    code: int
    conditions: tuple[KernelCondition, ...]


@estimator
class RuleLearner(HasRules, VaglioClassifier):
    """Base of FOIL, CN2, AQ and RIPPER; each writes ``_find_rules``.

    Parameters
    ----------
    min_positive : float
        Fewest rows of the class that a rule must still cover after each condition, whatever they weigh.
    beam_width : int
        Number of conjunctions that the beam search keeps at each step.
    max_rules : int or None
        Largest number of rules per class; None sets no limit.
    max_conditions : int or None
        Largest number of conditions per rule; None sets no limit.
    negation : bool
        Whether ``column != value`` may be a condition.
    value_sets : bool or "auto"
        Whether ``column IN {a, b}`` may be a condition. "auto" allows it on nominal columns of more than ten values, if
        ``nominal_guard`` finds that they tell enough: where values have up to 30 rows on average, a rule for a single
        one does not pay.
    forbid : list of str or None
        Columns that no rule may test (``"race"``), or kinds of test (``"income <="``).
    require : list of str or None
        Conditions every rule starts with (``"age > 18"``), or columns every rule tests.
    monotone : dict or None
        Column name to +1 or -1: the second of two classes may only become more likely as the value grows (shrinks).
    nominal_guard : float or None
        Allow no condition on a nominal column of more than ten values (and more than this share of the number of
        training rows) that tells less than chance does on average. None allows all.
    resolution : {"first", "vote", "specific", "quality"}
        Which rule decides when several match a row: the first of the list, a vote of all, the one with most conditions,
        or the one with the highest accuracy.
    smoothing : {"none", "laplace", "m-estimate"}
        How the counts of covered rows become probabilities.
    m : float
        Weight of the class frequencies in the m-estimate.

    Attributes
    ----------
    reliability_ : dict of str to float
        For each nominal column of many values, the part of what it tells that is beyond chance (``nominal_guard``);
        rules do not test a column of 0, nor one that tells less than chance on average.
    """

    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_positive": NOT_NEGATIVE,
        "beam_width": COUNT,
        "max_rules": [*COUNT, None],
        "max_conditions": [*COUNT, None],
        "negation": ["boolean"],
        "value_sets": ["boolean", StrOptions({"auto"})],
        "forbid": [list, tuple, None],
        "require": [list, tuple, None],
        "monotone": [Mapping, None],
        "resolution": [StrOptions({"first", "vote", "specific", "quality"})],
        "smoothing": [StrOptions({"none", "laplace", "m-estimate"})],
        "m": NOT_NEGATIVE,
    }

    max_rules: int | None = None
    max_conditions: int | None = None
    negation: bool = False
    forbid: Sequence[str] | None = None
    require: Sequence[str] | None = None
    monotone: Mapping[str, int] | None = None
    resolution: str | None = "first"
    smoothing: str = "laplace"
    m: float = 2.0
    nominal_guard: float | None = 0.0
    class_weight: Any = None
    n_jobs: int | None = None

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
            getattr(self, "value_sets", False) is True,
        )
        self._correct(constraints.allowed[:, len(matrix.numeric_features) :], matrix, y, weight)
        scorer = self._scorer(matrix, y, weight, constraints)
        found = self._find_rules(scorer, constraints) if scorer.n_rows else []
        return self._ruleset(found, scorer, constraints, matrix, y, weight)

    def _correct(self, allowed: np.ndarray, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> None:
        """Allow no test of nominal columns of many values that would mislead, and sets of the values of others."""
        believed = learn_whole_belief(self, matrix, y, weight)
        allowed[:, believed == 0] = 0
        if getattr(self, "value_sets", False) == "auto":
            fewest = max(guarded_from(self.nominal_guard, matrix.n_rows), matrix.n_rows / _ROWS_FOR_A_RULE)
            sets = (matrix.n_categories > fewest) & (believed > 0)
            allowed[:, sets] |= np.where(allowed[:, sets] & 1 << EQUAL, np.uint8(1 << ONE_OF), np.uint8(0))

    def _scorer(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, constraints: RuleConstraints
    ) -> ConditionScorer:
        """Rules that all start with the required conditions are learned from the rows that meet these."""
        if constraints.conditions:
            meets = np.all([condition.match(matrix) == 1 for condition in constraints.conditions], axis=0)
            matrix, y, weight = matrix.take(meets), y[meets], None if weight is None else weight[meets]
        # Of an asymmetric column, only presence is a condition.
        return ConditionScorer(matrix.without_absence(), y, weight, len(self.classes_), self._threads())

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
