"""What forests, bagging and boosting of trees share: members, similarity of rows, out-of-bag estimates, warm starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse as sp
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import DataWarning, InputError, NotSupportedError, warn
from vaglio.fitted.residuals import Residuals
from vaglio.learners.estimator import VaglioEstimator
from vaglio.learners.inputs import check_labels, check_same_length
from vaglio.learners.parameters import estimator
from vaglio.learners.trees.model.tree import Tree
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, TableLike

# Pairs of rows held at once by the similarity of paths: 32 MB of float64.
_BLOCK = 1 << 22


@estimator
class EnsembleEstimator(VaglioEstimator):
    """What ensembles of members share: members as a sequence, similarity of rows, the out-of-bag estimate.

    An ensemble that draws rows declares ``bootstrap`` and ``oob_score``, and calls ``_keep_out_of_bag`` when it learns.

    Parameters
    ----------
    bootstrap : bool
        Draw the rows of each member with replacement.
    oob_score : bool or callable
        Estimate the accuracy (R² for numbers) by predicting each row with the members that were not trained on it. A
        function of what is true and what is predicted, f(y, predicted), gives another measure than these; it gets
        the numbers of classes, in the order of ``classes_``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
    }

    # -- members --
    def __len__(self: Any) -> int:
        return len(self.estimators_)

    def __getitem__(self: Any, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self: Any) -> Iterator[Any]:
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        return True  # also before it has members

    # -- similarity of rows --
    def _leaves(self, matrix: EncodedMatrix) -> tuple[np.ndarray, int]:
        """Return the leaf of each row in each tree, int32 (n, trees), numbered through all, and how many numbers."""
        ensemble: Any = self.fitted_.model
        columns, total = [], 0
        for member in ensemble.members:
            if not isinstance(member.model, Tree):
                raise NotSupportedError(
                    "similarity-without-trees",
                    "Similarity is the share of common leaves, so it needs an ensemble of vaglio's trees.",
                )
            columns.append(member.model.apply(member.rows(matrix)) + total)
            total += member.model.n_nodes
        return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32), total

    def _parents(self) -> np.ndarray:
        """Return the parent of each node of all trees, in the numbering of ``_leaves``."""
        ensemble: Any = self.fitted_.model
        parents, total = [], 0
        for member in ensemble.members:
            own = member.model.parent
            parents.append(np.where(own >= 0, own + total, -1))
            total += member.model.n_nodes
        return np.concatenate(parents)

    def _tree_weights(self) -> np.ndarray | None:
        """Return what each tree counts; None where all count alike."""
        return None

    @checked
    def similarity(self, X: TableLike, Z: Any = None, *, top: int | None = None, kind: str = "leaf") -> sp.csr_array:
        """Return how similar each row of X is to each row of Z.

        Pairs that share nothing are not stored, so that no dense square of numbers is ever held.

        Parameters
        ----------
        X : frame, Table or array
        Z : frame, Table or array, optional
            X itself, if not given.
        top : int, optional
            Keep only the most similar rows of Z for each row of X; of equal ones the first.
        kind : {"leaf", "path"}
            "leaf" counts the trees in which two rows end in the same leaf. "path" counts the shared part of their
            paths, over the longer path; nearly all pairs share some of it, so it needs ``top``.

        Returns
        -------
        scipy.sparse.csr_array of shape (len(X), len(Z))
            Shares in [0, 1]; the distance is 1 minus them.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("penguins").xy("species")
        >>> forest = vaglio.RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> forest.similarity(X, top=5).shape
        (344, 344)
        """
        if top is not None and top < 1:
            raise InputError("invalid-top", "top must be at least 1, not {top}.", top=top)
        if kind not in ("leaf", "path"):
            raise InputError("invalid-similarity", "kind={kind!r} is not valid. Use 'leaf' or 'path'.", kind=kind)
        if kind == "path" and top is None:
            raise InputError(
                "dense-similarity",
                "With kind='path' nearly every pair of rows is similar. Set top to the number of rows to "
                "keep for each row.",
            )
        matrix = self._encode(X)
        leaves, n_leaves = self._leaves(matrix)
        others = leaves if Z is None else self._leaves(self._encode(Z))[0]
        if kind == "path":
            return path_similarity(leaves, others, self._parents(), self._tree_weights(), top or 0)
        return common_leaves(leaves, others, n_leaves, self._tree_weights(), top=top or 0, threads=matrix.threads)

    @checked
    def outlier_scores(self, X: TableLike, y: ColumnLike | None = None) -> np.ndarray:
        """Return how unlike the others each row is: one over the sum of its squared similarities to all rows.

        Parameters
        ----------
        X : frame, Table or array
        y : array-like, optional
            With it a row is compared with the rows of its own class only.

        Returns
        -------
        ndarray of shape (n_samples,)
            In (0, 1], because every row is similar to itself; a higher score is more unusual.
        """
        matrix = self._encode(X)
        leaves, n_leaves = self._leaves(matrix)
        groups = None
        if y is not None:
            check_same_length(leaves, y)
            groups = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int64)
        sums = _core.squared_similarity(
            leaves, leaves, n_leaves, self._tree_weights(), groups, groups, n_threads=matrix.threads
        )
        return 1.0 / sums

    @checked
    def prototypes(self, X: TableLike, y: ColumnLike, *, n_neighbors: int = 20) -> dict[Any, int]:
        """Return for each class the row that stands best for it.

        It is the row with most rows of its class among its ``n_neighbors`` most similar; of equal ones the one they
        resemble most, then the first.

        Parameters
        ----------
        X : frame, Table or array
        y : array-like
            Class of each row.
        n_neighbors : int

        Returns
        -------
        dict of class label to row position in X
        """
        near = self.similarity(X, top=n_neighbors + 1)
        labels, codes = check_labels(y, self)
        check_same_length(codes, near)
        rows = np.repeat(np.arange(near.shape[0]), np.diff(near.indptr))
        other = (rows != near.indices) & (codes[rows] == codes[near.indices])
        found = np.bincount(rows[other], minlength=len(codes))
        likeness = np.bincount(rows[other], weights=near.data[other], minlength=len(codes))
        order = np.lexsort((-likeness, -found))
        best = {label.item() if hasattr(label, "item") else label: -1 for label in labels}
        for row in order[::-1]:
            label = labels[codes[row]]
            best[label.item() if hasattr(label, "item") else label] = int(row)
        return best

    # -- rows that members did not see --
    def _finish(
        self, codebook: Codebook, matrix: EncodedMatrix, y: np.ndarray, weight: Any, *args: Any, **more: Any
    ) -> Self:
        # Rows that weigh nothing are left out before anything is learned: the numbers of rows are those of all rows.
        self._counted = None if weight is None or weight.all() else (len(y), np.flatnonzero(weight))
        try:
            return super()._finish(codebook, matrix, y, weight, *args, **more)
        finally:
            del self._counted

    def _row_numbers(self, rows: np.ndarray) -> np.ndarray:
        """Return the numbers, among all rows that were given, of rows that are learned from."""
        counted = self.__dict__.get("_counted")
        return rows if counted is None else counted[1][rows]

    def _for_all_rows(self, found: np.ndarray) -> np.ndarray:
        """Return what was found of the rows that are learned from for all that were given, NaN for the others."""
        counted = self.__dict__.get("_counted")
        if counted is None:
            return found
        spread = np.full((counted[0], *found.shape[1:]), np.nan)
        spread[counted[1]] = found
        return spread

    def _forget_out_of_bag(self) -> None:
        """Remove the estimates of an earlier fit: they are not those of the model that is learned now."""
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_", "_out_of_bag_residuals"):
            self.__dict__.pop(name, None)

    def _keep_out_of_bag(self, means: np.ndarray, asked: np.ndarray, y: np.ndarray, member: str) -> None:
        """Set the fitted attributes.

        Parameters
        ----------
        means : ndarray of shape (n_samples, n_outputs)
            Mean prediction of the members that were not trained on the row.
        asked : ndarray of shape (n_samples,)
            How many members these are.
        y : ndarray
            Class codes or numbers.
        member : str
            What a member is called in the warning.
        """
        known = asked > 0
        if not known.all():
            warn(
                DataWarning(
                    "rows-never-out-of-bag",
                    "{n:,} of {rows:,} rows were drawn for every {member} and have no out-of-bag estimate. "
                    "Use more members.",
                    n=int((~known).sum()),
                    rows=len(y),
                    member=member,
                )
            )
        chosen = getattr(self, "oob_score", None)
        chosen = chosen if callable(chosen) else None
        if is_classifier(self):
            self.oob_decision_function_ = self._for_all_rows(means)
            measure, predicted, least = chosen or accuracy_score, np.argmax(means[known], axis=1), 1
        else:
            self.oob_prediction_ = self._for_all_rows(means[:, 0])
            measure, predicted, least = chosen or r2_score, means[known, 0], 2
            if known.any():
                self._out_of_bag_residuals = Residuals.of(y[known] - predicted, "out-of-bag")
        self.oob_score_ = float(measure(y[known], predicted)) if known.sum() >= least else float("nan")


