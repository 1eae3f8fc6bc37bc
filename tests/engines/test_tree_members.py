"""Bagging, AdaBoost and voting of trees outside memory: the file and the members of a training in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from tests.engines.conftest import sha

import vaglio
from vaglio import AdaBoostClassifier, BaggingClassifier, BaggingRegressor, VotingClassifier, scan, streaming
from vaglio.errors import NotSupportedError
from vaglio.fitted.file import to_bytes
from vaglio.learners import out_of_core

pytestmark = pytest.mark.filterwarnings("ignore")
TREE = vaglio.DecisionTreeClassifier(max_depth=4, max_bins=24)
BAGGED = {
    "trees": BaggingClassifier(TREE, n_estimators=4),
    "few rows": BaggingClassifier(TREE, n_estimators=3, max_samples=0.3),
    "every row once": BaggingClassifier(TREE, n_estimators=2, bootstrap=False, max_features=0.5),
    "columns drawn again": BaggingClassifier(TREE, n_estimators=3, bootstrap_features=True),
    "votes": BaggingClassifier(TREE, n_estimators=3, voting="hard"),
    "random columns": BaggingClassifier(clone(TREE).set_params(max_features=2), n_estimators=3),
    "pruned": BaggingClassifier(clone(TREE).set_params(pruning="pessimistic", ccp_alpha=1e-3), n_estimators=2),
    "shared rows": BaggingClassifier(vaglio.C45Classifier(max_bins=24, subtree_raising=False), n_estimators=2),
}
BOOSTED = {
    "trees": AdaBoostClassifier(TREE, n_estimators=4),
    "stumps": AdaBoostClassifier(clone(TREE).set_params(max_depth=1), n_estimators=6, learning_rate=0.5),
    "guessing": AdaBoostClassifier(clone(TREE).set_params(min_samples_leaf=0.9), n_estimators=2, max_resets=1),
    "shared rows": AdaBoostClassifier(vaglio.C45Classifier(max_bins=24, max_depth=3, subtree_raising=False)),
    "random columns": AdaBoostClassifier(clone(TREE).set_params(max_features=2), n_estimators=3),
}


@pytest.fixture(params=["fits", "does not fit"])
def memory(request, monkeypatch):
    """Bound what passes may take, so that rows are gathered as bins or are not."""
    known = out_of_core.facts_of
    limit = 1 << 26 if request.param == "fits" else 30_000
    monkeypatch.setattr(out_of_core, "facts_of", lambda *given: replace(known(*given), memory=limit, room=limit))


def both(estimator, path, frame, target="target", weighted=False, chunk=512):
    ours = clone(estimator).set_params(random_state=3)
    others = sorted({"weight", "target"} - {target})
    X, y = scan(path, part_rows=800).drop(others).xy(target)
    given = {"sample_weight": scan(path, part_rows=800)["weight"]} if weighted else {}
    with streaming("4GB", chunk_rows=chunk):
        streamed = clone(ours).fit(X, y, **given)
    held = {"sample_weight": frame["weight"]} if weighted else {}
    true = frame[target].to_numpy(str) if target == "target" else frame[target].to_numpy()
    return clone(ours).fit(frame.drop(columns=[*others, target]), true, **held), streamed


def same_members(held, streamed):
    """Whether members, too, are as after a fit in memory."""
    assert len(held.estimators_) == len(streamed.estimators_)
    for ours, theirs in zip(streamed.estimators_, held.estimators_):
        assert to_bytes(ours.fitted_) == to_bytes(theirs.fitted_)
        assert ours.get_params() == theirs.get_params()
        assert ours.n_features_in_ == theirs.n_features_in_
        assert list(ours.feature_names_in_) == list(theirs.feature_names_in_)
        assert list(ours.classes_) == list(theirs.classes_)


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("name", BAGGED)
def test_bagging_from_disk_gives_the_file_of_a_training_in_memory(name, path, frame):
    held, streamed = both(BAGGED[name], path, frame)
    assert sha(held) == sha(streamed)
    same_members(held, streamed)
    for ours, theirs in zip(streamed.estimators_samples_, held.estimators_samples_):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("name", BOOSTED)
def test_adaboost_from_disk_gives_the_file_of_a_training_in_memory(name, path, frame):
    held, streamed = both(BOOSTED[name], path, frame)
    assert sha(held) == sha(streamed)
    assert held.rounds_ == streamed.rounds_
    same_members(held, streamed)


@pytest.mark.usefixtures("memory")
def test_bagging_of_numbers(path, frame):
    tree = vaglio.DecisionTreeRegressor(max_depth=4, max_bins=24)
    held, streamed = both(BaggingRegressor(tree, n_estimators=3), path, frame, "real")
    assert sha(held) == sha(streamed)


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("ours", [BAGGED["trees"], BOOSTED["trees"]], ids=["bagging", "adaboost"])
def test_weights_count_and_chunks_make_no_difference(ours, path, frame):
    held, streamed = both(ours, path, frame, weighted=True)
    _, again = both(ours, path, frame, weighted=True, chunk=170)
    assert sha(streamed) == sha(again)
    rows = frame.drop(columns=["weight", "target"])
    np.testing.assert_allclose(streamed.predict_proba(rows), held.predict_proba(rows), atol=1e-9)


def test_a_column_that_tells_nothing_is_left_out(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 1500)
    rows = vaglio.Table.from_any(
        {"name": [f"n{i}" for i in random.integers(0, 400, 1500)], "x": random.normal(y, 1), "target": y.astype(str)}
    )
    vaglio.table.write(rows, tmp_path / "rows.parquet")
    held = clone(BOOSTED["trees"]).set_params(random_state=1).fit(*rows.xy("target"))
    with streaming(chunk_rows=400):
        streamed = clone(held).fit(*scan(tmp_path / "rows.parquet").xy("target"))
    assert "name" in held.reliability_
    assert sha(held) == sha(streamed)
    same_members(held, streamed)


def test_what_was_used_instead_is_said(lazy):
    X, y = lazy.xy("target")
    assert BaggingClassifier(n_estimators=2).fit(X, y).learned_with_ == {"max_bins": 255}
    boosted = AdaBoostClassifier(vaglio.C45Classifier(max_depth=2), n_estimators=2).fit(X, y)
    assert boosted.learned_with_ == {"max_bins": 255, "subtree_raising": False}
    assert boosted.fitted_.provenance["learned_with"] == boosted.learned_with_


def test_members_of_another_kind_need_memory_and_say_so(lazy, monkeypatch):
    known = out_of_core.facts_of
    monkeypatch.setattr(out_of_core, "facts_of", lambda *given: replace(known(*given), memory=10_000, room=10_000))
    for ours in (
        BaggingClassifier(vaglio.BernoulliNB()),
        BaggingClassifier(oob_score=True),
        BaggingClassifier(bootstrap=False, max_samples=0.5),
        AdaBoostClassifier(sampling="resample"),
    ):
        with pytest.raises(NotSupportedError, match=r"in memory .*, about .* MB, more than the memory limit"):
            ours.fit(*lazy.xy("target"))


def test_voters_are_as_after_a_fit_in_memory(lazy, frame):
    vote = VotingClassifier([("tree", TREE), ("bayes", vaglio.NaiveBayesClassifier(likelihood="mdl"))])
    rows = frame.drop(columns=["weight", "target"])
    held = clone(vote).fit(rows, frame["target"].to_numpy(str))
    with streaming(chunk_rows=512):
        streamed = clone(vote).fit(*lazy.xy("target"))
    assert sha(held) == sha(streamed)
    same_members(held, streamed)
    np.testing.assert_array_equal(streamed.estimators_[0].predict(rows), held.estimators_[0].predict(rows))
    np.testing.assert_array_equal(streamed.transform(rows), held.transform(rows))
