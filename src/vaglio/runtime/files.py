"""Files that appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vaglio.errors import InputError

__all__ = ["check_writable", "replacing", "write_whole"]

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its place when the body ends well; if the body raises, nothing is left behind.

    A pipe or a device cannot be replaced by a rename: it is written to directly.

    Raises
    ------
    InputError
        When the place cannot be written.
    """
    target = Path(path)
    check_writable(target)
    beside: str | None = None
    try:
        if target.exists() and not target.is_file():
            file: IO[bytes] = target.open("wb")
        else:
            handle, beside = tempfile.mkstemp(prefix=f".{target.name[:60]}.", dir=target.parent)
            file = os.fdopen(handle, "wb")
    except OSError as error:
        raise _refusal(target, error) from error
    try:
        with file:
            yield file
            file.flush()
            if beside is not None:
                os.fsync(file.fileno())
        if beside is not None:
            os.chmod(beside, 0o666 & ~_umask())
            os.replace(beside, target)
    except BaseException as error:
        if beside is not None:
            os.unlink(beside)
        # Any other error of the body may be about another file.
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _refusal(target, error) from error
        raise


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file, whole or not at all; text as UTF-8, ending in a line break."""
    if isinstance(content, str):
        content = (content if content.endswith("\n") else content + "\n").encode()
    with replacing(path) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Say so when a file cannot be written there: to be asked before hours of work."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} cannot be written: it is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no folder {target.parent}.")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(f"{target} cannot be written: permission denied.")


def _refusal(target: Path, error: OSError) -> InputError:
    if error.errno in _NO_ROOM:
        return InputError(f"{target} was not written: the disk is full; free some space and run it again.")
    return InputError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
