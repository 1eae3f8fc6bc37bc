"""The rows by two distances side by side: as a forest sees them, and by plain Euclidean distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from vaglio.encode import DenseEncoder, EncodedMatrix, aligned_labels
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation.rows import MemoryRows
from vaglio.explanation.explanation import leaves
from vaglio.fitted import Fitted
from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, Option, text
from vaglio.model.base import one_per_row
from vaglio.plot.style import GRID, INK, MUTED, PALETTE, panel_grid
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, TableLike, TableSource

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator

__all__ = ["ForestDistanceDisplay", "classical_scaling"]

# Markers tell the classes apart without colour.
_MARKERS = "os^DvP*X"


class ForestDistanceDisplay:
    """Two maps of the same rows: by the distance of a forest, 1 − similarity, and by the Euclidean distance.

    Rows that end in the same leaves of many trees are close to each other on the first map, even if columns that do
    not matter keep them apart on the second. Both maps are classical multidimensional scaling of the distances. The
    Euclidean distance is that of standardised numbers and one-hot categories, with missing numbers at the mean.

    Parameters
    ----------
    forest, euclidean : ndarray of shape (n_rows, 2)
        The places of the rows on both maps.
    codes : ndarray of int of shape (n_rows,)
        Class of each row.
    labels : sequence
        The classes.
    shown : (float, float)
        Share of each distance that its map shows: the two largest eigenvalues in the sum of the positive ones.
    agreement : (float, float)
        Share of the rows whose nearest other row, by each distance, is of the same class.
    n_total : int
        Number of rows from which the rows shown were drawn.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> forest = vaglio.RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> display = vaglio.ForestDistanceDisplay.from_estimator(forest, X, y, max_rows=100)
    >>> display.forest.shape, display.agreement[0] >= 0.9
    ((100, 2), True)
    """

    def __init__(
        self,
        forest: np.ndarray,
        euclidean: np.ndarray,
        codes: np.ndarray,
        labels: Any,
        *,
        shown: tuple[float, float],
        agreement: tuple[float, float],
        n_total: int,
    ) -> None:
        self.forest, self.euclidean, self.codes = forest, euclidean, codes
        self.labels, self.shown, self.agreement, self.n_total = list(labels), shown, agreement, n_total

    @classmethod
    @checked
    def from_estimator(
        cls, estimator: VaglioEstimator | Fitted, X: TableLike, y: ColumnLike, *, max_rows: int = 300, seed: int = 0
    ) -> ForestDistanceDisplay:
        """Make the maps for rows whose class is known; out-of-sample rows show more than training rows.

        Parameters
        ----------
        estimator : ensemble of trees, or its Fitted
            A random forest, or bagged or boosted trees.
        X : frame, Table or array
        y : array-like of labels
        max_rows : int, default=300
            Of a larger table, a random sample of so many rows is shown; the note below the maps says so.
        seed : int, default=0
            Seed of the sample.

        Returns
        -------
        ForestDistanceDisplay
        """
        fitted: Fitted = estimator if isinstance(estimator, Fitted) else estimator.fitted_
        if max_rows < 3:
            raise InputError(
                "too-few-rows-drawn",
                "{option}: a map needs at least 3 rows.",
                option=Option("max_rows", max_rows),
            )
        matrix = fitted.codebook.encode(X)
        find = leaves.find(fitted.model.kind)
        n = matrix.n_rows
        chosen = (
            np.sort(np.random.default_rng(seed).choice(n, max_rows, replace=False)) if n > max_rows else np.arange(n)
        )
        sample = matrix.take(chosen)
        found = None if find is None else find(fitted.model, sample)
        if found is None:
            raise NotSupportedError(
                "learner-without-trees",
                "The learner {learner!r} has no trees, so there is no distance by leaves.",
                learner=fitted.learner,
            )
        if fitted.classes is None:
            raise NotSupportedError(
                "no-classes-to-draw", "The maps are colored by class. Pass a forest that predicts classes."
            )
        labels = fitted.classes
        given = one_per_row("y", aligned_labels(y, labels), n, None)
        place = {label: code for code, label in enumerate(labels.tolist())}
        codes = np.array([place.get(label, -1) for label in given[chosen].tolist()])
        distances = [forest_distance(*found), euclidean_distance(sample)]
        (first, share), (second, other) = (classical_scaling(distance) for distance in distances)
        agreement = tuple(_agreement(distance, codes) for distance in distances)
        return cls(
            first,
            _turned(second, first),
            codes,
            labels.tolist(),
            shown=(share, other),
            agreement=(agreement[0], agreement[1]),
            n_total=n,
        )

    @classmethod
    @checked
    def from_table(
        cls, table: TableSource, target: str | int | ColumnLike, *, max_rows: int = 300, seed: int = 0
    ) -> ForestDistanceDisplay:
        """Grow a random forest on one half of a table and make the maps of the other half.

        Parameters
        ----------
        table : Table, or anything :meth:`~vaglio.Table.from_any` takes
        target : str or array-like of labels
            The class column, or the classes.
        max_rows : int, default=300
            As in :meth:`from_estimator`.
        seed : int, default=0
            Seed of the halves, the forest and the sample.

        Returns
        -------
        ForestDistanceDisplay
        """
        rows = MemoryRows.of_arrays(table, target)
        if len(rows) < 6:
            raise InputError(
                "too-few-rows",
                "The table has {n_rows:,} rows; a forest and its map need at least 6.",
                n_rows=len(rows),
            )
        order = np.random.default_rng(seed).permutation(len(rows))
        grown, mapped = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        forest = RandomForestClassifier(random_state=seed).fit(rows.X[grown], rows.y[grown])
        known = mapped[np.isin(rows.y[mapped], forest.classes_)]
        return cls.from_estimator(forest, rows.X[known], rows.y[known], max_rows=max_rows, seed=seed)

    @property
    def note(self) -> Message:
        """How the maps were made, in one sentence."""
        n = len(self.codes)
        if self.n_total > n:
            return text(
                "Classical multidimensional scaling of a random sample of {n:,} of {total:,} rows; distances on "
                "the maps "
                "are approximate.",
                n=n,
                total=self.n_total,
            )
        return text("Classical multidimensional scaling of all {n:,} rows; distances on the maps are approximate.", n=n)

    def captions(self) -> list[list[Message]]:
        """Return the lines below each map."""
        return [
            [
                text("nearest row of the same class: {share:.0%}", share=float(share)),
                text("{share:.0%} of the distances shown", share=float(shown)),
            ]
            for share, shown in zip(self.agreement, self.shown)
        ]

    @checked
    def plot(self, axes: Any = None, *, lang: str | Locale = "en") -> Any:
        """Draw both maps side by side.

        Parameters
        ----------
        axes : pair of Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the words and numbers.

        Returns
        -------
        Figure
        """
        locale = locale_of(lang)
        if axes is None:
            figure, axes = panel_grid(2, size=(3.7, 3.7))
            figure.supxlabel(locale.text(self.note), fontsize=8, color=MUTED)
        titles = (text("Distance of the forest"), text("Euclidean distance"))
        for ax, points, title, caption in zip(axes, (self.forest, self.euclidean), titles, self.captions()):
            for k, label in enumerate(self.labels):
                mine = points[self.codes == k]
                ax.scatter(
                    mine[:, 0],
                    mine[:, 1],
                    s=22,
                    c=PALETTE[k % len(PALETTE)],
                    marker=_MARKERS[k % len(_MARKERS)],
                    alpha=0.75,
                    edgecolors="white",
                    linewidths=0.4,
                    label=str(label),
                )
            ax.set_title(locale.text(title), fontsize=11, color=INK)
            ax.set_xlabel("\n".join(map(locale.text, caption)), fontsize=9, color=MUTED)
            ax.set(xticks=[], yticks=[])
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.06)
            for spine in ax.spines.values():
                spine.set_color(GRID)
        figure = axes[0].figure
        place = {"loc": "outside upper center", "ncols": min(len(self.labels), 6), "frameon": False, "fontsize": 9}
        figure.legend(handles=axes[0].collections, **place)
        return figure


def forest_distance(leaf: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return 1 minus the share of trees in which two rows end in the same leaf.

    Parameters
    ----------
    leaf : ndarray of shape (n, trees)
        The leaf of each row in each tree.
    weight : ndarray of shape (trees,)
        Of each tree; all together 1.
    """
    distance = np.ones((len(leaf), len(leaf)))
    for column, share in zip(leaf.T, weight):
        distance -= share * (column[:, None] == column)
    np.fill_diagonal(distance, 0.0)
    return np.maximum(distance, 0.0)


