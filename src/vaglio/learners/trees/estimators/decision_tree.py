"""Decision trees with every option; the textbook algorithms are these with other defaults.

See :mod:`vaglio.learners.trees.estimators.presets`.
"""

from __future__ import annotations

import warnings
from dataclasses import field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Chunk, Facts, Passes, run_in_memory
from vaglio.errors import NotSupportedError
from vaglio.learners.estimator import VaglioClassifier, VaglioRegressor
from vaglio.learners.parameters import BETWEEN_0_AND_1, COUNT_OR_SHARE, NOT_NEGATIVE, SHARE, estimator
from vaglio.learners.trees.estimators.cost_complexity import choose_alpha, path_of, prune_to
from vaglio.learners.trees.estimators.growing import (
    NUMBER_CRITERIA,
    GrowthParameters,
    TableShape,
    check_counts,
    grow_and_prune,
    on_bins,
    pruned_by_counts,
    refuse_passes_by_rows,
    tree_config,
    tree_of,
)
from vaglio.learners.trees.estimators.has_tree import HasTree
from vaglio.learners.trees.estimators.shrinking import refuse_chosen_shrinkage, shrunken
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.amounts import Amounts
from vaglio.learners.trees.passes.held_out import OnBins, reduced_tree, tree_and_price
from vaglio.learners.trees.passes.tree_bins import DEFAULT_BINS, binning_of
from vaglio.learners.trees.passes.tree_memory import Sizes
from vaglio.learners.trees.passes.tree_passes import (
    RowsInMemory,
    Setup,
    amounts_in_passes,
    binning_in_passes,
    grow_trees,
)


