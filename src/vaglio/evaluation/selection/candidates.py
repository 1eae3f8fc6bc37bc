"""From ids, estimators or pairs of name and estimator to candidates with their search spaces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from vaglio.errors import InputError, as_own_errors
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier, costs_of, for_unit_cost
from vaglio.evaluation.predictions import task_of_model
from vaglio.learners import registry
from vaglio.learners.parameter_text import learner_from_words, learner_settings
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.model.families import Task
from vaglio.typing import Learners

if TYPE_CHECKING:
    from vaglio.evaluation.rows import Rows

__all__ = ["Candidate", "costs_and_rows", "resolve_learners", "task_asked", "with_costs"]


@dataclass(frozen=True)
class Candidate:
    """A learner to try, and the parameters to try it with."""

    name: str
    estimator: Any
    space: Mapping[str, list[Any]] = field(default_factory=dict)

    def make(self, params: Mapping[str, Any]) -> Any:
        """A fresh estimator with these parameters."""
        return clone(self.estimator).set_params(**params)

    def for_classes(self) -> Candidate:
        """The same for predicting classes alone: calibration changes none of them, and takes most of the time."""
        if "calibrate" not in self.estimator.get_params(deep=False):
            return self
        return replace(self, estimator=clone(self.estimator).set_params(calibrate=None))


def task_asked(task: str, learners: Learners) -> tuple[str, Task | None]:
    """Return the task that is asked, and the only one that the learners can do, if there is one.

    An estimator asks for its own task. Ids may serve both; then the target decides.

    Parameters
    ----------
    task : {"auto", "classification", "regression"}
    learners : as in :func:`resolve_learners`

    Examples
    --------
    >>> task_asked("auto", ["cart", "c45"]), task_asked("auto", ["cart"])
    (('auto', 'classification'), ('auto', None))
    """
    if learners is None or getattr(learners, "ndim", 1) == 0:
        return task, None
    given: Any = [learners] if isinstance(learners, (str, BaseEstimator)) else learners
    listed = list(given.values() if isinstance(given, Mapping) else given) if isinstance(given, Iterable) else []
    able: set[Task] = {"classification", "regression"}
    for learner in listed:
        known = learner[0] if isinstance(learner, tuple) and learner else learner
        if isinstance(known, str):
            able &= set(registry.tasks_of(known.partition(":")[0])) or able
        elif hasattr(known, "fit"):
            task = task_of_model(known) if task == "auto" else task
    return task, able.pop() if len(able) == 1 else None


def resolve_learners(learners: Learners, *, seed: int = 0, task: Task = "classification") -> list[Candidate]:
    """Candidates from ids, estimators, or a mapping of names to either (or to (estimator, search space)).

    None means every learner of the registry for this task. An estimator whose ``random_state`` is None gets the seed.
    An id may have settings: "c45:max_depth=3".

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> resolve_learners({"bayes": (GaussianNB(), {"var_smoothing": [1e-9, 1e-3]})})[0].name
    'bayes'
    """
    if learners is None:
        learners = list(registry.learners_of(task))
    if isinstance(learners, (str, BaseEstimator)):
        learners = [learners]
    if not isinstance(learners, Iterable) or getattr(learners, "ndim", 1) == 0:
        raise InputError(
            "wrong-learners",
            "learners is {learners!r}; pass ids, estimators or a mapping of names to them.",
            learners=learners,
        )
    pairs = learners.items() if isinstance(learners, Mapping) else ((None, learner) for learner in learners)
    found: dict[str, Candidate] = {}
    for name, learner in pairs:
        candidate = _resolve(name, learner, seed, task)
        name = _unused(candidate.name, found)
        found[name] = Candidate(name, candidate.estimator, candidate.space)
    if not found:
        raise InputError("no-learners-given", "There is no learner to try.")
    return list(found.values())


def _resolve(name: str | None, learner: Any, seed: int, task: Task) -> Candidate:
    space: Mapping[str, list[Any]] | None = None
    if isinstance(learner, tuple) and len(learner) == 2:
        learner, space = learner
    if isinstance(learner, str):
        learner_id, given = learner_settings(learner)
        entry, name = registry.find(learner_id, task), name or learner
        learner = learner_from_words(entry.id, given, seed, None, task=task) if given else entry.make()
        space = {key: values for key, values in entry.search_space.items() if key not in given} if given else space
    if not (hasattr(learner, "fit") and hasattr(learner, "get_params")) or isinstance(learner, type):
        raise InputError("not-a-learner", "{learner!r} is neither a learner id nor an estimator.", learner=learner)
    if task_of_model(learner) != task:
        raise InputError(
            "learner-of-other-task",
            "{learner} is a learner for {own}, and this is {task}. Learners of one task are tried together.",
            learner=type(learner).__name__,
            own=task_of_model(learner),
            task=task,
        )
    own_id, known = getattr(learner, "_learner_id", ""), registry.learners_of(task)
    if space is None:
        space = known[own_id].search_space if own_id in known else {}
    if "random_state" in (params := learner.get_params(deep=False)) and params["random_state"] is None:
        learner = clone(learner).set_params(random_state=seed)
    return Candidate(name or own_id or type(learner).__name__, learner, space)


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    if name not in taken:
        return name
    return next(f"{name} {i}" for i in range(2, len(taken) + 3) if f"{name} {i}" not in taken)


def costs_and_rows(cost: Any, rows: Rows) -> tuple[CostMatrix | UnitCost | None, Rows]:
    """Return the costs of errors; costs that are given by row become weights of the rows instead.

    Parameters
    ----------
    cost : as in :func:`vaglio.select`
    rows : Rows
    """
    if cost is not None and not isinstance(cost, (CostMatrix, UnitCost, Mapping, str, os.PathLike)):
        with as_own_errors():  # ragged lists
            cost = np.asarray(cost)
        if cost.ndim == 1:
            return None, rows.with_weights(cost)
    return costs_of(cost, rows), rows


def with_costs(candidates: Sequence[Candidate], cost: CostMatrix | UnitCost) -> list[Candidate]:
    """Return the candidates so that they learn and decide by the costs.

    Parameters
    ----------
    candidates : sequence of Candidate
    cost : CostMatrix or UnitCost
    """
    alone = len(candidates) == 1
    return [_cost_sensitive(candidate, cost, alone) for candidate in candidates]


def _cost_sensitive(candidate: Candidate, cost: CostMatrix | UnitCost, alone: bool) -> Candidate:
    if isinstance(cost, UnitCost):
        return replace(candidate, estimator=for_unit_cost(clone(candidate.estimator), cost, tell=alone))
    space = {f"estimator__{key}": values for key, values in candidate.space.items()}
    return Candidate(candidate.name, CostSensitiveClassifier(candidate.estimator, cost), space)
