"""The columns as the boosting kernel sees them: those of the table, and numbers in place of categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.boosting.estimators.ordered_categories import OrderedCategories
from vaglio.learners.boosting.model.boosted import Boosted
from vaglio.learners.boosting.model.boosted_trees import CategoryNumbers, forest_of
from vaglio.learners.trees.model.tree import kernel_features


class BoostingColumns:
    """The columns of a table, and those that stand for some of its categories.

    Parameters
    ----------
    matrix : EncodedMatrix
    believed : ndarray of int64
        Features that are tested as they are: all but the nominal ones that tell no more than chance would.
    ordered : ndarray of int64
        Nominal features that become numbers, which chance does not favour.
    targets : float64 (n, T)
    weight : float64 (n,) or None
    seed : int
    """

    def __init__(
        self,
        matrix: EncodedMatrix,
        believed: np.ndarray,
        ordered: np.ndarray,
        targets: np.ndarray,
        weight: np.ndarray | None,
        seed: int,
    ) -> None:
        self.matrix = matrix
        self._believed = set(believed.tolist())
        self._ordered, self._targets, self._weight, self._seed = ordered, targets, weight, seed
        self._kept: dict[bytes, OrderedCategories] = {}

    def _numbers(self, training: np.ndarray | None) -> OrderedCategories | None:
        """Return the numbers for some rows to learn from; None for all rows."""
        if len(self._ordered) == 0:
            return None
        training = np.arange(self.matrix.n_rows) if training is None else np.sort(training)
        key = training.tobytes()
        if key not in self._kept:
            self._kept[key] = OrderedCategories.of(
                self.matrix, self._ordered, self._targets, self._weight, training, self._seed
            )
        return self._kept[key]

    def sources_of(self, training: np.ndarray | None) -> tuple[CategoryNumbers, ...]:
        """Return what the further columns stand for, when some rows are learned from; None for all rows."""
        found = self._numbers(training)
        return () if found is None else found.sources

    def config(self, config: _core.BoostingConfig) -> _core.BoostingConfig:
        """Return the options of the trainer with the further columns."""
        found = self._numbers(None)
        if found is None:
            return config_with(config, self.matrix.n_features, self._believed)
        return config_with(config, self.matrix.n_features, self._believed, found.sources, found.turns)

    def table_of(self, max_bins: int, **binning: Any) -> Callable[[np.ndarray], Any]:
        """Return what gives the binned table for rows to learn from."""
        kept: dict[bytes, Any] = {}

        def table(training: np.ndarray) -> Any:
            found = self._numbers(training)
            key = b"" if found is None else np.sort(training).tobytes()
            if key in kept:
                return kept[key]
            numeric, further = self.matrix.numeric, 0
            if found is not None:
                further = found.numbers.shape[1]
                numeric = np.concatenate([numeric, found.numbers], axis=1)
            kept[key] = _core.bin_table(
                numeric,
                self.matrix.codes,
                *kernel_features_with(self.matrix.features, further),
                max_bins=max_bins,
                seed=self._seed,
                n_threads=self.matrix.threads,
                **binning,
            )
            return kept[key]

        return table

    def model_of(self, trainer: Any, training: np.ndarray, trees: int, link: str) -> Boosted:
        """Return the first trees of a trainer of some rows as a model."""
        forest = forest_of(trainer, self.matrix.features, trees, self.sources_of(training))
        return Boosted(forest, trainer.baseline, link)


def config_with(
    config: _core.BoostingConfig,
    n_features: int,
    believed: set[int],
    sources: tuple[CategoryNumbers, ...] = (),
    turns: np.ndarray | None = None,
) -> _core.BoostingConfig:
    """Return the options of the trainer with columns that stand for categories: they go where their sources may go."""
    groups = config.interactions
    if not groups and len(believed) < n_features:
        groups = [list(range(n_features))]
    groups = [
        [
            *(f for f in group if f in believed),
            *(n_features + i for i, one in enumerate(sources) if one.feature in group),
        ]
        for group in groups
    ]
    config = config.replaced(interactions=[group for group in groups if group] or groups[:1])
    if turns is not None:
        config.monotonic = [*config.monotonic, *(0 for _ in sources)] if config.monotonic else []
        config.turn_of = [-1] * n_features + turns.tolist()
    return config


def kernel_features_with(features: tuple[Feature, ...], further: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the features as the kernel takes them, with so many columns of numbers behind them."""
    nominal, column, n_categories = kernel_features(features)
    start = len(features) - len(n_categories)
    behind = np.arange(start, start + further, dtype=np.uint32)
    return np.concatenate([nominal, np.zeros(further, np.uint8)]), np.concatenate([column, behind]), n_categories
