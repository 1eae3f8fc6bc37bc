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
    from vaglio.engines.work_settings import streaming as streaming
    from vaglio.evaluation import bias_variance as bias_variance
    from vaglio.evaluation import compare as compare
    from vaglio.evaluation import evaluate as evaluate
    from vaglio.evaluation import select as select
    from vaglio.evaluation import shatters as shatters
    from vaglio.evaluation import tune as tune
    from vaglio.evaluation import vc_dimension_lower_bound as vc_dimension_lower_bound
    from vaglio.evaluation.displays import CalibrationDisplay as CalibrationDisplay
    from vaglio.evaluation.displays import ConfusionMatrixDisplay as ConfusionMatrixDisplay
    from vaglio.evaluation.displays import CostCurveDisplay as CostCurveDisplay
    from vaglio.evaluation.displays import ForestDistanceDisplay as ForestDistanceDisplay
    from vaglio.evaluation.displays import GainCurveDisplay as GainCurveDisplay
    from vaglio.evaluation.displays import LearningCurveDisplay as LearningCurveDisplay
    from vaglio.evaluation.displays import LiftCurveDisplay as LiftCurveDisplay
    from vaglio.evaluation.displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from vaglio.evaluation.displays import PredictionErrorDisplay as PredictionErrorDisplay
    from vaglio.evaluation.displays import RocCurveDisplay as RocCurveDisplay
    from vaglio.evaluation.displays import ScoreDensityDisplay as ScoreDensityDisplay
    from vaglio.evaluation.displays import TermDisplay as TermDisplay
    from vaglio.evaluation.displays import ValidationCurveDisplay as ValidationCurveDisplay
    from vaglio.figures import draw as draw
    from vaglio.fitted import load as load
    from vaglio.learners.additive.estimators.additive import (
        ExplainableBoostingClassifier as ExplainableBoostingClassifier,
    )
    from vaglio.learners.additive.estimators.additive import (
        ExplainableBoostingRegressor as ExplainableBoostingRegressor,
    )
    from vaglio.learners.bayes.estimators.bayes_net import BayesianNetworkClassifier as BayesianNetworkClassifier
    from vaglio.learners.bayes.estimators.count_bayes import BernoulliNB as BernoulliNB
    from vaglio.learners.bayes.estimators.count_bayes import MultinomialNB as MultinomialNB
    from vaglio.learners.bayes.estimators.gaussians import GaussianMAPClassifier as GaussianMAPClassifier
    from vaglio.learners.bayes.estimators.gaussians import GaussianMixtureClassifier as GaussianMixtureClassifier
    from vaglio.learners.bayes.estimators.joint_bayes import JointBayesClassifier as JointBayesClassifier
    from vaglio.learners.bayes.estimators.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
    from vaglio.learners.boosting.estimators.gradient_boosting import (
        HistGradientBoostingClassifier as HistGradientBoostingClassifier,
    )
    from vaglio.learners.boosting.estimators.gradient_boosting import (
        HistGradientBoostingRegressor as HistGradientBoostingRegressor,
    )
    from vaglio.learners.ensembles.estimators.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from vaglio.learners.ensembles.estimators.adaboost_regressor import AdaBoostRegressor as AdaBoostRegressor
    from vaglio.learners.ensembles.estimators.bagging import BaggingClassifier as BaggingClassifier
    from vaglio.learners.ensembles.estimators.bagging import BaggingRegressor as BaggingRegressor
    from vaglio.learners.ensembles.estimators.voting import VotingClassifier as VotingClassifier
    from vaglio.learners.ensembles.estimators.voting import VotingRegressor as VotingRegressor
    from vaglio.learners.forest.estimators.forest_imputer import ForestImputer as ForestImputer
    from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier as RandomForestClassifier
    from vaglio.learners.forest.estimators.random_forest import RandomForestRegressor as RandomForestRegressor
    from vaglio.learners.linear.estimators.linear_regression import LinearRegression as LinearRegression
    from vaglio.learners.linear.estimators.logistic import LogisticRegression as LogisticRegression
    from vaglio.learners.linear.estimators.mlp import MLPClassifier as MLPClassifier
    from vaglio.learners.linear.estimators.mlp import MLPRegressor as MLPRegressor
    from vaglio.learners.linear.estimators.perceptron import Perceptron as Perceptron
    from vaglio.learners.neighbors.estimators import KNeighborsClassifier as KNeighborsClassifier
    from vaglio.learners.neighbors.estimators import KNeighborsRegressor as KNeighborsRegressor
    from vaglio.learners.rules.estimators.aq import AQClassifier as AQClassifier
    from vaglio.learners.rules.estimators.cn2 import CN2Classifier as CN2Classifier
    from vaglio.learners.rules.estimators.foil import FOILClassifier as FOILClassifier
    from vaglio.learners.rules.estimators.ripper import RIPPERClassifier as RIPPERClassifier
    from vaglio.learners.rules.model.ruleset import RuleSet as RuleSet
    from vaglio.learners.svm.estimators.svc import SVC as SVC
    from vaglio.learners.svm.estimators.svr import SVR as SVR
    from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
    from vaglio.learners.trees.estimators.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
    from vaglio.learners.trees.estimators.model_tree import ModelTreeRegressor as ModelTreeRegressor
    from vaglio.learners.trees.estimators.optimal_tree import OptimalTreeClassifier as OptimalTreeClassifier
    from vaglio.learners.trees.estimators.optimal_tree import OptimalTreeRegressor as OptimalTreeRegressor
    from vaglio.learners.trees.estimators.presets import C45Classifier as C45Classifier
    from vaglio.learners.trees.estimators.presets import CARTClassifier as CARTClassifier
    from vaglio.learners.trees.estimators.presets import ID3Classifier as ID3Classifier
    from vaglio.learners.trees.estimators.presets import ObliqueTreeClassifier as ObliqueTreeClassifier
    from vaglio.learners.trees.estimators.presets import ObliqueTreeRegressor as ObliqueTreeRegressor
    from vaglio.plot.decision_region import DecisionRegionDisplay as DecisionRegionDisplay
    from vaglio.plot.decision_region import PerceptronPathDisplay as PerceptronPathDisplay
    from vaglio.quality import audit as audit
    from vaglio.quality import explore as explore
    from vaglio.report import write_report as write_report
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
    "streaming": "vaglio.engines.work_settings",
    # linear models and networks
    "LinearRegression": "vaglio.learners.linear.estimators.linear_regression",
    "LogisticRegression": "vaglio.learners.linear.estimators.logistic",
    "MLPClassifier": "vaglio.learners.linear.estimators.mlp",
    "MLPRegressor": "vaglio.learners.linear.estimators.mlp",
    "Perceptron": "vaglio.learners.linear.estimators.perceptron",
    "SVC": "vaglio.learners.svm.estimators.svc",
    "SVR": "vaglio.learners.svm.estimators.svr",
    # neighbours
    "KNeighborsClassifier": "vaglio.learners.neighbors.estimators",
    "KNeighborsRegressor": "vaglio.learners.neighbors.estimators",
    # Bayes
    "BayesianNetworkClassifier": "vaglio.learners.bayes.estimators.bayes_net",
    "BernoulliNB": "vaglio.learners.bayes.estimators.count_bayes",
    "GaussianMAPClassifier": "vaglio.learners.bayes.estimators.gaussians",
    "GaussianMixtureClassifier": "vaglio.learners.bayes.estimators.gaussians",
    "JointBayesClassifier": "vaglio.learners.bayes.estimators.joint_bayes",
    "MultinomialNB": "vaglio.learners.bayes.estimators.count_bayes",
    "NaiveBayesClassifier": "vaglio.learners.bayes.estimators.naive_bayes",
    # trees
    "C45Classifier": "vaglio.learners.trees.estimators.presets",
    "CARTClassifier": "vaglio.learners.trees.estimators.presets",
    "DecisionTreeClassifier": "vaglio.learners.trees.estimators.decision_tree",
    "DecisionTreeRegressor": "vaglio.learners.trees.estimators.decision_tree",
    "ID3Classifier": "vaglio.learners.trees.estimators.presets",
    "ModelTreeRegressor": "vaglio.learners.trees.estimators.model_tree",
    "ObliqueTreeClassifier": "vaglio.learners.trees.estimators.presets",
    "ObliqueTreeRegressor": "vaglio.learners.trees.estimators.presets",
    "OptimalTreeClassifier": "vaglio.learners.trees.estimators.optimal_tree",
    "OptimalTreeRegressor": "vaglio.learners.trees.estimators.optimal_tree",
    # ensembles
    "AdaBoostClassifier": "vaglio.learners.ensembles.estimators.adaboost",
    "AdaBoostRegressor": "vaglio.learners.ensembles.estimators.adaboost_regressor",
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
    "VotingRegressor": "vaglio.learners.ensembles.estimators.voting",
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
    "DecisionRegionDisplay": "vaglio.plot.decision_region",
    "ForestDistanceDisplay": "vaglio.evaluation.displays",
    "GainCurveDisplay": "vaglio.evaluation.displays",
    "LearningCurveDisplay": "vaglio.evaluation.displays",
    "LiftCurveDisplay": "vaglio.evaluation.displays",
    "PerceptronPathDisplay": "vaglio.plot.decision_region",
    "PrecisionRecallDisplay": "vaglio.evaluation.displays",
    "PredictionErrorDisplay": "vaglio.evaluation.displays",
    "RocCurveDisplay": "vaglio.evaluation.displays",
    "ScoreDensityDisplay": "vaglio.evaluation.displays",
    "TermDisplay": "vaglio.evaluation.displays",
    "ValidationCurveDisplay": "vaglio.evaluation.displays",
    "Study": "vaglio.study",
    "audit": "vaglio.quality",
    "compare": "vaglio.evaluation",
    "bias_variance": "vaglio.evaluation",
    "draw": "vaglio.figures",
    "evaluate": "vaglio.evaluation",
    "explore": "vaglio.quality",
    "select": "vaglio.evaluation",
    "shatters": "vaglio.evaluation",
    "trace": "vaglio.tracing",
    "tune": "vaglio.evaluation",
    "vc_dimension_lower_bound": "vaglio.evaluation",
    "write_report": "vaglio.report",
}

# Public rooms that are reached as attributes.
_ROOMS = ("datasets",)

if not TYPE_CHECKING:
    __all__ = ["__version__", *_ROOMS, *_HOME]

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return importlib.import_module(f"vaglio.{name}")
        if name not in _HOME:
            raise AttributeError(f"module 'vaglio' has no attribute {name!r}{_hint(name)}")
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value

    def _hint(name: str) -> str:
        if name.startswith("_"):  # programs ask for these, and make nothing of an answer
            return ""
        from vaglio.messages.sentences import near_names

        near = near_names(name, __all__)
        return f". Did you mean {' or '.join(near)}?" if near else ""

    def __dir__() -> list[str]:
        return sorted(__all__)
