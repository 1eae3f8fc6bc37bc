"""Trees and forests from rows that are not in memory: one model, whatever the chunks, the memory and the parts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import vaglio
from vaglio import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from vaglio.engines.work_settings import streaming
from vaglio.errors import NotSupportedError
from vaglio.learners import out_of_core
from vaglio.learners.trees.passes import bins, tree_passes

from .test_tree_bins import made

ROWS = 900


@pytest.fixture(scope="module")
def table():
    X, label, number = made(ROWS, missing=0.1, values=300)
    weight = np.random.default_rng(1).integers(1, 4, ROWS).astype(float)
    return X.assign(label=[f"class {code}" for code in label], number=number, weight=weight)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """Write the same rows as one file and as several of different lengths, one of them empty."""
    root = tmp_path_factory.mktemp("parts")
    table.to_parquet(root / "whole.parquet", row_group_size=211)
    parts = root / "parts"
    parts.mkdir()
    for at, (first, end) in enumerate([(0, 50), (50, 50), (50, 700), (700, ROWS)]):
        table.iloc[first:end].to_parquet(parts / f"part-{at}.parquet")
    return root


@pytest.fixture
def memory(monkeypatch):
    """Return a function that bounds what the passes of trees may take."""
    known = out_of_core.facts_of

    def bound(limit):
        def bounded(*given):
            facts = known(*given)
            return replace(facts, memory=limit or facts.memory, room=limit or facts.room)

        monkeypatch.setattr(out_of_core, "facts_of", bounded)

    return bound


def lazy(learner, source, target, weight=None, chunk_rows=None, progress=False):
    X, y = vaglio.scan(source).xy(target)
    X = X.drop([name for name in ("label", "number", "weight") if name != target])
    with streaming(chunk_rows=chunk_rows, progress=progress):
        return learner.fit(X, y, sample_weight=None if weight is None else vaglio.scan(source)[weight])


def in_memory(learner, table, target, weight=None):
    X = table.drop(columns=["label", "number", "weight"])
    y = table[target].to_numpy() if target == "number" else table[target].to_numpy(dtype=str)
    return learner.fit(X, y, sample_weight=None if weight is None else table[weight])


def model_bytes(learner):
    state = learner.fitted_.model.state()
    arrays = state if isinstance(state, dict) else state[0]
    return b"".join(name.encode() + np.ascontiguousarray(arrays[name]).tobytes() for name in sorted(arrays))


CASES = {
    "tree": (DecisionTreeClassifier(max_bins=40), "label", None),
    "weights": (DecisionTreeClassifier(max_bins=40, min_samples_leaf=3), "label", "weight"),
    "spread": (DecisionTreeClassifier(max_bins=40, missing="fractional", min_samples_leaf=3), "label", None),
    "branches": (
        DecisionTreeClassifier(max_bins=40, missing="branch", nominal_split="multiway", criterion="entropy"),
        "label",
        "weight",
    ),
    "drawn": (DecisionTreeClassifier(max_bins=40, max_features=2, random_state=1), "label", None),
    "chi2": (DecisionTreeClassifier(max_bins=40, chi2_alpha=0.05, min_impurity_decrease=1e-3), "label", None),
    "id3": (ID3Classifier(max_bins=40), "label", None),
    "c45": (C45Classifier(max_bins=255, subtree_raising=False), "label", None),
    "pessimistic": (DecisionTreeClassifier(max_bins=40, pruning="pessimistic", ccp_alpha=1e-3), "label", None),
    "folds": (DecisionTreeClassifier(max_bins=40, ccp_alpha="cv", random_state=2), "label", None),
    "folds of weights": (
        DecisionTreeClassifier(max_bins=40, ccp_alpha="cv", one_standard_error=True, ccp_risk="error", random_state=2),
        "label",
        "weight",
    ),
    "folds of spread rows": (
        C45Classifier(max_bins=40, ccp_alpha="cv", subtree_raising=False, random_state=2, shrinkage=2.0),
        "label",
        None,
    ),
    "folds of numbers": (
        DecisionTreeRegressor(max_bins=40, ccp_alpha="cv", one_standard_error=True, random_state=2),
        "number",
        "weight",
    ),
    "reduced": (DecisionTreeClassifier(max_bins=40, pruning="reduced_error", random_state=2), "label", None),
    "reduced, spread": (
        DecisionTreeClassifier(max_bins=40, pruning="reduced_error", missing="fractional", random_state=2),
        "label",
        "weight",
    ),
    "reduced numbers": (DecisionTreeRegressor(max_bins=40, pruning="reduced_error", random_state=2), "number", None),
    "numbers": (DecisionTreeRegressor(max_bins=40, min_samples_leaf=4), "number", "weight"),
    "forest": (RandomForestClassifier(4, max_bins=40, random_state=3), "label", None),
    "weighted forest": (RandomForestClassifier(3, max_bins=40, random_state=3, max_depth=5), "label", "weight"),
    "forest of numbers": (
        RandomForestRegressor(3, max_bins=40, random_state=3, features_per_tree=0.7, min_samples_leaf=4),
        "number",
        None,
    ),
}


# The others have folds, weights and rows that spread one by one.
NIGHTLY = ("folds of weights", "folds of spread rows", "folds of numbers", "reduced, spread")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.nightly] if case in NIGHTLY else []) for case in CASES],
)
def test_one_model_whatever_the_chunks_the_memory_and_the_parts(case, table, folder, memory):
    learner, target, weight = CASES[case]
    expected = model_bytes(in_memory(learner, table, target, weight))
    for limit, chunk_rows, source in [
        (None, 5000, "whole.parquet"),
        (None, 97, "whole.parquet"),
        (4000, 97, "whole.parquet"),
        (15000, 400, "parts/*.parquet"),
    ]:
        memory(limit)
        found = model_bytes(lazy(learner, folder / source, target, weight, chunk_rows))
        assert found == expected, (limit, chunk_rows, source)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        *("tree", "spread", "weighted forest"),
        *(pytest.param(case, marks=pytest.mark.nightly) for case in ("weights", "numbers", "forest")),
    ],
)
def test_every_way_of_growing_is_taken_and_none_shows(case, table, folder, memory, monkeypatch):
    learner, target, weight = CASES[case]
    expected = model_bytes(in_memory(learner, table, target, weight))
    ways, beside = set(), set()
    found = tree_passes.trees_beside
    monkeypatch.setattr(tree_passes, "trees_beside", lambda *given: beside.add(found(*given)) or found(*given))
    learner.set_params(n_jobs=3)
    for limit in [1, 500, 4000, 12_000, 30_000, 40_000, 60_000, 90_000, 1 << 20]:
        memory(limit)
        seen = set()
        note = lambda done, total, name, seen=seen: seen.add(name.split(" of level")[0])  # noqa: E731
        assert model_bytes(lazy(learner, folder / "whole.parquet", target, weight, 97, note)) == expected, limit
        ways |= {frozenset(seen & {"rows as bins", "sums", "rows of small nodes"})}
    assert ways == {frozenset({"sums"}), frozenset({"sums", "rows of small nodes"}), frozenset({"rows as bins"})}
    assert beside == ({0, 1, 3} if "forest" in case else {0, 1})


def test_bins_are_cut_by_the_same_sampled_rows(table, folder, memory, monkeypatch):
    monkeypatch.setattr(bins, "SAMPLE_ROWS", 200)
    learner = DecisionTreeClassifier(max_bins=16)
    expected = model_bytes(in_memory(learner, table, "label"))
    for limit, chunk_rows in [(None, 97), (4000, 300)]:
        memory(limit)
        assert model_bytes(lazy(learner, folder / "whole.parquet", "label", chunk_rows=chunk_rows)) == expected


def test_the_whole_file_is_the_same(table, folder, tmp_path):
    for learner in (DecisionTreeClassifier(max_bins=40), RandomForestClassifier(3, max_bins=40, random_state=1)):
        in_memory(learner, table, "label").save(tmp_path / "memory")
        lazy(learner, folder / "whole.parquet", "label", chunk_rows=50).save(tmp_path / "disk")
        assert (tmp_path / "memory").read_bytes() == (tmp_path / "disk").read_bytes()


def test_without_max_bins_the_model_says_what_was_used(folder):
    tree = lazy(C45Classifier(), folder / "whole.parquet", "label")
    assert tree.fitted_.provenance["learned_with"] == {"max_bins": 255, "subtree_raising": False}


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(ccp_alpha="cv", pruning="reduced_error"),
        RandomForestClassifier(2, oob_score=True),
        vaglio.ObliqueTreeClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_what_needs_rows_in_memory_says_so(learner, folder):
    with pytest.raises(NotSupportedError, match="memory"):
        lazy(learner, folder / "whole.parquet", "label")


def test_best_first_growth_says_what_memory_it_needs(folder, memory):
    learner = DecisionTreeClassifier(max_leaf_nodes=5)
    assert lazy(learner, folder / "whole.parquet", "label").get_n_leaves() == 5
    memory(4000)
    with pytest.raises(NotSupportedError, match="max_leaf_nodes"):
        lazy(learner, folder / "whole.parquet", "label")


def test_one_class_and_no_usable_column(tmp_path):
    pd.DataFrame({"x": [1.0] * 20, "c": ["a"] * 20, "y": ["p", "q"] * 10}).to_parquet(tmp_path / "t.parquet")
    X, y = vaglio.scan(tmp_path / "t.parquet").xy("y")
    assert DecisionTreeClassifier().fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("factor", [1.0, 0.001])
def test_numbers_are_learned_by_weight_whatever_the_scale_of_the_weights(table, folder, tmp_path, factor):
    scaled = table.assign(weight=table["weight"] * factor)
    scaled.to_parquet(tmp_path / "scaled.parquet")
    learner = {"max_bins": 64, "max_depth": 5, "min_samples_leaf": 5}
    found = lazy(DecisionTreeRegressor(**learner), tmp_path / "scaled.parquet", "number", "weight")
    expected = in_memory(DecisionTreeRegressor(**learner), scaled, "number", "weight")
    X = table.drop(columns=["label", "number", "weight"])
    assert np.allclose(found.predict(X), expected.predict(X))
    assert found.tree_.weight[0] == pytest.approx(ROWS)
