"""The source of a table: a path, a pipe, standard input or an open file; its bytes, its format and its encoding.

No more bytes are read than allowed, and every failure is one sentence.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import mmap
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from encodings import utf_8
from pathlib import Path
from typing import Any

import numpy as np

from vaglio import _core
from vaglio.errors import ReadError
from vaglio.messages.message import Message, text
from vaglio.messages.options import reading
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
# First bytes of a packed file -> its name, and what unpacks it.
_PACKED: tuple[tuple[re.Pattern[bytes], str, Callable[[Any], Any]], ...] = (
    (re.compile(rb"\x1f\x8b"), "gzip", lambda file: gzip.GzipFile(fileobj=file)),
    (re.compile(rb"BZh[1-9]1AY&SY"), "bzip2", bz2.BZ2File),
    (re.compile(rb"\xfd7zXZ\0"), "xz", lzma.LZMAFile),
)
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
# What a packed file raises that is damaged.
PACKED_FAULTS = (OSError, EOFError, zlib.error, lzma.LZMAError)
# Extension (without that of a packed file) -> format. For others (.txt, .data, none) the content decides.
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
    ".html": "html",
    ".htm": "html",
}
# How messages name a format.
LABELS = {
    "csv": text("CSV text"),
    "parquet": "Parquet",
    "feather": "Arrow/Feather",
    "json": "JSON",
    "arff": "ARFF",
    "excel": text("a spreadsheet"),
    "html": "HTML",
}
# The encoding of a text that is not UTF-8 throughout; also what is done with its other bytes.
MIXED = "utf-8-or-cp1252"
# A letter of UTF-8 that is not ASCII.
_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
STANDARD_INPUT = text("standard input")
OPEN_FILE = text("the open file")
# First bytes of a file -> format.
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"\xff\xff\xff\xff", "feather"),
    (b"PK\x03\x04", "excel"),
    (b"\xd0\xcf\x11\xe0", "excel"),
)
_FIRST_TAG = re.compile(rb"<(?:[!?]?[a-z][\w:.-]*)[\s/>]", re.IGNORECASE)
_TAG_OF_PAGE = re.compile(rb"<(?:!doctype\s+html|html|body|table)[\s>]", re.IGNORECASE)
_EXPORT = text("Export it as CSV or Parquet first.")
_WITH_PANDAS = text("Read it with pandas and pass the frame.")
_PICTURE = text("Describe each picture by numbers, one row per picture.")
_ROWS_OF_GRAPH = text("Write its nodes, or its edges, as rows of a CSV file.")
# What is no table: the first bytes of a file, what it holds, and what to do.
_BINARY = (
    (rb"%PDF-", "PDF", _EXPORT),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|BM.{4}\0\0|RIFF.{4}WEBP", text("a picture"), _PICTURE),
    (rb"SQLite format 3\0", text("an SQLite database"), text("Read one of its tables with pandas.read_sql.")),
    (rb"\x89HDF\r\n|<stata_dta>|\$FL[23]@|\x80[\x02-\x05]", text("data of another program"), _WITH_PANDAS),
    (rb"\x93NUMPY", text("a NumPy array"), text("Load it with numpy.load and pass the array.")),
    (rb"RD[AX][23]\n|[XA]\n\0\0\0", text("data of R"), text("Write it with write.csv first.")),
    (rb"ORC[^\w\s,;|]|Obj\x01", text("ORC or Avro data"), _EXPORT),
    (rb".{7}\0\{\"", text("a model"), text("Name a table.")),
    (rb"Rar!\x1a|7z\xbc\xaf|\x28\xb5\x2f\xfd|.{257}ustar", text("an archive"), text("Unpack it first.")),
)
_TEXTS = (
    (rb"(?:strict\s+)?(?:di)?graph\b[^,;\t\n]*\{\s*(?:\n|[^\n]*-[->])", text("a graph"), _ROWS_OF_GRAPH),
    (rb"(?:creator[^\n]*\n\s*)?graph\s*\[\s*\n|@prefix\s|\*vertices\s+\d", text("a graph"), _ROWS_OF_GRAPH),
    (rb"(?:<[?!][^>]*>\s*)*<(?:graphml|gexf|rdf:rdf)\b", text("a graph"), _ROWS_OF_GRAPH),
    (rb"(?:<[?!][^>]*>\s*)*<svg\b", text("a picture"), _PICTURE),
    (rb"<\?xml.{,300}office:spreadsheet", text("a spreadsheet in XML"), text("Save it as xlsx.")),
)
# Bytes in which a format is recognised.
_HEAD = 1 << 16


def open_file(path: Path) -> Any:
    """Open a file or a pipe for reading; what is neither is refused by name."""
    name = str(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise ReadError("path-is-directory", "{name} is a directory. Name one file in it.", name=name)
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise ReadError(
                "path-is-device", "{name} is a device, not a file. Name a file, or - for standard input.", name=name
            )
        return _open_pipe(name) if stat.S_ISFIFO(mode) else path.open("rb")
    except FileNotFoundError:
        raise _no_such_file(path) from None
    except PermissionError:
        raise ReadError(
            "file-permission", "You have no permission to read {name}. Change its permissions.", name=name
        ) from None
    except (OSError, ValueError) as error:
        raise ReadError(
            "file-cannot-be-opened",
            "{name!r} cannot be opened ({reason}). Check the path.",
            name=name,
            reason=_reason(error),
        ) from None


def _no_such_file(path: Path) -> ReadError:
    if path.is_symlink():
        return ReadError(
            "broken-link",
            "{path} is a link to {target}, which does not exist. Correct the link.",
            path=path,
            target=os.readlink(path),
        )
    hint = text("vaglio looked in {folder}", folder=path.parent.resolve())
    try:
        # A folder may hold thousands of files: they are not listed when no name is near.
        near = near_names(path.name, os.listdir(path.parent))
    except OSError:
        near, hint = [], text("the folder {folder} does not exist either", folder=path.parent)
    if near:
        hint = text("did you mean {names}?", names=listed(near, last="or"))
    return ReadError("no-such-file", "There is no file {path}. Check the path ({hint}).", path=path, hint=hint)


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
                "pipe-without-writer", "No program writes into the pipe {name}. Start that program first.", name=name
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
            "file-cannot-be-read",
            "{name} cannot be read ({reason}). Try again, or copy it first.",
            name=name,
            reason=_reason(error),
        ) from None
    if len(data) < size:
        raise ReadError(
            "file-became-shorter",
            "{name} became shorter while it was read. Try again when it has been written.",
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
            "open-file-not-text",
            "{name} is not valid text ({reason}). Open it in binary mode.",
            name=name,
            reason=_reason(error),
        ) from None
    except (OSError, ValueError, TypeError) as error:
        raise ReadError(
            "open-file-not-readable",
            "{name} cannot be read ({reason}). Open it for reading.",
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


def packing(head: bytes) -> tuple[str, Callable[[Any], Any]] | None:
    """Return by the first bytes of a file how it is packed, and what unpacks it; None if it is not packed."""
    return next(((form, unpacker) for magic, form, unpacker in _PACKED if magic.match(head)), None)


def damaged_packed(name: str, form: str, error: Exception) -> ReadError:
    """Return the error of a packed file that cannot be unpacked."""
    return ReadError(
        "damaged-packed-file",
        "{name} is {form} but damaged ({reason}). Download it again.",
        name=name,
        form=form,
        reason=str(error),
    )


def _unpacked(source: Source, form: str, unpacker: Callable[[Any], Any]) -> Source:
    """Unpack a file, up to the limit of bytes."""
    try:
        data = _bounded(unpacker(io.BytesIO(source.data)), source.name, source.limits)
    except ReadError:  # of a limit
        raise
    except PACKED_FAULTS as error:
        raise damaged_packed(source.name, form, error) from None
    return Source(source.name, data, source.extension, limits=source.limits)


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
        Of the file name, without that of a packed file.
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
    """Open a path, "-" (standard input) or an open file; a packed one is unpacked."""
    if hasattr(source, "read"):
        name = str(source.name) if hasattr(source, "name") else OPEN_FILE
        opened = Source(name, read_open(source, name, limits), limits=limits)
    elif str(source) == "-":
        opened = Source(STANDARD_INPUT, read_open(sys.stdin.buffer, STANDARD_INPUT, limits), limits=limits)
    else:
        path = Path(os.fspath(source))
        with open_file(path) as file:
            # What is no regular file can be read only once.
            data = None if regular_size(file) else read_file(file, str(path), limits)
        opened = Source(str(path), data, extension_of(path), path if data is None else None, limits)
    if packed := packing(opened.head):
        opened = _unpacked(opened, *packed)
    if not opened.head.strip() and not bytes(opened.data).strip():
        raise ReadError(
            "empty-file", "{name} is empty. A table needs a row of column names and at least one row.", name=opened.name
        )
    return opened


def extension_of(path: Path) -> str:
    """Return the extension of a file name, without that of a packed file."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED_SUFFIXES]
    return suffixes[-1] if suffixes else ""


