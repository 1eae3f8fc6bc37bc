"""How many bytes the pages of a Parquet file unpack to, found without unpacking them.

The footer of a file tells the sizes of its columns, but pyarrow unpacks every page to the size that the page itself
names, and makes room for as many words as it says it has. So the pages are asked, and none is believed that says what
its bytes cannot hold. The footer is read here as well: what pyarrow shows of its columns ends the process where they
are damaged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vaglio.table.readers.sizes.arrow_sizes import Damaged
from vaglio.table.readers.sizes.thrift import I32, I64, Thrift

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
_DICTIONARY = 2
# A header is mostly statistics: the least and the greatest value of the page.
_USUAL_HEADER, _LARGEST_HEADER = 256, 1 << 24
# Each word is written as a part of the last one and what follows.
_CHAINED = 7


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


def measure_pages(file: Any) -> list[list[Pages]]:
    """Return the sizes of the pages of each group of rows and column.

    Parameters
    ----------
    file : pyarrow.NativeFile
    """
    size = file.size()
    if size < 12:
        raise Damaged("the file has no footer")
    (length,) = struct.unpack("<I", file.read_at(4, size - 8))
    if length > size - 12:
        raise Damaged("the footer is larger than the file")
    try:
        groups = Thrift(file.read_at(length, size - 8 - length)).struct(_FOOTER).get(4, [])
    except IndexError:
        raise Damaged("the footer breaks off") from None
    return [[_measure(file, column.get(3, {}), group.get(3, -1)) for column in group.get(1, [])] for group in groups]


def _measure(file: Any, column: dict[int, Any], rows: int) -> Pages:
    if column.get(_VALUES) != rows:
        raise Damaged("a column has another number of values than rows")
    unpacked = largest = seen = 0
    for header in _headers(file, column):
        size, n_values = header[_UNPACKED], _n_values(header)
        if size > _RATIO.get(column.get(_PACKING, 0), 1 << 31) * header[_PACKED] + _FRAME:
            raise Damaged("a page says that it unpacks to more than it can")
        if header.get(_KIND) == _DICTIONARY:
            if n_values > size:
                raise Damaged("a dictionary says that it has more words than bytes")
        else:
            seen += n_values
            if seen > rows:
                raise Damaged("the pages of a column have more values than rows")
        unpacked, largest = unpacked + size, max(largest, size)
        if seen == rows:
            break
    return Pages(unpacked, largest, _CHAINED in column.get(_ENCODINGS, []))


def _headers(file: Any, column: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """Yield the header of each page."""
    start = column.get(_FIRST, -1)
    if 0 < column.get(_WORDS, 0) < start:
        start = column[_WORDS]
    end = start + column.get(_BYTES, -1)
    if start < 0 or end < start or end > file.size():
        raise Damaged("a column reaches beyond the end of the file")
    while start < end:
        header, length = _header(file, start, end)
        packed = header.get(_PACKED, -1)
        if packed < 0 or header.get(_UNPACKED, -1) < 0 or start + length + packed > end:
            raise Damaged("a page reaches beyond its column")
        yield header
        start += length + packed


def _header(file: Any, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the header that starts here, and its length."""
    room = _USUAL_HEADER
    while True:
        thrift = Thrift(file.read_at(min(room, end - at), at))
        try:
            return thrift.struct(_PAGE), thrift.at
        except IndexError:
            if at + room >= end or room >= _LARGEST_HEADER:
                raise Damaged("the header of a page breaks off") from None
        room *= 8


def _n_values(header: dict[int, Any]) -> int:
    found = [header[kind].get(1, -1) for kind in _HEADS if kind in header]
    if any(count < 0 for count in found):
        raise Damaged("a page has no number of values")
    return max(found, default=0)
