"""How many bytes the pages of a Parquet file unpack to, found without unpacking them.

The footer of a file tells the sizes of its columns, but pyarrow unpacks every page to the size that the page itself
names, and makes room for as many words as it says it has. So the pages are asked, and none is believed that says what
its bytes cannot hold. A page has a header in Thrift's compact protocol before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vaglio.table.readers.arrow_sizes import Damaged

# How many bytes one byte can unpack to at most: a packing that knows no more than runs and copies cannot do better.
_RATIO = {"UNCOMPRESSED": 1, "SNAPPY": 22, "GZIP": 1040, "LZ4": 256, "LZ4_RAW": 256}
# Beside the ratio, for the frame of a packing.
_FRAME = 1024
# A header is mostly statistics: the least and the greatest value of the page.
_USUAL_HEADER, _LARGEST_HEADER = 256, 1 << 24
# Positions in the header of a page, and in what follows for each kind of page.
_KIND, _UNPACKED, _PACKED, _DATA, _DICTIONARY, _DATA_V2 = 1, 2, 3, 5, 7, 8
_DICTIONARY_PAGE = 2


@dataclass(frozen=True)
class Pages:
    """The pages of one column in one group of rows.

    Attributes
    ----------
    unpacked : int
        Bytes of all of them.
    largest : int
        Bytes of the largest.
    """

    unpacked: int
    largest: int


def measure_pages(file: Any, chunk: Any, rows: int) -> Pages:
    """Return the sizes of the pages of a column of a row group.

    Parameters
    ----------
    file : pyarrow.NativeFile
    chunk : pyarrow.parquet.ColumnChunkMetaData
    rows : int
        Rows of the group.
    """
    if chunk.num_values != rows:
        raise Damaged("a column has another number of values than rows")
    unpacked = largest = seen = 0
    for header, packed in _headers(file, chunk):
        size, n_values = header[_UNPACKED], _n_values(header)
        if size > _RATIO.get(chunk.compression, 1 << 31) * packed + _FRAME:
            raise Damaged("a page says that it unpacks to more than it can")
        if header.get(_KIND) == _DICTIONARY_PAGE:
            if n_values > size:
                raise Damaged("a dictionary says that it has more words than bytes")
        else:
            seen += n_values
            if seen > rows:
                raise Damaged("the pages of a column have more values than rows")
        unpacked, largest = unpacked + size, max(largest, size)
        if seen == rows:
            break
    return Pages(unpacked, largest)


def _headers(file: Any, chunk: Any) -> Iterator[tuple[dict[int, Any], int]]:
    """Yield the header of each page, and the bytes of the page in the file."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    if start < 0 or end < start or end > file.size():
        raise Damaged("a column reaches beyond the end of the file")
    while start < end:
        header, length = _header(file, start, end)
        packed = header.get(_PACKED, -1)
        if packed < 0 or header.get(_UNPACKED, -1) < 0 or start + length + packed > end:
            raise Damaged("a page reaches beyond its column")
        yield header, packed
        start += length + packed


def _header(file: Any, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the header that starts here, and its length."""
    room = _USUAL_HEADER
    while True:
        thrift = _Thrift(file.read_at(min(room, end - at), at))
        try:
            return thrift.struct(), thrift.at
        except IndexError:
            if at + room >= end or room >= _LARGEST_HEADER:
                raise Damaged("the header of a page breaks off") from None
        room *= 8


def _n_values(header: dict[int, Any]) -> int:
    for kind in (_DATA, _DATA_V2, _DICTIONARY):
        if isinstance(header.get(kind), dict):
            found = header[kind].get(1, -1)
            if not isinstance(found, int) or found < 0:
                raise Damaged("a page has no number of values")
            return found
    return 0


class _Thrift:
    """Fields in Thrift's compact protocol: numbers, bytes, lists and structs, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        found = self.data[self.at]
        self.at += 1
        return found

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise Damaged("a number in the header of a page does not end")

    def number(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise IndexError

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > 8:
            raise Damaged("the header of a page is nested too deeply")
        fields: dict[int, Any] = {}
        field = 0
        while head := self.byte():
            field = field + (head >> 4) if head >> 4 else self.number()
            fields[field] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.number()
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (3, 7, 8):
            self.skip({3: 1, 7: 8}.get(kind) or self.varint())
            return None
        # The header of a page has no lists, sets or maps.
        raise Damaged("the header of a page has a field of an unknown kind")
