"""Linear models and networks: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Choice, Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]

# What networks and support vector machines do as well.
AT_ITS_MEAN = text("replaced by the mean of the column, or by no category")


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.linear.model import LinearModel, NetworkModel

    return {"linear": LinearModel, "mlp": NetworkModel}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.linear.explain import explain_linear, explain_mlp

    return {"linear": explain_linear, "mlp": explain_mlp}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.linear.export import EXPORTERS

    return EXPORTERS


def _coefficients() -> Mapping[str, Any]:
    from vaglio.learners.linear.export import sides_of_linear

    return {"linear": sides_of_linear}


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.linear.export import compile_linear

    return {"linear": compile_linear}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.linear.chapter import linear_parts, mlp_parts

    return {"linear": linear_parts, "mlp": mlp_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.linear.trace.logistic import trace_logistic
    from vaglio.learners.linear.trace.mlp import trace_mlp
    from vaglio.learners.linear.trace.perceptron import trace_perceptron

    return {"logistic": trace_logistic, "mlp": trace_mlp, "perceptron": trace_perceptron}


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.linear.trace.least_squares import trace_linear_regression

    return {"linear": trace_linear_regression}


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.linear.trace.least_squares import animate_linear_regression
    from vaglio.learners.linear.trace.logistic import animate_logistic
    from vaglio.learners.linear.trace.perceptron import animate_perceptron

    return {"perceptron": animate_perceptron, "logistic": animate_logistic, "linear": animate_linear_regression}


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.linear.estimators.logistic import LogisticRegression
    from vaglio.learners.linear.estimators.mlp import MLPClassifier
    from vaglio.learners.linear.estimators.perceptron import Perceptron

    return {"perceptron": Perceptron, "logistic": LogisticRegression, "mlp": MLPClassifier}


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.linear.estimators.linear_regression import LinearRegression
    from vaglio.learners.linear.estimators.mlp import MLPRegressor

    return {"linear": LinearRegression, "mlp": MLPRegressor}


FAMILY = Family(
    name="linear",
    kinds=(
        Kind("linear", missing=AT_ITS_MEAN, readable=True, sparse=True),
        Kind("mlp", missing=AT_ITS_MEAN),
    ),
    learners=(
        Learner(
            "perceptron",
            "linear",
            _estimators,
            text("perceptron: a hyperplane that moves at every mistake; it stops once the classes are separated"),
            {"eta0": [0.1, 1.0], "shuffle": [False, True], "max_iter": [50, 1000]},
            settings={"shuffle": "auto"},
            name=text("perceptron"),
            when=text("Teaching, and linearly separable classes."),
        ),
        Learner(
            "logistic",
            "linear",
            _estimators,
            text("logistic regression: log-odds linear in the columns, with odds ratios and their intervals"),
            {"C": [0.01, 0.1, 1.0, 10.0, 100.0], "l1_ratio": [0.0, 1.0]},
            name=text("logistic regression"),
            when=text("When you need probabilities and the effect of each column."),
        ),
        Learner(
            "mlp",
            "mlp",
            _estimators,
            text("neural network: layers of weighted sums, trained by gradient"),
            {"hidden_layer_sizes": [[20], [100], [50, 50]], "alpha": [0.0001, 0.01, 1.0]},
            name=text("multi-layer perceptron"),
            when=text("Many numbers with smooth, curved boundaries, when the model need not be interpretable."),
        ),
        Learner(
            "linear",
            "linear",
            _regressors,
            text("linear regression: a weighted sum of the columns, with a penalty chosen by cross-validation"),
            {"l1_ratio": [0.0, 0.5, 1.0]},
            textbook={"alpha": Choice(0.0, text("Least squares without a penalty: the normal equations alone."))},
            name=text("linear regression"),
            when=text("When you need the effect of each column, and as a baseline."),
            task="regression",
        ),
        Learner(
            "mlp",
            "mlp",
            _regressors,
            text("neural network: layers of weighted sums, trained by gradient"),
            {"hidden_layer_sizes": [[20], [100], [50, 50]], "alpha": [0.0001, 0.01, 1.0]},
            name=text("multi-layer perceptron"),
            when=text("Smooth functions of many numbers, when the model need not be interpretable."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    export=_export,
    coefficients=_coefficients,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
    trace_numbers=_trace_numbers,
    animate=_animate,
)
