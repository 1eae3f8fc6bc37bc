"""Next month's table names its columns otherwise: the same predictions on every surface, with a note, or a refusal."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars
import pytest
from starlette.testclient import TestClient
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import ColumnError, DataWarning, InputError
from vaglio.serve.service import Service
from vaglio.serve.settings import Settings
from vaglio.table import folded, matching_columns, read_chunks, scan

# A name of training, and ways to write it.
SPELLINGS = {
    "Età media": ["ETA MEDIA", "eta_media", "Eta' Media", "ètà  média", "Età.media"],
    "Reclami": ["RECLAMI", "reclami ", "Re-clami", "_reclami_"],
    "Ciudad año": ["ciudad_ano", "CIUDADAÑO"],
}


def _rows(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "Età media": rng.integers(18, 90, n).astype(float),
            "Reclami": rng.integers(0, 5, n).astype(float),
            "Ciudad año": rng.choice(["Roma", "Bari"], n),
        }
    )


@pytest.fixture(scope="module")
def model() -> vaglio.fitted.Fitted:
    rows = _rows()
    target = np.where(rows["Reclami"] + (rows["Ciudad año"] == "Roma") > 3, "sì", "no")
    return vaglio.C45Classifier().fit(rows, target).fitted_


@pytest.fixture(scope="module")
def expected(model: vaglio.fitted.Fitted) -> list[str]:
    return list(model.predict(_rows()))


def _spelled(which: int) -> pd.DataFrame:
    return _rows().rename(columns={name: ways[which % len(ways)] for name, ways in SPELLINGS.items()})


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False, sep=";", decimal=",").encode()


def _chunks(model: vaglio.fitted.Fitted, frame: pd.DataFrame, folder: Path) -> list[str]:
    chunks = read_chunks(io.BytesIO(_csv(frame)), rows=17, like=model.cell_formats)
    return [label for chunk in chunks for label in model.predict(chunk)]


def _file(suffix: str):
    def predicted(model: vaglio.fitted.Fitted, frame: pd.DataFrame, folder: Path) -> list[str]:
        path = folder / f"rows{suffix}"
        if suffix == ".csv":
            path.write_bytes(_csv(frame))
        elif suffix == ".parquet":
            frame.to_parquet(path)
        elif suffix == ".xlsx":
            frame.to_excel(path, index=False)
        else:
            path.write_text(frame.to_json(orient="records", lines=suffix == ".jsonl"))
        return list(model.predict(vaglio.read(path, like=model.cell_formats)))

    return predicted


def _disk(suffix: str):
    def predicted(model: vaglio.fitted.Fitted, frame: pd.DataFrame, folder: Path) -> list[str]:
        path = folder / f"rows{suffix}"
        frame.to_parquet(path) if suffix == ".parquet" else path.write_bytes(_csv(frame))
        return list(np.asarray(model.predict(scan(path))))

    return predicted


SURFACES = {
    "csv": _file(".csv"),
    "parquet": _file(".parquet"),
    "excel": _file(".xlsx"),
    "json": _file(".json"),
    "jsonl": _file(".jsonl"),
    "chunks": _chunks,
    "disk, csv": _disk(".csv"),
    "disk, parquet": _disk(".parquet"),
    "pandas": lambda model, frame, folder: list(model.predict(frame)),
    "polars": lambda model, frame, folder: list(model.predict(polars.from_pandas(frame))),
    "dask": lambda model, frame, folder: list(model.predict(dd.from_pandas(frame, npartitions=2)).compute()),
    "dicts": lambda model, frame, folder: list(model.predict(frame.to_dict(orient="records"))),
    "probabilities": lambda model, frame, folder: list(model.classes[model.predict_proba(frame).argmax(axis=1)]),
    "explanations": lambda model, frame, folder: [each.decision for each in model.explain(frame, counterfactual=False)],
    "one row": lambda model, frame, folder: [model.predict_one(row) for row in frame.to_dict(orient="records")],
}


@pytest.mark.parametrize("surface", SURFACES)
def test_columns_written_otherwise_are_found_and_told(model, expected, tmp_path, surface):
    which = list(SURFACES).index(surface)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert SURFACES[surface](model, _spelled(which), tmp_path) == expected
    notes = [str(each.message) for each in told if getattr(each.message.args[0], "code", "") == "columns-matched"]
    assert notes
    assert all("'Età media'" in note for note in notes)
    assert all(issubclass(each.category, DataWarning) for each in told if str(each.message) in notes)


@pytest.mark.slow
@pytest.mark.parametrize("surface", SURFACES)
def test_two_columns_that_could_be_meant_are_refused(model, tmp_path, surface):
    frame = _rows().drop(columns="Reclami").assign(RECLAMI=1.0, **{"re clami": 2.0})
    with pytest.raises((ColumnError, InputError), match="could be meant"):
        SURFACES[surface](model, frame, tmp_path)


def test_equal_names_come_first_and_numbers_in_names_stay_apart():
    assert matching_columns(["a", "B"], ["A", "a", "b"]) == {"a": "a", "B": "b"}
    assert matching_columns(["q_2024_1"], ["q_20241", "Q 2024-1"]) == {"q_2024_1": "Q 2024-1"}
    assert matching_columns(["__"], ["--"]) == {}
    with pytest.raises(ColumnError, match="could be meant"):
        matching_columns(["a b", "a_b"], ["A B"])
    for name, ways in SPELLINGS.items():
        assert {folded(way) for way in ways} == {folded(name)}


@pytest.mark.slow
def test_a_renamed_column_is_read_as_the_one_of_the_model(model, expected, tmp_path):
    frame = _rows().rename(columns={"Reclami": "N. reclami"})
    with pytest.raises(ColumnError, match=r"rename=\{'N. reclami': 'Reclami'\}"):
        model.predict(frame)
    rename = {"N. reclami": "Reclami"}
    for suffix in (".csv", ".parquet", ".xlsx", ".jsonl"):
        path = tmp_path / f"rows{suffix}"
        write = {".csv": lambda p: p.write_bytes(_csv(frame)), ".parquet": frame.to_parquet}
        write |= {".xlsx": lambda p: frame.to_excel(p, index=False)}
        write |= {".jsonl": lambda p: p.write_text(frame.to_json(orient="records", lines=True))}
        write[suffix](path)
        table = vaglio.read(path, like=model.cell_formats, rename=rename)
        assert list(model.predict(table)) == expected, suffix
        chunks = read_chunks(path, rows=25, like=model.cell_formats, rename=rename)
        assert [label for chunk in chunks for label in model.predict(chunk)] == expected, suffix
        if suffix != ".xlsx":
            assert list(np.asarray(model.predict(scan(path, rename=rename)))) == expected, suffix
    assert list(model.predict(vaglio.read(frame, rename=rename))) == expected


def test_a_renaming_that_cannot_be_is_refused():
    with pytest.raises(InputError, match="no column 'Claims' to rename"):
        vaglio.read({"claims": [1, 2]}, rename={"Claims": "x"})
    with pytest.raises(InputError, match="Two columns would have the name 'b'"):
        vaglio.read({"a": [1, 2], "b": [1, 2]}, rename={"a": "b"})
    # A table that has the new name already, as one that was trained on, is left as it is.
    assert vaglio.read({"b": [1, 2]}, rename={"a": "b"}).columns == ("b",)


def test_the_server_matches_columns_and_tells(model, expected, tmp_path):
    model.save(tmp_path / "m.vaglio")
    service = Service(Settings((("m", tmp_path / "m.vaglio"),)))
    with TestClient(service.application(), raise_server_exceptions=False) as client:
        rows = _spelled(1).to_dict(orient="records")
        one = client.post("/models/m/predict", json=rows[0]).json()
        assert one["predicted"] == expected[0]
        assert one["matched_columns"]["eta_media"] == "Età media"
        many = client.post("/models/m/predict", json=rows * 10).json()
        assert [each["predicted"] for each in many] == expected * 10
        assert many[-1]["matched_columns"] == one["matched_columns"]
        body = client.post("/models/m/predict", content=_csv(_spelled(2)), headers={"content-type": "text/csv"})
        assert body.text.count("\n") == 61
        twice = {**rows[0], "ETA media": 3.0}
        refused = client.post("/models/m/predict", json=twice)
        assert refused.status_code == 422
        assert "could be meant" in refused.json()["detail"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["predict", "evaluate", "explain"])
@pytest.mark.parametrize("memory", [(), ("--memory", "4GB")], ids=["memory", "disk"])
def test_commands_match_and_rename_columns(tmp_path, command, memory):
    rows = _rows()
    rows["Esito"] = np.where(rows["Reclami"] > 2, "sì", "no")
    rows.to_csv(tmp_path / "a.csv", index=False)
    other = rows.rename(columns={"Età media": "ETA_MEDIA", "Reclami": "N. rec", "Esito": "ESITO"})
    other.to_csv(tmp_path / "b.csv", index=False)
    model = tmp_path / "m.vaglio"
    assert run_here("train", tmp_path / "a.csv", "--target", "Esito", "--out", model).code == 0
    refused = run_here(command, model, tmp_path / "b.csv", *memory)
    assert refused.code == 1
    assert "--rename 'N. rec=Reclami'" in refused.err
    outcome = run_here(command, model, tmp_path / "b.csv", "--rename", "N. rec=Reclami", "--json", *memory)
    assert outcome.code == 0, outcome.err
    assert "'ETA_MEDIA' is 'Età media'" in outcome.err
    if command == "evaluate":
        found = json.loads(outcome.out)
        assert found["rows"] == 60
        assert found["measures"][0]["value"] == 1.0
    elif command == "predict":
        predicted = [json.loads(line)["predicted"] for line in outcome.out.splitlines()]
        assert predicted == rows["Esito"].tolist()
