"""Bayesian networks: structures against their definitions, tables by hand, the picture."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import BayesianNetworkClassifier, NaiveBayesClassifier
from vaglio.errors import ColumnError, InputError, NotSupportedError
from vaglio.learners.bayes.estimators.bayes_net import conditional_information, k_dependence, tree_augmented


def chain(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """b copies a most of the time, c copies b; d is on its own. The class depends on a."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    a = (rng.random(n) < 0.3 + 0.4 * y).astype(int)
    b = np.where(rng.random(n) < 0.9, a, 1 - a)
    c = np.where(rng.random(n) < 0.9, b, 1 - b)
    d = rng.integers(0, 3, n)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).astype(str), y


def test_tan_finds_the_chain() -> None:
    X, y = chain()
    model = BayesianNetworkClassifier().fit(X, y)
    assert {frozenset(edge) for edge in model.edges_} >= {frozenset("ab"), frozenset("bc")}
    assert len(model.edges_) == 3


def test_the_tree_is_the_largest() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        weight = rng.random((5, 5))
        weight = weight + weight.T
        found = sum(weight[j, above[0]] for j, above in enumerate(tree_augmented(weight, weight.sum(axis=1))) if above)
        pairs = list(combinations(range(5), 2))
        best = max(sum(weight[pair] for pair in tree) for tree in combinations(pairs, 4) if _spans(tree))
        assert found == pytest.approx(best)


def _spans(tree: tuple) -> bool:
    reached = {0}
    for _ in range(5):
        reached |= {q for pair in tree for q in pair if reached & set(pair)}
    return len(reached) == 5


def test_conditional_information_by_definition() -> None:
    X, y = chain(200)
    cells = X[["a", "d"]].to_numpy().astype(np.int64)
    found = conditional_information(cells, np.array([2, 3]), y, None, 2)[0, 1]
    expected = 0.0
    for c in (0, 1):
        for i in range(2):
            for j in range(3):
                p = np.mean((y == c) & (cells[:, 0] == i) & (cells[:, 1] == j))
                pi = np.mean(cells[y == c, 0] == i)
                pj = np.mean(cells[y == c, 1] == j)
                expected += p * np.log2(p / np.mean(y == c) / (pi * pj)) if p else 0.0
    assert found == pytest.approx(expected, rel=1e-12)


def test_k_dependence_takes_the_most_telling_before() -> None:
    information = np.array([[0, 3, 1, 2], [3, 0, 5, 1], [1, 5, 0, 4], [2, 1, 4, 0]], dtype=float)
    parents = k_dependence(information, np.array([4.0, 3, 2, 1]), 2)
    assert parents == ((), (0,), (0, 1), (0, 2))


def test_without_edges_it_is_naive_bayes() -> None:
    X, y = chain()
    net = BayesianNetworkClassifier("naive", alpha=0.7).fit(X, y)
    naive = NaiveBayesClassifier(alpha=0.7).fit(X, y)
    np.testing.assert_allclose(net.predict_log_proba(X), naive.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_tables_by_hand() -> None:
    X, y = chain()
    model = BayesianNetworkClassifier([("a", "b")], alpha=0).fit(X, y).fitted_.model
    for c in (0, 1):
        for a in (0, 1):
            here = (y == c) & (X["a"] == str(a))
            assert model.given_parents(1)[c, a, 1] == pytest.approx((X["b"][here] == "1").mean())
    smooth = BayesianNetworkClassifier([("a", "b")], alpha=3).fit(X, y).fitted_.model
    n, base = smooth.table[1][0, 1], smooth.given_class(1)[0]
    np.testing.assert_allclose(smooth.given_parents(1)[0, 1], (n + 6 * base) / (n.sum() + 6))


def test_structures_given_wrongly_are_refused() -> None:
    X, y = chain()
    with pytest.raises(InputError, match="cycle"):
        BayesianNetworkClassifier([("a", "b"), ("b", "a")]).fit(X, y)
    with pytest.raises(ColumnError, match="'z', which is not a column"):
        BayesianNetworkClassifier([("a", "z")]).fit(X, y)
    wide = pd.DataFrame({f"w{j}": [f"v{i % 400}" for i in range(800)] for j in range(4)})
    with pytest.raises(NotSupportedError, match="fewer parents"):
        BayesianNetworkClassifier([("w0", "w3"), ("w1", "w3"), ("w2", "w3")]).fit(wide, np.arange(800) % 2)


def test_missing_values_fall_back_on_the_class() -> None:
    X, y = chain()
    model = BayesianNetworkClassifier([("a", "b")]).fit(X, y)
    evidence = model.fitted_.model.evidence(model._encode(X.head(1).assign(a=None)))
    np.testing.assert_array_equal(evidence[0], 0)
    code = int(X["b"][0])
    np.testing.assert_allclose(evidence[1][0], np.log(model.fitted_.model.given_class(1)[:, code]))
    holed = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    assert BayesianNetworkClassifier().fit(holed, y).score(X, y) > 0.6


def test_explained_with_parents_and_adding_up() -> None:
    X, y = chain()
    model = BayesianNetworkClassifier([("a", "b")]).fit(X, y)
    order = np.sort(model.predict_log_proba(X.head(20)), axis=1)
    for explanation, top, second in zip(model.explain(X.head(20)), order[:, -1], order[:, -2]):
        reasons = (*explanation.reasons, *explanation.against)
        assert sum(reason.weight for reason in reasons) == pytest.approx(top - second, rel=1e-9, abs=1e-9)
        assert any(" given a = " in reason.text for reason in reasons if reason.feature == "b")


def test_sample_follows_the_network() -> None:
    X, y = chain(2000)
    drawn = BayesianNetworkClassifier().fit(X, y).sample(2000, random_state=0)
    assert (drawn["a"] == drawn["b"]).mean() == pytest.approx((X["a"] == X["b"]).mean(), abs=0.03)


def test_saved_and_loaded(tmp_path) -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    for structure in ("tan", "k-dependence", "naive"):
        model = BayesianNetworkClassifier(structure).fit(X, y)
        model.save(tmp_path / "model")
        np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
        assert model.score(X, y) > 0.97


def test_drawn_as_svg_and_on_axes() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from xml.etree import ElementTree

    X, y = chain()
    model = BayesianNetworkClassifier([("a", "b"), ("b", "c")]).fit(X.rename(columns={"d": "<d>"}), y)
    picture = model.to_svg(target="weather & co")
    root = ElementTree.fromstring(picture)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["weather & co", "a", "b", "c", "<d>"]
    assert picture.count("marker-end") == 2
    assert [text.get_text() for text in model.plot().texts if text.get_text()] == ["class", "a", "<d>", "b", "c"]
