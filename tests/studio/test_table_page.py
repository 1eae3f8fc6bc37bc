"""The page Table: files in, declarations, cleaning, undoing; what goes wrong is said beside the field."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from tests.studio.conftest import messy_table

from vaglio.errors import InputError
from vaglio.studio.project.folder import Project


@pytest.fixture
def messy(enter):
    visitor = enter()
    assert visitor.upload("messy.csv", messy_table()).status_code == 204
    visitor.post("/table/target", column="buys")
    return visitor


def table_of(visitor):
    return visitor.studio.bench.need_table().table


@pytest.mark.slow
def test_a_file_is_read_declared_cleaned_and_every_step_undone(messy):
    messy.post("/table/column", column="zone", level="nominal", role="input", at="column-5")
    messy.post("/table/order", column="size", values="small < medium < large", at="column-4")
    messy.post("/table/column", column="country", level="nominal", role="ignored", at="column-6")
    messy.post("/table/missing", words="n/d, boh")
    before = len(table_of(messy))
    messy.post("/table/clean", finding="duplicates", choice="drop")
    messy.post("/table/clean", finding="spelling", choice="merge")
    table = table_of(messy)
    assert table.column("zone").kind == "nominal"
    assert table.column("size").categories == ("small", "medium", "large")
    assert table.column("country").role == "ignored"
    assert len(table) == before - 4
    assert "milano" not in table.column("city").categories
    page = messy.get("/table").text
    assert "4 duplicate rows left out" in page
    steps = messy.studio.project.steps
    for step in reversed(steps[2:]):
        assert messy.post("/table/undo", step=step["id"]).status_code == 200
    table = table_of(messy)
    assert len(table) == before
    assert table.column("zone").kind == "numeric"
    assert table.column("country").role == "input"
    assert [step["do"] for step in messy.studio.project.steps] == ["open", "target"]


def test_everything_is_there_after_a_restart(messy, enter):
    messy.post("/table/clean", finding="duplicates", choice="drop")
    known = messy.studio.project.steps
    messy.close()
    again = enter()
    assert again.studio.project.steps == known
    assert len(table_of(again)) == 160
    assert "messy.csv" in again.get("/table").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"column": "city", "level": "ratio", "role": "input"}, "expected a number"),
        ({"column": "nowhere", "level": "nominal"}, "nowhere"),
        ({"column": "city", "level": "wrong"}, "There is no level"),
        ({"column": "city", "role": "wrong"}, "Unknown role"),
    ],
)
def test_a_wrong_declaration_changes_nothing_and_is_said(messy, fields, said):
    before = messy.studio.project.steps
    answer = messy.post("/table/column", at="column-1", **fields)
    assert answer.status_code == 422
    assert 'id="problem-column-1"' in answer.text
    assert said in answer.text
    assert messy.studio.project.steps == before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty"),
        ("broken.parquet", b"PAR1 and then nothing PAR1", "parquet"),
        ("binary.csv", bytes(range(256)) * 9, ""),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence_and_not_kept(enter, name, content, said):
    visitor = enter()
    answer = visitor.upload(name, content)
    assert answer.status_code == 422
    assert 'class="problem"' in answer.text
    assert said in answer.text.lower()
    assert list(visitor.studio.project.tables.iterdir()) == []
    assert visitor.studio.project.state is None


def test_uploads_have_a_limit_and_stay_in_the_folder(enter):
    visitor = enter()
    assert visitor.upload("big.csv", b"a,b\n" + b"1,2\n" * 300_000).status_code == 413
    for name in ("../../escaped.csv", "..%2f..%2fescaped.csv", "/etc/escaped.csv", "C:%5Cescaped.csv", ".hidden"):
        assert visitor.upload(name, "a,b\n1,2\n2,1\n").status_code == 204
    kept = sorted(visitor.studio.project.tables.iterdir())
    assert len(kept) == 5
    assert all(path.parent == visitor.studio.project.tables for path in kept)


@pytest.mark.parametrize("path", ["/no/such/file.csv", "x" * 5000, "a\0b", "~nobody-here/x.csv"])
def test_a_path_that_is_no_file_is_said_beside_the_field(enter, path):
    answer = enter().post("/table/path", path=path, at="path")
    assert answer.status_code == 422
    assert 'id="problem-path"' in answer.text
    assert "There is no file" in answer.text


@pytest.mark.slow
def test_names_from_a_table_are_text(enter):
    visitor = enter()
    nasty = "<img src=x onerror=alert(1)>"
    rows = "".join(f'{i % 7},"{nasty}{i % 2}",\'"><script>alert({i % 3})</script>\n' for i in range(40))
    visitor.upload("nasty.csv", f'"{nasty}","b""><script>x</script>",{nasty}2\n{rows}')
    visitor.post("/table/target", column='b"><script>x</script>')
    for path in ("/table", "/explore", f"/explore?x={nasty}", "/learn"):
        page = visitor.get(path).text
        assert "<img" not in page
        assert "<script>" not in page
        assert "alert(1)" not in page or "onerror=alert(1)&gt;" in page


@pytest.mark.slow
def test_a_wide_table_and_a_long_one_stay_small(enter, tmp_path):
    visitor = enter()
    rng = np.random.default_rng(0)
    wide = tmp_path / "wide.csv"
    names = ",".join(f"column_{i}" for i in range(3000))
    wide.write_text(names + "\n" + "\n".join(",".join(map(str, rng.integers(0, 9, 3000))) for _ in range(12)))
    assert visitor.post("/table/path", path=str(wide), at="path").status_code == 200
    page = visitor.get("/table")
    assert len(page.content) < 2_000_000
    assert "column_25" in visitor.get("/table?from=24").text


@pytest.mark.slow
def test_a_finished_audit_is_shown(messy):
    limit = time.monotonic() + 60
    while messy.studio.bench.need_table().audited is None:
        assert time.monotonic() < limit
        time.sleep(0.05)
    page = messy.get("/table").text
    assert "Drop duplicate rows" in page
    assert "data-again" not in page


def test_a_folder_that_is_no_project_is_refused(tmp_path):
    (tmp_path / "something.txt").write_text("mine")
    with pytest.raises(InputError, match="contains other files"):
        Project(tmp_path)
    project = Project(tmp_path / "new")
    (project.folder / "project.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(InputError, match="another version"):
        Project(tmp_path / "new")
    (project.folder / "project.json").write_text("{")
    with pytest.raises(InputError, match="not a valid file of a project"):
        Project(tmp_path / "new")


def test_a_table_beyond_memory_is_refused_with_what_to_do(tmp_path, monkeypatch):
    from vaglio.errors import InputError
    from vaglio.studio.project import steps
    from vaglio.studio.project.steps import TableState

    (tmp_path / "large.csv").write_text("a,b\n1,x\n2,y\n")
    monkeypatch.setattr(steps, "usable_memory", lambda: 10)
    with pytest.raises(InputError, match=r"large\.csv needs about 0 GB of memory.*sample"):
        steps.read_table(TableState("large.csv"), tmp_path)
