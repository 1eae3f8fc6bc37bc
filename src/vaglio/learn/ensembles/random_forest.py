"""Random forests: many fully grown trees, each on its own bootstrap sample, each split among random columns."""

from __future__ import annotations

from dataclasses import field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import InputError, NotSupportedError
from vaglio.learn._parameters import COUNT, COUNT_OR_SHARE, estimator
from vaglio.learn.ensembles._out_of_bag import OutOfBagEstimator
from vaglio.learn.ensembles._similarity import HasSimilarity
from vaglio.learn.estimator import VaglioClassifier, VaglioRegressor
from vaglio.learn.has_rules import HasRules
from vaglio.learn.trees.amounts import Amounts
from vaglio.learn.trees.growing import (
    NUMBER_CRITERIA,
    GrowthParameters,
    TableShape,
    check_counts,
    on_bins,
    refuse_passes_by_rows,
    tree_config,
)
from vaglio.learn.trees.shrinking import refuse_chosen_shrinkage, shrunken
from vaglio.learn.trees.tree_bins import DEFAULT_BINS, binning_of
from vaglio.learn.trees.tree_passes import Setup, grow_block, grow_in_passes
from vaglio.model.ensembles.forest import Forest
from vaglio.model.trees.grower import training_table
from vaglio.model.trees.tree import Tree
from vaglio.runtime.seeds import seed_of
from vaglio.scale.passes import Chunk, Facts, Passes


