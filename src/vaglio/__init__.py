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
    "streaming": "vaglio.engines.work_settings",
    # linear models and networks
    "LogisticRegression": "vaglio.learners.linear.estimators.logistic",
    "MLPClassifier": "vaglio.learners.linear.estimators.mlp",
    "Perceptron": "vaglio.learners.linear.estimators.perceptron",
    "SVC": "vaglio.learners.svm.estimators.svc",
    # neighbours
    "KNeighborsClassifier": "vaglio.learners.neighbors.estimators.knn",
    "KNeighborsRegressor": "vaglio.learners.neighbors.estimators.knn",
    # Bayes
    "BayesianNetworkClassifier": "vaglio.learners.bayes.estimators.bayes_net",
    "BernoulliNB": "vaglio.learners.bayes.estimators.bernoulli_nb",
    "GaussianMAPClassifier": "vaglio.learners.bayes.estimators.gaussian_map",
    "GaussianMixtureClassifier": "vaglio.learners.bayes.estimators.gaussian_mixture",
    "JointBayesClassifier": "vaglio.learners.bayes.estimators.joint_bayes",
    "MultinomialNB": "vaglio.learners.bayes.estimators.multinomial_nb",
    "NaiveBayesClassifier": "vaglio.learners.bayes.estimators.naive_bayes",
    # trees
    "C45Classifier": "vaglio.learners.trees.estimators.presets",
    "CARTClassifier": "vaglio.learners.trees.estimators.presets",
    "DecisionTreeClassifier": "vaglio.learners.trees.estimators.decision_tree",
    "DecisionTreeRegressor": "vaglio.learners.trees.estimators.decision_tree",
    "ID3Classifier": "vaglio.learners.trees.estimators.presets",
    "ObliqueTreeClassifier": "vaglio.learners.trees.estimators.presets",
    "OptimalTreeClassifier": "vaglio.learners.trees.estimators.optimal_tree",
    # ensembles
    "AdaBoostClassifier": "vaglio.learners.ensembles.estimators.adaboost",
    "BaggingClassifier": "vaglio.learners.ensembles.estimators.bagging",
    "BaggingRegressor": "vaglio.learners.ensembles.estimators.bagging",
    "ExplainableBoostingClassifier": "vaglio.learners.additive.estimators.additive",
    "ExplainableBoostingRegressor": "vaglio.learners.additive.estimators.additive",
    "HistGradientBoostingClassifier": "vaglio.learners.boosting.estimators.gradient_boosting",
    "HistGradientBoostingRegressor": "vaglio.learners.boosting.estimators.gradient_boosting",
    "ForestImputer": "vaglio.learners.forest.estimators.forest_imputer",
    "RandomForestClassifier": "vaglio.learners.forest.estimators.random_forest",
    "RandomForestRegressor": "vaglio.learners.forest.estimators.random_forest",
    "VotingClassifier": "vaglio.learners.ensembles.estimators.voting",
    # rules
    "AQClassifier": "vaglio.learners.rules.estimators.aq",
    "CN2Classifier": "vaglio.learners.rules.estimators.cn2",
    "FOILClassifier": "vaglio.learners.rules.estimators.foil",
    "RIPPERClassifier": "vaglio.learners.rules.estimators.ripper",
    # models
    "RuleSet": "vaglio.learners.rules.model.ruleset",
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
