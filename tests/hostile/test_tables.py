"""Table files that lie, or that no program would write: refused by an error of vaglio's own, with little memory."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from vaglio import read
from vaglio.errors import ReadError
from vaglio.table import read_chunks
from vaglio.table.readers.binary import _bytes_shown
from vaglio.table.readers.binary_sizes import I32, Thrift, measure_pages


@pytest.mark.parametrize("form", ["'", '"\'"', "'%'", "'é'"])
def test_an_arff_date_needs_a_part_of_a_date(form: str) -> None:
    """By an empty format pyarrow reads memory that is not its own, and sometimes crashes."""
    text = f"@relation r\n@attribute day date {form}\n@attribute x numeric\n@data\n2020-01-02,1\n"
    with pytest.raises(ReadError, match=r"line 2: the date format .* of 'day' has no year, month, day or time"):
        read(io.BytesIO(text.encode()))


@pytest.mark.parametrize("row", ["{0 1}", "1"])
def test_an_arff_row_of_a_weight_alone(row: str) -> None:
    text = f"@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n{row}\n, {{2}}\n"
    with pytest.raises(ReadError, match="row"):
        read(io.BytesIO(text.encode()))


def _varint(value: int, length: int = 0) -> bytes:
    """Return a number as Thrift writes it (zigzag), with as many bytes as wished: needless ones are allowed."""
    rest, out = value << 1, []
    while rest > 0x7F or len(out) < length - 1:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def _lying(packing: str, *, dictionary: bool = False, unpacked: int = 0, values: int = 500) -> bytes:
    """Return a Parquet file of one column whose first page says another size or number of values than it has."""
    out = io.BytesIO()
    words = pa.array([f"word {at:04}" for at in range(500)])
    # The checksum takes six bytes of the header, which the lie needs.
    kept = {"compression": packing, "use_dictionary": dictionary, "write_page_checksum": True}
    parquet.write_table(pa.table({"a": words}), out, write_statistics=False, **kept)
    content = out.getvalue()
    chunk = parquet.ParquetFile(out).metadata.row_group(0).column(0)
    start = chunk.dictionary_page_offset if dictionary else chunk.data_page_offset
    thrift = Thrift(content[start:])
    said = thrift.struct({2: I32, 3: I32})
    kind, inner = (b"\x15\x04", b"\x4c\x15") if dictionary else (b"\x15\x00", b"\x2c\x15")
    before = kind + b"\x15"
    after = b"\x15" + _varint(said[3]) + inner + _varint(values)
    after += b"\x15\x00\x00\x00" if dictionary else b"\x15\x00\x15\x06\x15\x06\x00\x00"
    header = before + _varint(unpacked or said[2], thrift.at - len(before) - len(after)) + after
    assert len(header) == thrift.at
    return content[:start] + header + content[start + len(header) :]


LARGE = 2**31 - 8


@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("packing", ["none", "snappy", "gzip", "lz4", "zstd"])
def test_a_parquet_page_that_lies_about_its_size(packing: str, dictionary: bool) -> None:
    """pyarrow makes room for the size that the page names; the footer says nothing of it."""
    honest = _lying(packing, dictionary=dictionary)
    assert read(io.BytesIO(honest), levels={"a": "nominal"}).column("a").n_distinct == 500
    pool = pa.default_memory_pool()
    before = pool.max_memory()
    with pytest.raises(ReadError, match=r"more bytes than it can|more than the limit bytes"):
        read(io.BytesIO(_lying(packing, dictionary=dictionary, unpacked=LARGE)), limits={"bytes": 1 << 30})
    assert pool.max_memory() < before + (1 << 26)


@pytest.mark.parametrize("dictionary", [False, True])
def test_a_parquet_page_that_lies_about_its_values(dictionary: bool, tmp_path: Path) -> None:
    path = tmp_path / "lie.parquet"
    path.write_bytes(_lying("none", dictionary=dictionary, values=LARGE))
    with pytest.raises(ReadError, match=r"more words than bytes|more values than rows"):
        read(path)
    with pytest.raises(ReadError, match=r"more words than bytes|more values than rows"):
        list(read_chunks(path, rows=10))


@pytest.mark.slow
@pytest.mark.parametrize("packing", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_the_pages_of_a_usual_parquet_file_are_measured(packing: str, version: str, dictionary: bool) -> None:
    n = 6000
    table = pa.table(
        {"a": range(n), "s": [f"word {at % 9}" for at in range(n)], "t": [f"text number {at}" for at in range(n)]}
    )
    table = table.append_column("none", pa.nulls(n, pa.float64())).append_column(
        "flag", pa.array([True, None] * (n // 2))
    )
    out = io.BytesIO()
    kept = {"compression": packing, "data_page_version": version, "use_dictionary": dictionary}
    parquet.write_table(table, out, row_group_size=2500, data_page_size=3000, write_page_checksum=dictionary, **kept)
    about = parquet.ParquetFile(out).metadata
    found = measure_pages(pa.BufferReader(out.getvalue()))
    assert [len(group) for group in found] == [5] * about.num_row_groups
    for at, group in enumerate(found):
        for column, pages in enumerate(group):
            whole = about.row_group(at).column(column).total_uncompressed_size  # with the headers of the pages
            assert pages.largest <= pages.unpacked <= whole < pages.unpacked + 60 * (2 + pages.unpacked // 1000 + 3)
    assert read(io.BytesIO(out.getvalue())).shape == (n, 5)


@pytest.mark.parametrize("packing", [38, 3])
def test_a_parquet_column_of_an_unknown_packing(packing: int) -> None:
    """What pyarrow shows of such a column throws where nothing catches it: the process ends."""
    content = bytearray(_lying("zstd"))
    # In the footer the packing (field 4 of a column, a number) follows the name of the column.
    at = content.index(b"\x15", content.rindex(b"\x01a\x15")) + 1
    assert content[at] == 12  # Zstandard is number 6
    content[at] = 2 * packing
    with pytest.raises(ReadError, match="damaged"):
        read(io.BytesIO(bytes(content)))


def test_parquet_words_that_continue_the_last_one(tmp_path: Path) -> None:
    """A page of a few bytes holds gigabytes of words, each "the last one again"; other such pages are usual files."""
    words = ["x" * 20_000] * 400 + [f"usual {at}" for at in range(100)]
    chained = {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}}
    path = tmp_path / "chained.parquet"
    parquet.write_table(pa.table({"a": words, "b": np.arange(500.0)}), path, **chained)
    assert path.stat().st_size < 100_000
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    limits = {"bytes": 2_000_000}
    table = read(path, levels={"a": "nominal"}, limits=limits)
    assert table["a"].tolist() == words
    chunks = list(read_chunks(path, rows=100, limits=limits))
    assert [word for chunk in chunks for word in chunk["a"]] == words
    assert pool.bytes_allocated() < before + 10_000_000
    growing = [("y" * at) for at in range(1, 3001)]
    parquet.write_table(pa.table({"a": growing}), path, **chained)
    with pytest.raises(ReadError, match=r"column 'a', unpacks to at least .* limit bytes"):
        read(path, limits=limits)


@pytest.mark.parametrize("more", [0, 2, 3, 16, 30])
def test_bytes_behind_the_words_of_an_arrow_column(more: int, tmp_path: Path) -> None:
    """The buffer of views may be longer than its words, and of any length."""
    words = pa.array(["a", None, "a word of more than twelve letters"], pa.string_view())
    present, views, *rest = words.buffers()
    longer = pa.py_buffer(views.to_pybytes()[: 3 * 16] + b"x" * more)
    column = pa.Array.from_buffers(pa.string_view(), 3, [present, longer, *rest])
    assert _bytes_shown(column) == 1 + 34
    assert _bytes_shown(column[1:]) == 34
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, pa.schema({"w": words.type})) as out:
        out.write_batch(pa.record_batch({"w": column}))
    assert read(tmp_path / "t.arrow").to_arrow()["w"].to_pylist() == words.to_pylist()
