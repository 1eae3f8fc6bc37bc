"""What is written is read back; a file appears whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import polars
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from vaglio.errors import InputError
from vaglio.table import Table, TableWriter, read, read_chunks, write

FRAME = {"n": [1.5, None, 3.0], "k": [1, 2, 3], "w": ["plain", 'with "quotes", and\nlines', None]}


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.feather", "t.jsonl", "t.csv.gz", "t.jsonl.gz"])
def test_round_trip(tmp_path, name):
    table = Table.from_any(FRAME)
    write(table, tmp_path / name)
    back = read(tmp_path / name, levels={"w": "nominal"}, roles={"k": "input"})
    assert back == table
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.jsonl"])
def test_chunks_make_one_file(tmp_path, name):
    table = Table.from_any(FRAME)
    with TableWriter(tmp_path / name) as out:
        for at in range(3):
            out.write(table[at])
    assert read(tmp_path / name, levels={"w": "nominal"}, roles={"k": "input"}) == table


def test_plain_words_are_not_quoted(capfdbinary):
    write(pd.DataFrame({"a": ["x", None], "b": [1, 2]}), "-")
    assert capfdbinary.readouterr().out == b"a,b\nx,1\n,2\n"


def test_nothing_is_left_behind_on_failure(tmp_path):
    (tmp_path / "t.csv").write_text("old")

    def fail():
        with TableWriter(tmp_path / "t.csv") as out:
            out.write(FRAME)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert os.listdir(tmp_path) == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == "old"


def test_bad_targets(tmp_path):
    with pytest.raises(InputError, match="extension does not name a format"):
        write(FRAME, tmp_path / "t.doc")
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        write(FRAME, tmp_path / "nowhere" / "t.csv")
    with pytest.raises(InputError, match="not as 'xml'"):
        write(FRAME, tmp_path / "t.xml", format="xml")
    with TableWriter(tmp_path / "t.csv") as out:
        out.write(FRAME)
        with pytest.raises(InputError, match="have the columns"):
            out.write({"other": [1]})


def test_further_columns_come_last_and_under_a_name_that_is_free(tmp_path):
    with TableWriter(tmp_path / "t.csv") as out:
        out.write(Table.from_any({"a": [1, 2], "b": [3, 4]}), {"b": [5, 6], "c": ["x", "y"]})
    assert (tmp_path / "t.csv").read_text() == "a,b,b_2,c\n1,3,5,x\n2,4,6,y\n"


# Whole numbers at the borders of what float64, int64 and uint64 hold.
WHOLE = {
    "small": [0, 1, -2, 2**53] * 3,
    "beyond float64": [2**53 + at for at in range(12)],
    "negative": [-(2**60) - at // 2 for at in range(12)],
    "64 bits": [2**63 - 1 - at for at in range(12)],
    "mixed": [5, 2**53 + 1, 2**62 + 1, -7] * 3,
}
UNSIGNED = {**WHOLE, "unsigned": [2**64 - 1 - at for at in range(12)]}
TEXT = {**UNSIGNED, "30 digits": [10**29 + at for at in range(12)]}


def _written_as(numbers: list[int], form: str, path: Path) -> object:
    """Return a source with these numbers, written by another program than ours."""
    rows = [{"n": number, "k": at % 3} for at, number in enumerate(numbers)]
    if form == "csv":
        path.write_text("n,k\n" + "".join(f"{row['n']},{row['k']}\n" for row in rows))
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "json":
        path.write_text(json.dumps(rows))
    elif form == "json columns":
        path.write_text(json.dumps({name: [row[name] for row in rows] for name in ("n", "k")}))
    elif form == "list":
        return rows
    else:
        kind = pa.uint64() if max(numbers) >= 2**63 else pa.int64()
        frame = pa.table({"n": pa.array(numbers, kind), "k": [row["k"] for row in rows]})
        if form in ("parquet", "feather"):
            (parquet.write_table if form == "parquet" else feather.write_feather)(frame, path)
        else:
            return {"pandas": frame.to_pandas, "polars": lambda: polars.from_arrow(frame), "arrow": lambda: frame}[
                form
            ]()
    return path


FORMS = {
    **dict.fromkeys(("csv", "jsonl", "json", "json columns", "list"), TEXT),
    **dict.fromkeys(("parquet", "feather", "pandas", "polars", "arrow"), UNSIGNED),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_no_digit_of_a_whole_number_is_lost(tmp_path, form):
    """Over every reader and writer: read, taken as by dtypes, in chunks, declared numeric, written and read again."""
    for what, numbers in FORMS[form].items():
        source = _written_as(numbers, form, tmp_path / f"t.{form.partition(' ')[0]}")
        is_file = isinstance(source, Path)
        tables = {"read": read(source), "numeric": read(source, levels={"n": "numeric"}, roles={"n": "input"})}
        # Chunks of CSV without given types are read by types that Arrow finds, and it has none beyond 64 bits.
        if is_file and (form != "csv" or what in WHOLE):
            tables["chunks"] = Table.from_any(pa.concat_tables(each.to_arrow() for each in read_chunks(source, rows=5)))
        elif not is_file:
            tables["by dtype"] = Table.from_any(source)
            assert tables["by dtype"].column("n").kind == "numeric"
        for how, table in tables.items():
            assert table.column("n").n_distinct == len(set(numbers)), (what, how)
            some = table[[3, 1, 2]]
            for suffix in ("csv", "jsonl", "parquet", "feather", "tsv"):
                write(some, tmp_path / f"o.{suffix}")
                back = read(tmp_path / f"o.{suffix}", levels={"n": "nominal"}).column("n").values
                assert [int(value) for value in back] == [numbers[at] for at in (3, 1, 2)], (what, how, suffix)


@pytest.mark.parametrize("kind", ["Int64", "UInt64", "int64[pyarrow]", object])
def test_whole_numbers_beside_missing_ones_keep_their_digits_in_pandas(kind):
    numbers = [2**60 + 1, 2**60 + 4, 7]
    frame = pd.DataFrame({"n": pd.Series([*numbers, None], dtype=kind)})
    for table in (Table.from_any(frame), read(frame)):
        found = table.to_frame()["n"]
        assert [str(value) for value in found[:3]] == [*map(str, numbers)]
        assert found.isna().tolist() == [False, False, False, True]
    # Others are the floats that pandas makes of them.
    assert Table.from_any(pd.DataFrame({"n": pd.array([1, None], dtype="Int64")})).to_frame()["n"].dtype == float


def test_changed_numbers_are_not_written_as_they_were():
    column = Table.from_any({"n": [2**53 + 1, 2**60]}).column("n")
    assert column.replace(role="ignored").exact is not None
    assert Table([column.replace(data=column.data / 2)]).to_arrow()["n"].to_pylist() == [2**52, 2**59]
