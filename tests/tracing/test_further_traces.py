"""Distributions, linear weights, gradient steps, similarity, imputation and given orders, against the learners."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.tracing import trace_imputation, trace_order


@pytest.fixture(scope="module")
def play() -> tuple[vaglio.Table, np.ndarray]:
    return vaglio.datasets.load("play").xy("play")


ROW = ["sunny", "cool", "high", "true"]


def test_a_joint_table_is_also_a_distribution(play) -> None:
    facts = vaglio.trace("joint-bayes", *play).facts
    assert np.sum(facts["distribution"]) == pytest.approx(1)
    assert np.sum(facts["distribution"], axis=0) == pytest.approx([5 / 14, 9 / 14])


@pytest.mark.parametrize("table", ["play", "two"])
def test_naive_bayes_as_a_linear_model_decides_as_naive_bayes(play, table: str) -> None:
    X, y = play
    target = np.asarray(y) if table == "play" else np.asarray(X["outlook"])
    inputs = X if table == "play" else X.drop("outlook")
    model = vaglio.NaiveBayesClassifier().fit(inputs, target)
    weights = model.linear_model()
    named = {(line[0], line[1]): np.array(line[2:], dtype=float) for line in weights.itertuples(index=False)}
    frame = inputs.to_frame()
    for i in range(len(frame)):
        total = named["", ""] + sum(named[name, str(frame[name][i])] for name in frame.columns)
        shares = model.predict_proba(frame.iloc[[i]])[0]
        if len(total) == 1:
            assert total[0] == pytest.approx(math.log(shares[1] / shares[0]))
        else:
            assert np.exp(total) / np.exp(total).sum() == pytest.approx(shares)
    if table == "play":
        work = vaglio.trace(vaglio.NaiveBayesClassifier(), X, y, row=ROW)
        posterior = work.facts["posterior"]
        assert work.facts["linear"]["sum"] == pytest.approx([math.log(posterior["yes"] / posterior["no"])])
        assert work.facts["linear"]["w0"] == pytest.approx([math.log(9 / 5)])


@pytest.mark.parametrize("penalty", [{"penalty": None}, {"C": 0.5}, {"penalty": "l1", "C": 2.0}])
@pytest.mark.parametrize("batch_size", [14, 4])
@pytest.mark.filterwarnings("ignore")
def test_the_gradient_steps_are_those_of_the_learner(play, batch_size: int, penalty: dict) -> None:
    learner = vaglio.LogisticRegression(
        solver="minibatch", batch_size=batch_size, max_iter=3, eta0=0.7, random_state=3, **penalty
    )
    work = vaglio.trace(learner, *play)
    model = learner.fit(*play).fitted_.model
    assert np.array(work.facts["weights"]) == pytest.approx(np.column_stack([model.coef, model.intercept]))
    assert work.facts["steps"] == 3 * math.ceil(14 / batch_size)


def test_similarity_of_a_forest_is_that_of_the_forest(play) -> None:
    forest = vaglio.RandomForestClassifier(20, random_state=0).fit(*play)
    facts = vaglio.trace(forest, *play).facts
    assert np.array(facts["similarity"]) == pytest.approx(forest.similarity(play[0]).toarray())


@pytest.mark.parametrize("resets", [0, 2])
def test_boosting_of_the_pseudocode_shows_its_samples_and_where_it_stops(play, resets: int) -> None:
    learner = vaglio.AdaBoostClassifier(n_estimators=40, sampling="resample", max_resets=resets, random_state=1)
    work = vaglio.trace(learner, *play)
    rounds = learner.fit(*play).rounds_
    assert len(work.facts["samples"]) == min(len(rounds), 40)
    assert all(len(rows) == 14 for rows in work.facts["samples"])
    stopped = rounds[-1].alpha is None
    assert (f"max_resets={resets}" in work.to_text()) == stopped


@pytest.mark.slow
def test_every_missing_value_is_followed_through_the_rounds() -> None:
    X, y = vaglio.datasets.load("penguins").xy("species")
    X, y = X.take(np.arange(0, 344, 4)), np.asarray(y)[::4]
    facts = trace_imputation(X, y, n_estimators=10, seed=2).facts
    imputer = vaglio.ForestImputer(10, random_state=2).fit(X, y)
    filled = imputer.transform(X)
    assert facts["missing"] == int(X.to_frame().isna().sum().sum())
    assert facts["changes"] == imputer.history_
    for line in facts["values"]:
        assert line["after"][-1] == filled[line["column"]].iloc[line["row"] - 1]


def test_a_table_without_missing_values_has_nothing_to_impute(play) -> None:
    with pytest.raises(InputError, match="no missing value"):
        trace_imputation(*play)


def test_the_tree_of_largest_gain_is_that_of_id3_and_the_order_decides_its_size(play) -> None:
    facts = trace_order(*play, ["temperature", "windy", "humidity", "outlook"]).facts
    given, by_gain = facts["trees"]
    tree = vaglio.ID3Classifier().fit(*play).tree_
    assert by_gain["nodes"] == tree.n_nodes
    assert by_gain["mean_path"] == pytest.approx(tree.mean_shape()["mean_path"])
    assert given["errors"] == by_gain["errors"] == 0
    assert given["nodes"] > by_gain["nodes"]
    same = trace_order(*play, "outlook,humidity,windy", "outlook,humidity,windy").facts["trees"]
    assert same[0] == same[1]


def test_an_order_of_numbers_or_of_unknown_names_is_refused(play) -> None:
    with pytest.raises(InputError, match="outlok"):
        trace_order(*play, "outlok")
    with pytest.raises(InputError, match="numeric"):
        trace_order(*vaglio.datasets.load("iris").xy("species"))
