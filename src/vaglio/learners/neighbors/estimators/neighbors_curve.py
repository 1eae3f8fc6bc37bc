"""The number of neighbours chosen by cross-validation: one search per fold serves every K."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from vaglio.learners.neighbors.model.neighbors import Neighbors, class_sums
from vaglio.learners.neighbors.model.neighbors_outside import NeighborsOutside, together, voters_in_parts
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
    splits = _splits(model.target, model.n_classes, cv, seed)
    largest = min(largest, *(len(train) for train, _ in splits))
    scores = []
    for train, test in splits:
        kept, asked = model.of_rows(train), model.of_rows(test)
        queries = asked.stored()
        queries.threads = threads
        rows, distances, weights = kept.voters(queries, largest)
        scores.append(_scores(kept, kept.target[rows], distances, weights, asked))
    return NeighborsCurve(np.arange(1, largest + 1), np.array(scores).T)


def neighbors_curve_outside(model: NeighborsOutside, largest: int, cv: Any, seed: Any, threads: int) -> NeighborsCurve:
    """Return the same curve, bit by bit, for rows outside memory: of each only its target and its folds are held."""
    target = np.concatenate([part.target for part in model.rows.parts()])
    splits = _splits(target, model.n_classes, cv, seed)
    largest = min(largest, *(len(train) for train, _ in splits))
    scores = []
    for train, test in splits:
        inside, asked_for = np.zeros(len(target), dtype=bool), np.zeros(len(target), dtype=bool)
        inside[train], asked_for[test] = True, True
        asked = together(model.how, (part.only(asked_for) for part in model.rows.parts()))
        queries = asked.stored()
        queries.threads = threads
        parts = (part.only(inside) for part in model.rows.parts())
        near, distances, weights = voters_in_parts(parts, model.how, queries, largest)
        scores.append(_scores(model.how, near, distances, weights, asked))
    return NeighborsCurve(np.arange(1, largest + 1), np.array(scores).T)


def _splits(target: np.ndarray, n_classes: int, cv: Any, seed: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows that are kept and those that are asked for, per fold; of many rows, some of these."""
    splits = list(_splitter(target, n_classes, cv, seed).split(target, target))
    step = max(1, -(-sum(len(test) for _, test in splits) // MOST_QUERIES))
    return [(train, test[::step]) for train, test in splits]


def _splitter(target: np.ndarray, n_classes: int, cv: Any, seed: Any) -> Any:
    if not isinstance(cv, Integral):
        return check_cv(cv)
    folds = min(int(cv), len(target))
    if n_classes:
        rarest = int(np.bincount(target, minlength=n_classes).min())
        if rarest >= 2:
            return StratifiedKFold(min(folds, rarest), shuffle=True, random_state=seed)
    return KFold(folds, shuffle=True, random_state=seed)


def _scores(
    how: Neighbors, targets: np.ndarray, distances: np.ndarray, weights: np.ndarray, asked: Neighbors
) -> list[float]:
    """Score the rows that are asked for by the first of their neighbours, by the first two, and so on."""
    weight = asked.weight / asked.weight.max() if asked.weight.size else None
    scores = []
    for k in range(1, targets.shape[1] + 1):
        near = targets[:, :k]
        votes = how.vote_weights(distances[:, :k]) * weights[:, :k]
        if how.n_classes:
            decided = np.argmax(class_sums(near, votes, how.n_classes), axis=1)
            scores.append(float(np.average(decided == asked.target, weights=weight)))
        else:
            guess = (near * votes).sum(axis=1) / votes.sum(axis=1)
            scores.append(-float(np.average((guess - asked.target) ** 2, weights=weight)))
    return scores