def check_warm_start(ensemble: Any, matrix: EncodedMatrix, kept: int, members: str) -> None:
    """Refuse to add members to an ensemble where it has others, of other columns or classes; say where none is added.

    Parameters
    ----------
    ensemble : estimator
        A fitted ensemble, of which ``classes_`` are those of the rows given now.
    matrix : EncodedMatrix
        The rows given now.
    kept : int
        How many members it has.
    members : str
        What they are called.
    """
    fitted, classes = ensemble.fitted_, getattr(ensemble, "classes_", None)
    same_classes = classes is None or np.array_equal(fitted.classes, classes)
    if fitted.codebook.features != matrix.features or not same_classes:
        raise InputError(
            "warm-start-other-table",
            "warm_start needs the columns and classes of the previous fit. Use a new estimator.",
        )
    if ensemble.n_estimators < kept:
        raise InputError(
            "warm-start-members",
            "n_estimators={n_estimators}, but the model already has {n_members} {members}. With "
            "warm_start, ask for more.",
            n_estimators=ensemble.n_estimators,
            n_members=kept,
            members=members,
        )
    if ensemble.n_estimators == kept:
        warn(
            DataWarning(
                "warm-start-without-effect",
                "The model already has {n_members} {members}, so warm_start trained no further ones. "
                "Raise n_estimators.",
                n_members=kept,
                members=members,
            )
        )


