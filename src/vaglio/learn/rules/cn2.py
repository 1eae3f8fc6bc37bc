"""CN2: the best conjunction a beam search finds, if it is significant; then the next."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import chi2
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.errors import NotSupportedError
from vaglio.learn._parameters import BETWEEN_0_AND_1, NOT_NEGATIVE, estimator
from vaglio.learn.rules._beam import Complex, widen
from vaglio.learn.rules._condition_scorer import ConditionScorer, Scored
from vaglio.learn.rules._constraints import RuleConstraints
from vaglio.learn.rules._rule_learner import FoundRule, RuleLearner

__all__ = ["CN2Classifier"]

# Weighted covering ends after this many searches in a row without a new rule. Each search multiplies the weights of the
# covered rows by ``gamma``: after twenty they are 0.0008 of what they were, and other rules would have been found.
_PATIENCE = 20


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
        Confidence of the likelihood-ratio test a rule must pass; 0 accepts every rule. A rule that covers fewer rows
        than there are classes is tested for its own class against the rest.
    min_covered : float
        Fewest rows that a rule must cover, whatever they weigh.
    covering : {"exclusive", "weighted"}
        What becomes of covered rows: they are set aside, or (``weighted``, unordered only) their weight is multiplied
        by ``gamma``, so that rules may overlap.
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

    mode: str = "ordered"
    measure: str = "laplace"
    beam_width: int = 5
    significance: float = 0.95
    min_covered: float = 1.0
    covering: str = "exclusive"
    gamma: float = 0.7
    negation: bool = True
    resolution: str | None = None

    def _resolution(self) -> str:
        return self.resolution or ("first" if self.mode == "ordered" else "vote")

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        if self.mode == "ordered":
            self._refuse_for_ordered()
            return self._ordered(scorer, constraints)
        return [rule for code in range(scorer.n_classes) for rule in self._of_class(scorer, constraints, code)]

    def _refuse_for_ordered(self) -> None:
        if self.monotone:
            raise NotSupportedError("monotone needs mode='unordered': an ordered rule's class is not known beforehand.")
        if self.covering == "weighted":
            raise NotSupportedError("covering='weighted' needs mode='unordered': an ordered list sets rows aside.")

    # -- an ordered list -------------------------------------------------------------------------------------------
    def _ordered(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        found: list[FoundRule] = []
        rows = scorer.all_rows()
        while len(rows) and len(found) < self._limit(self.max_rules):
            best = self._search(scorer, constraints, rows, None, None)
            if best is None:
                break
            code = int(np.argmax(scorer.class_weights(best.rows)))
            found.append(FoundRule(code, best.conditions))
            rows = np.setdiff1d(rows, best.rows, assume_unique=True)
        return found

    # -- an unordered set ------------------------------------------------------------------------------------------
    def _of_class(self, scorer: ConditionScorer, constraints: RuleConstraints, code: int) -> list[FoundRule]:
        found: list[FoundRule] = []
        rows = scorer.all_rows()
        weight = np.ones(scorer.n_rows) if scorer.weight is None else scorer.weight.copy()
        waiting = scorer.y == code
        stale = 0
        while waiting.any() and stale < _PATIENCE and len(found) < self._limit(self.max_rules):
            best = self._search(scorer, constraints, rows, code, weight if self.covering == "weighted" else None)
            if best is None:
                break
            mine = best.rows[scorer.y[best.rows] == code]
            weight[mine] *= self.gamma
            # With weights a rule may win again until its rows have faded enough.
            stale = 0 if waiting[mine].any() else stale + 1
            if not stale:
                found.append(FoundRule(code, best.conditions))
            waiting[mine] = False
            if self.covering == "exclusive":
                rows = np.setdiff1d(rows, mine, assume_unique=True)
        return found

    # -- one rule --------------------------------------------------------------------------------------------------
    def _search(
        self,
        scorer: ConditionScorer,
        constraints: RuleConstraints,
        rows: np.ndarray,
        code: int | None,
        weight: np.ndarray | None,
    ) -> Complex | None:
        """The best significant conjunction, or None."""
        prior = scorer.class_weights(rows, weight)
        prior = prior / prior.sum()
        star = [Complex((), -np.inf, rows)]
        best: Complex | None = None
        while star and len(star[0].conditions) < self._limit(self.max_conditions):
            star = widen(
                scorer,
                star,
                self.beam_width,
                lambda parent: self._propose(scorer, constraints, parent, code, weight, prior),
            )
            for candidate in star:
                if best is not None and candidate.score <= best.score:
                    continue
                counts = scorer.class_weights(candidate.rows, weight)
                if self._is_significant(counts, prior, code):
                    best = candidate
        return best

    def _propose(
        self,
        scorer: ConditionScorer,
        constraints: RuleConstraints,
        parent: Complex,
        code: int | None,
        weight: np.ndarray | None,
        prior: np.ndarray,
    ) -> list[Scored]:
        return scorer.best(
            parent.rows,
            self.measure if code is None else f"target_{self.measure}",
            target=0 if code is None else code,
            m=float(self.m),
            priors=prior,
            min_rows=float(self.min_covered),
            min_positive=0.0 if code is None else np.finfo(float).tiny,
            keep=int(self.beam_width),
            allowed=constraints.allowed_next(0 if code is None else code, len(parent.conditions)),
            weight=weight,
        )

    def _is_significant(self, counts: np.ndarray, prior: np.ndarray, code: int | None) -> bool:
        if code is not None and counts[code] < prior[code] * counts.sum():
            return False
        if self.significance == 0:
            return True
        classes = int((prior > 0).sum())
        if counts.sum() >= classes:
            return bool(likelihood_ratio(counts, prior) >= chi2.ppf(self.significance, max(classes - 1, 1)))
        # Fewer rows than classes: the distribution of the ratio is far from chi-square with one degree of freedom per
        # class, and no rule could pass. Its class is then tested against the rest, at a level divided by the number of
        # classes it was picked from.
        picked = int(np.argmax(counts)) if code is None else code
        level = 1 - (1 - self.significance) / (classes if code is None else 1)
        one = np.array([counts[picked], counts.sum() - counts[picked]])
        return bool(likelihood_ratio(one, np.array([prior[picked], 1 - prior[picked]])) >= chi2.ppf(level, 1))


def likelihood_ratio(counts: np.ndarray, prior: np.ndarray) -> float:
    """2·Σ n_c·ln(n_c / (n·prior_c)): how far class counts are from what the prior would give."""
    expected = counts.sum() * prior
    here = counts > 0
    return float(2.0 * np.sum(counts[here] * np.log(counts[here] / expected[here])))
