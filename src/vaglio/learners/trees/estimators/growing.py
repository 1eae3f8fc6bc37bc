"""Growing and pruning: from an estimator's parameters to the configuration of a tree grower, and back to a Tree.

Pruning that needs only the training rows is done by the grower; reduced-error pruning sets rows aside first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil, log2, sqrt
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, guarded_from
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.estimator import VaglioEstimator
from vaglio.learners.inner_split import inner_split
from vaglio.learners.monotonicity import monotonic_directions
from vaglio.learners.parameters import (
    COUNT,
    COUNT_FROM_2,
    COUNT_OR_PART,
    COUNT_OR_SHARE,
    NOT_NEGATIVE,
    estimator,
)
from vaglio.learners.trees.model.grower import grow_tree, training_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.passes.bins import WeightSummary, binning_of
from vaglio.messages.message import Option
from vaglio.runtime.seeds import seed_of
from vaglio.typing import MonotonicConstraints, RandomState

if TYPE_CHECKING:
    from vaglio.learners.trees.estimators.decision_tree import TreeEstimator

_CRITERIA = {"entropy": "gain", "log_loss": "gain", "friedman_mse": "squared_error"}
# Sums of rows do not tell these losses: the grower needs the rows themselves, in memory.
_BY_ROWS = {"absolute_error", "poisson"}
# What the splits of trees for numbers may be chosen by.
NumberCriterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]
NUMBER_CRITERIA = set(get_args(NumberCriterion))
# How many columns a name stands for, of so many.
NamedCount = Literal["sqrt", "log2", "third", "two_thirds"]
NAMED_COUNTS: dict[str, Callable[[int], int]] = {
    "sqrt": lambda width: int(sqrt(width)),
    "log2": lambda width: int(log2(width)),
    "third": lambda width: width // 3,
    "two_thirds": lambda width: ceil(2 * width / 3),
}


@estimator
class GrowthParameters(VaglioEstimator):
    """How far a tree is grown: what single trees and forests share.

    Parameters
    ----------
    max_depth : int or None
        Largest number of tests on a path; None sets no limit.
    min_samples_split : int or float
        Fewest rows in a node that is split, whatever they weigh; a float is a share of all rows.
    min_samples_leaf : int or float
        Fewest rows in a leaf, whatever they weigh; a float is a share of all rows.
    min_weight_fraction_leaf : float
        Smallest share of the whole weight in a leaf.
    max_leaf_nodes : int or None
        Largest number of leaves; the best splits are made first.
    min_impurity_decrease : float
        Smallest decrease of impurity of a split, weighted by the node's share of all rows.
    monotonic_cst : array-like, dict or None
        -1, 0 or +1 per column, or a dict from column name to sign: the prediction (the probability of the second of two
        classes, or the number) must not rise (-1) or not fall (+1) with the column. A boolean column counts as 0 and 1.
    max_bins : int or None
        Cut numeric columns into this many quantile bins: faster, but no longer exact. None is exact.
    high_cardinality : float or None
        Correct the gain of a nominal column for chance if it has more than ten values and more than this share of the
        number of training rows: many values fit any target. None corrects no column.
    shrinkage : float, "cv" or None
        Hierarchical shrinkage, after growth and pruning: what a leaf predicts is drawn towards the nodes above it, the
        more the fewer rows they have. A step from a node of N rows to its child counts 1 / (1 + shrinkage / N). "cv"
        chooses the number by five-fold cross-validation. The tests of the trees stay as they are.

    Attributes
    ----------
    shrinkage_ : float
        The number that ``shrinkage="cv"`` chose; exists only then.
    """

    _scales_weights: ClassVar[bool] = True
    # Switches of the grower that belong to a textbook algorithm and are no parameters.
    _reuse_nominal: ClassVar[bool] = True
    _strict: ClassVar[bool] = False
    _c45_numeric: ClassVar[bool] = False
    _require_gain: ClassVar[bool] = False
    _oblique: ClassVar[bool] = False
    # Members of an ensemble set it: of columns that split equally well the seed draws one. Alone, a tree takes the
    # first, so that it is the same for every seed and people find the column they would have chosen.
    _draws_ties = False
    # The namespace of scikit-learn sets it: below a monotonic test values are brought back into its bounds, where a
    # split that leaves them would otherwise be refused.
    _clips_values = False
    _writes_out_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [*COUNT, None],
        "min_samples_split": COUNT_OR_SHARE,
        "min_samples_leaf": COUNT_OR_PART,
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_leaf_nodes": [*COUNT_FROM_2, None],
        "min_impurity_decrease": NOT_NEGATIVE,
        "monotonic_cst": ["array-like", dict, None],
        "max_bins": [*COUNT_FROM_2, None],
        "high_cardinality": [*NOT_NEGATIVE, None],
        "shrinkage": [*NOT_NEGATIVE, StrOptions({"cv"}), None],
    }

    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    monotonic_cst: MonotonicConstraints = None
    max_bins: int | None = None
    high_cardinality: float | None = 0.0
    shrinkage: float | Literal["cv"] | None = None
    unseen: Literal["missing", "error"] = "missing"
    n_jobs: int | None = None

    shrinkage_: float = field(init=False)

    if TYPE_CHECKING:  # parameters of some subclasses, the same for all in others

        @property
        def criterion(self) -> str: ...
        @property
        def splitter(self) -> str: ...
        @property
        def nominal_split(self) -> str: ...
        @property
        def missing(self) -> str: ...
        @property
        def min_gain(self) -> float: ...
        @property
        def max_features(self) -> float | str | None: ...
        @property
        def ccp_alpha(self) -> float | str: ...
        @property
        def random_state(self) -> RandomState: ...


def grow_and_prune(
    estimator: TreeEstimator, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, n_classes: int
) -> Tree:
    """Grow a tree and prune it by the method the estimator names (cost and complexity apart)."""
    if estimator.pruning != "reduced_error":
        return grow(estimator, matrix, y, weight, n_classes, pruned=True)
    growing, validation = inner_split(estimator, y, n_classes)
    if validation.size == 0:
        return grow(estimator, matrix, y, weight, n_classes)
    part, own = (None if weight is None else weight[rows] for rows in (growing, validation))
    tree, held = grow(estimator, matrix.take(growing), y[growing], part, n_classes), y[validation]
    bound = float(len(held) if own is None else own.sum()) * (1.0 if n_classes else float(np.ptp(y)) ** 2)
    given = (tree.to_kernel(), training_table(matrix.take(validation)), held, n_classes, own)
    errors = _core.validation_errors(*given, bound)
    return tree_of(estimator, _core.prune_reduced_error(tree.to_kernel(), errors), n_classes)


def grow(
    estimator: GrowthParameters,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    pruned: bool = False,
) -> Tree:
    """Grow a tree; if ``pruned``, cut it back where the pruning needs no other rows. ``n_classes`` is 0 for numbers."""
    config = tree_config(estimator, matrix, n_classes)
    if on_bins(estimator):
        grown = grow_on_bins(estimator, matrix, y, weight, n_classes, config)
        pruning = set_pruning(_core.TreeConfig(criterion=kernel_criterion(estimator)), estimator)
        if not pruned or pruning.pruning != "error_based" or not pruning.subtree_raising:
            return pruned_by_counts(estimator, grown, n_classes) if pruned else grown
        # A branch that is raised gets the rows of its siblings, which counts do not tell.
        given = grown.to_kernel(), training_table(matrix), y, n_classes
        arrays = _core.prune_error_based(*given, weight=weight, config=pruning, n_threads=matrix.threads)
        return tree_of(estimator, arrays, n_classes)
    if pruned:
        set_pruning(config, estimator)
    smoothing, m = _smoothing(estimator)
    return grow_tree(matrix, y, n_classes, weight, config, smoothing, m)


def on_bins(estimator: GrowthParameters) -> bool:
    """Return whether trees grow on sums per bin; tests of several columns and some losses need the rows themselves."""
    return estimator.max_bins is not None and not estimator._oblique and estimator.criterion not in _BY_ROWS


def refuse_passes_by_rows(estimator: GrowthParameters) -> None:
    """Refuse rows outside memory where the criterion needs them all."""
    if estimator.criterion in _BY_ROWS:
        raise NotSupportedError(
            "criterion-in-memory",
            "criterion={criterion!r} needs all rows in memory. Use 'squared_error', or train on a sample ({sample}).",
            criterion=estimator.criterion,
            sample=Option("data.sample(N)", flag="--sample N"),
        )


def check_counts(estimator: GrowthParameters, y: np.ndarray) -> None:
    """Refuse numbers that Poisson's deviance is not made for."""
    if estimator.criterion != "poisson":
        return
    if y.min() < 0:
        raise InputError("negative-count-target", "criterion='poisson' is for counts, but y has a negative value.")
    if not y.max() > 0:
        raise InputError("zero-count-target", "criterion='poisson' needs a value of y above 0, but all of them are 0.")


