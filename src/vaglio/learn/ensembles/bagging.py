"""Bagging: the same learner on many bootstrap samples, by majority or mean."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from vaglio.encode import Codebook, EncodedMatrix
from vaglio.errors import DataWarning, InputError
from vaglio.learn._base import VaglioClassifier, VaglioEstimator, VaglioRegressor
from vaglio.learn.ensembles._leaf_similarity import HasSimilarity, member_leaves, member_parents
from vaglio.learn.ensembles._members import codebook_of, fit_member, make_member
from vaglio.learn.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from vaglio.model.ensembles.ensemble import Ensemble, Member
from vaglio.runtime.seeds import seed_of


class _BaggingEstimator(HasSimilarity, VaglioEstimator):
    """What bagging of classifiers and of regressors share."""

    _learner_id = "bagging"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    oob_score_: float

    def _default(self) -> BaseEstimator:
        raise NotImplementedError

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Ensemble:
        codebook = codebook_of(self, matrix)
        prototype = self._default() if self.estimator is None else self.estimator
        classes = getattr(self, "classes_", None)
        seed = seed_of(self.random_state)
        samples = [self._sample(seed, i, matrix.n_rows, matrix.n_features) for i in range(self.n_estimators)]
        self.estimators_ = [make_member(prototype, sample_seed) for sample_seed, _, _ in samples]
        members = Parallel(n_jobs=matrix.threads, prefer="threads")(
            delayed(_fit_sample)(member, codebook, matrix, y, weight, classes, rows, features)
            for member, (_, rows, features) in zip(self.estimators_, samples)
        )
        self.estimators_samples_ = [rows for _, rows, _ in samples]
        self.estimators_features_ = [
            np.arange(matrix.n_features) if features is None else features for _, _, features in samples
        ]
        model = Ensemble(tuple(members), self._vote(), 0 if classes is None else len(classes))
        if self.oob_score:
            self._score_unseen(model, matrix, y)
        return model

    def _vote(self) -> str:
        raise NotImplementedError

    def _sample(self, seed: int, index: int, n: int, width: int) -> tuple[int, np.ndarray, np.ndarray | None]:
        """Return the seed, the rows and the columns of a member; they depend on the ensemble's seed and its index."""
        random = np.random.default_rng([seed, index])
        own_seed = int(random.integers(2**31))
        draws = _count(self.max_samples, n, "max_samples", "rows")
        rows = np.sort(random.choice(n, draws, replace=self.bootstrap))
        wanted = _count(self.max_features, width, "max_features", "columns")
        if wanted == width and not self.bootstrap_features:
            return own_seed, rows, None
        # A column drawn twice is the same column: it is kept once.
        return own_seed, rows, np.unique(random.choice(width, wanted, replace=self.bootstrap_features))

    def _score_unseen(self, model: Ensemble, matrix: EncodedMatrix, y: np.ndarray) -> None:
        if not self.bootstrap:
            raise InputError("oob_score needs bootstrap=True: without it few rows or none are left out.")
        sums = np.zeros((len(y), model.n_classes or 1))
        asked = np.zeros(len(y))
        for member, drawn in zip(model.members, self.estimators_samples_):
            unseen = np.setdiff1d(np.arange(len(y)), drawn)
            if unseen.size:
                sums[unseen] += member.answers(matrix.take(unseen), model.vote, model.n_classes)
                asked[unseen] += 1
        known = asked > 0
        if not known.all():
            warnings.warn(
                f"{int((~known).sum())} of {len(y)} rows were drawn for every member and have no out-of-bag estimate: "
                "use more members.",
                DataWarning,
                stacklevel=4,
            )
        means = np.where(known[:, None], sums / np.maximum(asked, 1)[:, None], np.nan)
        self._keep_unseen(means, known, y)

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        raise NotImplementedError

    def _leaves(self, matrix: EncodedMatrix) -> tuple[np.ndarray, int]:
        return member_leaves(self.fitted_.model, matrix)

    def _parents(self) -> np.ndarray:
        return member_parents(self.fitted_.model)


class BaggingClassifier(VaglioClassifier, _BaggingEstimator):
    """Any classifier on many bootstrap samples; the members vote.

    Parameters
    ----------
    estimator : classifier or None
        Of vaglio or of any library with scikit-learn's interface; None is a fully grown decision tree. Estimators of
        other libraries get a pandas frame where columns have names, else an array.
    n_estimators : int, default 10
    max_samples, max_features : int or float, default 1.0
        Rows and columns drawn for each member.
    bootstrap, bootstrap_features : bool
        Draw rows (default) and columns (not) with replacement.
    oob_score : bool, default False
        Estimate the accuracy on the rows each member did not see.
    voting : {"soft", "hard"}
        Average probabilities, where members give them, or count majorities.
    n_jobs : int or None
    random_state : int, RandomState or None

    Attributes
    ----------
    estimators_, estimators_samples_, estimators_features_ : list
        The members, and the rows and columns of each.
    oob_score_ : float
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> bag = vaglio.BaggingClassifier(n_estimators=20, oob_score=True, random_state=0).fit(X, y)
    >>> bag.oob_score_ > 0.9
    True
    """

    oob_decision_function_: np.ndarray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_BaggingEstimator._parameter_constraints,
        "voting": [StrOptions({"soft", "hard"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        voting: str = "soft",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default(self) -> BaseEstimator:
        return DecisionTreeClassifier()

    def _vote(self) -> str:
        return self.voting

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        self.oob_decision_function_ = means
        right = np.argmax(means[known], axis=1) == y[known]
        self.oob_score_ = float(right.mean()) if known.any() else float("nan")


class BaggingRegressor(VaglioRegressor, _BaggingEstimator):
    """Any regressor on many bootstrap samples; the mean of the members.

    Parameters are those of :class:`BaggingClassifier` without ``voting``; ``oob_score_`` is R².

    Examples
    --------
    >>> from vaglio import BaggingRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> bag = BaggingRegressor(n_estimators=30, random_state=0).fit(X, [2 * x[0] for x in X])
    >>> bool(18 < bag.predict([[10.0]])[0] < 22)
    True
    """

    oob_prediction_: np.ndarray

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default(self) -> BaseEstimator:
        return DecisionTreeRegressor()

    def _vote(self) -> str:
        return "mean"

    def _keep_unseen(self, means: np.ndarray, known: np.ndarray, y: np.ndarray) -> None:
        self.oob_prediction_ = means[:, 0]
        self.oob_score_ = float(r2_score(y[known], means[known, 0])) if known.sum() > 1 else float("nan")


def _fit_sample(
    estimator: Any,
    codebook: Codebook,
    matrix: EncodedMatrix,
    y: np.ndarray,
    weight: np.ndarray | None,
    classes: np.ndarray | None,
    rows: np.ndarray,
    features: np.ndarray | None,
) -> Member:
    sample = matrix.take(rows)
    sample.threads = 1
    own_weight = None if weight is None else weight[rows]
    return fit_member(estimator, codebook, sample, y[rows], own_weight, classes, features)


def _count(value: float, total: int, name: str, what: str) -> int:
    """A whole number is itself, a fraction a share of the total."""
    if not isinstance(value, Integral):
        return max(1, int(value * total))
    if value > total:
        raise InputError(f"{name} is {value}, but there are {total} {what}: use at most that many.")
    return int(value)
