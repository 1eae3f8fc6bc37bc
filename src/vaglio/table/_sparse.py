"""Many columns that are mostly zero, kept as one compressed block."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from vaglio.table._column import Column


@dataclass(frozen=True, eq=False)
class SparseBlock:
    """Named columns held as one CSR matrix of float64.

    `asymmetric` marks presence and absence (the items of a basket): such a column reads as nominal, False or
    True; otherwise as numbers, where what is not stored is zero.

    Parameters
    ----------
    matrix : csr_array
    names : tuple of str
    asymmetric : bool, default=False
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
        if (self.names, self.asymmetric, self.matrix.shape) != (
            other.names,
            other.asymmetric,
            other.matrix.shape,
        ):
            return False
        return (self.matrix != other.matrix).nnz == 0

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _by_column(self) -> sparse.csc_array:
        return sparse.csc_array(self.matrix)

    def column(self, name: str) -> Column:
        """Unpack one column."""
        dense = self._by_column[:, [self._position[name]]].toarray().ravel()
        if not self.asymmetric:
            return Column.numeric(name, dense)
        return Column.nominal(name, dense != 0, (False, True), declared=True, asymmetric=True)

    def take(self, rows: Any) -> SparseBlock:
        """Give the block of these rows."""
        return SparseBlock(self.matrix[rows], self.names, self.asymmetric)

    def select(self, names: list[str]) -> SparseBlock | None:
        """Give the block of these columns, or None when none is left."""
        if not names:
            return None
        if tuple(names) == self.names:
            return self
        at = np.array([self._position[name] for name in names])
        return SparseBlock(self.matrix[:, at], tuple(names), self.asymmetric)
