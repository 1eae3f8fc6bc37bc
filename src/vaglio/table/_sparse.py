"""Many columns of which most values are zero, stored as one compressed matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from vaglio.table._column import Column


@dataclass(frozen=True, eq=False)
class SparseBlock:
    """Named columns stored as one CSR matrix of float64.

    Parameters
    ----------
    matrix : csr_array
        A value that is not stored is zero.
    names : tuple of str
        The columns.
    asymmetric : bool, default=False
        The columns say presence or absence, as the items of a basket: each is nominal, False or True. Otherwise they
        are numbers.
    """

    matrix: sparse.csr_array
    names: tuple[str, ...]
    asymmetric: bool = False
    _position: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._position.update((name, at) for at, name in enumerate(self.names))

    def __contains__(self, name: object) -> bool:
        return name in self._position

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseBlock):
            return NotImplemented
        if (self.names, self.asymmetric) != (other.names, other.asymmetric) or self.matrix.shape != other.matrix.shape:
            return False
        return bool((self.matrix != other.matrix).nnz == 0)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _by_column(self) -> sparse.csc_array:
        # Taking one column out of a CSR matrix reads the whole matrix.
        return sparse.csc_array(self.matrix)

    def column(self, name: str) -> Column:
        """Return one column, uncompressed."""
        dense = self._by_column[:, [self._position[name]]].toarray().ravel()
        if not self.asymmetric:
            return Column.numeric(name, dense)
        return Column.nominal(name, dense != 0, (False, True), declared=True, asymmetric=True)

    def row_codes(self) -> np.ndarray:
        """Return a number per row; rows with the same values have the same number."""
        matrix = self.matrix.copy()
        matrix.eliminate_zeros()
        matrix.sort_indices()
        code_of: dict[tuple[bytes, bytes], int] = {}
        starts = matrix.indptr.tolist()
        rows = (
            (matrix.indices[begin:end].tobytes(), matrix.data[begin:end].tobytes()) for begin, end in pairwise(starts)
        )
        return np.array([code_of.setdefault(row, len(code_of)) for row in rows], dtype=np.int32)

    def having(self, names: Sequence[str]) -> SparseBlock:
        """Return the block with further columns, in which every value is zero."""
        new = [name for name in names if name not in self]
        if not new:
            return self
        zeros = sparse.csr_array((self.matrix.shape[0], len(new)))
        wider = sparse.csr_array(sparse.hstack([self.matrix, zeros], format="csr"))
        return SparseBlock(wider, (*self.names, *new), self.asymmetric)

    def take(self, rows: Any) -> SparseBlock:
        """Return the block of these rows."""
        return SparseBlock(self.matrix[rows], self.names, self.asymmetric)

    def select(self, names: list[str]) -> SparseBlock | None:
        """Return the block of these columns, or None if there are none."""
        if not names:
            return None
        if tuple(names) == self.names:
            return self
        at = np.array([self._position[name] for name in names])
        return SparseBlock(self.matrix[:, at], tuple(names), self.asymmetric)
