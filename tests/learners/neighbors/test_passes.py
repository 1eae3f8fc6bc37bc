"""Neighbours among rows that do not fit in memory: exactly the answers of the model that holds all rows."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pandas as pd
import pytest
from tests.engines.conftest import make_frame

import vaglio
from vaglio.errors import InputError, NotSupportedError
from vaglio.learners.neighbors import estimators, passes
from vaglio.learners.neighbors.passes import OutOfCoreNeighbors

NUMBERS = ["tenths", "real", "count"]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let sums of columns be made of many blocks, and files hold few rows."""
    monkeypatch.setattr(passes, "BLOCK", 64)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return make_frame(1500, seed=3)


@pytest.fixture(scope="module")
def queries() -> pd.DataFrame:
    return make_frame(200, seed=4).drop(columns=["weight", "target"])


@pytest.fixture(scope="module")
def data(table, tmp_path_factory):
    place = tmp_path_factory.mktemp("neighbours") / "rows.parquet"
    table.to_parquet(place, row_group_size=400)
    return vaglio.scan(place)


@pytest.fixture
def outside(monkeypatch, tmp_path):
    """Return a function that fits as if nothing fitted in memory."""

    def fit(model, X, y, weight=None, chunk_rows=200):
        with monkeypatch.context() as patched, vaglio.streaming("4GB", chunk_rows=chunk_rows, spill=tmp_path):
            patched.setattr(estimators, "bytes_of_rows", lambda facts: 1 << 60)
            patched.setattr("vaglio.learners.neighbors.passes._PART_SHARE", 1 << 60)
            model.fit(X, y, weight)
        assert isinstance(model.fitted_.model, OutOfCoreNeighbors)
        return model

    return fit


def same(a, b) -> None:
    """The same bits."""
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    np.testing.assert_array_equal(a, b)


def check_same_answers(ours, theirs, queries) -> None:
    for found, expected in zip(ours.kneighbors(queries), theirs.kneighbors(queries), strict=True):
        same(found, expected)
    same(ours.predict(queries), theirs.predict(queries))
    if hasattr(theirs, "predict_proba"):
        same(ours.predict_proba(queries), theirs.predict_proba(queries))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "chunk_rows"),
    [
        *(("uniform", 37), ("distance", 200), ("uniform", 10_000)),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in (("distance", 37), ("uniform", 200), ("distance", 10_000))
        ),
    ],
)
def test_mixed_tables_in_chunks_of_any_size(chunk_rows, weights, data, table, queries, outside):
    X, y = data.drop(["weight"]).xy("target")
    ours = outside(vaglio.KNeighborsClassifier(7, weights=weights), X, y, chunk_rows=chunk_rows)
    theirs = vaglio.KNeighborsClassifier(7, weights=weights)
    theirs.fit(table.drop(columns=["weight", "target"]), table["target"].to_numpy(str))
    check_same_answers(ours, theirs, queries)
    assert len(list(ours.fitted_.model.rows.parts())) == -(-1500 // 64)
    assert ours.reliability_ == theirs.reliability_
    assert ours.fitted_.model.size() == theirs.fitted_.model.size()
    rows = X.chunks(500)
    same(np.asarray(ours.predict(X)), np.concatenate([theirs.predict(part) for part in rows]))
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric",
    [
        *("euclidean", "manhattan", "cosine", "hamming"),
        *(pytest.param(each, marks=pytest.mark.nightly) for each in ("chebyshev", "canberra")),
    ],
)
@pytest.mark.parametrize(
    "algorithm", ["auto", *(pytest.param(each, marks=pytest.mark.nightly) for each in ("kd_tree", "brute"))]
)
def test_metrics_of_numbers(metric, algorithm, data, table, queries, outside):
    X, y = data.select(["real", "count", "target"]).xy("target")
    ours = outside(vaglio.KNeighborsClassifier(4, metric=metric, algorithm=algorithm), X, y)
    theirs = vaglio.KNeighborsClassifier(4, metric=metric, algorithm=algorithm)
    theirs.fit(table[["real", "count"]], table["target"].to_numpy(str))
    check_same_answers(ours, theirs, queries[["real", "count"]])


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["uniform", "squared_distance"])
def test_numbers_to_predict(weights, data, table, queries, outside):
    X, y = data.drop(["weight", "target"]).xy("real")
    ours = outside(vaglio.KNeighborsRegressor(6, weights=weights, p=3), X, y)
    theirs = vaglio.KNeighborsRegressor(6, weights=weights, p=3)
    theirs.fit(table.drop(columns=["weight", "target", "real"]), table["real"])
    check_same_answers(ours, theirs, queries.drop(columns="real"))
    assert ours.reliability_ == theirs.reliability_
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_weights_of_rows_and_classes(balanced, data, table, queries, outside):
    X, y = data.drop(["weight"]).xy("target")
    with vaglio.streaming("4GB"):
        theirs = vaglio.KNeighborsClassifier(5, weights="distance", class_weight=balanced)
        theirs.fit(X, y, data["weight"])
    ours = outside(vaglio.KNeighborsClassifier(5, weights="distance", class_weight=balanced), X, y, data["weight"])
    check_same_answers(ours, theirs, queries)


