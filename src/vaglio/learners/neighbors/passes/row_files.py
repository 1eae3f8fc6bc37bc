"""The stored rows of a model that did not fit in memory: files in the spill folder, removed with the model."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.engines.passes import Chunk
from vaglio.engines.spill import Spill
from vaglio.errors import InputError
from vaglio.learners.neighbors.estimators.column_scale import BLOCK
from vaglio.learners.neighbors.model.neighbors_outside import RowPart, refuse_outside
from vaglio.runtime.memory import resident_memory, usable_memory

# What a model file takes while it is written and checked, in copies of the rows.
_COPIES = 4
_NAMES = ("numeric", "codes", "target", "weight")


class RowFiles:
    """Rows in files of about the same size.

    A copy that is sent to another process reads the same files, if it can see them; they belong to the process that
    wrote them.

    Parameters
    ----------
    folder : Path or None
        Where a folder for the files is made; None is that of temporary files.
    part_bytes : int
        What the rows of one file may take in memory.
    """

    def __init__(self, folder: Path | None, part_bytes: int) -> None:
        self._spill = Spill(0, folder)
        self._part_bytes = part_bytes
        self._lengths: list[int] = []
        self._waiting: list[tuple[np.ndarray, ...]] = []
        self._remover = weakref.finalize(self, _remove, self._spill, os.getpid())

    @property
    def n_rows(self) -> int:
        """Number of rows that are written."""
        return sum(self._lengths)

    def add(self, chunk: Chunk) -> None:
        """Write rows that follow those that were given before."""
        matrix = chunk.matrix
        weight = np.empty((chunk.n_rows, 0)) if chunk.weight is None else chunk.weight[:, None]
        self._waiting.append((matrix.numeric_rows, matrix.code_rows, chunk.y, weight))
        width = matrix.numeric.shape[1] * 8 + matrix.codes.shape[1] * 4 + 16
        rows = max(1, self._part_bytes // width // BLOCK) * BLOCK
        if sum(len(each[2]) for each in self._waiting) >= rows:
            joined = self._joined()
            full = len(joined[2]) // rows * rows
            for start in range(0, full, rows):
                self._write(tuple(array[start : start + rows] for array in joined))
            if full < len(joined[2]):
                self._waiting.append(tuple(array[full:].copy() for array in joined))

    def finish(self) -> None:
        """Write what is left."""
        if self._waiting:
            self._write(self._joined())

    def _joined(self) -> tuple[np.ndarray, ...]:
        joined = tuple(np.concatenate(arrays) for arrays in zip(*self._waiting))
        self._waiting.clear()
        return joined

    def _write(self, arrays: tuple[np.ndarray, ...]) -> None:
        self._spill.put(f"part-{len(self._lengths)}", dict(zip(_NAMES, arrays)))
        self._lengths.append(len(arrays[2]))

    def parts(self) -> Iterator[RowPart]:
        """Read all rows, part by part."""
        start = 0
        for at, length in enumerate(self._lengths):
            try:
                arrays = self._spill.get(f"part-{at}")
            except FileNotFoundError as error:
                raise InputError(
                    f"The rows of this model were in {Path(error.filename).parent}, which is not here: they are "
                    "removed with the model that was trained, and other machines do not see them."
                ) from None
            numeric, codes, target, weight = (arrays[name] for name in _NAMES)
            yield RowPart(start, numeric, codes, target, weight.ravel())
            start += length

    def refuse_together(self, what: str) -> None:
        """Raise an error if the memory of the machine does not hold all rows together, as ``what`` needs them."""
        first = next(self.parts())
        of_one = sum(array.nbytes for array in (first.numeric, first.codes, first.target, first.weight))
        needed = _COPIES * of_one * self.n_rows // max(1, len(first.target))
        free = usable_memory() - resident_memory()
        if needed > free:
            refuse_outside(what, f", which takes about {needed >> 20} MB and {free >> 20} MB are free")

    def close(self) -> None:
        """Remove the files."""
        self._remover()

    def __deepcopy__(self, memo: Any) -> RowFiles:
        return self  # the rows do not change any more

    def __reduce__(self) -> Any:
        return _elsewhere, (self._spill.folder, self._lengths)


def _elsewhere(folder: Path, lengths: list[int]) -> RowFiles:
    """Return rows that another process wrote and will remove."""
    found = RowFiles.__new__(RowFiles)
    found._spill, found._lengths = Spill.at(folder), lengths
    return found


def _remove(spill: Spill, owner: int) -> None:
    if os.getpid() == owner:  # not when a forked copy of the process ends
        spill.close()
