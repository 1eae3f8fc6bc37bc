"""What the rule learners share: constraints in, rules found by a strategy, a RuleSet out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix, Feature, guarded_from
from vaglio.errors import ArgumentError, ColumnError, InputError, NotSupportedError
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.inputs import learn_whole_reliability
from vaglio.learners.parameters import COUNT, NOT_NEGATIVE, estimator
from vaglio.learners.rules.estimators.condition_scorer import (
    ABOVE,
    AT_MOST,
    EQUAL,
    ONE_OF,
    UNEQUAL,
    ConditionScorer,
    KernelCondition,
)
from vaglio.learners.rules.forms.parse import parse_condition
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.rules.model.simplify import settled
from vaglio.messages.sentences import clip, did_you_mean
from vaglio.model.base import Smoothing
from vaglio.model.condition import Condition, merge_conditions
from vaglio.typing import ClassWeight, SequenceNotStr

_OPERATORS = {"<=": AT_MOST, ">": ABOVE, "=": EQUAL, "!=": UNEQUAL, "in": ONE_OF}


@dataclass(frozen=True)
class RuleConstraints:
    """Constraints in the kernel's terms.

    Attributes
    ----------
    allowed : uint8 (classes, kernel columns)
        Bits of the tests a rule of the class may put on the column.
    conditions : conditions every rule starts with
    first_columns : kernel columns every rule tests first, in this order
    """

    allowed: np.ndarray
    conditions: tuple[Condition, ...]
    first_columns: list[int]

    def allowed_next(self, code: int, length: int) -> np.ndarray:
        """Tests allowed for the next condition of a rule that has ``length`` already."""
        allowed: np.ndarray = self.allowed[code]
        if length >= len(self.first_columns):
            return allowed
        column = self.first_columns[length]
        return np.where(np.arange(len(allowed)) == column, allowed, np.zeros_like(allowed))


def read_constraints(
    features: Sequence[Feature],
    order: np.ndarray,
    n_classes: int,
    forbid: SequenceNotStr[str] | None,
    require: SequenceNotStr[str] | None,
    monotone: Mapping[str, int] | None,
    negation: bool,
    value_sets: bool,
) -> RuleConstraints:
    """Understand the user's words. ``order`` gives the feature of each kernel column."""
    place = {features[feature].name: column for column, feature in enumerate(order)}
    nominal = 1 << EQUAL | negation << UNEQUAL | value_sets << ONE_OF
    tests = [nominal if features[j].is_nominal else 1 << AT_MOST | 1 << ABOVE for j in order]
    # That a value is not present is no condition of an asymmetric column.
    tests = [test & ~(1 << UNEQUAL) if features[j].asymmetric else test for test, j in zip(tests, order)]
    allowed = np.tile(np.array(tests, dtype=np.uint8), (n_classes, 1))
    texts = {features[j].column for j in order if features[j].word is not None}
    for parameter, given in (("forbid", forbid), ("require", require)):
        strange = next((words for words in given or () if not isinstance(words, str)), None)
        if strange is not None:
            raise ArgumentError(
                "constraint-not-text",
                "{parameter} must be a list of texts; it contains {value} ({type}).",
                parameter=parameter,
                value=clip(repr(strange), 40),
                type=type(strange).__name__,
            )
    for words in forbid or ():
        if words in texts:  # all words of it
            allowed[:, [place[features[j].name] for j in order if features[j].column == words]] = 0
            continue
        # "race" forbids a column, "income <=" one kind of test on it.
        name, _, operator = words.rpartition(" ")
        if words in place or operator not in _OPERATORS:
            allowed[:, _column(words, place, "forbid")] = 0
        else:
            allowed[:, _column(name, place, "forbid")] &= np.uint8(~(1 << _OPERATORS[operator]) & 0xFF)
    for name, direction in (monotone or {}).items():
        _make_monotone(allowed, _column(name, place, "monotone"), features[order[place[name]]], direction)
    conditions, first_columns = [], []
    for words in require or ():
        if words in place:
            first_columns.append(place[words])
        else:
            conditions.append(parse_condition(words, features))
    return RuleConstraints(allowed, tuple(conditions), first_columns)


