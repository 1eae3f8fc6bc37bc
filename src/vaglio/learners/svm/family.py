"""Support vector machines: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.learners.linear.family import AT_ITS_MEAN
from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.svm.model import SVMModel

    return {"svm": SVMModel}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.svm.explain import explain_svm

    return {"svm": explain_svm}


def _counterfactual() -> Mapping[str, Any]:
    from vaglio.learners.svm.explain import change_by_search

    return {"svm": change_by_search}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.svm.export import EXPORTERS

    return EXPORTERS


def _coefficients() -> Mapping[str, Any]:
    from vaglio.learners.svm.export import sides_of_machines

    return {"svm": sides_of_machines}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.svm.chapter import svm_parts

    return {"svm": svm_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.svm.trace import trace_svm

    return {"svm": trace_svm}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.svm.trace import animate_svm

    return {"svm": animate_svm}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.svm.estimators.svc import SVC

    return {"svm": SVC}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.svm.estimators.svr import SVR

    return {"svm": SVR}


FAMILY = Family(
    name="svm",
    kinds=(
        # A support vector machine compares a row with stored rows: the cost grows with their number.
        Kind("svm", missing=AT_ITS_MEAN, cost=30, sparse=True),
    ),
    learners=(
        Learner(
            "svm",
            "svm",
            _estimators,
            text("support vector machine: the widest margin between classes, in the space of a kernel"),
            {"C": [0.1, 1.0, 10.0, 100.0], "kernel": ["linear", "rbf"], "gamma": ["scale", 0.01, 0.1]},
            textbook={
                "kernel": Choice("poly", text("The kernel is polynomial, (x·z + 1)^h; the default is Gaussian.")),
                "degree": Choice(2, text("h = 2, the smallest that bends the boundary; the default is 3.")),
                "coef0": Choice(1.0, text("1 is added to x·z, so that lower powers count too; the default adds 0.")),
                "gamma": Choice(1.0, text("x·z is not scaled; the default divides it by the variance of the columns.")),
            },
            name=text("support vector machine"),
            when=text("Numbers with a clear margin, up to some ten thousand rows."),
        ),
        Learner(
            "svm",
            "svm",
            _regressors,
            text("support vector regression: the flattest function within a tube around the rows, in a kernel's space"),
            {"C": [0.1, 1.0, 10.0, 100.0], "epsilon": [0.01, 0.1, 0.5], "gamma": ["scale", 0.01, 0.1]},
            name=text("support vector regression"),
            when=text("Smooth functions of numbers, up to some ten thousand rows."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    counterfactual=_counterfactual,
    export=_export,
    coefficients=_coefficients,
    chapter=_chapter,
    trace=_trace,
    animate=_animate,
)
