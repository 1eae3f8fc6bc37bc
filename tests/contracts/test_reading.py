"""The same text means the same, on whatever way it comes to a model: the same value, or the same refusal."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from tests.cli.conftest import run_here
from tests.contracts.cell_texts import COLUMNS, TEXTS
from tools.cells.readings import for_a_model, in_parts
from tools.cells.text import TextTable

import vaglio
import vaglio.evaluation
from vaglio import datasets
from vaglio.encode import Codebook
from vaglio.engines.sources import source_of
from vaglio.errors import InputError
from vaglio.fitted.one_row import OneRow, _reader
from vaglio.serve import wire
from vaglio.serve.http.responses import ProblemError
from vaglio.table import Table, read, read_chunks, scan
from vaglio.table.scanned.parts import Reading

pytestmark = pytest.mark.filterwarnings("ignore")


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _csv(name: str, cells: Iterable[str], delimiter: str) -> bytes:
    return f"{name}{delimiter}z\n{''.join(f'{_quoted(cell)}{delimiter}u' + chr(10) for cell in cells)}".encode()


def _arrow(name: str, cells: list[str], kind: Any = None) -> pa.Table:
    return pa.table({name: pa.array(cells, kind or pa.string()), "z": ["u"] * len(cells)})


def _parquet(name: str, cells: list[str], folder: Path) -> Path:
    pq.write_table(_arrow(name, cells), folder / "rows.parquet")
    return folder / "rows.parquet"


def _feather(name: str, cells: list[str], kind: Any = None) -> bytes:
    sink, rows = io.BytesIO(), _arrow(name, cells, kind)
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue()


def _excel(name: str, cells: list[str], folder: Path) -> Path:
    book = Workbook()
    book.active.append([name, "z"])
    for cell in cells:
        book.active.append(["-", "u"])
        # Set as text: openpyxl would make a formula of =1+1.
        book.active.cell(book.active.max_row, 1)._value = cell
    book.save(folder / "rows.xlsx")
    return folder / "rows.xlsx"


def _scanned(codebook: Codebook, path: Path) -> Table:
    """Return what a scan of a file gives to a model, as the command line scans it."""
    data = scan(path)
    known = codebook.cell_formats
    columns = tuple((name, known.get(name, cell_format)) for name, cell_format in data.reading.columns)
    return vaglio.table.scanned.joined(list(SimpleScan(data, Reading(columns)).chunks()))


class SimpleScan:
    def __init__(self, data: Any, reading: Reading) -> None:
        self.data, self.reading = data, reading

    def chunks(self) -> Iterable[Table]:
        for part in self.data.parts:
            yield from part.tables(self.reading, 64)


def _served(codebook: Codebook, body: bytes, media: str) -> Table:
    bounds: Any = SimpleNamespace(rows=10**6, text=10**6, body=10**7)
    fitted: Any = SimpleNamespace(codebook=codebook, cell_formats=codebook.cell_formats)
    return wire.read_table(body, media, fitted, bounds)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# Way -> the rows as a model gets them.
SURFACES: dict[str, Callable[[Codebook, str, list[str], Path], Any]] = {
    "tabs": lambda book, name, cells, _: read(
        io.BytesIO(_csv(name, cells, "\t")), like=book.cell_formats, delimiter="\t", header=True
    ),
    "semicolons": lambda book, name, cells, _: read(
        io.BytesIO(_csv(name, cells, ";")), like=book.cell_formats, delimiter=";", header=True
    ),
    "commas in chunks": lambda book, name, cells, _: list(
        read_chunks(io.BytesIO(_csv(name, cells, ",")), like=book.cell_formats, delimiter=",", header=True)
    ),
    "scanned text": lambda book, name, cells, folder: _scanned(
        book, _written(folder / "rows.csv", _csv(name, cells, ","))
    ),
    "JSON lines": lambda book, name, cells, _: list(
        read_chunks(
            io.BytesIO("".join(json.dumps({name: cell}) + "\n" for cell in cells).encode()), like=book.cell_formats
        )
    ),
    "JSON": lambda book, name, cells, _: read(
        io.BytesIO(json.dumps([{name: cell} for cell in cells]).encode()), like=book.cell_formats, format="json"
    ),
    "Parquet": lambda book, name, cells, folder: read(_parquet(name, cells, folder), like=book.cell_formats),
    "Parquet in chunks": lambda book, name, cells, folder: list(
        read_chunks(_parquet(name, cells, folder), like=book.cell_formats)
    ),
    "Feather": lambda book, name, cells, _: read(
        io.BytesIO(_feather(name, cells)), like=book.cell_formats, format="feather"
    ),
    "Feather of views": lambda book, name, cells, _: read(
        io.BytesIO(_feather(name, cells, pa.string_view())), like=book.cell_formats, format="feather"
    ),
    "Feather of views in chunks": lambda book, name, cells, folder: list(
        read_chunks(_written(folder / "rows.feather", _feather(name, cells, pa.string_view())), like=book.cell_formats)
    ),
    "Excel": lambda book, name, cells, folder: read(_excel(name, cells, folder), like=book.cell_formats, header=True),
    "served CSV": lambda book, name, cells, _: _served(book, _csv(name, cells, ","), wire.CSV),
    "served Arrow": lambda book, name, cells, _: _served(book, _feather(name, cells), wire.ARROW),
    "served Arrow of views": lambda book, name, cells, _: _served(
        book, _feather(name, cells, pa.string_view()), wire.ARROW
    ),
    "served JSON": lambda book, name, cells, _: Table.from_any({name: cells}),
    "pandas": lambda book, name, cells, _: pd.DataFrame({name: pd.Series(cells, dtype=object)}),
    "categorical": lambda book, name, cells, _: pd.DataFrame({name: pd.Categorical(cells)}),
    "polars": lambda book, name, cells, _: pl.DataFrame({name: cells}),
    "rows": lambda book, name, cells, _: [{name: cell} for cell in cells],
    "Dask": lambda book, name, cells, _: dd.from_pandas(pd.DataFrame({name: pd.Series(cells, dtype=object)})),
    "one row": lambda book, name, cells, _: cells,
}


def _codes(codebook: Codebook, rows: Any) -> list[float | None]:
    if isinstance(rows, dd.DataFrame):
        source = source_of(rows)
        codes = source.apply(lambda part: np.array(_codes(codebook, part), dtype=float), ("code",), np.empty(0))
        return [None if code != code else code for code in codes.compute(scheduler="synchronous").tolist()]
    matrix = codebook.encode(rows)
    found = (matrix.numeric if matrix.numeric.shape[1] else matrix.codes)[:, 0]
    missing = np.isnan(found) if matrix.numeric.shape[1] else found < 0
    return [None if absent else float(value) for value, absent in zip(found, missing)]


def _one_by_one(codebook: Codebook, name: str, cells: list[str]) -> list[float | None]:
    one = OneRow.__new__(OneRow)
    one.fitted = SimpleNamespace(codebook=codebook)  # type: ignore[assignment]
    one.reader = _reader(one.fitted)
    found = []
    for cell in cells:
        blocks = one._matrix({name: cell})
        value = (blocks.numeric if blocks.numeric.shape[1] else blocks.codes)[0, 0]
        found.append(None if value != value or (not blocks.numeric.shape[1] and value < 0) else float(value))
    return found


def meant(way: str, codebook: Codebook, name: str, cells: list[str], folder: Path) -> Any:
    """Return what a model sees of the cells, or that they are refused."""
    try:
        if way == "one row":
            return _one_by_one(codebook, name, cells)
        rows = SURFACES[way](codebook, name, cells, folder)
        parts = rows if isinstance(rows, list) and rows and isinstance(rows[0], Table) else [rows]
        return [value for part in parts for value in _codes(codebook, part)]
    except (InputError, ProblemError):
        return "refused"


def trained(name: str) -> tuple[Codebook, list[str], list[float | None]]:
    """Return the codebook of a column that was read from text, its cells, and the encoding of the training rows."""
    cells = COLUMNS[name] * 3
    text = _csv(name, cells, "\t").decode()
    table = read(io.StringIO(text), header=True, delimiter="\t", roles={name: "input"}).select([name])
    codebook = Codebook.learn(table)
    again = Codebook.from_state(json.loads(json.dumps(codebook.to_state())))
    assert again == codebook
    return again, cells, _codes(codebook, table)


# Rows before a cell: none, a few, and more than a scan reads at once.
BEFORE = (0, 2, 130)
# Of how many texts one is tried, of how many of these one is tried by itself on each way, and of how many numbers of
# rows before it one.
SOME, ALL = (12, 15, 3), pytest.param((1, 12, 1), marks=pytest.mark.nightly)


@pytest.mark.slow
@pytest.mark.parametrize("every", [SOME, ALL])
def test_a_text_means_the_same_on_every_way_to_a_model(every, tmp_path):
    differences: list[tuple[Any, ...]] = []
    for at, name in enumerate(COLUMNS):
        codebook, known, _ = trained(name)
        # A sheet does not tell an empty cell from no cell, and a row of such cells is no row.
        texts = [cell for cell in TEXTS[at % every[0] :: every[0]] if cell.strip()]
        alone = {cell: meant("one row", codebook, name, [cell], tmp_path) for cell in texts}
        read = [cell for cell in texts if alone[cell] != "refused"] + COLUMNS[name]
        wanted = [meant("one row", codebook, name, [cell], tmp_path)[0] for cell in read]
        for nth, way in enumerate(SURFACES):
            found = meant(way, codebook, name, read, tmp_path)
            if found != wanted:
                differences.append((name, way, found if found == "refused" else _unlike(read, wanted, found)))
            for cell in texts[at % every[1] :: every[1]]:
                for before in BEFORE[(at + nth) % every[2] :: every[2]]:
                    found = meant(way, codebook, name, [*_some(known, before), cell], tmp_path)
                    if found != alone[cell] and found[before:] != alone[cell]:
                        differences.append((name, way, before, cell, found))
    assert not differences


def _some(cells: list[str], n: int) -> list[str]:
    return [cells[at % len(cells)] for at in range(n)]


def _unlike(read: list[str], wanted: list[Any], found: list[Any]) -> list[Any]:
    return [pair for pair in zip(read, wanted, found) if pair[1] != pair[2]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("whole", "50%"),
        *(
            pytest.param(*each, marks=pytest.mark.nightly)
            for each in (("point", "oops"), ("day", "noon"), ("clock", "a"))
        ),
    ],
)
def test_a_cell_of_another_kind_is_refused_by_row_and_column_however_many_rows_there_are(column, cell, tmp_path):
    codebook, known, _ = trained(column)

    def encode(way: str, cells: list[str]) -> None:
        rows = SURFACES[way](codebook, column, cells, tmp_path)
        for part in rows if isinstance(rows, list) and isinstance(rows[0], Table) else [rows]:
            codebook.encode(part)

    for way in sorted(SURFACES.keys() - {"one row", "Dask"}):
        for before in BEFORE:
            with pytest.raises((InputError, ProblemError)) as raised:
                encode(way, [*_some(known, before), cell])
            told = str(raised.value)
            assert all(word in told for word in (repr(column), repr(cell), f"row {before + 1}")), (way, told)
    # Where it was said to be missing, it is.
    text = _csv(column, [*known * 10, cell], "\t")
    rows = read(io.BytesIO(text), like=codebook.cell_formats, delimiter="\t", header=True, missing=[cell])
    assert _codes(codebook, rows)[-1] is None


def test_words_in_a_column_without_values_in_training_are_missing_on_every_way(tmp_path):
    codebook, matrix = Codebook.of_rows(Table.from_any({"x": np.full(5, np.nan)}))
    codebook = codebook.having_seen(matrix)
    for way in SURFACES:
        assert meant(way, codebook, "x", ["7", "oops"], tmp_path) == [7.0, None], way


@pytest.mark.slow
def test_training_rows_are_read_again_as_they_were_however_few_come_at_once(tmp_path):
    for name in COLUMNS:
        codebook, cells, wanted = trained(name)
        assert None not in wanted
        for way in SURFACES:
            for rows in (1, 3, len(cells)):
                assert meant(way, codebook, name, cells[:rows], tmp_path) == wanted[:rows], (name, way, rows)


def test_cells_that_training_could_not_read_are_missing_later_too(tmp_path):
    cells = [*map(str, range(1, 41)), "oops", "inf"]
    table = read(io.BytesIO(_csv("x", cells, ",")), roles={"x": "input"}).select(["x"])
    assert table.column("x").n_missing == 2
    codebook = Codebook.from_state(Codebook.learn(table).to_state())
    for way in SURFACES:
        for cell, value in (("oops", None), ("inf", None), ("another", None), ("7", 7.0)):
            assert meant(way, codebook, "x", [cell], tmp_path) == [value], (way, cell)


def test_words_for_missing_values_are_kept(tmp_path):
    rows = {"x": ["1", "2", "-9", "4"] * 5, "g": ["a", "b", "-9", "c"] * 5}
    text = "x,g\n" + "".join(f"{x},{g}\n" for x, g in zip(*rows.values()))
    table = read(io.BytesIO(text.encode()), missing=(*vaglio.table.MISSING, "-9"))
    for name in rows:
        codebook = Codebook.from_state(Codebook.learn(table.select([name]), unseen="error").to_state())
        for way in SURFACES:
            assert meant(way, codebook, name, ["-9"], tmp_path) == [None], (name, way)


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("point", "1,234", "could be 1234 or 1.234; set decimal='.'"),
        ("thousands", "1,5", "another decimal mark; set decimal=','"),
        ("weight", "12 g", "numbers? in kg"),
        ("day", "12/31/2024", "day and month could be exchanged; set dayfirst=False"),
        ("clock", "1.5", "times? of day"),
    ],
)
def test_what_contradicts_training_is_named_with_row_and_advice(column, cell, said):
    codebook, _, _ = trained(column)
    for rows in (pd.DataFrame({column: [cell]}), None):
        with pytest.raises(InputError, match=said) as raised:
            codebook.encode(
                rows if rows is not None else read(io.BytesIO(_csv(column, [cell], "\t")), like=codebook.cell_formats)
            )
        assert repr(cell) in str(raised.value)
        assert "row" in str(raised.value)
    # What the reader is told counts more than what training has shown.
    if column in ("thousands", "day"):
        told = {"decimal": ","} if column == "thousands" else {"dayfirst": False}
        read_as_told = read(io.BytesIO(_csv(column, [cell], "\t")), like=codebook.cell_formats, **told)
        assert read_as_told.column(column).n_missing == 0


def test_every_refusal_counts_rows_from_one():
    X = pd.DataFrame({"a": np.arange(40.0), "c": [*"xy"] * 20})
    y = np.array([*"pq"] * 20)
    model = vaglio.C45Classifier(unseen="error").fit(X, y)
    far = vaglio.LinearRegression().fit(np.arange(40.0)[:, None], np.arange(40.0) * 1e250)
    bad = {"a": ["1", "2", "oops"], "c": [*"xyx"]}, {"a": [1.0, 2.0, np.inf]}, {"a": ["1", "2", "inf"]}, {"c": [*"xyz"]}
    refused: list[Callable[[], Any]] = [
        *(lambda cells=cells: model.predict(X[:3].assign(**cells)) for cells in bad),
        lambda: vaglio.NaiveBayesClassifier("poisson").fit(X[["a"]].replace(2.0, 2.5), y),
        lambda: vaglio.LinearRegression().fit(X, ["1", "2", "oops", *map(str, range(37))]),
        lambda: vaglio.CARTClassifier().fit(X, [*y[:2], {1}, *y[3:]]),
        lambda: vaglio.evaluate(model, X, [*y[:2], None, *y[3:]]),
        lambda: vaglio.evaluation.RegressionEvaluation.from_predictions([1, 2, np.inf], [1, 2, 3]),
        lambda: far.predict(np.array([[1.0], [2.0], [1e300]])),
        lambda: far.fitted_.predict(np.array([[1.0], [2.0], [1e300]])),
    ]
    for refuse in refused:
        with pytest.raises(InputError, match=r"[Rr]ow 3\b"):
            refuse()


def test_numbers_of_a_sheet_are_these_numbers_whatever_the_mark_of_the_words_among_them(tmp_path):
    for name, word, number in (("comma", "1,5", 84.101), ("points", "84.101", 1.25), ("whole", "7", 1e-7)):
        codebook, _, _ = trained(name)
        book = Workbook()
        for row in ([name, "z"], [word, "u"], [number, "u"], [-number, "u"]):
            book.active.append(row)
        book.save(tmp_path / "rows.xlsx")
        for rows in (
            read(tmp_path / "rows.xlsx", like=codebook.cell_formats),
            next(read_chunks(tmp_path / "rows.xlsx", like=codebook.cell_formats)),
        ):
            assert _codes(codebook, rows)[1:] == [number, -number], (name, word)


def _csv_of(table: Table) -> bytes:
    sink = io.BytesIO()
    table.to_frame().to_csv(sink, index=False)
    return sink.getvalue()


def generated(seed: int) -> bytes:
    """Return a table of columns written in random ways, some cells missing, some wrong."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    names = rng.choice([*COLUMNS], size=4, replace=False).tolist()
    columns = []
    for name in names:
        cells = rng.choice(COLUMNS[name], size=n).tolist()
        for at in rng.choice(n, size=int(rng.integers(0, 3)), replace=False).tolist():
            cells[at] = str(rng.choice(["", "NA", "n.d.", "unknown", "oops", "0", "1.0"]))
        columns.append(cells)
    return ("\t".join(names) + "\n" + "".join("\t".join(row) + "\n" for row in zip(*columns))).encode()