def test_ties_go_to_the_lowest_row(tmp_path, outside):
    random = np.random.default_rng(0)
    # Few values, so that most distances tie; in tenths, so that sums of equal terms in another order differ.
    table = pd.DataFrame(random.integers(0, 3, (900, 4)) / 10, columns=list("abcd"))
    table["target"] = random.integers(0, 2, 900)
    table.to_parquet(tmp_path / "rows.parquet")
    ours = outside(
        vaglio.KNeighborsClassifier(9, preprocess=None), *vaglio.scan(tmp_path / "rows.parquet").xy("target")
    )
    theirs = vaglio.KNeighborsClassifier(9, preprocess=None).fit(table[list("abcd")], table["target"])
    grid = pd.DataFrame(random.integers(0, 4, (300, 4)) / 10, columns=list("abcd"))
    check_same_answers(ours, theirs, grid)
    distances = ((grid.to_numpy()[:, None] - table[list("abcd")].to_numpy()[None]) ** 2).sum(axis=2).round(6)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :1]
    nearest = ours.kneighbors(grid, 1, return_distance=False)
    assert (np.take_along_axis(distances, nearest, 1) == np.take_along_axis(distances, expected, 1)).all()


def test_equal_roots_of_unequal_squares_keep_their_order(tmp_path, outside):
    # The same numbers in another order: their squares add up to the next number, whose root is the same.
    rows = np.random.default_rng(0).random((1000, 3))
    sums = [(at[0] ** 2 + at[1] ** 2) + at[2] ** 2 for at in (rows.T, rows.T[::-1])]
    far = rows[(sums[0] > sums[1]) & (np.sqrt(sums[0]) == np.sqrt(sums[1]))][0]
    table = pd.DataFrame(np.vstack([np.tile(far, (64, 1)), np.tile(far[::-1], (64, 1))]), columns=list("abc"))
    table["target"] = [0, 1] * 64
    table.to_parquet(tmp_path / "rows.parquet")
    ours = outside(
        vaglio.KNeighborsClassifier(3, preprocess=None), *vaglio.scan(tmp_path / "rows.parquet").xy("target")
    )
    theirs = vaglio.KNeighborsClassifier(3, preprocess=None).fit(table[list("abc")], table["target"])
    query = pd.DataFrame([[0.0, 0.0, 0.0]], columns=list("abc"))
    assert ours.kneighbors(query)[1].tolist() == [[64, 65, 66]]
    check_same_answers(ours, theirs, query)


@pytest.mark.slow
def test_more_neighbours_than_rows_of_a_part(data, table, queries, outside):
    X, y = data.select([*NUMBERS, "target"]).xy("target")
    ours = outside(vaglio.KNeighborsClassifier(150), X, y)
    theirs = vaglio.KNeighborsClassifier(150).fit(table[NUMBERS], table["target"].to_numpy(str))
    check_same_answers(ours, theirs, queries[NUMBERS])
    same(ours.kneighbors(queries[NUMBERS], 5000)[1], theirs.kneighbors(queries[NUMBERS], 5000)[1])


@pytest.mark.slow
def test_files_go_with_the_model(data, queries, outside, tmp_path):
    X, y = data.drop(["weight"]).xy("target")
    model = outside(vaglio.KNeighborsClassifier(), X, y)
    sent, copied = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    expected = model.predict(queries)
    same(sent.predict(queries), expected)
    assert len(list(tmp_path.iterdir())) == 1
    del model
    gc.collect()
    same(copied.predict(queries), expected)
    del copied
    gc.collect()
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="removed with the trained model"):
        sent.predict(queries)


