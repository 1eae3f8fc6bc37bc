"""Every command on the tables of a folder: ``make test DATA=folder``. Their class is the last column."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import run_here

_FOLDER = os.environ.get("VAGLIO_DATA", "")
_SUFFIXES = {".arff", ".csv", ".parquet"}
_TABLES = sorted(path for path in Path(_FOLDER).iterdir() if path.suffix in _SUFFIXES) if _FOLDER else []


@pytest.mark.skipif(not _TABLES, reason="say where real tables are: make test DATA=folder")
@pytest.mark.parametrize("table", _TABLES, ids=lambda path: path.stem)
def test_every_command(table: Path, tmp_path: Path):
    model = tmp_path / "m.vaglio"
    quick = ["--strategy", "quick", "--jobs", "1"]
    for words in (
        ["audit", table, "-t", "-1", "--out", tmp_path / "a.html"],
        ["explore", table, "-t", "-1", "--out", tmp_path / "e.html"],
        ["train", table, "-t", "-1", "--out", model],
        ["evaluate", table, "-t", "-1", "--folds", "2", "--out", tmp_path / "v.svg"],
        ["evaluate", model, table],
        ["compare", table, "-t", "-1", "-l", "c45", "-l", "naive-bayes", "--folds", "2", "--accuracy-only"],
        ["tune", table, "-t", "-1", "-l", "naive-bayes", *quick, "--trials", "1", "--out", tmp_path / "t.vaglio"],
        ["select", table, "-t", "-1", "-l", "c45", "-l", "ripper", *quick, "--out", tmp_path / "s.vaglio"],
        ["predict", model, table, "--out", tmp_path / "p.csv"],
        ["explain", model, table, "--wrong"],
        ["inspect", model],
        ["rules", model],
        ["export", model, "--out", tmp_path / "m.svg"],
    ):
        outcome = run_here(*words)
        assert outcome.code == 0, (words, outcome.err)
