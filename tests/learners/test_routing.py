"""Metadata that members of bagging and votes have asked for reaches them, and nobody else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError

import vaglio
from vaglio import BaggingClassifier, BaggingRegressor, VotingClassifier
from vaglio.errors import InputError, NotSupportedError


class Noting(BaseEstimator):
    """Keeps what its methods are given."""

    def fit(self, X: Any, y: Any, numbers: Any = None, word: Any = None, sample_weight: Any = None) -> Any:
        self.fit_ = (np.asarray(X)[:, 0], numbers, word)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.most_ = self.classes_[np.bincount(codes).argmax()]
        return self

    def predict(self, X: Any, word: Any = None) -> Any:
        self.predicted_ = word
        return np.full(len(X), self.most_)


class NotingClassifier(ClassifierMixin, Noting):
    def decision_function(self, X: Any, word: Any = None) -> Any:
        self.decided_ = word
        return np.zeros(len(X))


class NotingRegressor(RegressorMixin, Noting):
    pass


class NotingProba(NotingClassifier):
    def predict_proba(self, X: Any, word: Any = None) -> Any:
        self.predicted_ = word
        return np.tile([0.25, 0.75], (len(X), 1))


@pytest.fixture
def routing() -> Any:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


X = np.column_stack([np.arange(40.0), np.ones(40)])
Y = np.arange(40) % 2


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("kind", [NotingClassifier, NotingProba, NotingRegressor])
def test_bagging_hands_members_what_they_ask_for(kind: Any) -> None:
    member = kind().set_fit_request(numbers=True, word=True).set_predict_request(word=True)
    if kind is NotingProba:
        member.set_predict_proba_request(word=True)
    bag = (BaggingRegressor if kind is NotingRegressor else BaggingClassifier)(member, 5, random_state=0)
    bag.fit(X, Y, numbers=X[:, 0] * 2, word="again")
    for each, rows in zip(bag, bag.estimators_samples_, strict=True):
        np.testing.assert_array_equal(each.fit_[0], rows)
        np.testing.assert_array_equal(each.fit_[1], rows * 2.0)
        assert each.fit_[2] == "again"
    for method in ("predict",) if kind is NotingRegressor else ("predict", "predict_proba", "predict_log_proba"):
        np.testing.assert_array_equal(getattr(bag, method)(X, word=method), getattr(bag, method)(X))
        getattr(bag, method)(X, word=method)
        assert [each.predicted_ for each in bag] == [method] * 5
    if kind is NotingClassifier:
        member.set_decision_function_request(word=True)
        bag.decision_function(X, word="how")
        assert [each.decided_ for each in bag] == ["how"] * 5


@pytest.mark.usefixtures("routing")
def test_a_vote_hands_each_member_its_own() -> None:
    asks, refuses = NotingClassifier().set_fit_request(numbers=True), NotingClassifier().set_fit_request(numbers=False)
    vote = VotingClassifier([("asks", asks), ("refuses", refuses), ("gone", "drop")]).fit(X, Y, numbers=X[:, 0])
    np.testing.assert_array_equal(vote.named_estimators_["asks"].fit_[1], X[:, 0])
    assert vote.named_estimators_["refuses"].fit_[1] is None


@pytest.mark.usefixtures("routing")
def test_what_nobody_asked_for_is_refused() -> None:
    with pytest.raises(UnsetMetadataPassedError, match="numbers"):
        BaggingClassifier(NotingClassifier(), 2).fit(X, Y, numbers=X[:, 0])
    with pytest.raises(TypeError, match="unexpected"):
        BaggingClassifier(n_estimators=2).fit(X, Y, numbers=X[:, 0])
    asks = NotingClassifier().set_fit_request(numbers=True)
    with pytest.raises(NotSupportedError, match="weight 0"):
        BaggingClassifier(asks, 2).fit(X, Y, sample_weight=Y, numbers=X[:, 0])


def test_without_routing_metadata_is_refused() -> None:
    asks = NotingClassifier()
    for ensemble in (BaggingClassifier(asks, 2), VotingClassifier([("one", asks)])):
        with pytest.raises(InputError, match="not enabled"):
            ensemble.fit(X, Y, numbers=X[:, 0])
    with pytest.raises(InputError, match="not enabled"):
        BaggingClassifier(asks, 2, random_state=0).fit(X, Y).predict(X, word="no")
    assert not hasattr(vaglio.BaggingRegressor(), "predict_proba")
