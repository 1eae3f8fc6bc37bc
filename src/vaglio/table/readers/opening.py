"""Open a path, a pipe or an open file and read its bytes: no more than allowed, and every failure as one sentence."""

from __future__ import annotations

import contextlib
import gzip
import io
import mmap
import os
import stat
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from vaglio.errors import ReadError
from vaglio.messages.sentences import listed, near_names
from vaglio.runtime.threads import resolve_threads
from vaglio.table.readers.capacity import Limits

# Bytes read at a time: large enough that the loop costs nothing, small beside the limits.
_BLOCK = 1 << 20
# Bytes from which threads share the reading of a file, and those that one of them reads at a time.
_LARGE = 1 << 22
_PART = 1 << 21
# Seconds to wait for a program that writes into a named pipe.
_PATIENCE = 10.0


def open_file(path: Path) -> Any:
    """Open a file or a pipe for reading; what is neither is refused by name."""
    name = str(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise ReadError(f"{name} is a directory: name one file in it.")
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise ReadError(f"{name} is a device, not a file: name a file, or - for standard input.")
        return _open_pipe(name) if stat.S_ISFIFO(mode) else path.open("rb")
    except FileNotFoundError:
        raise ReadError(_absent(path)) from None
    except PermissionError:
        raise ReadError(f"{name} may not be read by this user: change its permissions.") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{name!r} cannot be opened ({_reason(error)}): check the path.") from None


def _absent(path: Path) -> str:
    if path.is_symlink():
        return f"{path} is a link to {os.readlink(path)}, which does not exist: correct the link."
    return f"there is no file {path}: check the path ({_neighbours(path)})."


def _neighbours(path: Path) -> str:
    try:
        # A folder may hold thousands of files: they are not listed when no name is near.
        near = near_names(path.name, os.listdir(path.parent))
    except OSError:
        return f"the folder {path.parent} does not exist either"
    return f"did you mean {listed(near, last='or')}?" if near else f"it was looked for in {path.parent.resolve()}"


class _Pipe(io.RawIOBase):
    """A pipe of which the first bytes were read already."""

    def __init__(self, handle: int, first: bytes) -> None:
        self._file = os.fdopen(handle, "rb", buffering=0)
        self._first = first

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if not self._first:
            return self._file.readinto(buffer)
        part, self._first = self._first[: len(buffer)], self._first[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_pipe(name: str) -> Any:
    """Open a named pipe without waiting for ever for a program that writes into it."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            first = os.read(handle, 1 << 16)
        except BlockingIOError:  # somebody has opened it and will write: wait as long as that takes
            first = b""
            break
        if first:
            break
        if time.monotonic() > end:
            os.close(handle)
            raise ReadError(f"{name} is a pipe that no program writes into: start that program first.")
        time.sleep(0.01)
    os.set_blocking(handle, True)
    return io.BufferedReader(_Pipe(handle, first))


def read_file(file: Any, name: str, limits: Limits) -> Any:
    """Read a file opened by :func:`open_file` to its end: a regular one whole, a pipe up to the limit of bytes.

    The bytes of a large file are a block of memory that is searched and cut like bytes.
    """
    try:
        size = regular_size(file)
        if not size:  # a pipe, or a file of the system that does not tell its size
            return _bounded(file, name, limits)
        # Read, not mapped: a mapped file that another program cuts short kills the process that looks at it.
        data = file.read(size) if size < _LARGE or not hasattr(os, "preadv") else _read_in_parts(file, size)
    except OSError as error:
        raise ReadError(f"{name} cannot be read ({_reason(error)}): try again, or copy it first.") from None
    if len(data) < size:
        raise ReadError(f"{name} became shorter while it was read: try again when it has been written.")
    return data


def _read_in_parts(file: Any, size: int) -> Any:
    """Read a large file on all threads into fresh memory, of huge pages if there are any; b"" if it became shorter."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a wish
            memory.madvise(mmap.MADV_HUGEPAGE)

    def read_part(start: int) -> bool:
        stop = min(start + _PART, size)
        with memoryview(memory) as view:
            while start < stop and (count := os.preadv(file.fileno(), [view[start:stop]], start)):
                start += count
        return start == stop

    with ThreadPoolExecutor(resolve_threads(-1)) as pool:
        return memory if all(pool.map(read_part, range(0, size, _PART))) else b""


def read_open(file: Any, name: str, limits: Limits) -> bytes:
    """Read what an open file or standard input still holds, text or bytes, up to the limit of bytes."""
    try:
        if regular_size(file):
            content = file.read()
            return content.encode() if isinstance(content, str) else bytes(content)
        return _bounded(file, name, limits)
    except UnicodeError as error:
        raise ReadError(f"{name} is not valid text ({_reason(error)}): open it in binary mode.") from None
    except (OSError, ValueError, TypeError) as error:
        raise ReadError(f"{name} cannot be read ({_reason(error)}): open it for reading.") from None


def regular_size(file: Any) -> int:
    """Return the size of a regular file; 0 of anything else."""
    try:
        state = os.fstat(file.fileno())
    except (AttributeError, OSError, ValueError):
        return 0
    return state.st_size if stat.S_ISREG(state.st_mode) else 0


def _bounded(file: Any, name: str, limits: Limits) -> bytes:
    out = io.BytesIO()
    while part := file.read(_BLOCK):
        out.write(part.encode() if isinstance(part, str) else part)
        limits.check_bytes(name, out.tell(), at_least=True)
    return out.getvalue()


def unpack(data: bytes, name: str, limits: Limits) -> bytes:
    """Unpack gzip, up to the limit of bytes."""
    try:
        return _bounded(gzip.GzipFile(fileobj=io.BytesIO(data)), name, limits)
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"{name} is gzip but damaged ({error}): download it again.") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
