"""The source of a table: a path, a pipe, standard input or an open file; its bytes, its format and its encoding.

No more bytes are read than allowed, and every failure is one sentence.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import mmap
import os
import stat
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from vaglio import _core
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
# Extension (without .gz) -> format. For others (.txt, .data, none) the content decides.
EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".arff": "arff",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".xlsb": "excel",
    ".ods": "excel",
}
# How messages name a format.
LABELS = {
    "csv": "CSV text",
    "parquet": "Parquet",
    "feather": "Arrow/Feather",
    "json": "JSON",
    "arff": "ARFF",
    "excel": "a spreadsheet",
    "html": "HTML",
    "zip": "a zip archive",
    "pdf": "PDF",
    "binary": "binary data of no table format known here",
}
# First bytes of a file -> format.
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"\xff\xff\xff\xff", "feather"),
    (b"PK\x03\x04", "excel"),
    (b"\xd0\xcf\x11\xe0", "excel"),
    (b"%PDF-", "pdf"),
)
# Bytes in which a format is recognised.
_HEAD = 1 << 16


def open_file(path: Path) -> Any:
    """Open a file or a pipe for reading; what is neither is refused by name."""
    name = str(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise ReadError("directory-name-one-file", "{name} is a directory: name one file in it.", name=name)
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise ReadError(
                "device-file-name-file",
                "{name} is a device, not a file: name a file, or - for standard input.",
                name=name,
            )
        return _open_pipe(name) if stat.S_ISFIFO(mode) else path.open("rb")
    except FileNotFoundError:
        raise ReadError(_no_such_file(path)) from None
    except PermissionError:
        raise ReadError(
            "may-read-user-change", "{name} may not be read by this user: change its permissions.", name=name
        ) from None
    except (OSError, ValueError) as error:
        raise ReadError(
            "cannot-opened-check-path",
            "{name!r} cannot be opened ({reason}): check the path.",
            name=name,
            reason=_reason(error),
        ) from None


def _no_such_file(path: Path) -> str:
    if path.is_symlink():
        return f"{path} is a link to {os.readlink(path)}, which does not exist: correct the link."
    hint = f"it was looked for in {path.parent.resolve()}"
    try:
        # A folder may hold thousands of files: they are not listed when no name is near.
        near = near_names(path.name, os.listdir(path.parent))
    except OSError:
        near, hint = [], f"the folder {path.parent} does not exist either"
    if near:
        hint = f"did you mean {listed(near, last='or')}?"
    return f"there is no file {path}: check the path ({hint})."


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
            raise ReadError(
                "pipe-program-writes-into",
                "{name} is a pipe that no program writes into: start that program first.",
                name=name,
            )
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
        raise ReadError(
            "cannot-read-try-again",
            "{name} cannot be read ({reason}): try again, or copy it first.",
            name=name,
            reason=_reason(error),
        ) from None
    if len(data) < size:
        raise ReadError(
            "became-shorter-while-read",
            "{name} became shorter while it was read: try again when it has been written.",
            name=name,
        )
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
        raise ReadError(
            "valid-text-open-binary",
            "{name} is not valid text ({reason}): open it in binary mode.",
            name=name,
            reason=_reason(error),
        ) from None
    except (OSError, ValueError, TypeError) as error:
        raise ReadError(
            "cannot-read-open-reading",
            "{name} cannot be read ({reason}): open it for reading.",
            name=name,
            reason=_reason(error),
        ) from None


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
        raise ReadError(
            "gzip-but-damaged-download",
            "{name} is gzip but damaged ({error}): download it again.",
            name=name,
            error=error,
        ) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class Source:
    """The bytes of a table, and the name used in messages.

    Parameters
    ----------
    name : str
    data : bytes-like, optional
        By default the file is read when its bytes are asked for: some formats need only parts of it.
    extension : str
        Of the file name, without ``.gz``.
    path : Path, optional
        Where the file lies, if its bytes are the table.
    limits : Limits, optional
        What it may hold.
    """

    def __init__(
        self,
        name: str,
        data: Any = None,
        extension: str = "",
        path: Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self.extension = extension
        self.path = path
        self.limits = limits or Limits()
        self.remarks: list[str] = []
        self._data = data

    @property
    def data(self) -> Any:
        """All bytes."""
        if self._data is None and self.path is not None:
            with open_file(self.path) as file:
                self._data = read_file(file, self.name, self.limits)
        return self._data

    @property
    def head(self) -> bytes:
        """The first bytes."""
        if self._data is None and self.path is not None:
            with open_file(self.path) as file:
                return bytes(file.read(_HEAD))
        return bytes(self._data[:_HEAD])

    def release(self) -> None:
        """Give the memory of the bytes back."""
        self._data = b""


def open_source(source: Any, limits: Limits) -> Source:
    """Open a path, "-" (standard input) or an open file; gzip is unpacked."""
    if hasattr(source, "read"):
        name = str(getattr(source, "name", "the open file"))
        opened = Source(name, read_open(source, name, limits), limits=limits)
    elif str(source) == "-":
        opened = Source("standard input", read_open(sys.stdin.buffer, "standard input", limits), limits=limits)
    else:
        path = Path(os.fspath(source))
        with open_file(path) as file:
            # What is no regular file can be read only once.
            data = None if regular_size(file) else read_file(file, str(path), limits)
        opened = Source(str(path), data, extension_of(path), path if data is None else None, limits)
    head = opened.head
    if head[:2] == b"\x1f\x8b":
        data = unpack(opened.data, opened.name, limits)
        opened = Source(opened.name, data, opened.extension, limits=limits)
        head = opened.head
    if not head.strip() and not bytes(opened.data).strip():
        raise ReadError(
            "empty-table-needs-row",
            "{name} is empty: a table needs a row of names and at least one row.",
            name=opened.name,
        )
    return opened


def extension_of(path: Path) -> str:
    """Return the extension of a file name, without ``.gz``."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1] if suffixes else ""


