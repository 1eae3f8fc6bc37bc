"""Sort the rows of a table into classes, prove how good the result is, and show why.

Nothing heavy is imported until a name is used: ``import vaglio`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

from vaglio._version import __version__

# Public name -> module that defines it. One line per name, sorted within its family.
_HOME = {
    # tables
    "Table": "vaglio.table",
    "read": "vaglio.table",
    "scan": "vaglio.table",
    "streaming": "vaglio.scale.work_settings",
    # linear models and networks
    "LogisticRegression": "vaglio.learn.linear.logistic",
    "MLPClassifier": "vaglio.learn.linear.mlp",
    "Perceptron": "vaglio.learn.linear.perceptron",
    "SVC": "vaglio.learn.svm.svc",
    # neighbours
    "KNeighborsClassifier": "vaglio.learn.neighbors.knn",
    "KNeighborsRegressor": "vaglio.learn.neighbors.knn",
    # Bayes
    "BayesianNetworkClassifier": "vaglio.learn.bayes.bayes_net",
    "BernoulliNB": "vaglio.learn.bayes.bernoulli_nb",
    "GaussianMAPClassifier": "vaglio.learn.bayes.gaussian_map",
    "GaussianMixtureClassifier": "vaglio.learn.bayes.gaussian_mixture",
    "JointBayesClassifier": "vaglio.learn.bayes.joint_bayes",
    "MultinomialNB": "vaglio.learn.bayes.multinomial_nb",
    "NaiveBayesClassifier": "vaglio.learn.bayes.naive_bayes",
    # trees
    "C45Classifier": "vaglio.learn.trees.presets",
    "CARTClassifier": "vaglio.learn.trees.presets",
    "DecisionTreeClassifier": "vaglio.learn.trees.decision_tree",
    "DecisionTreeRegressor": "vaglio.learn.trees.decision_tree",
    "ID3Classifier": "vaglio.learn.trees.presets",
    "ObliqueTreeClassifier": "vaglio.learn.trees.presets",
    "OptimalTreeClassifier": "vaglio.learn.trees.optimal_tree",
    # ensembles
    "AdaBoostClassifier": "vaglio.learn.ensembles.adaboost",
    "BaggingClassifier": "vaglio.learn.ensembles.bagging",
    "BaggingRegressor": "vaglio.learn.ensembles.bagging",
    "ExplainableBoostingClassifier": "vaglio.learn.ensembles.additive",
    "ExplainableBoostingRegressor": "vaglio.learn.ensembles.additive",
    "HistGradientBoostingClassifier": "vaglio.learn.ensembles.gradient_boosting",
    "HistGradientBoostingRegressor": "vaglio.learn.ensembles.gradient_boosting",
    "ForestImputer": "vaglio.learn.ensembles.forest_imputer",
    "RandomForestClassifier": "vaglio.learn.ensembles.random_forest",
    "RandomForestRegressor": "vaglio.learn.ensembles.random_forest",
    "VotingClassifier": "vaglio.learn.ensembles.voting",
    # rules
    "AQClassifier": "vaglio.learn.rules.aq",
    "CN2Classifier": "vaglio.learn.rules.cn2",
    "FOILClassifier": "vaglio.learn.rules.foil",
    "RIPPERClassifier": "vaglio.learn.rules.ripper",
    # models
    "RuleSet": "vaglio.model.rules.ruleset",
    "load": "vaglio.fitted",
    # validation
    "CalibrationDisplay": "vaglio.evaluation.displays",
    "ConfusionMatrixDisplay": "vaglio.evaluation.displays",
    "CostCurveDisplay": "vaglio.evaluation.displays",
    "ForestDistanceDisplay": "vaglio.evaluation.displays",
    "GainCurveDisplay": "vaglio.evaluation.displays",
    "LearningCurveDisplay": "vaglio.evaluation.displays",
    "LiftCurveDisplay": "vaglio.evaluation.displays",
    "PrecisionRecallDisplay": "vaglio.evaluation.displays",
    "RocCurveDisplay": "vaglio.evaluation.displays",
    "TermDisplay": "vaglio.evaluation.displays",
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
