"""From what the user gives to what a learner takes: encoded rows, class codes, weights."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from numbers import Number
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np
from scipy import sparse as sp
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d, validate_data

from vaglio import _core
from vaglio.encode import Codebook, EncodedMatrix, Feature, Ranges, learn_reliability
from vaglio.engines.passes import Pass, TableSummary
from vaglio.engines.row_samples import EncodedRows, gather_rows
from vaglio.errors import InputError, as_own_errors
from vaglio.learners.monotonicity import with_ordered_booleans
from vaglio.learners.plain_arrays import distinct_labels, is_plain, plainly_sound
from vaglio.messages.sentences import clip
from vaglio.runtime.scikit_learn import check_sample_weight
from vaglio.table import Table
from vaglio.typing import ColumnLike, TableLike

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator
    from vaglio.learners.forest.estimators.forest_imputer import ForestImputer

# pandas.NA and pandas.NaT, by name: neither equals itself, but one says so with an error.
_MISSING_TYPES = ("NAType", "NaTType")
# What a product and a quotient of doubles may be off by, relatively.
_ROUNDING = 1e-14
# The least sum of weights that are taken as they are given: their squares, and what is divided by them, stay numbers.
_LEAST_TOTAL = 1e-100
# Proportions beyond this are not taken for whole numbers: their rounding could not be told from a fraction.
_LARGEST_MULTIPLE = 2.0**26
# Squares of larger numbers may overflow in a sum of many, and squares of their reciprocals vanish.
LARGEST_TO_SQUARE = 1e145
# Numbers between two to minus this power and two to it have squares whose sums are numbers.
_FAR = 400
# A sparse matrix is written out in full up to so many cells: 128 MB.
_MOST_CELLS = 1 << 24


def check_X(
    estimator: VaglioEstimator | ForestImputer, X: TableLike, reset: bool, look: bool = True, single: bool = False
) -> Any:
    """Check the rows as scikit-learn does, and return them as a frame, Table, float64 array or CSR matrix.

    Frames and Tables keep their types; whatever else holds only numbers becomes a float64 array, without a copy
    where it is one already; other arrays (words in an object array) are left to the table room. With ``look=False``
    an array is not searched for infinite numbers: someone else has looked. With ``single=True`` an array of
    float32 stays one.
    """
    single = single and isinstance(X, np.ndarray) and X.dtype == np.float32
    if plainly_sound(estimator, X, reset, look, np.float32 if single else np.float64):
        return X
    if isinstance(X, Table):
        _check_names(estimator, X, reset)
        _refuse_empty(X.shape, estimator)
        return X
    if nw.dependencies.is_into_dataframe(X):
        _check_names(estimator, X, reset)
        _refuse_empty(X.shape, estimator)
        return X
    if isinstance(X, list) and X and isinstance(X[0], dict):
        return check_X(estimator, Table.from_any(X), reset)
    if _has_words(X):
        if not hasattr(X, "dtype"):  # as an array of strings, a list of rows would lose which columns are numbers
            X = _object_rows(X)
        with as_own_errors():
            return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
    with as_own_errors():
        X = validate_data(
            estimator,
            X,
            reset=reset,
            dtype=np.float32 if single else np.float64,
            accept_sparse="csr" if estimator._accepts_sparse or estimator._writes_out_sparse else False,
            ensure_all_finite="allow-nan" if look else False,
            ensure_min_samples=1,
        )
    return X if not sp.issparse(X) or estimator._accepts_sparse else _written_out(X, estimator)


def check_with_ranges(estimator: VaglioEstimator, X: Any, reset: bool) -> tuple[Any, Ranges | None]:
    """Check the rows likewise; one pass over an array says whether it is sound, and the range of each column."""
    ranges = Ranges.of(X, estimator._threads()) if is_plain(X) else None
    # A learner that refuses infinite numbers by itself says more about them.
    notices = getattr(estimator, "_notices_nonfinite", None)
    look = (ranges is None or not ranges.bounded) and not (notices is not None and notices())
    return check_X(estimator, X, reset, look=look), ranges


def _check_names(estimator: VaglioEstimator | ForestImputer, X: Any, reset: bool) -> None:
    """Note the names of the columns of a Table or frame, or compare them with those noted, as scikit-learn does."""
    names = tuple(X.columns)
    if names and all(type(name) is str for name in names):
        if reset:
            estimator.feature_names_in_, estimator.n_features_in_ = np.array(names, dtype=object), len(names)
            return
        if tuple(getattr(estimator, "feature_names_in_", ())) == names:
            return
    if isinstance(X, Table):
        X = nw.from_dict({name: [] for name in names}, backend="pyarrow").to_native()
    with as_own_errors():
        validate_data(estimator, X, reset=reset, skip_check_array=True)


def _written_out(X: Any, estimator: VaglioEstimator | ForestImputer) -> np.ndarray:
    """Return a sparse matrix with all its zeros, for a learner that reads every cell."""
    rows, columns = X.shape
    if rows * columns > _MOST_CELLS:
        raise InputError(
            "sparse-too-large",
            "{name} reads every cell of X, and this sparse matrix of {rows} x {columns} has too "
            "many. Select columns, or use a learner for sparse rows such as LogisticRegression, "
            "MultinomialNB or SVC.",
            name=type(estimator).__name__,
            rows=rows,
            columns=columns,
        )
    dense: np.ndarray = X.toarray()
    return dense


def _has_words(X: Any) -> bool:
    """Whether an array-like holds anything but numbers: words, or dates."""
    if sp.issparse(X):
        return False
    dtype = getattr(X, "dtype", None)
    if dtype is None:
        try:
            X = np.asarray(X)
        except ValueError:  # ragged: scikit-learn's own check says what is wrong
            return False
        dtype = X.dtype
    kind = getattr(dtype, "kind", None)
    if not isinstance(kind, str):  # no array: scikit-learn's own check says what is wrong
        return False
    if kind in "USMm":
        return True
    if kind != "O":
        return False
    if X.ndim != 2:  # the check of its shape is to come before that of its values
        return True
    try:
        X.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


def _object_rows(X: TableLike) -> Any:
    """Return rows of different types as an array of objects; what has not two dimensions is returned as it is."""
    rows = np.array(X, dtype=object)
    return rows if rows.ndim == 2 else X


def _refuse_empty(shape: tuple[int, int], estimator: VaglioEstimator | ForestImputer) -> None:
    rows, columns = shape
    if columns == 0:
        raise InputError(
            "no-columns",
            "Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.",
            shape=shape,
        )
    if rows == 0:
        raise InputError(
            "no-rows",
            "Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.",
            shape=shape,
        )


def check_labels(y: ColumnLike, estimator: VaglioEstimator | ForestImputer) -> tuple[np.ndarray, np.ndarray]:
    """Return the class labels and the code of each row's class."""
    _refuse_no_target(y, estimator)
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "iub":
        y = _one_column(y, estimator)
    with as_own_errors():
        if y.dtype.kind == "f":
            check_array(y, ensure_2d=False, input_name="y")
        found = distinct_labels(y)
        if found is not None and len(found[0]) <= len(y) // 2:
            return found
        if y.dtype.kind == "O":
            _refuse_objects(y)
        # scikit-learn refuses numbers that are not whole, and warns where nearly every row is a class of its own.
        check_classification_targets(y)
        return np.unique(y, return_inverse=True)