@estimator
class TreeEstimator(HasTree, GrowthParameters):
    """What trees for classes and trees for numbers share.

    Parameters
    ----------
    splitter : {"best", "random"}
        "best" tries every threshold of a column, "random" draws one threshold per column.
    max_features : int, float, {"sqrt", "log2"} or None
        Number of columns drawn at random for each split: a number, a share, the square root or the binary logarithm of
        the number of columns. None takes all columns.
    random_state : int, RandomState or None
        Seed of all that is drawn at random: columns, thresholds, folds of ``ccp_alpha="cv"`` and
        ``shrinkage="cv"``, rows of reduced-error pruning.
    ccp_alpha : float or "cv"
        Cost-complexity pruning: the price of a leaf. "cv" chooses it by ten-fold cross-validation; with ``max_bins``
        (and so outside memory) folds are divided by the hash of the number of each row, else by class.
    nominal_split : {"subset", "multiway"}
        Split a nominal column into two sets of values, or into one branch per value. A column with more than two values
        and fewer than two rows per value in the node is not split into sets: it nearly names the rows, and any set of
        names would fit them.
    missing : {"learned", "fractional", "branch"}
        A missing value goes to the branch where it improves the split ("learned"), to every branch with a share of its
        weight ("fractional"), or to a branch of its own ("branch"). The former spelling "learnt" still works, with a
        warning, and will be removed in the next version.
    pruning : {"reduced_error"} or None
        Pruning after growth, beside ``ccp_alpha``.
    validation_fraction : float
        Share of the rows that reduced-error pruning keeps apart; with ``max_bins`` those that the hash of their number
        says, else the same share of each class.
    min_gain : float
        Smallest gain of a split, in the unit of the criterion per row.
    one_standard_error : bool
        With ``ccp_alpha="cv"``: take the smallest tree whose error is within one standard error of the best.

    Attributes
    ----------
    ccp_alpha_ : float
        The price of a leaf that ``ccp_alpha="cv"`` chose; exists only then.
    learned_with_ : dict
        What was used in place of parameters that rows outside memory do not allow; exists only after such rows.
    ccp_path_ : Bunch
        What ``ccp_alpha="cv"`` tried: ``ccp_alphas``, ``n_leaves``, ``errors``, ``standard_errors`` and the position of
        the ``chosen`` one; exists only then.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "splitter": [StrOptions({"best", "random"})],
        "max_features": [*COUNT_OR_SHARE, StrOptions({"sqrt", "log2"}), None],
        "ccp_alpha": [*NOT_NEGATIVE, StrOptions({"cv"})],
        "nominal_split": [StrOptions({"multiway", "subset"})],
        "missing": [StrOptions({"fractional", "learned", "branch", "learnt"}, deprecated={"learnt"})],
        "pruning": [StrOptions({"reduced_error"}), None],
        "validation_fraction": BETWEEN_0_AND_1,
        "min_gain": NOT_NEGATIVE,
        "one_standard_error": ["boolean"],
    }

    criterion: str = ""
    splitter: str = "best"
    max_features: float | str | None = None
    random_state: Any = None
    ccp_alpha: float | str = 0.0
    nominal_split: str = "subset"
    missing: str = "learned"
    pruning: str | None = None
    validation_fraction: float = 0.33
    min_gain: float = 0.0
    one_standard_error: bool = False

    ccp_alpha_: float = field(init=False)
    ccp_path_: Bunch = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        if self.missing == "learnt":
            warnings.warn(
                'missing="learnt" is now spelled "learned"; the old spelling will be an error in the next version.',
                FutureWarning,
                stacklevel=4,
            )
        n_classes = len(getattr(self, "classes_", ()))
        check_counts(self, y)
        if on_bins(self) and self._by_rows_left_out() and self.shrinkage != "cv":
            binning, amounts = (
                binning_of(matrix, int(self.max_bins or 0), self._strict),
                Amounts.of(y, weight, n_classes),
            )
            given = OnBins(binning, amounts, n_classes, tree_config(self, matrix, n_classes))
            asking = self._learn_on_bins(RowsInMemory(matrix.n_rows, matrix.threads), given)
            found = run_in_memory(asking, [Chunk(matrix, y, weight, 0)])
            assert isinstance(found, Tree)
            return found
        tree = grow_and_prune(self, matrix, y, weight, n_classes)
        alpha = self.ccp_alpha
        if alpha == "cv":
            alpha, self.ccp_path_ = choose_alpha(self, matrix, y, weight, n_classes, tree)
            self.ccp_alpha_ = alpha

        def pruned(tree: Tree) -> Tree:
            return prune_to(self, tree, float(alpha), n_classes) if alpha else tree

        def learned(part: EncodedMatrix, target: np.ndarray, own: np.ndarray | None) -> Tree:
            return pruned(grow_and_prune(self, part, target, own, n_classes))

        return shrunken(self, pruned(tree), learned, matrix, y, weight) if self.shrinkage else pruned(tree)

    def _refuse_passes(self) -> None:
        if self._oblique:
            raise NotSupportedError(
                f"{type(self).__name__} needs all rows in memory: learn from a stated sample, data.sample(N), or read "
                "the table."
            )
        if self.ccp_alpha == "cv" and self.pruning == "reduced_error":
            raise NotSupportedError(
                'ccp_alpha="cv" beside reduced-error pruning leaves out rows twice, for which they must be in memory: '
                "use one of them, or learn from a stated sample."
            )
        refuse_passes_by_rows(self)
        refuse_chosen_shrinkage(self)

    def _passes(self, facts: Facts) -> Passes:
        n_classes = facts.n_classes
        config = tree_config(self, TableShape(facts.codebook.features, facts.n_rows), n_classes)
        self.learned_with_ = self._changed_in_passes()
        binning = yield from binning_in_passes(facts, self.max_bins or DEFAULT_BINS, self._strict)
        amounts = yield from amounts_in_passes(facts)
        return (yield from self._learn_on_bins(facts, OnBins(binning, amounts, n_classes, config)))

    def _by_rows_left_out(self) -> bool:
        """Whether trees on bins are pruned by one kind of rows that were left out."""
        return (self.ccp_alpha == "cv") != (self.pruning == "reduced_error")

    def _learn_on_bins(self, sizes: Sizes, given: OnBins) -> Passes:
        """Grow a tree on bins, wherever the rows are, and prune it."""
        k = given.n_classes
        alpha: Any = self.ccp_alpha
        if alpha == "cv":
            tree, alpha, self.ccp_path_ = yield from tree_and_price(self, sizes, given)
            self.ccp_alpha_ = alpha
        elif self.pruning == "reduced_error":
            tree = yield from reduced_tree(self, sizes, given)
        else:
            setup = Setup.made(given.binning, given.amounts, k, None)
            arrays = yield from grow_trees(sizes, setup, given.config)
            tree = pruned_by_counts(self, tree_of(self, arrays[0], k), k)
        pruned = prune_to(self, tree, float(alpha), k) if alpha else tree
        return pruned.with_shrinkage(float(self.shrinkage)) if self.shrinkage else pruned

    def _changed_in_passes(self) -> dict[str, Any]:
        """Return the parameters that rows outside memory do not allow, with what is used in their place."""
        changed: dict[str, Any] = {} if self.max_bins else {"max_bins": DEFAULT_BINS}
        if self.pruning == "error_based" and self.subtree_raising:
            changed["subtree_raising"] = False
        return changed

    def _finished_by_counts(self, arrays: dict[str, np.ndarray], n_classes: int) -> Tree:
        """Prune and shrink a grown tree by what is in its nodes alone."""
        tree = pruned_by_counts(self, tree_of(self, arrays, n_classes), n_classes)
        pruned = prune_to(self, tree, float(self.ccp_alpha), n_classes) if self.ccp_alpha else tree
        return pruned.with_shrinkage(float(self.shrinkage)) if self.shrinkage else pruned

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the nested sequence of pruned trees.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes or numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        Bunch
            ``ccp_alphas``: the price of a leaf at which each subtree becomes the best; ``impurities``: the
            impurity of its leaves, or their error rate with ``ccp_risk="error"``; ``n_leaves``.
        """
        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        return path_of(self, full.tree_)


