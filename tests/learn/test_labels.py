"""Labels are coded as np.unique codes them, only sooner."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.learn.inputs import distinct_labels


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
    ],
    ids=["ints", "bytes", "truth", "words", "binary words", "strings", "many", "strided"],
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