def recognise(source: Source, wanted: str | None = None) -> str:
    """Return the format: the one given, else that of the content, which must agree with the extension."""
    if wanted is not None:
        return wanted
    found = _by_content(source)
    named = EXTENSIONS.get(source.extension)
    # Programs write pages and name them spreadsheets.
    if named is None or (named == "excel" and found == "html"):
        return found
    # A brace or bracket at the start does not prove JSON: it may be the start of a CSV field.
    if named == found or (named == "csv" and found == "json"):
        return named
    raise ReadError(
        "extension-does-not-fit",
        "{name} has the extension of {named} but holds {found}. Rename it, or set {format}.",
        name=source.name,
        named=LABELS[named],
        found=LABELS[found],
        format=reading("format", found),
    )


def _by_content(source: Source) -> str:
    start = source.head
    for first, what, advice in _BINARY:
        if re.match(first, start, re.DOTALL):
            raise _no_table(source, what, advice)
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            # Spreadsheets are zip archives, in which the names of the parts are not compressed.
            parts = (b"xl/", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet")
            if magic == b"PK\x03\x04" and all(source.data.find(part) < 0 for part in parts):
                raise _no_table(source, text("a zip archive"), text("Unpack it first."))
            return kind
    plain = start.replace(b"\0", b"") if _is_wide(start) else start
    plain = plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    for first, what, advice in _TEXTS:
        if re.match(first, plain, re.IGNORECASE | re.DOTALL):
            raise _no_table(source, what, advice)
    if b"\0" in plain:
        raise _no_table(source, text("binary data in an unknown format"), _EXPORT)
    if _FIRST_TAG.match(plain) and _TAG_OF_PAGE.search(plain):
        return "html"
    if _FIRST_TAG.match(plain) and (plain[:2] == b"<?" or b"</" in plain):
        raise _no_table(source, "XML", text("Read it with pandas.read_xml and pass the frame, or export it as CSV."))
    for line in plain.splitlines():
        line = line.strip().lower()
        if line and not line.startswith(b"%"):
            if line.startswith((b"@relation", b"@attribute")):
                return "arff"
            break
    return "json" if plain[:1] in (b"{", b"[") else "csv"


def _no_table(source: Source, what: str, advice: str) -> ReadError:
    return ReadError(
        "not-a-table-file", "{name} holds {what}, not a table. {advice}", name=source.name, what=what, advice=advice
    )


def _is_wide(start: bytes) -> bool:
    return start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or _wide(start)


def _wide(start: bytes) -> bool:
    # UTF-16 without a byte order mark: in plain text every second byte is zero.
    return max(start[0::2].count(0), start[1::2].count(0)) > len(start) // 3


def _as_latin(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are not UTF-8 as Windows Latin-1 (cp1252, or latin-1 where that has no letter)."""
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    try:
        return bad.decode("cp1252"), error.end
    except UnicodeDecodeError:
        return bad.decode("latin-1"), error.end


class _Decoder(utf_8.IncrementalDecoder):
    """Reads such a text in parts."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(MIXED)


def _mixed_codec(name: str) -> codecs.CodecInfo | None:
    if name != MIXED.replace("-", "_"):
        return None
    return codecs.CodecInfo(
        utf_8.encode, lambda data, errors="strict": utf_8.decode(data, MIXED), incrementaldecoder=_Decoder, name=MIXED
    )


codecs.register_error(MIXED, _as_latin)
codecs.register(_mixed_codec)


def to_utf8(source: Source, encoding: str | None = None) -> Any:
    """Return the text as UTF-8 bytes without a byte order mark, whatever its encoding.

    Without `encoding`: a byte order mark decides; else UTF-8; else UTF-16 if every second byte is zero; else
    Windows Latin-1 (cp1252, or latin-1 if a byte has no letter there), with a remark. Letters of such a text that are
    UTF-8 are read as UTF-8: several programs have written it.
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
        decoded = bytes(data).decode(MIXED if _LETTER.search(data) else "cp1252")
    except UnicodeDecodeError:
        decoded = bytes(data).decode(MIXED)
    source.remarks.append(
        Message(
            "encoding-assumed",
            "{name} is not UTF-8 (line {line:,}) and was read as {encoding}. Set {option} if letters look wrong.",
            name=source.name,
            line=row,
            encoding="cp1252",
            option=reading("encoding"),
        )
    )
    return decoded.encode()


def _decode(source: Source, encoding: str) -> bytes:
    try:
        return bytes(source.data).decode(encoding).lstrip("\ufeff").encode()
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        line = bytes(source.data[:at]).count(b"\n") + 1
        raise ReadError(
            "undecodable-byte",
            "{name}, line {line:,}: byte {position:,} cannot be read as {encoding}. Set {option}, for instance "
            "latin-1.",
            name=source.name,
            line=line,
            position=at,
            encoding=encoding,
            option=reading("encoding"),
        ) from None
    except (LookupError, ValueError, TypeError):  # no name, or one with a zero byte in it
        raise ReadError(
            "unknown-encoding",
            "Python does not know the encoding {encoding!r}. Try utf-8, utf-16, latin-1 or cp1252.",
            encoding=encoding,
        ) from None
