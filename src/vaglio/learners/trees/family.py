"""Decision trees: what the rest of the package may ask of this family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vaglio.messages.message import text
from vaglio.model.families import Family, Kind, Learner

if TYPE_CHECKING:
    from vaglio.model.base import Model

__all__ = ["FAMILY"]


def _models() -> Mapping[str, type[Model]]:
    from vaglio.learners.trees.model.model_tree import ModelTree
    from vaglio.learners.trees.model.tree import Tree

    return {"tree": Tree, "model-tree": ModelTree}


def _explain() -> Mapping[str, Any]:
    from vaglio.learners.trees.explain import explain_model_tree, explain_tree

    return {"tree": explain_tree, "model-tree": explain_model_tree}


def _counterfactual() -> Mapping[str, Any]:
    from vaglio.learners.trees.explain import change_into_a_leaf

    return {"tree": change_into_a_leaf}


def _cuts() -> Mapping[str, Any]:
    from vaglio.learners.trees.explain import cuts_of_tree

    return {"tree": cuts_of_tree}


def _export() -> Mapping[str, Any]:
    from vaglio.learners.trees.export import EXPORTERS

    return EXPORTERS


def _formats() -> Mapping[str, Any]:
    from vaglio.learners.trees.export import model_tree_formats, tree_formats

    return {"tree": tree_formats, "model-tree": model_tree_formats}


def _show() -> Mapping[str, Any]:
    from vaglio.learners.trees.export import show_tree

    return {"tree": show_tree}


def _compile_row() -> Mapping[str, Any]:
    from vaglio.learners.trees.export import compile_model_tree, compile_tree

    return {"tree": compile_tree, "model-tree": compile_model_tree}


def _chapter() -> Mapping[str, Any]:
    from vaglio.learners.trees.chapter import model_tree_parts, tree_parts

    return {"tree": tree_parts, "model-tree": model_tree_parts}


def _trace() -> Mapping[str, Any]:
    from vaglio.learners.trees.trace.optimal_tree import trace_optimal_tree
    from vaglio.learners.trees.trace.tree import trace_tree

    return {
        "optimal-tree": trace_optimal_tree,
        "id3": trace_tree,
        "c45": trace_tree,
        "cart": trace_tree,
        "tree": trace_tree,
        "oblique": trace_tree,
    }


def _trace_numbers() -> Mapping[str, Any]:
    from vaglio.learners.trees.trace.model_tree import trace_model_tree
    from vaglio.learners.trees.trace.optimal_numbers import trace_optimal_numbers
    from vaglio.learners.trees.trace.regression import trace_regression_tree

    return {
        "cart": trace_regression_tree,
        "oblique": trace_regression_tree,
        "optimal-tree": trace_optimal_numbers,
        "model-tree": trace_model_tree,
    }


def _animate() -> Mapping[str, Any]:
    from vaglio.learners.trees.trace.model_tree import animate_model_tree
    from vaglio.learners.trees.trace.tree import animate_tree

    return {
        "id3": animate_tree,
        "c45": animate_tree,
        "cart": animate_tree,
        "tree": animate_tree,
        "oblique": animate_tree,
        "model-tree": animate_model_tree,
    }


def _estimators() -> Mapping[str, type]:
    from vaglio.learners.trees.estimators.optimal_tree import OptimalTreeClassifier
    from vaglio.learners.trees.estimators.presets import (
        C45Classifier,
        CARTClassifier,
        ID3Classifier,
        ObliqueTreeClassifier,
    )

    return {
        "id3": ID3Classifier,
        "c45": C45Classifier,
        "cart": CARTClassifier,
        "optimal-tree": OptimalTreeClassifier,
        "oblique": ObliqueTreeClassifier,
    }


def _regressors() -> Mapping[str, type]:
    from vaglio.learners.trees.estimators.decision_tree import DecisionTreeRegressor
    from vaglio.learners.trees.estimators.model_tree import ModelTreeRegressor
    from vaglio.learners.trees.estimators.optimal_tree import OptimalTreeRegressor
    from vaglio.learners.trees.estimators.presets import ObliqueTreeRegressor

    return {
        "cart": DecisionTreeRegressor,
        "optimal-tree": OptimalTreeRegressor,
        "model-tree": ModelTreeRegressor,
        "oblique": ObliqueTreeRegressor,
    }


# Fully grown, their leaves are sure of every row.
_CALIBRATED = {"calibrate": "temperature"}

FAMILY = Family(
    name="trees",
    kinds=(
        Kind("tree", readable=True),
        Kind(
            "model-tree",
            missing=text("replaced by the mean of the column, or by no category"),
            readable=True,
        ),
    ),
    learners=(
        Learner(
            "id3",
            "tree",
            _estimators,
            text("ID3 decision tree: information gain, one branch per value, no pruning"),
            {"max_depth": [2, 4, 8, None], "min_samples_leaf": [1, 2, 5, 10]},
            name="ID3",
            when=text("Teaching, and small categorical tables without noise."),
            settings=_CALIBRATED,
        ),
        Learner(
            "c45",
            "tree",
            _estimators,
            text("C4.5 decision tree: gain ratio, one branch per value, missing values distributed, pruned"),
            {"confidence_factor": [0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [2, 5, 10, 20]},
            settings={"leaf_smoothing": "m-estimate"},  # a leaf of two rows is not sure of its class
            name="C4.5",
            when=text("When the model must be interpretable; handles missing values and categories."),
        ),
        Learner(
            "cart",
            "tree",
            _estimators,
            text("CART decision tree: Gini index, binary splits, cost-complexity pruning by folds"),
            {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03, "cv"], "min_samples_leaf": [1, 2, 5, 10]},
            # Fully grown, a tree learns the noise too: two points less on tables left out.
            settings={"ccp_alpha": "cv"},
            name="CART",
            when=text("When the model must be interpretable, and for numbers; pruning keeps the tree small."),
        ),
        Learner(
            "optimal-tree",
            "tree",
            _estimators,
            text("optimal decision tree: of all trees within a depth, one with the fewest training errors, proved"),
            {"max_depth": [1, 2, 3], "ccp_alpha": [0.0, 0.001, 0.003, 0.01]},
            name=text("optimal tree"),
            when=text("When a very small tree must be the best of its size."),
        ),
        Learner(
            "oblique",
            "tree",
            _estimators,
            text("decision tree whose nodes may test a linear combination of columns"),
            {"ccp_alpha": [0.0, 0.003, 0.01, 0.03], "min_samples_leaf": [1, 5, 10]},
            readable=False,  # a sum of weighted columns at every node is not read at a glance
            name=text("tree with linear combinations"),
            when=text("Numbers whose classes are separated by oblique lines."),
            settings=_CALIBRATED,
        ),
        Learner(
            "cart",
            "tree",
            _regressors,
            text("CART regression tree: squared error, binary splits, cost-complexity pruning by folds"),
            {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03, "cv"], "min_samples_leaf": [1, 2, 5, 10]},
            settings={"ccp_alpha": "cv"},
            name="CART",
            when=text("When the model must be interpretable; pruning keeps the tree small."),
            task="regression",
        ),
        Learner(
            "optimal-tree",
            "tree",
            _regressors,
            text("optimal regression tree: of all trees within a depth, one with the least squared error, proved"),
            {"max_depth": [1, 2, 3]},
            name=text("optimal tree"),
            when=text("When a very small tree must be the best of its size."),
            task="regression",
        ),
        Learner(
            "model-tree",
            "model-tree",
            _regressors,
            text("model tree M5: a regression tree with a linear model in each leaf, pruned and smoothed"),
            {"min_samples_leaf": [4, 10, 20], "smoothing": [0.0, 15.0]},
            name=text("model tree"),
            when=text("Numbers that follow other lines in other parts of the table, when the model must be readable."),
            task="regression",
        ),
        Learner(
            "oblique",
            "tree",
            _regressors,
            text("regression tree whose nodes may test a linear combination of columns"),
            {"ccp_alpha": [0.0, 0.003, 0.01, 0.03, "cv"], "min_samples_leaf": [1, 5, 10]},
            settings={"ccp_alpha": "cv"},
            readable=False,
            name=text("tree with linear combinations"),
            when=text("Numbers that change along a weighted sum of columns."),
            task="regression",
        ),
    ),
    models=_models,
    explain=_explain,
    counterfactual=_counterfactual,
    cuts=_cuts,
    export=_export,
    formats=_formats,
    show=_show,
    compile_row=_compile_row,
    chapter=_chapter,
    trace=_trace,
    trace_numbers=_trace_numbers,
    animate=_animate,
    stepwise=("id3", "c45", "cart", "tree", "oblique"),
)
