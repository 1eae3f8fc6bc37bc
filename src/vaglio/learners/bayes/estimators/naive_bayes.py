"""Naive Bayes for mixed tables."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import Codebook, EncodedMatrix
from vaglio.engines.passes import Passes, TableSummary
from vaglio.errors import NotSupportedError
from vaglio.learners.bayes.estimators.class_statistics import Statistics
from vaglio.learners.bayes.estimators.generative import Generative, in_order_of, known_labels, resolve_priors
from vaglio.learners.bayes.estimators.intervals import learn_quantiles
from vaglio.learners.bayes.estimators.likelihood_choice import (
    LIKELIHOODS,
    DensityChoice,
    HeldOutScores,
    resolve_likelihoods,
    split_auto,
)
from vaglio.learners.bayes.estimators.likelihoods import (
    NumericGroups,
    Strengths,
    assemble,
    gaussian_group,
    numeric_groups,
)
from vaglio.learners.bayes.model.naive_bayes import NaiveBayesModel
from vaglio.learners.bayes.model.posterior import log_of
from vaglio.learners.bayes.passes import chooses_density, naive_passes
from vaglio.learners.inputs import check_same_length, check_with_ranges, gathered_rows, note_reliability
from vaglio.learners.parameters import NOT_NEGATIVE, estimator
from vaglio.runtime.scikit_learn import check_partial_fit_first_call
from vaglio.table import as_frame
from vaglio.typing import ClassWeight, ColumnLike, Priors, TableLike

Likelihood = Literal["auto", "gaussian", "kde", "mdl", "discrete", "poisson", "exponential", "lognormal"]


@estimator
class NaiveBayesClassifier(Generative):
    """Naive Bayes: P(c|x) ∝ P(c)·Π P(xⱼ|c), each attribute counted as if independent of the others given the class.

    Nominal attributes have smoothed frequencies (af(v,c) + α) / (af(c) + α·V), V being the number of values that occur
    in the training rows; a value that is declared but never occurs counts as one with af = 0. Text has its words
    likewise, numeric attributes a density of choice. Missing values are left out of the counts and of the product.
    Everything is computed in logarithms.

    Parameters
    ----------
    likelihood : {"auto", "gaussian", "kde", "mdl", "discrete", "poisson", "exponential", "lognormal"} or dict
        P(x|c) of numeric columns; a dict names columns, the others are "auto". "gaussian": normal density; "kde":
        Gaussian kernel density; "mdl": intervals cut by Fayyad and Irani's description length; "discrete": a
        frequency for every distinct value, a new value being left out; "poisson" (counts), "exponential" (from 0) and
        "lognormal" (above 0): the distribution of that name, whose parameters each class has of its own; a number
        that it cannot produce is an error in training and left out at prediction.
        "auto": "discrete" for at most ten distinct values with three rows each or more on average; the other columns
        together are "mdl" or, if that cuts none of them, "gaussian". With up to 20000 rows and 500 such columns they
        are "gaussian" or "kde" instead, if that makes no more errors and has no larger log-loss in five-fold
        cross-validation on the training rows ("kde" up to 2000 rows, since it keeps all of them).
    alpha : float
        Added to every count (Laplace). With 0 a category never seen with a class rules the class out, whatever the
        other attributes say; a row that all classes rule out gets the priors. The mean of a Poisson or exponential
        distribution is estimated as if so many more rows had the mean of all rows.
    var_smoothing : float
        The Gaussian variance of a class is estimated as if so many more rows had shown the variance within the
        classes together. 0 leaves it as it is.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Training weight of each class.
    class_prior_ : ndarray of shape (n_classes,)
        Prior of each class.
    likelihoods_ : dict of str to str
        The likelihood each column ended up with.
    reliability_ : dict of str to float
        For each nominal column of many values, the share of its information beyond chance (``high_cardinality``); a
        column of 0 has no effect.

    Examples
    --------
    >>> from vaglio import NaiveBayesClassifier
    >>> X = {"outlook": ["sunny", "sunny", "rain", "rain"], "windy": [True, False, True, False]}
    >>> import pandas as pd
    >>> model = NaiveBayesClassifier(alpha=1).fit(pd.DataFrame(X), ["no", "yes", "no", "yes"])
    >>> model.predict(pd.DataFrame({"outlook": ["rain"], "windy": [False]})).tolist()
    ['yes']
    """

    _learner_id = "naive-bayes"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "likelihood": [StrOptions(set(LIKELIHOODS)), dict],
        "alpha": NOT_NEGATIVE,
        "var_smoothing": NOT_NEGATIVE,
    }

    likelihood: Likelihood | dict[str, Likelihood] = field(default="auto", kw_only=False)
    alpha: float = 1.0
    var_smoothing: float = 5.0
    high_cardinality: float | None = 0.0
    priors: Priors = None
    class_weight: ClassWeight = None
    unseen: Literal["missing", "error"] = "missing"
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NaiveBayesModel:
        if self._counts_on_bins(matrix):
            learned = self._learn_by_passes(matrix, y, weight)
            assert isinstance(learned, NaiveBayesModel)
            return learned
        return self._learn_by_rows(matrix, y, weight)

    def _learn_by_rows(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NaiveBayesModel:
        k = len(self.classes_)
        asked = self._decided(resolve_likelihoods(self.likelihood, matrix.features), matrix, y, weight)
        self._statistics = Statistics.gather(matrix, y, weight, k, matrix.threads)
        how = (self._statistics.moments, self._strengths(), matrix.threads)
        numeric = numeric_groups(asked, matrix, y, weight, *how)
        return self._noted(self._assemble(self._statistics, numeric, matrix.threads), numeric)

    def _passes(self, facts: TableSummary) -> Passes:
        if chooses_density(self.likelihood, facts):
            rows = yield from gathered_rows(facts)
            return self._learn_by_rows(rows.matrix, rows.y, rows.weight)
        self._statistics, numeric = yield from naive_passes(self.likelihood, self._strengths(), facts)
        return self._noted(self._assemble(self._statistics, numeric, self._threads()), numeric)

    def _counts_on_bins(self, matrix: EncodedMatrix) -> bool:
        asked = set(resolve_likelihoods(self.likelihood, matrix.features).values())
        # Kernel densities keep all rows while these are in memory; normal and named densities count nothing.
        return super()._counts_on_bins(matrix) and bool(asked & {"auto", "mdl", "discrete"}) and "kde" not in asked

    def _decided(
        self, asked: dict[int, str], matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
    ) -> dict[int, str]:
        """Return the likelihoods with those of "auto" columns chosen: frequencies for few values, else by errors."""
        k, threads = len(self.classes_), matrix.threads
        few, many = split_auto(asked, matrix, y, weight, k, threads)
        asked = {**asked, **dict.fromkeys(few, "discrete")}
        if not many:
            return asked
        fixed = {j: kind for j, kind in asked.items() if j not in many}

        def others(
            rows: EncodedMatrix, codes: np.ndarray, w: np.ndarray | None, kept_out: EncodedMatrix
        ) -> HeldOutScores:
            statistics = Statistics.gather(rows, codes, w, k, threads)
            numeric = numeric_groups(fixed, rows, codes, w, statistics.moments, self._strengths(), rows.threads)
            joint = self._assemble(statistics, numeric, threads).joint_log_likelihood(kept_out)
            return HeldOutScores(joint, any(table.is_cut for table in numeric.tables))

        choice = DensityChoice(
            matrix.position[many],
            others if len(many) < matrix.n_features else None,
            self._strengths(),
            in_order_of(self.classes_, self.priors),
            k,
            threads,
        )
        return {**asked, **dict.fromkeys(many, choice.choose(matrix, y, weight))}

    def _strengths(self) -> Strengths:
        return Strengths(float(self.alpha), float(self.var_smoothing))

    def _assemble(self, statistics: Statistics, numeric: NumericGroups, threads: int) -> NaiveBayesModel:
        prior = resolve_priors(in_order_of(self.classes_, self.priors), statistics.class_weight)
        return assemble(statistics, prior, numeric, float(self.alpha), self.high_cardinality, threads)

    def _noted(self, model: NaiveBayesModel, numeric: NumericGroups) -> NaiveBayesModel:
        """Keep what a user may look up, and give the model what new rows are drawn from."""
        self.class_count_, self.class_prior_ = model.class_count, model.prior
        note_reliability(self, self._statistics.features, model.table.reliabilities)
        self.likelihoods_ = model.likelihood_names(self._statistics.features)
        ranges = self._statistics.numeric_ranges()
        dense = (numeric.gaussian, numeric.kernel, numeric.named)
        limits = {int(j): ranges[j] for group in dense for j in group.feature if j in ranges}
        return replace(model, quantiles=learn_quantiles(numeric.counts, limits, len(self.classes_)))

    def linear_weights(self) -> dict[str, Any]:
        """Return log P(v|c) of every category, a frame (values by classes) for each nominal column.

        Discrete naive Bayes is a linear classifier: the score of a class is its log prior plus one of these numbers
        for each column.
        """
        check_is_fitted(self, "fitted_")
        features = self.fitted_.codebook.features
        model = self.fitted_.model
        assert isinstance(model, NaiveBayesModel)
        return {
            features[j].name: as_frame(table.T, self.classes_.tolist(), list(features[j].categories))
            for j, table in model.linear_weights().items()
        }

    def linear_model(self) -> Any:
        """Return discrete naive Bayes as a linear classifier: w0 and one weight per value of each nominal column.

        Returns
        -------
        DataFrame
            ``column``, ``value`` and the weights; the first line, without a column, is w0. Of two classes there is one
            ``weight``, the logarithm of the odds of the second class: the sum over the values of a row is above 0
            where that class is more probable. Of more classes there is one column per class, and the largest sum wins.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> weights = vaglio.NaiveBayesClassifier().fit(X, y).linear_model()
        >>> weights["weight"].round(3).head(3).tolist()  # ln(9/5), then sunny and overcast
        [0.588, -0.693, 1.204]
        """
        check_is_fitted(self, "fitted_")
        features, model = self.fitted_.codebook.features, self.fitted_.model
        assert isinstance(model, NaiveBayesModel)
        lines: list[tuple[str, str, np.ndarray]] = [("", "", log_of(np.asarray(model.prior)))]
        for j, table in model.linear_weights().items():
            lines += [(features[j].name, str(v), table[:, at]) for at, v in enumerate(features[j].categories)]
        columns: dict[str, Any] = {"column": [line[0] for line in lines], "value": [line[1] for line in lines]}
        weights = np.array([line[2] for line in lines])
        if len(self.classes_) == 2:
            with np.errstate(invalid="ignore"):  # a value that occurs in no class, without smoothing
                return as_frame({**columns, "weight": weights[:, 1] - weights[:, 0]})
        return as_frame({**columns, **{str(label): weights[:, c] for c, label in enumerate(self.classes_)}})

    def partial_fit(
        self, X: TableLike, y: ColumnLike, classes: ColumnLike | None = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn from one more part of a table; all parts together give what one ``fit`` gives.

        It also goes on from what ``fit`` has seen. Numeric columns are Gaussian, which ``"auto"`` means here; kernel
        densities and discretisation need all rows at once. Only counts and moments are kept, however many rows pass.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes that will occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        asked = {self.likelihood} if isinstance(self.likelihood, str) else set(self.likelihood.values())
        for whole in sorted(asked - {"auto", "gaussian"}):
            raise NotSupportedError(
                "likelihood-without-partial-fit",
                "The likelihood {likelihood!r} needs all rows at once, which partial_fit does not have. "
                "Use fit, or likelihood='gaussian'.",
                likelihood=whole,
            )
        first = not hasattr(self, "_statistics")
        check_partial_fit_first_call(self, classes)
        if first:
            codebook, matrix = self._encode_training(X)
        else:
            X, ranges = check_with_ranges(self, X, reset=False)
            codebook = Codebook.learn(X, self.unseen)
            matrix = codebook.encode(X)
            if ranges is not None:
                matrix.ranges = ranges
        codes = known_labels(y, self.classes_)
        check_same_length(matrix, codes)
        weight = self._weight_of_chunk(X, codes, sample_weight)
        part = Statistics.gather(matrix, codes, weight, len(self.classes_), self._threads())
        self._statistics = part if first else self._statistics.merge(part)
        statistics = self._statistics
        numeric = np.array([j for j, f in enumerate(statistics.features) if f.kind == "numeric"], dtype=np.int64)
        block = np.flatnonzero([f.kind == "numeric" for f in statistics.features if f.in_numeric_block])
        gaussian = gaussian_group(numeric, statistics.moments.select(block), self.var_smoothing)
        groups = NumericGroups.without_choice(len(self.classes_), gaussian)
        model = self._noted(self._assemble(statistics, groups, self._threads()), groups)
        codebook = replace(codebook, features=statistics.features)
        return self._keep(codebook, model, float(statistics.class_weight.sum()))
