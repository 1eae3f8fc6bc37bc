from __future__ import annotations

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from vaglio import AdaBoostClassifier
from vaglio.evaluation.selection.candidates import resolve_learners
from vaglio.learn.registry import LEARNERS


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


def test_an_id_has_the_settings_of_the_registry_and_a_class_its_own():
    by_id, by_class = (resolve_learners([one])[0].estimator for one in ("adaboost", AdaBoostClassifier()))
    assert LEARNERS["adaboost"].settings == {"max_depth": 3}
    assert (by_id.max_depth, by_class.max_depth) == (3, 1)
    assert LEARNERS["adaboost"].make(max_depth=2).max_depth == 2


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_setting_of_the_registry_is_a_parameter_that_differs_from_the_class(learner):
    entry = LEARNERS[learner]
    assert all(entry.cls().get_params()[name] != value for name, value in entry.settings.items())
