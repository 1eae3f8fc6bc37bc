"""Beam search for a conjunction of conditions: the few best so far, each made more special in every good way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import gammaincinv

from vaglio.learners.rules.estimators.condition_scorer import (
    IN_REACH,
    SIGNIFICANT,
    ConditionScorer,
    KernelCondition,
    Scored,
)
from vaglio.learners.rules.estimators.constraints import RuleConstraints

__all__ = ["BeamSearch", "Complex"]


@dataclass(frozen=True)
class Complex:
    """A conjunction (Michalski's word) with its score, the rows it covers and their weight."""

    conditions: tuple[KernelCondition, ...]
    score: float
    rows: np.ndarray
    weight: float = 0.0

    def specialised(self, found: Scored, scorer: ConditionScorer) -> Complex:
        """The conjunction with one more condition; it covers fewer rows."""
        rows = scorer.meeting(self.rows, found.condition)
        return Complex((*self.conditions, found.condition), found.score, rows, found.weight)

    @property
    def worth(self) -> tuple[float, float]:
        """What makes one conjunction better than another: its score, then how much it covers."""
        return self.score, self.weight


@dataclass(frozen=True)
class BeamSearch:
    """CN2's search for one rule.

    Attributes
    ----------
    scorer : ConditionScorer
    constraints : RuleConstraints
    measure : {"entropy", "laplace", "m-estimate"}
    m : float
        Weight of the prior in the m-estimate.
    width : int
        Number of conjunctions kept at each step.
    significance : float
        Confidence of the likelihood-ratio test; 0 accepts every rule.
    min_covered : float
        Weight of rows a rule must cover.
    max_conditions : int
    """

    scorer: ConditionScorer
    constraints: RuleConstraints
    measure: str
    m: float
    width: int
    significance: float
    min_covered: float
    max_conditions: int

    def find(self, rows: np.ndarray, code: int | None = None, weight: np.ndarray | None = None) -> Complex | None:
        """The best significant conjunction of all that the beam meets, or None.

        A conjunction covers fewer rows than the one it was made of, so there are at most as many steps as rows, each
        with at most ``width`` conjunctions to be made more special.
        """
        target = _Target.of(self, rows, code, weight)
        star = [Complex((), -np.inf, rows)]
        best: Complex | None = None
        while star and len(star[0].conditions) < self.max_conditions:
            proposals: list[tuple[Scored, Complex]] = []
            for parent in star:
                found = target.proposals(parent, IN_REACH, self.width)
                proposals += [(each, parent) for each in found]
                best = target.better(parent, found, best)
            # What cannot become better than the best, even with rows of one class alone, need not be looked at again.
            star = [each for each in self._widened(proposals) if best is None or target.hope(each) > best.score]
        return best

    def _widened(self, proposals: list[tuple[Scored, Complex]]) -> list[Complex]:
        """The ``width`` best that cover different rows.

        Ties: the complex earlier in the star, then the order of the kernel (column, then threshold).
        """
        star: dict[bytes, Complex] = {}
        for found, parent in sorted(proposals, key=lambda pair: (-pair[0].score, -pair[0].weight)):
            longer = parent.specialised(found, self.scorer)
            star.setdefault(longer.rows.tobytes(), longer)
            if len(star) == self.width:
                break
        return list(star.values())


@dataclass(frozen=True)
class _Target:
    """What one search looks for: rules of one class, or (``code`` None) of any."""

    search: BeamSearch
    code: int | None
    weight: np.ndarray | None
    prior: np.ndarray
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, search: BeamSearch, rows: np.ndarray, code: int | None, weight: np.ndarray | None) -> _Target:
        # What a random choice of the rows still to be covered would give.
        counts = search.scorer.class_weights(rows, weight)
        prior = counts / counts.sum()
        classes = int((prior > 0).sum())
        # An ordered rule of fewer rows than classes: the ratio is far from chi-square with one degree of freedom per
        # class, and no rule could pass. Its class is then tested against the rest, at a level divided by the number of
        # classes it was picked from.
        level = 1 - (1 - search.significance) / (classes if code is None else 1)
        asks = search.significance > 0
        options = {
            "target": 0 if code is None else code,
            "m": search.m,
            "priors": prior,
            "min_rows": search.min_covered,
            "min_positive": 0.0 if code is None else np.finfo(float).tiny,
            "weight": weight,
            "min_ratio": _chi_square(search.significance, max(classes - 1, 1)) if asks else -np.inf,
            "min_ratio_of_one": _chi_square(level, 1) if asks else -np.inf,
            "few": float(classes),
        }
        return cls(search, code, weight, prior, options)

    def proposals(self, parent: Complex, proof: int, keep: int) -> list[Scored]:
        """The best conditions to add."""
        code = 0 if self.code is None else self.code
        return self.search.scorer.best(
            parent.rows,
            self.search.measure if self.code is None else f"target_{self.search.measure}",
            allowed=self.search.constraints.allowed_next(code, len(parent.conditions)),
            proof=proof,
            keep=keep,
            **self.options,
        )

    def better(self, parent: Complex, found: list[Scored], best: Complex | None) -> Complex | None:
        """The best significant conjunction so far, with all specialisations of ``parent`` considered.

        ``found`` has the highest scores. If none of them is significant, and there may be more, the best significant
        one is asked for.
        """
        passing = next((each for each in found if each.significant), None)
        if passing is None and len(found) == self.search.width:
            passing = next(iter(self.proposals(parent, SIGNIFICANT, 1)), None)
        if passing is None or (best is not None and (passing.score, passing.weight) <= best.worth):
            return best
        return parent.specialised(passing, self.search.scorer)

    def hope(self, candidate: Complex) -> float:
        """A bound of the score that further conditions can reach: all rows of a class, and none of another."""
        if self.search.measure == "entropy":
            return 0.0
        counts, prior = self.search.scorer.class_weights(candidate.rows, self.weight), self.prior
        if self.code is not None:
            counts, prior = counts[[self.code]], prior[[self.code]]
        # Laplace's formula is the m-estimate with one row of each class.
        m = self.search.m if self.search.measure == "m-estimate" else float(self.search.scorer.n_classes)
        prior = prior if self.search.measure == "m-estimate" else np.full(len(counts), 1.0 / m)
        return float(np.max((counts + m * prior) / np.maximum(counts + m, np.finfo(float).tiny)))


def _chi_square(level: float, degrees: int) -> float:
    """The value that a chi-square variable exceeds with a probability of 1 - level."""
    return 2 * float(gammaincinv(degrees / 2, level))
