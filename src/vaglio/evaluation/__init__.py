"""Scores, curves and their Displays, costs, splits, selection, comparison."""

from vaglio.evaluation._evaluation import Evaluation
from vaglio.evaluation.comparison import Comparison, compare
from vaglio.evaluation.cost_sensitive import CostSensitiveClassifier
from vaglio.evaluation.costs import CostMatrix
from vaglio.evaluation.decomposition import BiasVariance, BiasVarianceCurve, bias_variance
from vaglio.evaluation.folds import evaluate_by_folds
from vaglio.evaluation.intervals import Estimate, wilson_interval
from vaglio.evaluation.majority import majority_vote_error
from vaglio.evaluation.model_evaluation import evaluate
from vaglio.evaluation.overfitting import fit_diagnosis
from vaglio.evaluation.proportions import adjust_priors, rows_in_proportion
from vaglio.evaluation.rates import Rates
from vaglio.evaluation.result import Selection
from vaglio.evaluation.selection import select
from vaglio.evaluation.shattering import Shattering, shatters, vc_dimension_lower_bound
from vaglio.evaluation.significance import FriedmanNemenyi, friedman_nemenyi, mcnemar, nadeau_bengio
from vaglio.evaluation.splits import (
    SplitRules,
    advise_split,
    make_folds,
    make_holdout,
    make_random_splits,
    make_three_way,
)
from vaglio.evaluation.strategies import STRATEGIES, Strategy
from vaglio.evaluation.thresholds import ThresholdTable

__all__ = [
    "STRATEGIES",
    "BiasVariance",
    "BiasVarianceCurve",
    "Comparison",
    "CostMatrix",
    "CostSensitiveClassifier",
    "Estimate",
    "Evaluation",
    "FriedmanNemenyi",
    "Rates",
    "Selection",
    "Shattering",
    "SplitRules",
    "Strategy",
    "ThresholdTable",
    "adjust_priors",
    "advise_split",
    "bias_variance",
    "compare",
    "evaluate",
    "evaluate_by_folds",
    "fit_diagnosis",
    "friedman_nemenyi",
    "majority_vote_error",
    "make_folds",
    "make_holdout",
    "make_random_splits",
    "make_three_way",
    "mcnemar",
    "nadeau_bengio",
    "rows_in_proportion",
    "select",
    "shatters",
    "vc_dimension_lower_bound",
    "wilson_interval",
]
