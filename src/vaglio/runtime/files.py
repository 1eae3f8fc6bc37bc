"""Files that appear whole or not at all, and files that a command must not overwrite.

A file is written under another name in the same folder and then renamed: a program that reads a model or a table while
it is written again sees the old file or the new one, never half of one. The file keeps its permissions, and a symbolic
link stays one: what it points to is replaced. A process that is killed cannot clean up after itself, so the name of an
unfinished file says which process writes it, and the next file written in the folder removes those whose process is
gone.

In Python a program names the file it writes, and means it. On the command line a wrong order of two names, or a name
completed by the shell, is enough to replace a table by a model: there the files that the command reads, and files of
another kind than the one it writes, are protected.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vaglio.errors import InputError
from vaglio.messages.message import text

__all__ = [
    "check_writable",
    "protect",
    "replacing",
    "temporary_name",
    "write_whole",
]

# A file name may have 255 bytes; this leaves room for the other parts even where a letter takes four bytes.
_LONGEST_NAME = 45
_UNFINISHED = re.compile(r"\..*\.vaglio-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}", re.DOTALL)
# Where the system cannot be asked for a process, a file this old has none.
_ABANDONED_SECONDS = 24 * 3600
# Suffix -> the kind of file that is written under it. Other suffixes may hold anything.
_KINDS = {
    ".vaglio": "model",
    ".html": "page",
    ".htm": "page",
    ".svg": "drawing",
    ".png": "PNG picture",
    ".pdf": "PDF document",
    ".parquet": "Parquet table",
    ".pq": "Parquet table",
    ".feather": "Arrow table",
    ".arrow": "Arrow table",
    ".gz": "packed file",
    ".json": "JSON text",
    **dict.fromkeys((".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".rules", ".sql", ".py", ".tex"), "plain text"),
}
# The first bytes of a file -> its kind.
_BEGINNINGS = {
    b"PAR1": "Parquet table",
    b"ARROW1": "Arrow table",
    b"\x89PNG": "PNG picture",
    b"%PDF": "PDF document",
    b"PK\x03\x04": "Excel table or archive",
    b"\x1f\x8b": "packed file",
}
# What messages call the kinds.
_KIND_WORDS = {
    "model": text("a model"),
    "page": text("a page"),
    "drawing": text("a drawing"),
    "PNG picture": text("a PNG picture"),
    "PDF document": text("a PDF document"),
    "Parquet table": text("a Parquet table"),
    "Arrow table": text("an Arrow table"),
    "Excel table or archive": text("an Excel table or an archive"),
    "packed file": text("a compressed file"),
    "binary file": text("a binary file"),
    "JSON text": text("JSON text"),
    "plain text": text("plain text"),
}
_STANDARD_INPUT = text("standard input")
_HEAD_BYTES = 1 << 16
# Disk full, quota exceeded, file larger than the file system allows. Not every system has all three.
_NO_ROOM = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))


def temporary_name(final: Path) -> Path:
    """Return a new name, in the same folder, for a file that will be renamed.

    Parameters
    ----------
    final : Path
        The name it will get.
    """
    owner = f"{_machine()}-{os.getpid()}"
    return final.with_name(f".{final.name[:_LONGEST_NAME]}.vaglio-{owner}-{secrets.token_hex(6)}")


def _remove_leftovers(folder: Path) -> None:
    """Remove files of this folder that a process of this machine did not finish and no longer can.

    Parameters
    ----------
    folder : Path
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _UNFINISHED.fullmatch(entry.name)
            if found and found[1] == _machine() and entry.is_file(follow_symlinks=False) and _is_dead(entry, found[2]):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _is_dead(entry: os.DirEntry[str], process: str) -> bool:
    number = int(process)
    if sys.platform == "win32":
        # There os.kill ends a process instead of asking for it.
        return number != os.getpid() and time.time() - entry.stat().st_mtime > _ABANDONED_SECONDS
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it lives and is another user's; or it is no number of a process
        return False
    return False


