from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.tables import PLAY_X as X
from tests.tables import PLAY_Y as y

from vaglio import CN2Classifier
from vaglio.errors import NotSupportedError
from vaglio.learners.rules.estimators.beam import BeamSearch
from vaglio.learners.rules.trace import likelihood_ratio


def test_likelihood_ratio_by_hand():
    # Four of four rows of a class that has half of all: 2·4·ln 2.
    assert likelihood_ratio(np.array([4.0, 0.0]), np.array([0.5, 0.5])) == pytest.approx(8 * np.log(2))
    assert likelihood_ratio(np.array([3.0, 3.0]), np.array([0.5, 0.5])) == 0


def test_an_ordered_list_sets_covered_rows_aside():
    table = np.array([[0.0, 0.0]] * 10 + [[0.0, 1.0]] * 8 + [[1.0, 1.0]] * 9)
    labels = ["a"] * 10 + ["b"] * 8 + ["c"] * 9
    rules = CN2Classifier(significance=0.9).fit(table, labels).rules()
    assert [str(rule) for rule in rules] == ["IF x1 <= 0.5 THEN a", "IF x0 > 0.5 THEN c"]
    assert rules.default_label == "b"
    assert rules.resolution == "first"


def test_a_test_that_asks_more_gives_fewer_rules():
    loose = CN2Classifier(significance=0.0).fit(X, y)
    strict = CN2Classifier(significance=0.999).fit(X, y)
    assert loose.score(X, y) == 1
    assert len(strict.rules()) == 0
    assert strict.predict(X).tolist() == ["P"] * 14


@pytest.mark.parametrize("measure", ["entropy", "laplace", "m-estimate"])
@pytest.mark.parametrize("mode", ["ordered", "unordered"])
def test_every_measure_learns_the_play_table(measure, mode):
    model = CN2Classifier(mode=mode, measure=measure, significance=0.0).fit(X, y)
    assert model.score(X, y) == 1


def test_unordered_rules_are_of_each_class():
    rules = CN2Classifier(mode="unordered", significance=0.0).fit(X, y).rules()
    assert {rule.label for rule in rules} == {"N", "P"}
    assert rules.resolution == "vote"


def test_weighted_covering_lets_rules_overlap():
    rng = np.random.default_rng(0)
    table = rng.random((300, 3))
    labels = (table[:, 0] + table[:, 1] > 1).astype(int)
    model = CN2Classifier(mode="unordered", covering="weighted", max_conditions=2, min_covered=10).fit(table, labels)
    overlap = model.rules().overlap(table)
    assert (overlap - np.diag(np.diag(overlap))).max() > 0
    assert model.score(table, labels) > 0.85
    with pytest.raises(NotSupportedError, match="unordered"):
        CN2Classifier(covering="weighted").fit(table, labels)


def test_a_wider_beam_finds_what_one_step_does_not():
    # Neither column alone tells anything: x0 xor x1.
    table = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 10)
    labels = (table[:, 0] != table[:, 1]).astype(int)
    assert CN2Classifier(beam_width=4).fit(table, labels).score(table, labels) == 1


def test_rules_cover_at_least_so_many_rows():
    rng = np.random.default_rng(1)
    table = rng.random((200, 4))
    labels = rng.integers(0, 2, 200)
    rules = CN2Classifier(min_covered=20, significance=0.0).fit(table, labels).rules()
    assert all(sum(rule.covered) >= 20 for rule in rules)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["ordered", "unordered"])
def test_many_classes_of_few_rows_each_still_get_rules(mode):
    # Nine rows of each of sixty classes: no rule can pass a test with 59 degrees of freedom.
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(60), 9)
    table = rng.normal(scale=0.1, size=(540, 2)) + np.column_stack([labels % 8, labels // 8])
    model = CN2Classifier(mode=mode).fit(table, labels)
    assert len(model.rules()) >= 59
    assert model.score(table, labels) > 0.95


def test_noise_of_many_classes_gets_few_rules():
    rng = np.random.default_rng(1)
    table, labels = rng.normal(size=(300, 2)), rng.integers(0, 30, 300)
    sure = CN2Classifier(significance=0.99999, min_covered=5).fit(table, labels)
    assert len(sure.rules()) <= 3


@pytest.mark.parametrize("mode", ["ordered", "unordered"])
@pytest.mark.parametrize("significance", [0.9, 0.99])
def test_by_entropy_a_rule_that_covers_enough_wins_over_pure_single_rows(mode, significance, iris):
    # On numbers there are pure conditions of one row each in plenty. None of them is significant, and neither is
    # anything that further conditions could make of them: they must not fill the beam.
    table, labels = iris
    model = CN2Classifier(mode=mode, measure="entropy", significance=significance).fit(table, labels)
    assert model.score(table, labels) > 0.95
    strict = CN2Classifier(mode=mode, measure="entropy", significance=0.999, max_rules=1).fit(table, labels)
    assert all(sum(rule.covered) >= 5 for rule in strict.rules())


def test_of_equal_entropy_the_rule_that_covers_more_is_found_first():
    table = np.column_stack([np.arange(40.0), np.arange(40.0) % 7])
    labels = np.where(table[:, 0] < 25, "a", np.where(table[:, 1] < 3, "b", "c"))
    first = CN2Classifier(measure="entropy").fit(table, labels).rules()[0]
    assert str(first) == "IF x0 <= 24.5 THEN a"


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.05, 0.7, 0.999])
def test_weighted_covering_takes_at_most_two_searches_per_row(monkeypatch, gamma):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.integers(1, 6, (151, 5)))
    labels = (table[0] + rng.normal(0, 2, 151) > 3).astype(int) + (table[1] + rng.normal(0, 2, 151) > 4)
    searches, find = [0], BeamSearch.find

    def counted(self, *args):
        searches[0] += 1
        return find(self, *args)

    monkeypatch.setattr(BeamSearch, "find", counted)
    for frame in (table.astype(float), table.astype(str)):
        searches[0] = 0
        model = CN2Classifier(mode="unordered", covering="weighted", gamma=gamma).fit(frame, labels)
        assert searches[0] <= 2 * 151 + 3
        assert model.score(frame, labels) > 0.6
