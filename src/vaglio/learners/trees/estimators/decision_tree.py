"""Decision trees with every option; the textbook algorithms are these with other defaults.

See :mod:`vaglio.learners.trees.estimators.presets`.
"""

from __future__ import annotations

from dataclasses import field
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from scipy import sparse as sp
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Chunk, Passes, TableSummary, run_in_memory
from vaglio.errors import NotSupportedError
from vaglio.learners.estimator import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learners.parameters import BETWEEN_0_AND_1, COUNT_OR_SHARE, NOT_NEGATIVE, SHARE, estimator
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.estimators.growing import (
    NUMBER_CRITERIA,
    GrowthParameters,
    NumberCriterion,
    TableShape,
    check_counts,
    grow_and_prune,
    on_bins,
    prune_to,
    pruned_by_counts,
    refuse_passes_by_rows,
    tree_config,
    tree_of,
)
from vaglio.learners.trees.estimators.pruning import choose_alpha, path_of, refuse_chosen_shrinkage, shrunken
from vaglio.learners.trees.model.rules import outline
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import DEFAULT_BINS, WeightSummary, binning_of
from vaglio.learners.trees.passes.held_out import OnBins, reduced_tree, tree_and_price
from vaglio.learners.trees.passes.tree_passes import (
    RowsInMemory,
    Setup,
    Sizes,
    amounts_in_passes,
    binning_in_passes,
    grow_trees,
)
from vaglio.messages.message import Option
from vaglio.plot.tree_drawing import Box, draw_tree_axes, draw_tree_svg, draw_tree_text
from vaglio.runtime.arguments import checked
from vaglio.typing import ClassWeight, ColumnLike, RandomState, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Criterion = Literal["gini", "entropy", "log_loss", "gain_ratio", "error"]
MissingValues = Literal["learned", "fractional", "branch"]
NominalSplit = Literal["subset", "multiway"]
Pruning = Literal["pessimistic", "error_based", "reduced_error"]


