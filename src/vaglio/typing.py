"""Types for annotations: what vaglio accepts as rows, columns, seeds and estimators.

Importing this module imports no other library. The aliases are strings, which type checkers resolve.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import os

    import numpy as np
    from narwhals.typing import IntoFrame, IntoSeries

    from vaglio.model.costs import CostMatrix, UnitCost
    from vaglio.table import ScannedColumn, ScannedTable, Table

__all__ = [
    "ClassWeight",
    "ColumnLike",
    "CostLike",
    "CrossValidation",
    "Estimator",
    "LearnerLike",
    "Learners",
    "MonotonicConstraints",
    "Predictor",
    "Priors",
    "RandomState",
    "SequenceNotStr",
    "SparseLike",
    "Splitter",
    "SupportsArray",
    "TableLike",
    "TableSource",
]


Item = TypeVar("Item", covariant=True)


class SupportsArray(Protocol):
    """What NumPy makes an array of: arrays, frames, series, tensors."""

    def __array__(self) -> np.ndarray: ...


class SequenceNotStr(Protocol[Item]):
    """A sequence other than a string, which is a sequence of strings: no string contains any object."""

    def __getitem__(self, index: int, /) -> Item: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Item]: ...


class SparseLike(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def nnz(self) -> int: ...
    def tocsr(self, copy: bool = ...) -> Any: ...


class Predictor(Protocol):
    """What predicts: an estimator, a loaded model."""

    # A property, because pipelines and searches have a descriptor here, which is not a method to a type checker.
    @property
    def predict(self) -> Any: ...


class Estimator(Predictor, Protocol):
    """scikit-learn's interface, as far as functions that train an estimator need it."""

    def fit(self, X: Any, y: Any, /) -> Any: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...


class Splitter(Protocol):
    """A cross-validator, such as those of scikit-learn."""

    def split(self, X: Any, y: Any, groups: Any = ..., /) -> Iterator[tuple[Any, Any]]: ...
    def get_n_splits(self, X: Any, y: Any, groups: Any, /) -> int: ...


# Rows and columns of values. No strings: a path where rows are expected is a common mistake.
TableLike: TypeAlias = "Table | ScannedTable | IntoFrame | SupportsArray | SparseLike | SequenceNotStr[Any]"
ColumnLike: TypeAlias = "ScannedColumn | IntoSeries | SupportsArray | SequenceNotStr[Any]"

# Where a table comes from: as above, columns by name, or a file.
TableSource: TypeAlias = "TableLike | Mapping[str, Any] | str | os.PathLike[str] | IO[str] | IO[bytes]"
# What errors cost: a matrix, the cost of each (true, predicted) pair, or a file; for numbers, a unit of error.
CostLike: TypeAlias = (
    "CostMatrix | UnitCost | SupportsArray | SequenceNotStr[Any] | Mapping[tuple[Any, Any], float] "
    "| Mapping[str, float] | str | os.PathLike[str]"
)
# A learner by its id, or as an estimator, either with the values to try of its parameters.
LearnerLike: TypeAlias = "str | Estimator | tuple[str | Estimator, Mapping[str, Any]]"
Learners: TypeAlias = "str | Estimator | SequenceNotStr[LearnerLike] | Mapping[str, LearnerLike] | None"

CrossValidation: TypeAlias = "int | Splitter | Iterable[tuple[Any, Any]] | None"
RandomState: TypeAlias = "int | np.integer[Any] | np.random.RandomState | None"

# Parameters that several estimators have.
ClassWeight: TypeAlias = "dict[Any, float] | dict[Any, int] | Literal['balanced'] | None"
MonotonicConstraints: TypeAlias = "Sequence[int] | SupportsArray | dict[str, int] | None"
Priors: TypeAlias = "Sequence[float] | SupportsArray | dict[Any, float] | Literal['equal'] | None"