@functools.cache
def _machine() -> str:
    """A name for what numbers processes: another machine, or another container, has the same numbers for others."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


@dataclass(frozen=True)
class _Protected:
    files: tuple[tuple[Path | str, os.stat_result], ...]
    force: bool


_protected: ContextVar[_Protected | None] = ContextVar("protected", default=None)


def protect(inputs: Iterable[str | os.PathLike[str]], force: bool = False) -> None:
    """From now on refuse to overwrite these files, also under other names; and files of another kind.

    It holds in the present context (:func:`contextvars.copy_context`): a program that calls a command, and then writes
    a file by itself, is not concerned.

    Parameters
    ----------
    inputs : iterable of path-like
        What is read. Names of nothing are left out. Standard input is always among them.
    force : bool, default=False
        Permit that a file of another kind is overwritten.
    """
    files: list[tuple[Path | str, os.stat_result]] = [
        (Path(path), found) for path in inputs if (found := _stat(path)) is not None
    ]
    piped = _stat(0)
    if piped is not None and stat.S_ISREG(piped.st_mode):
        files.append((_STANDARD_INPUT, piped))
    _protected.set(_Protected(tuple(files), force))


def _stat(path: str | os.PathLike[str] | int) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a text with a zero byte is no path
        return None
    return found if isinstance(path, int) or stat.S_ISREG(found.st_mode) else None


def _refuse_overwriting(target: Path, kind: str | None) -> None:
    """Raise an InputError if a protected file would be lost.

    Parameters
    ----------
    target : Path
        Where something is to be written.
    kind : str or None
        What is to be written, as ``"model"``; by default as the suffix says.
    """
    protected, there = _protected.get(), _stat(target)
    if protected is None or there is None:
        return
    for path, found in protected.files:
        if os.path.samestat(there, found):
            if path != target:
                raise InputError(
                    "output-is-input-by-other-name",
                    "{path} was not written: this command reads it (it is the same file as {input}). Choose another "
                    "name for --out.",
                    path=target,
                    input=path,
                )
            raise InputError(
                "output-is-input",
                "{path} was not written: this command reads it. Choose another name for --out.",
                path=target,
            )
    expected = kind or _KINDS.get(target.suffix.lower())
    if expected is None or protected.force or not there.st_size:
        return
    held = _kind_of(target)
    if held is not None and held != expected:
        raise InputError(
            "output-of-other-kind",
            "{path} was not written: it holds {found} and would become {wanted}. Choose another name, or add --force.",
            path=target,
            found=_KIND_WORDS.get(held, held),
            wanted=_KIND_WORDS.get(expected, expected),
        )


def _kind_of(path: Path) -> str | None:
    """What a file holds, by its first bytes; None if that cannot be said."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return None
    for beginning, kind in _BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    if head[8:9] == b"{" and b'"vaglio"' in head:
        return "model"
    if b"\0" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):  # text in UTF-16 is full of zeros
        return "binary file"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:100].lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "page"
    if text.startswith((b"<svg", b"<?xml")):
        return "drawing"
    if text[:1] in (b"{", b"[") and path.suffix.lower() == ".json":
        return "JSON text"
    return "plain text"


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
        # Opened in here, since Ctrl-C may come when the file is there and nobody holds it yet.
        with _opened(written, target, "wb" if direct else "xb") as file:
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
            # It may be gone: not yet made, or renamed just before Ctrl-C.
            with contextlib.suppress(OSError):
                written.unlink()
        # Any other error of the body may be about another file.
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _refusal(target, error) from error
        raise
    if not direct:
        _remove_leftovers(final.parent)


def _opened(written: Path, target: Path, mode: str) -> IO[bytes]:
    # Not tempfile.mkstemp: its files are private, and the usual permissions can be known only by changing the umask
    # of the whole process for a moment. Exclusive creation ("x") gives the usual permissions on every system.
    try:
        return written.open(mode)
    except OSError as error:
        raise _refusal(target, error) from error


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
        raise InputError(
            "output-is-folder", "{path} cannot be written: it is a folder. Name a file in it.", path=target
        )
    folder = Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent
    if not folder.is_dir():
        raise InputError(
            "output-folder-absent", "{path} cannot be written: there is no folder {folder}.", path=target, folder=folder
        )
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise InputError("output-permission", "{path} cannot be written: permission denied.", path=target)
    _refuse_overwriting(target, kind)


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
        return InputError(
            "disk-full",
            "{path} was not written: the disk is full. Free some space and run the command again.",
            path=target,
        )
    return InputError(
        "output-not-writable",
        "{path} cannot be written: {reason}.",
        path=target,
        reason=(error.strerror or str(error)).lower(),
    )
