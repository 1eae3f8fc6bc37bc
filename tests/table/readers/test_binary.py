"""Parquet, Feather and Arrow files."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from vaglio.errors import ReadError
from vaglio.table import read

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
    with pytest.raises(ReadError, match="Parquet but damaged or cut short"):
        read(tmp_path / "t.parquet")