@estimator
class SingleTreeEstimator(VaglioEstimator):
    """What every learner of a single tree can do once it is fitted: walk it, draw it, read it as rules.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree as arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total decrease of impurity.
    """

    @property
    def tree_(self) -> Tree:
        """The fitted tree as arrays."""
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, Tree)
        return model

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of impurity."""
        # A forest keeps the importances of its trees, not the impurity of every node.
        model, kept = self.__dict__.get("_importances", (None, None))
        return kept.copy() if model is self.tree_ else self.tree_.importances(self.n_features_in_)

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches.

        With ``missing="fractional"`` a row may reach several leaves: the one with the largest share of its weight
        counts, of equal ones the one with the lowest number.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        return self.tree_.apply(self._encode(X))

    def decision_path(self, X: Any) -> sp.csr_array:
        """Return which nodes each row passes, as a sparse indicator matrix.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)
        """
        return self.tree_.decision_path(self._encode(X))

    def rules(self) -> RuleSet:
        """Return the model as a :class:`~vaglio.RuleSet`: a rule per leaf."""
        check_is_fitted(self, "fitted_")
        found: RuleSet = self.fitted_.rules()
        return found

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves

    @checked
    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree drawn with box characters.

        Parameters
        ----------
        max_depth : int, optional
            Deepest level that is drawn.

        Returns
        -------
        str
        """
        return draw_tree_text(self._outline(max_depth))

    @checked
    def to_svg(self, max_depth: int | None = None) -> str:
        """Return the tree drawn as SVG.

        Parameters
        ----------
        max_depth : int, optional
            Deepest level that is drawn.

        Returns
        -------
        str
        """
        classes = [str(label) for label in getattr(self, "classes_", ())]
        return draw_tree_svg(
            self._outline(max_depth), classes, title=f"Decision tree with {self.get_n_leaves()} leaves"
        )

    @checked
    def plot(self, ax: Axes | None = None, *, max_depth: int | None = None) -> Any:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure, as large as the tree needs.
        max_depth : int, optional
            Deepest level that is drawn.

        Returns
        -------
        Axes
        """
        return draw_tree_axes(self._outline(max_depth), [str(label) for label in getattr(self, "classes_", ())], ax)

    def _outline(self, max_depth: int | None) -> Box:
        fitted = self.fitted_
        told = max_depth, fitted.decision_cost
        return outline(self.tree_, fitted.codebook.features, fitted.classes, *told, calibration=fitted.calibration)


@estimator
class TreeEstimator(SingleTreeEstimator, GrowthParameters):
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
        weight ("fractional"), or to a branch of its own ("branch").
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
        "missing": [StrOptions({"fractional", "learned", "branch"})],
        "pruning": [StrOptions({"reduced_error"}), None],
        "validation_fraction": BETWEEN_0_AND_1,
        "min_gain": NOT_NEGATIVE,
        "one_standard_error": ["boolean"],
    }

    criterion: str = ""
    splitter: Literal["best", "random"] = "best"
    max_features: float | Literal["sqrt", "log2"] | None = None
    random_state: RandomState = None
    ccp_alpha: float | Literal["cv"] = 0.0
    nominal_split: NominalSplit = "subset"
    missing: MissingValues = "learned"
    pruning: Pruning | None = None
    validation_fraction: float = 0.33
    min_gain: float = 0.0
    one_standard_error: bool = False

    ccp_alpha_: float = field(init=False)
    ccp_path_: Bunch = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        n_classes = len(getattr(self, "classes_", ()))
        check_counts(self, y)
        by_rows_left_out = (self.ccp_alpha == "cv") != (self.pruning == "reduced_error")
        if on_bins(self) and by_rows_left_out and self.shrinkage != "cv":
            binning = binning_of(matrix, int(self.max_bins or 0), self._strict)
            amounts = WeightSummary.of(y, weight, n_classes)
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
                "rows-not-in-memory",
                "{name} needs all rows in memory. Train on a sample of the scanned table ({sample}), or "
                "read the table.",
                name=type(self).__name__,
                sample=Option("data.sample(N).xy(target)", flag="--sample N"),
            )
        if self.ccp_alpha == "cv" and self.pruning == "reduced_error":
            raise NotSupportedError(
                "two-prunings-in-memory",
                'ccp_alpha="cv" together with reduced-error pruning needs all rows in memory. Use one of '
                "them, or train on a sample ({sample}).",
                sample=Option("data.sample(N)", flag="--sample N"),
            )
        refuse_passes_by_rows(self)
        refuse_chosen_shrinkage(self)

    def _passes(self, facts: TableSummary) -> Passes:
        n_classes = facts.n_classes
        config = tree_config(self, TableShape(facts.codebook.features, facts.n_rows), n_classes)
        self.learned_with_ = self._changed_out_of_core()
        binning = yield from binning_in_passes(facts, self.max_bins or DEFAULT_BINS, self._strict)
        amounts = yield from amounts_in_passes(facts)
        return (yield from self._learn_on_bins(facts, OnBins(binning, amounts, n_classes, config)))

    def _changed_out_of_core(self) -> dict[str, Any]:
        """Return the parameters that rows out of core do not allow, with what is used in their place."""
        changed: dict[str, Any] = {} if self.max_bins else {"max_bins": DEFAULT_BINS}
        if self.pruning == "error_based" and getattr(self, "subtree_raising", False):
            changed["subtree_raising"] = False
        return changed

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
            return self._finished_by_counts(arrays[0], k)
        pruned = prune_to(self, tree, float(alpha), k) if alpha else tree
        return pruned.with_shrinkage(float(self.shrinkage)) if self.shrinkage else pruned

    def _finished_by_counts(self, arrays: _core.TreeArrays, n_classes: int) -> Tree:
        """Prune and shrink a grown tree by what is in its nodes alone."""
        tree = pruned_by_counts(self, tree_of(self, arrays, n_classes), n_classes)
        pruned = prune_to(self, tree, float(self.ccp_alpha), n_classes) if self.ccp_alpha else tree
        return pruned.with_shrinkage(float(self.shrinkage)) if self.shrinkage else pruned

    @checked
    def cost_complexity_pruning_path(
        self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None
    ) -> Bunch:
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

    criterion: Criterion = "gini"
    class_weight: ClassWeight = None
    ccp_risk: Literal["impurity", "error"] = "impurity"
    confidence_factor: float = 0.25
    subtree_raising: bool = True
    epsilon: float = 0.5
    chi2_alpha: float | None = None
    average_gain: bool = True
    leaf_smoothing: Literal["laplace", "m-estimate"] | float | None = None


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

    _learner_id = "cart"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"criterion": [StrOptions(NUMBER_CRITERIA)]}

    criterion: NumberCriterion = "squared_error"
    pruning: Literal["reduced_error"] | None = None
