"""Gradient boosting: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.boosting.model import Boosted

    return {"boosted": Boosted}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.boosting.explain import explain_boosted

    return {"boosted": explain_boosted}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.boosting.explain import cuts_of_boosted

    return {"boosted": cuts_of_boosted}


def _leaves() -> Mapping[str, Any]:
    from vaglio.learners.boosting.explain import leaves_of_boosted

    return {"boosted": leaves_of_boosted}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.boosting.export import EXPORTERS

    return EXPORTERS


def _formats() -> Mapping[str, Any]:
    from vaglio.learners.boosting.export import boosted_formats

    return {"boosted": boosted_formats}


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.boosting.export import compile_boosted

    return {"boosted": compile_boosted}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.boosting.chapter import boosted_parts

    return {"boosted": boosted_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.boosting.trace import trace_gradient_boosting

    return {"gradient-boosting": trace_gradient_boosting}


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.boosting.trace import trace_boosted_numbers

    return {"gradient-boosting": trace_boosted_numbers}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.boosting.trace import animate_gradient_boosting

    return {"gradient-boosting": animate_gradient_boosting}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.boosting.estimators.gradient_boosting import HistGradientBoostingClassifier

    return {"gradient-boosting": HistGradientBoostingClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.boosting.estimators.gradient_boosting import HistGradientBoostingRegressor

    return {"gradient-boosting": HistGradientBoostingRegressor}


def _quantile(share: float) -> dict[str, Any]:
    return {"loss": "quantile", "quantile": share}


# Rounds that can be followed by hand.
_BY_HAND = {
    "learning_rate": Choice(0.3, text("Few large steps: every round can be followed by hand.")),
    "max_iter": Choice(10, text("Ten rounds; the default goes on until rows set aside gain no more.")),
    "max_leaf_nodes": Choice(4, text("Small trees, whose leaves can be computed by hand.")),
    "min_samples_leaf": Choice(2, text("The tables of a textbook have few rows.")),
    "max_features": Choice(1.0, text("Every split may use every column; the default draws some.")),
    "subsample": Choice(1.0, text("Every tree sees every row; the default draws some.")),
    "early_stopping": Choice(False, text("No rows are set aside to decide when to stop.")),
}

FAMILY = Family(
    name="boosting",
    kinds=(Kind("boosted", missing=text("each tree sends them down a branch of its own choice"), cost=4),),
    learners=(
        Learner(
            "gradient-boosting",
            "boosted",
            _estimators,
            text("gradient boosting: small trees in sequence, each fitted to what the earlier ones leave over"),
            {
                "learning_rate": [0.03, 0.05, 0.1],
                "max_leaf_nodes": [4, 8, 16, 31],
                "min_samples_leaf": [5, 20, 50],
                "l2_regularization": [0.0, 1.0, 10.0],
                "max_features": [0.3, 1.0],
                "subsample": [0.5, 0.7, 1.0],
            },
            textbook=_BY_HAND,
            name="gradient boosting",
            when=text("Often the most accurate on tables, including large ones."),
        ),
        Learner(
            "gradient-boosting",
            "boosted",
            _regressors,
            text("gradient boosting: small trees in sequence, each fitted to what the earlier ones leave over"),
            {"learning_rate": [0.03, 0.05, 0.1], "max_leaf_nodes": [4, 8, 16, 31], "min_samples_leaf": [5, 20, 50]},
            textbook=_BY_HAND,
            name="gradient boosting",
            when=text("Often the most accurate on tables, including large ones."),
            task="regression",
            quantile=_quantile,
        ),
    ),
    models=_models,
    explain=_explain,
    cuts=_cuts,
    leaves=_leaves,
    export=_export,
    formats=_formats,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
    trace_numbers=_trace_numbers,
    animate=_animate,
    stepwise=("gradient-boosting",),
)
