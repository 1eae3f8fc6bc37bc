"""Gradient boosting of rows that do not fit in memory: the file of a training in memory, whatever the options."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.engines.conftest import make_frame, sha

from vaglio import HistGradientBoostingClassifier, HistGradientBoostingRegressor, scan, streaming
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.boosting import passes
from vaglio.learners.boosting.estimators import boosting as _boosting
from vaglio.learners.boosting.estimators import rounds

CLASSES = {
    "usual": {},
    "all rounds": {"early_stopping": False},
    "shared trees": {"multi_class": "shared_tree", "early_stopping": False},
    "level by level": {"growth": "level", "max_depth": 4, "max_leaf_nodes": None, "early_stopping": False},
    "all rows and columns": {"subsample": 1.0, "max_features": 1.0, "early_stopping": False},
    "leaves from all rows": {"refit_leaves": True, "subsample": 0.5},
    "few bins": {"max_bins": 4, "min_samples_leaf": 1, "early_stopping": False},
    "many bins": {"max_bins": 3000, "early_stopping": False},
    "columns apart": {"interaction_cst": [["real", "tenths"]], "max_leaf_nodes": 8, "early_stopping": False},
    "hardly any row drawn": {"subsample": 1e-9, "early_stopping": False},
    "sets of categories": {"ordered_categories": False, "early_stopping": False},
    "no guard": {"high_cardinality": None, "early_stopping": False},
}
NUMBERS = {
    "squares": {},
    "poisson": {"loss": "poisson", "early_stopping": False},
    "gamma": {"loss": "gamma", "early_stopping": False},
    "rising": {"monotonic_cst": {"real": 1}, "early_stopping": False},
}


@pytest.fixture(autouse=True)
def streams(monkeypatch):
    """Let a few thousand rows be too many for memory, and for folds."""
    monkeypatch.setattr(rounds, "ROWS_FOR_FOLDS", 1000)
    monkeypatch.setattr(_boosting.BoostingEstimator, "_gathered_share", 0)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    frame = make_frame(3000)
    # The column of many values tells something, so that it is not left out, but is tested as numbers, too.
    frame["many"] = np.where(frame["target"] == "yes", "v00", frame["many"])
    frame["number"] = np.round(np.exp(frame["real"]) + frame["count"] + 0.25, 2)
    place = tmp_path_factory.mktemp("boosting") / "rows.parquet"
    frame.to_parquet(place, row_group_size=700)
    return frame, scan(place, part_rows=800)


def classifier(**options):
    return HistGradientBoostingClassifier(random_state=1, **options)


def both(estimator, rows, target, chunk=512, **given):
    """Return the models from memory and from disk; the latter is known to have been asked in passes."""
    frame, data = rows
    others = {"weight", "number", "target"} - {target}
    lazy = data.drop(sorted(others))
    asked: list[str] = []
    weight = {"sample_weight": data["weight"]} if given else {}
    with streaming("4GB", chunk_rows=chunk, progress=lambda done, total, what: asked.append(what)):
        streamed = clone(estimator).fit(*lazy.xy(target), **weight)
    assert any(name.startswith("round 1, sums") for name in asked)
    y = frame[target].to_numpy(str) if target == "target" else frame[target].to_numpy()
    return clone(estimator).fit(frame.drop(columns=[*others, target]), y, **given), streamed


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_classes_from_disk_and_from_memory_give_one_file(name, rows):
    ours = classifier(max_iter=3, **CLASSES[name])
    held, streamed = both(ours, rows, "target")
    assert ours.high_cardinality is None or 0 < held.reliability_["many"] < 1
    assert sha(held) == sha(streamed)
    np.testing.assert_array_equal(held.train_score_, streamed.train_score_)
    np.testing.assert_array_equal(held.validation_score_, streamed.validation_score_)


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_from_disk_and_from_memory_give_one_file(name, rows):
    ours = HistGradientBoostingRegressor(max_iter=3, random_state=1, high_cardinality=None, **NUMBERS[name])
    held, streamed = both(ours, rows, "number")
    assert sha(held) == sha(streamed)


@pytest.mark.slow
def test_two_classes_and_any_chunks(rows):
    models = set()
    for chunk in (97, 1000):
        held, streamed = both(classifier(max_iter=2), rows, "flag", chunk)
        models |= {sha(held), sha(streamed)}
    assert len(models) == 1


@pytest.mark.slow
def test_little_memory_asks_more_often_and_gives_one_file(rows, monkeypatch):
    ours = classifier(max_iter=2, early_stopping=False)
    once = passes.PassedRounds.run

    def poor(self, *limits):
        self.most_sums = 1
        return once(self, *limits)

    monkeypatch.setattr(passes.PassedRounds, "run", poor)
    held, streamed = both(ours, rows, "target")
    assert sha(held) == sha(streamed)


@pytest.mark.slow
def test_weights_give_the_trees_of_a_training_in_memory(rows):
    frame, _ = rows
    for ours in (classifier(max_iter=3), classifier(max_iter=2, refit_leaves=True, early_stopping=False)):
        held, streamed = both(ours, rows, "target", sample_weight=frame["weight"])
        _, again = both(ours, rows, "target", chunk=211, sample_weight=frame["weight"])
        assert sha(streamed) == sha(again)
        # The file differs in the last digits of what it says of the belief in columns.
        trees, theirs = streamed.fitted_.model.forest, held.fitted_.model.forest
        np.testing.assert_array_equal(trees.nodes, theirs.nodes)
        np.testing.assert_array_equal(trees.leaves, theirs.leaves)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "said"),
    [
        (HistGradientBoostingRegressor(loss="absolute_error"), "The loss"),
        (HistGradientBoostingRegressor(early_stopping="folds"), "folds"),
        (HistGradientBoostingRegressor(n_models=2), "Averaging several models"),
        (HistGradientBoostingRegressor(scoring="r2"), "Scoring every round"),
        (HistGradientBoostingRegressor(), "nominal columns of many values"),
        (HistGradientBoostingRegressor(high_cardinality=None, ordered_categories=True), "'many' as numbers"),
    ],
)
def test_what_needs_all_rows_says_so(ours, said, rows):
    with pytest.raises(NotSupportedError, match=f"(?s){said}.*memory"):
        both(ours, rows, "number" if isinstance(ours, HistGradientBoostingRegressor) else "target")


def test_numbers_that_a_loss_cannot_take_are_named(rows):
    with pytest.raises(InputError, match="gamma"):
        HistGradientBoostingRegressor(loss="gamma").fit(*rows[1].select(["tenths", "count"]).xy("count"))
