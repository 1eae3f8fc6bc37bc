"""What all models share: class codes, labels, smoothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vaglio.encode import Codebook
from vaglio.errors import InputError
from vaglio.model.base import Smoothing, check_finite, class_codes, label_array, plain_label


def test_smoothing_by_hand() -> None:
    weights, totals = np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([6.0, 2.0])
    np.testing.assert_allclose(Smoothing().probabilities(weights, totals), [[0.75, 0.25], [0.75, 0.25]])
    np.testing.assert_allclose(Smoothing("laplace").probabilities(weights, totals), [[4 / 6, 2 / 6], [0.5, 0.5]])
    np.testing.assert_allclose(Smoothing("m-estimate", 4).probabilities(weights, totals)[0], [6 / 8, 2 / 8])
    np.testing.assert_allclose(Smoothing("m-estimate").pseudo_weights(totals), [1.5, 0.5])
    np.testing.assert_allclose(Smoothing().probabilities(weights[1], np.zeros(2)), [[0.5, 0.5]])
    assert Smoothing("m-estimate", 0).m == 0
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(InputError, match="finite number >= 0"):
            Smoothing("m-estimate", wrong)
    with pytest.raises(InputError, match="no smoothing 'laplacian'"):
        Smoothing("laplacian")


class Even:
    """A model that predicts the column number of each row's largest value, and notes the sizes of the parts."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def predict_proba(self, matrix: Any) -> np.ndarray:
        self.sizes.append(matrix.n_rows)
        return matrix.numeric / matrix.numeric.sum(axis=1, keepdims=True)


def test_with_very_many_classes_rows_are_decided_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaglio.model.base._MOST_CELLS", 1200)
    X = np.random.default_rng(0).random((10, 3))
    matrix = Codebook.learn(X).encode(X)
    whole, parts, one, few = (Even() for _ in range(4))
    expected = np.argmax(X, axis=1).tolist()
    assert class_codes(whole, matrix).tolist() == class_codes(few, matrix, n_classes=256).tolist() == expected
    assert class_codes(parts, matrix, n_classes=300).tolist() == expected
    assert class_codes(one, matrix, n_classes=5000).tolist() == expected
    assert (whole.sizes, few.sizes, parts.sizes, one.sizes) == ([10], [10], [4, 4, 2], [1] * 10)


def test_results_that_are_no_numbers_are_refused_by_row() -> None:
    good = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert check_finite(good, "probabilities") is good
    large = np.full((3, 2), 1.7e308)  # their sum is infinite, and they are not
    assert check_finite(large, "predictions") is large
    with pytest.raises(InputError, match=r"Row 2 has values.*its predictions are not finite"):
        check_finite(np.array([0.0, np.inf, np.nan]), "predictions")


def test_labels_keep_their_types() -> None:
    assert label_array(["a", "b"]).dtype.kind == "U"
    assert label_array(["a", 1]).tolist() == ["a", 1]
    assert label_array([True, 1]).dtype == object
    assert (plain_label(np.int64(3)), plain_label("a")) == (3, "a")
    assert type(plain_label(np.int64(3))) is int
