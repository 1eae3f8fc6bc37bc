"""What does not fit in memory, on disk: arrays in plain files that are removed at the end."""

from __future__ import annotations

import errno
import math
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from vaglio.engines.raw import RawChunk
from vaglio.errors import InputError

Arrays = dict[str, np.ndarray]


class Spill:
    """Arrays by name, in memory up to a limit and on disk beyond it.

    Parameters
    ----------
    room : int
        Bytes that may stay in memory.
    folder : Path or None
        Where a folder for the files is made; None is that of temporary files.
    """

    def __init__(self, room: int, folder: Path | None = None) -> None:
        self._limit = self._room = room
        self._parent = folder
        self._folder: Path | None = None
        self._held: dict[str, Arrays] = {}
        self._lock = threading.Lock()
        self.written = 0

    @classmethod
    def at(cls, folder: Path) -> Spill:
        """Return what another process keeps in a folder, to be read."""
        found = cls(0)
        found._folder = folder
        return found

    @property
    def folder(self) -> Path | None:
        """The folder of the files, if there are any."""
        return self._folder

    def put(self, name: str, arrays: Arrays) -> None:
        """Keep arrays under a name, in place of those that were kept under it."""
        size = _size(arrays)
        with self._lock:
            self._room += _size(self._held.pop(name, {}))
            stays = size <= self._room
            if stays:
                self._room -= size
                self._held[name] = arrays
        if not stays:
            self._write(self._path(name), arrays)

    def shrink(self, room: int) -> None:
        """Write what does not stay within so many bytes, from now on."""
        with self._lock:
            self._room += room - self._limit
            self._limit = room
            leaving = []
            while self._room < 0 and self._held:
                name, arrays = self._held.popitem()
                self._room += _size(arrays)
                leaving.append((name, arrays))
        while leaving:
            name, arrays = leaving.pop()
            self._write(self._path(name), arrays)

    def get(self, name: str) -> Arrays:
        """Return the arrays of a name."""
        held = self._held.get(name)
        if held is not None:
            return held
        with self._path(name).open("rb") as file:
            names = np.load(file, allow_pickle=False)
            return {str(each): np.load(file, allow_pickle=False) for each in names}

    def take(self, name: str, rows: np.ndarray) -> Arrays:
        """Return some rows of the arrays of a name; of a file, only the pages that have them are read."""
        held = self._held.get(name)
        if held is not None:
            return {each: array[rows] for each, array in held.items()}
        with self._path(name).open("rb") as file:
            names = np.load(file, allow_pickle=False)
            return {str(each): _mapped(file)[rows] for each in names}

    def close(self) -> None:
        """Remove everything."""
        self._held.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _path(self, name: str) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = self._made()
            return self._folder / name

    def _made(self) -> Path:
        try:
            if self._parent is not None:
                self._parent.mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(prefix="vaglio-", dir=self._parent))
        except OSError as error:
            raise InputError(
                "folder-what-does-fit",
                "No folder for what does not fit in memory can be made in {value} ({strerror}): name "
                "another with spill=, or TMPDIR.",
                value=self._parent or tempfile.gettempdir(),
                strerror=error.strerror,
            ) from None

    def _write(self, path: Path, arrays: Arrays) -> None:
        fresh = path.with_suffix(".new")
        try:
            with fresh.open("wb") as file:
                np.save(file, np.array(list(arrays)), allow_pickle=False)
                for array in arrays.values():
                    np.save(file, array, allow_pickle=False)
            fresh.replace(path)
        except OSError as error:
            # NumPy says that less was written than asked for, and not why.
            full = error.errno in (None, errno.ENOSPC, errno.EDQUOT)
            why = "the disk is full" if full else error.strerror
            raise InputError(
                "what-does-fit-memory",
                "What does not fit in memory cannot be written to {parent} ({why}, after {written} "
                "MB): name a folder with more room with spill= (or TMPDIR), or give more memory.",
                parent=path.parent,
                why=why,
                written=self.written >> 20,
            ) from None
        with self._lock:
            self.written += _size(arrays)


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())


def _mapped(file: BinaryIO) -> np.ndarray:
    """Return the next array of a file without reading it, and go on behind it."""
    np.lib.format.read_magic(file)
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    start, size = file.tell(), math.prod(shape) * dtype.itemsize
    array = np.memmap(file, dtype, "r", start, shape, "F" if by_columns else "C") if size else np.empty(shape, dtype)
    file.seek(start + size)  # mapping moves to the end
    return array


def packed(raw: RawChunk) -> tuple[Arrays, dict[str, Any]]:
    """Return a chunk as arrays, and what else it has."""
    arrays = {"y": raw.y, **{f"x{j}": column for j, column in enumerate(raw.columns)}}
    if raw.weight is not None:
        arrays["weight"] = raw.weight
    rest = {
        "features": raw.features,
        "looks": raw.looks,
        "declared": raw.declared,
        "labels": raw.labels,
        "place": raw.place,
        "n_rows": raw.n_rows,
    }
    return arrays, rest


def unpacked(arrays: Arrays, rest: dict[str, Any]) -> RawChunk:
    """Return the chunk again."""
    columns = tuple(arrays[f"x{j}"] for j in range(len(rest["features"])))
    told = rest["declared"], rest["labels"], arrays["y"], arrays.get("weight"), rest["place"]
    return RawChunk(rest["features"], columns, rest["looks"], *told)
