"""Naive Bayes on counts: multinomial (how often) and Bernoulli (whether at all), learned at once or in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse as sp

from vaglio.encode import CountBlock, EncodedMatrix, count_block, count_columns
from vaglio.engines.exact_sums import Grid
from vaglio.engines.passes import Chunk, Pass, Passes, TableSummary
from vaglio.errors import InputError
from vaglio.learners.bayes.estimators.class_statistics import sum_by_class
from vaglio.learners.bayes.estimators.generative import Generative, in_order_of, known_labels, resolve_priors
from vaglio.learners.bayes.model.count_bayes import BernoulliModel, CountBayesModel, MultinomialModel, binarized
from vaglio.learners.bayes.model.posterior import log_of, smoothed
from vaglio.learners.inputs import check_same_length, check_X
from vaglio.learners.parameters import NOT_NEGATIVE, estimator
from vaglio.runtime.scikit_learn import check_partial_fit_first_call
from vaglio.table import as_frame
from vaglio.typing import ClassWeight, ColumnLike, SupportsArray, TableLike

# Rows whose counts are added at a time.
_BLOCK = 1 << 16


@estimator
class CountBayes(Generative):
    """Base of MultinomialNB and BernoulliNB.

    Parameters
    ----------
    alpha : float
        Added to every count.
    force_alpha : bool
        Whether to use alpha even below 1e-10; if False, alpha is at least 1e-10.
    fit_prior : bool
        Whether to learn the class priors from the frequencies; if False, all classes have the same prior.
    class_prior : array-like of shape (n_classes,) or None
        The class priors, in the order of ``classes_``; None leaves them to ``fit_prior``.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Training weight of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the prior of each class.
    feature_count_ : ndarray of shape (n_classes, n_columns)
        Weighted sum of each column (or word) in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)
        Logarithm of the smoothed probability θ of each column (or word) in each class; see :meth:`spectrum` and
        :meth:`telling_words`.
    """

    _accepts_sparse = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": NOT_NEGATIVE,
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    alpha: float = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Sequence[float] | SupportsArray | None = None
    class_weight: ClassWeight = None

    def _count(self, block: CountBlock) -> Any:
        """Return what is added up, shape (n, W)."""
        raise NotImplementedError

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> CountBayesModel:
        raise NotImplementedError

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> CountBayesModel:
        self.class_count_, self.feature_count_, self._seen = self._sums(matrix, y, weight)
        return self._build(matrix)

    def _sums(
        self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        k = len(self.classes_)
        block = count_block(matrix)
        class_count = np.bincount(y, weight, minlength=k).astype(np.float64)
        count = sum_by_class(self._count(block), y, weight, k)
        seen = np.repeat(class_count[:, None], count.shape[1], axis=1)
        if block.missing is not None:
            owner = count_columns(matrix.features)[1]
            seen = seen - sum_by_class(block.missing.astype(np.float64), y, weight, k)[:, owner]
        return class_count, count, seen

    def _passes(self, facts: TableSummary) -> Passes:
        self._refuse_range(facts)
        features = facts.codebook.features
        reach = np.nan_to_num(np.fmax(np.abs(facts.low), np.abs(facts.high))).max(initial=1.0)
        grid = Grid.for_bound([facts.largest_weight * reach])
        found = yield Pass("sums of counts", partial(_sum_counts, self._count, grid, facts.n_classes))
        self.class_count_ = found["classes"]
        self.feature_count_ = grid.value(found["counts"])
        self._seen = np.repeat(self.class_count_[:, None], self.feature_count_.shape[1], axis=1)
        self._seen = self._seen - found["missing"][:, count_columns(features)[1]]
        empty = np.empty((0, len(facts.low))), np.empty((0, sum(f.is_nominal for f in features)), np.int32)
        return self._build(EncodedMatrix(features, *empty))

    def _refuse_range(self, facts: TableSummary) -> None:
        """Raise an error where the numbers are no counts."""

    def _build(self, matrix: EncodedMatrix) -> CountBayesModel:
        priors = self.class_prior if self.class_prior is not None else None if self.fit_prior else "equal"
        model = self._model(matrix, resolve_priors(in_order_of(self.classes_, priors), self.class_count_))
        self.class_log_prior_ = model.log_prior
        self.feature_log_prob_ = model.log_probability
        return model

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: ColumnLike | None = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn from one more part of a table; the parts together give what one ``fit`` gives.

        The first part fixes the vocabulary of a text column and the categories of a nominal one; what it did not
        show is left out later.

        Parameters
        ----------
        X : frame, Table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes that will occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        first = not hasattr(self, "fitted_")
        check_partial_fit_first_call(self, classes)
        if first:
            codebook, matrix = self._encode_training(X)
        else:
            codebook = self.fitted_.codebook
            matrix = codebook.encode(check_X(self, X, reset=False))
        codes = known_labels(y, self.classes_)
        check_same_length(matrix, codes)
        weight = self._weight_of_chunk(X, codes, sample_weight)
        part = self._sums(matrix, codes, weight)
        if not first:
            so_far = (self.class_count_, self.feature_count_, self._seen)
            part = tuple(a + b for a, b in zip(so_far, part))
        self.class_count_, self.feature_count_, self._seen = part
        return self._keep(codebook, self._build(matrix), float(self.class_count_.sum()))

    def spectrum(self) -> Any:
        """Return log θ, a frame of words (or columns) by classes.

        A row goes to the class with the largest dot product of its counts with this spectrum, plus the log prior.
        """
        names, _ = count_columns(self.fitted_.codebook.features)
        return as_frame(self.feature_log_prob_.T, self.classes_.tolist(), names)

    def telling_words(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return for each class the words (or columns) that are its strongest evidence, with their log-odds.

        The log-odds of a word compare its θ in the class with that in all other classes taken together.

        Parameters
        ----------
        n : int, default=10
            Number of words per class.

        Returns
        -------
        dict of class label to list of (word, log-odds)
        """
        names, _ = count_columns(self.fitted_.codebook.features)
        told = {}
        for c, label in enumerate(self.classes_.tolist()):
            odds = self.feature_log_prob_[c] - self._rest(c)
            best = np.argsort(-odds, kind="stable")[:n]
            told[label] = [(names[w], float(odds[w])) for w in best]
        return told

    def _rest(self, c: int) -> np.ndarray:
        """Log θ of all classes but one, smoothed alike."""
        others = np.arange(len(self.classes_)) != c
        if not others.any():
            return np.zeros(self.feature_log_prob_.shape[1])
        return self._log_theta(self.feature_count_[others].sum(axis=0), self._seen[others].sum(axis=0))

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _alpha(self) -> float:
        return float(self.alpha) if self.force_alpha else max(float(self.alpha), 1e-10)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks expect a good score on Gaussian blobs, which are no counts.
        tags.classifier_tags.poor_score = True
        return tags