def grow_on_bins(
    estimator: GrowthParameters,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    n_classes: int,
    config: _core.TreeConfig,
) -> Tree:
    """Grow a tree on bins of rows in memory."""
    binning = binning_of(matrix, estimator.max_bins or 0, estimator._strict)
    amounts = WeightSummary.of(y, weight, n_classes)
    arrays = _core.grow_binned_tree(
        binning.layout(),
        binning.columns(matrix),
        amounts.targets(y, n_classes),
        n_classes,
        amounts.weights(weight),
        config,
        amounts=amounts.for_kernel(),
        n_threads=matrix.threads,
    )
    return tree_of(estimator, arrays, n_classes)


def pruned_by_counts(estimator: GrowthParameters, tree: Tree, n_classes: int) -> Tree:
    """Cut a tree back by the class weights in its nodes alone: no branch is raised."""
    config = set_pruning(_core.TreeConfig(), estimator)
    if config.pruning == "none":
        return tree
    return tree_of(estimator, _core.prune_counts(tree.to_kernel(), config), n_classes)


def prune_to(estimator: GrowthParameters, tree: Tree, alpha: float, n_classes: int) -> Tree:
    """Return the smallest subtree that is best when a leaf costs ``alpha``."""
    return tree_of(estimator, _core.prune_cost_complexity(tree.to_kernel(), alpha, charged_risk(estimator)), n_classes)


