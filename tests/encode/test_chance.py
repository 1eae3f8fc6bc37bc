"""How much of what a nominal column of many values tells is beyond chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaglio.encode import DenseEncoder, EncodedMatrix, learn_reliability, reliability


def _matrix(codes: np.ndarray) -> EncodedMatrix:
    return EncodedMatrix.from_arrays(numeric=np.zeros((len(codes), 1)), codes=codes.reshape(-1, 1))


def test_noise_is_not_believed_and_a_column_of_ten_values_always() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 400)
    found = [learn_reliability(_matrix(random.integers(0, 100, 400)), y, None, 3, 0.0)[0] for _ in range(100)]
    assert np.mean(np.array(found) > 0) <= 0.06  # one in forty is expected
    assert max(found) < 0.3
    assert learn_reliability(_matrix(random.integers(0, 10, 400)), y, None, 3, 0.0)[0] == 1
    assert learn_reliability(_matrix(random.integers(0, 100, 400)), y, None, 3, None)[0] == 1


@pytest.mark.parametrize("rows_per_value", [5, 20, 80])
def test_reliability_is_the_factor_of_empirical_bayes(rows_per_value: int) -> None:
    """Means of n rows around means of variance t² are shrunk by n / (n + 1/t²); r is a little below."""
    random = np.random.default_rng(rows_per_value)
    values, t = 400, 0.5
    codes = np.repeat(np.arange(values), rows_per_value)
    y = random.normal(size=values, scale=t)[codes] + random.normal(size=len(codes))
    matrix = _matrix(codes)
    found = learn_reliability(matrix, y, None, 0, 0.0)[0]
    assert found == pytest.approx((rows_per_value - 1) / (rows_per_value + 1 / t**2), abs=0.1)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), factor=st.sampled_from([0.25, 3.0, 1e6]))
def test_only_proportions_of_weights_count(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    codes, y, weight = random.integers(0, 20, 100), random.integers(0, 2, 100), random.uniform(0.5, 2, 100)
    table = np.zeros((20, 2))
    np.add.at(table, (codes, y), weight)
    squares = np.bincount(codes, weight**2, minlength=20)
    assert reliability(factor * table, factor**2 * squares) == pytest.approx(reliability(table, squares), abs=1e-9)


def test_a_row_drawn_twice_is_believed_as_one_row() -> None:
    random = np.random.default_rng(3)
    codes, y = random.integers(0, 60, 240), random.integers(0, 2, 240)
    matrix, drawn = _matrix(codes), random.multinomial(240, np.full(240, 1 / 240)).astype(float)
    counts = drawn > 0
    by_weight = learn_reliability(matrix.take(counts), y[counts], drawn[counts], 2, 0.0)[0]
    assert by_weight == 0


def test_a_table_of_nothing_else_keeps_its_columns() -> None:
    codes = np.arange(60).reshape(-1, 1)
    matrix = EncodedMatrix.from_arrays(codes=codes)
    assert learn_reliability(matrix, np.arange(60) % 2, None, 2, 0.0).tolist() == [1.0]


def test_indicators_are_lower_where_less_than_half_is_believed_and_coefficients_say_what_counts() -> None:
    matrix = EncodedMatrix.from_arrays(numeric=[[1.0], [3.0]], codes=[[0, 1, 0], [1, 0, 1]])
    encoder = DenseEncoder.learn(matrix, reliability=np.array([0.2, 0.7, 0.0]))
    assert encoder.names == ("x0", "x1=0", "x1=1", "x2=0", "x2=1")
    assert encoder.transform(matrix).tolist() == [[-1, 0.4, 0, 0, 1], [1, 0, 0.4, 1, 0]]
    coef, intercept = encoder.to_original_units(np.ones((1, 5)), np.zeros(1))
    assert coef.tolist() == [[1.0, 0.4, 0.4, 1.0, 1.0]]
    assert intercept.tolist() == [-2.0]
    arrays, meta = encoder.to_state()
    again = DenseEncoder.from_state(arrays, meta, matrix.features)
    assert again.transform(matrix).tolist() == encoder.transform(matrix).tolist()
