"""What a model of numbers predicted when it was evaluated: the model file keeps it, to compare later predictions with.

Two sets are kept in the same bins. The predictions of rows outside of the training are spread as those of new rows,
but those of folds come from several models, and a small tree has other leaves in each. The predictions of training rows
come from the model itself, but follow their targets too closely. New predictions have drifted if far from both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio import _core

__all__ = ["PredictedNumbers"]

# Bins: tenths of the predictions outside of the training.
_BINS = 10


@dataclass(frozen=True)
class PredictedNumbers:
    """Predictions per bin.

    Attributes
    ----------
    edges : tuple of float
        The largest number of each bin but the last.
    outside : tuple of int
        Rows per bin that the model, or that of the fold, was not trained on.
    trained : tuple of int or None
        Training rows per bin, as far as they were predicted.
    """

    edges: tuple[float, ...]
    outside: tuple[int, ...]
    trained: tuple[int, ...] | None = None

    @classmethod
    def of(cls, outside: np.ndarray, trained: np.ndarray | None) -> PredictedNumbers | None:
        """Count predictions; None if there are none to tell apart.

        Parameters
        ----------
        outside : ndarray
            Of rows outside of the training.
        trained : ndarray or None
            Of training rows.

        Examples
        --------
        >>> PredictedNumbers.of(np.array([1.0, 1.0, 2.0]), np.array([1.0, 3.0]))
        PredictedNumbers(edges=(1.0,), outside=(2, 1), trained=(1, 1))
        """
        known = np.sort(outside[np.isfinite(outside)])
        if not len(known):
            return None
        _, edges = _core.bin_columns(np.ascontiguousarray(known[:, None]), _BINS)[0]
        found = cls(tuple(edges), ())
        counts = [None if rows is None else tuple(found.count(rows).tolist()) for rows in (known, trained)]
        return cls(found.edges, counts[0] or (), counts[1]) if edges else None

    def count(self, predicted: np.ndarray) -> np.ndarray:
        """Return how many of these predictions are in each bin."""
        known = predicted[np.isfinite(predicted)]
        counts: np.ndarray = np.bincount(np.searchsorted(self.edges, known), minlength=len(self.edges) + 1)
        return counts

    @property
    def references(self) -> list[tuple[int, ...]]:
        """The sets of predictions that are kept, as rows per bin."""
        return [self.outside] if self.trained is None else [self.outside, self.trained]

    def to_state(self) -> dict[str, Any]:
        """Return plain data for the model file."""
        trained = None if self.trained is None else list(self.trained)
        return {"edges": list(self.edges), "outside": list(self.outside), "trained": trained}

    @classmethod
    def from_state(cls, state: object) -> PredictedNumbers | None:
        """Rebuild from what a model file says, trusting nothing in it; None if it keeps no predictions.

        Parameters
        ----------
        state : object
        """
        if not isinstance(state, dict) or not isinstance(edges := state.get("edges"), list):
            return None
        if not edges or not all(type(edge) is float for edge in edges) or not np.isfinite(edges).all():
            return None
        outside, trained = state.get("outside"), state.get("trained")
        sound = all(_are_counts(rows, len(edges) + 1) for rows in (outside, trained) if rows is not None)
        if edges != sorted(set(edges)) or outside is None or not sound:
            return None
        return cls(tuple(edges), tuple(outside), None if trained is None else tuple(trained))


def _are_counts(rows: object, size: int) -> bool:
    return (
        isinstance(rows, list)
        and len(rows) == size
        and all(type(count) is int and 0 <= count < 1 << 53 for count in rows)
        and sum(rows) > 0
    )
