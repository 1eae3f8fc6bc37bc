"""The log: one line per request, values only on request, and a disk without room stops nothing."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from vaglio.errors import InputError
from vaglio.serve import request_log
from vaglio.serve.request_log import RequestLog

SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("with_rows", [False, True])
def test_every_request_is_one_line(serve, tmp_path: Path, with_rows: bool):
    path = tmp_path / "requests.jsonl"
    client, service = serve("play", log=path, log_rows=with_rows)
    answer = client.post("/models/play/predict", json=SUNNY).json()
    client.post("/models/play/predict", json=[SUNNY] * 30)
    client.post("/models/play/predict", content=b"{", headers={"content-type": "application/json"})
    client.get("/nowhere")
    service.log.close()
    one, many, wrong, lost = lines(path)
    assert (one["route"], one["model"], one["n_rows"], one["status"]) == ("predict", "play", 1, 200)
    assert one["digest"] == client.get("/models/play").json()["digest"]
    assert (many["n_rows"], wrong["status"], lost["status"]) == (30, 400, 404)
    assert ("rows" in one) is with_rows
    assert ("sunny" in path.read_text(encoding="utf-8")) is with_rows
    if with_rows:
        assert one["rows"] == [SUNNY]
        assert one["answers"] == [answer]
        assert len(many["rows"]) == 30


def test_a_full_disk_is_said_once_and_stops_nothing(serve, caplog, monkeypatch: pytest.MonkeyPatch):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    monkeypatch.setattr(request_log, "_PAUSE", 0.01)
    monkeypatch.setattr(request_log, "MOST_LINES", 3)
    with caplog.at_level(logging.ERROR, logger="vaglio.serve.http"):
        client, service = serve("play", log=full)
        for _ in range(8):
            assert client.post("/models/play/predict", json=SUNNY).status_code == 200
        while service.log.failures < 2:
            assert client.post("/models/play/predict", json=SUNNY).status_code == 200
    assert sum("cannot be written" in record.message for record in caplog.records) == 1
    assert service.log.lost >= 5
    text = client.get("/metrics").text
    assert "vaglio_log_failures_total 0" not in text
    assert "vaglio_log_lines_lost_total" in text


def test_lines_wait_until_there_is_room_again(tmp_path: Path, caplog, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(request_log, "_PAUSE", 0.01)
    path = tmp_path / "log"
    log = RequestLog(path)
    real, full = log._append, [True]

    def append(text: bytes) -> None:
        if full[0]:
            raise OSError(28, "No space left on device")
        real(text)

    monkeypatch.setattr(log, "_append", append)
    with caplog.at_level(logging.INFO, logger="vaglio.serve.http"):
        for number in range(5):
            log.write({"n": number})
        while not log.failures:
            pass
        full[0] = False
        log.close()
    assert [line["n"] for line in lines(path)] == [0, 1, 2, 3, 4]
    assert "written again" in caplog.text


def test_files_rotate_and_no_line_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(request_log, "MOST_BYTES", 100)
    path = tmp_path / "log"
    log = RequestLog(path)
    for number in range(90):
        log.write({"n": number})
        log._flush()
    log.close()
    files = sorted(tmp_path.glob("log*"))
    assert len(files) == 1 + request_log.KEPT
    kept = [line["n"] for file in (*sorted(files[1:], reverse=True), path) for line in lines(file)]
    assert kept == list(range(90 - len(kept), 90))
    assert all(file.stat().st_size <= 100 for file in files)


def test_a_log_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path):
    with pytest.raises(InputError, match="Cannot write the log"):
        RequestLog(tmp_path / "none" / "log")
