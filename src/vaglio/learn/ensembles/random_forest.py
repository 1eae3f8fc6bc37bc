"""Random forests: many fully grown trees, each on its own bootstrap sample, each split among random columns."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix
from vaglio.errors import DataWarning, InputError
from vaglio.learn._base import HasRules, VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learn.ensembles._leaf_similarity import HasSimilarity
from vaglio.learn.trees.growing import tree_config
from vaglio.model.ensembles.forest import Forest
from vaglio.model.trees.grower import training_table
from vaglio.model.trees.tree import Tree
from vaglio.runtime.seeds import seed_of

_COUNT = [Interval(Integral, 1, None, closed="left")]
_SHARE = [Interval(Real, 0.0, 1.0, closed="right")]


class _ForestEstimator(HasRules, HasSimilarity, VaglioEstimator):
    """What the forest of classes and the forest of numbers share."""

    _learner_id = "random-forest"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": _COUNT,
        "max_depth": [*_COUNT, None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), *_SHARE],
        "min_samples_leaf": [*_COUNT, Interval(Real, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [StrOptions({"sqrt", "log2", "third"}), *_COUNT, *_SHARE, None],
        "features_per_tree": [*_COUNT, *_SHARE, None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "permutation_importance": ["boolean"],
        "max_samples": [*_COUNT, *_SHARE, None],
        "max_bins": [Interval(Integral, 2, None, closed="left"), None],
        "unseen": [StrOptions({"missing", "error"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    # How every tree of a forest is grown: what the tree learners leave open is settled here.
    splitter: ClassVar[str] = "best"
    nominal_split: ClassVar[str] = "subset"
    missing: ClassVar[str] = "learnt"
    monotonic_cst: ClassVar[None] = None
    min_gain: ClassVar[float] = 0.0
    _reuse_nominal: ClassVar[bool] = True
    _strict: ClassVar[bool] = False
    _c45_numeric: ClassVar[bool] = False
    _require_gain: ClassVar[bool] = False
    _oblique: ClassVar[bool] = False

    oob_score_: float

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Forest:
        n_classes = len(getattr(self, "classes_", ()))
        total = float(len(y) if weight is None else weight.sum())
        seed, draws = seed_of(self.random_state), self._draws(len(y))
        arrays = _core.grow_forest(
            training_table(matrix),
            y,
            n_classes,
            weight,
            config=tree_config(self, matrix, total, n_classes),
            n_trees=self.n_estimators,
            draws=draws,
            features_per_tree=_count(self.features_per_tree, matrix.n_features),
            seed=seed,
            n_threads=matrix.threads,
        )
        forest = Forest.from_kernel(arrays, regression=n_classes == 0)
        if self.oob_score:
            self._score_unseen(forest, matrix, y, draws, seed)
        if self.permutation_importance:
            losses = forest.permutation_importances(matrix, y, draws, seed)
            self.permutation_importances_ = losses.mean(axis=0)
        return forest

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

    def _score_unseen(self, forest: Forest, matrix: EncodedMatrix, y: np.ndarray, draws: int, seed: int) -> None:
        means, asked = forest.predict_unseen(matrix, draws, seed)
        known = asked > 0
        if not known.all():
            warnings.warn(
                f"{int((~known).sum())} of {len(y)} rows were drawn for every tree and have no out-of-bag estimate: "
                "use more trees.",
                DataWarning,
                stacklevel=4,
            )
        self._keep_unseen(means, known, y)

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        raise NotImplementedError

    @property
    def _forest(self) -> Forest:
        return self.fitted_.model  # type: ignore[return-value]

    @property
    def estimators_(self) -> list[Tree]:
        """The trees, each as a model of its own."""
        features = self.fitted_.codebook.features
        return [self._forest.tree(i, features) for i in range(self._forest.n_trees)]

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
        return self._forest.apply(matrix) - self._forest.starts[:-1]


class RandomForestClassifier(VaglioClassifier, _ForestEstimator):
    """Random forest for classes.

    Nominal columns are split into two sets of values, missing values go where they fit best. The same seed gives the
    same forest for any ``n_jobs``.

    Parameters
    ----------
    n_estimators : int, default 100
    criterion : {"gini", "entropy", "log_loss", "error"}
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        As in :class:`~vaglio.DecisionTreeClassifier`; by default trees are fully grown.
    max_features : {"sqrt", "log2", "third"}, int, float or None
        Columns drawn for each split.
    features_per_tree : int, float or None
        Columns drawn once for each tree; None leaves it all.
    bootstrap : bool, default True
        Each tree sees rows drawn with replacement.
    oob_score : bool, default False
        Estimate the accuracy on the rows each tree did not see.
    permutation_importance : bool, default False
        Also measure how much accuracy is lost on unseen rows when a column is shuffled.
    max_samples : int, float or None
        Rows drawn for each tree; None as many as there are.
    max_bins : int or None
        Cut numbers into that many quantiles: faster, no longer exact.
    class_weight : dict, "balanced" or None
    unseen : {"missing", "error"}
        What a category means that training never saw.
    n_jobs : int or None
    random_state : int, RandomState or None

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
    permutation_importances_ : ndarray of shape (n_features,)
        Mean loss of accuracy, if asked for.
    oob_score_ : float
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Probabilities by the trees that did not see the row; NaN for a row that all saw.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> forest = vaglio.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.95
    True
    """

    oob_decision_function_: np.ndarray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_ForestEstimator._parameter_constraints,
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "error"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        features_per_tree: float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        permutation_importance: bool = False,
        max_samples: float | None = None,
        max_bins: int | None = None,
        class_weight: Any = None,
        unseen: str = "missing",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per_tree = features_per_tree
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.permutation_importance = permutation_importance
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.class_weight = class_weight
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        self.oob_decision_function_ = means
        right = np.argmax(means[known], axis=1) == y[known]
        self.oob_score_ = float(right.mean()) if known.any() else float("nan")


class RandomForestRegressor(VaglioRegressor, _ForestEstimator):
    """Random forest for numbers: the mean over trees that split by the variance they remove.

    Parameters are those of :class:`RandomForestClassifier` without ``class_weight``; ``max_features`` is a third of the
    columns by default, and ``oob_score_`` is R².

    Attributes
    ----------
    feature_importances_, permutation_importances_ : ndarray of shape (n_features,)
        The second, if asked for, is the mean squared error added by shuffling the column.
    oob_score_ : float
    oob_prediction_ : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from vaglio import RandomForestRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = RandomForestRegressor(30, random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(18 < forest.predict([[10.0]])[0] < 22)
    True
    """

    oob_prediction_: np.ndarray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_ForestEstimator._parameter_constraints,
        "criterion": [StrOptions({"squared_error"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "third",
        features_per_tree: float | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        permutation_importance: bool = False,
        max_samples: float | None = None,
        max_bins: int | None = None,
        unseen: str = "missing",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per_tree = features_per_tree
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.permutation_importance = permutation_importance
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        self.oob_prediction_ = means[:, 0]
        self.oob_score_ = float(r2_score(y[known], means[known, 0])) if known.sum() > 1 else float("nan")


def _count(value: float | None, total: int) -> int:
    """A whole number is itself, a fraction a share of the total, None is 0."""
    if value is None:
        return 0
    return int(value) if isinstance(value, Integral) else max(1, round(value * total))
