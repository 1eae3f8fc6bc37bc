"""Decision trees with every option; the textbook algorithms are presets of these classes."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from vaglio.encode import EncodedMatrix
from vaglio.learn._base import VaglioClassifier, VaglioRegressor
from vaglio.learn.trees._estimator import SHARED_CONSTRAINTS, TreeEstimator
from vaglio.model.trees.tree import Tree


class DecisionTreeClassifier(TreeEstimator, VaglioClassifier):
    """Decision tree for classes, with every criterion, split, treatment of missing values and pruning.

    The defaults are CART's as in scikit-learn. Nominal columns and missing values are taken as they are.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "error"}, default="gini"
        What a split is chosen by: decrease of the Gini index, information gain in bits ("log_loss" is the same),
        information gain over split information, decrease of the misclassification rate.
    splitter : {"best", "random"}, default="best"
        "random" draws one threshold a column instead of trying all.
    max_depth : int, optional
        Most tests on a path.
    min_samples_split, min_samples_leaf : int or float
        Fewest rows (sums of weights) in a node to be split and in a leaf; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the whole weight in a leaf.
    max_features : int, float, {"sqrt", "log2"}, optional
        Columns drawn for each split; None takes all.
    random_state : int, RandomState, optional
    max_leaf_nodes : int, optional
        Most leaves; the best splits are made first.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity, weighted by the node's share of all rows.
    class_weight : dict or "balanced", optional
    ccp_alpha : float or "cv", default=0.0
        Cost-complexity pruning: price of a leaf. "cv" chooses it by ten-fold cross-validation.
    monotonic_cst : array-like or dict of column to -1, 0, +1, optional
        Columns with which the probability of the second class must not rise (-1) or fall (+1).
    nominal_split : {"subset", "multiway"}, default="subset"
        Two sets of values, or one branch per value. No set is made of a column that has more than two values and
        fewer than two rows a value in the node: it names the rows, and any set of names fits them.
    missing : {"learnt", "fractional", "branch"}, default="learnt"
        A missing value goes where training found it better, into every branch with a share of its weight, or into
        a branch of its own.
    pruning : {None, "pessimistic", "error_based", "reduced_error"}, default=None
        Pruning after growth, beside ``ccp_alpha``.
    confidence_factor : float, default=0.25
        Of error-based pruning: smaller prunes more.
    subtree_raising : bool, default=True
        Whether error-based pruning may put the largest branch in its parent's place.
    epsilon : float, default=0.5
        Of pessimistic pruning: errors charged to every leaf.
    validation_fraction : float, default=0.33
        Share of the rows that reduced-error pruning keeps apart.
    min_gain : float, default=0.0
        Least gain of a split, in the criterion's unit per row.
    chi2_alpha : float, optional
        Split only if a chi-square test of the branches against the classes is significant at this level.
    average_gain : bool, default=True
        Gain ratio only: leave out columns of less than average gain, as Quinlan does.
    leaf_smoothing : {None, "laplace", "m-estimate"} or float, default=None
        Smoothing of the leaves' probabilities; a float is the m of the m-estimate (2 by default).
    one_standard_error : bool, default=False
        With ``ccp_alpha="cv"``: the smallest tree within one standard error of the best.
    max_bins : int, optional
        Cut numeric columns into this many quantile bins: faster, no longer exact.
    unseen : {"missing", "error"}, default="missing"
        What a category means that training never saw.
    n_jobs : int, optional

    Attributes
    ----------
    classes_ : ndarray
    tree_ : Tree
    fitted_ : Fitted
    feature_importances_ : ndarray
    ccp_alpha_ : float
        With ``ccp_alpha="cv"``: the chosen value; ``ccp_path_`` has the scores along the path.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("play").xy("play")
    >>> tree = vaglio.DecisionTreeClassifier(criterion="entropy", nominal_split="multiway").fit(X, y)
    >>> print(tree.to_text())
    outlook  (n = 14, yes 64%)
    ├─ = sunny: humidity  (n = 5, no 60%)
    │  ├─ = high: → no  (n = 3, 100%)
    │  └─ = normal: → yes  (n = 2, 100%)
    ├─ = overcast: → yes  (n = 4, 100%)
    └─ = rainy: windy  (n = 5, yes 60%)
       ├─ = false: → yes  (n = 3, 100%)
       └─ = true: → no  (n = 2, 100%)
    """

    _learner_id = "tree"
    _reuse_nominal: ClassVar[bool] = True
    _strict: ClassVar[bool] = False
    _c45_numeric: ClassVar[bool] = False
    _require_gain: ClassVar[bool] = False
    _oblique: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "gain_ratio", "error"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "pruning": [StrOptions({"pessimistic", "error_based", "reduced_error"}), None],
        "confidence_factor": [Interval(Real, 0.0, 0.5, closed="right")],
        "subtree_raising": ["boolean"],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "chi2_alpha": [Interval(Real, 0.0, 1.0, closed="right"), None],
        "average_gain": ["boolean"],
        "leaf_smoothing": [
            StrOptions({"laplace", "m-estimate"}),
            Interval(Real, 0.0, None, closed="left"),
            Options(type(None), {None}),
        ],
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: Any = None,
        nominal_split: str = "subset",
        missing: str = "learnt",
        pruning: str | None = None,
        confidence_factor: float = 0.25,
        subtree_raising: bool = True,
        epsilon: float = 0.5,
        validation_fraction: float = 0.33,
        min_gain: float = 0.0,
        chi2_alpha: float | None = None,
        average_gain: bool = True,
        leaf_smoothing: str | float | None = None,
        one_standard_error: bool = False,
        max_bins: int | None = None,
        unseen: str = "missing",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.nominal_split = nominal_split
        self.missing = missing
        self.pruning = pruning
        self.confidence_factor = confidence_factor
        self.subtree_raising = subtree_raising
        self.epsilon = epsilon
        self.validation_fraction = validation_fraction
        self.min_gain = min_gain
        self.chi2_alpha = chi2_alpha
        self.average_gain = average_gain
        self.leaf_smoothing = leaf_smoothing
        self.one_standard_error = one_standard_error
        self.max_bins = max_bins
        self.unseen = unseen
        self.n_jobs = n_jobs

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        return self._grow(matrix, y, weight, len(self.classes_))


class DecisionTreeRegressor(TreeEstimator, VaglioRegressor):
    """Decision tree for numbers: splits reduce the squared error, a leaf predicts its mean.

    Parameters are those of :class:`DecisionTreeClassifier` where they make sense.

    Examples
    --------
    >>> import numpy as np, vaglio
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> vaglio.DecisionTreeRegressor(max_depth=1).fit(X, [0, 0, 0, 1, 1, 1]).predict([[1.0], [4.0]])
    array([0., 1.])
    """

    _learner_id = "tree-regressor"
    _reuse_nominal: ClassVar[bool] = True
    _strict: ClassVar[bool] = False
    _c45_numeric: ClassVar[bool] = False
    _require_gain: ClassVar[bool] = False
    _oblique: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "criterion": [StrOptions({"squared_error"})],
        "pruning": [StrOptions({"reduced_error"}), None],
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: Any = None,
        nominal_split: str = "subset",
        missing: str = "learnt",
        pruning: str | None = None,
        validation_fraction: float = 0.33,
        min_gain: float = 0.0,
        one_standard_error: bool = False,
        max_bins: int | None = None,
        unseen: str = "missing",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.nominal_split = nominal_split
        self.missing = missing
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.min_gain = min_gain
        self.one_standard_error = one_standard_error
        self.max_bins = max_bins
        self.unseen = unseen
        self.n_jobs = n_jobs

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        return self._grow(matrix, y, weight, 0)
