"""The optimal tree: of all trees within a depth and a number of leaves, one that costs least on the training rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import warn
from vaglio.learners.estimator import VaglioClassifier, VaglioRegressor
from vaglio.learners.inputs import believed_columns
from vaglio.learners.parameters import COUNT_FROM_2, NOT_NEGATIVE, POSITIVE, estimator
from vaglio.learners.trees.estimators.decision_tree import (
    DecisionTreeRegressor,
    SingleTreeEstimator,
    TreeEstimator,
)
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.estimators.presets import CARTClassifier
from vaglio.learners.trees.model.grower import training_table
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import Message, join, text
from vaglio.model.costs import CostMatrix
from vaglio.runtime.progress import progress_bar
from vaglio.typing import ClassWeight, CostLike

# Proportions up to this are counted as whole numbers, and so without any rounding.
_LARGEST_MULTIPLE = 2.0**26
_ROUNDING = 1e-12
# What all rows together cost at most, in whole units; sums of them fit 64 bits many times.
_ALL_UNITS = 2.0**50
# In how many steps weights are counted together, where numbers are predicted.
_WEIGHT_STEPS = 2.0**26
# More cells than any search reads.
_ENDLESS = 2**62


@estimator
class OptimalTreeEstimator(SingleTreeEstimator):
    """What optimal trees for classes and for numbers share.

    Parameters
    ----------
    max_depth : int
        Largest number of tests on a path. The time grows steeply with it: 2 or 3 on large tables, 4 on small ones.
    max_leaf_nodes : int or None
        Largest number of leaves; None sets no limit beside the depth.
    max_set_values : int
        Nominal columns of up to this many values (a missing value is one) are tested by every set of values. There are
        2 to the power of the number of values.
    high_cardinality : float or None
        Leave out nominal columns with more than ten values and more than this share of the number of training rows that
        tell no more than chance, unless the greedy tree tests them. None leaves out no column.
    work_limit : float or None
        Most work of the search, in billions of table cells that it reads: about as many seconds of one core. At the
        limit the search ends with the best tree so far, and ``gap_`` says how far it may be from the best one. The same
        table gives the same tree for any ``n_jobs``, on any machine. None sets no limit.
    time_limit : float or None
        Seconds after which the search ends in the same way. Where this limit comes first, the tree depends on how fast
        the machine was.
    verbose : bool
        Show the progress of the search.

    Attributes
    ----------
    lower_bound_ : float
        No tree within the limits has a lower objective.
    gap_ : float
        Their difference.
    proved_ : bool
        Whether there is none: the tree is proved to be optimal.
    stopped_by_ : {"work", "time"} or None
        The limit that ended the search before the proof.
    greedy_ : Tree
        The tree of CART that the search started from.
    greedy_objective_ : float
        Its objective.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``).
    """

    _learner_id = "optimal-tree"
    _scales_weights: ClassVar[bool] = True
    _findings: ClassVar[tuple[str, ...]] = (
        "proved",
        "stopped_by",
        "objective",
        "lower_bound",
        "gap",
        "greedy_objective",
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 1, 16, closed="both")],
        "max_leaf_nodes": [*COUNT_FROM_2, None],
        "ccp_alpha": NOT_NEGATIVE,
        "max_set_values": [Interval(Integral, 2, 12, closed="both")],
        "high_cardinality": [*NOT_NEGATIVE, None],
        "work_limit": [*POSITIVE, None],
        "time_limit": [*POSITIVE, None],
        "verbose": ["boolean"],
    }

    max_depth: int = 3
    max_leaf_nodes: int | None = None
    ccp_alpha: float = 0.0
    max_set_values: int = 6
    high_cardinality: float | None = 0.0
    work_limit: float | None = 60.0
    time_limit: float | None = None
    verbose: bool = False
    unseen: Literal["missing", "error"] = "missing"
    n_jobs: int | None = None

    objective_: float = field(init=False)
    lower_bound_: float = field(init=False)
    gap_: float = field(init=False)
    proved_: bool = field(init=False)
    stopped_by_: str | None = field(init=False)
    greedy_: Tree = field(init=False)
    greedy_objective_: float = field(init=False)

    def _search(
        self, cart: TreeEstimator, stakes: Stakes, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> Tree:
        """Return the best tree that the search finds, from the greedy one on."""
        n_classes = len(getattr(self, "classes_", ()))
        self.greedy_ = grow(cart, matrix, y, weight, n_classes)
        used = np.zeros(matrix.n_features, dtype=np.uint8)
        used[believed_columns(self, matrix, y, weight)] = 1
        used[self.greedy_.feature[~self.greedy_.is_leaf]] = 1
        with progress_bar("optimal tree", self.verbose) as progress:
            found = _core.find_optimal_tree(
                training_table(matrix),
                y,
                n_classes,
                weight,
                self.greedy_.to_kernel(),
                used,
                stakes.row,
                stakes.label,
                stakes.gain,
                stakes.most,
                max_depth=self.max_depth,
                max_leaves=min(self.max_leaf_nodes or 2**16, 2**16),
                set_values=self.max_set_values,
                leaf_price=stakes.leaf_price,
                work=_ENDLESS if self.work_limit is None else int(min(self.work_limit * 1e9, _ENDLESS)),
                seconds=np.inf if self.time_limit is None else float(self.time_limit),
                n_threads=matrix.threads,
                progress=progress,
            )
        tree = Tree.from_kernel(found.tree, smoothing="none", m=2.0, regression=n_classes == 0)
        self._note(stakes, found, tree)
        return tree

    def _objective(self, stakes: Stakes, units: int, tree: Tree) -> float:
        """Return what a tree costs on the training rows."""
        return stakes.objective(units, tree.n_leaves, self.ccp_alpha)

    def _note(self, stakes: Stakes, found: _core.OptimalTree, tree: Tree) -> None:
        """Keep what the trees cost, and say so if the search did not come to an end."""
        self.objective_ = self._objective(stakes, found.cost, tree)
        self.greedy_objective_ = self._objective(stakes, found.greedy, self.greedy_)
        self.gap_ = (found.cost - found.lower) * stakes.unit / stakes.total
        self.lower_bound_ = self.objective_ - self.gap_
        self.proved_ = found.cost == found.lower
        self.stopped_by_ = found.limit or None
        if not self.proved_:
            limit = f"{self.stopped_by_}_limit"
            told = Message(
                "search-stopped",
                "The search stopped at {limit} = {value:g}. The tree has an objective of {objective:.4f}; the best "
                "tree may have {lower_bound:.4f}. Raise {limit}, or use a smaller max_depth.",
                limit=limit,
                value=getattr(self, limit),
                objective=self.objective_,
                lower_bound=self.lower_bound_,
            )
            if self.stopped_by_ == "time":
                told = join(" ", [told, text("Another run may find another tree.")])
            warn(told, ConvergenceWarning)


@estimator
class OptimalTreeClassifier(OptimalTreeEstimator, VaglioClassifier):
    """The tree of least training error within a depth and a number of leaves, with the proof.

    A greedy learner takes the test that looks best at the root and never returns to it. Here every test is tried at
    every node, unless bounds exclude it: branch and bound over thresholds. Numeric columns are tested at every
    threshold. Nominal columns of up to ``max_set_values`` values are tested by every set of them; others by every
    single value, and by the sets that the greedy tree uses. A missing value is one more value: both ways are tried, and
    in a nominal column it may join any set. The search starts from the greedy tree (CART), so that the result is never
    worse on the training rows.

    Parameters
    ----------
    ccp_alpha : float
        The price of a leaf, as a share of the rows: the tree of least error rate plus this times its leaves is found.
    cost : matrix, dict, path or None
        What each error costs: the tree of least mean cost is found, and its leaves decide by the costs. None counts
        errors.

    Attributes
    ----------
    objective_ : float
        Mean cost of a training row (without costs: the error rate) plus ``ccp_alpha`` times the leaves.

    Examples
    --------
    No single test tells anything about an exclusive or; two levels of tests tell everything.

    >>> import vaglio
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]
    >>> tree = vaglio.OptimalTreeClassifier(max_depth=2).fit(X, [0, 1, 1, 0, 1])
    >>> tree.proved_, tree.objective_
    (True, 0.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "cost": ["array-like", dict, str, CostMatrix, None],
    }

    cost: CostLike | None = None
    class_weight: ClassWeight = None

    def _finish(
        self,
        codebook: Codebook,
        matrix: EncodedMatrix,
        y: np.ndarray,
        weight: np.ndarray | None,
        scaled: bool = False,
        member: bool = False,
    ) -> Self:
        super()._finish(codebook, matrix, y, weight, scaled, member)
        if self.cost is not None:
            self.fitted_ = self.fitted_.with_cost(self._costs())
        return self

    def _costs(self) -> CostMatrix:
        assert self.cost is not None
        return CostMatrix.from_any(self.cost, labels=self.classes_.tolist())

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        costs = 1.0 - np.eye(len(self.classes_)) if self.cost is None else self._costs().matrix
        cart = CARTClassifier(
            max_depth=self.max_depth, max_leaf_nodes=self.max_leaf_nodes, high_cardinality=self.high_cardinality
        )
        return self._search(cart, Stakes.of(costs, y, weight, self.ccp_alpha), matrix, y, weight)