def _refuse_no_target(y: ColumnLike | None, estimator: VaglioEstimator | ForestImputer) -> None:
    if y is None:
        raise InputError(
            "target-required",
            "This {name} estimator requires y to be passed, but the target y is None.",
            name=type(estimator).__name__,
        )


def _refuse_objects(y: np.ndarray) -> None:
    """Raise an error if a label is missing, is neither text nor a number, or if labels are of both kinds."""
    first: dict[bool, Any] = {}
    for row, label in enumerate(y.tolist(), 1):
        if label is None or type(label).__name__ in _MISSING_TYPES or (isinstance(label, Number) and label != label):
            raise _no_class()
        if not isinstance(label, (str, bytes, Number)):
            raise InputError(
                "target-type",
                "Unknown label type: y has {label} ({type}) in row {row:,}. Classes are text, integers or booleans; "
                "convert the labels first.",
                label=clip(repr(label), 40),
                type=type(label).__name__,
                row=row,
            )
        first.setdefault(isinstance(label, (str, bytes)), label)
    if len(first) > 1:
        _refuse_mixed(first[True], first[False])


def _no_class() -> InputError:
    return InputError("missing-target", "Input y contains NaN. Remove the rows without a class.")


def _refuse_mixed(word: Any, number: Any) -> NoReturn:
    raise InputError(
        "target-mixed",
        "y contains both text ({word!r}) and numbers ({number}). Use one type for all classes, for example all text.",
        word=word,
        number=str(number),
    )


