"""The number of neighbours chosen by cross-validation: one search per fold serves every K."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from vaglio.model.neighbors.neighbors import Neighbors, class_sums
from vaglio.plot.curves import Curve, draw_band, draw_curves
from vaglio.plot.style import MUTED, PALETTE, axes_for, draws_names

# Rows whose neighbours are searched: more would take long on a large table and choose the same K.
MOST_QUERIES = 5000


@dataclass(frozen=True)
class NeighborsCurve:
    """Validation score against the number of neighbours.

    Attributes
    ----------
    n_neighbors : int64 (m,)
        1, 2, …, m.
    scores : float64 (m, folds)
        Accuracy of each fold; for numbers the negative mean squared error.
    """

    n_neighbors: np.ndarray
    scores: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Mean score of each K over the folds."""
        mean: np.ndarray = self.scores.mean(axis=1)
        return mean

    @property
    def best(self) -> int:
        """The K of the highest mean score; of equal ones the smallest."""
        return int(self.n_neighbors[np.argmax(self.mean)])

    @draws_names
    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with one standard error around it; return the axes."""
        ax = axes_for(ax)
        error = self.scores.std(axis=1) / np.sqrt(self.scores.shape[1])
        draw_band(ax, self.n_neighbors, self.mean - error, self.mean + error, PALETTE[0])
        draw_curves(ax, [Curve(self.n_neighbors, self.mean)], xlabel="neighbours K", ylabel="validation score")
        ax.axvline(self.best, color=MUTED, linestyle="--", linewidth=1.2)
        return ax


def neighbors_curve(model: Neighbors, largest: int, cv: Any, seed: Any, threads: int) -> NeighborsCurve:
    """Score every K from 1 to ``largest`` on held-out folds of the stored rows; of many rows, on a part of a fold."""
    splits = list(_splitter(model, cv, seed).split(model.target, model.target))
    step = max(1, -(-sum(len(test) for _, test in splits) // MOST_QUERIES))
    splits = [(train, test[::step]) for train, test in splits]
    largest = min(largest, *(len(train) for train, _ in splits))
    scores = [_scores(model.of_rows(train), model.of_rows(test), largest, threads) for train, test in splits]
    return NeighborsCurve(np.arange(1, largest + 1), np.array(scores).T)


def _splitter(model: Neighbors, cv: Any, seed: Any) -> Any:
    if not isinstance(cv, Integral):
        return check_cv(cv)
    folds = min(int(cv), model.n_rows)
    if model.n_classes:
        rarest = int(np.bincount(model.target, minlength=model.n_classes).min())
        if rarest >= 2:
            return StratifiedKFold(min(folds, rarest), shuffle=True, random_state=seed)
    return KFold(folds, shuffle=True, random_state=seed)


def _scores(train: Neighbors, test: Neighbors, largest: int, threads: int) -> list[float]:
    """Score the test rows for K = 1, 2, …, largest."""
    queries = test.stored()
    queries.threads = threads
    rows, distances, weights = train.voters(queries, largest)
    weight = test.weight / test.weight.max() if test.weight.size else None
    scores = []
    for k in range(1, largest + 1):
        near = train.target[rows[:, :k]]
        votes = train.vote_weights(distances[:, :k]) * weights[:, :k]
        if train.n_classes:
            decided = np.argmax(class_sums(near, votes, train.n_classes), axis=1)
            scores.append(float(np.average(decided == test.target, weights=weight)))
        else:
            guess = (near * votes).sum(axis=1) / votes.sum(axis=1)
            scores.append(-float(np.average((guess - test.target) ** 2, weights=weight)))
    return scores
