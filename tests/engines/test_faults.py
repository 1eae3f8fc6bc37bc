"""Files that are damaged or differ, a full disk, too little memory, an interrupted training."""

from __future__ import annotations

import errno

import numpy as np
import pandas as pd
import pytest
from tests.engines.conftest import make_frame, sha

from vaglio import LogisticRegression, NaiveBayesClassifier, scan, streaming
from vaglio.engines import disk, spill
from vaglio.errors import InputError, ReadError
from vaglio.learners.linear.estimators import logistic_solver
from vaglio.table import write as write_table

NAIVE = NaiveBayesClassifier(likelihood="mdl")


def write(folder, **frames):
    for name, frame in frames.items():
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    return scan(folder).xy("target")


def test_a_corrupt_row_group_is_named(tmp_path, frame):
    place = tmp_path / "rows.parquet"
    frame.to_parquet(place, row_group_size=1000, compression="snappy")
    import pyarrow.parquet as pq

    column = pq.ParquetFile(place).metadata.row_group(1).column(1)
    data = bytearray(place.read_bytes())
    at = column.dictionary_page_offset or column.data_page_offset
    data[at + 30 : at + column.total_compressed_size - 30] = b"\xff" * (column.total_compressed_size - 60)
    place.write_bytes(data)
    with pytest.raises(ReadError, match=r"rows\.parquet, row group 1, is damaged"):
        NAIVE.fit(*scan(place).drop(["weight"]).xy("target"))


def test_a_file_without_a_column_is_named(tmp_path):
    rows = make_frame(50)
    with pytest.raises(ReadError, match=r"b\.parquet lacks the column 'real'"):
        NAIVE.fit(*write(tmp_path, a=rows, b=rows.drop(columns="real")))


def test_a_file_with_another_type_is_named(tmp_path):
    rows = make_frame(50)
    with pytest.raises(ReadError, match=r"b\.parquet: column 'count' is nominal .*, but numeric in the first file"):
        NAIVE.fit(*write(tmp_path, a=rows, b=rows.assign(count="many")))


def test_parts_with_other_categories_one_class_and_no_rows(tmp_path):
    rows = make_frame(300)
    parts = {"a": rows.iloc[:100], "b": rows.iloc[:0], "c": rows.iloc[100:].sort_values("target")}
    X, y = write(tmp_path, **parts)
    with streaming(chunk_rows=20):
        model = NAIVE.fit(X, y)
    whole = pd.concat(parts.values())
    expected = NaiveBayesClassifier(likelihood="mdl").fit(whole.drop(columns="target"), whole["target"].to_numpy(str))
    assert sha(model) == sha(expected)


def test_rows_without_a_class_are_left_out_and_a_table_of_them_is_refused(tmp_path):
    rows = make_frame(200)
    rows.loc[::2, "target"] = None
    model = NAIVE.fit(*write(tmp_path, a=rows))
    assert model.class_count_.sum() == 100
    rows["target"] = pd.Series([None] * 200, dtype="string")
    with pytest.raises(InputError, match="nothing to learn"):
        NAIVE.fit(*write(tmp_path, a=rows))


def test_a_full_disk_is_said(monkeypatch, lazy, tmp_path):
    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spill.np, "save", full)
    monkeypatch.setattr(disk, "_APART", 1 << 50)  # no room in memory
    monkeypatch.setattr(disk, "_chunk_rows", lambda *_: 500)
    with streaming(spill=tmp_path), pytest.raises(InputError, match="the disk is full"):
        NAIVE.fit(*lazy.xy("target"))
    assert not list(tmp_path.iterdir())


def test_what_does_not_fit_in_memory_goes_to_disk_and_is_removed(monkeypatch, lazy, tmp_path):
    with streaming(chunk_rows=500):
        expected = sha(NAIVE.fit(*lazy.xy("target")))
    written = []
    original = spill.Spill.close
    monkeypatch.setattr(spill.Spill, "close", lambda self: (written.append(self.written), original(self)))
    monkeypatch.setattr(disk, "_APART", 1 << 50)
    with streaming(spill=tmp_path, chunk_rows=500):
        assert sha(NAIVE.fit(*lazy.xy("target"))) == expected
    assert written[0] > 3000 * 10
    assert not list(tmp_path.iterdir())


def test_too_little_memory_names_the_least(lazy):
    with streaming("64MB"), pytest.raises(InputError, match=r"at least [\d,]+ MB"):
        NAIVE.fit(*lazy.xy("target"))


