"""Additive models: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.additive.model.additive import Additive

    return {"additive": Additive}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.additive.explain import explain_additive

    return {"additive": explain_additive}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.additive.explain import cuts_of_additive

    return {"additive": cuts_of_additive}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.additive.export import EXPORTERS

    return EXPORTERS


def _formats() -> Mapping[str, Any]:
    from vaglio.learners.additive.export import additive_formats

    return {"additive": additive_formats}


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.additive.export import compile_additive

    return {"additive": compile_additive}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.additive.chapter import additive_parts

    return {"additive": additive_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.additive.trace import trace_additive

    return {"additive": trace_additive}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.additive.estimators.additive import ExplainableBoostingClassifier

    return {"additive": ExplainableBoostingClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.additive.estimators.additive import ExplainableBoostingRegressor

    return {"additive": ExplainableBoostingRegressor}


FAMILY = Family(
    name="additive",
    kinds=(Kind("additive", missing=text("each term has a score for missing values"), readable=True),),
    learners=(
        Learner(
            "additive",
            "additive",
            _estimators,
            text("additive model: one table of scores per column and pair of columns, boosted in small steps"),
            {
                "learning_rate": [0.02, 0.05, 0.1],
                "max_leaves": [2, 3, 5],
                "min_samples_leaf": [2, 4, 20],
                "interactions": [0, "1x", "3x"],
            },
            name=text("additive model (explainable boosting)"),
            when=text("Nearly as accurate as boosting, and the effect of every column is visible."),
        ),
        Learner(
            "additive",
            "additive",
            _regressors,
            text("additive model: one table of scores per column and pair of columns, boosted in small steps"),
            {"max_leaves": [2, 3, 5], "interactions": [0, "1x", "3x"]},
            name=text("additive model (explainable boosting)"),
            when=text("Nearly as accurate as boosting, and the effect of every column is visible."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    cuts=_cuts,
    export=_export,
    formats=_formats,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
)
