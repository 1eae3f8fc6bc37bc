"""AdaBoost.R2: each round draws more often the rows of which earlier rounds predicted the number badly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from vaglio.encode import EncodedMatrix
from vaglio.learners.ensembles.estimators.members import codebook_of, fit_member, looks_for_words, make_member
from vaglio.learners.ensembles.model import Ensemble, Member
from vaglio.learners.estimator import VaglioRegressor
from vaglio.learners.parameters import COUNT, POSITIVE, estimator
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeRegressor
from vaglio.messages.message import text
from vaglio.model.base import PREDICTIONS, check_finite
from vaglio.runtime.seeds import seed_of
from vaglio.typing import Estimator, RandomState, TableLike

# An error of 0 would give a member infinite weight: it is taken for this one, and ends the learning.
_LEAST_ERROR = 1e-10


@estimator
class AdaBoostRegressor(VaglioRegressor):
    """AdaBoost.R2 (Drucker, 1997) of any regressor; the prediction is the weighted median of the members.

    The loss of a row is its error, divided by the largest. A member of mean loss e has the weight ln((1−e)/e), and the
    weight of a row of loss l is multiplied by (e/(1−e))^(1−l), so that the next sample has more of the badly predicted
    rows. A member of mean loss of at least 1/2 ends the learning.

    Parameters
    ----------
    estimator : regressor or None
        The learner of the members: of vaglio, or of any library with scikit-learn's interface. None is a decision tree
        of ``max_depth``.
    n_estimators : int
        Largest number of members.
    learning_rate : float
        Exponent of the factors, and factor of the weights of the members.
    loss : {"linear", "square", "exponential"}
        The share l of the largest error, its square, or 1 − exp(−l).
    max_depth : int
        Depth of the trees, if no ``estimator`` is given.
    n_jobs : int or None
        Threads of the members' predictions; rounds follow one another.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    estimator_errors_ : ndarray of shape (n_members,)
        Mean loss of each member.
    estimator_weights_ : ndarray of shape (n_members,)
        Weight of each member in the median.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances by their weights; exists where the members have them.

    Examples
    --------
    >>> import vaglio
    >>> X, y = vaglio.datasets.load("penguins").xy("body_mass_g", task="regression")
    >>> vaglio.AdaBoostRegressor(random_state=0).fit(X, y).score(X, y) > 0.85
    True
    """

    _learner_id = "adaboost"
    _gathers = text("AdaBoost for numbers needs all rows in memory in every round")
    _writes_out_sparse: ClassVar[bool] = True
    _scales_weights: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": COUNT,
        "learning_rate": POSITIVE,
        "loss": [StrOptions({"linear", "square", "exponential"})],
        "max_depth": COUNT,
    }

    estimator: Estimator | None = field(default=None, kw_only=False)
    n_estimators: int = 50
    learning_rate: float = 1.0
    loss: Literal["linear", "square", "exponential"] = "linear"
    max_depth: int = 3
    n_jobs: int | None = None
    random_state: RandomState = None

    estimators_: list[Any] = field(init=False)
    estimator_errors_: np.ndarray = field(init=False)

    def _looks_for_words(self) -> bool:
        return looks_for_words(self.estimator)

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Ensemble:
        prototype = DecisionTreeRegressor(max_depth=self.max_depth) if self.estimator is None else self.estimator
        codebook, seed = codebook_of(self, matrix), seed_of(self.random_state)
        share = np.ones(len(y)) if weight is None else weight
        members: list[Member] = []
        errors: list[float] = []
        self.estimators_ = []
        while len(members) < self.n_estimators:
            share = share / share.sum()
            random = np.random.default_rng([seed, len(members)])
            fitted = make_member(prototype, int(random.integers(2**31)))
            rows, counts = np.unique(random.choice(len(y), len(y), p=share), return_counts=True)
            # A row that is drawn twice weighs two: a tree must know that it is the same row again.
            member = fit_member(fitted, codebook, matrix.take(rows), y[rows], counts.astype(float), None)
            said = check_finite(member.answers(matrix, "median", 0)[:, 0], PREDICTIONS)
            losses = self._losses(said / 4 - y / 4)  # the difference of two numbers near the largest is none
            error = float(share @ losses)
            if error >= 0.5 and members:
                break
            odds = max(error, _LEAST_ERROR) / max(1 - error, _LEAST_ERROR)
            # The only member decides alone, however bad.
            members.append(replace(member, weight=max(-self.learning_rate * float(np.log(odds)), _LEAST_ERROR)))
            errors.append(error)
            self.estimators_.append(fitted)
            if error <= 0 or error >= 0.5:
                break
            share = share * odds ** (self.learning_rate * (1 - losses))
        self.estimator_errors_ = np.array(errors)
        return Ensemble(tuple(members), "median", 0)

    def _losses(self, errors: np.ndarray) -> np.ndarray:
        """Return the loss of each row, from 0 to 1."""
        absolute = np.abs(errors)
        largest = absolute.max()
        share: np.ndarray = absolute / largest if largest > 0 else absolute
        if self.loss == "square":
            return share**2
        return 1 - np.exp(-share) if self.loss == "exponential" else share

    @property
    def estimator_weights_(self) -> np.ndarray:
        """Weight of each member in the median."""
        return np.array([member.weight for member in self._ensemble.members])

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each column in what the members learned from, their mean by the weights of the members."""
        weights = self.estimator_weights_
        found = np.array([fitted.feature_importances_ for fitted in self.estimators_])
        return np.asarray(weights @ found / weights.sum())

    @property
    def _ensemble(self) -> Ensemble:
        check_is_fitted(self, "fitted_")
        model = self.fitted_.model
        assert isinstance(model, Ensemble)
        return model

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """Yield the predicted numbers after each round.

        Parameters
        ----------
        X : frame, Table or array of shape (n_samples, n_features)
        """
        for median in self._ensemble.staged(self._encode(X)):
            yield median[:, 0]
