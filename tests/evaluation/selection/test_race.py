"""A race: the same choice from fewer trainings, and nothing stopped that is not clearly behind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation.selection.race import LEVEL, chance_of_being_equal, chances_together
from vaglio.evaluation.selection.search import best_of
from vaglio.evaluation.selection.trials import Trial

LEARNERS = {"constant": DummyClassifier(), "bayes": GaussianNB(), "tree": DecisionTreeClassifier()}


def made(rows: int = 900) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.7 * rng.normal(size=rows) > 0, "yes", "no")


def select(learners=LEARNERS, **options):
    return vaglio.select(*made(), learners=learners, **{"search": "none", "folds": 4, **options})


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 50))
def test_the_test_is_that_of_mcnemar(only_leader, only_rival, both):
    leader = np.repeat([1.0, 0.0, 1.0], [only_leader, only_rival, both])
    rival = np.repeat([0.0, 1.0, 1.0], [only_leader, only_rival, both])
    disagreeing = only_leader + only_rival
    expected = norm.sf((only_leader - only_rival) / math.sqrt(disagreeing)) if disagreeing else 1.0
    assert chance_of_being_equal(leader, rival) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.001, 0.5))
def test_a_level_holds_for_all_pairs_together(chances, level):
    together = chances_together(dict(enumerate(chances)))
    stopped = set()
    # The definition: the smallest p against the level over the number of pairs, the next over those left, and so on.
    for left, i in zip(range(len(chances), 0, -1), sorted(range(len(chances)), key=lambda i: chances[i])):
        if left * (left + 1) / 2 * chances[i] >= level:
            break
        stopped.add(i)
    assert {i for i, p in together.items() if p < level} == stopped
    assert all(chances[i] <= p <= 1 for i, p in together.items())


def test_a_rival_that_is_clearly_behind_is_not_spared_because_others_are_farther_behind():
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.5
    right = (0.9, 0.845, 0.5, 0.5, 0.5, 0.5)
    X = np.column_stack([np.where(rng.random(4000) < share, y, ~y) for share in right]).astype(float)
    only = [ColumnTransformer([("column", "passthrough", [j])]) for j in range(len(right))]
    learners = {f"column {j}": make_pipeline(column, GaussianNB()) for j, column in enumerate(only)}
    second = vaglio.select(X, y, learners=learners, search="none", folds=3, race=True).trials[1]
    assert len(second.scores) == 1
    assert second.behind < LEVEL < 5 * second.behind


def test_the_choice_is_that_of_all_folds_and_the_scores_are_those_of_its_folds():
    raced, whole = select(race=True), select()
    assert not whole.stopped
    assert raced.best.learner == whole.best.learner
    assert raced.score == whole.score
    for ours, theirs in zip(raced.trials, whole.trials, strict=True):
        assert ours.learner == theirs.learner
        np.testing.assert_array_equal(ours.scores, theirs.scores[: len(ours.scores)])
        np.testing.assert_array_equal(ours.train_scores, theirs.train_scores[: len(ours.scores)])
    constant = raced.trials[0]
    assert len(constant.scores) == 1
    assert constant.behind < LEVEL
    assert raced.best.behind is None
    assert len(raced.best.scores) == 4


def test_what_was_stopped_is_said():
    selection = select(race=True)
    rows = {row["learner"]: row for row in selection.by_learner()}
    assert (rows["bayes"]["folds"], rows["constant"]["folds"]) == (4, 1)
    assert any("Not tried on all folds" in line and "constant" in line for line in selection.notes())
    assert all("folds" not in row for row in select().by_learner())


def test_equals_are_not_stopped():
    selection = select({"first": GaussianNB(), "second": GaussianNB()}, race=True)
    assert selection.best.learner == "first"
    assert not selection.stopped


def test_one_that_was_stopped_is_not_chosen_even_if_its_fold_was_easy():
    stopped = Trial("stopped", {}, np.array([0.9]), np.array([0.9]), 0.0, 0.0, behind=0.001)
    going = Trial("going", {}, np.array([0.95, 0.8]), np.array([0.9, 0.9]), 0.0, 0.0)
    assert best_of([stopped, going]) is going


def test_costs_race_too():
    cost = {("yes", "no"): 5, ("no", "yes"): 1}
    raced, whole = select(race=True, cost=cost), select(cost=cost)
    assert raced.best.learner == whole.best.learner
    np.testing.assert_array_equal(raced.best.scores, whole.best.scores)
    assert [trial.learner for trial in raced.stopped]


def test_weights_count():
    """Rows of weight zero tell nothing: where a learner differs on these alone, it is not behind."""
    leader, rival = np.ones(100), np.zeros(100)
    weight = np.zeros(100)
    assert chance_of_being_equal(leader, rival) < LEVEL
    assert chance_of_being_equal(leader * weight, rival * weight) == 1.0


class FailsLater(GaussianNB):
    """The best one, until its third training."""

    trainings = 0

    def fit(self, X, y, sample_weight=None):
        FailsLater.trainings += 1
        if FailsLater.trainings == 3:
            raise ValueError("no more")
        return super().fit(X, y)


def test_a_leader_that_fails_later_has_failed_and_the_best_of_the_others_is_chosen():
    FailsLater.trainings = 0
    selection = select({"constant": DummyClassifier(), "fails": FailsLater()}, race=True)
    assert [trial.learner for trial in selection.failures] == ["fails"]
    assert selection.best.learner == "constant"


class InterruptedLater(GaussianNB):
    """Ctrl-C is pressed during its second training."""

    trainings = 0

    def fit(self, X, y, sample_weight=None):
        InterruptedLater.trainings += 1
        if InterruptedLater.trainings == 2:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_an_interrupt_keeps_the_last_completed_round():
    InterruptedLater.trainings = 0
    selection = select({"tree": DecisionTreeClassifier(max_depth=3), "stop": InterruptedLater()}, race=True)
    assert selection.interrupted
    assert {len(trial.scores) for trial in selection.trials} == {1}


def test_progress_ends_at_its_total():
    told = []
    select(
        {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}, race=True, progress=lambda *step: told.append(step)
    )
    done = [step[0] for step in told]
    assert done == sorted(set(done))
    assert done[-1] == told[-1][1] == 8


def test_nested_selection_races_in_every_outer_fold():
    selection = select(race=True, outer_folds=3)
    assert len(selection.outer) == 3
    assert selection.evaluation.n_rows == 900


@pytest.mark.parametrize("scoring", ["roc_auc", "f1_macro"])
def test_a_score_that_is_no_mean_of_rows_is_refused(scoring):
    with pytest.raises(InputError, match="row by row"):
        select(race=True, scoring=scoring)


@pytest.mark.slow
def test_rows_on_disk_race_too(tmp_path):
    X, y = made(400)
    file = tmp_path / "table.csv"
    file.write_text("a,b,y\n" + "\n".join(f"{a},{b},{label}" for (a, b, *_), label in zip(X, y)) + "\n")
    learners = {"bayes": vaglio.NaiveBayesClassifier(), "guess": vaglio.CARTClassifier(max_depth=1, max_bins=2)}
    options = {"learners": learners, "search": "none", "folds": 4}
    raced = vaglio.select(vaglio.scan(file), "y", race=True, **options)
    plain = vaglio.select(vaglio.scan(file), "y", **options)
    assert raced.best.learner == plain.best.learner
    assert raced.trials[0].scores.tolist() == plain.trials[0].scores.tolist()
