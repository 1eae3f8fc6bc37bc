"""What every learner of a single tree can do once it is fitted: walk it, draw it, read it as rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as sp
from sklearn.utils.validation import check_is_fitted

from vaglio.learners.estimator import VaglioEstimator
from vaglio.learners.has_rules import HasRules
from vaglio.learners.parameters import estimator
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.model.tree_outline import outline
from vaglio.plot.tree_drawing import Box, draw_tree_svg, draw_tree_text


@estimator
class HasTree(HasRules, VaglioEstimator):
    """For learners whose model is a tree.

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

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self.tree_.n_leaves

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

    def _outline(self, max_depth: int | None) -> Box:
        fitted = self.fitted_
        return outline(self.tree_, fitted.codebook.features, fitted.classes, max_depth, fitted.deciding_cost)
