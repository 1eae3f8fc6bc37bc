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
from vaglio.table.readers.parquet_sizes import _Thrift


@pytest.mark.parametrize("form", ["'", '"\'"', "'%'", "'é'"])
def test_an_arff_date_needs_a_part_of_a_date(form: str) -> None:
    """By an empty format pyarrow reads memory that is not its own, and sometimes crashes."""
    text = f"@relation r\n@attribute day date {form}\n@attribute x numeric\n@data\n2020-01-02,1\n"
    with pytest.raises(ReadError, match=r"line 2: the date format .* of 'day' names no part of a date"):
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
    thrift = _Thrift(content[start:])
    said = thrift.struct()
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
    with pytest.raises(ReadError, match=r"more than it can|more than the limit bytes"):
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
