"""Plain arrays: labels are coded as np.unique does, scores are those of scikit-learn's functions to the last bit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import accuracy_score, r2_score

from vaglio.learners.plain_arrays import accuracy, determination, distinct_labels

LABELS = st.sampled_from([np.int64, np.uint8, np.bool_, np.int32, np.float64, "U1", "O"])
NUMBERS = st.floats(-1e6, 1e6)


def outcome(measure: Any, *given: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found: Any = measure(*given)
        except ValueError as error:
            found = str(error)
    return found, [str(each.message) for each in said]


def same(measure: Any, theirs: Any, *given: Any) -> None:
    (found, said), (expected, theirs_said) = outcome(measure, *given), outcome(theirs, *given)
    assert (found == expected) or (found != found and expected != expected)
    assert type(found) is type(expected)
    assert said == theirs_said


@pytest.mark.slow
@given(LABELS, LABELS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_accuracy_is_scikit_learns(kind: Any, other: Any, pairs: list[tuple[int, int]]) -> None:
    y = np.array([a for a, _ in pairs], dtype=np.int64).astype(kind)
    same(accuracy, accuracy_score, y, np.array([b for _, b in pairs], dtype=np.int64).astype(other))


def test_many_labels_are_warned_of() -> None:
    same(accuracy, accuracy_score, np.arange(30), np.arange(30) // 2)
    same(accuracy, accuracy_score, np.arange(30) // 15, np.arange(30))


@pytest.mark.slow
@given(
    arrays.arrays(np.float64, st.shared(st.integers(1, 60), key="n"), elements=NUMBERS),
    arrays.arrays(np.float64, st.shared(st.integers(1, 60), key="n"), elements=NUMBERS),
    st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.uint8]),
)
def test_determination_is_scikit_learns(y: np.ndarray, predicted: np.ndarray, kind: Any) -> None:
    y = y.astype(np.int64).astype(kind) if np.dtype(kind).kind in "iu" else y.astype(kind)
    same(determination, r2_score, y, predicted)
    same(determination, r2_score, y, predicted.astype(np.float32))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_refused(wrong: float) -> None:
    y = np.array([1.0, 2.0, wrong])
    same(determination, r2_score, y, np.ones(3))
    same(determination, r2_score, np.arange(3.0), y)


def test_weights_and_lengths_are_left_to_scikit_learn() -> None:
    y, predicted = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    assert accuracy(y, predicted, [1, 1, 6, 2]) == 0.4
    assert determination(y, predicted.astype(float), [1, 1, 6, 2]) == r2_score(y, predicted, sample_weight=[1, 1, 6, 2])
    same(accuracy, accuracy_score, y, predicted[:3])
    same(determination, r2_score, y, predicted[:3].astype(float))
    two = np.column_stack([y, predicted]).astype(float)
    same(determination, r2_score, two, two[::-1])


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -1, 3, 10, -1] * 9),
        np.array([3, 1, 3], dtype=np.uint8),
        np.array([True, False, True]),
        np.array(["b", "abc", "", "b"] * 300),
        np.array([b"x", b"yy"]),
        np.array(["b", "a", "b"], dtype=object),
        np.arange(5000) % 1777,
        np.array(["b", "abc", "", "b"] * 3)[::2],
        np.array([-(2**63), 2**63 - 1, 0] * 2),
        np.array([2**64 - 1, 2**64 - 3] * 3, dtype=np.uint64),
        np.array([-128, 127, 5, 127], dtype=np.int8),
        np.array([-300, 300, 5, 300] * 200, dtype=np.int16)[::-3],
        np.array([7], dtype=np.int32),
        np.frombuffer(b"x" + np.array([4, 2, 4]).tobytes(), dtype=np.int64, offset=1),
    ],
    ids=[
        "ints",
        "bytes",
        "truth",
        "words",
        "binary words",
        "strings",
        "many",
        "strided",
        "far apart",
        "large",
        "signs",
        "short",
        "one",
        "unaligned",
    ],
)
def test_as_unique_does(labels: np.ndarray) -> None:
    found = distinct_labels(labels)
    assert found is not None
    classes, codes = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(found[0], classes)
    np.testing.assert_array_equal(found[1], codes)
    assert found[0].dtype == classes.dtype


@pytest.mark.parametrize("labels", [np.array([1.5, 2.0]), np.array(["a", 1], dtype=object), np.array([], dtype=object)])
def test_others_are_left_to_scikit_learn(labels: np.ndarray) -> None:
    assert distinct_labels(labels) is None