@estimator
class OptimalTreeRegressor(OptimalTreeEstimator, VaglioRegressor):
    """The regression tree of least squared error within a depth and a number of leaves, with the proof.

    The search is that of :class:`OptimalTreeClassifier`: every test is tried at every node, unless bounds exclude it,
    and the greedy tree (CART) is the start. A leaf predicts the mean of its rows.

    Parameters
    ----------
    ccp_alpha : float
        The price of a leaf, in squared units of the target: the tree of least mean squared error plus this times its
        leaves is found.

    Attributes
    ----------
    objective_ : float
        Mean squared error of the training rows plus ``ccp_alpha`` times the leaves.

    Notes
    -----
    Bounds are proofs only in whole numbers: the target is rounded to 2¹² or more steps of its range, and weights to 2²⁶
    steps of their sum, unless they are whole multiples already. The proof holds for these numbers.

    Examples
    --------
    >>> import vaglio
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]]
    >>> tree = vaglio.OptimalTreeRegressor(max_depth=2).fit(X, [1.5, 4, 4, 1.5, 4])
    >>> tree.proved_, tree.objective_
    (True, 0.0)
    """

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Tree:
        cart = DecisionTreeRegressor(
            max_depth=self.max_depth, max_leaf_nodes=self.max_leaf_nodes, high_cardinality=self.high_cardinality
        )
        return self._search(cart, Stakes.of_numbers(y, weight, self.ccp_alpha), matrix, y, weight)

    def _objective(self, stakes: Stakes, units: int, tree: Tree) -> float:
        # Of the numbers themselves, which the search has rounded.
        squares = (tree.impurity * tree.weight)[tree.is_leaf].sum()
        return float(squares / tree.weight[0]) + self.ccp_alpha * tree.n_leaves