def check_table(content: bytes) -> None:
    """Check that a table means the same whole and in parts, and that a model reads its cells as training did."""
    whole = read(io.BytesIO(content))
    text = TextTable.of(content).as_read(whole.columns, len(whole))
    assert [*in_parts(content, whole), *for_a_model(text, whole)] == []


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 2020), marks=pytest.mark.nightly)])
def test_generated_tables_mean_the_same_whole_in_parts_and_cut(seeds):
    for seed in seeds:
        try:
            check_table(generated(seed))
        except AssertionError as error:
            raise AssertionError(f"table {seed}: {error}") from error


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name == "penguins" else pytest.param(name, marks=pytest.mark.nightly) for name in datasets.names()]
)
def test_bundled_tables_mean_the_same_whole_in_parts_and_cut(name):
    check_table(_csv_of(datasets.load(name)))


def test_prediction_and_explanation_agree_on_thousands(tmp_path):
    small, big = (
        ["1,472", "2,500", "3,125", "1,900", "2,750"] * 8,
        ["84,101", "92,500", "71,250", "88,888", "90,001"] * 8,
    )
    rows = [*((cell, "small") for cell in small), *((cell, "big") for cell in big)]
    train = _written(tmp_path / "train.csv", ("pay,size\n" + "".join(f'"{x}",{y}\n' for x, y in rows)).encode())
    model, new, out = tmp_path / "m.vaglio", tmp_path / "new.csv", tmp_path / "out.csv"
    assert run_here("train", train, "--target", "size", "--learner", "cart", "--out", model).code == 0
    new.write_text('pay\n"84,101"\n')
    assert run_here("predict", model, new, "--out", out).code == 0
    assert read(out)["predicted"].tolist() == ["big"]
    fitted = vaglio.load(model)
    assert fitted.predict_one({"pay": "84,101"}) == "big"
    assert fitted.explain(read(new, like=fitted.cell_formats))[0].decision == "big"


def test_the_target_of_a_test_table_is_read_as_in_training(tmp_path):
    """Also where the training rows alone show what a mark means: 1.000 is 1000, for classes and for inputs."""
    rows = [("1.472", "1.000"), ("84.101", "2.500"), ("999", "4.000"), ("2.345.678", "1.000")] * 10
    train, test, model = (tmp_path / name for name in ("train.csv", "test.csv", "m.vaglio"))
    train.write_text("pop;grade\n" + "".join(f"{pop};{grade}\n" for pop, grade in rows))
    test.write_text("pop;grade\n84.101;2.500\n1.472;1.000\n")
    learner = ("--target", "grade", "--learner", "cart")
    assert run_here("train", train, *learner, "--out", model).code == 0
    assert vaglio.load(model).target_format.decimal == ","
    for line in (("evaluate", model, test), ("evaluate", train, *learner, "--test", test)):
        for chunked in ((), ("--memory", "4GB")):
            told = run_here(*line, *chunked, "--json")
            assert told.code == 0, told
            found = json.loads(told.out)
            assert np.trace(found["confusion"]) == found["rows"] == 2, line
