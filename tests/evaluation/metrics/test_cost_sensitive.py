"""Costs in training, and costs as a score."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, get_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.utils import get_tags

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import CostSensitiveClassifier
from vaglio.evaluation.metrics.cost_sensitive import fit_with_costs, in_words
from vaglio.evaluation.metrics.scoring import CostScorer, resolve_scorer, with_known_labels
from vaglio.model.costs import CostMatrix

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 2)) + np.repeat([[0, 0], [1, 1], [2, 0]], 20, axis=0)
Y = np.repeat(["a", "b", "c"], 20)
COST = np.array([[0, 1, 2], [6, 0, 3], [1, 9, 0]], dtype=float)
WEIGHT = RNG.uniform(0.5, 2, 60)


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(("learner", "use"), [(RidgeClassifier(), "auto"), (GaussianNB(), "weights")])
def test_costs_as_weights_of_the_training_rows(learner, use, weight):
    model = CostSensitiveClassifier(learner, COST, use=use).fit(X, Y, weight)
    per_class = CostMatrix(COST, tuple("abc")).class_weight()
    expected = np.array([per_class[label] for label in Y]) * (1 if weight is None else weight)
    plain = type(learner)().fit(X, Y, sample_weight=expected)
    assert not model.decides_
    assert model.predict(X).tolist() == plain.predict(X).tolist() != type(learner)().fit(X, Y).predict(X).tolist()
    assert hasattr(model, "predict_proba") == hasattr(plain, "predict_proba")


@pytest.mark.parametrize("use", ["auto", "decision"])
def test_costs_as_the_decision(use):
    model = CostSensitiveClassifier(GaussianNB(), COST, use=use).fit(X, Y)
    plain = GaussianNB().fit(X, Y).predict_proba(X)
    assert model.decides_
    np.testing.assert_array_equal(model.predict_proba(X), plain)
    assert model.predict(X).tolist() == np.array(list("abc"))[np.argmin(plain @ COST, axis=1)].tolist()


def test_weights_reach_a_learner_that_decides():
    model = CostSensitiveClassifier(LogisticRegression(), COST).fit(X, Y, WEIGHT)
    expected = LogisticRegression().fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_what_cannot_use_costs_says_so():
    with pytest.raises(InputError, match="NearestCentroid cannot use costs"):
        fit_with_costs(NearestCentroid(), X, Y, CostMatrix(COST, tuple("abc")), use="weights")
    with pytest.raises(InputError, match="use is 'both'"):
        CostSensitiveClassifier(GaussianNB(), COST, use="both").fit(X, Y)
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(CostSensitiveClassifier(GaussianNB(), COST), method)(X)


def test_a_model_of_vaglio_says_what_became_of_its_costs():
    decides = CostSensitiveClassifier(vaglio.NaiveBayesClassifier(), COST).fit(X, Y)
    assert decides.fitted_.provenance["cost_use"] == "decision"
    assert "predicts the class of least expected cost" in in_words(decides.fitted_)
    assert decides.fitted_.predict(X).tolist() == decides.predict(X).tolist()
    assert "does not use them" in in_words(decides.fitted_.with_decision_rule("argmax"))
    weighted = CostSensitiveClassifier(vaglio.NaiveBayesClassifier(), COST, use="weights").fit(X, Y).fitted_
    assert (weighted.decide, weighted.decision_cost) == ("argmax", None)
    assert weighted.cost.matrix.tolist() == COST.tolist()
    assert "naive-bayes was trained with the costs as weights of the rows" in in_words(weighted)
    assert in_words(vaglio.NaiveBayesClassifier().fit(X, Y).fitted_) is None


def test_the_wrapper_takes_what_its_learner_takes():
    for learner in (vaglio.NaiveBayesClassifier(), GaussianNB()):
        assert get_tags(CostSensitiveClassifier(learner, COST)).input_tags == get_tags(learner).input_tags


def test_the_score_of_costs_is_minus_their_mean():
    model = GaussianNB().fit(X, Y)
    cost = CostMatrix(COST, tuple("abc"))
    name, scorer = resolve_scorer("accuracy", cost)
    each = COST[np.searchsorted(list("abc"), Y), np.searchsorted(list("abc"), model.predict(X))]
    assert name == "minus mean cost"
    assert each.sum() > 0
    assert scorer(model, X, Y) == pytest.approx(-each.mean())
    assert scorer(model, X, Y, WEIGHT) == pytest.approx(-np.average(each, weights=WEIGHT))


def test_scores_by_name_and_by_function():
    assert resolve_scorer("f1_macro", None)[0] == "f1_macro"
    assert resolve_scorer("accuracy", None)[1](GaussianNB().fit(X, Y), X, Y) > 0.5
    assert resolve_scorer(accuracy_score, None) == ("accuracy_score", accuracy_score)
    nameless = CostScorer(CostMatrix(COST, tuple("abc")))
    assert resolve_scorer(nameless, None) == ("score", nameless)
    with pytest.raises(InputError, match=r"no score 'acuracy'.*accuracy"):
        resolve_scorer("acuracy", None)


def test_no_row_is_predicted_again_where_the_labels_are_enough():
    model = GaussianNB().fit(X, Y)
    labels = model.predict(X)
    for scorer in (get_scorer("balanced_accuracy"), CostScorer(CostMatrix(COST, tuple("abc")))):
        known = with_known_labels(scorer, model, labels)
        assert known is not model
        assert known.classes_.tolist() == ["a", "b", "c"]
        assert scorer(known, X, Y) == scorer(model, X, Y)
    for scorer in (get_scorer("neg_log_loss"), lambda model, X, y: 0.0):
        assert with_known_labels(scorer, model, labels) is model
