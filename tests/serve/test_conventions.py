"""Requests as other programs send them: the Open Inference Protocol and MLflow's scoring server."""

from __future__ import annotations

import json
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

import vaglio

PENGUIN = {
    "island": "Biscoe", "bill_length_mm": 40.5, "bill_depth_mm": None, "flipper_length_mm": 190, "body_mass_g": 4000,
    "sex": None, "year": 2008,
}  # fmt: skip
SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": "false"}


def tensors(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One tensor per column, as a client that knows the datatypes sends them."""
    made = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        words = any(isinstance(value, str) for value in values) or name == "sex"
        made.append({"name": name, "shape": [len(rows)], "datatype": "BYTES" if words else "FP64", "data": values})
    return made


@pytest.mark.parametrize("n", [1, 3, 40])
def test_tensors_are_answered_by_tensors(serve, files, n: int):
    client, _ = serve("penguins", "play")
    about = client.get("/v2/models/penguins").json()
    assert [(each["name"], each["datatype"]) for each in about["inputs"]][:2] == [
        ("island", "BYTES"),
        ("bill_length_mm", "FP64"),
    ]
    assert about["platform"] == "vaglio"
    body = {"id": "42", "inputs": tensors([PENGUIN] * n)}
    told = client.post("/v2/models/penguins/infer", json=body).json()
    known = client.post("/models/penguins/predict", json=PENGUIN).json()
    assert (told["id"], told["model_name"], told["model_version"]) == ("42", "penguins", about["versions"][0])
    outputs = {each["name"]: each for each in told["outputs"]}
    declared = {each["name"]: each for each in about["outputs"]}
    assert set(outputs) == set(declared)
    assert all(outputs[name]["datatype"] == declared[name]["datatype"] for name in declared)
    assert outputs["predicted"] == {"name": "predicted", "datatype": "BYTES", "shape": [n], "data": ["Adelie"] * n}
    assert outputs["probabilities"]["shape"] == [n, 3]
    assert outputs["probabilities"]["data"] == pytest.approx(list(known["probabilities"].values()) * n)
    version = f"/v2/models/penguins/versions/{about['versions'][0]}"
    only = client.post(f"{version}/infer", json={**body, "outputs": [{"name": "predicted"}]}).json()
    assert [each["name"] for each in only["outputs"]] == ["predicted"]
    assert client.get(f"{version}/ready").json() == {"name": "penguins", "ready": True}
    costs = client.post("/v2/models/play/infer", json={"inputs": tensors([SUNNY] * n)}).json()
    assert {each["name"] for each in costs["outputs"]} == {"predicted", "probabilities", "likeliest", "expected_costs"}


def test_a_matrix_of_numbers_is_one_tensor(serve, files):
    client, _ = serve("plain", "number")
    X = np.random.default_rng(1).normal(size=(5, 3))
    tensor = {"name": "input-0", "shape": [5, 3], "datatype": "FP64"}
    for data in (X.tolist(), X.ravel().tolist()):
        told = client.post("/v2/models/plain/infer", json={"inputs": [{**tensor, "data": data}]}).json()
        predicted = next(each for each in told["outputs"] if each["name"] == "predicted")
        assert predicted["datatype"] == "BOOL"
        assert predicted["data"] == vaglio.load(files["plain"]).predict(X).tolist()
    number = client.post("/v2/models/number/infer", json={"inputs": [{**tensor, "data": X.tolist()}]}).json()
    assert number["outputs"][0]["datatype"] == "FP64"
    assert number["outputs"][0]["data"] == vaglio.load(files["number"]).predict(X).tolist()


def test_health_and_server_in_the_protocol(serve):
    client, _ = serve("play")
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"ready": True}
    assert client.get("/v2").json()["name"] == "vaglio"
    assert client.get("/v2/models/play/ready").json() == {"name": "play", "ready": True}


GOOD = {"name": "x0", "shape": [1], "datatype": "FP64", "data": [1.0]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "object with a list of inputs"),
        ({}, "a list of inputs"),
        ({"inputs": [1]}, "a list of inputs"),
        ({"inputs": [{**GOOD, "name": 3}]}, "name of its own"),
        ({"inputs": [GOOD, GOOD]}, "name of its own"),
        ({"inputs": [{**GOOD, "shape": [2]}]}, "1 value, but its shape"),
        ({"inputs": [{**GOOD, "shape": []}]}, "needs a shape"),
        ({"inputs": [{**GOOD, "shape": [True]}]}, "needs a shape"),
        ({"inputs": [{**GOOD, "shape": [1 << 40]}]}, "needs a shape"),
        ({"inputs": [{**GOOD, "shape": [1, 2], "data": [1, 2]}]}, "one value per row"),
        ({"inputs": [{**GOOD, "datatype": "STRING"}]}, "needs a datatype"),
        ({"inputs": [{**GOOD, "datatype": "BYTES"}]}, "datatype BYTES, but the value 1.0"),
        ({"inputs": [{**GOOD, "datatype": "INT64", "data": [True]}]}, "datatype INT64"),
        ({"inputs": [{**GOOD, "data": "abc"}]}, "must be a list"),
        ({"inputs": [{**GOOD, "data": [[1.0], 2]}]}, "must not mix"),
        ({"inputs": [GOOD, {**GOOD, "name": "x1", "shape": [2], "data": [1, 2]}]}, "same number of values"),
        ({"inputs": [GOOD]}, "has no 'x1'"),
        ({"inputs": [{**GOOD, "name": "all", "shape": [1, 2], "data": [1, 2]}]}, "2 columns"),
        ({"inputs": [{**GOOD, "name": "all", "shape": [1, 3], "data": [1, 2, 3]}], "outputs": [{"name": "p"}]}, "'p'"),
        ({"inputs": [{**GOOD, "name": "all", "shape": [1, 3], "data": [1, 2, 3]}], "outputs": [3]}, "a name"),
        ({"inputs": [{**GOOD, "name": "all", "shape": [1, 3], "data": [1, 2, 3]}], "id": 7}, "id"),
    ],
)  # fmt: skip
def test_wrong_tensors_are_refused_as_the_protocol_says(serve, problem, body: Any, words: str):
    client, _ = serve("plain")
    answer = client.post("/v2/models/plain/infer", json=body)
    assert words in problem(answer, answer.status_code)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"] == answer.json()["detail"]
    assert client.get("/v2/models/plain/versions/7").json()["error"].startswith("The model 'plain' has the version")


@pytest.mark.parametrize("n", [1, 40])
def test_every_form_of_invocation_gets_the_same_predictions(serve, n: int):
    client, _ = serve("penguins")
    frame = pd.DataFrame([PENGUIN] * n)
    records = [PENGUIN] * n
    columns = list(PENGUIN)
    forms = [
        {"dataframe_records": records},
        {"dataframe_split": {"columns": columns[::-1], "data": [[row[c] for c in columns[::-1]] for row in records]}},
        {"instances": records},
        {"instances": [list(row.values()) for row in records]},
        {"inputs": {name: [row[name] for row in records] for name in columns}},
        {"inputs": [list(row.values()) for row in records]},
    ]
    for form in forms:
        assert client.post("/invocations", json=form).json() == {"predictions": ["Adelie"] * n}
        chances = client.post("/invocations", json={**form, "params": {"predict_method": "predict_proba"}}).json()
        assert np.shape(chances["predictions"]) == (n, 3)
    text = client.post("/invocations", content=frame.to_csv(index=False), headers={"content-type": "text/csv"})
    assert text.json() == {"predictions": ["Adelie"] * n}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "one of dataframe_split"),
        ({}, "has: none"),
        ({"inputs": [], "instances": []}, "exactly one"),
        ({"inputs": 3}, "a list of rows"),
        ({"inputs": {"x0": [1], "x1": [1, 2]}}, "same number of values"),
        ({"inputs": {"x0": 1, "x1": 2}}, "has no 'x2'"),
        ({"instances": [[1, 2]]}, "3 values"),
        ({"dataframe_split": []}, "columns and data"),
        ({"dataframe_split": {"data": [[1]]}}, "needs columns"),
        ({"dataframe_split": {"columns": ["x0", "x0"], "data": []}}, "twice"),
        ({"dataframe_records": [{"x0": 1}]}, "has no"),
        ({"instances": [[1, 2, 3]], "params": {"method": 1}}, "predict_method"),
        ({"instances": [[1, 2, 3]], "params": {"predict_method": "decide"}}, "predict or predict_proba"),
    ],
)
def test_wrong_invocations_are_refused_as_mlflow_does(serve, problem, body: Any, words: str):
    client, _ = serve("plain", "number")
    answer = client.post("/models/plain/invocations", json=body)
    assert words in problem(answer, answer.status_code)
    assert answer.json()["message"] == answer.json()["detail"]
    assert answer.json()["error_code"] == "BAD_REQUEST"
    several = client.post("/invocations", json={"instances": [[1, 2, 3]]})
    assert "several models" in problem(several, 400)
    none = client.post(
        "/models/number/invocations", json={"instances": [[1, 2, 3]], "params": {"predict_method": "predict_proba"}}
    )
    assert "no probabilities" in problem(none, 422)


@pytest.mark.slow
def test_the_client_of_mlflow_understands_the_answers(serve, monkeypatch: pytest.MonkeyPatch):
    scoring = pytest.importorskip("mlflow.pyfunc.scoring_server.client")
    client, _ = serve("penguins")
    frame = pd.DataFrame([PENGUIN] * 3)

    class Wire:
        """What the client takes for the package requests."""

        @staticmethod
        def get(url: str) -> httpx.Response:
            return client.get(url)

        @staticmethod
        def post(url: str, data: str, headers: dict[str, str]) -> httpx.Response:
            json.loads(data)
            return client.post(url, content=data, headers=headers)

    monkeypatch.setattr(scoring, "requests", Wire)
    mlflow = scoring.ScoringServerClient("testserver", 80)
    mlflow.ping()
    assert mlflow.get_version() == vaglio.__version__
    assert mlflow.invoke(frame).get_predictions()[0].tolist() == ["Adelie"] * 3
