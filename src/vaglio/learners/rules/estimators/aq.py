"""AQ: a seed of the class, the star of conjunctions that cover it and no row of another class, the best of the star."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state

from vaglio.encode import MISSING_RANK
from vaglio.errors import InputError
from vaglio.learners.parameters import FROM_0_TO_1, estimator
from vaglio.learners.rules.estimators.beam import Complex
from vaglio.learners.rules.estimators.condition_scorer import ConditionScorer, KernelCondition
from vaglio.learners.rules.estimators.rule_learner import FoundRule, Resolution, RuleConstraints, RuleLearner
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.typing import RandomState, SequenceNotStr

__all__ = ["AQClassifier"]

_CRITERIA = ("accuracy", "positives", "negatives", "conditions")


@estimator
class AQClassifier(RuleLearner):
    """Michalski's AQ with a bounded star.

    For each class, a seed is drawn among its rows that no rule covers yet. The star of the seed starts with the
    conjunction that accepts everything; as long as one of its conjunctions covers a row of another class, each is made
    more special by conditions that the seed meets and that row does not, and the ``beam_width`` best are kept. The
    best of the star becomes a rule.

    Parameters
    ----------
    preference : sequence of str
        What makes a conjunction better; the first criterion that differs decides: ``accuracy``, ``positives`` covered
        and not yet covered by another rule (more is better), ``negatives`` covered, ``conditions`` (fewer is better).
    min_accuracy : float
        A conjunction as accurate as this gets no more conditions: with noise, perfect rules are many and small.
    random_state : int, RandomState or None
        Seed of the random choice of seed rows. The default is fixed, so that a fit can be repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import AQClassifier
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> AQClassifier().fit(X, (X[:, 0] > 25).astype(int)).predict([[3.0], [33.0]]).tolist()
    [0, 1]
    """

    _learner_id = "aq"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "preference": [list, tuple],
        "min_accuracy": FROM_0_TO_1,
    }

    preference: SequenceNotStr[str] = ("accuracy", "positives", "conditions")
    beam_width: int = 5
    min_accuracy: float = 0.9
    negation: bool = True
    value_sets: bool | Literal["auto"] = "auto"
    resolution: Resolution = "vote"
    random_state: RandomState = 0

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        unknown = [name for name in self.preference if name not in _CRITERIA]
        if unknown:
            raise InputError(
                "there-criterion",
                "There is no criterion {unknown!r}: {hint}",
                unknown=unknown[0],
                hint=did_you_mean(str(unknown[0]), _CRITERIA),
            )
        if not self.preference:
            raise InputError(
                "preference-must-name-some",
                "preference must name some criteria: {criteria}.",
                criteria=listed(_CRITERIA, last="or"),
            )
        random = check_random_state(self.random_state)
        return [
            FoundRule(code, conditions)
            for code in range(scorer.n_classes)
            for conditions in self._cover_class(scorer, constraints, code, random)
        ]

    def _cover_class(
        self, scorer: ConditionScorer, constraints: RuleConstraints, code: int, random: np.random.RandomState
    ) -> list[tuple[KernelCondition, ...]]:
        rules: list[tuple[KernelCondition, ...]] = []
        waiting = scorer.y == code
        while waiting.any() and len(rules) < self._limit(self.max_rules):
            seeds = np.flatnonzero(waiting)
            seed = int(seeds[random.randint(len(seeds))])
            best = self._star(scorer, constraints, code, seed, waiting)
            counts = scorer.class_weights(best.rows)
            # If no condition separates the seed from rows of other classes, it is noise and gets no rule.
            if best.conditions and int(np.argmax(counts)) == code:
                rules.append(best.conditions)
                waiting[best.rows] = False
            waiting[seed] = False
        return rules

    def _star(
        self, scorer: ConditionScorer, constraints: RuleConstraints, code: int, seed: int, waiting: np.ndarray
    ) -> Complex:
        """Make the star more special until no conjunction of it needs to be."""
        star = [Complex((), 0.0, scorer.all_rows())]
        done: list[Complex] = []
        while star:
            grown: list[Complex] = []
            for parent in star:
                children = self._specialised(scorer, constraints, code, seed, parent)
                grown += children
                if not children:
                    done.append(parent)
            grown = self._preferred(scorer, code, waiting, grown)
            star = []
            for candidate in grown[: int(self.beam_width)]:
                counts = scorer.class_weights(candidate.rows)
                long_enough = len(candidate.conditions) >= self._limit(self.max_conditions)
                accurate = counts[code] >= self.min_accuracy * counts.sum()
                (done if long_enough or accurate else star).append(candidate)
        return self._preferred(scorer, code, waiting, done)[0]

    def _specialised(
        self, scorer: ConditionScorer, constraints: RuleConstraints, code: int, seed: int, parent: Complex
    ) -> list[Complex]:
        """Conditions that the seed meets and a covered row of another class does not."""
        allowed = constraints.allowed_next(code, len(parent.conditions))
        others = parent.rows[scorer.y[parent.rows] != code]
        nearest = self._nearest(scorer, seed, others, allowed > 0) if len(others) else None
        if nearest is None:
            return []
        found = scorer.best(
            parent.rows,
            "target_laplace",
            target=code,
            keep=int(self.beam_width),
            allowed=allowed,
            meets_row=seed,
            excludes_row=nearest,
        )
        return [parent.specialised(each, scorer) for each in found]

    @staticmethod
    def _nearest(
        scorer: ConditionScorer, seed: int, others: np.ndarray, usable: np.ndarray, most: int = 2000
    ) -> int | None:
        """Return the row most like the seed among those that some condition separates from it; None if there is none.

        Of very many rows, evenly spaced ones are compared. Only columns where the seed has a value, and that may be
        tested, count.
        """
        others = others[:: max(1, len(others) // most)]
        matrix = scorer.matrix
        n_numeric = len(matrix.numeric_features)
        codes = usable[n_numeric:] & (matrix.codes[seed] >= 0)
        differ = (matrix.codes[others][:, codes] != matrix.codes[seed, codes]).sum(axis=1).astype(np.float64)
        ranks = matrix.ranks()
        known = usable[:n_numeric] & (ranks.ranks[seed] != MISSING_RANK)
        length = np.array([max(len(values), 1) for values in ranks.values], dtype=np.float64)[known]
        away = np.abs(ranks.ranks[others][:, known].astype(np.float64) - ranks.ranks[seed, known]) / length
        differ += np.minimum(away, 1.0).sum(axis=1)
        differ[differ == 0] = np.inf
        nearest = int(np.argmin(differ))
        return int(others[nearest]) if np.isfinite(differ[nearest]) else None

    def _preferred(
        self, scorer: ConditionScorer, code: int, waiting: np.ndarray, complexes: list[Complex]
    ) -> list[Complex]:
        """Lexicographic order of the preference; complexes that cover the same rows are listed once."""
        distinct: dict[bytes, Complex] = {}
        for candidate in complexes:
            distinct.setdefault(candidate.rows.tobytes(), candidate)

        def rank(candidate: Complex) -> tuple[float, ...]:
            counts = scorer.class_weights(candidate.rows)
            measure = {
                "accuracy": -(counts[code] + 1.0) / (counts.sum() + scorer.n_classes),
                "positives": -float(waiting[candidate.rows].sum()),
                "negatives": counts.sum() - counts[code],
                "conditions": float(len(candidate.conditions)),
            }
            return tuple(measure[name] for name in self.preference)

        return sorted(distinct.values(), key=rank)
