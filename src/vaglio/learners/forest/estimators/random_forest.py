"""Random forests: many fully grown trees, each on its own bootstrap sample, each split among random columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse as sp
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio import _core
from vaglio._version import __version__
from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary
from vaglio.errors import InputError, NotSupportedError
from vaglio.fitted import Fitted
from vaglio.learners.estimator import VaglioClassifier, VaglioRegressor
from vaglio.learners.forest.estimators.ensemble import EnsembleEstimator, check_warm_start
from vaglio.learners.forest.estimators.growth import (
    Growth,
    Kept,
    TrainingRows,
    bag_of,
    balances_each,
    columns_of_tree,
    count_of,
    grow_trees,
    growth_seed,
)
from vaglio.learners.forest.model.forest import Forest, ForestArrays
from vaglio.learners.parameters import COUNT, COUNT_OR_SHARE, NOT_NEGATIVE, estimator
from vaglio.learners.provenance import plain_params
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from vaglio.learners.trees.estimators.growing import (
    NAMED_COUNTS,
    NUMBER_CRITERIA,
    GrowthParameters,
    NamedCount,
    NumberCriterion,
    TableShape,
    check_counts,
    columns_drawn,
    kernel_criterion,
    refuse_passes_by_rows,
    tree_config,
)
from vaglio.learners.trees.estimators.pruning import refuse_chosen_shrinkage, shrunken
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import DEFAULT_BINS
from vaglio.learners.trees.passes.tree_passes import grow_in_passes
from vaglio.messages.message import Option, text
from vaglio.runtime.seeds import seed_of
from vaglio.typing import ClassWeight, RandomState, TableLike


@estimator
class _ForestEstimator(EnsembleEstimator, GrowthParameters):
    """What the forest for classes and the forest for numbers share.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    max_features : {"sqrt", "log2", "third", "two_thirds"}, int, float or None
        Number of columns drawn at random for each split: the square root, the binary logarithm or a third of the number
        of columns, rounded down, two thirds of it, rounded up, a number, or a share. None takes all columns.
    features_per_tree : {"sqrt", "log2", "third", "two_thirds"}, int, float or None
        Number of columns drawn once for each tree, as for ``max_features``; None gives every tree all columns.
    permutation_importance : bool
        Also measure how much worse the predictions of out-of-bag rows become when the values of a column are shuffled.
    max_samples : int, float or None
        Number or share of the rows drawn for each tree; None draws as many as there are.
    ccp_alpha : float
        Cost-complexity pruning of every tree: the price of a leaf.
    warm_start : bool
        Keep the trees of the fit before and add as many as ``n_estimators`` asks for; on the same rows the result is
        that of a fit from the start.

    Attributes
    ----------
    estimators_ : sequence of DecisionTreeClassifier or DecisionTreeRegressor
        The trees, each as a fitted estimator that takes rows as the forest does; they are made when they are asked for.
        Trees for numbers do not know the impurity of their nodes.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on, as often as they were drawn.
    oob_score_ : float
        Out-of-bag accuracy, or R² for numbers, or what the function ``oob_score`` says; exists with ``oob_score``.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Of a classifier with ``oob_score``: probabilities by the trees that were not trained on the row; NaN for a row
        that all trees were trained on, or that has the weight 0.
    oob_prediction_ : ndarray of shape (n_samples,)
        Of a regressor with ``oob_score``: predictions by the trees that were not trained on the row, else NaN.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the total decrease of impurity, mean over the trees.
    learned_with_ : dict
        What was used in place of parameters that rows outside memory do not allow; exists only after such rows.
    permutation_importances_ : ndarray of shape (n_features,)
        With ``permutation_importance=True``: the accuracy lost (for numbers, the mean squared error added) when the
        column is shuffled, mean over the trees.
    """

    _learner_id = "random-forest"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": COUNT,
        "max_features": [StrOptions(set(NAMED_COUNTS)), *COUNT_OR_SHARE, None],
        "features_per_tree": [StrOptions(set(NAMED_COUNTS)), *COUNT_OR_SHARE, None],
        "permutation_importance": ["boolean"],
        "max_samples": [*COUNT_OR_SHARE, None],
        "ccp_alpha": NOT_NEGATIVE,
        "warm_start": ["boolean"],
    }

    # What a single tree lets the user choose is fixed for the trees of a forest.
    _draws_ties = True
    splitter: ClassVar[str] = "best"
    nominal_split: ClassVar[str] = "subset"
    missing: ClassVar[str] = "learned"
    min_gain: ClassVar[float] = 0.0

    n_estimators: int = field(default=100, kw_only=False)
    criterion: str = ""
    max_features: float | NamedCount | None = None
    features_per_tree: float | NamedCount | None = None
    bootstrap: bool = True
    oob_score: bool | Callable[[np.ndarray, np.ndarray], float] = False
    permutation_importance: bool = False
    max_samples: float | None = None
    ccp_alpha: float = 0.0
    warm_start: bool = False
    random_state: RandomState = None

    permutation_importances_: np.ndarray = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Forest:
        self._forget_out_of_bag()
        self._check_voting()
        check_counts(self, y)
        kept = self._kept(matrix)
        draws = self._draws(len(y))
        seed = seed_of(self.random_state) if kept is None else kept.growth.seed
        classes = getattr(self, "classes_", None)

        def grown(part: EncodedMatrix, target: np.ndarray, own: np.ndarray | None) -> Forest:
            rows = TrainingRows(part, target, own, classes)
            return self._made(grow_trees(self, rows, -(-draws * len(target) // len(y)), seed))

        arrays = grow_trees(self, TrainingRows(matrix, y, weight, classes), draws, seed, kept)
        forest = self._made(arrays)
        if self.shrinkage:
            forest = shrunken(self, forest, grown, matrix, y, weight)
        if self.oob_score:
            self._keep_out_of_bag(*forest.predict_unseen(matrix, draws, seed), y, text("tree"))
        if self.permutation_importance:
            losses = forest.permutation_importances(matrix, y, draws, seed)
            self.permutation_importances_ = losses.mean(axis=0)
        self._growth = Growth(seed, self._row_numbers(np.arange(len(y))), draws, arrays.importances)
        self.__dict__.pop("_members", None)
        return forest

    def _check_voting(self) -> None:
        if self.shrinkage and getattr(self, "voting", "soft") == "hard":
            raise InputError(
                "votes-with-shrinkage",
                "voting='hard' counts the majority of each leaf; shrinkage draws its shares. Leave one of them out.",
            )

    def _made(self, arrays: ForestArrays) -> Forest:
        forest = Forest.from_kernel(arrays, regression=not hasattr(self, "classes_"))
        return forest.with_votes() if getattr(self, "voting", "soft") == "hard" else forest

    def _kept(self, matrix: EncodedMatrix) -> Kept | None:
        """Return the trees of the fit before that this one goes on from."""
        fitted = vars(self).get("fitted_")
        if not self.warm_start or fitted is None:
            return None
        check_warm_start(self, matrix, fitted.model.n_trees, text("trees"))
        return Kept(fitted.model, self._growth)

    def _refuse_passes(self) -> None:
        for name in ("oob_score", "permutation_importance"):
            if getattr(self, name):
                raise NotSupportedError(
                    "out-of-bag-in-memory",
                    "{parameter} compares every row with the trees that did not see it, which needs all rows "
                    "in memory. Leave it out and evaluate on other rows, or train on a sample ({sample}).",
                    parameter=name,
                    sample=Option("data.sample(N)", flag="--sample N"),
                )

        for name, asked in (
            ("warm_start", self.warm_start and hasattr(self, "fitted_")),
            ("ccp_alpha", bool(self.ccp_alpha)),
            ('class_weight="balanced_subsample"', balances_each(self)),
            (text("monotonic_cst with features_per_tree"), None not in (self.monotonic_cst, self.features_per_tree)),
        ):
            if asked:
                raise NotSupportedError(
                    "trees-in-memory",
                    "{parameter} grows the trees one by one, which needs all rows in memory. Leave it out, "
                    "or train on a sample ({sample}).",
                    parameter=name,
                    sample=Option("data.sample(N)", flag="--sample N"),
                )
        refuse_passes_by_rows(self)
        refuse_chosen_shrinkage(self)

    def _passes(self, facts: TableSummary) -> Passes:
        self._check_voting()
        features = facts.codebook.features
        config = tree_config(self, TableShape(features, facts.n_rows), facts.n_classes)
        per_tree, seed = columns_of_tree(self.features_per_tree, len(features)), seed_of(self.random_state)
        draws = self._draws(facts.n_rows)
        plan = _core.plan_forest(len(features), self.n_estimators, draws, per_tree, seed)
        arrays = yield from grow_in_passes(facts, config, self.max_bins, self._strict, plan, True)
        self.learned_with_ = {} if self.max_bins else {"max_bins": DEFAULT_BINS}
        self._growth = Growth(seed, range(facts.n_rows), draws, arrays.importances)
        self.__dict__.pop("_members", None)
        forest = self._made(arrays)
        return forest.with_shrinkage(float(self.shrinkage)) if self.shrinkage else forest

    def _draws(self, n: int) -> int:
        """Rows drawn for each tree; 0 when every tree sees all rows once."""
        if not self.bootstrap:
            for name in ("oob_score", "permutation_importance", "max_samples"):
                if getattr(self, name):
                    raise InputError(
                        "bootstrap-needed",
                        "{parameter} needs bootstrap=True: without it every tree sees every row.",
                        parameter=name,
                    )
            return 0
        if isinstance(self.max_samples, (int, np.integer)) and self.max_samples > n:
            raise InputError(
                "sample-larger-than-rows",
                "max_samples={max_samples}, but there are {n:,} rows. Use at most that many.",
                max_samples=self.max_samples,
                n=n,
            )
        return count_of(self.max_samples, n) or n

    @property
    def _forest(self) -> Forest:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, Forest)
        return model

    @property
    def estimators_(self) -> TreeMembers:
        """The trees, each as a fitted estimator."""
        check_is_fitted(self, "fitted_")
        kept: TreeMembers | None = self.__dict__.get("_members")
        if kept is None:
            kept = self._members = TreeMembers(self)
        return kept

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, as often as they were drawn."""
        n_trees, growth = self._forest.n_trees, self._growth
        bags = (bag_of(growth.seed, i, len(growth.rows), growth.draws) for i in range(n_trees))
        rows = np.asarray(growth.rows, dtype=np.int32 if len(growth.rows) < 1 << 31 else None)
        return [rows.copy() if bag is None else np.repeat(rows, bag) for bag in bags]

    def __getstate__(self) -> dict[str, Any]:
        # The trees as estimators are made anew where they are asked for.
        return {name: value for name, value in super().__getstate__().items() if name != "_members"}

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of impurity, mean over the trees."""
        return self._forest.importances

    def _leaves(self, matrix: EncodedMatrix) -> tuple[np.ndarray, int]:
        return self._forest.apply(matrix), self._forest.n_nodes

    def _parents(self) -> np.ndarray:
        return self._forest.parents

    def rules(self) -> RuleSet:
        """Return the model as a :class:`~vaglio.RuleSet`: the rules of all trees, of which the mean counts."""
        check_is_fitted(self, "fitted_")
        found: RuleSet = self.fitted_.rules()
        return found

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree: its number within the tree.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        matrix = self._encode(X)
        leaves: np.ndarray = self._forest.apply(matrix) - self._forest.starts[:-1]
        return leaves

    def decision_path(self, X: TableLike) -> tuple[sp.csr_array, np.ndarray]:
        """Return which nodes of all trees each row passes, and where the nodes of each tree begin.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        indicator : csr_array of shape (n_samples, n_nodes)
            The columns of tree i are those from ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]``.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
        """
        matrix = self._encode(X)
        forest = self._forest
        parents, nodes = forest.parents, forest.apply(matrix).astype(np.int64).ravel()
        rows = np.repeat(np.arange(matrix.n_rows), forest.n_trees)
        passed = [(rows, nodes)]
        while len(nodes):
            above = parents[nodes]
            rows, nodes = rows[above >= 0], above[above >= 0]
            passed.append((rows, nodes))
        at, found = (np.concatenate(part) for part in zip(*passed))
        ones = np.ones(len(at), dtype=np.int64)
        indicator = sp.csr_array((ones, (at, found)), shape=(matrix.n_rows, forest.n_nodes))
        return indicator, forest.starts.copy()


@estimator
class RandomForestClassifier(VaglioClassifier, _ForestEstimator):
    """Random forest for classes: the trees' class probabilities are averaged.

    Nominal columns are split into two sets of values; missing values go to the branch where they improve the split. The
    same seed gives the same forest for any ``n_jobs``.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}
        What a split is chosen by: the decrease of the Gini index, information gain in bits ("entropy", "log_loss"), or
        the decrease of the misclassification rate.
    class_weight : dict, "balanced", "balanced_subsample" or None
        Factor of the weight of every row of a class. "balanced" gives all classes the same total weight,
        "balanced_subsample" in the sample of each tree.
    voting : {"soft", "hard"}
        "soft" averages the class probabilities of the trees. With "hard" every tree votes for the majority of its leaf,
        and probabilities are shares of votes.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> forest = vaglio.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "error"})],
        "class_weight": [dict, StrOptions({"balanced", "balanced_subsample"}), None],
        "voting": [StrOptions({"soft", "hard"})],
    }

    criterion: Literal["gini", "entropy", "log_loss", "error"] = "gini"
    max_features: float | NamedCount | None = "sqrt"
    class_weight: ClassWeight | Literal["balanced_subsample"] = None
    voting: Literal["soft", "hard"] = "soft"

    def _with_class_weight(
        self, codes: np.ndarray, weight: np.ndarray | None, as_given: bool = False
    ) -> np.ndarray | None:
        if balances_each(self):  # the trees do it
            return None if weight is None else self._near_one(weight)
        return super()._with_class_weight(codes, weight, as_given)


