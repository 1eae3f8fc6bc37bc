"""Nearest neighbours: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.neighbors.model import Neighbors

    return {"neighbors": Neighbors}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.explain import explain_neighbors

    return {"neighbors": explain_neighbors}


def _counterfactual() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.explain import change_toward_a_neighbor

    return {"neighbors": change_toward_a_neighbor}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.export import EXPORTERS

    return EXPORTERS


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.chapter import neighbor_parts

    return {"neighbors": neighbor_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.trace import trace_knn

    return {"knn": trace_knn}


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.trace import trace_knn

    return {"knn": trace_knn}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.neighbors.trace import animate_neighbors

    return {"knn": animate_neighbors}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.neighbors.estimators import KNeighborsClassifier

    return {"knn": KNeighborsClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.neighbors.estimators import KNeighborsRegressor

    return {"knn": KNeighborsRegressor}


FAMILY = Family(
    name="neighbors",
    kinds=(Kind("neighbors", missing=text("counted as the largest distance"), cost=100),),
    learners=(
        Learner(
            "knn",
            "neighbors",
            _estimators,
            text("k nearest neighbours: the most similar training rows vote; numbers, categories and missing values"),
            {"weights": ["uniform", "distance", "squared_distance"], "p": [1, 2]},
            settings={"n_neighbors": "cv"},  # a few rows or many: tables differ more in this than in anything else
            name=text("k nearest neighbours"),
            when=text("When similar rows have the same class. Training is instant, prediction searches all rows."),
        ),
        Learner(
            "knn",
            "neighbors",
            _regressors,
            text("k nearest neighbours: the mean of the most similar training rows"),
            {"weights": ["uniform", "distance", "squared_distance"], "p": [1, 2]},
            settings={"n_neighbors": "cv"},
            name=text("k nearest neighbours"),
            when=text("When similar rows have similar numbers. Training is instant, prediction searches all rows."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    counterfactual=_counterfactual,
    export=_export,
    chapter=_chapter,
    trace=_trace,
    trace_numbers=_trace_numbers,
    animate=_animate,
)
