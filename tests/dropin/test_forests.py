"""Trees that are grown in turn are those of scikit-learn's parallel loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import ensemble as theirs
from sklearn.datasets import load_iris
from sklearn.utils import check_random_state

from vaglio.sklearn import ensemble as ours
from vaglio.sklearn.ensemble import _grows_in_turn as grows_in_turn

FORESTS = ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]
X, Y = load_iris(return_X_y=True)


def same_trees(one: Any, other: Any) -> None:
    assert len(one.estimators_) == len(other.estimators_)
    for a, b in zip(one.estimators_, other.estimators_):
        assert a.get_params() == b.get_params()
        assert vars(a).keys() == vars(b).keys()
        mine, yours = a.tree_.__getstate__(), b.tree_.__getstate__()
        for field in mine["nodes"].dtype.names:
            np.testing.assert_array_equal(mine["nodes"][field], yours["nodes"][field])
        np.testing.assert_array_equal(mine["values"], yours["values"])


@pytest.mark.slow
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("seed", [3, np.int64(4), "generator"])
def test_trees_are_those_of_the_parallel_loop(name: str, bootstrap: bool, seed: Any) -> None:
    def grown(n_jobs: int | None) -> tuple[Any, Any]:
        random = np.random.RandomState(5) if seed == "generator" else seed
        forest = getattr(ours, name)(n_estimators=6, bootstrap=bootstrap, random_state=random, n_jobs=n_jobs)
        assert grows_in_turn(forest, None) == (n_jobs != 2)
        return forest.fit(X, Y), random

    alone, drawn = grown(None)
    parallel, expected = grown(2)
    same_trees(alone, parallel)
    assert {*vars(alone)} == {*vars(parallel)}
    np.testing.assert_array_equal(alone.predict(X), parallel.predict(X))
    assert check_random_state(drawn).randint(1 << 30) == check_random_state(expected).randint(1 << 30)


@pytest.mark.parametrize("name", FORESTS)
def test_seeds_are_scikit_learns(name: str) -> None:
    found, expected = (getattr(module, name)(n_estimators=4, random_state=7).fit(X, Y) for module in (ours, theirs))
    assert [tree.random_state for tree in found.estimators_] == [tree.random_state for tree in expected.estimators_]


def test_a_forest_goes_on_from_trees_that_were_grown_in_turn() -> None:
    whole = ours.RandomForestRegressor(n_estimators=6, random_state=1).fit(X, Y)
    part = ours.RandomForestRegressor(n_estimators=2, random_state=1).fit(X, Y)
    same_trees(part.set_params(n_estimators=6, warm_start=True).fit(X, Y), whole)


def test_nothing_is_left_over() -> None:
    forest = ours.RandomForestClassifier(n_estimators=3)
    forest.fit(X, Y)
    for one in (forest, *forest.estimators_):
        assert "_handed" not in vars(one)
    with pytest.raises(ValueError, match="inconsistent"):
        forest.fit(X, Y[:-1])
    assert forest.n_estimators == 3
    assert "_handed" not in vars(forest)


@pytest.mark.parametrize("wrong", [{"n_estimators": 0}, {"n_estimators": 2.5}, {"bootstrap": "maybe"}])
def test_impossible_parameters_are_refused_in_scikit_learns_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be an"):
        ours.RandomForestClassifier(**wrong).fit(X, Y)
