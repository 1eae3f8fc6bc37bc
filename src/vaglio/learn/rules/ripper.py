"""RIPPER: rules grown, pruned, and revised by description length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from vaglio.learn.rules._condition_scorer import ConditionScorer
from vaglio.learn.rules._constraints import RuleConstraints
from vaglio.learn.rules._learner import FoundRule, RuleLearner
from vaglio.runtime.seeds import seed_of

__all__ = ["RIPPERClassifier"]


class RIPPERClassifier(RuleLearner):
    """Repeated incremental pruning to produce error reduction (Cohen 1995).

    Classes are taken from the rarest to the most frequent, which becomes the default. For each, rules are grown on one
    part of the rows by FOIL gain, pruned on the other, and added until the description length of rules and errors
    grows more than ``mdl_slack`` bits above its minimum; then each rule competes with one grown anew and one grown
    further, in ``optimizations`` passes.

    Parameters
    ----------
    optimizations : int, default=2
        Passes of optimisation.
    folds : int, default=3
        One part of so many prunes, the others grow.
    prune : bool, default=True
        Without pruning all rows grow the rules, and there is no optimisation.
    check_error : bool, default=True
        Stop at a rule that is wrong for half of the rows it covers or more.
    min_positive : float, default=2
        Weight of the class that every condition must leave covered.
    mdl_slack : float, default=64
        Bits above the shortest description so far at which a class gets no more rules.
    max_rules, max_conditions : int, optional
        Most rules of a class, most conditions of a rule.
    negation : bool, default=False
        Whether ``column != value`` may be a condition.
    value_sets : bool, default=False
        Whether ``column IN {a, b}`` may be a condition.
    forbid : list of str, optional
        Columns no rule may test (``"race"``), or kinds of test (``"income <="``).
    require : list of str, optional
        Conditions every rule starts with (``"age > 18"``), or columns every rule tests.
    monotone : dict, optional
        Column to +1 or -1: the second of two classes may only become likelier as the value grows (shrinks).
    resolution : {"first", "vote", "specific", "quality"}, default="first"
        Which rule counts when several fire.
    smoothing : {"none", "laplace", "m-estimate"}, default="laplace"
        How covered counts become probabilities; ``m`` is the weight of the prior in the m-estimate.
    m : float, default=2
    class_weight : dict or "balanced", optional
    random_state : int, RandomState or None, default=0
        Splits the rows into growing and pruning parts. The default is fixed, so that a fit can be repeated.
    n_jobs : int, optional

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
        **RuleLearner._parameter_constraints,
        "optimizations": [Interval(Integral, 0, None, closed="left")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "prune": ["boolean"],
        "check_error": ["boolean"],
        "min_positive": [Interval(Real, 0, None, closed="left")],
        "mdl_slack": [Interval(Real, 0, None, closed="left")],
        "value_sets": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        optimizations: int = 2,
        folds: int = 3,
        prune: bool = True,
        check_error: bool = True,
        min_positive: float = 2.0,
        mdl_slack: float = 64.0,
        max_rules: int | None = None,
        max_conditions: int | None = None,
        negation: bool = False,
        value_sets: bool = False,
        forbid: Sequence[str] | None = None,
        require: Sequence[str] | None = None,
        monotone: Mapping[str, int] | None = None,
        resolution: str = "first",
        smoothing: str = "laplace",
        m: float = 2.0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.optimizations = optimizations
        self.folds = folds
        self.prune = prune
        self.check_error = check_error
        self.min_positive = min_positive
        self.mdl_slack = mdl_slack
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.negation = negation
        self.value_sets = value_sets
        self.forbid = forbid
        self.require = require
        self.monotone = monotone
        self.resolution = resolution
        self.smoothing = smoothing
        self.m = m
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

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