def check_numbers(y: Any, estimator: VaglioEstimator | ForestImputer) -> np.ndarray:
    """Return the target numbers."""
    _refuse_no_target(y, estimator)
    plain = type(y) is np.ndarray and y.ndim == 1 and len(y) > 0
    if plain and (y.dtype.kind in "iub" or (y.dtype == np.float64 and np.isfinite(y).all())):
        return np.ascontiguousarray(y, dtype=np.float64)
    y = _one_column(y, estimator)
    if y.dtype.kind in "OUS":
        _refuse_words(y, estimator)
    with as_own_errors():
        numbers: np.ndarray = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    return numbers


def _refuse_words(y: np.ndarray, estimator: VaglioEstimator | ForestImputer) -> None:
    for row, value in enumerate(y):
        try:
            float("nan" if value is None else value)
        except (TypeError, ValueError):
            raise InputError(
                "target-not-number",
                "y has {value!r} in row {row:,}, which is not a number. {name} predicts numbers; use a "
                "classifier for classes.",
                value=str(value),
                row=row + 1,
                name=type(estimator).__name__,
            ) from None


def _one_column(y: ColumnLike, estimator: VaglioEstimator | ForestImputer) -> np.ndarray:
    values = plain_series(y)
    if values.dtype.kind in "mM":
        raise InputError(
            "target-dates",
            "y contains dates or times. Convert them to text to predict them as classes, or to numbers.",
        )
    if values.dtype.kind == "U" and isinstance(y, (list, tuple)):  # where NumPy has made texts of numbers
        numbers = [label for label in y if isinstance(label, Number)]
        if any(number != number for number in numbers):
            raise _no_class()
        if numbers:
            _refuse_mixed(next(label for label in y if isinstance(label, str)), numbers[0])
    if values.ndim == 2 and values.shape[1] > 1:
        raise InputError(
            "target-not-one-column",
            "y should be a 1d array, got an array of shape {shape} instead. {name} learns one "
            "target. Train one estimator per column (sklearn.multioutput does), or use a tree, a "
            "forest, neighbours or a network from vaglio.sklearn, which learn several columns at "
            "once.",
            shape=values.shape,
            name=type(estimator).__name__,
        )
    with as_own_errors():
        column: np.ndarray = column_or_1d(values, warn=True)
    return column


def plain_series(y: ColumnLike) -> Any:
    """Return a polars or pyarrow column as an array; pandas and NumPy pass as they are."""
    if hasattr(y, "to_numpy") and not hasattr(y, "iloc"):
        y = y.to_numpy() if not hasattr(y, "to_pylist") else np.asarray(y.to_pylist())
    with as_own_errors():  # ragged lists
        return np.asarray(y)


def check_same_length(*arrays: Any) -> None:
    """Raise an error if arrays have different numbers of rows."""
    with as_own_errors():
        check_consistent_length(*arrays)


def check_weight(sample_weight: ColumnLike | None, X: TableLike, n: int) -> np.ndarray | None:
    """Return the row weights, or None when all rows count alike."""
    if sample_weight is None:
        return None
    with as_own_errors():
        weight: np.ndarray = check_sample_weight(
            sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True
        )
    if not weight.any():
        raise InputError(
            "zero-sample-weights", "All sample weights are zero. At least one row must have a positive weight."
        )
    return weight


def with_largest_near_one(weight: np.ndarray) -> np.ndarray:
    """Divide by the power of two that brings the largest weight into [0.5, 1): no sum can overflow, no bit is lost."""
    scaled: np.ndarray = np.ldexp(weight, -int(np.frexp(weight.max())[1]))
    return scaled


