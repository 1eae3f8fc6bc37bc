"""Files that ask for more than allowed are refused before memory is asked for, and the sentence says how to go on."""

from __future__ import annotations

import gzip
import io
import json
import re
import resource
import struct
import subprocess
import sys
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from vaglio.errors import InputError, ReadError
from vaglio.runtime.memory import usable_memory
from vaglio.table import LIMITS, Limits, read, read_chunks

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SHEET = f'<worksheet xmlns="{_MAIN}"><sheetData>{{}}</sheetData></worksheet>'

# It lives as long as the tests: what was allocated from it, perhaps by a thread of pyarrow, is given back to it.
COUNTING = pa.proxy_memory_pool(pa.default_memory_pool())


def workbook(cells: str, strings: str = "") -> bytes:
    """A workbook of one sheet with these rows and cells."""
    usual, out = io.BytesIO(), io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["some word"])
    book.save(usual)
    changed = {"xl/worksheets/sheet1.xml": _SHEET.format(cells)}
    with zipfile.ZipFile(usual) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in given.namelist():
            archive.writestr(name, changed.get(name, given.read(name)))
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{_MAIN}">{strings}</sst>')
    return out.getvalue()


def packed_arrow(table: pa.Table) -> bytes:
    out = io.BytesIO()
    feather.write_feather(table, out, compression="zstd")
    return out.getvalue()


def as_parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


ZEROS = pa.table({"a": np.zeros(100_000)})
# Name of a limit, its value, and a file beyond it.
BEYOND = [
    ("cells", 5, b"a,b\n1,2\n3,4\n5,6\n"),
    ("cells", 5, b'{"a": 1, "b": 2}\n{"a": 1, "c": 2}\n'),
    ("cells", 5, b'[{"a": 1}, {"b": 1}, {"c": 1}]'),
    ("cells", 5, b'{"a": [1, 2, 3], "b": [1, 2, 3]}'),
    ("cells", 5, b"@relation r\n@attribute a real\n@attribute b real\n@data\n1,2\n3,4\n5,6\n"),
    ("cells", 5, b"@relation r\n@attribute a real\n@attribute b real\n@data\n{}\n{}\n{}\n"),
    ("cells", 99_999, packed_arrow(ZEROS)),
    ("cells", 99_999, as_parquet(ZEROS)),
    ("cells", 10**9, workbook('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c></row>')),
    ("columns", 2, b"a,b,c\n1,2,3\n"),
    ("columns", 2, b'{"a": 1, "b": 2, "c": 3}\n'),
    ("columns", 1, as_parquet(pa.table({"a": [1], "b": [2]}))),
    ("cell_length", 5, b"a,b\n1,abcdef\n"),
    ("cell_length", 5, b'{"a": "abcdef"}\n'),
    ("cell_length", 5, b"@relation r\n@attribute a string\n@data\nabcdef\n"),
    ("cell_length", 5, as_parquet(pa.table({"a": ["abcdef"]}))),
    ("bytes", 99_999, gzip.compress(b"a\n" + b"1\n" * 100_000)),
    ("bytes", 99_999, packed_arrow(ZEROS)),
    ("bytes", 99_999, workbook("<row><c><v>1</v></c></row>", "<si><t>" + "x" * 100_000 + "</t></si>")),
    (
        "bytes",
        99_999,
        workbook('<row><c t="s"><v>0</v></c></row>' * 200, "<si><t>" + "x" * 1000 + "</t></si>"),
    ),
    ("bytes", 7, b'[{"a": 1}]'),
    ("nesting", 4, b"[" * 5 + b"]" * 5),
    ("nesting", 4, b'{"a": 1}\n{"a": ' + b"[" * 5 + b"]" * 5 + b"}\n"),
    ("digits", 20, b"[1, 123456789012345678901]"),
]


@pytest.mark.parametrize(("limit", "value", "data"), BEYOND)
def test_a_limit_is_named_with_its_value_and_how_to_raise_it(limit, value, data):
    with pytest.raises(
        ReadError, match=rf"more than the limit {limit} = {value:,}\. .*raise the limit \(limits="
    ) as said:
        read(io.BytesIO(data), limits={limit: value})
    name, enough = re.search(r"limits=\{'(\w+)': (\d+)\}", str(said.value)).groups()
    assert name == limit
    assert int(enough) > value


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_are_whole_numbers_above_zero(limit):
    for wrong in (0, -1, 1.5, "9", True, None):
        with pytest.raises(InputError, match=f"the limit '{limit}' is a whole number above zero"):
            read(io.StringIO("a\n1\n"), limits={limit: wrong})


