"""Hashes of training rows in the model file: whether a test set shares rows with the training set can be asked later.

A file keeps 24 bits for each of at most a thousand rows, in no order, salted by the fingerprint of the training rows.
So few bits belong to countless possible rows: no row can be read back from them.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.runtime.seeds import row_hash

__all__ = ["MOST_ROWS", "RowSketch", "hash_rows", "sketched"]

# Rows of which a file keeps the hash; of a wide table fewer, as ``learners.provenance`` decides.
MOST_ROWS = 1000
_BYTES = 3
# Values that are hashed at a time.
_MOST_CELLS = 1 << 20
# One bit pattern for all NaN, which have many.
_MISSING = np.uint64(0x7FF8000000000000)


@dataclass(frozen=True)
class RowSketch:
    """Hashes of some of the training rows.

    Attributes
    ----------
    rows : int
        Number of training rows.
    salt : int
    hashes : ndarray of uint32
        Sorted; rows that occur twice are in it twice.
    """

    rows: int
    salt: int
    hashes: np.ndarray

    @classmethod
    def from_training(cls, training: object) -> RowSketch | None:
        """Rebuild from what a model file says of its training, trusting nothing in it; None if there is no sketch.

        Parameters
        ----------
        training : object
        """
        if not isinstance(training, dict):
            return None
        rows, printed, kept = (training.get(name) for name in ("rows", "fingerprint", "hashes"))
        if type(rows) is not int or not isinstance(printed, str) or not isinstance(kept, str):
            return None
        if not 0 < len(kept) <= 4 * MOST_ROWS:
            return None
        try:
            salt, packed = int(printed, 16), base64.b64decode(kept, validate=True)
        except (binascii.Error, ValueError):
            return None
        if len(packed) % _BYTES or not len(packed) // _BYTES <= rows:
            return None
        three = np.frombuffer(packed, dtype=np.uint8).reshape(-1, _BYTES).astype(np.uint32)
        return cls(rows, salt & 0xFFFFFFFFFFFFFFFF, np.sort(three @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)))

    def knows(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return which rows have the hash of a row of the sketch.

        Parameters
        ----------
        matrix : EncodedMatrix
        """
        return np.isin(hash_rows(matrix, self.salt), self.hashes)

    @property
    def repeated(self) -> float:
        """Expected share, among new rows like these, of rows that equal one of the sketch by chance.

        It is the share of rows of the sketch that another one equals, and never 0: that none is seen proves nothing.
        """
        _, counts = np.unique(self.hashes, return_counts=True)
        return float((counts[counts > 1].sum() + 1) / (len(self.hashes) + 1))


def sketched(matrix: EncodedMatrix, fingerprint: str) -> dict[str, str]:
    """Return the hashes of rows as the model file keeps them.

    Parameters
    ----------
    matrix : EncodedMatrix
    fingerprint : str
        Hexadecimal; the salt.
    """
    hashes = np.sort(hash_rows(matrix, int(fingerprint, 16))).astype(">u4")
    packed = hashes.view(np.uint8).reshape(-1, 4)[:, 4 - _BYTES :]
    return {"hashes": base64.b64encode(packed.tobytes()).decode()} if len(hashes) else {}


def hash_rows(matrix: EncodedMatrix, salt: int) -> np.ndarray:
    """Return a hash of 24 bits per row; rows of equal values have equal ones, whatever their order.

    Parameters
    ----------
    matrix : EncodedMatrix
    salt : int
    """
    blocks = [matrix.numeric, matrix.codes, *([] if matrix.sparse is None else [_of_sparse(matrix.sparse)])]
    blocks += [_of_text(strings) for _, strings in sorted(matrix.text.items())]
    total = np.zeros(matrix.n_rows, dtype=np.uint64)
    first = 0
    for block in blocks:
        keys = row_hash(np.arange(first, first + block.shape[1]), salt)
        first += block.shape[1]
        step = max(1, _MOST_CELLS // max(1, block.shape[1]))
        for begin in range(0, len(block), step):
            part = slice(begin, begin + step)
            total[part] += row_hash(_bits(block[part]) ^ keys, 0).sum(axis=1, dtype=np.uint64)
    return (row_hash(total, salt) >> np.uint64(40)).astype(np.uint32)


def _bits(block: np.ndarray) -> np.ndarray:
    """Return the values as 64-bit integers that are equal when the values are equal."""
    if block.dtype != np.float64:
        return block.astype(np.int64).view(np.uint64)
    bits = (np.ascontiguousarray(block) + 0.0).view(np.uint64)  # −0.0 + 0.0 is +0.0
    bits[np.isnan(block)] = _MISSING
    return bits


def _of_text(strings: np.ndarray) -> np.ndarray:
    found = [zlib.crc32(str(each).encode("utf-8", "surrogatepass")) for each in strings.tolist()]
    return np.array(found, dtype=np.int64).reshape(-1, 1)


def _of_sparse(block: Any) -> np.ndarray:
    """Return one column: the sum of the hashes of the cells of each row that are not zero."""
    cells = row_hash(_bits(block.data.astype(np.float64)[:, None])[:, 0] ^ row_hash(block.indices, 1), 0)
    cells[block.data == 0] = 0
    ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(cells, dtype=np.uint64)])
    found: np.ndarray = ends[block.indptr[1:]] - ends[block.indptr[:-1]]
    return found.view(np.int64).reshape(-1, 1)