def in_whole_proportions(weight: np.ndarray) -> np.ndarray:
    """Return positive weights as whole numbers if they are multiples of the least, else times a power of two.

    Weights times a power of two give the same bits, and so do weights in whole proportions times any factor.
    """
    weight = with_largest_near_one(weight)
    whole = whole_multiples(weight, weight.min(), weight.max())
    return weight if whole is None else whole


def whole_multiples(weight: np.ndarray, least: float, largest: float) -> np.ndarray | None:
    """Return how many times the least of all weights each of these is; None where one is not, or the largest too often.

    Parameters
    ----------
    weight : ndarray of float64
        Some of the weights, positive.
    least, largest : float
        Of all weights.
    """
    exponent = -int(np.frexp(largest)[1])
    if not np.ldexp(least, exponent) * _LARGEST_MULTIPLE > 1:
        return None
    multiple = weight / least
    whole: np.ndarray = np.rint(multiple)
    return whole if (np.abs(multiple - whole) <= _ROUNDING * multiple).all() else None


def scaled_to_rows(weight: np.ndarray) -> np.ndarray | None:
    """Scale positive weights so that they sum to the number of rows; None when all rows count alike."""
    weight = in_whole_proportions(weight)
    # The sum is rounded once: rows out of core have the same, in parts of any size.
    return None if (weight == weight[0]).all() else weight * (len(weight) / math.fsum(weight))


def gathered_rows(facts: TableSummary) -> Generator[Pass, Any, EncodedRows]:
    """Ask for all rows out of core; return them, and their weights, as a training in memory has them."""
    rows = yield from gather_rows(facts)
    if rows.weight is None or not facts.scales_weights:
        return rows
    return replace(rows, weight=scaled_to_rows(with_largest_near_one(rows.weight)))


def within_range(weight: np.ndarray) -> np.ndarray:
    """Return weights that are taken as they are given; their sum must be a number that can be computed with."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not _LEAST_TOTAL <= total <= 1 / _LEAST_TOTAL:
        raise InputError(
            "sample-weights-scale",
            "The sample weights add up to {total:.3g}, too far from 1 to compute with. Multiply all "
            "of them by a constant.",
            total=total,
        )
    return weight


def refuse_numbers_without_squares(names: Sequence[str], low: np.ndarray, high: np.ndarray) -> None:
    """Raise an error if a column has no variance that can be computed with: its numbers are too large or too near."""
    wrong = np.flatnonzero(without_squares(low, high))
    if wrong.size:
        j = int(wrong[0])
        raise InputError(
            "numbers-without-squares",
            "Column {column!r} has numbers from {low:.3g} to {high:.3g}, whose squares are beyond what can be "
            "computed with. Multiply the column by a constant, or remove rows with errors.",
            column=names[j],
            low=float(low[j]),
            high=float(high[j]),
        )


def without_squares(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the columns, given their ranges, of which a sum of squared deviations may be infinite, or vanish."""
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low
    found: np.ndarray = (np.fmax(-low, high) > LARGEST_TO_SQUARE) | ((width > 0) & (width < 1 / LARGEST_TO_SQUARE))
    return found


def rows_that_count(X: Any, counts: np.ndarray) -> Any:
    """Return some rows of what :func:`check_X` returned."""
    if isinstance(X, Table):
        return X.take(np.flatnonzero(counts))
    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X, eager_only=True).filter(counts.tolist()).to_native()
    return X[counts]


