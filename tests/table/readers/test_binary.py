"""Parquet, Feather and Arrow files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from vaglio.errors import ReadError
from vaglio.table import read, read_chunks

from .frames import FRAME, check


def test_parquet_is_read_with_its_categories(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    table = read(tmp_path / "t.parquet")
    check(table)
    assert table.column("c").categories == ("lo", "mid", "hi")
    assert table.column("c").level == "ordinal"


def test_feather_and_arrow_streams_are_read(tmp_path):
    arrow = pa.Table.from_pandas(FRAME)
    feather.write_feather(arrow, tmp_path / "t.feather")
    with ipc.new_stream(tmp_path / "s.arrow", arrow.schema) as out:
        out.write_table(arrow)
    check(read(tmp_path / "t.feather"))
    check(read(tmp_path / "s.arrow"))


def test_a_damaged_parquet_file_is_an_error(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match="Parquet but damaged or incomplete"):
        read(tmp_path / "t.parquet")


def test_missing_cells_that_point_to_nowhere_are_harmless(tmp_path):
    """What stands behind a missing cell is not checked by pyarrow, and crashed it when the words were copied."""
    views = np.array([[3 | (0x636261 << 32), 0], [1000 | (0x7A << 32), 0x7FFFFFFF_7FFFFFFF]], np.int64)
    valid = pa.array([True, False]).buffers()[1]
    words = pa.Array.from_buffers(pa.string_view(), 2, [valid, pa.py_buffer(views.tobytes()), pa.py_buffer(b"z" * 8)])
    codes = pa.Array.from_buffers(pa.int32(), 2, [valid, pa.py_buffer(np.array([0, 1 << 30], np.int32).tobytes())])
    coded = pa.DictionaryArray.from_arrays(codes, ["u"], safe=False)
    batch = pa.RecordBatch.from_arrays([words, coded], names=["a", "b"])
    with ipc.new_stream(tmp_path / "t.arrow", batch.schema) as out:
        out.write_batch(batch)
    table = read(tmp_path / "t.arrow")
    assert table["a"].tolist() == ["abc", None]
    assert table["b"].tolist() == ["u", None]


def test_feather_version_1_is_refused_by_name(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + b"\0" * 60 + b"FEA1")
    for reader in (read, lambda path: list(read_chunks(path))):
        with pytest.raises(
            ReadError, match=r"is Feather version 1, which vaglio does not read.* Convert a file you trust with"
        ):
            reader(tmp_path / "t.feather")
