"""A number to predict is the same number however it is written, and on whatever way rows come to its model."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from openpyxl import Workbook
from starlette.testclient import TestClient
from tests.cli.conftest import run_here

import vaglio
from vaglio.evaluation.rows import Rows
from vaglio.fitted import Fitted
from vaglio.learners.registry import REGRESSORS
from vaglio.serve.service import Service
from vaglio.serve.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore")

Cells = list[list[str]]
NAMES = ["pay", "day", "city", "flag"]


def _german(value: float) -> str:
    return f"{value:,.1f}".translate(str.maketrans(",.", ".,"))


# How people write the numbers of a column.
WRITTEN: dict[str, Callable[[float], str]] = {
    "plain": lambda value: f"{value:.1f}",
    "german": _german,
    "swiss": lambda value: f"{value:,.1f}".replace(",", "'"),
    "euro": lambda value: f"€ {value:.1f}",
    "percent": lambda value: f"{value:.1f} %",
    "unit": lambda value: f"{value:.1f} kg",
}


def rows(n: int = 60) -> tuple[Cells, np.ndarray]:
    """Return rows with thousands, days before months, accents, yes and no, and holes; and the numbers to predict."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-05", periods=n).strftime("%d/%m/%Y")
    pay = np.round(rng.uniform(1000, 99000, n), 1)
    cells = [
        ["" if at % 11 == 0 else _german(pay[at]), days[at], "" if at % 13 == 3 else city, flag]
        for at, (city, flag) in enumerate(zip(rng.choice(["Città", "São", "x y"], n), rng.choice(["sì", "no"], n)))
    ]
    return cells, np.round(pay / 10 + rng.uniform(1000, 2000, n), 1)


def text_of(names: list[str], cells: Cells) -> bytes:
    return ("\n".join(map(";".join, [names, *cells])) + "\n").encode()


def objects(cells: Cells) -> list[dict[str, Any]]:
    return [{name: cell or None for name, cell in zip(NAMES, row)} for row in cells]


def typed(cells: Cells) -> list[dict[str, Any]]:
    """Return rows as JSON that a server takes: numbers are numbers."""
    plain = str.maketrans(",", ".", ".")
    return [
        {**row, "pay": None if row["pay"] is None else float(row["pay"].translate(plain))} for row in objects(cells)
    ]


class Ways:
    """The same rows, on every way to a model."""

    def __init__(self, model: Path, cells: Cells, folder: Path) -> None:
        self.model, self.cells, self.folder = model, cells, folder
        self.fitted: Fitted = vaglio.load(model)
        self.frame = pd.DataFrame(objects(cells), columns=NAMES)
        book = Workbook()
        for row in [NAMES, *cells]:
            book.active.append([cell or None for cell in row])
        book.save(folder / "rows.xlsx")
        (folder / "rows.csv").write_bytes(text_of(NAMES, cells))
        (folder / "rows.json").write_text(json.dumps(objects(cells)))
        (folder / "rows.html").write_text(self.frame.to_html(index=False, na_rep=""))
        self.frame.to_parquet(folder / "rows.parquet")
        self.frame.to_feather(folder / "rows.feather")

    def numbers(self) -> dict[str, Any]:
        """Return the predicted numbers by way."""
        endings = ("csv", "json", "html", "xlsx", "parquet", "feather")
        predict, one = self.fitted.predict, self.fitted.predict_one
        return {
            **{ending: self._command(f"rows.{ending}") for ending in endings},
            **{
                f"{ending} on disk": self._command(f"rows.{ending}", "--memory", "4GB") for ending in ("csv", "parquet")
            },
            "read": predict(vaglio.read(self.folder / "rows.csv", like=self.fitted.cell_formats)),
            "scanned": np.asarray(predict(vaglio.scan(self.folder / "rows.csv"))),
            "pandas": predict(self.frame),
            "other columns too, in another order": predict(self.frame[NAMES[::-1]].assign(more="x")),
            "polars": predict(pl.from_pandas(self.frame)),
            "Arrow": predict(pa.Table.from_pandas(self.frame)),
            "Dask": np.asarray(predict(dd.from_pandas(self.frame, npartitions=2)).compute(scheduler="synchronous")),
            "dicts": predict(objects(self.cells)),
            "one row": [one(row) for row in objects(self.cells)],
            "one tuple": [one(tuple(row.values())) for row in objects(self.cells)],
            **self._served(),
        }

    def _command(self, name: str, *more: str) -> list[float]:
        out = self.folder / "out.jsonl"
        told = run_here("predict", self.model, self.folder / name, "--out", out, *more)
        assert told.code == 0, told.err
        return [json.loads(line)["predicted"] for line in out.read_text().splitlines()]

    def _served(self) -> dict[str, Any]:
        tensors = [
            {"name": name, "shape": [len(self.cells)], "datatype": "FP64" if name == "pay" else "BYTES", "data": data}
            for name in NAMES
            for data in [[row[name] if name == "pay" else row[name] or "" for row in typed(self.cells)]]
        ]
        with TestClient(Service(Settings((("m", self.model),))).application()) as client:
            many = client.post("/models/m/predict", json=typed(self.cells)).json()
            text = client.post(
                "/models/m/predict", content=text_of(NAMES, self.cells), headers={"content-type": "text/csv"}
            ).text
            outputs = client.post("/v2/models/m/infer", json={"inputs": tensors}).json()["outputs"]
        return {
            "served JSON": [answer["predicted"] for answer in many],
            "served CSV": vaglio.read(io.StringIO(text))["predicted"],
            "served tensors": outputs[0]["data"],
        }