def common_leaves(
    leaves: np.ndarray,
    others: np.ndarray,
    n_leaves: int,
    tree_weights: np.ndarray | None = None,
    *,
    top: int = 0,
    threads: int = 1,
) -> sp.csr_array:
    """Return for each pair of rows the share of trees in which they end in the same leaf, where it is not 0."""
    values, columns, offsets = _core.leaf_similarity(leaves, others, n_leaves, tree_weights, top=top, n_threads=threads)
    # SciPy brings both index arrays to one type: short offsets spare it a wider copy of all columns.
    if len(values) <= np.iinfo(np.int32).max:
        offsets = offsets.astype(np.int32)
    return sp.csr_array((values, columns, offsets), shape=(len(leaves), len(others)))


def path_similarity(
    leaves: np.ndarray, others: np.ndarray, parent: np.ndarray, weights: np.ndarray | None, top: int
) -> sp.csr_array:
    """Return for each row its ``top`` most similar others, by the mean over the trees of the shared part of the path.

    The part is the number of tests with the same result for both rows, from the root on, over the length of the longer
    path; rows in the same leaf share all of it. ``parent`` gives the parent of each node, -1 for a root.
    """
    weights = np.ones(leaves.shape[1]) if weights is None else weights
    paths = [(_paths(leaves[:, t], parent), _paths(others[:, t], parent)) for t in range(leaves.shape[1])]
    step = max(1, _BLOCK // max(len(others), 1))
    rows = [_most_similar(paths, slice(i, i + step), weights / weights.sum(), top) for i in range(0, len(leaves), step)]
    return sp.csr_array(sp.vstack(rows)) if rows else sp.csr_array((0, len(others)))


def _paths(leaf: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Nodes from the root to each row's leaf, shape (n, longest path + 1); -1 beyond the leaf."""
    upward = [leaf.astype(np.int64)]
    while (above := np.where(upward[-1] >= 0, parent[upward[-1]], -1)).max(initial=-1) >= 0:
        upward.append(above)
    chain = np.stack(upward[::-1], axis=1)  # ends with the leaf; short paths begin with -1
    start = (chain < 0).sum(axis=1, keepdims=True)
    position = np.arange(chain.shape[1]) + start
    moved = np.take_along_axis(chain, np.minimum(position, chain.shape[1] - 1), axis=1)
    return np.where(position < chain.shape[1], moved, -1)


def _most_similar(
    paths: list[tuple[np.ndarray, np.ndarray]], rows: slice, weights: np.ndarray, top: int
) -> sp.csr_array:
    n = len(paths[0][0][rows])
    total = np.zeros((n, len(paths[0][1])))
    for (own, others), weight in zip(paths, weights):
        mine = own[rows]
        shared = np.zeros(total.shape)
        for level in range(1, min(mine.shape[1], others.shape[1])):  # level 0 is the root, which all rows share
            shared += (mine[:, level, None] == others[None, :, level]) & (mine[:, level, None] >= 0)
        depth = (mine >= 0).sum(axis=1)[:, None] - 1
        longer = np.maximum(depth, (others >= 0).sum(axis=1)[None] - 1)
        total += weight * np.where(longer > 0, shared / np.maximum(longer, 1), 1.0)
    best = np.sort(np.argsort(-total, axis=1, kind="stable")[:, :top], axis=1)
    offsets = np.arange(0, best.size + 1, max(best.shape[1], 1))
    found = sp.csr_array((np.take_along_axis(total, best, axis=1).ravel(), best.ravel(), offsets), shape=total.shape)
    found.eliminate_zeros()
    return found
