"""The sizes of an xlsx file, checked before it is read.

A spreadsheet is a zip archive of XML parts. A few bytes can say that a sheet reaches to its last possible cell, that a
long string stands in every cell, or that a part unpacks to gigabytes, and calamine asks for all the memory at once.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from itertools import zip_longest

from vaglio.errors import ReadError
from vaglio.messages.sentences import clip
from vaglio.table.readers.capacity import Limits

# Attributes in quotes may contain a closing bracket.
_ATTRIBUTES = rb"""((?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)"""
_PREFIX = rb"<(?:[\w.-]++:)?"
# A row or a cell, and the value of the cell if that comes next.
_CELL = re.compile(
    _PREFIX + rb"(row|c)(?=[\s/>])" + _ATTRIBUTES + rb">(?:\s*+" + _PREFIX + rb"v(?=[\s>])[^<>]*+>([^<]*+))?"
)
_PLACE = re.compile(rb"""\sr\s*+=\s*+["']([^"']*+)["']""")
_REFERENCE = re.compile(rb"([A-Za-z]{0,3})([0-9]{1,7})")
_SHARED = re.compile(rb"""\st\s*+=\s*+["']s["']""")
_STRING = re.compile(_PREFIX + rb"si(?=[\s/>])")
# Bytes that calamine and Python need for one cell.
_PER_CELL = 48


def checked(data: bytes, name: str, limits: Limits) -> bytes:
    """Return the same workbook as an archive that is not compressed, of which every size has been checked.

    calamine then reads the bytes that were checked, whatever else the file may hold.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for errors.
    limits : Limits
        Those of cells, columns and bytes.
    """
    parts = _unpacked(data, name, limits)
    lengths = [_string_lengths(part) for part in parts.values()]
    strings = [max(found) for found in zip_longest(*lengths, fillvalue=0)]
    for part in parts.values():
        if b"sheetData" in part:
            _check_sheet(part, strings, name, limits)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for label, part in parts.items():
            archive.writestr(zipfile.ZipInfo(label), part)
    return out.getvalue()


def _unpacked(data: bytes, name: str, limits: Limits) -> dict[str, bytes]:
    parts: dict[str, bytes] = {}
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                # Pictures are not read. A size in the directory is an upper bound: reading stops there.
                if not entry.filename.lower().endswith((".xml", ".rels")):
                    continue
                size += entry.file_size
                limits.check_bytes(name, size)
                parts[entry.filename] = archive.read(entry)
    except ReadError:  # of a limit; it is a ValueError, too
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise ReadError(
            f"{name} is a spreadsheet but damaged ({clip(error, 80)}): download it or save it again."
        ) from None
    for label, part in parts.items():
        if b"\0" in part:
            raise ReadError(f"{name} is a spreadsheet but damaged ({label} is no UTF-8 text): save it again as xlsx.")
    return parts


def _string_lengths(part: bytes) -> list[int]:
    """Return about how long each shared string is."""
    starts = [found.start() for found in _STRING.finditer(part)]
    return [end - start for start, end in zip(starts, [*starts[1:], len(part)])]


def _check_sheet(part: bytes, strings: list[int], name: str, limits: Limits) -> None:
    """Refuse a sheet that is too large once its cells are laid out in rows and columns."""
    row = column = 0
    lowest_row = lowest_column = 1 << 30
    highest_row = highest_column = 0
    used: Counter[bytes] = Counter()
    for found in _CELL.finditer(part):
        tag, attributes, value = found.groups()
        place = _PLACE.search(attributes)
        if tag == b"row":
            # calamine counts from the last row or cell where no place is given.
            row, column = (int(_reference(place[1], name)[2]) if place else row + 1), 0
            continue
        column += 1
        if place:
            letters, number = _reference(place[1], name).groups()
            row, column = int(number), _column(letters)
        lowest_row, highest_row = min(lowest_row, row), max(highest_row, row)
        lowest_column, highest_column = min(lowest_column, column), max(highest_column, column)
        if _SHARED.search(attributes):
            used[value or b""] += 1
    if highest_row or highest_column:
        rows, columns = highest_row - lowest_row + 1, highest_column - lowest_column + 1
        limits.check_shape(f"a sheet of {name}", rows, columns)
        limits.check_bytes(name, rows * columns * _PER_CELL)
    limits.check_bytes(name, sum(times * _length(index, strings) for index, times in used.items()))


def _reference(place: bytes, name: str) -> re.Match[bytes]:
    found = _REFERENCE.fullmatch(place)
    if found is None:
        raise ReadError(f"{name} is a spreadsheet but damaged (a cell at {place[:20]!r}): save it again as xlsx.")
    return found


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _length(index: bytes, strings: list[int]) -> int:
    known = index.strip()
    if known.isdigit() and len(known) < 10 and int(known) < len(strings):
        return strings[int(known)]
    return max(strings, default=0)
