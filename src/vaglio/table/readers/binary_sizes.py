"""How large an Arrow or Parquet file says it is, found before it is read and without unpacking it.

The footer of a Parquet file tells the sizes of its columns, but pyarrow unpacks every page to the size that the page
itself names, and makes room for as many words as it says it has. So the pages are asked, and none is believed that says
what its bytes cannot hold. The footer is read here as well: what pyarrow shows of its columns ends the process where
they are damaged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from vaglio.messages.message import text

# Kinds of message, and the position of a field in its table.
_DICTIONARY_MESSAGE, _RECORDS = 2, 3
_CONTINUATION = b"\xff\xff\xff\xff"
_MAGIC = b"ARROW1"
# A number of 32 or 64 bits as its kind in the protocol; a struct as its fields, by number; a list as its one element.
I32, I64 = 5, 6
Shape = int | dict[int, Any] | list[Any] | None
_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 3, 7, 8, 9, 10, 11, 12
# Deeper structs, and longer lists, are not metadata.
_DEEPEST, _LONGEST = 32, 1_000_000
# How many bytes one byte can unpack to at most, by the number of the packing (none, Snappy, gzip, LZ4 twice): one that
# knows no more than runs and copies cannot do better. The others have no bound.
_RATIO = {0: 1, 1: 22, 2: 1040, 5: 256, 7: 256}
# Beside the ratio, for the frame of a packing.
_FRAME = 1024
# Fields of a column in the footer: encodings, packing, values, bytes in the file, first page, page of the dictionary.
_ENCODINGS, _PACKING, _VALUES, _BYTES, _FIRST, _WORDS = 2, 4, 5, 7, 9, 11
_COLUMN = {_ENCODINGS: [I32], _PACKING: I32, _VALUES: I64, _BYTES: I64, _FIRST: I64, _WORDS: I64}
_FOOTER = {4: [{1: [{3: _COLUMN}], 3: I64}]}
# Of the header of a page: its kind, bytes unpacked and in the file; and in what follows for its kind, the values.
_KIND, _UNPACKED, _PACKED = 1, 2, 3
_HEADS = (5, 7, 8)
_PAGE = {_KIND: I32, _UNPACKED: I32, _PACKED: I32, **{head: {1: I32} for head in _HEADS}}
_DICTIONARY_PAGE = 2
# A header is mostly statistics: the least and the greatest value of the page.
_USUAL_HEADER, _LARGEST_HEADER = 256, 1 << 24
# Each word is written as a part of the last one and what follows.
_CHAINED = 7


class RandomAccess(Protocol):
    """A file of pyarrow, as far as sizes are read from it."""

    def size(self) -> int: ...
    def read_at(self, nbytes: int, offset: int, /) -> bytes: ...


class Damaged(Exception):
    """The file is incomplete, or points outside itself; the argument is the reason, a message."""


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


def measure(file: RandomAccess) -> Sizes:
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
                raise Damaged(text("a batch extends past the end of the file"))
            rows, unpacked, packed = rows + n_rows, unpacked + n_bytes, packed + n_body
            most_rows, most_unpacked = max(most_rows, n_rows), max(most_unpacked, n_bytes)
    except (struct.error, IndexError) as error:
        raise Damaged(str(error)) from None
    if packed > size:
        raise Damaged(text("batches overlap"))
    return Sizes(rows, unpacked, most_rows, most_unpacked)


class _Flat:
    """A buffer of nested tables, as the metadata of Arrow is written; every position is checked when it is read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root = self.number("<I", 0)

    def number(self, form: str, at: int) -> int:
        if at < 0:
            raise Damaged(text("an offset is negative"))
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
            raise Damaged(text("a list extends past the end of its message"))
        return list(struct.iter_unpack(form, self.data[start + 4 : end]))


