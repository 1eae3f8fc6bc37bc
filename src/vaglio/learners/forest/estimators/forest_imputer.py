"""Missing values filled by what similar rows have, similarity being that of a random forest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import Codebook, EncodedMatrix, decode
from vaglio.errors import DataWarning, InputError, NotSupportedError, warn
from vaglio.learners.bases import OneToOneFeatureMixin, TransformerMixin
from vaglio.learners.forest.estimators.ensemble import common_leaves
from vaglio.learners.forest.estimators.random_forest import RandomForestClassifier, RandomForestRegressor
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.inputs import check_labels, check_numbers, check_same_length, check_X
from vaglio.learners.parameters import COUNT, NOT_NEGATIVE, Parametrised, estimator
from vaglio.messages.sentences import listed
from vaglio.runtime.seeds import seed_of
from vaglio.runtime.threads import resolve_threads
from vaglio.typing import ColumnLike, RandomState, TableLike


@dataclass(frozen=True)
class _Cells:
    """Values of the rows as they are filled now; the mask says which were given."""

    numeric: np.ndarray
    codes: np.ndarray
    numeric_known: np.ndarray
    codes_known: np.ndarray

    @property
    def incomplete(self) -> np.ndarray:
        """Rows with something to fill."""
        return np.flatnonzero(~(self.numeric_known.all(axis=1) & self.codes_known.all(axis=1)))

    def matrix(self, like: EncodedMatrix, rows: np.ndarray | slice = slice(None)) -> EncodedMatrix:
        matrix = EncodedMatrix(like.features, self.numeric[rows], np.asfortranarray(self.codes[rows]))
        matrix.threads = like.threads
        return matrix


@estimator
class ForestImputer(OneToOneFeatureMixin, TransformerMixin, Parametrised):
    """Fills missing values by similarity-weighted means (numbers) and modes (categories).

    Starts from means and modes; grows a forest that predicts ``y`` on the filled rows; fills each missing value anew
    from the rows that have it, weighted by the share of trees in which they end in the same leaf; and again, until the
    change is below ``tol``. A row that is similar to none keeps its start value. A column without any value in the
    training rows is not filled, and a warning names it.

    Parameters
    ----------
    n_estimators : int
        Number of trees of the forest of each round.
    max_iter : int
        Largest number of rounds.
    tol : float
        Change of the filled values between two rounds at which to stop: root mean square of numbers in units of their
        column's deviation, together with the share of categories that changed.
    min_samples_leaf : int
        Leaves with several rows make similarity smoother than fully grown trees do.

    Attributes
    ----------
    history_ : list of float
        Change of the filled values in each round.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the change fell below ``tol``.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if the columns had names.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> filled = vaglio.ForestImputer(n_estimators=20, random_state=0).fit_transform(X, y)
    >>> int(filled.isna().sum().sum())
    0
    """

    _accepts_sparse: ClassVar[bool] = False
    _writes_out_sparse: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": COUNT,
        "max_iter": COUNT,
        "tol": NOT_NEGATIVE,
        "min_samples_leaf": COUNT,
    }

    n_estimators: int = field(default=100, kw_only=False)
    max_iter: int = 10
    tol: float = 0.005
    min_samples_leaf: int = 5
    n_jobs: int | None = None
    random_state: RandomState = None

    history_: list[float] = field(init=False)
    converged_: bool = field(init=False)

    def fit(self, X: TableLike, y: ColumnLike | None = None) -> Self:
        """Learn what similar rows look like.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers that the forest predicts: rows are similar as far as they matter for these.
        """
        self._validate_params()
        if y is None:
            raise InputError(
                "imputer-without-target",
                "ForestImputer requires y to be passed, but the target y is None: the classes or numbers of the rows "
                "decide which rows are similar. Without any, use scikit-learn's SimpleImputer or KNNImputer.",
            )
        X = check_X(self, X, reset=True)
        self._codebook = Codebook.learn(X)
        matrix = self._encode(X)
        target, grower = self._forest_for(y)
        check_same_length(matrix, target)
        self._start_numeric, self._deviation, self._start_codes = _start_values(matrix)
        self._warn_of_empty(matrix)
        cells = self._started(matrix)
        self.history_, self.converged_ = [], False
        self._rounds: list[tuple[Forest, _Cells]] = []
        for _ in range(self.max_iter):
            forest = grower.fit(decode(cells.matrix(matrix), named=True), target).fitted_.model
            self._rounds.append((forest, cells))
            refilled = self._refilled(cells, matrix, forest, donors=cells)
            missing, missing_codes = ~cells.numeric_known, ~cells.codes_known
            moved = ((refilled.numeric - cells.numeric) / self._deviation)[missing]
            other = (refilled.codes != cells.codes)[missing_codes]
            count = max(missing.sum() + missing_codes.sum(), 1)
            self.history_.append(float(np.sqrt(((moved**2).sum() + other.sum()) / count)))
            cells = refilled
            if self.history_[-1] <= self.tol:
                self.converged_ = True
                break
        self.n_iter_ = len(self.history_)
        return self

    def transform(self, X: TableLike) -> Any:
        """Return the rows with every missing value filled. A value that is known stays, also a category that is new.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or DataFrame
            An array for an array of numbers, else a frame.
        """
        *_, filled = self.staged_transform(X)
        return filled

    def staged_transform(self, X: TableLike) -> Iterator[Any]:
        """Yield the rows as they are filled at the start, by means and modes, and after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)

        Yields
        ------
        ndarray or DataFrame
            As of :meth:`transform`, which returns the last of them.
        """
        check_is_fitted(self, "history_")
        X = check_X(self, X, reset=False)
        matrix = self._encode(X)
        cells = self._started(matrix)
        yield self._decoded(X, matrix, cells)
        # New rows go through the same rounds, with the same forests and donors, as the training rows did.
        for forest, donors in self._rounds:
            cells = self._refilled(cells, matrix, forest, donors)
            yield self._decoded(X, matrix, cells)

    def _decoded(self, X: TableLike, matrix: EncodedMatrix, cells: _Cells) -> Any:
        filled = self._without_empty(cells).matrix(matrix)
        if not self._codebook.named and filled.numeric.shape[1] == filled.n_features:
            return decode(filled, named=False)
        return self._codebook.fill(X, filled)

    def _encode(self, X: TableLike) -> EncodedMatrix:
        matrix = self._codebook.encode(X)
        matrix.threads = resolve_threads(self.n_jobs)
        if matrix.text:
            name = matrix.features[min(matrix.text)].name
            raise NotSupportedError(
                "free-text-imputation",
                "Column {column!r} is free text, which has no mean or mode. Leave it out.",
                column=name,
            )
        return matrix

    def _warn_of_empty(self, matrix: EncodedMatrix) -> None:
        """Note the columns that have no value, and name them in a warning."""
        self._empty = np.isnan(matrix.numeric).all(axis=0)
        at = [*matrix.numeric_features[self._empty], *matrix.nominal_features[(matrix.codes < 0).all(axis=0)]]
        if names := [matrix.features[j].name for j in sorted(at)]:
            warn(
                DataWarning(
                    "columns-not-imputed",
                    "{n:Column|Columns} {columns} {n:has|have} no value in the training rows and {n:is|are} not "
                    "filled.",
                    n=len(names),
                    columns=listed(names, quoted=True),
                )
            )

    def _without_empty(self, cells: _Cells) -> _Cells:
        """Return the filled cells; numbers of columns without a value in the training rows stay missing."""
        absent = self._empty & ~cells.numeric_known
        return replace(cells, numeric=np.where(absent, np.nan, cells.numeric))

    def _forest_for(self, y: ColumnLike) -> tuple[np.ndarray, Any]:
        """Return the target and the forest that predicts it."""
        options: dict[str, Any] = {
            "n_estimators": self.n_estimators,
            "min_samples_leaf": self.min_samples_leaf,
            "n_jobs": self.n_jobs,
            "random_state": seed_of(self.random_state) % 2**32,
        }
        if y is not None and type_of_target(y) == "continuous":
            # Similarities are finer where trees differ more.
            return check_numbers(y, self), RandomForestRegressor(max_features="third", **options)
        return check_labels(y, self)[1], RandomForestClassifier(**options)

    def _started(self, matrix: EncodedMatrix) -> _Cells:
        """Fill by means and modes."""
        known, codes_known = ~np.isnan(matrix.numeric), matrix.codes >= 0
        return _Cells(
            np.where(known, matrix.numeric, self._start_numeric),
            np.where(codes_known, matrix.codes, self._start_codes).astype(np.int32),
            known,
            codes_known,
        )

    def _refilled(self, cells: _Cells, matrix: EncodedMatrix, forest: Forest, donors: _Cells) -> _Cells:
        """Fill from the donors, the training rows, by their similarity."""
        rows = cells.incomplete
        if not rows.size:
            return cells
        own = cells.matrix(matrix, rows)
        leaves, others = forest.apply(own), forest.apply(donors.matrix(matrix))
        similarity = common_leaves(leaves, others, forest.n_nodes, threads=own.threads)
        numeric, codes = cells.numeric.copy(), cells.codes.copy()
        if numeric.shape[1]:
            weight = similarity @ donors.numeric_known.astype(np.float64)
            total = similarity @ np.where(donors.numeric_known, donors.numeric, 0.0)
            mean = np.divide(
                total, weight, out=np.broadcast_to(self._start_numeric, total.shape).copy(), where=weight > 0
            )
            numeric[rows] = np.where(cells.numeric_known[rows], numeric[rows], mean)
        for j in range(codes.shape[1]):
            known, given = donors.codes_known[:, j], donors.codes[:, j]
            indicator = np.zeros((len(given), int(given.max(initial=0)) + 1))  # one column per category
            indicator[np.flatnonzero(known), given[known]] = 1.0
            votes = similarity @ indicator
            mode = np.where(votes.any(axis=1), np.argmax(votes, axis=1), self._start_codes[j])
            codes[rows, j] = np.where(cells.codes_known[rows, j], codes[rows, j], mode)
        return _Cells(numeric, codes, cells.numeric_known, cells.codes_known)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


def _start_values(matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and deviation of each number, most frequent code of each category; 0 and -1 where a column has no value."""
    known = ~np.isnan(matrix.numeric)
    count = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, matrix.numeric, 0.0).sum(axis=0) / count
    deviation = np.sqrt((np.where(known, matrix.numeric - means, 0.0) ** 2).sum(axis=0) / count)
    counts = [np.bincount(column[column >= 0]) for column in matrix.codes.T]
    modes = [np.argmax(count) if count.size else -1 for count in counts]
    return means, np.where(deviation > 0, deviation, 1.0), np.array(modes, dtype=np.int32)