def test_a_limit_that_does_not_exist_is_an_error():
    with pytest.raises(InputError, match="no limit 'cell'; did you mean 'cells'"):
        read(io.StringIO("a\n1\n"), limits={"cell": 1})
    with pytest.raises(InputError, match="no limit 'cell'"):
        next(read_chunks(io.BytesIO(b"a\n1\n"), limits={"cell": 1}))


@pytest.mark.slow
def test_default_limits_follow_the_memory_of_the_process():
    lines = (
        "import resource; from vaglio.table import Limits; "
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33)); print(Limits().cells, Limits().bytes)"
    )
    out = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True).stdout
    memory = min(usable_memory(), 1 << 33)
    assert out.split() == [str(memory // 32), str(memory // 4)]
    assert Limits().cells >= usable_memory() // 32 or resource.getrlimit(resource.RLIMIT_AS)[0] > 0


def test_a_file_of_any_size_is_read_in_parts_of_limited_size(tmp_path):
    """Limits of cells and bytes are for what is in memory at one time."""
    many = pa.table({"a": np.arange(1000.0), "b": ["x", "y"] * 500})
    parquet.write_table(many, tmp_path / "t.parquet", row_group_size=100)
    with ipc.new_file(tmp_path / "t.arrow", many.schema) as out:
        out.write_table(many, max_chunksize=100)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many.to_pylist()))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,x\n" * 1000))
    for file in ("t.parquet", "t.arrow", "t.jsonl", "t.csv.gz"):
        chunks = list(read_chunks(tmp_path / file, rows=100, limits={"cells": 300, "bytes": 4000}))
        assert sum(map(len, chunks)) == 1000


@pytest.mark.parametrize("form", ["stream", "file"])
def test_sizes_that_a_packed_buffer_claims_are_checked(tmp_path, form):
    """The size of a packed buffer is written in its first eight bytes, and memory is asked for it."""
    out = io.BytesIO()
    options = ipc.IpcWriteOptions(compression="zstd")
    with (ipc.new_stream if form == "stream" else ipc.new_file)(out, ZEROS.schema, options=options) as writer:
        writer.write_table(ZEROS)
    data = bytearray(out.getvalue())
    at = data.find(struct.pack("<q", 800_000))
    data[at : at + 8] = struct.pack("<q", 1 << 50)
    (tmp_path / "t.arrow").write_bytes(data)
    with pytest.raises(ReadError, match=f"unpacks to {1 << 50:,} bytes, more than the limit bytes"):
        read(tmp_path / "t.arrow")
    with pytest.raises(ReadError, match=f"unpacks to {1 << 50:,} bytes"):
        list(read_chunks(tmp_path / "t.arrow"))


def test_a_long_word_in_every_row_is_kept_once():
    """Its dictionary has it once, and so has memory: as words of their own the rows would take 80 MB."""
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(4000, np.int32)), ["x" * 20_000])
    out = io.BytesIO()
    parquet.write_table(pa.table({"a": words}), out, store_schema=False)
    before = pa.default_memory_pool()
    pa.set_memory_pool(COUNTING)
    try:
        table = read(io.BytesIO(out.getvalue()))
    finally:
        pa.set_memory_pool(before)
    assert table.shape == (4000, 1)
    assert table.column("a").storage == pa.string()
    assert COUNTING.max_memory() < 8_000_000


def test_columns_of_nothing_are_counted(tmp_path):
    """A column of nulls takes no byte in the file, however many rows it has."""
    nothing = pa.Array.from_buffers(pa.null(), 1 << 30, [None])
    batch = pa.RecordBatch.from_arrays([nothing] * 4096, names=[f"a{at}" for at in range(4096)])
    with ipc.new_file(tmp_path / "t.arrow", batch.schema) as out:
        out.write_batch(batch)
    with pytest.raises(ReadError, match=f"{1 << 42:,} cells, more than the limit cells"):
        read(tmp_path / "t.arrow")
