"""How many rows and unpacked bytes an Arrow file says it holds, found without reading its columns.

pyarrow checks that a file is whole, but it unpacks every buffer to the size that the buffer itself names. The layout of
the messages (schema, dictionary or record batch, each with a body of buffers) is that of the Arrow format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Kinds of message, and the position of a field in its table.
_DICTIONARY, _RECORDS = 2, 3
_CONTINUATION = b"\xff\xff\xff\xff"
_MAGIC = b"ARROW1"


class Damaged(Exception):
    """The file breaks off, or points outside of itself."""


@dataclass(frozen=True)
class Sizes:
    """What a file says.

    Attributes
    ----------
    rows : int
    unpacked : int
        Bytes of all buffers once they are unpacked.
    most_rows, most_unpacked : int
        The same of the largest batch.
    """

    rows: int
    unpacked: int
    most_rows: int
    most_unpacked: int


def measure(file: Any) -> Sizes:
    """Return the sizes of an Arrow file or stream.

    Parameters
    ----------
    file : pyarrow.NativeFile
        Open at its beginning.
    """
    size = file.size()
    rows = unpacked = packed = most_rows = most_unpacked = 0
    try:
        for metadata, body in _messages(file, size):
            n_rows, n_bytes, n_body = _batch(_Flat(metadata), file, body)
            if min(n_rows, n_bytes, n_body) < 0 or body + n_body > size:
                raise Damaged("a batch reaches beyond the end of the file")
            rows, unpacked, packed = rows + n_rows, unpacked + n_bytes, packed + n_body
            most_rows, most_unpacked = max(most_rows, n_rows), max(most_unpacked, n_bytes)
    except (struct.error, IndexError) as error:
        raise Damaged(str(error)) from None
    if packed > size:
        raise Damaged("batches overlap")
    return Sizes(rows, unpacked, most_rows, most_unpacked)


class _Flat:
    """A buffer of nested tables, as the metadata of Arrow is written; every position is checked when it is read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root = self.number("<I", 0)

    def number(self, form: str, at: int) -> int:
        if at < 0:
            raise Damaged("a position before the beginning")
        found: int = struct.unpack_from(form, self.data, at)[0]
        return found

    def field(self, table: int, index: int) -> int:
        """Return the position of a field of a table; 0 if it is absent."""
        layout = table - self.number("<i", table)
        if 4 + 2 * index >= self.number("<H", layout):
            return 0
        offset = self.number("<H", layout + 4 + 2 * index)
        return table + offset if offset else 0

    def follow(self, at: int) -> int:
        return at + self.number("<I", at)

    def value(self, table: int, index: int, form: str) -> int:
        at = self.field(table, index)
        return self.number(form, at) if at else 0

    def structs(self, table: int, index: int, form: str) -> list[tuple[int, ...]]:
        """Return a vector of structs."""
        at = self.field(table, index)
        if not at:
            return []
        start = self.follow(at)
        end = start + 4 + self.number("<I", start) * struct.calcsize(form)
        if end > len(self.data):
            raise Damaged("a list reaches beyond the end of its message")
        return list(struct.iter_unpack(form, self.data[start + 4 : end]))


def _messages(file: Any, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield the metadata of each batch, and where its body starts."""
    if file.read_at(6, 0) != _MAGIC:
        at = 0
        while found := _message(file, at, size):
            metadata, body = found
            yield found
            flat = _Flat(metadata)
            length = flat.value(flat.root, 3, "<q")
            if length < 0:
                raise Damaged("a body of negative length")
            at = body + length
        return
    (length,) = struct.unpack("<i", file.read_at(4, size - 10) if size > 18 else b"")
    if not 0 < length <= size - 10:
        raise Damaged("no footer")
    footer = _Flat(file.read_at(length, size - 10 - length))
    # Dictionaries, then records; each block is the position, the length of the metadata and that of the body.
    for at, _, _ in footer.structs(footer.root, 2, "<qi4xq") + footer.structs(footer.root, 3, "<qi4xq"):
        message = _message(file, at, size)
        if message is None:
            raise Damaged("a block that is no message")
        yield message


def _message(file: Any, at: int, size: int) -> tuple[bytes, int] | None:
    """Return the metadata of the message here and where its body starts; None at the end."""
    if at < 0 or at + 8 > size:
        return None
    start = file.read_at(8, at)
    # Before version 0.15, the length came without the four bytes.
    skip = 8 if start[:4] == _CONTINUATION else 4
    (length,) = struct.unpack("<i", start[skip - 4 : skip])
    if length == 0:
        return None
    if length < 0 or at + skip + length > size:
        raise Damaged("a message reaches beyond the end of the file")
    return file.read_at(length, at + skip), at + skip + length


def _batch(flat: _Flat, file: Any, body: int) -> tuple[int, int, int]:
    """Return the rows, the unpacked bytes and the bytes of the body of a message."""
    kind, length = flat.value(flat.root, 1, "<B"), flat.value(flat.root, 3, "<q")
    header = flat.field(flat.root, 2)
    if kind not in (_DICTIONARY, _RECORDS) or not header:
        return 0, 0, length
    batch = flat.follow(header)
    if kind == _DICTIONARY:
        inner = flat.field(batch, 1)
        if not inner:
            return 0, 0, length
        batch = flat.follow(inner)
    rows = flat.value(batch, 0, "<q")
    unpacked = length
    if flat.field(batch, 3):
        unpacked = 0
        for offset, n_bytes in flat.structs(batch, 2, "<qq"):
            if n_bytes >= 8:
                # The first eight bytes tell the unpacked size; -1 means that the buffer is not packed.
                (told,) = struct.unpack("<q", file.read_at(8, body + max(offset, 0)))
                unpacked += told if told >= 0 else n_bytes
    return (rows if kind == _RECORDS else 0), unpacked, length