def euclidean_distance(matrix: EncodedMatrix) -> np.ndarray:
    """Return the distances of standardised numbers and one-hot categories.

    Parameters
    ----------
    matrix : EncodedMatrix
    """
    rows = np.asarray(DenseEncoder.learn(matrix).transform(matrix))
    distance: np.ndarray = cdist(rows, rows)
    return distance


def classical_scaling(distance: np.ndarray) -> tuple[np.ndarray, float]:
    """Return points of the plane whose distances are nearest to the given ones, and the share that they show.

    Parameters
    ----------
    distance : ndarray of shape (n, n)

    Returns
    -------
    points : ndarray of shape (n, 2)
    shown : float
        The two largest eigenvalues of the centred matrix in the sum of the positive ones.
    """
    square = distance**2
    centred = -0.5 * (square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean())
    values, vectors = eigh(centred)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    points = np.zeros((len(distance), 2))
    width = min(2, len(values))
    points[:, :width] = vectors[:, :width] * np.sqrt(values[:width])
    # The sign of an axis is free: the row farthest out lies on the positive side, on every machine.
    far = np.abs(points).argmax(axis=0)
    points *= np.where(points[far, [0, 1]] < 0, -1.0, 1.0)
    return points, float(values[:2].sum() / max(values.sum(), np.finfo(float).tiny))


def _turned(points: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """Mirror the axes of a map so that it lies as another one does as far as possible."""
    sides = np.where((points * towards).sum(axis=0) < 0, -1.0, 1.0)
    return points * sides


def _agreement(distance: np.ndarray, codes: np.ndarray) -> float:
    """Return the share of rows whose nearest other row has their class; of equally near ones, the mean."""
    others = distance + np.diag(np.full(len(distance), np.inf))
    nearest = others == others.min(axis=1, keepdims=True)
    same = codes[:, None] == codes
    return float(((nearest & same).sum(axis=1) / nearest.sum(axis=1)).mean())
