"""Class means: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaglio.model.families import Family, Kind, Learner


def _models() -> Mapping[str, Any]:
    from .model import MeanModel

    return {"nearest-mean": MeanModel}


def _estimators() -> Mapping[str, type]:
    from .estimators import NearestMeanClassifier

    return {"nearest-mean": NearestMeanClassifier}


def _explain() -> Mapping[str, Any]:
    from .explain import explain_mean

    return {"nearest-mean": explain_mean}


def _formats() -> Mapping[str, Any]:
    from .export import mean_formats

    return {"nearest-mean": mean_formats}


def _chapter() -> Mapping[str, Any]:
    from .chapter import mean_parts

    return {"nearest-mean": mean_parts}


def _trace() -> Mapping[str, Any]:
    from .trace import trace_mean

    return {"nearest-mean": trace_mean}


FAMILY = Family(
    name="means",
    kinds=(Kind("nearest-mean", missing="left out", readable=True),),
    learners=(Learner("nearest-mean", "nearest-mean", _estimators, "nearest class mean", {"centre": [True, False]}),),
    models=_models,
    explain=_explain,
    formats=_formats,
    chapter=_chapter,
    trace=_trace,
)