def _sum_counts(count: Callable[[CountBlock], Any], grid: Grid, k: int, chunk: Chunk) -> dict[str, np.ndarray]:
    """Return the sums of one chunk: counts in units of the grid, weights of the classes and of missing values."""
    total: Any = 0
    for first in range(0, chunk.n_rows, _BLOCK):
        rows = slice(first, first + _BLOCK)
        values, y = count(count_block(chunk.matrix.take(rows))), chunk.y[rows]
        weight = None if chunk.weight is None else chunk.weight[rows]
        if sp.issparse(values):
            values = sp.csr_array(values, dtype=np.float64)
            rows_of = np.repeat(np.arange(len(y)), np.diff(values.indptr))
            terms = values.data if weight is None else values.data * weight[rows_of]
            parts = [sp.csr_array((part, values.indices, values.indptr), values.shape) for part in grid.split(terms)]
        else:
            terms = values if weight is None else values * weight[:, None]
            parts = list(grid.split(np.asarray(terms, dtype=np.float64)))
        # Multiples of the grid add without rounding, so that any product of matrices gives the same sum.
        total = total + np.stack(
            [grid.in_units(sum_by_class(part, y, None, k), at) for at, part in enumerate(parts, 1)]
        )
    missing = sum_by_class(chunk.matrix.missing.astype(np.float64), chunk.y, chunk.weight, k)
    classes = np.bincount(chunk.y, chunk.weight, minlength=k).astype(np.float64)
    return {"counts": total, "missing": missing, "classes": classes}


@estimator
class MultinomialNB(CountBayes):
    """Multinomial naive Bayes: a row goes to the class with the largest log π + Σ n·log θ.

    For counts: a sparse or dense matrix of them, or a table with text columns, whose words are counted inside. A
    nominal column counts as one for its category.

    Examples
    --------
    >>> from vaglio import MultinomialNB, Table
    >>> from vaglio.table import Column
    >>> films = Table([Column.text("review", ["great fun", "awful mess", "great film"])])
    >>> model = MultinomialNB().fit(films, ["good", "bad", "good"])
    >>> model.predict(Table([Column.text("review", ["great mess, great fun"])])).tolist()
    ['good']
    >>> model.telling_words(1)["good"][0][0]
    'great'
    """

    _learner_id = "multinomial-nb"

    def _count(self, block: CountBlock) -> Any:
        values = block.values if isinstance(block.values, np.ndarray) else block.values.data
        if values.size and values.min() < 0:
            raise _negative()
        return block.values

    def _refuse_range(self, facts: TableSummary) -> None:
        if (facts.low < 0).any():
            raise _negative()

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> MultinomialModel:
        return MultinomialModel(
            matrix.features, self.class_count_, prior, self.feature_count_, self._seen, self._alpha()
        )

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        return log_of(smoothed(count, self._alpha()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _negative() -> InputError:
    return InputError(
        "negative-counts",
        "Negative values in data passed to MultinomialNB (input X): counts must be at least 0. "
        "Use NaiveBayesClassifier for numbers of any sign.",
    )


@estimator
class BernoulliNB(CountBayes):
    """Bernoulli naive Bayes: the absence of a word or property counts as evidence too, not only its presence.

    For 0/1 columns, dense or sparse, or a table with text columns, whose words are looked for inside. Missing values
    are neither present nor absent: they are left out.

    Parameters
    ----------
    binarize : float or None
        A value above it counts as present; None means that X has only 0 and 1.

    Examples
    --------
    >>> from vaglio import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> model.predict([[1, 0]]).tolist()
    ['a']
    """

    _learner_id = "bernoulli-nb"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"binarize": [Real, None]}

    binarize: float | None = 0.0

    def _count(self, block: CountBlock) -> Any:
        return binarized(block.values, self.binarize)

    def _model(self, matrix: EncodedMatrix, prior: np.ndarray) -> BernoulliModel:
        return BernoulliModel(
            matrix.features,
            self.class_count_,
            prior,
            self.feature_count_,
            self._seen,
            self._alpha(),
            binarize=None if self.binarize is None else float(self.binarize),
        )

    def _log_theta(self, count: np.ndarray, seen: np.ndarray) -> np.ndarray:
        return log_of((count + self._alpha()) / np.maximum(seen + 2 * self._alpha(), np.finfo(float).tiny))
