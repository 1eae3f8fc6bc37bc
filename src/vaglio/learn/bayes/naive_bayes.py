"""Naive Bayes for mixed tables."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import NotSupportedError
from vaglio.learn._parameters import NOT_NEGATIVE, estimator
from vaglio.learn.bayes._class_statistics import Statistics
from vaglio.learn.bayes._generative import Generative, known_labels, resolve_priors
from vaglio.learn.bayes._likelihoods import (
    LIKELIHOODS,
    NumericGroups,
    gaussian_group,
    numeric_groups,
    resolve_likelihoods,
    table_group,
    word_group,
)
from vaglio.learn.bayes._sampled_rows import class_columns
from vaglio.learn.inputs import check_X
from vaglio.model.bayes.likelihood import KernelGroup
from vaglio.model.bayes.naive_bayes import NaiveBayesModel


@estimator
class NaiveBayesClassifier(Generative):
    """Naive Bayes: P(c|x) ∝ P(c)·Π P(xⱼ|c), each attribute counted as if independent of the others given the class.

    Nominal attributes have smoothed frequencies (af(v,c) + α) / (af(c) + α·V), text its words likewise, numeric ones
    a density of choice. Missing values are left out of the counts and of the product. Everything is computed in
    logarithms.

    Parameters
    ----------
    likelihood : {"auto", "gaussian", "kde", "mdl", "discrete"} or dict
        P(x|c) of numeric columns; a dict names columns, the others are "auto". "gaussian": normal density; "kde":
        Gaussian kernel density; "mdl": intervals cut by Fayyad and Irani's description length; "discrete": a
        frequency for every distinct value, a new value being left out. "auto": "discrete" for at most ten distinct
        values with three rows each or more on average, else "mdl"; if that cuts no column, "gaussian".
    alpha : float
        Added to every count (Laplace). With 0 a category never seen with a class rules the class out, whatever the
        other attributes say; a row that all classes rule out gets the priors.
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

    likelihood: str | dict[str, str] = field(default="auto", kw_only=False)
    alpha: float = 1.0
    var_smoothing: float = 5.0
    priors: Any = None
    class_weight: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> NaiveBayesModel:
        k, threads = len(self.classes_), self._threads()
        asked = resolve_likelihoods(self.likelihood, matrix.features)
        self._statistics = Statistics.gather(matrix, y, weight, k, threads)
        moments = self._statistics.moments
        numeric = numeric_groups(asked, matrix, y, weight, moments, self.var_smoothing, threads)
        return self._assemble(self._statistics, numeric)

    def _assemble(self, statistics: Statistics, numeric: NumericGroups) -> NaiveBayesModel:
        self.class_count_ = statistics.class_weight
        self.class_prior_ = resolve_priors(self.priors, statistics.class_weight)
        model = NaiveBayesModel(
            self.class_count_,
            self.class_prior_,
            numeric.gaussian,
            table_group(statistics, numeric.tables, float(self.alpha)),
            numeric.kernel,
            word_group(statistics, float(self.alpha)),
            threads=self._threads(),
        )
        self.likelihoods_ = model.likelihood_names(statistics.features)
        return model

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
            features[j].name: class_columns(table.T, list(features[j].categories), self.classes_)
            for j, table in model.linear_weights().items()
        }

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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
        self._refuse_whole_table_likelihoods()
        first = not hasattr(self, "_statistics")
        _check_partial_fit_first_call(self, classes)
        if first:
            codebook, matrix = self._encode_training(X)
        else:
            X = check_X(self, X, reset=False)
            codebook = Codebook.learn(X, self.unseen)  # type: ignore[arg-type]
            matrix = codebook.encode(X)
        codes = known_labels(y, self.classes_)
        check_consistent_length(matrix, codes)
        weight = self._weight_of_chunk(X, codes, sample_weight)
        part = Statistics.gather(matrix, codes, weight, len(self.classes_), self._threads())
        self._statistics = part if first else self._statistics.merge(part)
        return self._refit(codebook)

    def _refit(self, codebook: Codebook) -> Self:
        statistics = self._statistics
        codebook = replace(codebook, features=statistics.features)
        numeric = np.array([j for j, f in enumerate(statistics.features) if f.kind == "numeric"], dtype=np.int64)
        block = np.flatnonzero([f.kind == "numeric" for f in statistics.features if f.in_numeric_block])
        gaussian = gaussian_group(numeric, statistics.moments.select(block), self.var_smoothing)
        model = self._assemble(statistics, NumericGroups(gaussian, [], KernelGroup.empty(len(self.classes_))))
        return self._keep(codebook, model, float(statistics.class_weight.sum()))

    def _refuse_whole_table_likelihoods(self) -> None:
        asked = {self.likelihood} if isinstance(self.likelihood, str) else set(self.likelihood.values())
        whole = sorted(asked - {"auto", "gaussian"})
        if whole:
            raise NotSupportedError(
                f"The likelihood {whole[0]!r} needs all rows at once, so partial_fit cannot serve it: use fit, or "
                "likelihood='gaussian'."
            )
