"""CN2: the best conjunction a beam search finds, if it is significant; then the next."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.errors import NotSupportedError
from vaglio.learners.parameters import BETWEEN_0_AND_1, NOT_NEGATIVE, estimator
from vaglio.learners.rules.estimators.beam import BeamSearch
from vaglio.learners.rules.estimators.condition_scorer import ConditionScorer
from vaglio.learners.rules.estimators.rule_learner import FoundRule, Resolution, RuleConstraints, RuleLearner

__all__ = ["CN2Classifier"]


@estimator
class CN2Classifier(RuleLearner):
    """CN2 (Clark and Niblett 1989; Clark and Boswell 1991).

    A beam search looks for the conjunction of highest ``measure`` whose class distribution differs from that of all
    rows by a likelihood-ratio test. An ``ordered`` list gives it the majority class of its rows, sets the rows aside
    and goes on; an ``unordered`` set looks for rules of each class in turn and sets only rows of that class aside.

    Parameters
    ----------
    mode : {"ordered", "unordered"}
        Learn a list whose first matching rule decides, or a set of rules that vote.
    measure : {"entropy", "laplace", "m-estimate"}
        What makes a conjunction good; ``m`` is the weight of the prior in the m-estimate.
    significance : float in [0, 1)
        Confidence of the likelihood-ratio test a rule must pass; 0 accepts every rule. An unordered rule is tested for
        its own class against the rest, and so is an ordered one that covers fewer rows than there are classes.
    min_covered : float
        Fewest rows that a rule must cover, whatever they weigh.
    covering : {"exclusive", "weighted"}
        What becomes of covered rows: they are set aside, or (``weighted``, unordered only) their weight is multiplied
        by ``gamma``, so that rules may overlap. Rows are set aside for good when a search finds nothing but covered
        rows.
    gamma : float in (0, 1)
        Factor of the weight of covered rows, with ``covering="weighted"``.
    monotone : dict or None
        Column name to +1 or -1: the second of two classes may only become more likely as the value grows (shrinks).
        Needs ``mode="unordered"``: in an ordered list the class of a rule is known only when the rule is found.
    resolution : {"first", "vote", "specific", "quality"} or None
        Which rule decides when several match a row; None is the first in an ordered list, a vote in an unordered set.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import CN2Classifier
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> print(CN2Classifier().fit(X, (X[:, 0] > 25).astype(int)).rules())
    IF x0 <= 25.5 THEN 0  [26 of 26]
    ELSE 1
    """

    _learner_id = "cn2"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "mode": [StrOptions({"ordered", "unordered"})],
        "measure": [StrOptions({"entropy", "laplace", "m-estimate"})],
        "significance": [Interval(Real, 0, 1, closed="left")],
        "min_covered": NOT_NEGATIVE,
        "covering": [StrOptions({"exclusive", "weighted"})],
        "gamma": BETWEEN_0_AND_1,
        "resolution": [StrOptions({"first", "vote", "specific", "quality"}), None],
    }

    mode: Literal["ordered", "unordered"] = "ordered"
    measure: Literal["entropy", "laplace", "m-estimate"] = "laplace"
    beam_width: int = 5
    significance: float = 0.95
    min_covered: float = 1.0
    covering: Literal["exclusive", "weighted"] = "exclusive"
    gamma: float = 0.7
    negation: bool = True
    resolution: Resolution | None = None

    def _resolution(self) -> str:
        return self.resolution or ("first" if self.mode == "ordered" else "vote")

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        search = BeamSearch(
            scorer,
            constraints,
            self.measure,
            float(self.m),
            int(self.beam_width),
            float(self.significance),
            float(self.min_covered),
            self._limit(self.max_conditions),
        )
        if self.mode != "ordered":
            return [rule for code in range(scorer.n_classes) for rule in self._of_class(search, code)]
        if self.monotone:
            raise NotSupportedError(
                "monotone-needs-mode-unordered",
                "monotone needs mode='unordered': an ordered rule's class is not known beforehand.",
            )
        if self.covering == "weighted":
            raise NotSupportedError(
                "covering-weighted-needs-mode",
                "covering='weighted' needs mode='unordered': an ordered list sets rows aside.",
            )
        return self._ordered(search)

    # -- an ordered list -------------------------------------------------------------------------------------------
    def _ordered(self, search: BeamSearch) -> list[FoundRule]:
        """One search per rule; each rule takes at least one row, so there are at most as many searches as rows."""
        scorer = search.scorer
        found: list[FoundRule] = []
        rows = scorer.all_rows()
        while len(rows) and len(found) < self._limit(self.max_rules):
            best = search.find(rows)
            if best is None:
                break
            code = int(np.argmax(scorer.class_weights(best.rows)))
            found.append(FoundRule(code, best.conditions))
            rows = np.setdiff1d(rows, best.rows, assume_unique=True)
        return found

    # -- an unordered set ------------------------------------------------------------------------------------------
    def _of_class(self, search: BeamSearch, code: int) -> list[FoundRule]:
        """Rules of one class.

        Every search but the last covers a row of the class for the first time, or sets at least one aside. So a class
        of p rows takes at most p + 1 searches with exclusive covering, and at most 2·p + 1 with weighted covering.
        """
        scorer = search.scorer
        found: list[FoundRule] = []
        rows = scorer.all_rows()
        weight = np.ones(scorer.n_rows) if scorer.weight is None else scorer.weight.copy()
        waiting = scorer.y == code
        while waiting.any() and len(found) < self._limit(self.max_rules):
            best = search.find(rows, code, weight if self.covering == "weighted" else None)
            if best is None:
                break
            mine = best.rows[scorer.y[best.rows] == code]
            is_new = bool(waiting[mine].any())
            if is_new:
                found.append(FoundRule(code, best.conditions))
                waiting[mine] = False
                weight[mine] *= self.gamma
            # Faded rows may still win over new ones. When all rows of a rule are covered, they have had their share.
            if self.covering == "exclusive" or not is_new:
                rows = np.setdiff1d(rows, mine, assume_unique=True)
        return found
