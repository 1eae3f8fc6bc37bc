"""Files that appear whole or not at all: written under another name in the same folder, then renamed.

A program that reads a model or a table while it is written again sees the old file or the new one, never half of one.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vaglio.errors import InputError

__all__ = ["check_writable", "replacing", "write_whole"]

# Disk full, quota exceeded, file larger than the file system allows. Not every system has all three.
_NO_ROOM = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))
# A file name may have 255 bytes; this leaves room for the random part even where a letter takes four bytes.
_LONGEST_NAME = 50


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that replaces the one at `path` when the body ends well; if the body raises, nothing changes.

    A pipe or a device cannot be replaced by a rename: it is written to directly.

    Parameters
    ----------
    path : path-like
        The final name.

    Raises
    ------
    InputError
        When no file can be written there.
    """
    target = Path(path)
    check_writable(target)
    direct = target.exists() and not target.is_file()
    written = target if direct else target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(6)}")
    try:
        # Not tempfile.mkstemp: its files are private, and the usual permissions can be known only by changing the umask
        # of the whole process for a moment. Exclusive creation ("x") gives the usual permissions on every system.
        file = written.open("wb" if direct else "xb")
    except OSError as error:
        raise _refusal(target, error) from error
    try:
        with file:
            yield file
            file.flush()
            if not direct:
                # Without this, a power cut just after the rename may leave an empty file under the final name.
                os.fsync(file.fileno())
        if not direct:
            _rename(written, target)
    except BaseException as error:
        if not direct:
            written.unlink()
        # Any other error of the body may be about another file.
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _refusal(target, error) from error
        raise


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : path-like
        Where.
    content : bytes or str
        Text is written as UTF-8 and ends in a line break.
    """
    if isinstance(content, str):
        content = (content if content.endswith("\n") else content + "\n").encode()
    with replacing(path) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if no file can be written at `path`. Long work calls this before it starts.

    Parameters
    ----------
    path : path-like
        The place of the file to be written later.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} cannot be written: it is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no folder {target.parent}.")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(f"{target} cannot be written: permission denied.")


def _rename(written: Path, target: Path) -> None:
    try:
        written.replace(target)
    except OSError as error:
        # Windows refuses to replace a file that another program has open.
        raise _refusal(target, error) from error


def _refusal(target: Path, error: OSError) -> InputError:
    if error.errno in _NO_ROOM:
        return InputError(f"{target} was not written: the disk is full; free some space and run it again.")
    return InputError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}.")
