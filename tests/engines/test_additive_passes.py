"""Additive models of rows that do not fit in memory: the file of a training in memory, whatever the options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from tests.engines.conftest import make_frame, sha

from vaglio import ExplainableBoostingClassifier, ExplainableBoostingRegressor, scan, streaming
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.additive import passes
from vaglio.learners.additive.estimators import additive as _additive
from vaglio.learners.additive.estimators import bags
from vaglio.learners.additive.estimators.bags import hashed_bags
from vaglio.learners.additive.estimators.pairs import rows_to_screen

FEW = {"outer_bags": 2, "max_rounds": 10, "interactions": 2, "random_state": 1}
CLASSES = {
    "usual": {},
    "no pairs": {"interactions": 0},
    "named pairs": {"interactions": [("real", "tenths"), ("count", "many")]},
    "no row kept out": {"validation_size": 0.0, "max_rounds": 6},
    "few bins": {"max_bins": 4, "max_interaction_bins": 3},
    "many bins": {"max_bins": 3000},
    "other steps": {"learning_rate": 0.2, "max_leaves": 5, "reg_lambda": 0.0},
    "columns left out": {"exclude": ["real", ("count", "tenths")]},
    "no guard": {"high_cardinality": None},
    "more bags than hands": {"outer_bags": 5, "validation_size": 0.4},
}
NUMBERS = {
    "squares": {},
    "poisson": {"objective": "poisson"},
    "gamma": {"objective": "gamma"},
    "rising": {"monotonic_cst": {"real": 1}},
}


@pytest.fixture(autouse=True)
def streams(monkeypatch):
    """Let a few thousand rows be too many for memory, and for dealing them out."""
    monkeypatch.setattr(_additive, "DEALT_ROWS", 1000)
    monkeypatch.setattr(bags, "DEALT_ROWS", 1000)
    monkeypatch.setattr(_additive.AdditiveEstimator, "_gathered_share", 0)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    frame = make_frame(3000)
    # The column of many values tells something, so that it is not left out.
    frame["many"] = np.where(frame["target"] == "yes", "v00", frame["many"])
    frame["number"] = np.round(np.exp(frame["real"]) + frame["count"] + 0.25, 2)
    place = tmp_path_factory.mktemp("additive") / "rows.parquet"
    frame.to_parquet(place, row_group_size=700)
    return frame, scan(place, part_rows=800)


def both(estimator, rows, target, chunk=512, **given):
    """Return the models from memory and from disk; the latter is known to have been asked in passes."""
    frame, data = rows
    others = {"weight", "number", "target"} - {target}
    lazy = data.drop(sorted(others))
    asked: list[str] = []
    weight = {"sample_weight": data["weight"]} if given else {}
    with streaming("4GB", chunk_rows=chunk, progress=lambda done, total, what: asked.append(what)):
        streamed = clone(estimator).fit(*lazy.xy(target), **weight)
    assert "sums of columns" in asked
    assert "all rows" not in asked
    y = frame[target].to_numpy(str) if target == "target" else frame[target].to_numpy()
    return clone(estimator).fit(frame.drop(columns=[*others, target]), y, **given), streamed


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_classes_from_disk_and_from_memory_give_one_file(name, rows):
    held, streamed = both(ExplainableBoostingClassifier(**FEW | CLASSES[name]), rows, "target")
    assert sha(held) == sha(streamed)
    np.testing.assert_array_equal(held.validation_score_, streamed.validation_score_)
    assert held.best_iteration_ == streamed.best_iteration_
    assert held.n_iter_ > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_from_disk_and_from_memory_give_one_file(name, rows):
    held, streamed = both(ExplainableBoostingRegressor(high_cardinality=None, **FEW | NUMBERS[name]), rows, "number")
    assert sha(held) == sha(streamed)


@pytest.mark.slow
def test_two_classes_and_any_chunks(rows):
    models = set()
    for chunk in (97, 1000):
        held, streamed = both(ExplainableBoostingClassifier(**FEW), rows, "flag", chunk)
        models |= {sha(held), sha(streamed)}
    assert len(models) == 1
    assert any(len(columns) == 2 for columns in held.term_features_)


def test_little_memory_compares_few_pairs_at_a_time_and_gives_one_file(rows, monkeypatch):
    asked = []
    once = passes.Setup.screened

    def counting(setup, groups, pairs, *others):
        asked.append(len(pairs))
        return once(setup, groups, pairs, *others)

    monkeypatch.setattr(passes.Setup, "screened", counting)
    found = passes._found_pairs
    monkeypatch.setattr(
        passes,
        "_found_pairs",
        lambda setup, booster, plan, groups, facts: found(setup, booster, plan, groups, replace(facts, memory=1)),
    )
    held, streamed = both(ExplainableBoostingClassifier(**FEW), rows, "target")
    assert set(asked) == {1}
    assert sha(held) == sha(streamed)


@pytest.mark.slow
def test_weights_give_the_terms_of_a_training_in_memory(rows):
    frame, _ = rows
    ours = ExplainableBoostingClassifier(**FEW)
    held, streamed = both(ours, rows, "target", sample_weight=frame["weight"])
    _, again = both(ours, rows, "target", chunk=211, sample_weight=frame["weight"])
    assert sha(streamed) == sha(again)
    # The file differs in the last digits of what it says of the belief in columns.
    np.testing.assert_array_equal(held.fitted_.model.terms, streamed.fitted_.model.terms)
    np.testing.assert_array_equal(held.fitted_.model.scores, streamed.fitted_.model.scores)


def test_what_needs_all_rows_says_so(rows):
    with pytest.raises(NotSupportedError, match=r"(?s)nominal columns of many values.*memory"):
        both(ExplainableBoostingRegressor(**FEW), rows, "number")


def test_numbers_that_a_loss_cannot_take_are_named(rows):
    with pytest.raises(InputError, match="gamma"):
        ExplainableBoostingRegressor(objective="gamma").fit(*rows[1].select(["tenths", "count"]).xy("count"))


def test_rows_are_kept_out_by_their_number_alone():
    alone = np.zeros(20_000, dtype=bool)
    alone[7] = True
    held = hashed_bags(np.arange(20_000), alone, 9, 0.25, 3)
    parts = [hashed_bags(np.arange(a, b), alone[a:b], 9, 0.25, 3) for a, b in ((0, 123), (123, 20_000))]
    np.testing.assert_array_equal(held, np.concatenate(parts, axis=1))
    assert held[:, 7].sum() == 0
    # Four bags keep every row out once; the next four do so by other chances.
    assert (np.delete(held[:4].sum(axis=0), 7) == 1).all()
    assert (np.abs(held.mean(axis=1) - 0.25) < 0.02).all()
    assert (held[0] != held[4]).any()


@pytest.mark.parametrize("n", [10, 2000, 5001])
def test_rows_that_pairs_are_compared_by_do_not_depend_on_chunks(n):
    pairs = 10**9
    whole = rows_to_screen(pairs, n, 0, n)
    parts = [rows_to_screen(pairs, n, a, min(a + 97, n)) + a for a in range(0, n, 97)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert len(whole) == min(n, 2000)