def learn_column_reliability(
    estimator: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """Return how far an estimator with the parameter ``high_cardinality`` believes each nominal column, and note it."""
    classes = len(getattr(estimator, "classes_", ()))
    found = learn_reliability(matrix, y, weight, classes, estimator.high_cardinality)
    note_reliability(estimator, matrix.features, dict(zip(matrix.nominal_features.tolist(), found.tolist())))
    return found


def learn_whole_reliability(
    estimator: Any, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """Return the same for a learner that believes a column wholly or not at all: 0 where it would mislead.

    What the values seem to tell is what they tell plus chance. Taken as it is, it is off by chance; left out, by what
    they tell. So a column that is beyond chance is taken if it tells at least as much as the mean of chance.

    A condition of a rule cannot count in part. A round of boosting is judged, and the next one corrected, on the rows
    that it was fitted to: many values fit these too well, so that a column believed in part would be believed more with
    every round. A network that adapts the step of every weight learns from a low indicator as fast as from a high one.
    """
    found = learn_column_reliability(estimator, matrix, y, weight)
    if (found == 1).all():
        return found
    classes = len(getattr(estimator, "classes_", ()))
    on_average = learn_reliability(matrix, y, weight, classes, estimator.high_cardinality, deviations=0)
    whole = np.where(on_average < 0.5, 0.0, found)
    # A model needs something to go by.
    return whole if whole.any() or matrix.n_features > len(whole) else found


def believed_columns(
    estimator: VaglioEstimator, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """Return the columns for a learner that believes a column wholly or not at all."""
    doubtful = matrix.nominal_features[learn_whole_reliability(estimator, matrix, y, weight) == 0]
    return np.setdiff1d(np.arange(matrix.n_features), doubtful)


def note_reliability(estimator: Any, features: Sequence[Feature], found: Mapping[int, float]) -> None:
    """Set ``reliability_`` to what was found of the columns that are not wholly believed, by feature."""
    estimator.reliability_ = {features[j].name: float(r) for j, r in found.items() if r < 1}


def class_factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return the factor of each class; rows of weight 0 have no part in what "balanced" balances."""
    if weight is not None:
        codes, weight = codes[weight > 0], weight[weight > 0]
    if class_weight == "balanced_subsample":  # of a forest whose trees see all rows
        class_weight = "balanced"
    present = np.unique(codes) if isinstance(class_weight, str) else np.arange(len(classes))
    factors = np.ones(len(classes))
    with as_own_errors():
        factors[present] = compute_class_weight(
            class_weight, classes=classes[present], y=classes[codes], sample_weight=weight
        )
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise InputError(
            "invalid-class-weight",
            "class_weight has a negative or infinite weight. Give each class a number of at least 0.",
        )
    return factors


def encoded_rows(estimator: VaglioEstimator, X: TableLike) -> tuple[Codebook, EncodedMatrix]:
    """Learn the codebook of training rows, and encode them; booleans that are bound are ordered."""
    codebook, matrix = Codebook.of_rows(X, getattr(estimator, "unseen", "missing"))
    if getattr(estimator, "monotonic_cst", None) is None:
        return codebook, matrix
    ordered = with_ordered_booleans(estimator, codebook)
    return (codebook, matrix) if ordered is codebook else (ordered, ordered.encode(X))


def _deviation(column: np.ndarray, weight: np.ndarray | None) -> float:
    return math.sqrt(float(_core.column_moments(column, weight)[1][0]))


class Unit:
    """Where a column of numbers lies, and how far it spreads: numbers in this unit have a deviation of 1.

    Parameters
    ----------
    power : int
        Numbers times two to this power are neither near the largest nor near the smallest there are.
    spread : float
    """

    def __init__(self, power: int, spread: float) -> None:
        self.power, self.spread = power, spread

    @classmethod
    def of(cls, y: np.ndarray, weight: np.ndarray | None) -> Unit:
        column = y[:, None]
        ranges = Ranges.of(column, 1)
        largest = max(-float(ranges.low[0]), float(ranges.high[0]), 0.0)
        power = -math.frexp(largest)[1]
        # Most numbers have squares that are numbers as they are: then their variance need not wait for a copy.
        if abs(power) > _FAR:
            spread = _deviation(np.ldexp(column, power), weight)
        else:
            spread = math.ldexp(_deviation(column, weight), power)
        return cls(power, spread if spread > 1e-14 else 1.0)

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Return numbers in this unit."""
        found: np.ndarray = np.ldexp(values, self.power) / self.spread
        return found

    def back(self, values: np.ndarray) -> np.ndarray:
        """Return numbers of this unit in that of the table."""
        with np.errstate(over="ignore", under="ignore"):
            found: np.ndarray = np.ldexp(values * self.spread, -self.power)
        return found
