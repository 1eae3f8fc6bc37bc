"""Runs an exported model where it is meant to run, and returns what it says: classes and probabilities."""

from __future__ import annotations

import atexit
import csv
import ctypes
import io
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from vaglio.export.sql.statement import sql_name, sql_value
from vaglio.fitted import Fitted

from .pmml_standard import Document

Said = tuple[list[Any], np.ndarray | None]


def plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of plain values: dates in words, None for what is missing."""

    def cell(value: Any) -> Any:
        if value is None or value is pd.NaT or value != value:
            return None
        if isinstance(value, pd.Timestamp):
            return str(value.date())
        return value.item() if hasattr(value, "item") else value

    return [{name: cell(value) for name, value in row.items()} for row in frame.astype(object).to_dict("records")]


def in_c(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    """Compile the file with every warning an error, and call it."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    (folder / "model.c").write_text(fitted.export("c"))
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0"]
    options = [*strict, "-shared", "-fPIC", "-o", str(folder / "model.so"), str(folder / "model.c"), "-lm"]
    done = subprocess.run([compiler, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    library = ctypes.CDLL(str(folder / "model.so"))
    features = fitted.codebook.features
    kinds = [ctypes.c_char_p if feature.categories else ctypes.c_double for feature in features]

    class Row(ctypes.Structure):
        _fields_ = [(f"c{j}", kind) for j, kind in enumerate(kinds)]

    k = 1 if fitted.classes is None else len(fitted.classes)
    library.vaglio_predict.restype = ctypes.c_double if fitted.classes is None else ctypes.c_int
    answers, chances = [], []
    for row in plain(frame):
        given = Row(*(_for_c(row[feature.name], feature) for feature in features))
        out = (ctypes.c_double * k)()
        found = library.vaglio_predict(ctypes.byref(given), *([] if fitted.classes is None else [out]))
        answers.append(found if fitted.classes is None else fitted.classes[found])
        chances.append(list(out))
    return answers, None if fitted.classes is None else np.array(chances)


def _for_c(value: Any, feature: Any) -> Any:
    if feature.categories:
        return None if value is None else str(value).encode()
    if value is None:
        return float("nan")
    if isinstance(value, str) and feature.is_date:
        return float((pd.Timestamp(value) - pd.Timestamp(0)) / pd.Timedelta("1D"))
    return float(value)


_NODE = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const rows = JSON.parse(readFileSync(0, "utf-8"));
const said = rows.map((row) => [model.predict(row), model.classes ? model.predictProbabilities(row) : []]);
console.log(JSON.stringify(said));
"""


def in_javascript(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    node = shutil.which("node") or pytest.skip("no node")
    (folder / "model.mjs").write_text(fitted.export("javascript"), encoding="ascii")
    (folder / "run.mjs").write_text(_NODE)
    done = subprocess.run([node, "run.mjs"], cwd=folder, input=json.dumps(plain(frame)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    answers, chances = zip(*json.loads(done.stdout))
    return list(answers), None if fitted.classes is None else np.array(chances)


def in_sqlite(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame)
    base.execute(f'CREATE TABLE "data" ({names})')
    base.executemany(
        f'INSERT INTO "data" VALUES ({", ".join("?" * frame.shape[1])})', [[*row.values()] for row in plain(frame)]
    )
    return _asked(fitted, "sqlite", list(frame), lambda sql: base.execute(sql))


def in_duckdb(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    base.register("data", pa.Table.from_pandas(frame))
    return _asked(fitted, "duckdb", list(frame), lambda sql: base.execute(sql))


def _asked(fitted: Fitted, dialect: str, columns: list[str], ask: Any) -> Said:
    """Ask for the classes and, if there are any, for the probabilities: the columns of the table and nothing else."""
    found = ask(fitted.to_sql(dialect=dialect))
    assert [column[0] for column in found.description] == [*columns, "prediction"]
    answers = [row[-1] for row in found.fetchall()]
    if not fitted.has_probabilities:
        return answers, None
    found = ask(fitted.to_sql(probabilities=True, dialect=dialect))
    names = [f"p({label})" for label in fitted.classes]
    assert [column[0] for column in found.description] == [*columns, *names]
    return answers, np.array([row[-len(names) :] for row in found.fetchall()], dtype=np.float64)


class Server:
    """A PostgreSQL server of its own, in a temporary folder, reached by a socket in it."""

    def __init__(self) -> None:
        self.programs = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
        if self.programs is None:
            pytest.skip("no PostgreSQL server on this machine")
        self.user = None
        if os.getuid() == 0:  # the server refuses to run as root
            self.user = next((entry.pw_name for entry in pwd.getpwall() if entry.pw_name == "postgres"), None)
            if self.user is None:
                pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        self._run("initdb", "-D", f"{self.folder}/d", "-A", "trust", "-U", "test", "-E", "UTF8", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self._run("pg_ctl", "-D", f"{self.folder}/d", "-l", f"{self.folder}/log", "-o", options, "-w", "start")

    def _run(self, program: str, *arguments: str, text: str = "") -> str:
        command = [str(self.programs / program), *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, user=self.user, cwd="/")
        assert done.returncode == 0, done.stderr[:2000]
        return done.stdout

    def ask(self, script: str) -> list[list[str]]:
        stop = ["-v", "ON_ERROR_STOP=1", "-X", "-q", "--csv"]
        told = self._run("psql", "-h", str(self.folder), "-U", "test", *stop, "postgres", text=script)
        return list(csv.reader(io.StringIO(told)))

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/d", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


@cache
def server() -> Server:
    started = Server()
    atexit.register(started.stop)
    return started


def in_postgresql(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    def kind(name: str) -> str:
        values = [row[name] for row in plain(frame) if row[name] is not None]
        if pd.api.types.is_datetime64_any_dtype(frame[name]):
            return "date"
        return {bool: "boolean", str: "text"}.get(type(values[0]), "double precision")

    def cell(value: Any) -> str:
        return "NULL" if value is None else sql_value(value)

    columns = ", ".join(f"{sql_name(name)} {kind(name)}" for name in frame)
    lines = ",\n".join(f"({', '.join(map(cell, row.values()))})" for row in plain(frame))
    table = f'DROP TABLE IF EXISTS "data"; CREATE TABLE "data" ({columns}); INSERT INTO "data" VALUES {lines};\n'

    def asked(statement: str, names: list[str]) -> list[list[str]]:
        head, *rows = server().ask(f"{table}{statement};")
        assert len(head) == frame.shape[1] + len(names)
        return [[row[head.index(name)] for name in names] for row in rows]

    label = {str(label): label for label in fitted.classes.tolist()} if fitted.classes is not None else {}
    answers = [row[0] for row in asked(fitted.to_sql(dialect="postgresql"), ["prediction"])]
    given = [label[answer] if label else float(answer) for answer in answers]
    if not fitted.has_probabilities:
        return given, None
    shares = asked(fitted.to_sql(probabilities=True, dialect="postgresql"), [f"p({name})" for name in label])
    return given, np.array(shares, dtype=np.float64)


def in_onnxruntime(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(fitted.to_onnx(), options, providers=["CPUExecutionProvider"])
    rows = plain(frame)
    given = {}
    for feature in fitted.codebook.features:
        column = [row[feature.name] for row in rows]
        values = [
            [("" if value is None else str(value)) if feature.categories else _for_c(value, feature)]
            for value in column
        ]
        given[feature.name] = np.array(values, dtype=object if feature.categories else np.float64)
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, given)))
    if fitted.classes is None:
        return found["prediction"][:, 0].tolist(), None
    assert ("probabilities" in found) == fitted.has_probabilities
    return found["label"].tolist(), found.get("probabilities")


def _told(fitted: Fitted, frame: pd.DataFrame, predict: Any) -> Said:
    """Ask a reader of PMML for one row after the other."""
    rows = []
    for row in plain(frame):
        given = {f.name: row[f.name] if f.categories else _for_c(row[f.name], f) for f in fitted.codebook.features}
        rows.append(predict({name: None if value != value else value for name, value in given.items()}))
    answers = [row["prediction"] for row in rows]
    if not fitted.has_probabilities:
        return answers, None
    return answers, np.array([[row[f"p({label})"] for label in fitted.classes] for row in rows], dtype=np.float64)


def in_the_standard(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    return _told(fitted, frame, Document(fitted.export("pmml")).predict)


def in_pypmml(fitted: Fitted, frame: pd.DataFrame, folder: Path) -> Said:
    if shutil.which("java") is None:
        pytest.skip("no Java")
    pypmml = pytest.importorskip("pypmml", reason="the package pypmml is not installed")
    return _told(fitted, frame, pypmml.Model.fromString(fitted.export("pmml")).predict)


RUNNERS = {
    "pmml": ("pmml", in_the_standard),
    "onnx": ("onnx", in_onnxruntime),
    "postgresql": ("sql", in_postgresql),
    "c": ("c", in_c),
    "javascript": ("javascript", in_javascript),
    "sqlite": ("sql", in_sqlite),
    "duckdb": ("sql", in_duckdb),
}
