"""Multinomial and Bernoulli naive Bayes beside scikit-learn's, on counts, sparse rows and text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as peer
from scipy import sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

import vaglio
from vaglio import BernoulliNB, MultinomialNB
from vaglio.errors import InputError
from vaglio.table import Column

REVIEWS = ["great fun, great film", "awful mess", "a great story", "awful, dull story", "fun", "dull dull mess"]
LABELS = ["+", "-", "+", "-", "+", "-"]


def counts(n: int = 200, p: int = 30, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.poisson(rng.gamma(0.5, 2, (k, p))[y]).astype(float), y


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_agrees_with_scikit_learn(name: str, form, alpha: float) -> None:
    X, y = counts()
    weight = np.random.default_rng(1).random(len(y))
    ours = getattr(vaglio, name)(alpha=alpha).fit(form(X), y, sample_weight=weight)
    theirs = getattr(peer, name)(alpha=alpha).fit(form(X), y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_log_proba(form(X)), theirs.predict_log_proba(form(X)), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-9)
    np.testing.assert_allclose(ours.class_log_prior_, theirs.class_log_prior_, rtol=1e-9)


@pytest.mark.parametrize("estimator", [MultinomialNB(), BernoulliNB(binarize=1.0)], ids=["multinomial", "bernoulli"])
def test_partial_fit_is_fit(estimator) -> None:
    X, y = counts()
    whole = estimator.fit(X, y).predict_log_proba(X)
    del estimator.fitted_
    for rows in np.array_split(np.arange(len(y)), 5):
        estimator.partial_fit(sp.csr_array(X[rows]), y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(estimator.predict_log_proba(sp.csr_array(X)), whole, rtol=1e-12)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_text_columns_are_counted_inside(name: str, tmp_path) -> None:
    table = vaglio.Table([Column.text("review", REVIEWS)])
    ours = getattr(vaglio, name)().fit(table, LABELS)
    vectorizer = CountVectorizer()
    theirs = getattr(peer, name)().fit(vectorizer.fit_transform(REVIEWS), LABELS)
    new = ["great mess, unheard words", "", "dull fun"]
    rows = vaglio.Table([Column.text("review", new)])
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(vectorizer.transform(new)), rtol=1e-9)
    ours.save(tmp_path / "model")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(rows), ours.predict_proba(rows))


def test_a_csv_with_a_text_column_classifies_as_it_is(tmp_path) -> None:
    rng = np.random.default_rng(0)
    good, bad = ["wonderful", "lovely", "moving", "brilliant"], ["dreadful", "boring", "tedious", "clumsy"]
    lines = ["opinion,label"]
    for i in range(60):
        words = rng.choice(good if i % 2 else bad, 6)
        lines.append(f'"I saw it {i} times and found it {" and ".join(words)} all the way",{"yes" if i % 2 else "no"}')
    (tmp_path / "films.csv").write_text("\n".join(lines))
    table = vaglio.read(tmp_path / "films.csv")
    assert table.column("opinion").kind == "text"
    X, y = table.xy("label")
    model = MultinomialNB().fit(X, y)
    assert model.score(X, y) == 1
    assert {word for word, _ in model.telling_words(4)["yes"]} == set(good)


def test_the_spectral_reading() -> None:
    model = MultinomialNB().fit(vaglio.Table([Column.text("review", REVIEWS)]), LABELS)
    spectrum = model.spectrum()
    assert list(spectrum.columns) == ["+", "-"]
    row = pd.Series(0.0, index=spectrum.index)
    row["great"], row["mess"] = 2, 1
    score = row @ spectrum + model.class_log_prior_
    rows = vaglio.Table([Column.text("review", ["great mess great"])])
    np.testing.assert_allclose(score, model.fitted_.model.joint_log_likelihood(model._encode(rows))[0])
    assert model.telling_words(1)["+"][0][0] == "great"


def test_missing_is_neither_there_nor_absent() -> None:
    X = np.array([[1.0, 0], [1, np.nan], [0, 1], [np.nan, 1]])
    y = [0, 0, 1, 1]
    model = BernoulliNB().fit(X, y)
    only = BernoulliNB().fit(X[:3, :1], y[:3])
    np.testing.assert_allclose(model.feature_log_prob_[0, 0], only.feature_log_prob_[0, 0])
    one_known = model.fitted_.model.joint_log_likelihood(model._encode(np.array([[1.0, np.nan]])))
    np.testing.assert_allclose(one_known[0], model.feature_log_prob_[:, 0] + model.class_log_prior_)


def test_zero_alpha_rules_out() -> None:
    X, y = np.array([[2.0, 0], [0, 3]]), ["a", "b"]
    assert MultinomialNB(alpha=0).fit(X, y).predict_proba([[5, 0], [0, 1]]).tolist() == [[1, 0], [0, 1]]
    assert BernoulliNB(alpha=0).fit(X, y).predict_proba([[5, 0], [0, 1]]).tolist() == [[1, 0], [0, 1]]
    np.testing.assert_allclose(MultinomialNB(alpha=0).fit(X, y).predict_proba([[1, 1]]), [[0.5, 0.5]])


def test_negative_counts_are_refused() -> None:
    with pytest.raises(InputError, match="Negative values"):
        MultinomialNB().fit([[1, -1], [2, 3]], [0, 1])


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_explanation_adds_up(name: str) -> None:
    X, y = counts()
    model = getattr(vaglio, name)().fit(X, y)
    order = np.sort(model.predict_log_proba(X[:20]), axis=1)
    for explanation, top, second in zip(model.explain(X[:20]), order[:, -1], order[:, -2]):
        total = sum(reason.weight for reason in (*explanation.reasons, *explanation.against))
        assert total == pytest.approx(top - second, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_sample(name: str) -> None:
    table = vaglio.Table(
        [
            Column.text("review", REVIEWS),
            Column.numeric("stars", [5, 1, 4, 2, 5, 1]),
            Column.nominal("k", [0, 1] * 3, "ab"),
        ]
    )
    model = getattr(vaglio, name)().fit(table, LABELS)
    drawn = model.sample(20, label="+", random_state=0)
    assert list(drawn.columns) == ["review", "stars", "k"]
    assert set(drawn["k"]) <= {"a", "b"}
    assert set(" ".join(drawn["review"]).split()) <= set(model.fitted_.codebook.features[0].categories)
    X, y = counts(k=2)
    mean = MultinomialNB().fit(X, y).sample(3000, label=1, random_state=0).to_numpy().mean(axis=0)
    np.testing.assert_allclose(mean, X[y == 1].mean(axis=0), atol=0.3)
