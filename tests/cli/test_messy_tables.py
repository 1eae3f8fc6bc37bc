"""Every command on tables as people have them: what was understood is said, and nothing is silently a category."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vaglio.table import read

from .conftest import Outcome, run_here
from .messy_tables import MESSY, Messy


@pytest.fixture(params=MESSY)
def messy(request: pytest.FixtureRequest) -> Messy:
    return MESSY[request.param]


@pytest.fixture
def table(messy: Messy, tmp_path: Path) -> Path:
    path = tmp_path / messy.name
    path.write_bytes(messy.data)
    return path


def all_is_said(outcome: Outcome, messy: Messy) -> None:
    assert outcome.code == 0, outcome.err
    for note in messy.notes:
        assert note in outcome.err


def test_the_columns_are_understood(messy: Messy, table: Path):
    found = read(table, messy.target)
    assert len(found) == messy.rows
    kinds = {name: "date" if found.column(name).is_date else found.column(name).kind for name in messy.kinds}
    assert kinds == messy.kinds
    assert {name: found.column(name).unit for name in messy.units} == messy.units


@pytest.mark.slow
def test_a_messy_table_is_audited(messy: Messy, table: Path):
    outcome = run_here("audit", table, "--target", messy.target, "--json")
    all_is_said(outcome, messy)
    found = json.loads(outcome.out)
    assert found["rows"] == messy.rows
    assert {"mixed-types"} & {finding["kind"] for finding in found["findings"]} == set()
    assert set(messy.findings) <= {finding["kind"] for finding in found["findings"]}


@pytest.mark.slow
def test_a_messy_table_is_explored(messy: Messy, table: Path):
    outcome = run_here("explore", table, "--target", messy.target, "--json")
    all_is_said(outcome, messy)
    columns = {column["column"]: column for column in json.loads(outcome.out)["columns"]}
    assert {name: columns[name]["unit"] for name in messy.units} == messy.units


@pytest.mark.slow
def test_a_messy_table_is_learned_from_and_predicted(messy: Messy, table: Path, tmp_path: Path):
    model = tmp_path / "m.vaglio"
    all_is_said(run_here("train", table, "--target", messy.target, "--out", model), messy)
    for command in ("evaluate", "explain"):
        outcome = run_here(command, model, table)
        assert outcome.code == 0, outcome.err
    # Rows that are read in parts have the same values.
    outcome = run_here("predict", model, table, "--out", tmp_path / "p.parquet")
    assert outcome.code == 0, outcome.err
    whole, parts = read(table, messy.target), read(tmp_path / "p.parquet")
    # Of the rows for a model none is left out: totals are rows, too.
    assert len(parts) == len(read(table, messy.target, footer=False)) >= messy.rows
    for name, kind in messy.kinds.items():
        if kind == "numeric":
            assert np.array_equal(parts[name][: messy.rows], whole[name], equal_nan=True), name


@pytest.mark.slow
def test_a_messy_table_is_reported_on(messy: Messy, table: Path, tmp_path: Path):
    page = tmp_path / "r.html"
    words = ["report", table, "--target", messy.target, "--learner", "c45", "--holdout", "0.3", "--out", page]
    all_is_said(run_here(*words), messy)
    assert page.stat().st_size > 10_000
