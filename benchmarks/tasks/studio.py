"""The page of vaglio studio: every room of a finished project, and large tables until the first usable page.

A room is asked six times; the time is the median of the last five, when nothing is left to compute, and the line
"first" is the first one. The score is the size of the answer in megabytes. Large tables have a million rows and
thirty columns; their time counts from sending the file, or from naming it, until the room Table has answered.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from benchmarks import data
from benchmarks.adult import TARGET
from benchmarks.runner import OURS, Row, measure

LEARNERS = ("c45", "ripper", "naive-bayes", "logistic", "knn")
ROWS, COLUMNS = 1_000_000, 30


def run() -> list[Row]:
    rows = _finished("penguins", {"name": "penguins"}, "/table/bundled")
    adult = data.real("adult-train.csv")
    if adult is not None:
        rows += _finished("adult", {"path": str(adult)}, "/table/path")
    return [*rows, *_openings()]


# -- rooms of a finished project ---------------------------------------------------------------------------------------
def _finished(name: str, opening: dict[str, str], address: str) -> list[Row]:
    with _studio() as visitor:
        visitor.post(address, opening)
        if "path" in opening:
            visitor.post("/table/target", {"column": TARGET})
        visitor.post("/learn/start", {"learner": list(LEARNERS), "plan": "holdout_30", "seed": "0"})
        visitor.wait("/learn", "state-running")
        visitor.wait("/table", "data-again")
        return [row for room in _rooms(visitor) for row in visitor.asked(name, *room)]


def _rooms(visitor: _Visitor) -> list[tuple[str, str, dict[str, str]]]:
    """Name, address, and the fields of a form for what scripts ask."""
    run = re.findall(r"/understand\?model=(\d+)/", visitor.get("/learn"))[0]
    columns = re.findall(r"/explore\?x=([^\"&]+)\"", visitor.get("/explore"))
    bar = re.findall(r"(/explore\?[^\"#]*bin=\d+)", visitor.get("/explore"))[0].replace("&amp;", "&")
    pages = ["/table", "/explore", f"/explore?x={columns[0]}&y={columns[1]}", bar, "/learn", "/compare"]
    pages += [f"/understand?model={run}/{learner}" for learner in LEARNERS]
    pages += [f"/understand?model={run}/c45&node=1", f"/understand?model={run}/ripper&off=0", "/by_hand", "/take_away"]
    found: list[tuple[str, str, dict[str, str]]] = [(page, page, {}) for page in pages]
    for learner in LEARNERS:
        model = f"{run}/{learner}"
        fields = {"model": model, **visitor.fields(f"/understand?model={model}&row=1")}
        found += [(f"{path} of {learner}", path, fields) for path in ("/understand/answer", "/understand/why")]
    return found


# -- large tables ------------------------------------------------------------------------------------------------------
def _openings() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in _large(Path(folder)):
            megabytes = path.stat().st_size / 1e6
            for how in ("named", "uploaded"):
                with _studio() as visitor:
                    start = time.perf_counter()
                    if how == "named":
                        visitor.post("/table/path", {"path": str(path)})
                    else:
                        visitor.upload(path)
                    size = len(visitor.get("/table"))
                    seconds = time.perf_counter() - start
                task = f"open {ROWS} x {COLUMNS}, {path.suffix[1:]} of {megabytes:.0f} MB, {how}"
                rows.append(Row(task, OURS, 2, seconds, size / 1e6))
    return rows


def _large(folder: Path) -> Iterator[Path]:
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{i}": random.normal(size=ROWS).round(4) for i in range(COLUMNS - 9)}
    columns |= {f"whole{i}": random.integers(0, 10 ** (i + 1), ROWS) for i in range(4)}
    columns |= {f"word{i}": random.choice([f"w{k}" for k in range(4 * (i + 1))], ROWS) for i in range(4)}
    columns["class"] = np.where(columns["x0"] + random.normal(size=ROWS) > 0, "yes", "no")
    table = pa.table(columns)
    csv.write_csv(table, folder / "large.csv")
    yield folder / "large.csv"
    parquet.write_table(table, folder / "large.parquet")
    yield folder / "large.parquet"


# -- a visitor ---------------------------------------------------------------------------------------------------------
class _Visitor:
    """A browser without scripts."""

    def __init__(self, address: str) -> None:
        self.origin = address.partition("/?")[0]
        self.client = httpx.Client(base_url=self.origin, follow_redirects=True, timeout=600)
        self.client.get(address)

    def get(self, path: str) -> str:
        return self._good(self.client.get(path)).text

    def post(self, path: str, fields: dict[str, Any]) -> bytes:
        return self._good(self.client.post(path, data=fields, headers={"origin": self.origin})).content

    def upload(self, path: Path) -> None:
        with path.open("rb") as file:
            headers = {"origin": self.origin, "content-length": str(path.stat().st_size)}
            self._good(self.client.post(f"/table/upload?name={path.name}", content=file, headers=headers))

    def wait(self, path: str, mark: str) -> None:
        """Ask until nothing is at work."""
        while mark in self.get(path):
            time.sleep(0.2)

    def fields(self, path: str) -> dict[str, str]:
        """Return the fields of the form of a row, with the values that they have."""
        page = self.get(path)
        found = dict(re.findall(r'name="(v\.[^"]+)" value="([^"]*)"', page))
        for name, options in re.findall(r'<select id="[^"]*" name="(v\.[^"]+)">(.*?)</select>', page):
            found[name] = (re.findall(r"<option selected>([^<]*)", options) or [""])[0]
        return found

    def asked(self, table: str, name: str, path: str, fields: dict[str, str]) -> list[Row]:
        def ask() -> int:
            return len(self.post(path, fields) if fields else self.get(path).encode())

        first, size = measure(ask, 1)
        again, _ = measure(ask, 5)
        short = re.sub(r"model=\d+/", "model=", name)
        return [
            Row(f"{table}: {short}", OURS, 1, again, size / 1e6),
            Row(f"{table}: {short}, first", OURS, 1, first, size / 1e6),
        ]

    def _good(self, answer: httpx.Response) -> httpx.Response:
        assert answer.status_code < 400, (answer.url, answer.text[-2000:])
        return answer


@contextlib.contextmanager
def _studio() -> Iterator[_Visitor]:
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "vaglio", "studio", "--no-browser", "--project", f"{place}/project"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            yield _Visitor(next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line))))
        finally:
            process.terminate()
            process.wait(60)