def _messages(file: RandomAccess, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield the metadata of each batch, and where its body starts."""
    if file.read_at(6, 0) != _MAGIC:
        at = 0
        while found := _message(file, at, size):
            metadata, body = found
            yield found
            flat = _Flat(metadata)
            length = flat.value(flat.root, 3, "<q")
            if length < 0:
                raise Damaged(text("a body has a negative length"))
            at = body + length
        return
    (length,) = struct.unpack("<i", file.read_at(4, size - 10) if size > 18 else b"")
    if not 0 < length <= size - 10:
        raise Damaged(text("the file has no footer"))
    footer = _Flat(file.read_at(length, size - 10 - length))
    # Dictionaries, then records; each block is the position, the length of the metadata and that of the body.
    for at, _, _ in footer.structs(footer.root, 2, "<qi4xq") + footer.structs(footer.root, 3, "<qi4xq"):
        message = _message(file, at, size)
        if message is None:
            raise Damaged(text("a block is not a message"))
        yield message


def _message(file: RandomAccess, at: int, size: int) -> tuple[bytes, int] | None:
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
        raise Damaged(text("a message extends past the end of the file"))
    return file.read_at(length, at + skip), at + skip + length


def _batch(flat: _Flat, file: RandomAccess, body: int) -> tuple[int, int, int]:
    """Return the rows, the unpacked bytes and the bytes of the body of a message."""
    kind, length = flat.value(flat.root, 1, "<B"), flat.value(flat.root, 3, "<q")
    header = flat.field(flat.root, 2)
    if kind not in (_DICTIONARY_MESSAGE, _RECORDS) or not header:
        return 0, 0, length
    batch = flat.follow(header)
    if kind == _DICTIONARY_MESSAGE:
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


class Thrift:
    """Bytes in the compact protocol; at their end reading raises IndexError.

    A field is expected to have its kind and to occur once, because programs differ in what they make of others.

    Parameters
    ----------
    data : bytes
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, shape: dict[int, Any], depth: int = 0) -> dict[int, Any]:
        """Read a struct, and return those of its fields that the shape has."""
        if depth > _DEEPEST:
            raise Damaged(text("the metadata is nested too deeply"))
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = (field + (head >> 4)) if head >> 4 else self._number()
            if not 0 <= field < 1 << 15 or field in fields:
                raise Damaged(text("the metadata has an invalid field"))
            found = self._value(shape.get(field), head & 15, depth)
            if field in shape:
                fields[field] = found
        return fields

    def _value(self, shape: Shape, kind: int, depth: int) -> Any:
        if shape is None:
            return self._skip(kind, depth)
        if kind != (shape if isinstance(shape, int) else _STRUCT if isinstance(shape, dict) else _LIST):
            raise Damaged(text("the metadata has a field of the wrong type"))
        if isinstance(shape, int):
            return self._number()
        if isinstance(shape, dict):
            return self.struct(shape, depth + 1)
        size, inner = self._list()
        return [self._value(shape[0], inner, depth + 1) for _ in range(size)]

    def _skip(self, kind: int, depth: int, listed: bool = False) -> None:
        if depth > _DEEPEST:
            raise Damaged(text("the metadata is nested too deeply"))
        if kind in (1, 2):  # true and false: in a list they take a byte
            self._pass(int(listed))
        elif kind in (4, I32, I64):
            self._varint()
        elif kind in (_BYTE, _DOUBLE):
            self._pass(1 if kind == _BYTE else 8)
        elif kind == _BINARY:
            self._pass(self._varint())
        elif kind in (_LIST, _SET):
            size, inner = self._list()
            for _ in range(size):
                self._skip(inner, depth + 1, listed=True)
        elif kind == _STRUCT:
            self.struct({}, depth + 1)
        else:
            raise Damaged(text("the metadata has a field of an unknown type"))

    def _list(self) -> tuple[int, int]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if size > _LONGEST:
            raise Damaged(text("the metadata has a list that is too long"))
        return size, head & 15

    def _byte(self) -> int:
        found = self.data[self.at]
        self.at += 1
        return found

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) > 0x7F:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise Damaged(text("the metadata has an unterminated number"))
        return value | byte << shift

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _pass(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise IndexError


@dataclass(frozen=True)
class Pages:
    """The pages of one column in one group of rows.

    Attributes
    ----------
    unpacked : int
        Bytes of all of them.
    largest : int
        Bytes of the largest.
    chained : bool
        Whether a word may be written as a part of the last one and what follows.
    """

    unpacked: int
    largest: int
    chained: bool


def measure_pages(file: RandomAccess) -> list[list[Pages]]:
    """Return the sizes of the pages of each group of rows and column.

    Parameters
    ----------
    file : pyarrow.NativeFile
    """
    size = file.size()
    if size < 12:
        raise Damaged(text("the file has no footer"))
    (length,) = struct.unpack("<I", file.read_at(4, size - 8))
    if length > size - 12:
        raise Damaged(text("the footer is larger than the file"))
    try:
        groups = Thrift(file.read_at(length, size - 8 - length)).struct(_FOOTER).get(4, [])
    except IndexError:
        raise Damaged(text("the footer is incomplete")) from None
    return [[_measure(file, column.get(3, {}), group.get(3, -1)) for column in group.get(1, [])] for group in groups]


def _measure(file: RandomAccess, column: dict[int, Any], rows: int) -> Pages:
    if column.get(_VALUES) != rows:
        raise Damaged(text("a column has a different number of values than rows"))
    unpacked = largest = seen = 0
    for header in _headers(file, column):
        found = [header[kind].get(1, -1) for kind in _HEADS if kind in header]
        if any(count < 0 for count in found):
            raise Damaged(text("a page does not say how many values it has"))
        size, n_values = header[_UNPACKED], max(found, default=0)
        if size > _RATIO.get(column.get(_PACKING, 0), 1 << 31) * header[_PACKED] + _FRAME:
            raise Damaged(text("a page claims to unpack to more bytes than it can"))
        if header.get(_KIND) == _DICTIONARY_PAGE:
            if n_values > size:
                raise Damaged(text("a dictionary claims more words than bytes"))
        else:
            seen += n_values
            if seen > rows:
                raise Damaged(text("the pages of a column have more values than rows"))
        unpacked, largest = unpacked + size, max(largest, size)
        if seen == rows:
            break
    return Pages(unpacked, largest, _CHAINED in column.get(_ENCODINGS, []))


def _headers(file: RandomAccess, column: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """Yield the header of each page."""
    start = column.get(_FIRST, -1)
    if 0 < column.get(_WORDS, 0) < start:
        start = column[_WORDS]
    end = start + column.get(_BYTES, -1)
    if start < 0 or end < start or end > file.size():
        raise Damaged(text("a column extends past the end of the file"))
    while start < end:
        header, length = _header(file, start, end)
        packed = header.get(_PACKED, -1)
        if packed < 0 or header.get(_UNPACKED, -1) < 0 or start + length + packed > end:
            raise Damaged(text("a page extends past its column"))
        yield header
        start += length + packed


def _header(file: RandomAccess, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the header that starts here, and its length."""
    room = _USUAL_HEADER
    while True:
        thrift = Thrift(file.read_at(min(room, end - at), at))
        try:
            return thrift.struct(_PAGE), thrift.at
        except IndexError:
            if at + room >= end or room >= _LARGEST_HEADER:
                raise Damaged(text("the header of a page is incomplete")) from None
        room *= 8