def recognise(source: Source, wanted: str | None = None) -> str:
    """Return the format: the one given, else that of the content, which must agree with the extension."""
    found = _by_content(source)
    named = EXTENSIONS.get(source.extension)
    if wanted is not None:
        return wanted
    if found in ("html", "pdf", "binary", "zip"):
        advice = "unpack it first" if found == "zip" else "export it as CSV or Parquet first"
        raise ReadError(
            "holds-table",
            "{name} holds {labels}, not a table: {advice}.",
            name=source.name,
            labels=LABELS[found],
            advice=advice,
        )
    if named is None:
        return found
    # A brace or bracket at the start does not prove JSON: it may be the start of a CSV field.
    if named == found or (named == "csv" and found == "json"):
        return named
    raise ReadError(
        "named-but-holds-rename",
        "{name} is named as {labels} but holds {labels2}: rename it, or say format={found!r}.",
        name=source.name,
        labels=LABELS[named],
        labels2=LABELS[found],
        found=found,
    )


def _by_content(source: Source) -> str:
    start = source.head
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            # Spreadsheets are zip archives, in which the names of the parts are not compressed.
            parts = (b"xl/", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet")
            zipped = magic == b"PK\x03\x04" and all(source.data.find(part) < 0 for part in parts)
            return "zip" if zipped else kind
    if start[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and b"\0" in start and not _wide(start):
        return "binary"
    text = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if text[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "html"
    for line in text.splitlines():
        line = line.strip().lower()
        if line and not line.startswith(b"%"):
            if line.startswith((b"@relation", b"@attribute")):
                return "arff"
            break
    return "json" if text[:1] in (b"{", b"[") else "csv"


def _wide(start: bytes) -> bool:
    # UTF-16 without a byte order mark: in plain text every second byte is zero.
    return max(start[0::2].count(0), start[1::2].count(0)) > len(start) // 3


def to_utf8(source: Source, encoding: str | None = None) -> Any:
    """Return the text as UTF-8 bytes without a byte order mark, whatever its encoding.

    Without `encoding`: a byte order mark decides; else UTF-8; else UTF-16 if every second byte is zero; else
    Windows Latin-1 (cp1252, or latin-1 if a byte has no letter there), with a remark.
    """
    data = source.data
    if encoding is not None:
        return _decode(source, encoding)
    if data[:3] == codecs.BOM_UTF8:
        data = data[3:]
    elif data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _decode(source, "utf-16")
    elif _wide(bytes(data[: 1 << 12])):
        return _decode(source, "utf-16-be" if bytes(data[:1]) == b"\0" else "utf-16-le")
    bad = _core.first_invalid_utf8(np.frombuffer(data, dtype=np.uint8), resolve_threads(-1))
    if bad is None:
        return data
    row = bytes(data[:bad]).count(b"\n") + 1
    try:
        text, used = bytes(data).decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, used = bytes(data).decode("latin-1"), "latin-1"
    source.remarks.append(
        f"{source.name} is not UTF-8 (line {row}) and was read as {used}; say encoding= if letters look wrong"
    )
    return text.encode()


def _decode(source: Source, encoding: str) -> bytes:
    try:
        return bytes(source.data).decode(encoding).lstrip("\ufeff").encode()
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        line = bytes(source.data[:at]).count(b"\n") + 1
        raise ReadError(
            "line-byte-cannot-read",
            "{name}, line {line}: byte {at} cannot be read as {encoding}; say encoding=, for instance latin-1.",
            name=source.name,
            line=line,
            at=at,
            encoding=encoding,
        ) from None
    except (LookupError, ValueError, TypeError):  # no name, or one with a zero byte in it
        raise ReadError(
            "encoding-python-knows-try",
            "{encoding!r} is not an encoding that Python knows: try utf-8, utf-16, latin-1 or cp1252.",
            encoding=encoding,
        ) from None
