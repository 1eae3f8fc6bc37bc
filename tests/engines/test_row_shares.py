"""Rows of a scanned table that are held out, and folds: by the hash of their number, whatever the parts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from vaglio import NaiveBayesClassifier, scan, streaming
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation import EvaluationPlan, train_and_evaluate
from vaglio.evaluation.training import evaluate_learner

NAIVE = NaiveBayesClassifier(likelihood="mdl")


@pytest.fixture
def numbered(frame, tmp_path):
    frame.assign(number=np.arange(len(frame))).to_parquet(tmp_path / "rows.parquet", row_group_size=400)
    return tmp_path / "rows.parquet"


def numbers(table):
    return table.read().column("number").data


@pytest.mark.slow
@pytest.mark.parametrize("part_rows", [150, 10_000])
def test_a_split_takes_every_row_once_and_the_same_rows_from_any_parts(numbered, part_rows):
    rest, held = scan(numbered, part_rows=part_rows).split(0.3, seed=4)
    assert sorted([*numbers(rest), *numbers(held)]) == list(range(3000))
    assert len(held) == len(numbers(held))
    assert abs(len(held) - 900) < 4 * np.sqrt(3000 * 0.3 * 0.7)
    np.testing.assert_array_equal(numbers(held), numbers(scan(numbered).split(0.3, seed=4)[1]))
    assert set(numbers(held)) != set(numbers(scan(numbered).split(0.3, seed=5)[1]))


@pytest.mark.slow
def test_text_files_are_counted_and_split(frame, tmp_path):
    for at in range(3):
        frame.iloc[at * 100 : (at + 1) * 100].assign(number=np.arange(at * 100, (at + 1) * 100)).to_csv(
            tmp_path / f"{at}.csv", index=False
        )
    folds = scan(tmp_path).folds(3)
    assert sorted(np.concatenate([numbers(test) for _, test in folds])) == list(range(300))
    for training, test in folds:
        assert sorted([*numbers(training), *numbers(test)]) == list(range(300))


def test_what_is_left_can_be_split_again(numbered):
    rest, _ = scan(numbered).split(0.5)
    training, test = rest.split(0.5, seed=1)
    assert sorted([*numbers(training), *numbers(test)]) == sorted(numbers(rest))
    assert len(training) + len(test) == len(rest)


def test_a_holdout_is_evaluated_as_its_rows_in_memory(lazy):
    X, y = lazy.xy("target")
    with streaming(chunk_rows=300):
        trained = train_and_evaluate(clone(NAIVE), X, y, EvaluationPlan(holdout=0.25, seed=2), pos_label=None)
    rest, held = (part.read() for part in lazy.split(0.25, seed=2))
    rows, true = rest.xy("target")
    own = clone(NAIVE).fit(rows, true)
    assert trained.n_rows == len(rest)
    assert trained.evaluation.n_rows == len(held)
    assert trained.evaluation.accuracy.value == own.score(*held.xy("target"))


@pytest.mark.slow
def test_folds_evaluate_every_row_once(lazy):
    X, y = lazy.xy("target")
    evaluation = evaluate_learner(clone(NAIVE), X, y, EvaluationPlan(folds=3, seed=1))
    assert evaluation.n_rows == 3000
    plain = lazy.read()
    rows, true = plain.xy("target")
    held = evaluate_learner(clone(NAIVE), rows, true, EvaluationPlan(folds=3, seed=1))
    assert abs(evaluation.accuracy.value - held.accuracy.value) < 0.03


def test_costs_are_in_the_model_and_need_probabilities(lazy):
    from vaglio import Perceptron

    X, y = lazy.xy("target")
    cost = {("maybe", "no"): 1, ("maybe", "yes"): 9, ("no", "maybe"): 1, ("no", "yes"): 1}
    cost |= {("yes", "maybe"): 1, ("yes", "no"): 1}
    plan = EvaluationPlan(holdout=0.3)
    trained = train_and_evaluate(clone(NAIVE), X, y, plan, cost=cost, pos_label="yes")
    assert trained.estimator.fitted_.decision_cost is not None
    assert trained.evaluation.cost is not None
    with pytest.raises(NotSupportedError, match="without probabilities"):
        train_and_evaluate(Perceptron(), X, y, plan, cost=cost)


def test_shares_and_folds_that_cannot_be_are_refused(lazy):
    with pytest.raises(InputError, match="between 0 and 1"):
        lazy.split(1.5)
    with pytest.raises(InputError, match="at least 2"):
        lazy.folds(1)
