"""Comparison with Weka: write a Table as ARFF, run a classifier, read the figures that Weka prints.

Needs Java and Weka's jar (Debian: ``apt install weka``); ``available()`` says whether both are there. The times are the
build times that Weka prints, without the start of Java and the reading of the file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.runner import Row
from vaglio import Table

JAR = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
CLASSES = {
    "J48": "weka.classifiers.trees.J48",
    "JRip": "weka.classifiers.rules.JRip",
    "NaiveBayes": "weka.classifiers.bayes.NaiveBayes",
}


@dataclass(frozen=True)
class WekaRun:
    """What Weka printed: seconds to build, share of test rows predicted correctly, size (leaves or rules)."""

    seconds: float
    accuracy: float
    size: int | None


def available() -> bool:
    return shutil.which("java") is not None and JAR.exists()


def run(learner: str, train: Path, test: Path, options: tuple[str, ...] = (), memory: str = "4g") -> WekaRun:
    """Train on one ARFF file and test on another; the last attribute is the class.

    Parameters
    ----------
    learner : {"J48", "JRip", "NaiveBayes"}
    train, test : Path
        ARFF files with the same header, as :func:`write_arff` gives when each call gets the other table as ``beside``.
    options : tuple of str
        Options of the classifier, in Weka's own notation.
    memory : str
        Largest heap of the Java virtual machine.
    """
    return parse(call(learner, train, test, options, memory))


def call(learner: str, train: Path, test: Path, options: tuple[str, ...] = (), memory: str = "4g") -> str:
    """Return what Weka prints; the parameters are those of :func:`run`."""
    command = ["java", "-Djava.awt.headless=true", f"-Xmx{memory}", "-cp", str(JAR), CLASSES[learner]]
    done = subprocess.run([*command, "-t", str(train), "-T", str(test), *options], capture_output=True, text=True)
    if done.returncode != 0 or "Weka exception" in done.stdout + done.stderr:
        raise RuntimeError(f"Weka failed: {(done.stderr or done.stdout).strip()[:500]}")
    return done.stdout


def rows_beside(rows: list[Row], learner: str, train: Table, test: Table, target: str) -> list[Row]:
    """Return one row of Weka's learner per given row, all with the median of three runs; none without Weka."""
    if not available():
        return []
    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file = Path(folder) / "train.arff", Path(folder) / "test.arff"
        write_arff(train, target, train_file, beside=test)
        write_arff(test, target, test_file, beside=train)
        runs = sorted((run(learner, train_file, test_file) for _ in range(3)), key=lambda done: done.seconds)
    return [Row(row.task, f"Weka {learner}", 1, runs[1].seconds, runs[1].accuracy) for row in rows]


def parse(output: str) -> WekaRun:
    """Read time, accuracy and size from Weka's output."""
    seconds = re.search(r"Time taken to build model:\s*([\d.]+)\s*seconds", output)
    # Weka prints the training rows first, the test rows last.
    accuracy = re.findall(r"Correctly Classified Instances\s+\d+\s+([\d.]+)\s*%", output)
    size = re.search(r"Number of (?:Leaves|Rules)\s*:\s*(\d+)", output)
    if not seconds or not accuracy:
        raise RuntimeError(f"Weka printed no result: {output.strip()[:500]}")
    return WekaRun(float(seconds[1]), float(accuracy[-1]) / 100, int(size[1]) if size else None)


def write_arff(table: Table, target: str, path: Path, beside: Table | None = None) -> None:
    """Write a table as ARFF, the target last.

    Nominal columns declare all their categories and those of the table ``beside``, because Weka requires training and
    test files with the same header.
    """
    names = [name for name in table.columns if name != target] + [target]
    columns = [table.column(name) for name in names]
    lines = [f"@relation {_quote(path.stem)}", ""]
    for column in columns:
        others = () if beside is None else beside.column(column.name).categories
        lines.append(f"@attribute {_quote(column.name)} {_type(column, others)}")
    lines += ["", "@data"]
    cells = [_cells(column) for column in columns]
    lines += [",".join(row) for row in zip(*cells)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _quote(value: object) -> str:
    text = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ")
    return f"'{text}'"


def _type(column: Any, others: tuple[Any, ...] = ()) -> str:
    if column.kind == "numeric":
        return "numeric"
    if column.kind == "text":
        return "string"
    categories = sorted({*column.categories, *others}, key=str) if others else column.categories
    return "{" + ",".join(_quote(category) for category in categories) + "}"


def _cells(column: Any) -> list[str]:
    if column.kind == "numeric":
        return ["?" if np.isnan(value) else repr(float(value)) for value in column.data]
    if column.kind == "text":
        return ["?" if value is None else _quote(value) for value in column.data]
    quoted = [_quote(category) for category in column.categories]
    return ["?" if code < 0 else quoted[code] for code in column.data]