def train(learner: str, written: str, folder: Path) -> Path:
    cells, y = rows()
    labelled = [[*row, WRITTEN[written](value)] for row, value in zip(cells, y)]
    (folder / "train.csv").write_bytes(text_of([*NAMES, "y"], labelled))
    model = folder / f"{written}.vaglio"
    told = run_here("train", folder / "train.csv", "--target", "y", "--learner", learner, "--out", model)
    assert told.code == 0, told.err
    return model


BY_DAY = {("cart", "euro"), ("linear", "german")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "written"),
    [
        pytest.param(learner, written, marks=[] if (learner, written) in BY_DAY else pytest.mark.nightly)
        for learner in REGRESSORS
        for written in WRITTEN
        if written != "plain"
    ],
)
def test_every_way_gives_the_number_of_a_plain_file(learner: str, written: str, tmp_path: Path) -> None:
    cells = rows()[0][:20]
    expected = vaglio.load(train(learner, "plain", tmp_path)).predict(pd.DataFrame(objects(cells)))
    for way, found in Ways(train(learner, written, tmp_path), cells, tmp_path).numbers().items():
        np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=1e-9, err_msg=way)


# ---- what is asked of a target whose cells leave it open ------------------------------------------------------------


@pytest.mark.parametrize("written", WRITTEN)
def test_few_quantities_are_numbers_where_numbers_are_asked(written: str) -> None:
    values = np.array([10.5, 20.5, 30.5, 1234.5] * 6)
    text = text_of(["x", "y"], [[str(at), WRITTEN[written](value)] for at, value in enumerate(values)])
    table = vaglio.read(io.BytesIO(text), target="y", delimiter=";", roles={"x": "input"})
    np.testing.assert_array_equal(table.xy(task="regression")[1], values)
    np.testing.assert_array_equal(Rows.of(table, able="regression").y, values)


@pytest.mark.parametrize("written", ["euro", "percent", "unit"])
def test_a_model_of_few_quantities_is_evaluated_on_its_own_rows_and_on_others(written: str) -> None:
    def table(values: list[float], **how: Any) -> vaglio.Table:
        cells = [[str(at), WRITTEN[written](value)] for at, value in enumerate(values)]
        return vaglio.read(io.BytesIO(text_of(["x", "y"], cells)), target="y", delimiter=";", **how)

    few = table([10.5, 20.5, 30.5] * 6, roles={"x": "input"})
    model = vaglio.LinearRegression().fit(*few.xy(task="regression")).fitted_.with_target(few)
    for values in ([10.5, 20.5, 30.5], [11.0, 1234.5, 7.0]):
        again = table(values, like={**model.cell_formats, "y": model.target_format})
        assert again["y"].tolist() == values


