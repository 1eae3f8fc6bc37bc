"""What every tree estimator has: the parameters all share, and what a tree offers beyond predictions."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse as sp
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix
from vaglio.learn._base import HasRules
from vaglio.learn.trees._cost_complexity import choose_alpha, path_of, prune_to
from vaglio.learn.trees.pruning import grow_and_prune
from vaglio.model.trees.tree import Tree
from vaglio.model.trees.tree_outline import outline
from vaglio.plot.tree_drawing import draw_tree_svg, draw_tree_text

_POSITIVE_COUNT = [Interval(Integral, 1, None, closed="left")]
_COUNT_OR_SHARE = [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="neither")]

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "splitter": [StrOptions({"best", "random"})],
    "max_depth": [*_POSITIVE_COUNT, None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(Real, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": _COUNT_OR_SHARE,
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        *_POSITIVE_COUNT,
        Interval(Real, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "random_state": ["random_state"],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
    "monotonic_cst": ["array-like", dict, None],
    "nominal_split": [StrOptions({"multiway", "subset"})],
    "missing": [StrOptions({"fractional", "learnt", "branch"})],
    "min_gain": [Interval(Real, 0.0, None, closed="left")],
    "one_standard_error": ["boolean"],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "max_bins": [Interval(Integral, 2, None, closed="left"), None],
    "unseen": [StrOptions({"missing", "error"})],
    "n_jobs": [Integral, None],
}


class TreeEstimator(HasRules):
    """What a tree offers beyond predictions."""

    fitted_: Any

    @property
    def tree_(self) -> Tree:
        """The fitted tree as arrays."""
        check_is_fitted(self, "fitted_")
        return self.fitted_.model

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the total decrease of impurity."""
        return self.tree_.importances(self.n_features_in_)  # type: ignore[attr-defined]

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row; with fractional missing values the heaviest, then the lowest.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        return self.tree_.apply(self._encode(X))  # type: ignore[attr-defined]

    def decision_path(self, X: Any) -> sp.csr_array:
        """Return which nodes each row passes, as a sparse indicator matrix.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        csr_array of shape (n_samples, n_nodes)
        """
        return self.tree_.decision_path(self._encode(X))  # type: ignore[attr-defined]

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves

    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree drawn with box characters."""
        return draw_tree_text(self._outline(max_depth))

    def to_svg(self, max_depth: int | None = None) -> str:
        """Return the tree drawn as SVG."""
        classes = [str(label) for label in getattr(self, "classes_", ())]
        return draw_tree_svg(
            self._outline(max_depth), classes, title=f"Decision tree with {self.get_n_leaves()} leaves"
        )

    def _outline(self, max_depth: int | None) -> Any:
        return outline(self.tree_, self.fitted_.codebook.features, self.fitted_.classes, max_depth)

    def _grow(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None, n_classes: int) -> Tree:
        """Grow, then prune as the parameters say."""
        tree = grow_and_prune(self, matrix, y, weight, n_classes)
        alpha = self.ccp_alpha  # type: ignore[attr-defined]
        if alpha == "cv":
            alpha, self.ccp_path_ = choose_alpha(self, matrix, y, weight, n_classes, tree)
            self.ccp_alpha_ = alpha
        return prune_to(self, tree, alpha, n_classes)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the nested sequence of pruned trees.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas``: the price of a leaf at which each subtree becomes the best; ``impurities``: the
            impurity of its leaves; ``n_leaves``.
        """
        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        return path_of(full.tree_)
