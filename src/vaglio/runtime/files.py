"""Files that appear whole or not at all: written under another name in the same folder, then renamed.

A program that reads a model or a table while it is written again sees the old file or the new one, never half of one.
The file keeps its permissions, and a symbolic link stays one: what it points to is replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vaglio.errors import InputError
from vaglio.runtime.leftovers import remove_leftovers, temporary_name
from vaglio.runtime.overwriting import refuse_overwriting

__all__ = ["check_writable", "replacing", "write_whole"]

# Disk full, quota exceeded, file larger than the file system allows. Not every system has all three.
_NO_ROOM = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))


@contextmanager
def replacing(path: str | os.PathLike[str], kind: str | None = None) -> Iterator[IO[bytes]]:
    """Open a file that replaces the one at `path` when the body ends well; if the body raises, nothing changes.

    A pipe or a device cannot be replaced by a rename: it is written to directly.

    Parameters
    ----------
    path : path-like
        The final name.
    kind : str, optional
        What is written, as in :func:`check_writable`.

    Raises
    ------
    InputError
        When no file can be written there.
    """
    target = Path(path)
    check_writable(target, kind)
    direct = target.exists() and not target.is_file()
    # The other end of a link is replaced, and not the link: whoever set it wants the file there.
    final = Path(os.path.realpath(target)) if target.is_symlink() and not direct else target
    written = target if direct else temporary_name(final)
    try:
        # Not tempfile.mkstemp: its files are private, and the usual permissions can be known only by changing the umask
        # of the whole process for a moment. Exclusive creation ("x") gives the usual permissions on every system.
        file = written.open("wb" if direct else "xb")
    except OSError as error:
        raise _refusal(target, error) from error
    try:
        with file:
            if not direct:
                _keep_permissions(file, final)
            yield file
            file.flush()
            if not direct:
                # Without this, a power cut just after the rename may leave an empty file under the final name.
                os.fsync(file.fileno())
        if not direct:
            _rename(written, final)
    except BaseException as error:
        if not direct:
            written.unlink()
        # Any other error of the body may be about another file.
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _refusal(target, error) from error
        raise
    if not direct:
        remove_leftovers(final.parent)


def write_whole(path: str | os.PathLike[str], content: bytes | str, kind: str | None = None) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path : path-like
        Where.
    content : bytes or str
        Text is written as UTF-8 and ends in a line break.
    kind : str, optional
        What is written, as in :func:`check_writable`.
    """
    if isinstance(content, str):
        # Half of a surrogate pair, as in a name of a damaged table, has no bytes in UTF-8.
        content = (content if content.endswith("\n") else content + "\n").encode(errors="backslashreplace")
    with replacing(path, kind) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str], kind: str | None = None) -> None:
    """Raise an InputError if no file can be written at `path`. Long work calls this before it starts.

    Parameters
    ----------
    path : path-like
        The place of the file to be written later.
    kind : str, optional
        What is written: a command refuses to replace a file of another kind. By default as the suffix says.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} cannot be written: it is a folder; name a file in it.")
    folder = Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent
    if not folder.is_dir():
        raise InputError(f"{target} cannot be written: there is no folder {folder}.")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise InputError(f"{target} cannot be written: permission denied.")
    refuse_overwriting(target, kind)


def _keep_permissions(file: IO[bytes], old: Path) -> None:
    """Give the new file the permissions of the old one, before anything is in it."""
    try:
        before = old.stat()
    except OSError:
        return  # there is no old one
    if hasattr(os, "fchown"):
        # Only the administrator may keep the owner, and a user only groups of his own.
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            with contextlib.suppress(OSError):
                os.fchown(file.fileno(), owner, group)
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))


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