def test_files_go_if_learning_fails(data, outside, tmp_path, monkeypatch):
    monkeypatch.setattr(passes.RowFiles, "finish", lambda self: 1 / 0)
    X, y = data.drop(["weight"]).xy("target")
    with pytest.raises(ZeroDivisionError):
        outside(vaglio.KNeighborsClassifier(), X, y)
    assert not list(tmp_path.iterdir())


def test_what_needs_the_rows_in_memory_says_so(data, table, queries, outside, tmp_path):
    X, y = data.drop(["weight"]).xy("target")
    model = outside(vaglio.KNeighborsClassifier(), X, y)
    some = queries.iloc[:2]
    asked = [
        lambda: model.explain(some),
        lambda: model.local_tree(some.iloc[:1]),
        lambda: model.add(some, ["yes", "no"]),
        lambda: model.kneighbors(),
        lambda: model.fitted_.export("onnx"),
    ]
    for ask in asked:
        with pytest.raises(NotSupportedError, match=r"are on disk because they did not fit in memory.*memory limit"):
            ask()
    with pytest.raises(NotSupportedError, match="without missing values"):
        outside(vaglio.KNeighborsClassifier(metric="cosine"), X, y)


def test_a_column_of_many_values_beside_a_number_needs_memory(data, outside, monkeypatch):
    monkeypatch.setattr("vaglio.learners.neighbors.passes._BYTES_PER_ROW", 1 << 40)
    X, y = data.drop(["weight", "target"]).xy("real")
    with pytest.raises(NotSupportedError, match="'many' has 30 categories"):
        outside(vaglio.KNeighborsRegressor(), X, y)
    outside(vaglio.KNeighborsRegressor(high_cardinality=None), X, y)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_a_saved_model_is_the_file_of_rows_in_memory(weighted, data, queries, outside, tmp_path):
    X, y = data.drop(["weight"]).xy("target")
    weight = data["weight"] if weighted else None
    with vaglio.streaming("4GB"):
        theirs = vaglio.KNeighborsClassifier(5).fit(X, y, weight)
    ours = outside(vaglio.KNeighborsClassifier(5), X, y, weight)
    theirs.save(tmp_path / "theirs.vaglio")
    ours.save(tmp_path / "ours.vaglio")
    assert (tmp_path / "ours.vaglio").read_bytes() == (tmp_path / "theirs.vaglio").read_bytes()
    loaded = vaglio.load(tmp_path / "ours.vaglio")
    same(loaded.predict_proba(queries), ours.predict_proba(queries))
    assert loaded.explain(queries.iloc[:1])


def test_rows_that_no_memory_holds_are_not_saved(data, outside, tmp_path, monkeypatch):
    X, y = data.drop(["weight"]).xy("target")
    model = outside(vaglio.KNeighborsClassifier(), X, y)
    monkeypatch.setattr(passes, "usable_memory", lambda: passes.resident_memory() + 1000)
    with pytest.raises(NotSupportedError, match=r"To save it .*takes about \d+ MB while \d+ MB are free, train with"):
        model.save(tmp_path / "m.vaglio")
    assert not (tmp_path / "m.vaglio").exists()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["target", "real"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_number_of_neighbours_is_chosen_as_in_memory(target, weighted, data, outside, monkeypatch):
    monkeypatch.setattr("vaglio.learners.neighbors.estimators.MOST_QUERIES", 300)
    kind = vaglio.KNeighborsClassifier if target == "target" else vaglio.KNeighborsRegressor
    X, y = data.drop(["weight"]).xy(target)
    weight = data["weight"] if weighted else None
    make = {"n_neighbors": "cv", "max_neighbors": 12, "weights": "distance", "random_state": 1}
    with vaglio.streaming("4GB"):
        theirs = kind(**make).fit(X, y, weight)
    ours = outside(kind(**make), X, y, weight)
    assert ours.n_neighbors_ == theirs.n_neighbors_
    same(ours.curve_.scores, theirs.curve_.scores)


def test_folds_that_do_not_fit_are_refused_before_rows_are_written(data, outside, monkeypatch):
    monkeypatch.setattr("vaglio.learners.neighbors.passes._BYTES_PER_ROW", 1 << 40)
    X, y = data.drop(["weight"]).xy("target")
    with pytest.raises(NotSupportedError, match="Give a number of neighbours"):
        outside(vaglio.KNeighborsClassifier("cv"), X, y)