@pytest.mark.slow
def test_a_training_goes_on_from_its_checkpoint(monkeypatch, lazy, tmp_path):
    monkeypatch.setattr(logistic_solver, "_SAMPLE_ROWS", 600)
    monkeypatch.setattr(logistic_solver, "_ROWS_PER_COEFFICIENT", 1)
    X, y = lazy.xy("target")
    expected = sha(LogisticRegression().fit(X, y))
    asked: list[str] = []

    def interrupting(done, total, what):
        asked.append(what)
        if what == "loss and slopes" and asked.count(what) > 2 * 4:
            raise KeyboardInterrupt

    with streaming(checkpoint=tmp_path, progress=interrupting), pytest.raises(KeyboardInterrupt):
        LogisticRegression().fit(X, y)
    kept = len(list(tmp_path.glob("pass-*")))
    assert kept >= 3
    with streaming(checkpoint=tmp_path), pytest.raises(InputError, match="resume"):
        LogisticRegression().fit(X, y)
    with streaming(checkpoint=tmp_path, resume=True), pytest.raises(InputError, match="another training"):
        LogisticRegression(C=2.0).fit(X, y)
    again: list[str] = []
    with streaming(checkpoint=tmp_path, resume=True, progress=lambda done, total, what: again.append(what)):
        assert sha(LogisticRegression().fit(X, y)) == expected
    assert "means and deviations" in asked
    assert "means and deviations" not in again


def test_a_damaged_checkpoint_is_named(lazy, tmp_path):
    X, y = lazy.xy("target")
    with streaming(checkpoint=tmp_path):
        NAIVE.fit(X, y)
    (tmp_path / "pass-00000").write_bytes(b"nothing")
    with streaming(checkpoint=tmp_path, resume=True), pytest.raises(InputError, match="is damaged"):
        NAIVE.fit(X, y)


def test_a_checkpoint_that_names_code_is_refused(lazy, tmp_path):
    import os
    import pickle
    import zlib

    class Hostile:
        def __reduce__(self):
            return os.getpid, ()

    X, y = lazy.xy("target")
    with streaming(checkpoint=tmp_path):
        NAIVE.fit(X, y)
    (tmp_path / "pass-00000").write_bytes(zlib.compress(pickle.dumps(("x", Hostile()))))
    with streaming(checkpoint=tmp_path, resume=True), pytest.raises(InputError, match="which no summary has"):
        NAIVE.fit(X, y)


def test_infinite_numbers_and_bad_weights_are_named(tmp_path):
    rows = make_frame(60)
    rows.loc[40, "real"] = np.inf
    with pytest.raises(InputError, match=r"a\.parquet.*'real'.*infinite"):
        NAIVE.fit(*write(tmp_path, a=rows))
    rows["real"] = 1.0
    rows.loc[7, "weight"] = -1
    rows.to_parquet(tmp_path / "a.parquet")
    data = scan(tmp_path)
    X, y = data.drop(["weight"]).xy("target")
    with pytest.raises(InputError, match="weight"):
        NAIVE.fit(X, y, sample_weight=data["weight"])


def test_a_checkpoint_of_rows_that_were_changed_is_refused(tmp_path):
    rows = make_frame(3000)
    kept = tmp_path / "kept"
    rows.to_parquet(tmp_path / "a.parquet", index=False)
    with streaming(checkpoint=kept):
        NAIVE.fit(*scan(tmp_path / "a.parquet").drop(["weight"]).xy("target"))
    for number in (17, 1111, 2999):
        changed = rows.copy()
        changed.loc[number, "target"] = "other"
        changed.to_parquet(tmp_path / "a.parquet", index=False)
        with streaming(checkpoint=kept, resume=True), pytest.raises(InputError, match="another training"):
            NAIVE.fit(*scan(tmp_path / "a.parquet").drop(["weight"]).xy("target"))


def test_a_checkpoint_that_cannot_be_made_is_said(lazy, tmp_path):
    (tmp_path / "file").write_text("")
    with streaming(checkpoint=tmp_path / "file" / "kept"), pytest.raises(InputError, match="Name another folder"):
        NAIVE.fit(*lazy.xy("target"))


@pytest.mark.parametrize("name", ["a.parquet", "a.csv"])
def test_a_file_that_changes_after_it_was_scanned_is_named(tmp_path, name):
    rows = make_frame(200)
    write_table(rows, tmp_path / name)
    X, y = scan(tmp_path / name).drop(["weight"]).xy("target")
    expected = sha(NAIVE.fit(X, y))
    changed = rows.copy()
    changed.loc[199, "real"] = 7.25
    write_table(changed, tmp_path / name)
    with pytest.raises(ReadError, match=rf"{name} has changed since it was scanned"):
        NAIVE.fit(X, y)
    write_table(rows, tmp_path / name)  # written again, with the same content
    assert sha(NAIVE.fit(X, y)) == expected
    (tmp_path / name).unlink()
    with pytest.raises(ReadError, match="does not exist"):
        NAIVE.fit(X, y)


def test_a_partition_that_has_other_rows_when_it_is_made_again_is_named():
    from vaglio.engines.dask import _rows_of

    with pytest.raises(InputError, match="starting at row 11 had 5 rows and has 0 after"):
        _rows_of(None, None, 10, 5, None)


def test_the_row_of_an_error_is_counted_from_where_it_says(tmp_path):
    rows = make_frame(60)
    rows.loc[45, "real"] = np.inf
    X, y = write(tmp_path, a=rows)
    with streaming(chunk_rows=20), pytest.raises(InputError, match=r"a\.parquet.*after the first 40 rows: .*row 6\b"):
        NAIVE.fit(X, y)
