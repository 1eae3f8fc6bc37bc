"""Random forests: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.forest.model.forest import Forest

    return {"forest": Forest}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.forest.explain import explain_forest

    return {"forest": explain_forest}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.forest.explain import cuts_of_forest

    return {"forest": cuts_of_forest}


def _leaves() -> Mapping[str, Any]:
    from vaglio.learners.forest.explain import leaves_of_forest

    return {"forest": leaves_of_forest}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.forest.export import EXPORTERS

    return EXPORTERS


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.forest.export import compile_forest

    return {"forest": compile_forest}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.forest.chapter import forest_parts

    return {"forest": forest_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.forest.trace import trace_random_forest

    return {"random-forest": trace_random_forest}


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.forest.trace import trace_random_forest

    return {"random-forest": trace_random_forest}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.forest.trace import animate_members

    return {"random-forest": animate_members}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier

    return {"random-forest": RandomForestClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.forest.estimators.random_forest import RandomForestRegressor

    return {"random-forest": RandomForestRegressor}


FAMILY = Family(
    name="forest",
    kinds=(Kind("forest", missing=text("each tree sends them down a branch of its own choice"), cost=4),),
    learners=(
        Learner(
            "random-forest",
            "forest",
            _estimators,
            text("random forest: fully grown trees, random columns at every split"),
            {"max_features": ["sqrt", "log2", "third"], "min_samples_leaf": [1, 3, 5]},
            textbook={
                "voting": Choice(
                    "hard", text("Every tree votes for one class; the default averages the probabilities of the trees.")
                ),
                "features_per_tree": Choice(
                    "sqrt",
                    text("Columns are drawn once for each tree; the default draws them anew at every split."),
                ),
                "max_features": Choice(None, text("A split may use all columns of its tree; the default draws some.")),
            },
            name=text("random forest"),
            when=text("Accurate on most tables without tuning."),
        ),
        Learner(
            "random-forest",
            "forest",
            _regressors,
            text("random forest: the mean of fully grown trees, random columns at every split"),
            {"max_features": ["third", "two_thirds", 1.0], "min_samples_leaf": [1, 3, 5]},
            name=text("random forest"),
            when=text("Accurate on most tables without tuning."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    cuts=_cuts,
    leaves=_leaves,
    export=_export,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
    trace_numbers=_trace_numbers,
    animate=_animate,
)