def charged_risk(estimator: Any) -> str:
    """Return what a tree is charged for beside its leaves; a tree for numbers has no other risk than its impurity."""
    return str(getattr(estimator, "ccp_risk", "impurity"))


def tree_of(estimator: GrowthParameters, arrays: _core.TreeArrays, n_classes: int) -> Tree:
    """Wrap the grower's arrays, with the estimator's smoothing."""
    smoothing, m = _smoothing(estimator)
    return Tree.from_kernel(arrays, smoothing=smoothing, m=m, regression=n_classes == 0)


def _smoothing(estimator: GrowthParameters) -> tuple[str, float]:
    """Return how leaves are smoothed and the strength of an m-estimate, which may be given as a number."""
    given: Any = getattr(estimator, "leaf_smoothing", None)
    if given is None or isinstance(given, str):
        return given or "none", 2.0
    return "m-estimate", float(given)


def kernel_criterion(estimator: GrowthParameters) -> Any:
    """Return the grower's word for what a split is chosen by."""
    return _CRITERIA.get(estimator.criterion, str(estimator.criterion))


class Shape(Protocol):
    """What the configuration needs to know of the rows."""

    @property
    def features(self) -> tuple[Feature, ...]: ...
    @property
    def n_rows(self) -> int: ...


@dataclass(frozen=True)
class TableShape:
    """The shape of rows that are not in memory."""

    features: tuple[Feature, ...]
    n_rows: int


