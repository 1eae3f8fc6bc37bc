"""Bayesian classifiers: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]

_TABLES = text("its tables of probabilities have no common form outside vaglio")


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.bayes.model.bayes_net import BayesNetModel
    from vaglio.learners.bayes.model.count_bayes import BernoulliModel, MultinomialModel
    from vaglio.learners.bayes.model.gaussian_mixture import GaussianMixtureModel
    from vaglio.learners.bayes.model.joint_bayes import JointBayesModel
    from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel

    return {
        "naive-bayes": NaiveBayesModel,
        "gaussian-mixture": GaussianMixtureModel,
        "joint-bayes": JointBayesModel,
        "bayes-net": BayesNetModel,
        "multinomial-nb": MultinomialModel,
        "bernoulli-nb": BernoulliModel,
    }


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.bayes.explain import (
        explain_counts,
        explain_densities,
        explain_joint_table,
        explain_naive_bayes,
        explain_network,
    )

    return {
        "multinomial-nb": explain_counts,
        "bernoulli-nb": explain_counts,
        "naive-bayes": explain_naive_bayes,
        "gaussian-mixture": explain_densities,
        "bayes-net": explain_network,
        "joint-bayes": explain_joint_table,
    }


def _export() -> Mapping[str, Any]:
    from vaglio.learners.bayes.export import EXPORTERS

    return EXPORTERS


def _formats() -> Mapping[str, Any]:
    from vaglio.learners.bayes.export import network_formats

    return {"bayes-net": network_formats}


def _show() -> Mapping[str, Any]:
    from vaglio.learners.bayes.export import show_network

    return {"bayes-net": show_network}


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.bayes.export import compile_naive_bayes

    return {"naive-bayes": compile_naive_bayes}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.bayes.chapter import (
        bayes_parts,
        bernoulli_parts,
        joint_parts,
        mixture_parts,
        multinomial_parts,
        network_parts,
    )

    return {
        "naive-bayes": bayes_parts,
        "bayes-net": network_parts,
        "gaussian-mixture": mixture_parts,
        "multinomial-nb": multinomial_parts,
        "bernoulli-nb": bernoulli_parts,
        "joint-bayes": joint_parts,
    }


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.bayes.trace.cells import trace_bayes_net, trace_joint_bayes
    from vaglio.learners.bayes.trace.count_bayes import trace_bernoulli_nb, trace_multinomial_nb
    from vaglio.learners.bayes.trace.gaussians import trace_gaussian_map, trace_gaussian_mixture
    from vaglio.learners.bayes.trace.naive_bayes import trace_naive_bayes

    return {
        "bayes-net": trace_bayes_net,
        "multinomial-nb": trace_multinomial_nb,
        "bernoulli-nb": trace_bernoulli_nb,
        "gaussian-map": trace_gaussian_map,
        "gaussian-mixture": trace_gaussian_mixture,
        "joint-bayes": trace_joint_bayes,
        "naive-bayes": trace_naive_bayes,
    }


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.bayes.trace.gaussians import animate_bayes

    return {"naive-bayes": animate_bayes, "gaussian-map": animate_bayes, "gaussian-mixture": animate_bayes}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.bayes.estimators.bayes_net import BayesianNetworkClassifier
    from vaglio.learners.bayes.estimators.count_bayes import BernoulliNB, MultinomialNB
    from vaglio.learners.bayes.estimators.gaussians import GaussianMAPClassifier, GaussianMixtureClassifier
    from vaglio.learners.bayes.estimators.joint_bayes import JointBayesClassifier
    from vaglio.learners.bayes.estimators.naive_bayes import NaiveBayesClassifier

    return {
        "naive-bayes": NaiveBayesClassifier,
        "multinomial-nb": MultinomialNB,
        "bernoulli-nb": BernoulliNB,
        "gaussian-map": GaussianMAPClassifier,
        "gaussian-mixture": GaussianMixtureClassifier,
        "joint-bayes": JointBayesClassifier,
        "bayes-net": BayesianNetworkClassifier,
    }


FAMILY = Family(
    name="bayes",
    kinds=(
        Kind("naive-bayes", missing=text("not used"), readable=True, text=True),
        Kind("gaussian-mixture", missing=text("not used"), text=True),
        Kind("joint-bayes", missing=text("summed over all values"), readable=True, cost=4, without={"export": _TABLES}),
        Kind("bayes-net", missing=text("not used")),
        Kind("multinomial-nb", missing=text("counted as 0"), sparse=True, text=True, without={"export": _TABLES}),
        Kind("bernoulli-nb", missing=text("not used"), sparse=True, text=True, without={"export": _TABLES}),
    ),
    learners=(
        Learner(
            "naive-bayes",
            "naive-bayes",
            _estimators,
            text("naive Bayes for mixed tables: frequencies, densities or intervals, multiplied as if independent"),
            {"likelihood": ["auto", "gaussian", "kde"], "alpha": [0.1, 0.5, 1.0, 2.0]},
            textbook={
                "likelihood": Choice(
                    "gaussian", text("Numbers follow a Gaussian in every class; the default chooses by the rows.")
                ),
                "var_smoothing": Choice(
                    0.0, text("Variances as the rows have them; the default draws those of few rows to the common one.")
                ),
                "alpha": Choice(1.0, text("Laplace: one is added to every count; the command line adds a half.")),
                "high_cardinality": Choice(
                    None, text("Plain Laplace at every arity; the default corrects columns of many values for chance.")
                ),
            },
            settings={"alpha": 0.5},  # Jeffreys' prior; Laplace's 1 draws small tables too far towards equal shares
            name="naive Bayes",
            when=text("A first model for any table: fast, handles missing values, needs few rows."),
        ),
        Learner(
            "multinomial-nb",
            "multinomial-nb",
            _estimators,
            text("multinomial naive Bayes for counts and text: the words of a class follow one distribution"),
            {"alpha": [0.01, 0.1, 0.5, 1.0, 2.0]},
            counts_words=True,
            name=text("multinomial naive Bayes"),
            when=text("Text and counts."),
        ),
        Learner(
            "bernoulli-nb",
            "bernoulli-nb",
            _estimators,
            text("Bernoulli naive Bayes for presence and absence: an absent word counts as evidence too"),
            {"alpha": [0.01, 0.1, 0.5, 1.0, 2.0]},
            counts_words=True,
            name=text("Bernoulli naive Bayes"),
            when=text("Short texts and yes/no columns."),
        ),
        Learner(
            "gaussian-map",
            "gaussian-mixture",
            _estimators,
            text("one multivariate Gaussian per class: quadratic, or linear when all share one covariance"),
            {"covariance": ["full", "diagonal", "tied", "shrunk"]},
            name=text("MAP classifier with Gaussian densities"),
            when=text("Numbers that follow one Gaussian per class."),
        ),
        Learner(
            "gaussian-mixture",
            "gaussian-mixture",
            _estimators,
            text("several Gaussians per class, their number chosen by the Bayesian information criterion"),
            {"max_components": [1, 3, 5, 10], "covariance_type": ["full", "diag"]},
            name=text("Gaussian mixtures"),
            when=text("Numbers that form several clusters per class."),
        ),
        Learner(
            "joint-bayes",
            "joint-bayes",
            _estimators,
            text("one table per class over all combinations of values: exact, and only for few columns"),
            {"alpha": [0.01, 0.1, 1.0]},
            name=text("MAP classifier with a joint table"),
            when=text("Very few columns with few values, and many rows."),
        ),
        Learner(
            "bayes-net",
            "bayes-net",
            _estimators,
            text(
                "Bayesian network: naive Bayes in which columns may depend on each other (tree-augmented, k-dependence)"
            ),
            {"structure": ["tan", "k-dependence"], "k": [1, 2, 3], "alpha": [0.1, 0.5, 1.0]},
            name=text("Bayesian network"),
            when=text("When columns depend on each other too strongly for naive Bayes."),
        ),
    ),
    models=_models,
    explain=_explain,
    export=_export,
    formats=_formats,
    show=_show,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
    animate=_animate,
)