@estimator
class _ForestEstimator(HasRules, HasSimilarity, OutOfBagEstimator, GrowthParameters):
    """What the forest for classes and the forest for numbers share.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    max_features : {"sqrt", "log2", "third"}, int, float or None
        Number of columns drawn at random for each split: the square root, the binary logarithm or a third of the number
        of columns, a number, or a share. None takes all columns.
    features_per_tree : int, float or None
        Number or share of the columns drawn once for each tree; None gives every tree all columns.
    permutation_importance : bool
        Also measure how much worse the predictions of out-of-bag rows become when the values of a column are shuffled.
    max_samples : int, float or None
        Number or share of the rows drawn for each tree; None draws as many as there are.

    Attributes
    ----------
    estimators_ : list of Tree
        The trees, each as a model of its own.
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
        "max_features": [StrOptions({"sqrt", "log2", "third"}), *COUNT_OR_SHARE, None],
        "features_per_tree": [*COUNT_OR_SHARE, None],
        "permutation_importance": ["boolean"],
        "max_samples": [*COUNT_OR_SHARE, None],
    }

    # What a single tree lets the user choose is fixed for the trees of a forest.
    splitter: ClassVar[str] = "best"
    nominal_split: ClassVar[str] = "subset"
    missing: ClassVar[str] = "learned"
    monotonic_cst: ClassVar[None] = None
    min_gain: ClassVar[float] = 0.0

    n_estimators: int = field(default=100, kw_only=False)
    criterion: str = ""
    max_features: float | str | None = None
    features_per_tree: float | None = None
    permutation_importance: bool = False
    max_samples: float | None = None
    random_state: Any = None

    permutation_importances_: np.ndarray = field(init=False)
    learned_with_: dict[str, Any] = field(init=False)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Forest:
        self._forget_out_of_bag()
        check_counts(self, y)
        seed, draws = seed_of(self.random_state), self._draws(len(y))

        def grown(part: EncodedMatrix, target: np.ndarray, own: np.ndarray | None) -> Forest:
            return self._grow(part, target, own, -(-draws * len(target) // len(y)), seed)

        forest = grown(matrix, y, weight)
        if self.shrinkage:
            forest = shrunken(self, forest, grown, matrix, y, weight)
        if self.oob_score:
            self._keep_out_of_bag(*forest.predict_unseen(matrix, draws, seed), y, "tree")
        if self.permutation_importance:
            losses = forest.permutation_importances(matrix, y, draws, seed)
            self.permutation_importances_ = losses.mean(axis=0)
        return forest

    def _grow(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, draws: int, seed: int) -> Forest:
        n_classes = len(getattr(self, "classes_", ()))
        config = tree_config(self, matrix, n_classes)
        options = (self.n_estimators, draws, _count(self.features_per_tree, matrix.n_features), seed)
        if self.max_bins is not None and on_bins(self):
            binning, amounts = binning_of(matrix, self.max_bins, self._strict), Amounts.of(y, weight, n_classes)
            setup = Setup.made(binning, amounts, n_classes, _core.plan_forest(matrix.n_features, *options))
            block = setup.block(Chunk(matrix, y, weight, 0))
            arrays = grow_block(setup, block, config, joined=True, threads=matrix.threads)
        else:
            names = ("n_trees", "draws", "features_per_tree", "seed")
            given: dict[str, Any] = dict(zip(names, options), n_threads=matrix.threads)
            arrays = _core.grow_forest(training_table(matrix), y, n_classes, weight, config=config, **given)
        return Forest.from_kernel(arrays, regression=n_classes == 0)

    def _refuse_passes(self) -> None:
        for name in ("oob_score", "permutation_importance"):
            if getattr(self, name):
                raise NotSupportedError(
                    f"{name} asks every row of the trees that did not see it, for which rows must be in memory: leave "
                    "it out and evaluate on other rows, or learn from a stated sample."
                )

        refuse_passes_by_rows(self)
        refuse_chosen_shrinkage(self)

    def _passes(self, facts: Facts) -> Passes:
        features = facts.codebook.features
        config = tree_config(self, TableShape(features, facts.n_rows), facts.n_classes)
        per_tree, seed = _count(self.features_per_tree, len(features)), seed_of(self.random_state)
        plan = _core.plan_forest(len(features), self.n_estimators, self._draws(facts.n_rows), per_tree, seed)
        arrays = yield from grow_in_passes(facts, config, self.max_bins, self._strict, plan, True)
        self.learned_with_ = {} if self.max_bins else {"max_bins": DEFAULT_BINS}
        forest = Forest.from_kernel(arrays, regression=facts.n_classes == 0)
        return forest.with_shrinkage(float(self.shrinkage)) if self.shrinkage else forest

    def _draws(self, n: int) -> int:
        """Rows drawn for each tree; 0 when every tree sees all rows once."""
        if not self.bootstrap:
            for name in ("oob_score", "permutation_importance", "max_samples"):
                if getattr(self, name):
                    raise InputError(f"{name} needs bootstrap=True: without it every tree sees every row.")
            return 0
        if isinstance(self.max_samples, (int, np.integer)) and self.max_samples > n:
            raise InputError(f"max_samples is {self.max_samples}, but there are {n} rows: use at most that many.")
        return _count(self.max_samples, n) or n

    @property
    def _forest(self) -> Forest:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, Forest)
        return model

    @property
    def estimators_(self) -> list[Tree]:
        """The trees, each as a model of its own."""
        forest = self._forest
        return [forest.tree(i, self.fitted_.codebook.features) for i in range(forest.n_trees)]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of impurity, mean over the trees."""
        return self._forest.importances

    def _leaves(self, matrix: EncodedMatrix) -> tuple[np.ndarray, int]:
        return self._forest.apply(matrix), self._forest.n_nodes

    def _parents(self) -> np.ndarray:
        return self._forest.parents

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

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> forest = vaglio.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "error"})]
    }

    criterion: str = "gini"
    max_features: float | str | None = "sqrt"
    class_weight: Any = None


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

    criterion: str = "squared_error"
    max_features: float | str | None = "third"


def _count(value: float | None, total: int) -> int:
    """A whole number is itself, a fraction a share of the total, None is 0."""
    if value is None:
        return 0
    return int(value) if isinstance(value, Integral) else max(1, round(value * total))
