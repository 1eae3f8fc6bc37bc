import numpy as np
import pytest
from scipy import sparse as sp

from vaglio.encode import DenseEncoder, EncodedMatrix, Feature, Origin
from vaglio.errors import InputError, ModelFileError

FEATURES = (
    Feature("colour", "nominal", ("red", "green", "blue")),
    Feature("age"),
    Feature("size", "ordinal", ("S", "M", "L")),
)


def mixed():
    numeric = np.array([[20.0, 0.0], [40.0, 2.0], [np.nan, 1.0]])
    codes = np.array([[2], [-1], [0]], dtype=np.int32)
    return EncodedMatrix(FEATURES, numeric, codes)


def test_columns_follow_the_users_order():
    encoder = DenseEncoder.learn(mixed())
    assert encoder.names == ("colour=red", "colour=green", "colour=blue", "age", "size")
    assert encoder.origin[2] == Origin(0, 2)
    assert encoder.origin[3] == Origin(1, -1)
    dense = encoder.transform(mixed())
    assert dense.flags.c_contiguous
    np.testing.assert_allclose(dense[:, :3], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(dense[:, 3], [-1, 1, 0])
    np.testing.assert_allclose(dense[:, 4].std(), 1)


def test_first_category_may_be_the_reference():
    encoder = DenseEncoder.learn(mixed(), drop_first=True)
    assert encoder.names == ("colour=green", "colour=blue", "age", "size")
    np.testing.assert_allclose(encoder.transform(mixed())[:, :2], [[0, 1], [0, 0], [0, 0]])


def test_weights_count_as_repetitions():
    rng = np.random.default_rng(0)
    block = rng.normal(size=(20, 3))
    block[rng.random(block.shape) < 0.2] = np.nan
    times = rng.integers(1, 4, 20)
    weighted = DenseEncoder.learn(EncodedMatrix.from_arrays(block), times.astype(float))
    repeated = DenseEncoder.learn(EncodedMatrix.from_arrays(np.repeat(block, times, axis=0)))
    np.testing.assert_allclose(weighted.centre, repeated.centre)
    np.testing.assert_allclose(weighted.scale, repeated.scale)


@pytest.mark.parametrize("drop_first", [False, True])
@pytest.mark.parametrize(("numbers", "categories"), [(3, []), (0, [4]), (2, [3, 2]), (2, [40, 3]), (0, [50])])
def test_compact_rows_are_those_that_are_written_out(numbers, categories, drop_first):
    random = np.random.default_rng(0)
    block = random.normal(size=(100, numbers))
    block[random.random(block.shape) < 0.2] = np.nan
    codes = np.column_stack([random.integers(-1, k, 100) for k in categories] or [np.empty((100, 0))]).astype(int)
    matrix = EncodedMatrix.from_arrays(block, codes)
    encoder = DenseEncoder.learn(matrix, drop_first=drop_first)
    rows, written = encoder.compact(matrix), encoder.transform(matrix)
    assert rows.shape == written.shape
    some = random.integers(0, 100, 30)
    other = random.normal(size=(written.shape[1], 2))
    for found, expected in ((rows, written), (rows[some], written[some])):
        np.testing.assert_allclose(found @ other, expected @ other, atol=1e-12)
        np.testing.assert_array_equal(found @ np.eye(len(other)), expected)
    assert sp.issparse(rows) == (max(categories, default=0) >= 40)


def test_constant_and_empty_columns_become_zero():
    block = np.array([[7.0, np.nan], [7.0, np.nan]])
    matrix = EncodedMatrix.from_arrays(block)
    np.testing.assert_array_equal(DenseEncoder.learn(matrix).transform(matrix), np.zeros((2, 2)))


def test_the_smallest_numbers_there_are_can_be_told_apart():
    block = np.array([[0.0], [5e-324], [5e-324], [5e-324]])
    encoder = DenseEncoder.learn(EncodedMatrix.from_arrays(block))
    assert np.unique(encoder.transform(EncodedMatrix.from_arrays(block))).tolist() == [-1, 0]


def test_coefficients_return_to_original_units():
    rng = np.random.default_rng(1)
    block = rng.normal(50, [1, 20], size=(30, 2))
    matrix = EncodedMatrix.from_arrays(block, rng.integers(0, 2, (30, 1)))
    encoder = DenseEncoder.learn(matrix)
    coef, intercept = rng.normal(size=(2, encoder.width)), rng.normal(size=2)
    raw, shift = encoder.to_original_units(coef, intercept)
    onehot = np.eye(2)[matrix.codes[:, 0]]
    np.testing.assert_allclose(
        encoder.transform(matrix) @ coef.T + intercept, np.hstack([block, onehot]) @ raw.T + shift
    )


def test_without_preprocessing_numbers_pass_and_the_rest_is_refused():
    block = np.arange(6.0).reshape(3, 2)
    matrix = EncodedMatrix.from_arrays(block)
    assert DenseEncoder.learn(matrix, preprocess=None).transform(matrix) is matrix.numeric_rows
    with pytest.raises(InputError, match="colour"):
        DenseEncoder.learn(mixed(), preprocess=None)
    block[0, 0] = np.nan
    with pytest.raises(InputError, match="NaN"):
        DenseEncoder.learn(EncodedMatrix.from_arrays(block), preprocess=None)


def test_sparse_rows_stay_sparse():
    rows = sp.csr_array(np.eye(3))
    features = tuple(Feature(f"x{j}") for j in range(3))
    matrix = EncodedMatrix(features, np.empty((3, 0)), np.empty((3, 0), np.int32), sparse=rows)
    encoder = DenseEncoder.learn(matrix)
    assert encoder.transform(matrix) is rows
    coef, intercept = encoder.to_original_units(np.ones((1, 3)), np.zeros(1))
    assert coef.shape == (1, 3)
    assert intercept == [0.0]


def test_state_survives_and_nonsense_is_refused():
    encoder = DenseEncoder.learn(mixed())
    arrays, meta = encoder.to_state()
    again = DenseEncoder.from_state(arrays, meta, FEATURES)
    np.testing.assert_array_equal(again.transform(mixed()), encoder.transform(mixed()))
    for broken in (
        {**arrays, "encoder_scale": np.zeros(2)},
        {**arrays, "encoder_centre": np.zeros(5)},
        {**arrays, "encoder_fill": np.array([np.nan, 0.0])},
        {name: array.astype(np.float32) for name, array in arrays.items()},
    ):
        with pytest.raises(ModelFileError):
            DenseEncoder.from_state(broken, meta, FEATURES)
    with pytest.raises(ModelFileError):
        DenseEncoder.from_state(arrays, None, FEATURES)
