"""What a fitted booster shows of its model: trees by rounds, leaves of rows, shares of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.learners.boosting.model.boosted import Boosted
from vaglio.learners.estimator import VaglioEstimator
from vaglio.learners.trees.model.tree import Tree


class BoostedTrees(VaglioEstimator):
    """Attributes and methods that read a fitted model of boosted trees."""

    n_models_: int
    validation_score_: np.ndarray

    @property
    def _boosted(self) -> Boosted:
        model = self.fitted_.model
        assert isinstance(model, Boosted)
        return model

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of each round."""
        return self._boosted.outputs * self.n_models_

    @property
    def do_early_stopping_(self) -> bool:
        """Whether the number of rounds was chosen by rows held out."""
        return len(self.validation_score_) > 0

    @property
    def is_categorical_(self) -> np.ndarray | None:
        """Which columns are nominal; None if none is."""
        nominal = np.array([feature.is_nominal for feature in self.fitted_.codebook.features])
        return nominal if nominal.any() else None

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in the gain of all splits."""
        return self._boosted.importances

    @property
    def estimators_(self) -> list[list[Tree]]:
        """The trees of each round, each as a model of its own: its values are scores."""
        features, model = self.fitted_.codebook.features, self._boosted
        width = self.n_trees_per_iteration_
        return [
            [model.forest.tree(i + k, features) for k in range(width)] for i in range(0, model.forest.n_trees, width)
        ]

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree: its number within the tree.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
        """
        leaves: np.ndarray = self._boosted.apply(self._encode(X)) - self._boosted.forest.starts[:-1]
        return leaves
