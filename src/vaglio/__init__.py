"""Sort the rows of a table into classes, prove how good the result is, and show why.

Nothing heavy is imported until a name is used: ``import vaglio`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vaglio._version import __version__ as __version__

# What a type checker sees. Names that are not here do not exist for it: ``__getattr__`` below is hidden from it.
if TYPE_CHECKING:
    from vaglio import datasets as datasets
    from vaglio.evaluation import bias_variance as bias_variance
    from vaglio.evaluation import compare as compare
    from vaglio.evaluation import evaluate as evaluate
    from vaglio.evaluation import select as select
    from vaglio.evaluation import shatters as shatters
    from vaglio.evaluation import vc_dimension_lower_bound as vc_dimension_lower_bound
    from vaglio.evaluation.displays import CalibrationDisplay as CalibrationDisplay
    from vaglio.evaluation.displays import ConfusionMatrixDisplay as ConfusionMatrixDisplay
    from vaglio.evaluation.displays import CostCurveDisplay as CostCurveDisplay
    from vaglio.evaluation.displays import ForestDistanceDisplay as ForestDistanceDisplay
    from vaglio.evaluation.displays import GainCurveDisplay as GainCurveDisplay
    from vaglio.evaluation.displays import LearningCurveDisplay as LearningCurveDisplay
    from vaglio.evaluation.displays import LiftCurveDisplay as LiftCurveDisplay
    from vaglio.evaluation.displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from vaglio.evaluation.displays import RocCurveDisplay as RocCurveDisplay
    from vaglio.evaluation.displays import TermDisplay as TermDisplay
    from vaglio.evaluation.displays import ValidationCurveDisplay as ValidationCurveDisplay
    from vaglio.fitted import load as load
    from vaglio.learn.bayes.bayes_net import BayesianNetworkClassifier as BayesianNetworkClassifier
    from vaglio.learn.bayes.bernoulli_nb import BernoulliNB as BernoulliNB
    from vaglio.learn.bayes.gaussian_map import GaussianMAPClassifier as GaussianMAPClassifier
    from vaglio.learn.bayes.gaussian_mixture import GaussianMixtureClassifier as GaussianMixtureClassifier
    from vaglio.learn.bayes.joint_bayes import JointBayesClassifier as JointBayesClassifier
    from vaglio.learn.bayes.multinomial_nb import MultinomialNB as MultinomialNB
    from vaglio.learn.bayes.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
    from vaglio.learn.ensembles.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from vaglio.learn.ensembles.additive import ExplainableBoostingClassifier as ExplainableBoostingClassifier
    from vaglio.learn.ensembles.additive import ExplainableBoostingRegressor as ExplainableBoostingRegressor
    from vaglio.learn.ensembles.bagging import BaggingClassifier as BaggingClassifier
    from vaglio.learn.ensembles.bagging import BaggingRegressor as BaggingRegressor
    from vaglio.learn.ensembles.forest_imputer import ForestImputer as ForestImputer
    from vaglio.learn.ensembles.gradient_boosting import (
        HistGradientBoostingClassifier as HistGradientBoostingClassifier,
    )
    from vaglio.learn.ensembles.gradient_boosting import HistGradientBoostingRegressor as HistGradientBoostingRegressor
    from vaglio.learn.ensembles.random_forest import RandomForestClassifier as RandomForestClassifier
    from vaglio.learn.ensembles.random_forest import RandomForestRegressor as RandomForestRegressor
    from vaglio.learn.ensembles.voting import VotingClassifier as VotingClassifier
    from vaglio.learn.linear.logistic import LogisticRegression as LogisticRegression
    from vaglio.learn.linear.mlp import MLPClassifier as MLPClassifier
    from vaglio.learn.linear.perceptron import Perceptron as Perceptron
    from vaglio.learn.neighbors.knn import KNeighborsClassifier as KNeighborsClassifier
    from vaglio.learn.neighbors.knn import KNeighborsRegressor as KNeighborsRegressor
    from vaglio.learn.rules.aq import AQClassifier as AQClassifier
    from vaglio.learn.rules.cn2 import CN2Classifier as CN2Classifier
    from vaglio.learn.rules.foil import FOILClassifier as FOILClassifier
    from vaglio.learn.rules.ripper import RIPPERClassifier as RIPPERClassifier
    from vaglio.learn.svm.svc import SVC as SVC
    from vaglio.learn.trees.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
    from vaglio.learn.trees.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
    from vaglio.learn.trees.optimal_tree import OptimalTreeClassifier as OptimalTreeClassifier
    from vaglio.learn.trees.presets import C45Classifier as C45Classifier
    from vaglio.learn.trees.presets import CARTClassifier as CARTClassifier
    from vaglio.learn.trees.presets import ID3Classifier as ID3Classifier
    from vaglio.learn.trees.presets import ObliqueTreeClassifier as ObliqueTreeClassifier
    from vaglio.model.rules.ruleset import RuleSet as RuleSet
    from vaglio.quality import audit as audit
    from vaglio.scale.work_settings import streaming as streaming
    from vaglio.study import Study as Study
    from vaglio.table import Table as Table
    from vaglio.table import read as read
    from vaglio.table import scan as scan
    from vaglio.tracing import trace as trace

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

if not TYPE_CHECKING:
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
