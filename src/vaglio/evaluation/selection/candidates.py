"""From ids, estimators or pairs of name and estimator to candidates with their search spaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import BaseEstimator, clone

from vaglio.errors import InputError
from vaglio.learners import registry
from vaglio.learners.parameter_text import learner_from_words, learner_settings
from vaglio.typing import Learners

__all__ = ["Candidate", "resolve_learners"]


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


def resolve_learners(learners: Learners, *, seed: int = 0) -> list[Candidate]:
    """Candidates from ids, estimators, or a mapping of names to either (or to (estimator, search space)).

    None means every learner of the registry. An estimator whose ``random_state`` is None gets the seed. An id may have
    settings: "c45:max_depth=3".

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> resolve_learners({"bayes": (GaussianNB(), {"var_smoothing": [1e-9, 1e-3]})})[0].name
    'bayes'
    """
    if learners is None:
        learners = list(registry.LEARNERS)
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
        candidate = _resolve(name, learner, seed)
        name = _unused(candidate.name, found)
        found[name] = Candidate(name, candidate.estimator, candidate.space)
    if not found:
        raise InputError("no-learners-given", "There is no learner to try.")
    return list(found.values())


def _resolve(name: str | None, learner: Any, seed: int) -> Candidate:
    space: Mapping[str, list[Any]] | None = None
    if isinstance(learner, tuple) and len(learner) == 2:
        learner, space = learner
    if isinstance(learner, str):
        learner_id, given = learner_settings(learner)
        entry, name = registry.find(learner_id), name or learner
        learner = learner_from_words(entry.id, given, seed, None) if given else entry.make()
        space = {key: values for key, values in entry.search_space.items() if key not in given} if given else space
    if not (hasattr(learner, "fit") and hasattr(learner, "get_params")) or isinstance(learner, type):
        raise InputError("not-a-learner", "{learner!r} is neither a learner id nor an estimator.", learner=learner)
    own_id = getattr(learner, "_learner_id", None)
    if space is None:
        space = registry.LEARNERS[own_id].search_space if own_id in registry.LEARNERS else {}
    if "random_state" in (params := learner.get_params(deep=False)) and params["random_state"] is None:
        learner = clone(learner).set_params(random_state=seed)
    return Candidate(name or own_id or type(learner).__name__, learner, space)


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    if name not in taken:
        return name
    return next(f"{name} {i}" for i in range(2, len(taken) + 3) if f"{name} {i}" not in taken)
