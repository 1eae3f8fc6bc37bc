"""Sort the rows of a table into classes, prove how good the result is, and show why.

Nothing heavy is imported until a name is used: ``import vaglio`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

from vaglio._version import __version__

# Public name -> module that defines it. One line a name, sorted within its family.
_HOME = {
    # tables
    "Table": "vaglio.table",
    "read": "vaglio.table",
    # linear models and networks
    "LogisticRegression": "vaglio.learn.logistic",
    "MLPClassifier": "vaglio.learn.mlp",
    "Perceptron": "vaglio.learn.perceptron",
    "SVC": "vaglio.learn.svc",
    # neighbours
    "KNeighborsClassifier": "vaglio.learn.knn",
    "KNeighborsRegressor": "vaglio.learn.knn",
    # Bayes
    "BayesianNetworkClassifier": "vaglio.learn.bayes_net",
    "BernoulliNB": "vaglio.learn.bernoulli_nb",
    "GaussianMAPClassifier": "vaglio.learn.gaussian_map",
    "GaussianMixtureClassifier": "vaglio.learn.gaussian_mixture",
    "JointBayesClassifier": "vaglio.learn.joint_bayes",
    "MultinomialNB": "vaglio.learn.multinomial_nb",
    "NaiveBayesClassifier": "vaglio.learn.naive_bayes",
    # trees
    "C45Classifier": "vaglio.learn.c45",
    "CARTClassifier": "vaglio.learn.cart",
    "DecisionTreeClassifier": "vaglio.learn.decision_tree",
    "DecisionTreeRegressor": "vaglio.learn.decision_tree",
    "ID3Classifier": "vaglio.learn.id3",
    "ObliqueTreeClassifier": "vaglio.learn.oblique",
    # ensembles
    "AdaBoostClassifier": "vaglio.learn.adaboost",
    "BaggingClassifier": "vaglio.learn.bagging",
    "BaggingRegressor": "vaglio.learn.bagging",
    "ForestImputer": "vaglio.learn.forest_imputer",
    "RandomForestClassifier": "vaglio.learn.random_forest",
    "RandomForestRegressor": "vaglio.learn.random_forest",
    # rules
    "AQClassifier": "vaglio.learn.aq",
    "CN2Classifier": "vaglio.learn.cn2",
    "FOILClassifier": "vaglio.learn.foil",
    "RIPPERClassifier": "vaglio.learn.ripper",
    # models
    "RuleSet": "vaglio.model.ruleset",
    "load": "vaglio.fitted",
    # validation
    "CalibrationDisplay": "vaglio.evaluation.displays",
    "ConfusionMatrixDisplay": "vaglio.evaluation.displays",
    "CostCurveDisplay": "vaglio.evaluation.displays",
    "GainCurveDisplay": "vaglio.evaluation.displays",
    "LearningCurveDisplay": "vaglio.evaluation.displays",
    "LiftCurveDisplay": "vaglio.evaluation.displays",
    "PrecisionRecallDisplay": "vaglio.evaluation.displays",
    "RocCurveDisplay": "vaglio.evaluation.displays",
    "ValidationCurveDisplay": "vaglio.evaluation.displays",
    "Study": "vaglio.study",
    "audit": "vaglio.quality",
    "compare": "vaglio.evaluation",
    "bias_variance": "vaglio.evaluation",
    "evaluate": "vaglio.evaluation",
    "select": "vaglio.evaluation",
    "shatters": "vaglio.evaluation",
    "trace": "vaglio.tracing",
    "vc_dimension_lower_bound": "vaglio.evaluation",
}

# Public rooms that are reached as attributes.
_ROOMS = ("datasets",)

__all__ = ["__version__", *_ROOMS, *_HOME]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"vaglio.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'vaglio' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