@dataclass(frozen=True)
class Stakes:
    """What the rows cost, in whole units, so that sums are exact and bounds are proofs.

    Attributes
    ----------
    row, label : uint32 (m,)
        Each pair of a row and a label that is better for it than its dearest one, row by row. Of numbers the labels are
        three sums of a leaf: Σw, Σw·y and Σ(most − w·y²).
    gain : int64 (m,)
        How much better, or what a row adds to a sum.
    most : int64 (m,)
        What the dearest label costs more than the cheapest; 0 but for the first entry of a row.
    leaf_price : int
        What a leaf costs.
    unit : float
        What a unit is worth.
    least : float
        What all rows cost if each gets its cheapest label.
    total : float
        The weight of all rows.
    """

    row: np.ndarray
    label: np.ndarray
    gain: np.ndarray
    most: np.ndarray
    leaf_price: int
    unit: float
    least: float
    total: float

    @classmethod
    def of(cls, costs: np.ndarray, y: np.ndarray, weight: np.ndarray | None, leaf_share: float) -> Stakes:
        """Return what the rows of classes ``y`` cost with each label; a leaf costs a share of what they weigh."""
        weight = np.ones(len(y)) if weight is None else weight
        better = costs.max(axis=1, keepdims=True) - costs
        row, label = np.nonzero(better[y] > 0)
        gain = weight[row] * better[y[row], label]
        first = np.append(True, row[1:] != row[:-1])[: len(row)]
        most = np.where(first, weight[row] * better.max(axis=1)[y[row]], 0.0)
        # A price above all that is at stake is as good as any other: no test is worth it.
        total, price = float(weight.sum()), min(leaf_share * float(weight.sum()), 2 * float(most.sum()))
        unit = _unit_of(np.concatenate([gain, most[first], [price] if price else []]), float(most.sum()))
        return cls(
            row.astype(np.uint32),
            label.astype(np.uint32),
            np.rint(gain / unit).astype(np.int64),
            np.rint(most / unit).astype(np.int64),
            round(price / unit),
            unit,
            float(weight @ costs.min(axis=1)[y]),
            total,
        )

    @classmethod
    def of_numbers(cls, y: np.ndarray, weight: np.ndarray | None, leaf_price: float) -> Stakes:
        """Return what rows of numbers cost by the squared error; a leaf costs so much per row of the table."""
        weight = np.ones(len(y)) if weight is None else weight
        counted, weight_unit = _in_steps(weight, _WEIGHT_STEPS / float(weight.sum() / weight.max()))
        most_steps = np.floor(np.sqrt(_ALL_UNITS / float(counted.sum())))
        # Numbers whose squares are none are all alike, as they are to CART.
        square = float(np.ptp(y)) * float(np.ptp(y))
        squared = np.finfo(np.float64).tiny * _ALL_UNITS < square < np.finfo(np.float64).max / _ALL_UNITS
        above, y_unit = _in_steps(y - y.min() if squared else np.zeros(len(y)), most_steps)
        # What a leaf costs is rounded to units: they must be small, also where y has few values.
        finer = int(most_steps // max(above.max(), 1))
        above, y_unit = above * finer, y_unit / finer
        top, unit, total = int(above.max()), weight_unit * y_unit**2, float(weight.sum())
        most = counted * np.maximum(above, top - above) ** 2
        # A price above all that is at stake is as good as any other.
        price = min(leaf_price * total / unit, 2.0 * float(most.sum()))
        gains = np.stack([counted, counted * above, most - counted * above**2], axis=1)
        return cls(
            np.repeat(np.arange(len(y), dtype=np.uint32), 3),
            np.tile(np.arange(3, dtype=np.uint32), len(y)),
            gains.ravel(),
            np.stack([most, np.zeros_like(most), np.zeros_like(most)], axis=1).ravel(),
            round(price),
            unit,
            0.0,
            total,
        )

    def objective(self, units: int, leaves: int, leaf_share: float) -> float:
        """Return the mean per row of what a tree costs, and the share that each leaf costs beside it."""
        return ((units - leaves * self.leaf_price) * self.unit + self.least) / self.total + leaf_share * leaves


def _unit_of(amounts: np.ndarray, total: float) -> float:
    """Return a unit of which all amounts are whole multiples, or one so small that rounding is not felt."""
    if not amounts.size:
        return 1.0
    least = float(amounts.min())
    multiple = amounts / least
    whole = (np.abs(multiple - np.rint(multiple)) <= _ROUNDING * multiple).all()
    return least if whole and multiple.max() <= _LARGEST_MULTIPLE else total / _ALL_UNITS


def _in_steps(amounts: np.ndarray, most: float) -> tuple[np.ndarray, float]:
    """Return amounts of at least 0 in whole steps, and the step: the greatest has so many, or fewer if none is lost."""
    top = float(amounts.max())
    if not top > 0:
        return np.zeros(len(amounts), dtype=np.int64), 1.0
    whole = max(np.rint(top / float(np.diff(np.unique(np.append(0.0, amounts))).min())), 1.0)
    multiple = amounts / (top / whole)
    if whole <= most and (np.abs(multiple - np.rint(multiple)) <= _ROUNDING * whole).all():
        return np.rint(multiple).astype(np.int64), top / whole
    step = top / np.floor(most)
    # No row that counts is left out.
    return np.where(amounts > 0, np.maximum(np.rint(amounts / step), 1), 0).astype(np.int64), step
