"""Open the source of a table (path, standard input or open file), unpack it, and recognise its format and encoding."""

from __future__ import annotations

import codecs
import gzip
import mmap
import os
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vaglio.errors import ReadError
from vaglio.text.sentences import listed, near_names

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
# Bytes checked at a time: large enough that the loop costs nothing, small beside the file.
_BLOCK = 1 << 24
# Windows lets nobody replace or delete a mapped file, and a Table may keep the map alive: files are read there.
_MAPS_FILES = sys.platform != "win32"


@dataclass
class Source:
    """The bytes of a table, and the name used in messages."""

    name: str
    data: Any
    extension: str = ""
    remarks: list[str] = field(default_factory=list)


def open_source(source: Any) -> Source:
    """Read the bytes of a path, "-" (standard input) or an open file; gzip is unpacked."""
    if hasattr(source, "read"):
        content = source.read()
        name = str(getattr(source, "name", "the open file"))
        opened = Source(name, content.encode() if isinstance(content, str) else bytes(content))
    elif str(source) == "-":
        opened = Source("standard input", sys.stdin.buffer.read())
    else:
        opened = _open_path(Path(os.fspath(source)))
    if opened.data[:2] == b"\x1f\x8b":
        opened.data = _unpack(opened)
    if not len(opened.data) or (not opened.data[:4096].strip() and not bytes(opened.data).strip()):
        raise ReadError(f"{opened.name} is empty: a table needs a row of names and at least one row.")
    return opened


def _open_path(path: Path) -> Source:
    name = str(path)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    extension = suffixes[-1] if suffixes else ""
    # Asked first, because opening a directory fails as "permission denied" on Windows.
    if path.is_dir():
        raise ReadError(f"{name} is a directory: name one file in it.")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # A map costs no memory of its own; pipes and empty files cannot be mapped.
            mapped = size and _MAPS_FILES
            data: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else file.read()
    except FileNotFoundError:
        raise ReadError(f"there is no file {name}: check the path ({_neighbours(path)}).") from None
    except PermissionError:
        raise ReadError(f"{name} may not be read by this user: change its permissions.") from None
    return Source(name, data, extension)


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist either"
    # A folder may hold thousands of files: they are not listed when no name is near.
    near = near_names(path.name, os.listdir(path.parent))
    return f"did you mean {listed(near, last='or')}?" if near else f"it was looked for in {path.parent.resolve()}"


def _unpack(source: Source) -> bytes:
    try:
        return gzip.decompress(source.data)
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"{source.name} is gzip but damaged ({error}): download it again.") from None


def recognise(source: Source, wanted: str | None = None) -> str:
    """Return the format: the one given, else that of the content, which must agree with the extension."""
    found = _by_content(source.data)
    named = EXTENSIONS.get(source.extension)
    if wanted is not None:
        return wanted
    if found in ("html", "pdf", "binary", "zip"):
        advice = "unpack it first" if found == "zip" else "export it as CSV or Parquet first"
        raise ReadError(f"{source.name} holds {LABELS[found]}, not a table: {advice}.")
    if named is None:
        return found
    # A brace or bracket at the start does not prove JSON: it may be the start of a CSV field.
    if named == found or (named == "csv" and found == "json"):
        return named
    raise ReadError(
        f"{source.name} is named as {LABELS[named]} but holds {LABELS[found]}: rename it, or say format={found!r}."
    )


def _by_content(data: Any) -> str:
    head = bytes(data[:8])
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind if magic != b"PK\x03\x04" or _is_office(data) else "zip"
    start = bytes(data[: 1 << 16])
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


def _is_office(data: Any) -> bool:
    # Spreadsheets are zip archives, in which the names of the parts are not compressed.
    return any(data.find(part) >= 0 for part in (b"xl/", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"))


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
        return _decode(source, encoding).encode()
    if data[:3] == codecs.BOM_UTF8:
        data = data[3:]
    elif data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _decode(source, "utf-16").encode()
    elif _wide(bytes(data[: 1 << 12])):
        big = bytes(data[:1]) == b"\0"
        return _decode(source, "utf-16-be" if big else "utf-16-le").encode()
    bad = _first_invalid(data)
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


def _decode(source: Source, encoding: str) -> str:
    try:
        return bytes(source.data).decode(encoding).lstrip("\ufeff")
    except LookupError:
        raise ReadError(
            f"{encoding!r} is not an encoding that Python knows: try utf-8, utf-16, latin-1 or cp1252."
        ) from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        line = bytes(source.data[:at]).count(b"\n") + 1
        raise ReadError(
            f"{source.name}, line {line}: byte {at} cannot be read as {encoding}; say encoding=, for instance latin-1."
        ) from None


def _first_invalid(data: Any) -> int | None:
    # In blocks, so that checking a large file needs no second copy of it.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _BLOCK):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + _BLOCK], final=start + _BLOCK >= len(data))
        except UnicodeDecodeError as error:
            return max(start - held + error.start, 0)
    return None
