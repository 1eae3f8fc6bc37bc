"""Hierarchical shrinkage against its definition, on trees and forests of every kind, in the file and in the exports."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import vaglio
from vaglio.errors import ModelFileError
from vaglio.learners.trees.estimators.pruning import STRENGTHS
from vaglio.learners.trees.model.tree import Tree

TREES: dict[str, Any] = {
    "id3": vaglio.ID3Classifier(),
    "c45": vaglio.C45Classifier(),
    "smoothed": vaglio.C45Classifier(leaf_smoothing="laplace"),
    "cart": vaglio.CARTClassifier(),
    "alpha": vaglio.CARTClassifier(ccp_alpha=0.01),
    "oblique": vaglio.ObliqueTreeClassifier(),
    "multiway, fractional": vaglio.DecisionTreeClassifier(nominal_split="multiway", missing="fractional"),
    "numbers": vaglio.DecisionTreeRegressor(min_samples_leaf=2),
}
FORESTS: dict[str, Any] = {
    "forest": vaglio.RandomForestClassifier(5, random_state=0),
    "forest of numbers": vaglio.RandomForestRegressor(5, random_state=0),
    "all rows": vaglio.RandomForestClassifier(3, bootstrap=False, random_state=0),
}


def table(seed: int, n: int = 80) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(2), "b": rng.normal(size=n), "c": rng.choice(list("uvwx"), n)})
    y = (frame["a"] + (frame["c"] == "u") + rng.normal(size=n) > 0.3).astype(int) + (frame["b"] > 1)
    return frame.mask(rng.random(frame.shape) < 0.1), y.to_numpy(), rng.integers(1, 4, n).astype(float)


def by_definition(tree: Tree, lam: float) -> np.ndarray:
    """The sum down the path of each node, node by node."""
    plain = tree.with_shrinkage(0.0).says
    found = np.zeros_like(plain)
    for node in range(tree.n_nodes):
        path = [node]
        while tree.parent[path[0]] >= 0:
            path.insert(0, int(tree.parent[path[0]]))
        found[node] = plain[0]
        for above, below in pairwise(path):
            found[node] += (plain[below] - plain[above]) / (1 + lam / tree.weight[above])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), lam=st.sampled_from([0.1, 1.0, 10.0, 1000.0]))
def test_a_node_is_the_sum_of_its_path(name: str, seed: int, lam: float) -> None:
    X, y, weight = table(seed)
    plain = clone(TREES[name]).fit(X, y, sample_weight=weight)
    model = clone(TREES[name]).set_params(shrinkage=lam).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.tree_.feature, plain.tree_.feature)
    np.testing.assert_array_equal(model.tree_.value, plain.tree_.value)
    np.testing.assert_allclose(model.tree_.says, by_definition(model.tree_, lam), atol=1e-12)
    if not model.tree_.regression:
        assert (model.tree_.says >= 0).all()
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("name", FORESTS)
def test_the_trees_of_a_forest_are_shrunken_alike(name: str) -> None:
    X, y, weight = table(3)
    plain = clone(FORESTS[name]).fit(X, y, sample_weight=weight)
    model = clone(FORESTS[name]).set_params(shrinkage=5.0).fit(X, y, sample_weight=weight)
    matrix = model.fitted_.codebook.encode(X)
    numbers = not hasattr(plain, "classes_")
    mean = np.zeros((len(y), 1 if numbers else 3))
    for tree, other in ((one.tree_, two.tree_) for one, two in zip(plain, model, strict=True)):
        assert other.shrinkage == 5.0
        shares = tree.decision_path(matrix).toarray() * tree.is_leaf
        mean += shares @ by_definition(tree, 5.0) / len(plain.estimators_)
    found = model.predict(X)[:, None] if numbers else model.predict_proba(X)
    np.testing.assert_allclose(found, mean, atol=1e-12)
    assert model.fitted_.model.size() == plain.fitted_.model.size()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TREES, *FORESTS])
def test_the_file_the_rules_and_single_rows_say_the_same(name: str, tmp_path: Any) -> None:
    X, y, _ = table(4)
    model = clone((TREES | FORESTS)[name]).set_params(shrinkage=3.0).fit(X, y)
    numbers = not hasattr(model, "classes_")
    expected = model.predict(X) if numbers else model.predict_proba(X)
    model.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    np.testing.assert_array_equal(loaded.predict(X) if numbers else loaded.predict_proba(X), expected)
    rules = model.rules()
    matrix = model.fitted_.codebook.encode(X)
    if not numbers:
        np.testing.assert_allclose(rules.predict_proba(matrix), expected, atol=1e-12)
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    for i in range(5):
        one = loaded.predict([records[i]]) if numbers else loaded.predict_proba([records[i]])
        np.testing.assert_allclose(one[0], expected[i], atol=1e-12)
    assert any("shrinkage 3" in note for note in loaded.explain(X.iloc[:1])[0].notes) or name in FORESTS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cart", "forest", "numbers"])
def test_the_strength_is_chosen_among_those_tried(name: str) -> None:
    X, y, weight = table(5, n=200)
    model = clone((TREES | FORESTS)[name]).set_params(shrinkage="cv", random_state=0).fit(X, y, sample_weight=weight)
    assert model.shrinkage_ in STRENGTHS
    assert model.fitted_.model.shrinkage == model.shrinkage_
    again = clone(model).set_params(n_jobs=2).fit(X, y, sample_weight=weight)
    assert again.shrinkage_ == model.shrinkage_


def test_noise_is_shrunken_most() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    model = vaglio.CARTClassifier(shrinkage="cv", random_state=0).fit(X, y)
    assert model.shrinkage_ == STRENGTHS[-1]


def test_one_row_is_not_shrunken() -> None:
    assert vaglio.CARTClassifier(shrinkage="cv").fit([[1.0]], [0]).predict([[1.0]]).tolist() == [0]


@pytest.mark.parametrize("strength", [-1.0, float("nan"), 1e200, "much"])
def test_an_impossible_strength_in_a_file_is_refused(strength: Any) -> None:
    X, y, _ = table(6)
    for model in (vaglio.CARTClassifier(shrinkage=1.0), vaglio.RandomForestClassifier(2, shrinkage=1.0)):
        fitted = model.fit(X, y).fitted_
        arrays, meta = fitted.model.state()
        with pytest.raises(ModelFileError, match="shrinkage"):
            type(fitted.model).from_state(arrays, meta | {"shrinkage": strength}, fitted.codebook.features, 3)


def test_leaves_that_share_a_content_cannot_be_shrunken() -> None:
    X, y, _ = table(7)
    fitted = vaglio.RandomForestClassifier(5, random_state=0).fit(X, y).fitted_
    arrays, meta = fitted.model.state()
    with pytest.raises(ModelFileError, match="share a content"):
        type(fitted.model).from_state(arrays, meta | {"shrinkage": 1.0}, fitted.codebook.features, 3)
