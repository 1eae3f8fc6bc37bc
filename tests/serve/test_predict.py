"""Predictions over HTTP are those of the model, in every form of the request."""

from __future__ import annotations

import io
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc
from tests.fitted.one_per_kind import LEARNERS, VARIANTS, model, rows

import vaglio
from vaglio.serve.service import FEW
from vaglio.serve.wire import ARROW, CSV

SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{k: None if pd.isna(v) else v for k, v in row.items()} for row in frame.to_dict("records")]


def as_stream(frame: pd.DataFrame) -> bytes:
    sink = io.BytesIO()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def assert_same(answer: dict[str, Any], label: Any, chances: Any, classes: Any) -> None:
    assert answer["predicted"] == label
    assert ("probabilities" in answer) == (chances is not None)
    if chances is not None:
        assert list(answer["probabilities"]) == [str(each) for each in classes]
        np.testing.assert_allclose(list(answer["probabilities"].values()), chances, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LEARNERS, *VARIANTS])
def test_every_kind_answers_alike_in_every_form(serve, tmp_path: Path, kind: str):
    fitted = model(kind)
    path = tmp_path / "model.vaglio"
    fitted.save(path)
    client, _ = serve(models=(("m", path),))
    frame, _ = rows()
    labels, chances = fitted.predict_with_proba(frame)
    expected = list(zip(labels.tolist(), [None] * len(labels) if chances is None else chances))
    url = "/models/m/predict"
    sent = records(frame)
    for row, (label, chance) in zip(sent[:3], expected):
        assert_same(client.post(url, json=row).json(), label, chance, fitted.classes)
    assert len(sent) > FEW
    for some in (sent, sent[:5]):
        for answer, (label, chance) in zip(client.post(url, json=some).json(), expected, strict=False):
            assert_same(answer, label, chance, fitted.classes)
    text = client.post(url, content=frame.to_csv(index=False), headers={"content-type": CSV})
    stream = client.post(url, content=as_stream(frame), headers={"content-type": ARROW})
    assert text.headers["content-type"].startswith(CSV)
    assert stream.headers["content-type"] == ARROW
    for found in (
        pd.read_csv(io.StringIO(text.text), float_precision="round_trip"),
        ipc.open_stream(stream.content).read_all().to_pandas(),
    ):
        assert found["predicted"].tolist() == labels.tolist()
        if chances is not None:
            np.testing.assert_allclose(found[[f"p_{label}" for label in fitted.classes]], chances, atol=1e-12)


def test_a_model_with_costs_says_what_it_decided_by(serve):
    client, _ = serve("play")
    doubtful = {"outlook": "rainy", "temperature": "mild", "humidity": None, "windy": True}
    one = client.post("/models/play/predict", json=doubtful).json()
    assert one["predicted"] == "no"
    assert one["likeliest"] == "yes"
    assert one["expected_costs"]["yes"] == pytest.approx(3 * one["probabilities"]["no"])
    many = client.post("/models/play/predict", json=[doubtful] * (FEW + 1)).json()
    assert len(many) == FEW + 1
    assert {key: many[0][key] for key in ("predicted", "likeliest")} == {"predicted": "no", "likeliest": "yes"}
    assert many[0]["expected_costs"] == pytest.approx(one["expected_costs"])
    sent = pd.DataFrame([doubtful] * 2).to_csv(index=False)
    found = pd.read_csv(
        io.StringIO(client.post("/models/play/predict", content=sent, headers={"content-type": CSV}).text)
    )
    assert found.columns.tolist() == ["predicted", "p_no", "p_yes", "cost_no", "cost_yes", "likeliest"]
    plain, _ = serve("play", decide="argmax")
    assert plain.post("/models/play/predict", json=doubtful).json().keys() == {"predicted", "probabilities"}


def test_columns_without_names_are_found_by_their_number(serve, files):
    client, _ = serve("plain", "number")
    row = {"x2": 0.5, "x1": -1.0, "x0": 2.0}
    for name in ("plain", "number"):
        fitted = vaglio.load(files[name])
        assert client.post(f"/models/{name}/predict", json=row).json()["predicted"] == fitted.predict_one(
            [2.0, -1.0, 0.5]
        )
        many = client.post(f"/models/{name}/predict", json=[row] * 20).json()
        assert [answer["predicted"] for answer in many] == [fitted.predict_one([2.0, -1.0, 0.5])] * 20


def test_further_columns_are_ignored_and_no_rows_get_no_answers(serve):
    client, _ = serve("play")
    answer = client.post("/models/play/predict", json={**SUNNY, "note": {"a": []}, "id": 7}).json()
    odd = {**SUNNY, "outlook": 10**30, "note": {"a": []}}
    assert client.post("/models/play/predict", json=odd).status_code == 200
    assert answer == client.post("/models/play/predict", json=SUNNY).json()
    assert client.post("/models/play/predict", json=[]).json() == []