def _column(name: str, place: dict[str, int], parameter: str) -> int:
    if name not in place:
        raise ColumnError(
            "unknown-column-in-parameter",
            "{parameter} contains the column {column!r}, which X does not have: {hint}",
            parameter=parameter,
            column=name,
            hint=did_you_mean(name, place, quoted=True),
        )
    return place[name]


def _make_monotone(allowed: np.ndarray, column: int, feature: Feature, direction: int) -> None:
    """Allow rules of the class that grows with the column only tests for larger values, those of the other for smaller.

    A list of such rules is monotone: when the value grows, a rule of the growing class that matched still matches, and
    any rule that newly matches is of that class too.
    """
    if feature.is_nominal:
        raise InputError(
            "monotone-without-order", "monotone contains {column!r}, whose values have no order.", column=feature.name
        )
    if direction not in (-1, 1):
        raise InputError(
            "invalid-monotone",
            "monotone[{column!r}] must be +1 or -1, not {direction!r}.",
            column=feature.name,
            direction=direction,
        )
    if len(allowed) > 2:
        raise NotSupportedError(
            "monotone-needs-two-classes",
            "monotone needs two classes, because more classes have no order.",
        )
    growing = len(allowed) - 1 if direction > 0 else 0
    for label in range(len(allowed)):
        allowed[label, column] &= 1 << (ABOVE if label == growing else AT_MOST)


# The largest int32, which the kernel takes for "no limit".
UNBOUNDED = (1 << 31) - 1
# With fewer rows, what a rule tells about a single value does not pay for the bits of the rule.
_ROWS_FOR_A_RULE = 30


@dataclass(frozen=True)
class FoundRule:
    """What a strategy finds: a class and conditions in the kernel's terms."""

    code: int
    conditions: tuple[KernelCondition, ...]


# Which rule decides where several cover a row.
Resolution = Literal["first", "vote", "specific", "quality"]


@estimator
class RuleLearner(VaglioClassifier):
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
        Whether ``column IN (a, b)`` may be a condition. "auto" allows it on nominal columns of more than ten values, if
        ``high_cardinality`` finds that they tell enough: where values have up to 30 rows on average, a rule for one
        value does not pay.
    forbid : list of str or None
        Columns that no rule may test (``"race"``), or kinds of test (``"income <="``).
    require : list of str or None
        Conditions every rule starts with (``"age > 18"``), or columns every rule tests.
    monotone : dict or None
        Column name to +1 or -1: the second of two classes may only become more likely as the value grows (shrinks).
    high_cardinality : float or None
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
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``);
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
    forbid: SequenceNotStr[str] | None = None
    require: SequenceNotStr[str] | None = None
    monotone: Mapping[str, int] | None = None
    resolution: Resolution | None = "first"
    smoothing: Literal["none", "laplace", "m-estimate"] = "laplace"
    m: float = 2.0
    high_cardinality: float | None = 0.0
    class_weight: ClassWeight = None
    n_jobs: int | None = None

    def rules(self) -> RuleSet:
        """Return the model as a :class:`~vaglio.RuleSet`."""
        check_is_fitted(self, "fitted_")
        found: RuleSet = self.fitted_.rules()
        return found

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
        # No test of nominal columns of many values that would mislead, and sets of the values of others.
        believed = learn_whole_reliability(self, matrix, y, weight)
        allowed = constraints.allowed[:, len(matrix.numeric_features) :]
        allowed[:, believed == 0] = 0
        if getattr(self, "value_sets", False) == "auto":
            fewest = max(guarded_from(self.high_cardinality, matrix.n_rows), matrix.n_rows / _ROWS_FOR_A_RULE)
            sets = (matrix.n_categories > fewest) & (believed > 0)
            allowed[:, sets] |= np.where(allowed[:, sets] & 1 << EQUAL, np.uint8(1 << ONE_OF), np.uint8(0))
        part = matrix, y, weight
        if constraints.conditions:
            # Rules that all start with the required conditions are learned from the rows that meet these.
            meets = np.all([condition.match(matrix) == 1 for condition in constraints.conditions], axis=0)
            part = matrix.take(meets), y[meets], None if weight is None else weight[meets]
        # Of an asymmetric column, only presence is a condition.
        scorer = ConditionScorer(part[0].without_absence(), *part[1:], len(self.classes_), self._threads())
        found = self._find_rules(scorer, constraints) if scorer.n_rows else []
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
