"""Single rows of adult over HTTP: one process, 16 connections by wrk; the score is the 99th percentile in ms.

The time is that of one request at full load, one divided by the requests per second. Beside vaglio serve stands the
usual program: FastAPI, pydantic, joblib and a scikit-learn pipeline with one-hot encoding, under the same uvicorn.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier as Peer
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import vaglio
from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row

SECONDS = int(os.environ.get("SECONDS", "10"))
CONNECTIONS = 16
ROWS = 500
FOREST, LOGISTIC, TREE = "random forest, 100 trees", "logistic", "C4.5"

_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local rows = {{{rows}}}
local at = 0
request = function() at = at % #rows + 1; return wrk.format(nil, nil, nil, rows[at]) end
"""


def run() -> list[Row]:
    tables = data.adult()
    if tables is None or shutil.which("wrk") is None:
        return []
    (X, y), (X_test, _) = (table.xy(TARGET) for table in tables)
    frame, test = X.to_frame(), X_test.to_frame()[:ROWS]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = _script(folder / "rows.lua", test)
        ours = {
            FOREST: vaglio.RandomForestClassifier(100, random_state=0),
            LOGISTIC: vaglio.LogisticRegression(),
            TREE: vaglio.C45Classifier(),
        }
        rows = []
        for task, estimator in ours.items():
            path = folder / "model.vaglio"
            estimator.fit(X, y).save(path)
            with _served([sys.executable, "-m", "vaglio", "serve", str(path)], "/health/live", {}) as url:
                rows.append(_loaded(task, OURS, f"{url}/models/model/predict", script))
        return [*rows, *_usual(folder, frame, y, script)]


def _usual(folder: Path, frame: pd.DataFrame, y: Any, script: Path) -> list[Row]:
    try:
        import fastapi
    except ImportError:
        return []
    nominal = [name for name in frame if frame[name].dtype.kind not in "if"]
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), nominal), remainder="passthrough")
    columns = {name: str if name in nominal else float for name in frame}
    rows = []
    for task, peer in {FOREST: Peer(100, random_state=0), LOGISTIC: PeerLogistic(max_iter=2000)}.items():
        path = folder / "pipeline.joblib"
        joblib.dump((make_pipeline(encoder, peer).fit(frame, y), columns), path)
        command = [sys.executable, "-m", "uvicorn", "benchmarks.usual_service:app", "--no-access-log"]
        with _served(command, "/docs", {"MODEL": str(path)}) as url:
            who = f"FastAPI {fastapi.__version__}, joblib, scikit-learn"
            rows.append(_loaded(task, who, f"{url}/predict", script))
    return rows


def _script(path: Path, test: pd.DataFrame) -> Path:
    records = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in test.to_dict("records")]
    path.write_text(_SCRIPT.format(rows=",".join(f"[==[{json.dumps(row)}]==]" for row in records)))
    return path


@contextlib.contextmanager
def _served(command: list[str], alive: str, environment: dict[str, str]) -> Iterator[str]:
    """Start a server on a free port, and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [*command, "--port", str(port)], env={**os.environ, **threads, **environment}, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(url + alive, timeout=5).close()
                break
            time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def _loaded(task: str, who: str, url: str, script: Path) -> Row:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", "--latency", "-s", str(script), url]
    subprocess.run([*command, "-d2s"], check=True, capture_output=True)
    text = subprocess.run([*command, f"-d{SECONDS}s"], check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in text, text
    rate, last = re.search(r"Requests/sec:\s+([\d.]+)", text), re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    assert rate is not None, text
    assert last is not None, text
    scale = {"us": 1e-3, "ms": 1.0, "s": 1e3}[last[2]]
    return Row(task, who, 1, 1 / float(rate[1]), scale * float(last[1]))