@estimator
class RandomForestRegressor(VaglioRegressor, _ForestEstimator):
    """Random forest for numbers: the mean over trees, which by default split by the variance they remove.

    Nominal columns are split into two sets of values; missing values go to the branch where they improve the split. The
    same seed gives the same forest for any ``n_jobs``.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse"}
        What a split is chosen by: the decrease of the variance ("friedman_mse" names the same), of the absolute error
        around the median, or of the deviance of Poisson's counts. By the absolute error a leaf predicts the median of
        its rows, otherwise the mean; y must not be negative for "poisson", and no branch may have a mean of 0.

    Examples
    --------
    >>> from vaglio import RandomForestRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = RandomForestRegressor(30, random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(18 < forest.predict([[10.0]])[0] < 22)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"criterion": [StrOptions(NUMBER_CRITERIA)]}

    criterion: NumberCriterion = "squared_error"
    max_features: float | NamedCount | None = "two_thirds"


# What belongs to the forest as a whole, or is drawn for each tree.
_OWN = {"class_weight", "max_features", "n_jobs", "random_state", "shrinkage"}


class TreeMembers(Sequence[Any]):
    """The trees of a fitted forest, in their order.

    Parameters
    ----------
    forest : estimator
        The fitted forest.
    """

    def __init__(self, forest: Any) -> None:
        self._forest = forest
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return int(self._forest.fitted_.model.n_trees)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._made:
            self._made[number] = _member(self._forest, number)
        return self._made[number]

    def __repr__(self) -> str:
        return f"<{len(self)} fitted trees>"


def _member(forest: Any, index: int) -> Any:
    """Return one tree of a forest as a fitted estimator."""
    fitted, growth = forest.fitted_, forest._growth
    kind: Any = DecisionTreeRegressor if fitted.classes is None else DecisionTreeClassifier
    shared = set(kind._get_param_names()) & set(forest._get_param_names()) - _OWN
    width = len(fitted.codebook.features)
    member = kind(
        **{name: getattr(forest, name) for name in sorted(shared)},
        max_features=columns_drawn(forest.max_features, width) or None,
        random_state=growth_seed(growth.seed, index) & 0xFFFFFFFF,
    )
    member._draws_ties = True
    tree = _with_impurity(fitted.model.tree(index, fitted.codebook.features), kernel_criterion(forest))
    member.n_features_in_ = forest.n_features_in_
    if hasattr(forest, "feature_names_in_"):
        member.feature_names_in_ = forest.feature_names_in_
    if fitted.classes is not None:
        member.classes_ = forest.classes_
    member._importances = (tree, growth.importances[index])
    provenance = {"version": __version__}
    member.fitted_ = Fitted(fitted.codebook, tree, fitted.classes, member._learner_id, plain_params(member), provenance)
    return member


def _with_impurity(tree: Tree, criterion: str) -> Tree:
    """Return the tree with the impurity of its nodes and the gain of its tests, which the class weights tell."""
    if tree.regression:
        return tree
    share = tree.value / np.maximum(tree.value.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    if criterion == "gini":
        impurity = 1 - (share**2).sum(axis=1)
    elif criterion == "error":
        impurity = 1 - share.max(axis=1)
    else:
        impurity = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], (tree.weight * impurity)[1:])
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(tree.is_leaf, 0.0, impurity - below / tree.weight)
    return replace(tree, impurity=impurity + 0.0, gain=gain)