@pytest.mark.parametrize("slow", [False, True])
def test_single_rows_do_not_wait_for_large_batches(serve, monkeypatch: pytest.MonkeyPatch, slow: bool):
    client, service = serve("play", threads=1)
    served = service.store.find("play")
    begun, go_on = threading.Event(), threading.Event()
    real = served.of_many

    def held_up(*given: Any) -> Any:
        begun.set()
        assert go_on.wait(30)
        return real(*given)

    monkeypatch.setattr(served, "of_many", held_up)
    served.seconds = 10.0 if slow else 0.0
    with ThreadPoolExecutor() as pool:
        batches = [pool.submit(client.post, "/models/play/predict", json=[SUNNY] * 100) for _ in range(3)]
        assert begun.wait(30)
        # More batches than threads are waiting: single rows and their reasons are answered nevertheless.
        assert client.post("/models/play/predict", json=SUNNY).json()["predicted"] == "no"
        assert client.post("/models/play/explain", json=SUNNY).json()["decision"] == "no"
        assert not any(batch.done() for batch in batches)
        go_on.set()
        assert [len(batch.result().json()) for batch in batches] == [100] * 3


def test_reasons_are_those_of_the_model(serve, files):
    client, _ = serve("play", "number")
    fitted = vaglio.load(files["play"])
    told = client.post("/models/play/explain", json=SUNNY).json()
    known = fitted.explain(pd.DataFrame([SUNNY]))[0]
    assert told["decision"] == known.decision
    assert [reason["text"] for reason in told["reasons"]] == [reason.text for reason in known.reasons]
    assert told["counterfactual"]["text"] == str(known.counterfactual)
    assert math.isclose(told["expected_costs"]["no"], known.expected_costs["no"])
    plain = client.post("/models/play/explain?counterfactual=false", json=[SUNNY, SUNNY]).json()
    assert [each["counterfactual"] for each in plain] == [None, None]
    number = client.post("/models/number/explain", json={"x0": 1, "x1": None, "x2": 0}).json()
    assert isinstance(number["decision"], float)


def test_advice_changes_what_nobody_can_if_it_is_allowed(serve):
    client, _ = serve("penguins")
    row = {"island": "Torgersen", "bill_length_mm": 42.5, "bill_depth_mm": 20.7, "flipper_length_mm": 197}
    row |= {"body_mass_g": 4500, "sex": "male", "year": 2007}
    kept, free = (client.post(f"/models/penguins/explain{how}", json=row).json() for how in ("", "?changeable=sex"))
    assert kept["counterfactual"] is None
    assert [change["feature"] for change in free["counterfactual"]["changes"]] == ["sex"]
    assert "columns-kept-fixed" in [note["code"] for note in kept["notes"]]
    assert client.post("/models/penguins/explain?changeable=age", json=row).status_code == 422


def test_models_and_their_rows_are_described(serve, files):
    client, _ = serve()
    told = {each["name"]: each for each in client.get("/models").json()["models"]}
    assert set(told) == set(files)
    assert told["play"]["classes"] == ["no", "yes"]
    assert told["play"]["costs"]
    assert told["number"]["classes"] is None
    assert told["penguins"] == client.get("/models/penguins").json()
    assert not any(str(path) in json.dumps(told) for path in files.values())
    schema = client.get("/models/penguins/schema").json()
    assert schema["required"] == vaglio.load(files["penguins"]).codebook.names
    mass, island = schema["properties"]["body_mass_g"], schema["properties"]["island"]
    assert mass["type"] == ["null", "number"]
    assert (mass["x-vaglio"]["low"], mass["x-vaglio"]["high"]) == (2700, 6300)
    assert island["examples"] == ["Biscoe", "Dream", "Torgersen"]
    assert client.get("/health/live").json() == {"status": "alive"}
    assert client.get("/health/ready").status_code == 200


def test_numbers_come_with_the_interval_that_the_model_keeps_errors_for(serve, files, tmp_path):
    row, media = {"x0": 2.0, "x1": -1.0, "x2": 0.5}, {"content-type": CSV}
    kept = vaglio.load(files["number"]).with_residuals(np.linspace(-1.0, 2.0, 99))
    kept.save(tmp_path / "kept.vaglio")
    few = kept.with_residuals([0.0, 1.0])
    few.save(tmp_path / "few.vaglio")
    client, _ = serve(models=tuple((name, tmp_path / f"{name}.vaglio") for name in ("kept", "few")))
    low, high = kept.predict_interval([list(row.values())])[0].tolist()
    one = client.post("/models/kept/predict", json=row).json()
    assert one["interval"] == {"low": low, "high": high, "coverage": 0.9}
    assert client.post("/models/kept/predict", json=[row]).json() == [one]
    sent = pd.DataFrame([row]).to_csv(index=False)
    answer = client.post("/models/kept/predict", content=sent, headers=media).text
    found = pd.read_csv(io.StringIO(answer), float_precision="round_trip")
    assert found.iloc[0].to_dict() == {"predicted": one["predicted"], "low": low, "high": high}
    tensors = [{"name": name, "shape": [1], "datatype": "FP64", "data": [value]} for name, value in row.items()]
    told = client.post("/v2/models/kept/infer", json={"inputs": tensors}).json()["outputs"]
    assert {each["name"]: each["data"] for each in told} == {"predicted": [one["predicted"]], "interval": [low, high]}
    described = client.get("/v2/models/kept").json()["outputs"]
    assert [each["name"] for each in described] == ["predicted", "interval"]
    assert "interval" not in client.post("/models/few/predict", json=row).json()
