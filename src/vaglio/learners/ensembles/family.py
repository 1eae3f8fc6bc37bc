"""Bagging, AdaBoost and voting: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.ensembles.model import Ensemble, Voting

    return {"ensemble": Ensemble, "voting": Voting}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.explain import explain_ensemble, explain_voting

    return {"ensemble": explain_ensemble, "voting": explain_voting}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.explain import cuts_of_members, cuts_of_voters

    return {"voting": cuts_of_voters, "ensemble": cuts_of_members}


def _leaves() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.explain import leaves_of_members

    return {"ensemble": leaves_of_members}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.export import EXPORTERS

    return EXPORTERS


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.export import compile_members

    return {"ensemble": compile_members, "voting": compile_members}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.chapter import ensemble_parts, voting_parts

    return {"ensemble": ensemble_parts, "voting": voting_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.trace import trace_adaboost, trace_bagging, trace_voting

    return {"adaboost": trace_adaboost, "bagging": trace_bagging, "voting": trace_voting}


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.trace_numbers import (
        trace_adaboost_numbers,
        trace_bagging_numbers,
        trace_voting_numbers,
    )

    return {
        "bagging": trace_bagging_numbers,
        "adaboost": trace_adaboost_numbers,
        "voting": trace_voting_numbers,
    }


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.ensembles.trace import animate_adaboost
    from vaglio.learners.forest.trace import animate_members

    return {"adaboost": animate_adaboost, "bagging": animate_members}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.ensembles.estimators.adaboost import AdaBoostClassifier
    from vaglio.learners.ensembles.estimators.bagging import BaggingClassifier
    from vaglio.learners.ensembles.estimators.voting import VotingClassifier

    return {"bagging": BaggingClassifier, "adaboost": AdaBoostClassifier, "voting": VotingClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.ensembles.estimators.adaboost_regressor import AdaBoostRegressor
    from vaglio.learners.ensembles.estimators.bagging import BaggingRegressor
    from vaglio.learners.ensembles.estimators.voting import VotingRegressor

    return {"bagging": BaggingRegressor, "adaboost": AdaBoostRegressor, "voting": VotingRegressor}


FAMILY = Family(
    name="ensembles",
    kinds=(
        Kind("ensemble", missing=text("treated by each member in its own way"), cost=10, text=True),
        Kind("voting", missing=text("treated by each member in its own way"), cost=10, text=True),
    ),
    learners=(
        Learner(
            "bagging",
            "ensemble",
            _estimators,
            text("bagging: decision trees on bootstrap samples, by vote"),
            {"n_estimators": [25, 50, 100], "max_features": [0.5, 1.0]},
            textbook={
                "voting": Choice(
                    "hard", text("Every member votes for one class; the default averages their probabilities.")
                ),
            },
            name="bagging",
            when=text("To reduce the variance of trees."),
        ),
        Learner(
            "adaboost",
            "ensemble",
            _estimators,
            text("AdaBoost: small trees in sequence, each with more weight on rows the earlier ones predicted wrong"),
            {"max_depth": [1, 2, 3, 5], "n_estimators": [50, 100, 200], "learning_rate": [0.3, 1.0]},
            textbook={
                "sampling": Choice(
                    "resample", text("Each round draws rows by their weights; the default trains with the weights.")
                ),
                "max_resets": Choice(
                    0, text("An error above one half resets the weights and ends; the default draws again.")
                ),
            },
            # A stump loses ten points where there are many classes; shares of votes are near each other.
            settings={"max_depth": 3, "calibrate": "temperature"},
            name="AdaBoost",
            when=text("Tables with little label noise."),
        ),
        Learner(
            "voting",
            "voting",
            _estimators,
            text("vote of different learners: by majority or mean probability, each with its weight"),
            {"voting": ["hard", "soft"]},
            name=text("voting"),
            when=text("To combine good but different learners."),
        ),
        Learner(
            "bagging",
            "ensemble",
            _regressors,
            text("bagging: decision trees on bootstrap samples, by mean"),
            {"n_estimators": [25, 50, 100], "max_features": [0.5, 1.0]},
            name="bagging",
            when=text("To reduce the variance of trees."),
            task="regression",
        ),
        Learner(
            "adaboost",
            "ensemble",
            _regressors,
            text("AdaBoost.R2: small trees in sequence, each trained more on rows the earlier ones predicted badly"),
            {"max_depth": [2, 3, 5, 8], "n_estimators": [50, 100, 200], "loss": ["linear", "square", "exponential"]},
            name="AdaBoost.R2",
            when=text("Tables with few outliers in the target."),
            task="regression",
        ),
        Learner(
            "voting",
            "voting",
            _regressors,
            text("mean of different learners, each with its weight"),
            name=text("mean of learners"),
            when=text("To combine good but different learners."),
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
    stepwise=("adaboost",),
)
