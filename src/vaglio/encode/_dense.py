"""Encoded rows as one matrix of numbers: scaled, for linear models, networks and SVMs; or one block of counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse as sp

from vaglio import _core
from vaglio.encode._chance import shown_share
from vaglio.encode._feature import Feature
from vaglio.encode._matrix import EncodedMatrix, Ranges
from vaglio.encode._products import Products
from vaglio.errors import InputError, NotSupportedError, damaged_model_file
from vaglio.messages.message import Option, text
from vaglio.messages.options import setting

_FARTHEST = 1e100
# One-hot columns are sparse if rows have as many times fewer numbers as there are columns: each then takes more time.
_SPARSE_FROM = 8

# Without it, columns are encoded.
NO_PREPROCESSING = Option("preprocess=None", flag="--set preprocess=none")


class Origin(NamedTuple):
    """The origin of an encoded column: a feature, and the code of its category (-1 for a number)."""

    feature: int
    category: int


@dataclass(frozen=True)
class NumberRows:
    """Rows of numbers that are to be standardised and filled, for who adds them up: they are not written out.

    Attributes
    ----------
    numeric : ndarray of float64, shape (n, p)
        In either memory order; NaN is missing.
    centre, scale, fill : ndarray, shape (p,)
        As in :class:`DenseEncoder`.
    """

    numeric: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    fill: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        n, p = self.numeric.shape
        return n, p

    def __getitem__(self, rows: np.ndarray) -> NumberRows:
        return replace(self, numeric=self.numeric[rows])

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.written @ other
        return product

    @cached_property
    def written(self) -> np.ndarray:
        """The standardised rows, in C order."""
        fill = (self.fill - self.centre) / self.scale
        if (np.abs(self.centre) > _FARTHEST).any():
            # The difference of two numbers near the largest there is would be infinite.
            return _core.standardised(
                self.numeric / self.scale, self.centre / self.scale, np.ones_like(self.scale), fill
            )
        return _core.standardised(self.numeric, self.centre, self.scale, fill)


@dataclass(frozen=True)
class DenseEncoder:
    """One-hot categories, standardised numbers, imputed missing values; learned from the training rows, then fixed.

    Parameters
    ----------
    features : tuple of Feature
        The columns, in the order of the user.
    centre, scale : ndarray, shape (p,)
        Each column of the numeric block is encoded as (x − centre) / scale; 0 and 1 leave numbers unchanged.
    fill : ndarray, shape (p,)
        The value that replaces a missing number, in its own unit; NaN if missing numbers are refused.
    drop_first : bool
        Leave out the first category of every nominal feature: the others are then compared with it. The columns of a
        full one-hot block add up to 1, as the intercept, and without a penalty the coefficients are not unique.
    as_is : bool
        Numbers pass unchanged; categories and missing values are refused.
    reliability : ndarray, shape (q,), or None
        How far each column of the code block is believed (:mod:`vaglio.encode._chance`): below one half, indicators are
        lower than 1, and a column of 0 is left out. None believes all.
    products : Products or None
        Products of powers of the numeric block, in its own units: further numbers, whose encoded columns come last.
        Centre, scale and fill go on with theirs.

    Notes
    -----
    A missing or unseen category is a row of zeros in its one-hot block: no category's coefficient applies. So is the
    absence of an asymmetric feature, which has a column for presence only.

    Examples
    --------
    >>> import numpy as np
    >>> from vaglio.encode import DenseEncoder, EncodedMatrix
    >>> rows = EncodedMatrix.from_arrays(numeric=[[1.0], [3.0], [np.nan]], codes=[[0], [1], [-1]])
    >>> DenseEncoder.learn(rows).transform(rows).tolist()
    [[-1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    features: tuple[Feature, ...]
    centre: np.ndarray
    scale: np.ndarray
    fill: np.ndarray
    drop_first: bool = False
    as_is: bool = False
    reliability: np.ndarray | None = None
    products: Products | None = None

    @classmethod
    def learn(
        cls,
        matrix: EncodedMatrix,
        weight: np.ndarray | None = None,
        preprocess: str | None = "auto",
        drop_first: bool = False,
        look: bool = True,
        reliability: np.ndarray | None = None,
        degree: int = 1,
    ) -> DenseEncoder:
        """Learn centre and scale from the training rows.

        Parameters
        ----------
        matrix : EncodedMatrix
            The training rows.
        weight : ndarray, optional
            How often each row counts.
        preprocess : {"auto", None}
            None leaves numbers unchanged, and refuses categories and missing values.
        drop_first : bool, default=False
            Leave out the first category of every nominal feature.
        look : bool, default=True
            Check that numbers that pass unchanged are finite. A learner that notices by itself that they are not
            finite saves this pass over the data, and calls :meth:`refuse_nonfinite` when it does.
        reliability : ndarray, optional
            How far each column of the code block is believed.
        degree : int, default=1
            Above 1, the products of up to so many numbers are columns too.
        """
        if matrix.text:
            name = matrix.features[next(iter(matrix.text))].name
            raise NotSupportedError(
                "text-in-partial-fit",
                "Column {column!r} is free text, whose words are selected from all rows. Use fit instead of "
                "partial_fit, or MultinomialNB, which counts every word.",
                column=name,
            )
        if degree > 1 and matrix.sparse is not None:
            raise NotSupportedError(
                "products-of-sparse-rows", "Products of columns need dense rows. Set {one}.", one=setting("degree", 1)
            )
        products = Products.up_to(degree, matrix.numeric.shape[1], least=2) if degree > 1 else None
        p = matrix.numeric.shape[1] + (0 if products is None else len(products.powers))
        if preprocess is None or matrix.sparse is not None:
            encoder = cls(matrix.features, np.zeros(p), np.ones(p), np.full(p, np.nan), as_is=True, products=products)
            encoder._refuse_nominal(matrix)
            if look:
                encoder.refuse_nonfinite(matrix)
            return encoder
        centre, scale = weighted_moments(matrix.numeric, weight, matrix.ranges)
        if products is not None:
            block = products(matrix.numeric)
            more = weighted_moments(block, weight, Ranges.of(block, matrix.threads))
            centre, scale = np.append(centre, more[0]), np.append(scale, more[1])
        if reliability is not None and (reliability == 1).all():
            reliability = None
        return cls(
            matrix.features, centre, scale, centre.copy(), drop_first, reliability=reliability, products=products
        )

    @cached_property
    def origin(self) -> tuple[Origin, ...]:
        """Origin of each encoded column, in the user's column order; of products the first factor."""
        if self.products is None:
            return self._plain
        numbers = [j for j, feature in enumerate(self.features) if feature.in_numeric_block]
        return *self._plain, *(Origin(numbers[int(np.argmax(line > 0))], -1) for line in self.products.powers)

    @cached_property
    def _plain(self) -> tuple[Origin, ...]:
        """Origin of each column that is no product."""
        if not self._nominal:
            return tuple(Origin(j, -1) for j in range(len(self.features)))
        columns: list[Origin] = []
        left_out = self._left_out
        for j, feature in enumerate(self.features):
            if j in left_out:
                continue
            codes = range(len(feature.categories)) if feature.is_nominal else (-1,)
            columns += [Origin(j, code) for code in codes if not feature.is_nominal or code != self._dropped(feature)]
        return tuple(columns)

    @cached_property
    def _left_out(self) -> frozenset[int]:
        """The features that have no columns."""
        return frozenset(j for j, r in zip(self._nominal, self.heights_of_codes) if r == 0)

    @cached_property
    def _nominal(self) -> list[int]:
        return [j for j, feature in enumerate(self.features) if feature.is_nominal]

    @cached_property
    def heights_of_codes(self) -> np.ndarray:
        """The indicator of a category, for each column of the code block."""
        return np.ones(len(self._nominal)) if self.reliability is None else shown_share(self.reliability)

    @cached_property
    def heights(self) -> np.ndarray:
        """What each encoded column holds at most: the indicator of a category, 1 for a number."""
        place = {j: q for q, j in enumerate(self._nominal)}
        return np.array([1.0 if code < 0 else self.heights_of_codes[place[j]] for j, code in self.origin])

    def _dropped(self, feature: Feature) -> int | None:
        """Return the category without a column: of an asymmetric feature the one that means absence."""
        if feature.asymmetric and feature.default is not None:
            return feature.default
        return 0 if self.drop_first else None

    @property
    def width(self) -> int:
        """Number of encoded columns."""
        return len(self.origin)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each encoded column: the feature's, with its category if it has one."""
        plain = tuple(
            self.features[j].name if code < 0 else f"{self.features[j].name}={self.features[j].categories[code]}"
            for j, code in self._plain
        )
        if self.products is None:
            return plain
        return plain + self.products.names(tuple(f.name for f in self.features if f.in_numeric_block))

    def by_feature(self, values: np.ndarray) -> np.ndarray:
        """Add up the values of each feature's encoded columns; that of a product is divided among its factors."""
        plain = len(self._plain)
        owner = np.array([column.feature for column in self._plain], dtype=np.int64)
        sums = np.bincount(owner, weights=values[:plain], minlength=len(self.features))
        if self.products is not None:
            numbers = [j for j, feature in enumerate(self.features) if feature.in_numeric_block]
            sums[numbers] += values[plain:] @ self.products.shares
        return sums

    def with_products(self, numeric: np.ndarray) -> np.ndarray:
        """Return a block of numbers in the units of the table with its products, if there are any."""
        return numeric if self.products is None else np.hstack([numeric, self.products(numeric)])

    @cached_property
    def numeric_columns(self) -> np.ndarray:
        """Encoded column of each column of the numeric block."""
        return np.array([i for i, (_, code) in enumerate(self.origin) if code < 0], dtype=np.int64)

    @cached_property
    def columns_of_codes(self) -> list[np.ndarray]:
        """Encoded column of each category of each column of the code block; -1, also at the end, for none."""
        at = {origin: column for column, origin in enumerate(self.origin)}
        return [
            np.array([*(at.get(Origin(j, code), -1) for code in range(len(feature.categories))), -1])
            for j, feature in enumerate(self.features)
            if feature.is_nominal
        ]

    def transform(self, matrix: EncodedMatrix, look: bool = True) -> np.ndarray | sp.csr_array:
        """Return rows as a C-ordered float64 matrix, or the sparse matrix itself if the rows are sparse.

        Parameters
        ----------
        matrix : EncodedMatrix
        look : bool, default=True
            As in :meth:`learn`.
        """
        if self.as_is:
            self._refuse_nominal(matrix)
            if look:
                self.refuse_nonfinite(matrix)
            return matrix.sparse if matrix.sparse is not None else self.with_products(matrix.numeric_rows)
        block = self._numbers(self.with_products(matrix.numeric)).written
        if self.numeric_columns.size == self.width:
            return block
        out = np.zeros((matrix.n_rows, self.width))
        out[:, self.numeric_columns] = block
        for q, columns in enumerate(self.columns_of_codes):
            column = columns[matrix.codes[:, q]]  # the code -1 of a missing value finds the last entry
            rows = np.flatnonzero(column >= 0)
            out[rows, column[rows]] = self.heights_of_codes[q]
        return out

    def compact(self, matrix: EncodedMatrix) -> NumberRows | np.ndarray | sp.csr_array:
        """Return what :meth:`transform` does in the form that takes least: numbers alone are not written out.

        Of one-hot columns of many categories only the ones are written, in a sparse matrix.
        """
        if self.as_is or self.products is not None:
            return self.transform(matrix)
        if not self._nominal:
            return self._numbers(matrix.numeric)
        filled = matrix.numeric.shape[1] + len(self._nominal)
        return self.transform(matrix) if filled * _SPARSE_FROM > self.width else self._sparse(matrix)

    def _sparse(self, matrix: EncodedMatrix) -> sp.csr_array:
        numbers = self._numbers(matrix.numeric).written
        n, p = numbers.shape
        columns = np.empty((n, p + matrix.codes.shape[1]), dtype=np.int64)
        values = np.empty(columns.shape)
        columns[:, :p], values[:, :p] = self.numeric_columns, numbers
        for q, of_codes in enumerate(self.columns_of_codes):
            columns[:, p + q], values[:, p + q] = of_codes[matrix.codes[:, q]], self.heights_of_codes[q]
        present = columns >= 0
        starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        found = sp.csr_array((values[present], columns[present], starts), shape=(n, self.width))
        found.sort_indices()
        return found

    def _numbers(self, numeric: np.ndarray) -> NumberRows:
        return NumberRows(numeric, self.centre, self.scale, self.fill)

    def to_original_units(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and intercept for the numbers of the table, instead of the standardised ones.

        Parameters
        ----------
        coef : ndarray, shape (k, width)
            One row per output.
        intercept : ndarray, shape (k,)
        """
        coef = np.array(coef, dtype=np.float64)
        if self.reliability is not None:
            coef *= self.heights
        if not self.centre.size:
            return coef, np.array(intercept, dtype=np.float64)
        coef[:, self.numeric_columns] /= self.scale
        return coef, intercept - coef[:, self.numeric_columns] @ self.centre

    def to_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return arrays and JSON for the model file; the features are the codebook's."""
        arrays = {"encoder_centre": self.centre, "encoder_scale": self.scale, "encoder_fill": self.fill}
        if self.reliability is not None:
            arrays["encoder_reliability"] = self.reliability
        if self.products is not None:
            arrays["encoder_powers"] = self.products.powers
        return arrays, {"drop_first": self.drop_first, "as_is": self.as_is}

    @classmethod
    def from_state(cls, arrays: dict[str, np.ndarray], meta: Any, features: tuple[Feature, ...]) -> DenseEncoder:
        """Rebuild from a model file, trusting nothing in it."""
        flags = (meta.get("drop_first"), meta.get("as_is")) if isinstance(meta, dict) else (None, None)
        if not all(isinstance(flag, bool) for flag in flags):
            raise damaged_model_file(text("the encoding of its columns is not readable"))
        p = sum(feature.in_numeric_block for feature in features)
        if flags[1] and p < len(features):
            raise damaged_model_file(text("columns that are used as they are must be numeric"))
        products = Products.from_array(arrays["encoder_powers"], p) if "encoder_powers" in arrays else None
        p += 0 if products is None else len(products.powers)
        parts = []
        for name in ("encoder_centre", "encoder_scale", "encoder_fill"):
            part = arrays.get(name)
            if part is None or part.dtype != np.float64 or part.shape not in ((p,), (0,)):
                raise damaged_model_file(text("the array {array!r} does not fit the columns", array=name))
            parts.append(part)
        centre, scale, fill = parts
        if not (centre.shape == scale.shape == fill.shape and (centre.size == p or flags[1])):
            raise damaged_model_file(text("the encoding does not fit the columns"))
        sound = np.isfinite(centre).all() and np.isfinite(scale).all() and (scale > 0).all()
        if not sound or not (flags[1] or np.isfinite(fill).all()):
            raise damaged_model_file(text("the encoding holds invalid numbers"))
        believed = arrays.get("encoder_reliability")
        if believed is not None:
            fits = believed.dtype == np.float64 and believed.shape == (sum(f.is_nominal for f in features),)
            if not fits or flags[1] or not ((believed >= 0) & (believed <= 1)).all():
                raise damaged_model_file(text("the encoding does not fit the nominal columns"))
        return cls(features, centre, scale, fill, bool(flags[0]), bool(flags[1]), believed, products)

    @staticmethod
    def _refuse_nominal(matrix: EncodedMatrix) -> None:
        if matrix.codes.shape[1]:
            name = matrix.features[int(matrix.nominal_features[0])].name
            raise InputError(
                "nominal-without-preprocessing",
                "Column {column!r} is nominal, but with {none} the columns of X are used as they are. Encode it as "
                "numbers first, or set {auto}.",
                column=name,
                none=NO_PREPROCESSING,
                auto=setting("preprocess", "auto"),
            )

    def refuse_nonfinite(self, matrix: EncodedMatrix) -> None:
        """Raise an error if numbers that pass unchanged hold NaN or infinity."""
        if self.as_is and not matrix.all_finite:
            raise InputError(
                "not-finite-without-preprocessing",
                "X contains NaN or infinity, and with {none} or a sparse X nothing is imputed. Fill the missing "
                "values first, or set {auto}.",
                none=NO_PREPROCESSING,
                auto=setting("preprocess", "auto"),
            )


def within_reach(rows: Any, compute: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Compute values from encoded rows; where they overflow, again from rows whose numbers end at 1e100.

    Beyond that a number is far away from every training row, and how far makes no difference; but infinite values of
    two signs would add up to no number at all. The values are looked at and not the rows, which are many more.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        values = compute(rows)
        if np.isfinite(values.sum()) or np.isfinite(values).all():
            return values
        rows = rows.written if isinstance(rows, NumberRows) else rows
        if sp.issparse(rows):
            rows = rows.copy()
            rows.data = np.clip(rows.data, -_FARTHEST, _FARTHEST)
        else:
            rows = np.clip(rows, -_FARTHEST, _FARTHEST)
        return compute(rows)


def weighted_moments(block: np.ndarray, weight: np.ndarray | None, ranges: Ranges) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of each column without its missing values; a deviation of 0 becomes 1."""
    largest = np.fmax(np.fmax(-ranges.low, ranges.high), 0.0)  # NaN: a column without numbers
    unsquarable = (largest > _FARTHEST) | ((largest < 1 / _FARTHEST) & (largest > 0))
    if unsquarable.any():
        # The squares of such numbers would be infinite, or 0; times a power of two, their moments lose nothing.
        unit = np.ldexp(1.0, np.where(unsquarable, np.frexp(largest)[1] - 1, 0))
        near = replace(ranges, low=ranges.low / unit, high=ranges.high / unit)
        mean, deviation = weighted_moments(block / unit, weight, near)
        # Of the smallest numbers there are, the deviation would be rounded to 0.
        return mean * unit, np.maximum(deviation * unit, np.nextafter(0.0, 1.0))
    mean, variance = _core.column_moments(block, weight)
    deviation = np.sqrt(variance)
    # The deviation of a constant column is a rounding error, which must not be scaled up to 1.
    constant = deviation <= 1e-12 * np.maximum(np.abs(mean), np.finfo(float).tiny)
    return mean, np.where(constant | ~np.isfinite(deviation), 1.0, deviation)


@dataclass(frozen=True)
class CountBlock:
    """A block of counts, and which cells of the table are missing.

    Attributes
    ----------
    values : ndarray or csr_array, shape (n, W)
        Zero where missing.
    missing : ndarray of bool, shape (n, n_features), or None
        Cells of the table that are missing; None when none is.
    """

    values: Any
    missing: np.ndarray | None


def count_columns(features: tuple[Feature, ...]) -> tuple[list[str], np.ndarray]:
    """Return the name of each column of the block, and the index of the feature it belongs to."""
    names: list[str] = []
    owner: list[int] = []
    # The only column of a table of texts needs no name before each word.
    texts = sum(feature.kind == "text" for feature in features)
    for j, feature in enumerate(features):
        if feature.kind == "text":
            prefix = f"{feature.name}: " if texts > 1 or texts < len(features) else ""
            own = [f"{prefix}{word}" for word in feature.categories]
        elif feature.is_nominal and feature.default is None:
            own = [f"{feature.name}={category}" for category in feature.categories]
        else:
            own = [feature.name]
        names += own
        owner += [j] * len(own)
    return names, np.array(owner, dtype=np.int64)


def count_block(matrix: EncodedMatrix) -> CountBlock:
    """Return the block, in the order of the user's columns; sparse if the rows are sparse, nominal or text."""
    if matrix.sparse is not None:
        return CountBlock(matrix.sparse, None)
    lacking = matrix.has_missing or any(text is None for strings in matrix.text.values() for text in strings)
    missing = matrix.missing if lacking else None
    if not matrix.text and not matrix.nominal_features.size:
        values = matrix.numeric if missing is None else np.nan_to_num(matrix.numeric)
        return CountBlock(values, missing)
    parts = [_columns_of(matrix, j) for j in range(matrix.n_features)]
    return CountBlock(sp.csr_array(sp.hstack(parts, format="csr")), missing)


def _columns_of(matrix: EncodedMatrix, j: int) -> sp.csr_array:
    feature = matrix.features[j]
    if feature.kind == "text":
        return matrix.word_counts(j)
    if feature.is_nominal:
        codes = matrix.codes[:, matrix.position[j]]
        if feature.default is not None:
            return sp.csr_array(((codes >= 0) & (codes != feature.default)).astype(np.float64)[:, None])
        rows = np.flatnonzero(codes >= 0)
        shape = (matrix.n_rows, len(feature.categories))
        return sp.csr_array((np.ones(len(rows)), (rows, codes[rows])), shape=shape)
    return sp.csr_array(np.nan_to_num(matrix.numeric[:, [matrix.position[j]]]))
