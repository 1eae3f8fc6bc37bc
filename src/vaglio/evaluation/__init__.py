"""Scores, curves and their Displays, costs, splits, selection, comparison."""

from vaglio.evaluation.acceptance import Acceptance, Criterion
from vaglio.evaluation.comparison.comparison import Comparison, compare
from vaglio.evaluation.comparison.significance import FriedmanNemenyi, friedman_nemenyi, mcnemar, nadeau_bengio
from vaglio.evaluation.evaluation import Evaluation
from vaglio.evaluation.importance import PermutationImportance, permutation_importance
from vaglio.evaluation.metrics.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.metrics.intervals import Estimate, wilson_interval
from vaglio.evaluation.metrics.proportions import adjust_priors, rows_in_proportion
from vaglio.evaluation.metrics.rates import Rates
from vaglio.evaluation.metrics.thresholds import ThresholdTable
from vaglio.evaluation.model_evaluation import evaluate
from vaglio.evaluation.predictions import Predictions, predict_with_scores
from vaglio.evaluation.regression_evaluation import RegressionEvaluation
from vaglio.evaluation.selection.folds import evaluate_by_folds
from vaglio.evaluation.selection.selection import select, tune
from vaglio.evaluation.selection.selection_result import Selection, fit_diagnosis
from vaglio.evaluation.selection.splits import (
    SplitRules,
    advise_split,
    make_folds,
    make_holdout,
    make_random_splits,
    make_three_way,
)
from vaglio.evaluation.selection.strategies import STRATEGIES, Strategy
from vaglio.evaluation.theory.decomposition import BiasVariance, BiasVarianceCurve, bias_variance, majority_vote_error
from vaglio.evaluation.theory.shattering import Shattering, shatters, vc_dimension_lower_bound
from vaglio.evaluation.training import EvaluationPlan, Training, evaluate_learner, train_and_evaluate
from vaglio.model.costs import CostMatrix, UnitCost

__all__ = [
    "STRATEGIES",
    "Acceptance",
    "BiasVariance",
    "BiasVarianceCurve",
    "Comparison",
    "CostMatrix",
    "CostSensitiveClassifier",
    "Criterion",
    "Estimate",
    "Evaluation",
    "EvaluationPlan",
    "FriedmanNemenyi",
    "PermutationImportance",
    "Predictions",
    "Rates",
    "RegressionEvaluation",
    "Selection",
    "Shattering",
    "SplitRules",
    "Strategy",
    "ThresholdTable",
    "Training",
    "UnitCost",
    "adjust_priors",
    "advise_split",
    "bias_variance",
    "compare",
    "evaluate",
    "evaluate_by_folds",
    "evaluate_learner",
    "fit_diagnosis",
    "friedman_nemenyi",
    "majority_vote_error",
    "make_folds",
    "make_holdout",
    "make_random_splits",
    "make_three_way",
    "mcnemar",
    "nadeau_bengio",
    "permutation_importance",
    "predict_with_scores",
    "rows_in_proportion",
    "select",
    "shatters",
    "train_and_evaluate",
    "tune",
    "vc_dimension_lower_bound",
    "wilson_interval",
]
