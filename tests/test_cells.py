"""The comparison of tables with their text: it sees what it is made to see, and finds nothing in tables at hand."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from tools.cells.__main__ import differences_of
from tools.cells.meaning import SAME, of_cells
from tools.cells.text import TextTable

from vaglio.table import Column, Table, read

ROOT = Path(__file__).parents[1]


def _became(cell: str, value: object, **more: object) -> str:
    made = (
        Column.nominal("a", [0] if value is not None else [-1], [value] if value is not None else ["x"])
        if value is None or isinstance(value, str)
        else Column.numeric("a", np.array([value]), **more)
    )
    counted: Counter[str] = Counter()
    text = TextTable.of(f'a\tb\n"{cell}"\t1\n'.encode())
    differences = list(of_cells(Table([made, Column.numeric("b", np.ones(1))]), text, counted))
    return differences[0].what if differences else next(iter(counted - Counter(number=1)), "number")


@pytest.mark.parametrize(
    ("cell", "value", "what"),
    [
        ("1.5", 1.5, "number"),
        ("1.5", 15.0, "other number"),
        ("84.101", 84101.0, "other number"),
        ("84,101", 84101.0, "marks"),
        ("84,101", 84.101, "marks"),
        ("1.234,5", 1234.5, "marks"),
        ("$ -3", -3.0, "unit"),
        ("12 kg", 12.0, "unit"),
        ("12 kg", 13.0, "other number"),
        ("13:08", 47280.0, "time"),
        ("red", "red", "word"),
        ("red", "Red", "other word"),
        ("12", "13", "other word"),
        ("NA", None, "missing"),
        ("Naples", None, "lost, not named"),
    ],
)
def test_a_cell_is_judged_by_its_text(cell, value, what):
    assert _became(cell, value) == what


@pytest.mark.parametrize(
    ("cell", "what"), [("1970-01-02", "date"), ("02/01/1970", "date"), ("1970-01-03", "other date")]
)
def test_a_date_is_judged_by_its_text(cell, what):
    assert _became(cell, 1.0, is_date=True, level="interval") == what


def test_rows_and_names_that_differ_are_seen():
    table = read({"a": [1, 2], "b": [3, 4]})
    for content, what in ((b"a,b\n1,3\n", "rows"), (b"a,c\n1,3\n2,4\n", "names")):
        assert [each.what for each in of_cells(table, TextTable.of(content), Counter())] == [what]


@pytest.mark.slow
def test_the_program_finds_differences_and_takes_judged_ones(tmp_path):
    rows = "".join(f"{at},{at / 4}\n" for at in range(40))
    (tmp_path / "good.csv.gz").write_bytes(gzip.compress(f"a,b\n{rows}".encode()))
    (tmp_path / "lost.csv").write_text(f"a,b\n{rows}7,oops\n")
    judged = tmp_path / "judged.toml"
    judged.write_text('[[judged]]\nfiles = ["*/lost.csv"]\ncolumns = ["b"]\nwhy = "a word among numbers"\n')
    for more, code in (((), 1), (("--judged", judged), 0)):
        command = [sys.executable, "-m", "tools.cells", tmp_path, *more]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
        assert done.returncode == code, done.stdout + done.stderr
        assert ("'oops' -> None" in done.stdout) == (not more)
        assert "2 tables read, 162 cells" in done.stdout


# The other files of the folder begin with a line of counts, and are no tables.
TABLES = ("diabetes_data_raw.csv.gz", "digits.csv.gz")


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_tables_of_scikit_learn_mean_what_their_text_says(name):
    content = gzip.decompress((Path(sklearn.datasets.__file__).parent / "data" / name).read_bytes())
    cells: Counter[str] = Counter()
    found = list(differences_of(content, cells, Counter()))
    assert [each.what for each in found] in ([], ["0 rows of names"])
    assert cells.total() > 400
    assert set(cells) <= SAME
