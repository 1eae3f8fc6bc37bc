"""RIPPER: rules grown, pruned, and revised by description length."""

from __future__ import annotations

from typing import Any, ClassVar

from vaglio.learners.parameters import COUNT_FROM_0, COUNT_FROM_2, NOT_NEGATIVE, estimator
from vaglio.learners.rules.estimators.condition_scorer import ConditionScorer
from vaglio.learners.rules.estimators.constraints import RuleConstraints
from vaglio.learners.rules.estimators.rule_learner import FoundRule, RuleLearner
from vaglio.runtime.seeds import seed_of

__all__ = ["RIPPERClassifier"]


@estimator
class RIPPERClassifier(RuleLearner):
    """Repeated incremental pruning to produce error reduction (Cohen 1995).

    Classes are taken from the rarest to the most frequent, which becomes the default. For each, rules are grown on one
    part of the rows by FOIL gain, pruned on the other, and added until the description length of rules and errors
    grows more than ``mdl_slack`` bits above its minimum; then each rule competes with one grown anew and one grown
    further, in ``optimizations`` passes.

    Parameters
    ----------
    optimizations : int
        Number of optimisation passes.
    folds : int
        Number of parts of the rows: one part prunes the rules, the others grow them.
    prune : bool
        Whether to prune. Without pruning all rows grow the rules, and there is no optimisation.
    check_error : bool
        Whether to stop at a rule that is wrong for at least half of the rows it covers.
    mdl_slack : float
        Bits above the shortest description so far at which a class gets no more rules.
    random_state : int, RandomState or None
        Seed of the split into growing and pruning rows. The default is fixed, so that a fit can be repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio import RIPPERClassifier
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = RIPPERClassifier().fit(X, (X[:, 0] > 25).astype(int))
    >>> model.predict([[3.0], [33.0]]).tolist()
    [0, 1]
    """

    _learner_id = "ripper"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "optimizations": COUNT_FROM_0,
        "folds": COUNT_FROM_2,
        "prune": ["boolean"],
        "check_error": ["boolean"],
        "mdl_slack": NOT_NEGATIVE,
    }

    optimizations: int = 2
    folds: int = 3
    prune: bool = True
    check_error: bool = True
    min_positive: float = 2.0
    mdl_slack: float = 64.0
    value_sets: bool | str = "auto"
    random_state: Any = 0

    def _find_rules(self, scorer: ConditionScorer, constraints: RuleConstraints) -> list[FoundRule]:
        found = scorer.kernel.ripper(
            optimizations=self.optimizations,
            folds=self.folds,
            prune=self.prune,
            check_error=self.check_error,
            min_positive=float(self.min_positive),
            mdl_slack=float(self.mdl_slack),
            max_rules=self._limit(self.max_rules),
            max_conditions=self._limit(self.max_conditions),
            first_columns=constraints.first_columns,
            allowed=constraints.allowed,
            seed=seed_of(self.random_state) & (2**63 - 1),
            n_threads=scorer.threads,
        )
        return [FoundRule(code, tuple(conditions)) for code, conditions in found]
