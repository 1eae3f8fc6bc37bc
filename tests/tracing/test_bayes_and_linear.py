"""Traces of Bayes on counts, densities and networks, of logistic regression, neural networks and oblique trees."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as ScikitLearnLogistic

import vaglio
from vaglio import tracing
from vaglio.learners.registry import LEARNERS
from vaglio.table import Column, Table

from .test_numbers_match_learner import random_table

pytestmark = pytest.mark.filterwarnings("ignore")

MODELS = {
    "multinomial": vaglio.MultinomialNB(),
    "multinomial, equal priors": vaglio.MultinomialNB(alpha=0.5, fit_prior=False),
    "bernoulli": vaglio.BernoulliNB(),
    "bernoulli above 1": vaglio.BernoulliNB(binarize=1.0, alpha=0.3),
    "map": vaglio.GaussianMAPClassifier(),
    "map, tied": vaglio.GaussianMAPClassifier("tied"),
    "map, diagonal": vaglio.GaussianMAPClassifier("diagonal", priors="equal"),
    "map, shrunk": vaglio.GaussianMAPClassifier("shrunk", shrinkage=0.3),
    "mixture": vaglio.GaussianMixtureClassifier(max_components=2, covariance_type="diag"),
    "tan": vaglio.BayesianNetworkClassifier(),
    "k-dependence": vaglio.BayesianNetworkClassifier("k-dependence", k=2, alpha=0.5),
    "given network": vaglio.BayesianNetworkClassifier([("a", "b"), ("b", "d")]),
    "no edges": vaglio.BayesianNetworkClassifier("naive"),
    "logistic": vaglio.LogisticRegression(C=2.0),
    "lasso": vaglio.LogisticRegression(l1_ratio=1.0),
    "network": vaglio.MLPClassifier((3, 2), "tanh", solver="lbfgs", max_iter=30),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.15]))
def test_the_posterior_is_that_of_the_learner(name, seed, missing):
    X, y = random_table(seed, missing)
    X = X.assign(c=X["c"].abs())  # counts are not negative
    if len(set(y)) < 2:
        return
    model = MODELS[name]
    row = X.iloc[0].to_dict()
    work = vaglio.trace(model, X, y, row=row)
    fitted = type(model)(**model.get_params()).fit(X, y)
    expected = fitted.predict_proba(X.iloc[[0]])[0]
    assert list(work.facts["posterior"].values()) == pytest.approx(expected.tolist(), abs=1e-6)
    assert expected[list(fitted.classes_).index(work.facts["decision"])] == pytest.approx(expected.max())


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.5, 10.0])
def test_newton_ends_where_the_learner_and_its_peer_end(classes, C):
    X, y = vaglio.datasets.load("iris").xy("species")
    keep = np.flatnonzero(np.asarray(y) != "setosa") if classes == 2 else np.arange(150)
    X, y = X.to_frame().iloc[keep].reset_index(drop=True), np.asarray(y)[keep]
    model = vaglio.LogisticRegression(C=C, tol=1e-8).fit(X, y)
    work = vaglio.trace(model, X, y)
    found = np.array(work.facts["weights"])
    peer = ScikitLearnLogistic(C=C, tol=1e-10, max_iter=10_000).fit(
        model.fitted_.model.encoder.transform(model._encode(X)), y
    )
    np.testing.assert_allclose(found[:, :-1], peer.coef_, atol=1e-4)
    np.testing.assert_allclose(found[:, :-1], model.coef_, atol=1e-4)
    losses = work.facts["losses"]
    assert losses[0] == pytest.approx(len(y) * np.log(classes))
    assert all(later <= before for before, later in pairwise(losses))


def test_words_of_documents_are_counted():
    X = Table([Column.text("text", ["good film", "bad film", "good good plot", "bad plot"])])
    y = ["up", "down", "up", "down"]
    work = vaglio.trace("multinomial-nb", X, y, row=["good film"])
    assert work.facts["counts"]["good"] == [0.0, 3.0]
    assert work.facts["decision"] == "up"
    assert "(3+1)/(5+4·1) = 0.4444" in str(work)
    lacking = vaglio.trace("bernoulli-nb", X, y, row=["good film"])
    assert "¬ bad" in str(lacking)
    assert lacking.facts["counts"]["good"] == [0.0, 2.0]


def test_means_and_covariances_are_those_of_the_rows():
    X, y = vaglio.datasets.load("iris").xy("species")
    text = str(vaglio.trace("gaussian-map", X, y, row=[6.0, 2.9, 4.8, 1.7]))
    setosa = X.to_frame()[np.asarray(y) == "setosa"].to_numpy()
    for figure in [*setosa.mean(axis=0), *np.cov(setosa.T, bias=True).ravel()]:
        assert f"{figure:.4f}" in text


def test_mutual_information_of_the_play_table():
    X, y = vaglio.datasets.load("play").xy("play")
    work = vaglio.trace("bayes-net", X, y)
    assert work.facts["parents"] == {
        "outlook": [],
        "temperature": ["outlook"],
        "humidity": ["temperature"],
        "windy": ["outlook"],
    }
    frame = X.to_frame().assign(play=np.asarray(y))
    joint = frame.groupby(["play", "outlook", "temperature"]).size() / 14
    value = sum(
        p
        * np.log2(
            p
            * (frame["play"] == c).mean()
            / ((frame["play"] == c) & (frame["outlook"] == a)).mean()
            / ((frame["play"] == c) & (frame["temperature"] == b)).mean()
        )
        for (c, a, b), p in joint.items()
    )
    assert work.facts["information"]["outlook, temperature"] == pytest.approx(value)


def test_a_combination_leaves_less_than_any_single_column():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(80, 2)), columns=["a", "b"])
    y = np.where(X["a"] + X["b"] > 1, "over", "under")
    work = vaglio.trace("oblique", X, y)
    node = work.facts["nodes"][0]
    assert node["combination"] < min(node["single"].values())
    assert "s1 = " in str(work)
    assert "IF s1" in str(work)


def test_every_learner_has_a_trace():
    assert set(LEARNERS) <= set(tracing.learners())


def test_products_below_any_float_are_written():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2000, (20, 3)), columns=list("abc")).astype(float)
    y = ["k", "l"] * 10
    text = str(vaglio.trace("multinomial-nb", X, y, row=[900.0, 1900.0, 100.0]))
    assert "e−" in text
    assert "= 0 " not in text.split("The row")[1].split("logarithms")[0]