@pytest.mark.parametrize(
    ("cell", "why"), [("oops", ""), ("True", ""), ("inf", ""), ("1,234 kg", "could be 1234 or 1.234"), ("7 g", "")]
)
def test_the_cell_that_is_no_number_is_named_on_every_way(cell: str, why: str) -> None:
    cells = [["0", ""], *([str(at), f"{at}0 kg"] for at in range(1, 9)), ["9", cell]]
    table = vaglio.read(io.BytesIO(text_of(["x", "y"], cells)), target="y", delimiter=";", levels={"y": "nominal"})
    for ask in (
        lambda: table.xy(task="regression"),
        lambda: vaglio.evaluate("linear", table, folds=3),
        lambda: vaglio.compare(table, learners=["linear"], folds=3),
        lambda: vaglio.select(table, learners=["linear"]),
    ):
        with pytest.raises(vaglio.errors.InputError) as raised:
            ask()
        # The row of the file: one without a target stands above it.
        assert all(part in str(raised.value) for part in (f"{cell!r} in row 10", why)), str(raised.value)


COMMANDS = {
    "train": ["--learner", "linear"],
    "compare": ["--learner", "linear", "--learner", "model-tree", "--folds", "3"],
    "select": ["--learner", "linear"],
    "tune": ["--learner", "linear"],
    "evaluate": ["--learner", "linear", "--folds", "3"],
    "report": ["--learner", "linear"],
}
SLOW = ("select", "tune", "report")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=pytest.mark.nightly if name in SLOW else []) for name in COMMANDS]
)
def test_every_command_names_the_cell_and_counts_rows_without_a_target(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = np.round(np.random.default_rng(0).uniform(0, 9, 40), 2)
    cells = [[str(at % 7), str(value)] for at, value in enumerate(numbers)]
    for name, changed in (("wrong", "x"), ("sound", "")):
        cells[5][1] = changed
        Path(f"{name}.csv").write_bytes(text_of(["x", "y"], cells))
    asked = ["--target", "y", *COMMANDS[command]]
    for lang, row in (("en", "'x' in row 6"), ("it", "'x' nella riga 6")):
        told = run_here("--lang", lang, command, "wrong.csv", *asked)
        assert (told.code, "Traceback" in told.err) == (1, False)
        assert told.err.splitlines()[-1].count(row) == 1, told.err
    told = run_here(command, "wrong.csv", *asked, "--memory", "1GB")
    assert told.code == 1
    assert "row 6, column 'y': 'x' is not a number. Correct it" in told.err.splitlines()[-1]
    told = run_here(command, "wrong.csv", *asked, "--json")
    assert json.loads(told.out or told.err)["error"]["code"] == "target-not-numeric"
    told = run_here(command, "sound.csv", *asked)
    assert told.code == 0, told.err
    assert told.err.count("1 row has no value in the target 'y' and is left out.") == 1
    assert not [path for path in tmp_path.iterdir() if ".vaglio-" in path.name]


def test_a_wrong_cell_among_numbers_is_told_and_one_among_classes_is_not() -> None:
    for distinct, told in ((400, 1), (4, 0)):
        cells = [["1", str(at % distinct)] for at in range(400)]
        cells[7][1] = "oops"
        table = vaglio.read(io.BytesIO(text_of(["x", "y"], cells)), target="y", delimiter=";")
        said = [remark for remark in table.remarks if remark.code == "mostly-numbers"]
        assert len(said) == told
        assert all("99% of its values are numbers: 'oops' in row 8" in remark for remark in said)


@pytest.mark.parametrize(
    ("cell", "unit"), [("2024-01-{:02d}", "days since 1970-01-01"), ("13:{:02d}", "seconds since midnight")]
)
def test_dates_and_times_are_predicted_in_a_unit_that_is_told(cell: str, unit: str) -> None:
    text = text_of(["x", "y"], [[str(at % 5), cell.format(at)] for at in range(1, 25)])
    table = vaglio.read(io.BytesIO(text), target="y", delimiter=";")
    found = Rows.of(table, task="regression")
    assert found.task == "regression"
    assert unit in str(found.told)
    if "days" in unit:
        with pytest.raises(vaglio.errors.InputError, match="24 distinct dates, such as 2024-01-01"):
            table.xy()


@pytest.mark.parametrize("power", [-1000, 1000])
def test_the_spread_of_rows_that_are_alike_is_in_the_unit_of_the_target(power: int) -> None:
    y = np.array([1.5, 2.5, 4.0, 8.0] * 5)
    spreads = []
    for values in (y, np.ldexp(y, power)):
        found = vaglio.audit(
            vaglio.Table.from_any({"x": [1.0, 1.0, 2.0, 2.0] * 5, "y": values}), "y", task="regression"
        ).findings
        spreads += [each.message.values["spread"] for each in found if each.kind == "inconsistent"]
    assert len(spreads) == 2
    assert spreads[1] == np.ldexp(spreads[0], power) > 0
