from __future__ import annotations

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from vaglio.errors import InputError
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.learners.registry import LEARNERS


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_search_space_is_one_of_the_learner(learner):
    (candidate,) = resolve_learners([learner])
    known = candidate.estimator.get_params()
    assert set(candidate.space) <= set(known)
    for name, values in candidate.space.items():
        assert isinstance(values, list), name
        candidate.make({name: values[0]})


def test_names_seeds_and_spaces():
    tree = DecisionTreeClassifier()
    found = resolve_learners([tree, tree, ("c45", {"min_samples_leaf": [2]}), GaussianNB()], seed=7)
    assert [c.name for c in found] == ["DecisionTreeClassifier", "DecisionTreeClassifier 2", "c45", "GaussianNB"]
    assert found[0].estimator.random_state == 7
    assert tree.random_state is None
    assert found[2].space == {"min_samples_leaf": [2]}
    assert resolve_learners("c45")[0].space == LEARNERS["c45"].search_space
    assert len(resolve_learners(None)) == len(LEARNERS)


def test_an_id_may_have_settings() -> None:
    """One learner at several settings; what is set is not tuned."""
    shallow, deep = resolve_learners(["c45:max_depth=3,min_samples_leaf=5", "c45:max_depth=8"])
    assert (shallow.name, shallow.estimator.max_depth, shallow.estimator.min_samples_leaf) == (
        "c45:max_depth=3,min_samples_leaf=5",
        3,
        5,
    )
    assert deep.estimator.max_depth == 8
    assert "min_samples_leaf" not in shallow.space
    assert "min_samples_leaf" in deep.space
    with pytest.raises(InputError, match="no setting"):
        resolve_learners(["c45:deep"])
    with pytest.raises(InputError, match="no parameter"):
        resolve_learners(["c45:depth=3"])
