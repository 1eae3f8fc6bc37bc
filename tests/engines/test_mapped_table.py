"""Tables whose columns are files: the same table, the same audit and exploration as in memory."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio import Table, scan, streaming
from vaglio.engines import mapped_table as module
from vaglio.engines.mapped_table import mapped_table, table_of
from vaglio.errors import InputError
from vaglio.quality import explore


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_audit_and_exploration_are_those_of_the_table_in_memory(frame, tmp_path, suffix):
    file = tmp_path / f"rows.{suffix}"
    vaglio.table.write(Table.from_any(frame), file)
    whole = scan(file).read()
    with streaming("4GB", chunk_rows=500):
        mapped = table_of(scan(file, part_rows=800))
    assert mapped == whole
    assert all(isinstance(_root(mapped.column(name).data), np.memmap) for name in mapped.columns)
    assert vaglio.audit(mapped, "target").to_dict() == vaglio.audit(whole, "target").to_dict()
    assert explore(mapped, "target").to_dict() == explore(whole, "target").to_dict()


def _root(array: np.ndarray) -> object:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.slow
def test_drift_is_that_of_tables_in_memory(frame, tmp_path, path):
    moved = frame.assign(real=frame["real"] + 2, word=frame["word"].replace("x", "new"))
    moved.to_parquet(tmp_path / "moved.parquet")
    found = vaglio.audit(scan(tmp_path / "moved.parquet"), "target", reference=scan(path))
    assert found.to_dict() == vaglio.audit(
        scan(tmp_path / "moved.parquet").read(), "target", reference=scan(path).read()
    ).to_dict()  # fmt: skip
    assert {name for finding in found.of_kind("drift") for name in finding.columns} == {"real", "word"}


def test_chunks_without_values_infinite_numbers_and_other_kinds():
    first = Table.from_any({"n": [None, None], "w": [None, None], "d": [1.0, 2.0]})
    second = Table.from_any({"n": [1.0, 2.0], "w": ["b", "a"], "d": [3.0, None]})
    whole = mapped_table([first, second, first])
    assert whole["w"].tolist() == [None, None, "b", "a", None, None]
    assert np.array_equal(whole["n"], [np.nan, np.nan, 1, 2, np.nan, np.nan], equal_nan=True)
    with pytest.raises(InputError, match="'w' is nominal in some rows and numeric in others"):
        mapped_table([second, Table.from_any({"n": [1.0], "w": [2.0], "d": [1.0]})])


def test_too_little_memory_and_too_many_words_are_said(path, monkeypatch):
    with pytest.raises(InputError, match="column by column"), streaming("1MB"):
        table_of(scan(path))
    monkeypatch.setattr(module, "MOST_CATEGORIES", 10)
    with pytest.raises(InputError, match="'many' has more than 10 categories"):
        table_of(scan(path))


def test_a_full_disk_is_said(path, monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_made", lambda folder: Full())
    with pytest.raises(InputError, match="the disk is full"):
        table_of(scan(path))
