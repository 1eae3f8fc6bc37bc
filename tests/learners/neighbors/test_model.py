"""Stored rows: the searches against brute force, the votes against hand cases, the file against damage."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import vaglio
from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import ModelFileError, NotSupportedError
from vaglio.learners.neighbors.model import Neighbors

METRICS = {
    "euclidean": lambda d: np.sqrt((d**2).sum(-1)),
    "manhattan": lambda d: d.sum(-1),
    "chebyshev": lambda d: d.max(-1, initial=0),
    "hamming": lambda d: (d != 0).sum(-1) / d.shape[-1],
}


def differences(a, codes_a, b, codes_b):
    """The difference of every pair in every feature, missing and mismatch being 1."""
    with np.errstate(invalid="ignore"):
        numeric = np.abs(a[:, None] - b[None])
    numeric = np.where(np.isnan(numeric), 1.0, numeric)
    same = (codes_a[:, None] == codes_b[None]) & (codes_a[:, None] >= 0)
    return np.concatenate([numeric, 1.0 - same], axis=2)


def nearest_by_sorting(distances, k):
    rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(distances, rows, axis=1)


def no_codes(n):
    return np.empty((n, 0), np.int32)


@st.composite
def searches(draw):
    # Whole numbers of a small range: sums are exact in any order, and ties are the rule.
    n, m = draw(st.integers(1, 60)), draw(st.integers(1, 40))
    p, q = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    if p + q == 0:
        p = 1
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    offset = draw(st.sampled_from([0.0, 2.0**40]))
    missing = draw(st.sampled_from([0.0, 0.3]))

    def rows(count):
        numeric = random.integers(0, 4, (count, p)) + offset
        numeric[random.random((count, p)) < missing] = np.nan
        codes = random.integers(0, 3, (count, q)).astype(np.int32)
        codes[random.random((count, q)) < missing] = -1
        return numeric, codes

    return rows(n), rows(m), draw(st.integers(1, n)), draw(st.sampled_from(sorted(METRICS)))


@settings(max_examples=60, deadline=None)
@given(searches(), st.sampled_from(["auto", "brute", "kd_tree"]), st.sampled_from([1, 2, 5]))
def test_neighbours_are_those_of_brute_force(case, search, threads):
    train, queries, k, metric = case
    rows, distances = _core.nearest_neighbors(*train, *queries, k=k, metric=metric, search=search, n_threads=threads)
    expected_rows, expected = nearest_by_sorting(METRICS[metric](differences(*queries, *train)), k)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_allclose(distances, expected, rtol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 15, 48, 49, 400, 3000])
@pytest.mark.parametrize("decimals", [0, 9])  # with and without ties
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_a_tree_finds_and_counts_what_a_look_at_every_row_does(n, decimals, metric):
    """Around every size at which the search works in another way: one leaf, short lists, heaps."""
    random = np.random.default_rng(n)
    labels = random.integers(0, 100, n)
    for columns in (1, 2, 6):
        data = np.round(random.standard_normal((n + 70, columns)), decimals)
        given = data[:n].copy(), no_codes(n), data[n:].copy(), no_codes(70)
        for k in {min(k, n) for k in (1, 5, 32, 33)}:
            rows, distances = _core.nearest_neighbors(*given, k=k, metric=metric, search="brute")
            found = _core.nearest_neighbors(*given, k=k, metric=metric, search="kd_tree", n_threads=2)
            np.testing.assert_array_equal(found[0], rows)
            np.testing.assert_array_equal(found[1], distances)
            votes = _core.count_votes(labels, rows, 100, 1) / k
            for search in ("brute", "kd_tree"):
                shares = _core.neighbor_shares(*given, labels, 100, k=k, metric=metric, search=search, n_threads=2)
                np.testing.assert_array_equal(shares, votes)


def test_labels_out_of_range_are_refused():
    rows = np.arange(60.0)[:, None]
    for search in ("brute", "kd_tree"):
        for wrong in (-1, 2):
            with pytest.raises(ValueError, match="out of range"):
                _core.neighbor_shares(rows, no_codes(60), rows, no_codes(60), np.full(60, wrong), 2, k=3, search=search)
    with pytest.raises(ValueError, match="every row needs a label"):
        _core.neighbor_shares(rows, no_codes(60), rows, no_codes(60), np.zeros(59, np.int64), 2, k=3)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.floats(-1e6, 1e6),
    st.floats(1e-9, 1e9),
)
def test_float32_never_decides(seed, columns, offset, spread):
    """Rows far from the origin and close to one another: float32 alone would see them as equal."""
    random = np.random.default_rng(seed)
    data = offset + spread * random.standard_normal((400, columns))
    data[200:300] = data[100:200]  # ties
    train, queries = data[:320].copy(), data[300:].copy()
    rows, distances = _core.nearest_neighbors(train, no_codes(320), queries, no_codes(100), k=9, search="brute")
    squared = np.zeros((100, 320))
    for j in range(columns):  # the order in which the kernel adds
        squared += (queries[:, None, j] - train[None, :, j]) ** 2
    expected_rows, expected = nearest_by_sorting(squared, 9)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_array_equal(distances, np.sqrt(expected))


@pytest.mark.parametrize(("metric", "power"), [("minkowski", 3.0), ("minkowski", 1.5), ("cosine", 2.0)])
def test_other_metrics_against_scipy(metric, power):
    random = np.random.default_rng(0)
    train, queries = random.standard_normal((200, 6)), random.standard_normal((30, 6))
    rows, distances = _core.nearest_neighbors(
        train, no_codes(200), queries, no_codes(30), k=5, metric=metric, power=power
    )
    options = {"p": power} if metric == "minkowski" else {}
    expected_rows, expected = nearest_by_sorting(cdist(queries, train, metric, **options), 5)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_allclose(distances, expected)


def test_huge_and_tiny_numbers():
    train = np.array([[1e200], [-1e200], [1e-200], [0.0], [3.0], [1e300]])
    queries = np.repeat(np.array([[1.0], [9e199], [-1e-200]]), 4, axis=0)
    rows, _ = _core.nearest_neighbors(train, no_codes(6), queries, no_codes(12), k=2, search="brute")
    np.testing.assert_array_equal(rows[::4], [[2, 3], [0, 1], [2, 3]])


def stored(**options):
    numeric = np.array([[0.0], [1.0], [2.0], [4.0]])
    given = {
        "numeric": numeric,
        "codes": no_codes(4),
        "target": np.array([0, 1, 1, 0]),
        "weight": np.empty(0),
        "scale": np.ones(1),
        "n_classes": 2,
        "k": 3,
    }
    return Neighbors(**(given | options))


def query(*numbers):
    return EncodedMatrix.from_arrays(numeric=np.array(numbers, dtype=float)[:, None])


def test_votes_by_hand():
    # Distances of 0.5: 0.5 (class 0), 0.5 (1), 1.5 (1).
    near = query(0.5)
    np.testing.assert_allclose(stored().predict_proba(near), [[1 / 3, 2 / 3]])
    inverse = np.array([2.0, 2.0 + 1 / 1.5])
    np.testing.assert_allclose(stored(vote="distance").predict_proba(near), [inverse / inverse.sum()])
    squared = np.array([4.0, 4.0 + 1 / 2.25])
    np.testing.assert_allclose(stored(vote="squared_distance").predict_proba(near), [squared / squared.sum()])
    np.testing.assert_allclose(stored(vote=lambda d: d < 1).predict_proba(near), [[0.5, 0.5]])


@pytest.mark.parametrize("vote", ["distance", "squared_distance"])
def test_a_row_at_distance_zero_decides(vote):
    np.testing.assert_array_equal(stored(vote=vote).predict_proba(query(0.0)), [[1.0, 0.0]])


def test_tiny_distances_do_not_overflow():
    model = stored(numeric=np.array([[1e-150], [3e-150], [1.0], [2.0]]), vote="squared_distance")
    np.testing.assert_allclose(model.predict_proba(query(0.0)), [[0.9, 0.1]])


@pytest.mark.parametrize("vote", ["uniform", "distance", "squared_distance"])
def test_rows_of_one_direction_have_no_cosine_distance_below_zero(vote):
    rows = np.random.default_rng(0).normal(size=(300, 7))
    model = stored(
        numeric=rows, codes=no_codes(300), target=np.arange(300) % 2, scale=np.ones(7), metric="cosine", vote=vote
    )
    scaled = EncodedMatrix.from_arrays(numeric=rows * np.linspace(0.1, 30, 300)[:, None])
    distances = model.nearest(scaled, 3)[1]
    assert distances.min() == 0
    probability = model.predict_proba(scaled)
    assert probability.min() >= 0
    np.testing.assert_allclose(probability.sum(axis=1), 1)


def test_votes_weigh_and_k_counts_rows():
    weighted = stored(weight=np.array([2.0, 1.0, 3.0, 0.5]), k=3)
    # The nearest to 0.4 are the rows 0, 1 and 2, those to 3.0 the rows 2, 3 and 1; row 0 and row 3 are of class 0.
    expected = [[2 / 6, 4 / 6], [0.5 / 4.5, 4 / 4.5]]
    np.testing.assert_allclose(weighted.predict_proba(query(0.4, 2.9)), expected)
    for factor in (1e-300, 1e300):
        scaled = stored(weight=np.array([2.0, 1.0, 3.0, 0.5]) * factor, k=3)
        np.testing.assert_allclose(scaled.predict_proba(query(0.4, 2.9)), expected)


def test_a_function_as_metric_finds_the_same_neighbours_as_its_name():
    random = np.random.default_rng(1)
    numeric = random.integers(0, 5, (50, 3)).astype(float)
    options = {"numeric": numeric, "codes": no_codes(50), "target": np.zeros(50, np.int64), "scale": np.ones(3)}
    named = stored(metric="manhattan", **options)
    function = stored(metric=lambda a, b: np.abs(a - b).sum(), **options)
    for matrix in (EncodedMatrix.from_arrays(numeric=numeric[:7] + 0.5), None):
        for ours, theirs in zip(named.nearest(matrix, 6), function.nearest(matrix, 6)):
            np.testing.assert_array_equal(ours, theirs)


def test_the_file_keeps_the_model():
    model = stored(vote="distance")
    again = Neighbors.from_state(*model.state(), features=(Feature("x"),), n_classes=2)
    np.testing.assert_array_equal(again.predict_proba(query(0.5, 7)), model.predict_proba(query(0.5, 7)))


def test_functions_cannot_be_saved():
    def mine(distances):
        return distances

    with pytest.raises(NotSupportedError, match="'mine'"):
        stored(vote=mine).state()


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("numeric", np.array([[0.0], [1.0], [2.0], [np.inf]])),
        ("numeric", np.zeros((4, 2))),
        ("codes", np.zeros((4, 1), np.int32)),
        ("target", np.array([0, 1, 2, 0])),
        ("target", np.zeros(3, np.int64)),
        ("weight", np.array([1.0, 1.0, -1.0, 1.0])),
        ("scale", np.zeros(1)),
    ],
)
def test_a_hostile_file_is_refused(array, value):
    arrays, meta = stored().state()
    with pytest.raises(ModelFileError):
        Neighbors.from_state(arrays | {array: value}, meta, (Feature("x"),), 2)


@pytest.mark.parametrize("entry", [{"k": 0}, {"k": True}, {"power": -1.0}, {"metric": "mine"}, {"vote": 3}])
def test_a_hostile_description_is_refused(entry):
    arrays, meta = stored().state()
    with pytest.raises(ModelFileError):
        Neighbors.from_state(arrays, meta | entry, (Feature("x"),), 2)


@pytest.mark.parametrize("old", [np.empty(0), np.array([2.0, 1.0, 3.0, 0.5])], ids=["alike", "weighted"])
@pytest.mark.parametrize("new", [None, np.array([4.0, 0.0, 1.0])], ids=["alike", "weighted"])
def test_rows_that_are_added_weigh_what_they_are_given(old, new):
    model, rows, target = stored(weight=old), query(0.2, 0.3, 9.0), np.array([1, 0, 2])
    grown = model.adding(rows, target, new, 3)
    kept = np.ones(3, bool) if new is None else new > 0
    assert (grown.n_classes, grown.n_rows) == (3, 4 + kept.sum())
    assert grown.target.tolist() == [0, 1, 1, 0, *target[kept].tolist()]
    assert grown.numeric[4:, 0].tolist() == np.array([0.2, 0.3, 9.0])[kept].tolist()
    if new is None and not old.size:
        assert grown.weight.size == 0
    else:
        before = old if old.size else np.ones(4)
        assert grown.weight.tolist() == [*before, *(np.ones(3) if new is None else new[kept])]


def test_a_row_is_not_its_own_neighbour():
    model = stored()
    rows, distances = model.nearest(None, 9)
    assert rows.shape == (4, 3)
    assert all(i not in row for i, row in enumerate(rows.tolist()))
    assert distances[0].tolist() == [1, 2, 4]
    alone = model.of_rows(np.array([0]))
    assert [part.shape for part in alone.nearest(None, 5)] == [(1, 0), (1, 0)]
    assert alone.nearest(query(3.0), 5)[1].tolist() == [[3.0]]
    part = stored(weight=np.array([2.0, 1.0, 3.0, 0.5])).of_rows(np.array([2, 0]))
    assert (part.weight.tolist(), part.target.tolist(), part.size()) == ([3, 2], [1, 0], {"rows": 2, "columns": 1})


def test_the_size_counts_columns_of_both_kinds():
    X = pd.DataFrame({"n": [1.0, 2.0, 3.0], "m": [0.0, 1.0, 0.0], "w": ["a", "b", "a"]})
    assert vaglio.KNeighborsClassifier(1).fit(X, [0, 1, 0]).fitted_.model.size() == {"rows": 3, "columns": 3}


@pytest.mark.parametrize("columns", [2, 12])
def test_what_was_built_for_searching_is_kept_and_not_copied(columns):
    random = np.random.default_rng(3)
    rows, asked = random.normal(size=(2000, columns)), random.normal(size=(80, columns))
    model = stored(numeric=rows, codes=no_codes(2000), target=np.zeros(2000, np.int64), scale=np.ones(columns))
    matrix = EncodedMatrix.from_arrays(numeric=asked)
    expected = np.argsort(cdist(asked, rows), axis=1, kind="stable")[:, :5]
    copies = [model, pickle.loads(pickle.dumps(model)), deepcopy(model)]
    for copy in (*copies, model, pickle.loads(pickle.dumps(copies[1]))):
        np.testing.assert_array_equal(copy.nearest(matrix, 5)[0], expected)
    with ThreadPoolExecutor(4) as pool:
        fresh = replace(model)
        for rows_found, _ in pool.map(lambda _: fresh.nearest(matrix, 5), range(8)):
            np.testing.assert_array_equal(rows_found, expected)