def tree_config(estimator: GrowthParameters, matrix: Shape, n_classes: int) -> _core.TreeConfig:
    """Return the grower's configuration."""
    total = matrix.n_rows
    missing: Any = "own_branch" if estimator.missing == "branch" else estimator.missing
    nominal_split: Any = estimator.nominal_split
    chi2_alpha = getattr(estimator, "chi2_alpha", None)
    config = _core.TreeConfig(
        criterion=kernel_criterion(estimator),
        nominal_split=nominal_split,
        missing=missing,
        reuse_nominal=estimator._reuse_nominal,
        strict=estimator._strict,
        mdl_correction=estimator._c45_numeric,
        c45_numeric_minimum=estimator._c45_numeric,
        require_positive_gain=estimator._require_gain,
        average_gain_condition=getattr(estimator, "average_gain", True),
        min_gain=float(estimator.min_gain),
        min_impurity_decrease=float(estimator.min_impurity_decrease),
        min_rows_split=_rows(estimator.min_samples_split, total, least=2),
        min_rows_leaf=_rows(estimator.min_samples_leaf, total, least=1),
        min_weight_fraction=float(estimator.min_weight_fraction_leaf),
        max_features=columns_drawn(estimator.max_features, len(matrix.features)),
        guarded_from=guarded_from(estimator.high_cardinality, total),
        random_thresholds=estimator.splitter == "random",
        oblique=estimator._oblique,
        draw_ties=estimator._draws_ties,
        values_clipped=estimator._clips_values,
    )
    if estimator.max_depth is not None:
        config.max_depth = min(int(estimator.max_depth), 2**31)
    if estimator.max_leaf_nodes is not None:
        config.max_leaf_nodes = min(int(estimator.max_leaf_nodes), 2**31)
    if chi2_alpha is not None:
        config.chi2_alpha = float(chi2_alpha)
    if estimator.max_bins is not None and not on_bins(estimator):
        config.max_bins = int(estimator.max_bins)
    if estimator.monotonic_cst is not None:
        config.monotonic = monotonic_directions(estimator.monotonic_cst, matrix.features, n_classes)
    if config.max_features or config.random_thresholds or config.oblique or config.draw_ties:
        config.seed = seed_of(estimator.random_state)
    return config


def set_pruning(config: _core.TreeConfig, estimator: Any) -> _core.TreeConfig:
    """Set how a tree is pruned by the rows it is grown on, and return the configuration."""
    if estimator.pruning == "pessimistic":
        config.pruning, config.epsilon = "pessimistic", float(estimator.epsilon)
    elif estimator.pruning == "error_based":
        config.pruning, config.confidence = "error_based", float(estimator.confidence_factor)
        config.subtree_raising = bool(estimator.subtree_raising)
    return config


def _rows(value: float, total: float, least: int) -> float:
    """A whole number is rows, a fraction a share of all of them."""
    if isinstance(value, (int, np.integer)):
        return float(value)
    return float(max(least, ceil(value * total)))


def columns_drawn(value: Any, width: int) -> int:
    """Return the number of columns to draw for a split; 0 for all."""
    if value is None:
        return 0
    if isinstance(value, str):
        count = NAMED_COUNTS[value](width)
    elif isinstance(value, (int, np.integer)):
        count = int(value)
    else:
        count = int(value * width)
    count = max(1, count)
    return 0 if count >= width else count


def learn_outputs(
    estimator: GrowthParameters, matrix: EncodedMatrix, y: np.ndarray, n_classes: list[int], weight: np.ndarray | None
) -> Tree:
    """Grow a tree on numeric columns, and prune it by ``ccp_alpha``.

    Parameters
    ----------
    estimator : TreeEstimator
        Whose parameters are used.
    matrix : EncodedMatrix
    y : ndarray of shape (n_samples, n_outputs)
        Class codes, or numbers.
    n_classes : list of int
        The number of classes of each output; empty for numbers.
    weight : float64 (n,) or None

    Returns
    -------
    Tree
        Its values are the class weights of one output after the other, or a number per output.
    """
    centre = None
    if estimator.criterion in ("squared_error", "friedman_mse"):
        # Near the mean, sums of squares lose few digits; medians need no help, and counts are no differences. The
        # number leaves whole numbers whole, as in the grower of one output.
        spread = np.ptp(y, axis=0)
        unit = np.ldexp(1.0, np.frexp(np.where(spread > 0, spread, 1.0))[1] - 1)
        centre = np.where(spread > 0, np.rint(y.mean(axis=0) / unit) * unit, y[0])
    arrays = _core.grow_outputs_tree(
        training_table(matrix),
        np.ascontiguousarray(y if centre is None else y - centre),
        n_classes,
        weight=weight,
        config=tree_config(estimator, matrix, 0),
        n_threads=matrix.threads,
    )
    tree = tree_of(estimator, arrays, 0)
    if centre is not None:
        tree = replace(tree, value=tree.value + centre)
    return prune_to(estimator, tree, float(estimator.ccp_alpha), 0) if estimator.ccp_alpha else tree