@estimator
class DecisionTreeClassifier(TreeEstimator, VaglioClassifier):
    """Decision tree for classes, with every criterion, split, treatment of missing values and pruning method.

    The defaults are CART's, as in scikit-learn. Nominal columns and missing values are taken as they are.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio", "error"}
        What a split is chosen by: the decrease of the Gini index, information gain in bits ("entropy", "log_loss"),
        information gain over split information, or the decrease of the misclassification rate.
    pruning : {"pessimistic", "error_based", "reduced_error"} or None
        Pruning after growth, beside ``ccp_alpha``.
    ccp_risk : {"impurity", "error"}
        What cost-complexity pruning weighs against the number of leaves: the impurity of the leaves by ``criterion``,
        as scikit-learn does, or the rate of training rows they get wrong, as in Breiman and others.
    confidence_factor : float
        Confidence of the error limits in error-based pruning: a smaller value prunes more.
    subtree_raising : bool
        Whether error-based pruning may replace a node by its largest branch.
    epsilon : float
        Errors that pessimistic pruning adds to every leaf.
    chi2_alpha : float or None
        Split only if a chi-square test of branches against classes is significant at this level.
    average_gain : bool
        With the gain ratio: leave out columns whose gain is below the average, as Quinlan does. Nominal columns with at
        least 0.3 values per training row do not count in the average, and are not tested where no other column can be.
    leaf_smoothing : {"laplace", "m-estimate"}, float or None
        Smoothing of the probabilities in the leaves; a number is the m of the m-estimate, which is 2 otherwise.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "gain_ratio", "error"})],
        "pruning": [StrOptions({"pessimistic", "error_based", "reduced_error"}), None],
        "ccp_risk": [StrOptions({"impurity", "error"})],
        "confidence_factor": [Interval(Real, 0.0, 0.5, closed="right")],
        "subtree_raising": ["boolean"],
        "epsilon": NOT_NEGATIVE,
        "chi2_alpha": [*SHARE, None],
        "average_gain": ["boolean"],
        "leaf_smoothing": [StrOptions({"laplace", "m-estimate"}), *NOT_NEGATIVE, None],
    }

    criterion: str = "gini"
    class_weight: Any = None
    ccp_risk: str = "impurity"
    confidence_factor: float = 0.25
    subtree_raising: bool = True
    epsilon: float = 0.5
    chi2_alpha: float | None = None
    average_gain: bool = True
    leaf_smoothing: str | float | None = None


@estimator
class DecisionTreeRegressor(TreeEstimator, VaglioRegressor):
    """Decision tree for numbers: by default splits reduce the squared error, and a leaf predicts the mean of its rows.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse"}
        What a split is chosen by: the decrease of the variance ("friedman_mse" names the same), of the absolute error
        around the median, or of the deviance of Poisson's counts. By the absolute error a leaf predicts the median of
        its rows, otherwise the mean; y must not be negative for "poisson", and no branch may have a mean of 0.

    Examples
    --------
    >>> import numpy as np, vaglio
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> vaglio.DecisionTreeRegressor(max_depth=1).fit(X, [0, 0, 0, 1, 1, 1]).predict([[1.0], [4.0]])
    array([0., 1.])
    """

    _learner_id = "tree-regressor"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"criterion": [StrOptions(NUMBER_CRITERIA)]}

    criterion: str = "squared_error"
