"""The noise of a table: how far the true value varies among rows that are alike.

Equal rows show it directly. Rows that differ show it by their neighbours: half the mean squared difference between a
row and its p-th neighbour is the noise plus what the distance adds; the line through p = 1, 2, … at distance 0 is the
noise (the gamma test of Stefánsson, Končar and Jones).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vaglio.encode import Codebook, DenseEncoder, EncodedMatrix
from vaglio.typing import TableLike

NEIGHBOURS = 10
# A line needs several distances, and each of them a mean over some rows.
LEAST_ROWS = 5 * NEIGHBOURS
# Distances beyond this many rows would take long, and a sample of the rows shows the same.
MOST_ROWS = 5000
# The nearest row must be clearly nearer than the tenth: otherwise (many columns) none is near, and the line at distance
# 0 is a guess.
NEAR = 0.75


class Noise(NamedTuple):
    """The estimate, and where it comes from; the source is empty if the noise cannot be told from the bias."""

    value: float
    source: str


def estimate_noise(X: TableLike, y: np.ndarray, numbers: bool) -> Noise:
    """Estimate the noise from equal rows, and from neighbours for the rows that equal no other, each by its share."""
    matrix = Codebook.learn(X).encode(X)
    if matrix.sparse is not None or matrix.text:
        return Noise(0.0, "")
    # As columns, squared differences of two rows are those of the 0/1 indicators of their classes.
    truth = y.astype(np.float64)[:, None] if numbers else np.equal(y[:, None], np.unique(y)).astype(np.float64)
    factor = 1.0 if numbers else 0.5
    group, size = _groups(matrix)
    single = size[group] == 1
    share = float(single.mean())
    repeated = 0.0 if share == 1 else factor * _within(truth[~single], group[~single])
    if share == 0:
        return Noise(repeated, "equal rows")
    near = _between_neighbours(matrix, truth, single)
    if near is None:
        # Too few or too distant rows: what the equal rows show is known of their own share only.
        return Noise(repeated, "equal rows") if share <= 0.5 else Noise(0.0, "")
    source = "neighbours" if share == 1 else "equal rows and neighbours"
    return Noise((1 - share) * repeated + share * factor * near, source)


def _groups(matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of equal rows each row belongs to, and the sizes of the groups."""
    cells = np.hstack([np.nan_to_num(matrix.numeric, nan=np.inf), matrix.codes])
    group = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    return group, np.bincount(group)


def _within(truth: np.ndarray, group: np.ndarray) -> float:
    """Unbiased variance of the truth within the groups, averaged over the rows."""
    group = np.unique(group, return_inverse=True)[1]
    size = np.bincount(group)
    total = 0.0
    for column in truth.T:
        mean = np.bincount(group, column) / size
        spread = np.bincount(group, (column - mean[group]) ** 2) / (size - 1)
        total += float(np.average(spread, weights=size))
    return total


def _between_neighbours(matrix: EncodedMatrix, truth: np.ndarray, single: np.ndarray) -> float | None:
    """Return the variance of the truth at distance 0, or None if no row is near another."""
    rows = np.flatnonzero(single)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64))]
    if len(rows) < LEAST_ROWS:
        return None
    points = DenseEncoder.learn(matrix).transform(matrix)
    points = np.asarray(points, dtype=np.float64)[rows]
    known = truth[rows]
    from sklearn.neighbors import NearestNeighbors  # imports half of scikit-learn, which few need here

    search = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(points)
    distance, index = search.kneighbors()
    far = (distance**2).mean(axis=0)
    half = np.array([0.5 * ((known - known[index[:, p]]) ** 2).sum(axis=1).mean() for p in range(NEIGHBOURS)])
    if far[0] > NEAR**2 * far[-1]:
        return None
    slope, at_zero = np.polyfit(far, half, 1)
    # Disagreement that falls with the distance is chance: then the mean over all ten is the better estimate.
    return float(np.clip(at_zero, 0.0, half[0])) if slope > 0 else float(half.mean())
