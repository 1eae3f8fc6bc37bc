"""A model file that is replaced while it is served: taken if it is sound and fits, else the old model goes on."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio
from vaglio.serve import service as service_module

SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}


@pytest.fixture
def watched(serve, files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(service_module, "_PAUSE", 0.01)
    path = tmp_path / "play.vaglio"
    shutil.copy(files["play"], path)
    client, service = serve(models=(("play", path),), watch=True)
    return client, service, path


def wait_for(client: Any, name: str, value: Any) -> dict[str, Any]:
    """Ask until the model is described so; a service that does not look would be asked for ever."""
    for _ in range(20_000):
        told = client.get("/models/play").json()
        if value in (told[name] or ""):
            return told
        time.sleep(0.005)
    raise AssertionError(told)


def other_model(columns: Any = None, number: bool = False) -> vaglio.fitted.Fitted:
    X, y = vaglio.datasets.load("play").xy("play")
    frame = X.to_frame().astype(str)
    frame = frame.rename(columns=columns or {})
    if number:
        return vaglio.DecisionTreeRegressor().fit(frame, np.arange(len(y), dtype=float)).fitted_
    return vaglio.C45Classifier().fit(frame, y).fitted_


def test_a_sound_new_file_is_served(watched):
    client, service, path = watched
    before = client.get("/models/play").json()
    other_model().save(path)
    told = wait_for(client, "learner", "c45")
    assert told["digest"] != before["digest"]
    assert told["remark"] is None
    assert client.post("/models/play/predict", json=SUNNY).json()["predicted"] == "no"
    assert service.counters.values["vaglio_reloads_total", "play", "taken"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "not a vaglio model file"),
        (lambda path: path.write_bytes(b"rubbish"), "not a vaglio model file"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"sunny", b"funny")), "checksum"),
        (os.remove, "play.vaglio cannot be read"),
        (lambda path: other_model({"windy": "gusty"}).save(path), "needs 'gusty'"),
        (lambda path: other_model(number=True).save(path), "classes and the other numbers"),
    ],
)
def test_a_file_that_does_not_fit_leaves_the_old_model_at_work(watched, make: Any, words: str):
    client, _, path = watched
    before = client.post("/models/play/predict", json=SUNNY).json()
    digest = client.get("/models/play").json()["digest"]
    make(path)
    # Whoever looks while the file is being written may first tell of half a file.
    told = wait_for(client, "remark", words)
    assert told["remark"].startswith("The file was replaced, but the previous model is still served")
    assert told["digest"] == digest
    assert client.post("/models/play/predict", json=SUNNY).json() == before
    # A sound file afterwards is taken.
    other_model().save(path)
    assert wait_for(client, "learner", "c45")["remark"] is None


def test_without_watching_a_file_may_change_as_it_likes(serve, files, tmp_path: Path):
    path = tmp_path / "play.vaglio"
    shutil.copy(files["play"], path)
    client, _ = serve(models=(("play", path),))
    before = client.post("/models/play/predict", json=SUNNY).json()
    path.unlink()
    assert client.post("/models/play/predict", json=SUNNY).json() == before
