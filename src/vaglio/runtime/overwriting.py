"""What a command must not overwrite: the files it reads, and files of another kind than the one it writes.

In Python a program names the file it writes, and means it. On the command line a wrong order of two names, or a name
completed by the shell, is enough to replace a table by a model.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from vaglio.errors import InputError

__all__ = ["protect", "refuse_overwriting"]

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
_LOOKED_AT = 1 << 16


@dataclass(frozen=True)
class _Protected:
    files: tuple[tuple[Path, os.stat_result], ...]
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
    files = [(Path(path), found) for path in inputs if (found := _stat(path)) is not None]
    piped = _stat(0)
    if piped is not None and stat.S_ISREG(piped.st_mode):
        files.append((Path("standard input"), piped))
    _protected.set(_Protected(tuple(files), force))


def _stat(path: str | os.PathLike[str] | int) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a text with a zero byte is no path
        return None
    return found if isinstance(path, int) or stat.S_ISREG(found.st_mode) else None


def refuse_overwriting(target: Path, kind: str | None) -> None:
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
            same = "" if path == target else f" (it is the same file as {path})"
            raise InputError(f"{target} was not written: this command reads it{same}; choose another name for --out.")
    expected = kind or _KINDS.get(target.suffix.lower())
    if expected is None or protected.force or not there.st_size:
        return
    held = _kind_of(target)
    if held is not None and held != expected:
        raise InputError(
            f"{target} was not written: it holds a {held} and would become a {expected}; choose another name, or add "
            "--force."
        )


def _kind_of(path: Path) -> str | None:
    """What a file holds, by its first bytes; None if that cannot be said."""
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return None
    for beginning, kind in _BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    if head[8:9] == b"{" and b'"vaglio"' in head:
        return "model"
    if b"\0" in head:
        return "binary file"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:100].lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "page"
    if text.startswith((b"<svg", b"<?xml")):
        return "drawing"
    if text[:1] in (b"{", b"[") and path.suffix.lower() == ".json":
        return "JSON text"
    return "plain text"
