"""Labels are coded as np.unique codes them, only sooner."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.learners.inputs import distinct_labels


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
