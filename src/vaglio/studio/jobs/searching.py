"""Search parameters, or choose among learners: rows that evaluate the choice take no part in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vaglio.evaluation import select
from vaglio.evaluation.selection.selection_result import Selection
from vaglio.learners.registry import LEARNERS
from vaglio.table import Table

__all__ = ["INNER_FOLDS", "found_params", "search", "search_space", "selection_options", "trainings"]

# Folds in which settings are compared: half the time of ten, and the choice is rarely another.
INNER_FOLDS = 5


def search_space(learner_id: str, typed: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return what is tried: the space of the learner without what was typed, which stays as it is.

    >>> search_space("knn", {"p": "1"})
    {'weights': ['uniform', 'distance', 'squared_distance']}
    """
    settled = {name.replace("-", "_") for name in typed}
    return {name: values for name, values in LEARNERS[learner_id].search_space.items() if name not in settled}


def selection_options(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return how :func:`vaglio.select` is called for a request: nested in folds, or with rows kept apart."""
    way = data["way"]
    options: dict[str, Any] = {
        "strategy": way["strategy"],
        "search": "random",
        "n_iter": int(way["n_iter"]),
        "folds": INNER_FOLDS,
        "seed": int(data.get("seed", 0)),
    }
    if data.get("folds"):
        return options | {"outer_folds": int(data["folds"])}
    return options | {"test_size": float(data["holdout"])}


def trainings(data: Mapping[str, Any]) -> int:
    """Return how often a learner is trained: its settings in every inner fold, and all of that in every outer one."""
    inner = INNER_FOLDS if data["way"]["strategy"] == "cross-validation" else 1
    return (int(data["way"]["n_iter"]) + 1) * inner * (int(data.get("folds") or 0) + 1)


def search(
    learners: Mapping[str, Any],
    typed: Mapping[str, Mapping[str, str]],
    rows: tuple[Table, Any],
    data: Mapping[str, Any],
    cost: Any,
    progress: Callable[[int, int, str], None],
) -> Selection:
    """Try the learners with their settings, and choose one.

    Parameters
    ----------
    learners : mapping
        Id -> estimator.
    typed : mapping
        Id -> parameters as typed, which are not searched.
    rows : tuple
        Inputs and classes.
    data : mapping
        The request.
    cost : mapping or None
    progress : callable
    """
    candidates = {name: (estimator, search_space(name, typed[name])) for name, estimator in learners.items()}
    # One process: the learners themselves use all processors, and cancelling ends them all.
    return select(*rows, learners=candidates, cost=cost, n_jobs=1, progress=progress, **selection_options(data))


def found_params(selection: Selection) -> dict[str, str]:
    """Return the parameters that were found, as a form has them."""
    return {name.removeprefix("estimator__"): repr(value) for name, value in selection.best.params.items()}
